// Modules, which list their parameters by name, and the layers up to InputEmbedding.
#pragma once

#include "mini/print.h"
#include "mini/random.h"

namespace mini::nn {

/// Values by name, in insertion order.
template <typename V>
struct OrderedDict {
  struct Item {
    std::string first;
    V second;
    const std::string& key() const { return first; }
    const V& value() const { return second; }
  };
  std::vector<Item> items;

  auto begin() const { return items.begin(); }
  auto end() const { return items.end(); }
  size_t size() const { return items.size(); }
  void insert(std::string key, V value) { items.push_back({std::move(key), std::move(value)}); }
  std::vector<std::string> keys() const {
    std::vector<std::string> all;
    for (const Item& item : items) all.push_back(item.first);
    return all;
  }
  const V* find(const std::string& key) const {
    for (const Item& item : items)
      if (item.first == key) return &item.second;
    return nullptr;
  }
};
using Named = OrderedDict<Tensor>;

struct Module {
  virtual ~Module() = default;
  bool is_training() const { return training_; }
  void train(bool on = true) {
    training_ = on;
    for (const auto& child : children_) child.second->train(on);
  }
  void eval() { train(false); }

  Tensor register_parameter(const std::string& name, const Tensor& t) {
    tensors_.push_back({name, t.requires_grad_(), true, true});
    return t;
  }
  Tensor register_buffer(const std::string& name, const Tensor& t, bool persistent = true) {
    tensors_.push_back({name, t, false, persistent});
    return t;
  }
  template <typename Holder>
  Holder register_module(const std::string& name, const Holder& child) {
    children_.insert(name, child.ptr());
    return child;
  }

  Named named_parameters() const {
    return named([](const Entry& e) { return e.is_parameter; });
  }
  Named named_buffers() const {
    return named([](const Entry& e) { return !e.is_parameter; });
  }
  Named state_dict() const {
    return named([](const Entry& e) { return e.is_saved; });
  }
  Tensors parameters() const {
    Tensors all;
    for (const auto& p : named_parameters()) all.push_back(p.second);
    return all;
  }
  void zero_grad() const {
    for (const Tensor& p : parameters()) p.mutable_grad() = {};
  }
  std::string load_state_dict(const Named& state) const {
    const NoGradGuard no_grad;
    const Named mine = state_dict();
    const std::string begin = "Error(s) in loading state_dict: ";
    for (const auto& given : state)
      check(mine.find(given.first) != nullptr, begin, "Unexpected key(s) in state_dict: \"", given.first,
            "\".");
    for (const auto& own : mine) {
      const Tensor* const given = state.find(own.first);
      check(given != nullptr, begin, "Missing key(s) in state_dict: \"", own.first, "\".");
      check(given->sizes() == own.second.sizes(), begin, "size mismatch for ", own.first, ": copying ",
            given->sizes(), " into ", own.second.sizes(), ".");
    }
    for (const auto& own : mine) own.second.copy_(*state.find(own.first));
    return "<All keys matched successfully>";
  }

  /// What a printed layer shows between its parentheses.
  virtual std::string extra_repr() const { return ""; }
  std::string repr() const {
    if (children_.size() == 0) return type_name + "(" + extra_repr() + ")";
    std::string text = type_name + "(\n";
    for (const auto& child : children_) {
      std::string lines = child.second->repr();
      for (size_t at = 0; (at = lines.find('\n', at)) != std::string::npos; at += 3)
        lines.insert(at + 1, "  ");
      text += "  (" + child.first + "): " + lines + "\n";
    }
    return text + ")";
  }
  std::string type_name;  // the name in MINI_MODULE
  struct Entry {
    std::string name;
    Tensor tensor;
    bool is_parameter, is_saved;
  };
  /// The entries that `wants` accepts: each module's parameters, then its buffers, then those of its children.
  template <typename Wants>
  Named named(const Wants& wants) const {
    Named all;
    for (const bool parameters : {true, false})
      for (const Entry& e : tensors_)
        if (e.is_parameter == parameters && wants(e)) all.insert(e.name, e.tensor);
    for (const auto& child : children_)
      for (const auto& item : child.second->named(wants))
        all.insert(child.first + "." + item.first, item.second);
    return all;
  }

