#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "etude/core/error.h"

namespace etude {

/// A dictionary that keeps the order in which its keys were inserted, as Python's OrderedDict does
/// (torch::OrderedDict). Keys are unique. Inserting and erasing invalidate iterators and references to values.
template <typename Key, typename Value>
class OrderedDict {
 public:
  /// A key and its value: `item.key()`, `item.value()`, `*item`, `item->`.
  class Item {
   public:
    Item(Key key, Value value) : pair_(std::move(key), std::move(value)) {}
    const Key& key() const noexcept { return pair_.first; }
    Value& value() noexcept { return pair_.second; }
    const Value& value() const noexcept { return pair_.second; }
    Value& operator*() { return value(); }
    const Value& operator*() const { return value(); }
    Value* operator->() { return &value(); }
    const Value* operator->() const { return &value(); }
    const std::pair<Key, Value>& pair() const noexcept { return pair_; }

   private:
    std::pair<Key, Value> pair_;
  };

  using Iterator = typename std::vector<Item>::iterator;
  using ConstIterator = typename std::vector<Item>::const_iterator;

  /// `key_description` is the word for a key in error messages such as "Parameter 'weight' already defined".
  explicit OrderedDict(std::string key_description = "Key") : key_description_(std::move(key_description)) {}
  OrderedDict(std::initializer_list<Item> items) {
    reserve(items.size());
    for (const Item& item : items) insert(item.key(), item.value());
  }

  const std::string& key_description() const noexcept { return key_description_; }
  size_t size() const noexcept { return items_.size(); }
  bool is_empty() const noexcept { return items_.empty(); }
  bool contains(const Key& key) const noexcept { return find(key) != nullptr; }

  /// The value of a key, or null.
  Value* find(const Key& key) noexcept { return const_cast<Value*>(std::as_const(*this).find(key)); }
  const Value* find(const Key& key) const noexcept {
    const auto found = index_.find(key);
    return found == index_.end() ? nullptr : &items_[found->second].value();
  }

  /// The value of a key. Throws if there is none.
  Value& operator[](const Key& key) { return const_cast<Value&>(std::as_const(*this)[key]); }
  const Value& operator[](const Key& key) const {
    const Value* value = find(key);
    ETUDE_CHECK(value, key_description_, " '", key, "' is not defined");
    return *value;
  }

  /// The item at a position. Throws if there is none.
  Item& operator[](size_t index) { return const_cast<Item&>(std::as_const(*this)[index]); }
  const Item& operator[](size_t index) const {
    ETUDE_CHECK(index < size(), "Index ", index, " is out of bounds");
    return items_[index];
  }

  Item& front() { return const_cast<Item&>(std::as_const(*this).front()); }
  const Item& front() const {
    ETUDE_CHECK(!is_empty(), "Called front() on an empty OrderedDict");
    return items_.front();
  }
  Item& back() { return const_cast<Item&>(std::as_const(*this).back()); }
  const Item& back() const {
    ETUDE_CHECK(!is_empty(), "Called back() on an empty OrderedDict");
    return items_.back();
  }

  Iterator begin() { return items_.begin(); }
  Iterator end() { return items_.end(); }
  ConstIterator begin() const { return items_.begin(); }
  ConstIterator end() const { return items_.end(); }

  void reserve(size_t capacity) {
    items_.reserve(capacity);
    index_.reserve(capacity);
  }

  /// Appends a key and its value and returns the value. Throws if the key exists already.
  Value& insert(Key key, Value value) {
    ETUDE_CHECK(!contains(key), key_description_, " '", key, "' already defined");
    index_.emplace(key, items_.size());
    items_.emplace_back(std::move(key), std::move(value));
    return items_.back().value();
  }

  /// Appends every item of `other`. Throws at the first key that exists already.
  void update(const OrderedDict& other) {
    reserve(size() + other.size());
    for (const Item& item : other) insert(item.key(), item.value());
  }
  void update(OrderedDict&& other) {
    reserve(size() + other.size());
    for (Item& item : other) insert(item.key(), std::move(item.value()));
  }

  /// Removes a key; later items move up. Throws if the key is missing.
  void erase(const Key& key) {
    const auto found = index_.find(key);
    ETUDE_CHECK(found != index_.end(), "Key '", key, "' doesn't exist");
    const size_t gone = found->second;
    index_.erase(found);
    items_.erase(items_.begin() + static_cast<typename std::vector<Item>::difference_type>(gone));
    for (auto& [other_key, position] : index_)
      if (position > gone) --position;
  }

  void clear() {
    index_.clear();
    items_.clear();
  }

  const std::vector<Item>& items() const noexcept { return items_; }

  std::vector<Key> keys() const {
    std::vector<Key> keys;
    keys.reserve(size());
    for (const Item& item : items_) keys.push_back(item.key());
    return keys;
  }
  std::vector<Value> values() const {
    std::vector<Value> values;
    values.reserve(size());
    for (const Item& item : items_) values.push_back(item.value());
    return values;
  }
  std::vector<std::pair<Key, Value>> pairs() const {
    std::vector<std::pair<Key, Value>> pairs;
    pairs.reserve(size());
    for (const Item& item : items_) pairs.push_back(item.pair());
    return pairs;
  }

  /// Whether both hold the same keys and values in the same order.
  friend bool operator==(const OrderedDict& a, const OrderedDict& b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (!(a.items_[i].pair() == b.items_[i].pair())) return false;
    return true;
  }

 private:
  std::vector<Item> items_;
  std::unordered_map<Key, size_t> index_;  // the position of each key in items_
  std::string key_description_ = "Key";
};

}  // namespace etude
