#include "etude/distributed/detail/agreement.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <sstream>

#include "etude/core/error.h"
#include "etude/distributed/detail/broadcast.h"
#include "etude/distributed/detail/checks.h"
#include "etude/ops/ops.h"

namespace etude::distributed {
namespace {

using detail::Facts;

std::string text_of(const Facts& facts) {
  std::string text;
  for (const auto& [name, value] : facts) text += str(name, '\0', value, '\0');
  return text;
}

Facts facts_of(const std::string& text) {
  Facts facts;
  std::istringstream parts(text);
  for (std::string name, value; std::getline(parts, name, '\0') && std::getline(parts, value, '\0');)
    facts.emplace_back(name, value);
  return facts;
}

const std::string* value_of(const Facts& facts, const std::string& name) {
  const auto found =
      std::find_if(facts.begin(), facts.end(), [&](const auto& fact) { return fact.first == name; });
  return found == facts.end() ? nullptr : &found->second;
}

// The first difference, with both sides; facts[0] holds the version.
std::string first_difference(int rank, const Facts& here, const Facts& at_0) {
  if (here[0].second != at_0[0].second)
    return str("rank ", rank, " runs Etude ", here[0].second, ", rank 0 runs ", at_0[0].second);
  const auto differs = [rank](const auto&... what) {
    return str("rank ", rank, " has another model: ", what...);
  };
  for (const auto& [name, value] : at_0) {
    const std::string* own = value_of(here, name);
    if (!own) return differs(name, " is missing there and ", value, " at rank 0");
    if (*own != value) return differs(name, " is ", *own, " there and ", value, " at rank 0");
  }
  for (size_t i = 0; i < here.size(); ++i) {
    const auto& [name, value] = here[i];
    if (!value_of(at_0, name)) return differs(name, " is ", value, " there and missing at rank 0");
    if (name != at_0[i].first) return differs(name, " stands there where rank 0 has ", at_0[i].first);
  }
  return "";
}

}  // namespace

std::string detail::broadcast_text(ProcessGroup& group, int root, const std::string& text) {
  const bool is_root = group.getRank() == root;
  Tensor bytes = full({}, is_root ? static_cast<int64_t>(text.size()) : 0, kLong);
  start_broadcast(group, root, bytes)->wait();
  Tensor data = etude::empty({bytes.item<int64_t>()}, kByte);
  if (data.numel() == 0) return "";
  if (is_root) std::memcpy(data.data_ptr<uint8_t>(), text.data(), text.size());
  start_broadcast(group, root, data)->wait();
  return {reinterpret_cast<const char*>(data.data_ptr<uint8_t>()), static_cast<size_t>(data.numel())};
}

void detail::throw_together(ProcessGroup& group, const std::string& problem) {
  std::vector<Tensor> has_one = {full({}, !problem.empty(), kBool)};
  std::vector<std::vector<Tensor>> all(1);
  for (int r = 0; r < group.getSize(); ++r) all[0].push_back(zeros({}, kBool));
  group.allgather(all, has_one)->wait();
  for (int r = 0; r < group.getSize(); ++r)
    if (all[0][static_cast<size_t>(r)].item<bool>()) throw Error(broadcast_text(group, r, problem));
}

void detail::check_same(ProcessGroup& group, const std::string& version, const Facts& facts) {
  Facts all = {{"version", version}};
  all.insert(all.end(), facts.begin(), facts.end());
  const std::string text = text_of(all), at_0 = broadcast_text(group, 0, text);
  throw_together(group, text == at_0 ? "" : first_difference(group.getRank(), all, facts_of(at_0)));
}

void run_on_rank(ProcessGroup& group, int rank, FunctionRef<void()> f) {
  ETUDE_CHECK(rank >= 0 && rank < group.getSize(), "invalid root rank: ", rank, "\nthere are ",
              group.getSize(), " processes");
  if (group.getSize() == 1) return f();
  std::string problem;
  if (group.getRank() == rank) {
    try {
      f();
    } catch (...) {
      problem = str("rank ", rank, ": ", detail::reason_of(std::current_exception()));
    }
  }
  detail::throw_together(group, problem);
}

}  // namespace etude::distributed
