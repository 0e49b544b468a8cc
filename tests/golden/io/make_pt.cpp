// Writes the files libtorch_*.pt to a folder with LibTorch 1.13.1's torch::save:
//   g++ -std=c++17 -I/usr/include/torch/csrc/api/include tests/golden/io/make_pt.cpp -o make_pt -ltorch -ltorch_cpu -lc10
//   ./make_pt tests/golden/io
#include <torch/torch.h>

#include <string>
#include <vector>

struct Net : torch::nn::Module {
  torch::nn::Linear first{2, 3};
  torch::nn::Sequential rest{torch::nn::Linear(3, 1), torch::nn::ReLU()};
  torch::Tensor table = register_buffer("table", torch::arange(3));
  Net() {
    register_module("first", first);
    register_module("rest", rest);
    double next = 0;
    for (auto& p : parameters()) p.data().fill_(next++);
  }
};

int main(int, char** arguments) {
  const std::string folder = std::string(arguments[1]) + "/libtorch_";
  const auto net = std::make_shared<Net>();
  torch::save(net, folder + "module.pt");
  torch::save(torch::arange(6, torch::kDouble).view({2, 3}).t(), folder + "tensor.pt");
  torch::save(std::vector<torch::Tensor>{torch::ones({2}), torch::arange(3)}, folder + "vector.pt");

  torch::Tensor p = torch::ones({2}).requires_grad_(), q = torch::ones({3}).requires_grad_();
  torch::optim::Adam adam({p}, torch::optim::AdamOptions(0.25).betas({0.5, 0.75}));
  adam.add_param_group(torch::optim::OptimizerParamGroup({q}));
  (p.sum() + 2 * q.sum()).backward();
  adam.step();
  adam.step();
  torch::save(adam, folder + "adam.pt");

  torch::serialize::OutputArchive archive;
  archive.write("int", torch::IValue(-3));
  archive.write("double", torch::IValue(0.5));
  archive.write("text", torch::IValue("a \"b\""));
  archive.write("none", torch::IValue());
  archive.write("yes", torch::IValue(true));
  archive.write("ints", torch::IValue(std::vector<int64_t>{1, 2}));
  archive.write("doubles", torch::IValue(std::vector<double>{0.5}));
  archive.write("bools", torch::IValue(std::vector<bool>{true, false}));
  archive.write("texts", torch::IValue(std::vector<std::string>{"a", "b"}));
  archive.write("tensors", torch::IValue(std::vector<torch::Tensor>{torch::ones({1})}));
  archive.save_to(folder + "archive.pt");
}
