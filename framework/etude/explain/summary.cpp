#include "etude/explain/summary.h"

#include <algorithm>
#include <deque>
#include <ostream>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "etude/autograd/grad_mode.h"
#include "etude/core/generator.h"
#include "etude/explain/detail/watch.h"
#include "etude/nn/eval_mode.h"

namespace etude {
namespace {

using namespace detail;

// A buffer, which gets its values back if the forward of its model wrote to it.
struct KeptBuffer {
  Tensor buffer, values;
  uint32_t version;

  explicit KeptBuffer(const Tensor& b) : buffer(b), values(b.clone()), version(version_of(b)) {}
  KeptBuffer(const KeptBuffer&) = delete;
  KeptBuffer& operator=(const KeptBuffer&) = delete;
  ~KeptBuffer() {
    if (version_of(buffer) != version) buffer.detach().copy_(values);
  }
};

// Makes the rows and adds up what runs in them.
class SummaryMaker final : Collector {
 public:
  explicit SummaryMaker(const nn::Module& model) { add_tree(model, "", 0); }

  void op(const Event& event) override {
    const double flop = flop_of(event), bytes = written_by(event);
    summary_.flop += flop;
    summary_.activation_bytes += bytes;
    for (const size_t row : std::unordered_set<size_t>(running_.begin(), running_.end())) {
      summary_.rows[row].flop += flop;
      summary_.rows[row].activation_bytes += bytes;
    }
  }

  void module_begins(const void* module, const listen::Place*) override {
    const auto* m = static_cast<const nn::Module*>(module);
    if (!row_of_.count(m)) add_row(*m, "?", 1);
    running_.push_back(row_of_[m]);
    ++summary_.rows[row_of_[m]].calls;
  }

  void module_ends(const Event& event) override {
    const size_t row = row_of_.at(static_cast<const nn::Module*>(event.subject));
    while (running_.back() != row) running_.pop_back();  // modules that an exception has ended
    running_.pop_back();
    std::vector<std::vector<int64_t>>& output = summary_.rows[row].output;
    output.clear();
    for (const TensorForm& form : event.results)
      if (form.dtype) output.push_back(form.sizes);
  }

  Summary made() const { return summary_; }

 private:
  void add_tree(const nn::Module& module, const std::string& path, int64_t depth) {
    if (!add_row(module, path, depth)) return;
    for (const auto& child : module.named_children())
      add_tree(**child, nn::detail::joined_path(path, child.key()), depth + 1);
  }

  // For a module that already has a row, adds a row that refers to it.
  bool add_row(const nn::Module& module, const std::string& path, int64_t depth) {
    const auto [found, is_new] = row_of_.try_emplace(&module, summary_.rows.size());
    SummaryRow row;
    row.path = path;
    row.type = module.class_name();
    row.depth = depth;
    if (!is_new) {
      const SummaryRow& first = summary_.rows[found->second];
      row.same_as = first.path.empty() ? first.type : first.path;
    } else {
      for (const Tensor& p : module.parameters(/*recurse=*/false)) {
        if (!seen_.insert(p.unsafeGetTensorImpl()).second) continue;
        row.parameters += p.numel();
        row.trainable += p.requires_grad() ? p.numel() : 0;
        row.parameter_bytes += static_cast<double>(p.numel() * elementSize(p.scalar_type()));
      }
      if (path != "?") {
        summary_.parameters += row.parameters;
        summary_.trainable += row.trainable;
        summary_.parameter_bytes += row.parameter_bytes;
      }
    }
    summary_.rows.push_back(std::move(row));
    return is_new;
  }

  // For an unknown op, the sum of the ops inside.
  static double flop_of(const Event& event) {
    if (event.flop) return *event.flop;
    double sum = 0;
    for (const Event& op : event.inside) sum += flop_of(op);
    return sum;
  }

  static double written_by(const Event& event) {
    const std::string_view way = event.way;
    double sum = 0;
    if (way.empty() || way == "copy")
      for (const TensorForm& form : event.results) sum += form.bytes;
    return sum;
  }

  Summary summary_;
  std::unordered_map<const nn::Module*, size_t> row_of_;
  std::unordered_set<const void*> seen_;  // parameters
  std::vector<size_t> running_;
};

// --- The table ---

// 1234567 as "1,234,567".
std::string with_commas(int64_t value) {
  std::string text = std::to_string(value);
  for (auto at = static_cast<int64_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<size_t>(at), ",");
  return text;
}

std::string output_text(const SummaryRow& row) {
  if (!row.same_as.empty()) return "same as " + row.same_as;
  if (row.calls == 0) return "-";
  std::string text;
  for (const auto& sizes : row.output) text += (text.empty() ? "[" : " [") + Join(", ", sizes) + "]";
  return row.calls > 1 ? text + " x" + std::to_string(row.calls) : text;
}

using Cells = std::vector<std::string>;

Cells cells_of(const SummaryRow& row) {
  const std::string name = row.path.substr(row.path.rfind('.') + 1);
  const std::string label = name.empty() ? row.type : name + " (" + row.type + ")";
  return {std::string(static_cast<size_t>(2 * row.depth), ' ') + label,
          output_text(row),
          row.parameters == 0 ? "" : with_commas(row.parameters),
          row.parameters == 0 ? "" : with_commas(row.trainable),
          row.flop == 0 ? "" : with_prefix(row.flop, ""),
          row.activation_bytes == 0 ? "" : with_prefix(row.activation_bytes, "B")};
}

}  // namespace

Summary detail::summary_of(const nn::Module& model, FunctionRef<void()> run) {
  const NoGradGuard no_grad;
  const nn::EvalMode eval_mode(model);
  const KeepRandomState random;
  std::deque<KeptBuffer> buffers;
  for (const Tensor& buffer : model.buffers()) buffers.emplace_back(buffer);
  SummaryMaker maker(model);
  run();
  return maker.made();
}

std::ostream& operator<<(std::ostream& out, const Summary& s) {
  std::vector<Cells> table{{"module", "output", "parameters", "trainable", "FLOP", "activations"}};
  for (const SummaryRow& row : s.rows) table.push_back(cells_of(row));
  std::vector<size_t> widths(table[0].size(), 0);
  for (const Cells& cells : table)
    for (size_t c = 0; c < cells.size(); ++c) widths[c] = std::max(widths[c], cells[c].size());
  for (const Cells& cells : table) {
    std::string line;
    for (size_t c = 0; c < cells.size(); ++c) {
      const std::string blanks(widths[c] - cells[c].size(), ' ');
      line += (c == 0 ? "" : "  ") + (c < 2 ? cells[c] + blanks : blanks + cells[c]);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
  return out << "total: " << with_commas(s.parameters) << " parameters ("
             << with_prefix(s.parameter_bytes, "B") << "), " << with_commas(s.trainable) << " trainable; "
             << with_prefix(s.flop, "FLOP") << "; activations " << with_prefix(s.activation_bytes, "B")
             << '\n';
}

}  // namespace etude
