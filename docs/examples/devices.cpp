#include "support/example.h"

/// # Devices and layouts
///
/// Where a tensor lives, and how its elements lie in memory. Etude has only the CPU and refuses other devices by name.

/// - Errors: `Etude runs on the CPU only` where another device is made; `CPU device index must be -1 or zero, got 1`;
///   `Invalid device string: 'cpu:x'`; `Device string must not be empty`.
EXAMPLE(etude::Device, etude::DeviceType, etude::DeviceIndex, etude::kCPU, etude::kCUDA) {
  const etude::Device device("cpu:0");
  const etude::DeviceIndex index = device.index();
  print(device.str(), static_cast<int64_t>(index), device.has_index());
  print(device.type() == etude::kCPU, device.type() == etude::kCUDA, device.type() == etude::DeviceType::CPU);
  print(examples::message_of([] { etude::Device("cpu:x"); }));
}

/// Whether there is a GPU, and how many there are: never one here, but programs for both CPU and GPU ask.
///
/// - Errors: none of its own
EXAMPLE(etude::cuda::is_available, etude::cuda::device_count) {
  const auto type = etude::cuda::is_available() ? etude::kCUDA : etude::kCPU;
  print(etude::zeros({2}, etude::Device(type)));
}

/// A copy on a GPU: refused, because there is none.
///
/// - Shapes: [...] -> no result
/// - Errors: `PyTorch is not linked with support for cuda devices`, always.
EXAMPLE(etude::Tensor::cuda) {
  print(examples::message_of([] { etude::zeros({2}).cuda(); }));
}

/// The only layout: strides say where the elements of a tensor lie.
///
/// - Errors: none of its own
EXAMPLE(etude::Layout, etude::kStrided) {
  const etude::Layout layout = etude::zeros({2}).layout();
  print(layout == etude::kStrided);
}
