#pragma once

#include <string>
#include <vector>

#include "etude/distributed/data_parallel.h"
#include "etude/nn/functional.h"
#include "etude/nn/module.h"
#include "etude/ops/ops.h"

namespace etude {

/// Two layers with dropout between them, and a weight that only some batches use.
struct SmallNetImpl : nn::Module {
  explicit SmallNetImpl(double dropout_ = 0) : dropout(dropout_) {
    const auto values = [](at_sizes sizes, double scale) {
      int64_t n = 1;
      for (const int64_t s : sizes) n *= s;
      return (etude::arange(1, n + 1) * scale).sin().reshape(sizes).contiguous();
    };
    w1 = register_parameter("w1", values({6, 8}, 0.7));
    b1 = register_parameter("b1", values({8}, 1.3));
    w2 = register_parameter("w2", values({8, 3}, 0.9));
    rare = register_parameter("rare", values({3}, 1.1));
    never = register_parameter("never", values({2}, 1.1));
    count = register_buffer("count", etude::zeros({1}));
  }

  Tensor forward(const Tensor& x) {
    const Tensor h = nn::functional::dropout(etude::tanh(x.matmul(w1) + b1), dropout_options());
    const Tensor y = h.matmul(w2);
    return uses_rare ? y * rare : y;
  }

  Tensor loss(const std::vector<Tensor>& batch) { return (forward(batch[0]) - batch[1]).square().mean(); }

  Tensor w1, b1, w2, rare, never, count;
  double dropout;
  bool uses_rare = true;

 private:
  using at_sizes = std::vector<int64_t>;
  nn::functional::DropoutFuncOptions dropout_options() const {
    return nn::functional::DropoutFuncOptions().p(dropout).training(dropout > 0);
  }
};
ETUDE_MODULE(SmallNet);

inline std::vector<Tensor> batch_of(int64_t rows, int64_t step = 0) {
  const Tensor x = (etude::arange(1, 6 * rows + 1) * (0.37 + 0.1 * static_cast<double>(step))).sin() * 3;
  const Tensor y = (etude::arange(1, 3 * rows + 1) * 0.71).cos();
  return {x.reshape({rows, 6}), y.reshape({rows, 3})};
}

inline std::vector<Tensor> rows_of_batch(const std::vector<Tensor>& batch, int64_t begin, int64_t end) {
  std::vector<Tensor> rows;
  for (const Tensor& t : batch) rows.push_back(t.narrow(0, begin, end - begin));
  return rows;
}

}  // namespace etude
