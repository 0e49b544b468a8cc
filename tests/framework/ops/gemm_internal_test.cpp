// The kernels of matrix products, step by step.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "etude/core/restoring.h"
#include "etude/framework.h"
#include "support/processor.h"

using namespace etude;

TEST_SUITE("matrix products, inside") {
  namespace {

  // (beta start + s_0) + s_1 + ..., where s_p is the sequential sum of the p-th 512 products.
  template <typename T>
  T sum_of_products(const std::vector<T>& a, const std::vector<T>& b, T start) {
    for (size_t from = 0; from < a.size(); from += 512) {
      T sum = 0;
      for (size_t k = from; k < std::min(a.size(), from + 512); ++k) {
        const T product = a[k] * b[k];
        sum = detail::has_fma() ? std::fma(a[k], b[k], sum) : sum + product;
      }
      start += sum;
    }
    return start;
  }

  // Checks that y = 2 row + 0.3 a b in these steps. a and b may have any layout.
  template <typename T>
  void check_steps(const Tensor& a, const Tensor& b, const Tensor& row, const Tensor& y) {
    const Tensor in_rows = a.contiguous(), in_columns = b.t().contiguous();
    const int64_t depth = a.size(1);
    std::vector<T> x(static_cast<size_t>(depth)), z(x);
    for (int64_t i = 0; i < a.size(0); ++i)
      for (int64_t j = 0; j < b.size(1); ++j) {
        const T *const from = in_rows.data_ptr<T>() + i * depth, *const with =
                                                                     in_columns.data_ptr<T>() + j * depth;
        for (int64_t k = 0; k < depth; ++k) x[static_cast<size_t>(k)] = T(0.3) * from[k];
        z.assign(with, with + depth);
        REQUIRE(y.data_ptr<T>()[i * b.size(1) + j] == sum_of_products(x, z, T(2) * row.data_ptr<T>()[j]));
      }
  }

  Tensor wave(IntArrayRef sizes, double phase, ScalarType type) {
    int64_t n = 1;
    for (const int64_t s : sizes) n *= s;
    return sin(etude::arange(n, kDouble) * 0.7 + phase).view(sizes).to(type);
  }

  struct Sizes {
    int64_t rows, depth, columns;
  };
  // Smaller than a tile, one tile, several tiles and a rest; more than one block in each direction; parts of sixteen threads in one
  // direction and in both.
  const Sizes kSizes[] = {{1, 530, 45}, {3, 5, 20},      {8, 16, 32}, {6, 33, 16},   {5, 514, 7},
                          {71, 40, 67}, {13, 1030, 150}, {970, 9, 9}, {66, 41, 100}, {9, 50, 650}};

  }  // namespace

  TEST_CASE_TEMPLATE("every element is the same steps in every form, layout and number of threads", T, float,
                     double) {
    const onednn::EnabledGuard plain(false);
    const auto type = TypeMeta::Make<T>();
    for (const Sizes& s : kSizes)
      for (const bool turned_a : {false, true})
        for (const bool turned_b : {false, true}) {
          CAPTURE(s.rows);
          CAPTURE(turned_a);
          CAPTURE(turned_b);
          const Tensor a = turned_a ? wave({s.depth, s.rows}, 0, type).t() : wave({s.rows, s.depth}, 0, type),
                       b = turned_b ? wave({s.columns, s.depth}, 1, type).t()
                                    : wave({s.depth, s.columns}, 1, type),
                       row = wave({s.columns}, 2, type);
          for (const detail::Isa most : kProcessors) {
            const ProcessorGuard guard(most);
            const Tensor y = addmm(row, a, b, 2, 0.3);
            check_steps<T>(a, b, row, y);
            for (const int count : {3, 16}) {
              const detail::Restoring<get_num_threads, set_num_threads> threads(count);
              CHECK(equal(addmm(row, a, b, 2, 0.3), y));
              CHECK(equal(addmm(row.expand(y.sizes()).contiguous(), a, b, 2, 0.3), y));
            }
          }
        }
  }

  TEST_CASE_TEMPLATE("a row times columns is within rounding, whoever multiplies", T, float, double) {
    const auto type = TypeMeta::Make<T>();
    for (const int64_t depth : {1, 31, 64, 777}) {
      const Tensor a = wave({1, depth}, 0, type), b = wave({40, depth}, 1, type).t(),
                   row = wave({40}, 2, type),
                   right = 0.3 * (a.to(kDouble) * b.t()).sum(1) + 2 * row.to(kDouble);
      for (const bool fast : {false, true}) {
        const onednn::EnabledGuard guard(fast);
        for (const detail::Isa most : kProcessors) {
          const ProcessorGuard form(most);
          CHECK(addmm(row, a, b, 2, 0.3)[0].to(kDouble).allclose(right, 1e-5, 1e-5));
        }
      }
    }
  }

  TEST_CASE("few rows of bfloat16 are a float32 product of the same numbers, rounded once") {
    for (const int64_t rows : {1, 3, 8})
      for (const Sizes s : {Sizes{rows, 1, 31}, {rows, 31, 1}, {rows, 33, 33}, {rows, 777, 517}})
        for (const bool turned : {false, true})
          for (const bool fast : {false, true}) {
            CAPTURE(rows);
            CAPTURE(s.depth);
            CAPTURE(turned);
            CAPTURE(fast);
            const onednn::EnabledGuard backend(fast);
            const Tensor a = wave({s.rows, s.depth}, 0, kBFloat16), row = wave({s.columns}, 2, kBFloat16),
                         b = turned ? wave({s.columns, s.depth}, 1, kBFloat16).t()
                                    : wave({s.depth, s.columns}, 1, kBFloat16),
                         full = wave({s.rows, s.columns}, 3, kBFloat16);
            const auto products = [&](ScalarType type) {
              const Tensor x = a.to(type), y = b.to(type), z = row.to(type);
              return std::vector<Tensor>{x.mm(y), addmm(z, x, y), addmm(z, x, y, 2, 0.3),
                                         addmm(full.to(type), x, y, 0.5, -2)};
            };
            const std::vector<Tensor> right = products(kDouble);
            for (const detail::Isa most : kProcessors) {
              const ProcessorGuard form(most);
              const std::vector<Tensor> found = products(kBFloat16), in_float = products(kFloat);
              const detail::Restoring<get_num_threads, set_num_threads> threads(3);
              const std::vector<Tensor> by_three = products(kBFloat16);
              for (size_t i = 0; i < found.size(); ++i) {
                CHECK(equal(found[i], by_three[i]));
                if (!fast && !turned) CHECK(equal(found[i], in_float[i].to(kBFloat16)));
                CHECK(((found[i] - right[i]).abs() <= right[i].abs() * 0x1.01p-8 + 1e-5).all().item<bool>());
              }
            }
          }
  }

  TEST_CASE("wide instructions multiply and add in one, and so do ARM's") {
#if defined(__aarch64__)
    CHECK(detail::has_fma());
#endif
    for (const detail::Isa most : kProcessors) {
      const ProcessorGuard guard(most);
      if (detail::isa() != detail::Isa::Baseline) CHECK(detail::has_fma());
    }
  }

  // Tested only here, since LibTorch leaves it to its BLAS, and BLAS libraries differ.
  TEST_CASE("a factor of zero leaves the product out, infinities too") {
    for (const auto type : {kFloat, kDouble}) {
      const Tensor wild = etude::full({2, 2}, std::numeric_limits<double>::infinity(), type);
      CHECK(etude::equal(addmm(etude::ones({2, 2}, type), wild, wild, 1, 0), etude::ones({2, 2}, type)));
      CHECK(etude::equal(addmm(wild, wild, wild, 0, 0), etude::zeros({2, 2}, type)));
    }
  }
}
