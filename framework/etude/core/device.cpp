#include "etude/core/device.h"

#include <algorithm>
#include <cctype>
#include <ostream>
#include <vector>

#include "etude/core/error.h"

namespace etude {
namespace {

// Whether s is "0" or a number without a leading zero.
bool is_index(const std::string& s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](unsigned char c) { return std::isdigit(c); }) &&
         (s[0] != '0' || s.size() == 1);
}

bool is_name(const std::string& s) {
  return !s.empty() &&
         std::all_of(s.begin(), s.end(), [](unsigned char c) { return std::isalpha(c) || c == '_'; });
}

void refuse_device(const std::string& name) {
  throw Error(str("Etude runs on the CPU only\nreceived the device ", name,
                  "\nhint: use kCPU, or leave the device out"));
}

int checked_index(int64_t index) {
  ETUDE_CHECK(index >= -1, "Device index must be -1 or non-negative, got ", index);
  ETUDE_CHECK(index <= 0, "CPU device index must be -1 or zero, got ", index);
  return static_cast<int>(index);
}

}  // namespace

Device::Device(DeviceType type, int64_t index) : index_(-1) {
  if (type != kCPU) refuse_device("cuda");
  index_ = static_cast<DeviceIndex>(checked_index(index));
}

Device::Device(const std::string& device_string) : index_(-1) {
  ETUDE_CHECK(!device_string.empty(), "Device string must not be empty");
  const size_t colon = device_string.find(':');
  const std::string name = device_string.substr(0, colon);
  const bool has_number = colon != std::string::npos;
  const std::string number = has_number ? device_string.substr(colon + 1) : "";
  ETUDE_CHECK(is_name(name) && (!has_number || is_index(number)), "Invalid device string: '", device_string,
              "'\nhint: `cpu` or `cpu:0`");
  static const std::vector<std::string> known{
      "cpu",  "cuda", "ipu", "xpu",  "mkldnn", "opengl", "opencl", "ideep", "hip",  "ve",
      "fpga", "maia", "xla", "lazy", "vulkan", "mps",    "meta",   "hpu",   "mtia", "privateuseone"};
  ETUDE_CHECK(std::find(known.begin(), known.end(), name) != known.end(), "Expected one of ",
              Join(", ", known), " device type at start of device string: ", name);
  if (name != "cpu") refuse_device(device_string);
  ETUDE_CHECK(number.size() < 10, "Could not parse device index '", number, "' in device string '",
              device_string, "'");
  if (has_number) index_ = static_cast<DeviceIndex>(checked_index(std::stoll(number)));
}

std::string Device::str() const { return has_index() ? "cpu:" + std::to_string(index_) : "cpu"; }

std::ostream& operator<<(std::ostream& out, DeviceType type) {
  return out << (type == kCPU ? "cpu" : "cuda");
}
std::ostream& operator<<(std::ostream& out, const Device& device) { return out << device.str(); }

}  // namespace etude
