#pragma once

#include "etude/framework.h"

namespace etude::nn {

/// The keys and values of sequences that are being generated, so that each token goes through the model only once.
class ETUDE_API KeyValueCache {
 public:
  /// The part of one attention layer.
  class ETUDE_API Layer {
   public:
    /// Room for `capacity` tokens of `batch` sequences.
    Layer(int64_t batch, int64_t heads, int64_t capacity, int64_t head_width, ScalarType dtype);
    /// Appends keys and values [batch, heads, tokens, head_width] and returns all so far. Throws if there is
    /// no room left, or if gradients are recorded.
    std::pair<Tensor, Tensor> append(const Tensor& keys, const Tensor& values);
    /// All keys and values so far.
    std::pair<Tensor, Tensor> all() const {
      return {keys_.narrow(2, 0, length_), values_.narrow(2, 0, length_)};
    }
    /// Tokens held.
    int64_t length() const { return length_; }

   private:
    friend class KeyValueCache;
    void check_fits(const Tensor& t, const char* what) const;
    Tensor keys_, values_;  // [batch, heads, capacity, head_width]
    int64_t length_ = 0;
  };

  /// Room for `capacity` tokens of `batch` sequences in a model of `layers` layers.
  KeyValueCache(int64_t layers, int64_t batch, int64_t heads, int64_t capacity, int64_t head_width,
                ScalarType dtype = kFloat);

  /// The layer at `index` of a model of `layers` layers. Throws if the cache has another number of layers.
  Layer& layer(size_t index, size_t layers);
  /// Tokens held.
  int64_t length() const { return layers_.empty() ? 0 : layers_.front().length(); }
  /// The maximum number of tokens.
  int64_t capacity() const { return capacity_; }
  /// Removes all tokens.
  void clear() {
    for (Layer& layer : layers_) layer.length_ = 0;
  }
  /// Replaces sequence i by the former sequence `rows`[i]: int64 [batch].
  void reorder(const Tensor& rows);

 private:
  std::vector<Layer> layers_;
  int64_t capacity_;
};

}  // namespace etude::nn