  std::vector<Entry> tensors_;
  OrderedDict<std::shared_ptr<Module>> children_;
  bool training_ = true;
};

/// A shared handle of a module: holder(x) calls forward, holder->weight reads a member.
template <typename M>
struct ModuleHolder {
  template <typename... Args>
  explicit ModuleHolder(const char* name, Args&&... args)
      : impl_(std::make_shared<M>(std::forward<Args>(args)...)) {
    impl_->type_name = name;
  }
  template <typename... Args>
  auto operator()(Args&&... args) const {
    return impl_->forward(std::forward<Args>(args)...);
  }
  M* operator->() const { return impl_.get(); }
  std::shared_ptr<M> ptr() const { return impl_; }
  std::shared_ptr<M> impl_;
  friend std::ostream& operator<<(std::ostream& out, const ModuleHolder& m) { return out << m.impl_->repr(); }
};
#define MINI_MODULE(Name)                                                                                  \
  struct Name : mini::nn::ModuleHolder<Name##Impl> {                                                       \
    template <typename... Args, typename = std::enable_if_t<std::is_constructible_v<Name##Impl, Args...>>> \
    explicit Name(Args&&... args) : ModuleHolder(#Name, std::forward<Args>(args)...) {}                    \
  }
/// An option: name(v) sets it and name() reads it.
#define MINI_ARG(T, name)                   \
  auto& name(T v) {                         \
    name##_ = std::move(v);                 \
    return *this;                           \
  }                                         \
  const T& name() const { return name##_; } \
  T name##_

struct EmbeddingImpl : Module {
  EmbeddingImpl(int64_t rows, int64_t width) : weight(register_parameter("weight", randn({rows, width}))) {}
  Tensor forward(const Tensor& ids) const { return embedding(weight, ids); }
  std::string extra_repr() const override { return str(weight.size(0), ", ", weight.size(1)); }
  Tensor weight;  // [rows, width]
};
MINI_MODULE(Embedding);

struct DropoutImpl : Module {
  explicit DropoutImpl(double p = 0.5) : p_(p) {
    check(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
  }
  Tensor forward(const Tensor& x) const { return dropout(x, p_, is_training()); }
  std::string extra_repr() const override { return "p=" + python_float(p_) + ", inplace=False"; }
  double p_;
};
MINI_MODULE(Dropout);

/// table[pos][2i] = sin(pos / 10000^(2i / d)), table[pos][2i + 1] = cos(the same) (Vaswani et al. 2017, section 3.5).
inline Tensor sinusoidal_table(int64_t max_len, int64_t d) {
  const Tensor position = arange(0, max_len, kFloat).unsqueeze(1), even = arange(0, d, 2, kFloat);
  const Tensor angles =
      position * exp(even * (-std::log(10000.0) / static_cast<double>(d)));  // [max_len, (d + 1) / 2]
  return stack({angles.sin(), angles.cos()}, 2).flatten(1).narrow(1, 0, d).contiguous();
}

enum class Layout { SequenceFirst, BatchFirst };
constexpr Layout kSequenceFirst = Layout::SequenceFirst, kBatchFirst = Layout::BatchFirst;

struct PositionalEncodingOptions {
  PositionalEncodingOptions(int64_t d_model, Layout layout) : d_model_(d_model), layout_(layout) {}
  MINI_ARG(int64_t, d_model);
  MINI_ARG(Layout, layout);
  MINI_ARG(int64_t, max_len) = 5000;
  MINI_ARG(double, dropout) = 0;
  MINI_ARG(bool, persistent) = true;
};

/// Adds the encoding of its position to each vector, then applies dropout.
struct PositionalEncodingImpl : Module {
  explicit PositionalEncodingImpl(const PositionalEncodingOptions& options)
      : options_(options), dropout(register_module("dropout", Dropout(options.dropout()))) {
    pe = register_buffer(
        "pe", sinusoidal_table(options.max_len(), options.d_model()).unsqueeze(sequence_dim() == 1 ? 0 : 1),
        options.persistent());
  }
  Tensor forward(const Tensor& x) const {  // [batch, sequence, d_model] or [sequence, batch, d_model]
    const int64_t d = sequence_dim(), length = x.size(d);
    check(length <= pe.size(d), "PositionalEncoding: a sequence of ", length,
          " positions is longer than max_len ", pe.size(d));
    return dropout(x + pe.narrow(d, 0, length));
  }
  int64_t sequence_dim() const { return options_.layout() == kBatchFirst ? 1 : 0; }
  PositionalEncodingOptions options_;
  Dropout dropout;
  Tensor pe;
};
MINI_MODULE(PositionalEncoding);

struct TokenEmbeddingImpl : Module {
  TokenEmbeddingImpl(int64_t vocab_size, int64_t d_model)
      : embedding(register_module("embedding", Embedding(vocab_size, d_model))) {}
  Tensor forward(const Tensor& ids) const { return embedding(ids); }
  Embedding embedding;
};
MINI_MODULE(TokenEmbedding);

struct InputEmbeddingOptions {
  InputEmbeddingOptions(int64_t vocab_size, int64_t d_model, Layout layout)
      : vocab_size_(vocab_size), d_model_(d_model), layout_(layout) {}
  MINI_ARG(int64_t, vocab_size);
  MINI_ARG(int64_t, d_model);
  MINI_ARG(Layout, layout);
  MINI_ARG(int64_t, max_len) = 5000;
  MINI_ARG(double, dropout) = 0;
  MINI_ARG(bool, scale) = false;
};

/// The input of a transformer: the token's vector, multiplied by sqrt(d_model) if `scale` is set, plus its position.
struct InputEmbeddingImpl : Module {
  explicit InputEmbeddingImpl(const InputEmbeddingOptions& options)
      : options_(options),
        token_embedding(
            register_module("token_embedding", TokenEmbedding(options.vocab_size(), options.d_model()))),
        pos_encoding(register_module(
            "pos_encoding", PositionalEncoding(PositionalEncodingOptions(options.d_model(), options.layout())
                                                   .max_len(options.max_len())
                                                   .dropout(options.dropout())))) {}
  Tensor forward(const Tensor& ids) const {
    const Tensor x = token_embedding(ids);
    return pos_encoding(options_.scale() ? x * std::sqrt(static_cast<double>(options_.d_model())) : x);
  }
  InputEmbeddingOptions options_;
  TokenEmbedding token_embedding;
  PositionalEncoding pos_encoding;
};
MINI_MODULE(InputEmbedding);

}  // namespace mini::nn
