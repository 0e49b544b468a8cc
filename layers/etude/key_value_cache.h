#pragma once

#include <exception>

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
    /// A copy has memory of its own.
    Layer(const Layer& other)
        : keys_(other.keys_.clone()), values_(other.values_.clone()), length_(other.length_) {}
    Layer(Layer&&) = default;
    Layer& operator=(Layer other) noexcept {
      keys_ = std::move(other.keys_);
      values_ = std::move(other.values_);
      length_ = other.length_;
      return *this;
    }
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

  /// If an exception ends this scope, the cache forgets the tokens that some layers got in it and others did not.
  class ETUDE_API Attempt {
   public:
    explicit Attempt(KeyValueCache* cache) : cache_(cache), length_(cache ? cache->length() : 0) {}
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;
    ~Attempt() {
      if (cache_ && std::uncaught_exceptions() > exceptions_) cache_->shorten(length_);
    }

   private:
    KeyValueCache* cache_;
    int64_t length_;
    int exceptions_ = std::uncaught_exceptions();
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
  void clear() { shorten(0); }
  /// Removes all tokens but the first `length`.
  void shorten(int64_t length) {
    for (Layer& layer : layers_)
      if (layer.length_ > length) layer.length_ = length;
  }
  /// Replaces sequence i by the former sequence `rows[i]`: int64 [batch].
  void reorder(const Tensor& rows);

 private:
  std::vector<Layer> layers_;
  int64_t capacity_;
};

}  // namespace etude::nn
