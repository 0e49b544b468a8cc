#include "etude/explain/detail/event.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "etude/core/detail/dispatch.h"
#include "etude/core/detail/loops.h"
#include "etude/core/error.h"

namespace etude::detail {

TensorForm form_of(const Tensor& t) {
  TensorForm form;
  if (!t.defined()) return form;
  const TensorImpl& i = impl(t);
  form.dtype = i.dtype;
  form.sizes.assign(i.sizes.begin(), i.sizes.end());
  form.numel = i.numel;
  form.bytes = i.numel == 0 ? 0 : static_cast<double>(elementSize(i.dtype));
  for (int64_t d = 0; d < i.sizes.size() && i.numel > 0; ++d)
    if (i.strides[d] != 0) form.bytes *= static_cast<double>(i.sizes[d]);
  form.tensor = &i;
  form.storage = i.storage.get();
  return form;
}

std::string text_of(const TensorForm& form, std::optional<ScalarType>& dtype_before) {
  if (!form.dtype) return "none";
  std::string text;
  if (form.dtype != dtype_before) {
    const std::string python = row_of(*form.dtype).python_name;
    text = python.substr(python.find('.') + 1) + " ";
  }
  dtype_before = form.dtype;
  return text + "[" + Join(", ", form.sizes) + "]";
}

std::string text_of(const std::vector<TensorForm>& forms) {
  std::string text;
  std::optional<ScalarType> before;
  for (const TensorForm& form : forms) text += (text.empty() ? "" : " ") + text_of(form, before);
  return text;
}

namespace {

void add(Statistics& n, double value) {
  if (std::isnan(value)) {
    ++n.nans;
  } else if (std::isinf(value)) {
    ++n.infs;
  } else {
    n.min = std::min(n.min, value);
    n.max = std::max(n.max, value);
    n.sum += value;
  }
}

// On one thread, in the order of the elements: the bits of the sum depend on it.
template <typename T>
void add_all(Statistics& n, const TensorImpl& t) {
  const auto w = make_walk<1>(t.sizes, {t.strides});
  const int64_t step = w.stride(0);
  for_each_row<1>(w, /*grain=*/w.count, [&](const auto& at, int64_t count) {
    const T* const row = t.data<T>() + at[0];
    for (int64_t i = 0; i < count; ++i) add(n, static_cast<double>(row[i * step]));
  });
}

}  // namespace

Statistics numbers_of(const Tensor& t) {
  Statistics n;
  if (!t.defined()) return n;
  const TensorImpl& i = impl(t);
  n.count = i.numel;
  dispatch(i.dtype, [&](auto zero) { add_all<decltype(zero)>(n, i); });
  return n;
}

std::string text_of(const Statistics& n) {
  std::string text;
  const auto odd = [&](int64_t count, const char* what) {
    if (count > 0)
      text +=
          (text.empty() ? "" : ", ") + std::to_string(count) + " of " + std::to_string(n.count) + " " + what;
  };
  odd(n.nans, "nan");
  odd(n.infs, "inf");
  if (n.nans + n.infs == n.count) return text;
  return text + (text.empty() ? "" : ", ") + formatted("min %.4g", n.min) +
         formatted(" mean %.4g", n.mean()) + formatted(" max %.4g", n.max);
}

std::string formatted(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string with_prefix(double value, const char* unit) {
  constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  size_t prefix = 0;
  for (; value >= 999.5 && prefix + 1 < std::size(kPrefixes); ++prefix) value /= 1000;
  const bool whole = prefix == 0 && value == std::floor(value);
  return formatted(whole ? "%.0f " : "%.3g ", value) + kPrefixes[prefix] + unit;
}

}  // namespace etude::detail
