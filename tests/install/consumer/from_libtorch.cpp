// A program as people write them for LibTorch, with classes whose names Etude has too.
#include <ATen/ATen.h>
#include <torch/csrc/api/include/torch/utils.h>
#include <torch/nn.h>
#include <torch/nn/modules/linear.h>
#include <torch/torch.h>

using namespace torch;
using namespace torch::nn;

struct PositionalEncodingImpl : Module {
  PositionalEncodingImpl() { table = register_buffer("table", torch::arange(4.0).view({1, 4})); }
  Tensor forward(const Tensor& x) { return x + table; }
  Tensor table;
};
TORCH_MODULE(PositionalEncoding);

struct GPTImpl : Module {
  explicit GPTImpl(int64_t width)
      : head(register_module("head", Linear(LinearOptions(width, 2).bias(false)))) {
    TORCH_CHECK(width == 4, "the table has 4 columns, got ", width);
    init::constant_(head->weight, 0.5);
    positions = register_module("positions", PositionalEncoding());
  }
  Tensor forward(const Tensor& x) { return torch::nn::functional::relu(head(positions(x))); }
  Linear head{nullptr};
  PositionalEncoding positions{nullptr};
};
TORCH_MODULE(GPT);

int main() {
  at::Context& context = at::globalContext();
  context.setAllowTF32CuBLAS(true);
  context.setAllowFP16ReductionCuBLAS(false);
  context.setDeterministicAlgorithms(true, /*warn_only=*/false);
  if (!context.allowTF32CuBLAS() || context.allowFP16ReductionCuBLAS() || context.benchmarkCuDNN()) return 1;
  GPT model(4);
  c10::optional<int64_t> rows = 3;
  const at::Tensor y = model->forward(torch::ones({*rows, 4}));
  std::vector<double> row(2);
  std::iota(row.begin(), row.end(), y.sum().item<double>());  // <numeric> comes with torch.h
  std::cout << y.sizes()[0] << " " << row[0] << " " << row[1] << std::endl;
  try {
    GPT(5);
  } catch (const c10::Error& error) {
    std::cout << error.what_without_backtrace() << std::endl;
  }
}
