#include "etude/key_value_cache.h"

namespace etude::nn {

KeyValueCache::Layer::Layer(int64_t batch, int64_t heads, int64_t capacity, int64_t head_width,
                            ScalarType dtype)
    : keys_(etude::empty({batch, heads, capacity, head_width}, dtype)), values_(etude::empty_like(keys_)) {}

void KeyValueCache::Layer::check_fits(const Tensor& t, const char* what) const {
  ETUDE_CHECK(t.dim() == 4 && t.size(0) == keys_.size(0) && t.size(1) == keys_.size(1) &&
                  t.size(3) == keys_.size(3) &&
                  promote_types(t.scalar_type(), keys_.scalar_type()) == keys_.scalar_type(),
              "the key-value cache takes ", what, " of sizes [", keys_.size(0), ", ", keys_.size(1),
              ", tokens, ", keys_.size(3), "] in ", dtype_name(keys_.scalar_type()), ", but got ", t.sizes(),
              " in ", dtype_name(t.scalar_type()));
}

std::pair<Tensor, Tensor> KeyValueCache::Layer::append(const Tensor& keys, const Tensor& values) {
  ETUDE_CHECK(!GradMode::is_enabled(),
              "a key-value cache holds no graph\nhint: generate under NoGradGuard, or call without a cache");
  check_fits(keys, "keys");
  check_fits(values, "values");
  const int64_t tokens = keys.size(2), capacity = keys_.size(2);
  ETUDE_CHECK(values.size(2) == tokens, "as many values as keys are expected, but got ", values.size(2),
              " and ", tokens);
  ETUDE_CHECK(length_ + tokens <= capacity, "the key-value cache has room for ", capacity, " tokens, but ",
              length_ + tokens, " are needed");
  keys_.narrow(2, length_, tokens).copy_(keys);
  values_.narrow(2, length_, tokens).copy_(values);
  length_ += tokens;
  return all();
}

KeyValueCache::KeyValueCache(int64_t layers, int64_t batch, int64_t heads, int64_t capacity,
                             int64_t head_width, ScalarType dtype)
    : capacity_(capacity) {
  for (int64_t i = 0; i < layers; ++i) layers_.emplace_back(batch, heads, capacity, head_width, dtype);
}

KeyValueCache::Layer& KeyValueCache::layer(size_t index, size_t layers) {
  ETUDE_CHECK(layers == layers_.size() && index < layers, "the key-value cache has ", layers_.size(),
              " layers, but the model has ", layers, "\nhint: a model's make_cache() makes one that fits");
  return layers_[index];
}

void KeyValueCache::reorder(const Tensor& rows) {
  for (Layer& layer : layers_) {
    ETUDE_CHECK(rows.dim() == 1 && rows.size(0) == layer.keys_.size(0), "the key-value cache holds ",
                layer.keys_.size(0), " sequences, but the order has sizes ", rows.sizes());
    if (layer.length_ == 0) continue;
    for (Tensor* t : {&layer.keys_, &layer.values_}) {
      const Tensor used = t->narrow(2, 0, layer.length_);
      used.copy_(used.index_select(0, rows));
    }
  }
}

}  // namespace etude::nn
