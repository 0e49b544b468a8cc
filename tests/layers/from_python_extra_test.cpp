// Runs the C++ code of docs/from_python.md. A test of the page generator checks that all of it is here.
#include <doctest/doctest.h>

#include <cmath>
#include <sstream>

#include "etude/etude.h"
#include "support/distance.h"
#include "support/temporary_folder.h"

using namespace etude;
namespace F = nn::functional;
using indexing::Ellipsis, indexing::None, indexing::Slice;

TEST_SUITE("from Python") {
  namespace {

  struct NetImpl : nn::Cloneable<NetImpl> {
    NetImpl(int64_t vocabulary, int64_t width, int64_t depth)
        : vocabulary_(vocabulary), width_(width), depth_(depth) {
      reset();
    }
    void reset() override {
      embed = register_module("embed", nn::Embedding(vocabulary_, width_));
      layers = register_module("layers", nn::ModuleList());
      for (int64_t i = 0; i < depth_; ++i) layers->push_back(nn::Linear(width_, width_));
      scale = register_parameter("scale", ones({1}));
      offset = register_buffer("offset", zeros({width_}));
    }
    Tensor forward(Tensor ids, double shift = 0) {
      Tensor x = embed->forward(ids) + offset;
      for (const auto& layer : *layers) x = x + F::gelu(layer->as<nn::Linear>()->forward(x));
      return F::linear(x * scale, embed->weight) + shift;
    }
    int64_t vocabulary_, width_, depth_;
    nn::Embedding embed{nullptr};
    nn::ModuleList layers{nullptr};
    Tensor scale, offset;
  };
  ETUDE_MODULE(Net);

  struct Pairs : data::Dataset<Pairs> {
    data::Example<> get(size_t i) override { return {x[int64_t(i)], y[int64_t(i)]}; }
    optional<size_t> size() const override { return x.size(0); }
    Tensor x = arange(10, kFloat).view({5, 2}), y = arange(5);
  };

  }  // namespace

  TEST_CASE("tensors") {
    Tensor x = tensor({{1., 2.}, {3., 4.}});
    CHECK((zeros({2, 3}, kLong).scalar_type() == kLong));
    CHECK(rand({2}, dtype(kDouble).requires_grad(true)).requires_grad());
    CHECK(full_like(x, 7)[0][0].item<int64_t>() == 7);
    CHECK((x.sizes() == IntArrayRef{2, 2} && x.size(-1) == 2 && x.size(0) == 2 && x.dim() == 2));
    CHECK((x.to(kDouble).scalar_type() == kDouble));
    CHECK(x.sum().item<float>() == 10);
    const float* p = x.data_ptr<float>();
    std::vector<float> numbers(p, p + x.numel());
    CHECK((numbers == std::vector<float>{1, 2, 3, 4}));
    CHECK(same(x.matmul(x), tensor({{7., 10.}, {15., 22.}})));
    CHECK(same(x.pow(2), x * x));
    CHECK(same(x % 2, tensor({{1., 0.}, {1., 0.}})));
    CHECK(same((x > 1).logical_not(), x <= 1));
    CHECK(same((x > 1) & (x < 4), tensor({{false, true}, {true, false}})));
    CHECK(same(x.sum(1, /*keepdim=*/true), tensor({{3.}, {7.}})));
    auto [values, indices] = x.max(1);
    CHECK((same(values, tensor({2., 4.})) && same(indices, tensor({1, 1}))));
    x += 1;
    x.mul_(2).clamp_(0, 9);
    CHECK(same(x, tensor({{4., 6.}, {8., 9.}})));
    CHECK(same(where(x > 6, x, 0.0), tensor({{0., 0.}, {8., 9.}})));
    Tensor mask = tensor({1, 0});
    CHECK(same(x.masked_fill(mask == 0, -INFINITY).softmax(-1), tensor({{1., 0.}, {1., 0.}})));
    CHECK(same(mask.nonzero().unbind(1)[0], tensor({0})));
    CHECK(cat({x, x}, -1).sizes() == IntArrayRef({2, 4}));
    Tensor joined = cat({x, x, x}, -1);
    auto parts = joined.chunk(3, -1);
    Tensor q = parts[0], k = parts[1], v = parts[2];
    CHECK((same(q, x) && same(k, x) && same(v, x)));
    CHECK(x.view({-1, 1}).expand({-1, 5}).permute({1, 0}).sizes() == IntArrayRef({5, 4}));
    CHECK(same(one_hot(mask, 3), tensor({{0, 1, 0}, {1, 0, 0}})));
    CHECK(same(x.detach().clone(), x));
    Tensor y = ones({3}, requires_grad());
    (y * y).sum().backward();
    CHECK(same(y.grad(), tensor({2., 2., 2.})));
    y.mutable_grad().reset();
    auto g = autograd::grad({(y * y).sum()}, {y})[0];
    CHECK(same(g, tensor({2., 2., 2.})));
    manual_seed(0);
    CHECK(rand({1}).item<float>() == doctest::Approx(0.49625659));
  }

  TEST_CASE("named dims") {
    Tensor q = rand({2, 3, 4, 8}), k = rand({2, 3, 5, 8}), x = rand({2, 4, 24}), a = rand({2, 3}),
           b = rand({3, 4});
    CHECK(einsum("bhid,bhjd->bhij", {q, k}).sizes() == IntArrayRef({2, 3, 4, 5}));
    CHECK(allclose(tensordot(a, b, {1}, {0}), a.mm(b)));
    CHECK(rearrange(x, "b n (h d) -> b h n d", {{"h", 3}}).sizes() == IntArrayRef({2, 3, 4, 8}));
    CHECK(rearrange({a, a}, "n b d -> b (n d)").sizes() == IntArrayRef({2, 6}));
    CHECK(allclose(reduce(x, "b n d -> b d", "mean"), x.mean(1)));
    CHECK(repeat(a, "n d -> b n d", {{"b", 4}}).sizes() == IntArrayRef({4, 2, 3}));
    Tensor y = F::scaled_dot_product_attention(q, k, k, {}, 0.0, /*is_causal=*/true);
    CHECK(y.sizes() == q.sizes());
  }

  TEST_CASE("indexing") {
    Tensor x = arange(12).view({3, 4}), ids = tensor({2, 0}), m = x > 9;
    CHECK(same(x[0], x[-3]));
    CHECK(same(x.index({Slice(), 1}), tensor({1, 5, 9})));
    CHECK(same(x.index({Slice(1, 3)}), x.narrow(0, 1, 2)));
    CHECK(same(x.index({Slice(None, None, 2)}), x.slice(0, 0, 3, 2)));
    CHECK(same(x.index({Ellipsis, Slice(None, -1)}), x.narrow(1, 0, 3)));
    CHECK(x.index({Slice(), None}).sizes() == IntArrayRef({3, 1, 4}));
    CHECK(same(x.index({m}), tensor({10, 11})));
    CHECK(same(x.index({ids}), stack({x[2], x[0]})));
    CHECK(same(x.index({ids, ids}), tensor({10, 0})));
    CHECK(same(x.index({Slice(), ids}), stack({x.select(1, 2), x.select(1, 0)}, 1)));
    CHECK(same(x.flip(0)[0], x[2]));
    CHECK(same(x.gather(1, x % 4), x));
    x.index_put_({0, 1}, 50);
    x.index_put_({Slice(), 0}, ids.sum());
    x.index_put_({m}, 0);
    x[1] = 7;
    CHECK(same(x, tensor({{2, 50, 2, 3}, {7, 7, 7, 7}, {2, 9, 0, 0}})));
  }

  TEST_CASE("options and modules") {
    nn::Linear plain(nn::LinearOptions(4, 5).bias(false));
    nn::LayerNorm norm(nn::LayerNormOptions({8}).eps(1e-6));
    nn::Sequential block{nn::Linear(4, 8), nn::GELU()};
    CHECK((!plain->bias.defined() && norm->options.eps() == 1e-6 && block->size() == 2));
    CHECK(block->forward(rand({2, 4})).sizes() == IntArrayRef({2, 8}));
    Tensor logits = rand({3, 5}), targets = tensor({1, -1, 2});
    Tensor loss = F::cross_entropy(logits, targets, F::CrossEntropyFuncOptions().ignore_index(-1));
    CHECK(loss.item<float>() > 0);

    Net net(10, 4, 2);
    Tensor ids = tensor({{1, 2, 3}});
    Tensor y = net(ids);
    CHECK(y.sizes() == IntArrayRef({1, 3, 10}));
    net->train();
    net->eval();
    net->to(kFloat);
    net->zero_grad();
    int64_t count = 0;
    for (const Tensor& p : net->parameters()) count += p.numel();
    CHECK(count == 10 * 4 + 2 * (16 + 4) + 1);
    for (const auto& item : net->named_parameters())
      if (item.key() == "scale") item.value().requires_grad_(false);
    CHECK_FALSE(net->scale.requires_grad());
    std::vector<nn::LinearImpl*> linears;
    for (const auto& module : net->modules())
      if (auto* linear = module->as<nn::Linear>()) linears.push_back(linear);
    CHECK(linears.size() == 2);
    net->apply([](nn::Module& module) {
      if (auto* linear = module.as<nn::Linear>()) nn::init::normal_(linear->weight, 0, 0.02);
    });
    net->layers->at<nn::LinearImpl>(0).bias.data().zero_();
    Net twin(std::dynamic_pointer_cast<NetImpl>(net->clone()));
    CHECK((allclose(twin(ids), net(ids)) && !twin->scale.is_same(net->scale)));
    CHECK(net->state_dict().contains("layers.1.bias"));
    twin->load_state_dict(net->state_dict());

    const TemporaryFolder folder;
    const std::string path = folder / "net.safetensors";
    save(net, path);
    load(twin, path);
    twin->load_state_dict(load_safetensors(path));
    save_safetensors(path, net->state_dict());
    save_safetensors(path, {{"w", ids}, {"x", ids}});
    CHECK(load_safetensors(path, {"w"})["w"].equal(ids));
    CHECK(allclose(twin(ids), net(ids)));
  }

  TEST_CASE("without gradients, and text") {
    Net net(10, 4, 1);
    Tensor ids = tensor({1, 2}), loss = tensor(0.12345f);
    {
      NoGradGuard no_grad;
      CHECK_FALSE(net(ids).requires_grad());
    }
    std::ostringstream held;
    std::streambuf* before = std::cout.rdbuf(held.rdbuf());
    print("loss", format(loss, ".4f"));
    print(net->layers);
    std::cout.rdbuf(before);
    CHECK(held.str().rfind("loss 0.1235\nModuleList(\n", 0) == 0);
    CHECK(repr(loss) == "tensor(0.1235)");
    CHECK(str("step ", 3, ": ", ids.sizes()) == "step 3: [2]");
  }

  TEST_CASE("training") {
    manual_seed(0);
    nn::Sequential net{nn::Linear(2, 8), nn::Tanh(), nn::Linear(8, 5)};
    Pairs pairs;
    const auto mistake = [&] { return F::cross_entropy(net->forward(pairs.x), pairs.y).item<double>(); };
    const double before = mistake();
    auto loader = data::make_data_loader(pairs.map(data::transforms::Stack<>()), /*batch_size=*/2);
    optim::AdamW optimizer(net->parameters(), optim::AdamWOptions(0.05).betas({0.9, 0.95}));
    optim::CosineAnnealingLR scheduler(optimizer, /*T_max=*/40);
    for (int epoch = 0; epoch < 40; ++epoch) {
      for (auto& batch : *loader) {
        optimizer.zero_grad();
        Tensor loss = F::cross_entropy(net->forward(batch.data), batch.target);
        loss.backward();
        nn::utils::clip_grad_norm_(net->parameters(), 1.0);
        optimizer.step();
      }
      scheduler.step();
    }
    CHECK(mistake() < before / 2);
    for (auto& group : optimizer.param_groups()) group.options().set_lr(group.options().get_lr() / 2);

    std::vector<Tensor> decayed, others;
    for (const Tensor& p : net->parameters()) (p.dim() > 1 ? decayed : others).push_back(p);
    std::vector<optim::OptimizerParamGroup> groups;
    groups.emplace_back(decayed);
    groups.emplace_back(others,
                        std::make_unique<optim::AdamWOptions>(optim::AdamWOptions(1e-3).weight_decay(0)));
    optim::AdamW grouped(groups, optim::AdamWOptions(1e-3));
    CHECK(grouped.param_groups().size() == 2);
  }

  TEST_CASE("hooks, recomputation, tied weights and .pt files") {
    nn::Linear layer(4, 4), head(4, 10);
    nn::Embedding embed(10, 4);
    Tensor x = rand({2, 4}, requires_grad()), seen;
    auto handle = layer->register_forward_hook(
        [&](nn::Module&, const std::vector<Tensor>&, const std::vector<Tensor>& y) { seen = y[0]; });
    layer(x);
    handle.remove();
    layer->register_forward_pre_hook([](nn::Module&, const std::vector<Tensor>& in) { return in[0] * 2; });
    layer->register_full_backward_hook(
        [&](nn::Module&, const std::vector<Tensor>&, const std::vector<Tensor>& dy) { seen = dy[0]; });
    CHECK(seen.sizes() == x.sizes());
    Tensor y = utils::checkpoint(layer, x);
    y.sum().backward();
    CHECK(x.grad().defined());
    head->weight = head->replace_parameter("weight", embed->weight);
    CHECK(head->weight.is_same(embed->weight));
    {
      InferenceMode inference;
      CHECK_FALSE(head(x).requires_grad());
    }
    const TemporaryFolder folder;
    const std::string path = folder / "model.pt";
    save_pt(path, layer->state_dict());
    layer->load_state_dict(load_pt(path));
  }
}
