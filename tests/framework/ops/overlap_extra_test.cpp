// In-place ops that read the memory they write. LibTorch throws if source and destination overlap partially.
#include <doctest/doctest.h>

#include "etude/core/shape.h"
#include "etude/ops/assorted.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("overlap, beyond LibTorch") {
  namespace {

  Tensor counted(IntArrayRef sizes) { return etude::arange(count_elements(sizes), kFloat).reshape(sizes); }

  }  // namespace

  TEST_CASE("index_put_ reads its value before it writes, where both share memory") {
    Tensor y = counted({5});
    y.index_put_({etude::tensor({1, 2, 3, 4})}, y.slice(0, 0, 4));
    CHECK(same(y, etude::tensor({0., 0., 1., 2., 3.})));
    Tensor ids = etude::tensor({4, 0, 1, 2, 3});
    ids.index_put_({ids}, etude::tensor({10, 11, 12, 13, 14}));
    CHECK(same(ids, etude::tensor({11, 12, 13, 14, 10})));
  }

  TEST_CASE("an op in place reads its operands before it writes over them") {
    Tensor x = etude::arange(6, kDouble);
    x.slice(0, 1, 6).add_(x.slice(0, 0, 5));
    CHECK(equal(x, etude::tensor({0, 1, 3, 5, 7, 9}, kDouble)));
    Tensor m = etude::arange(9, kDouble).reshape({3, 3});
    m.mul_(m.t());
    CHECK(equal(m, etude::tensor({{0, 3, 12}, {3, 16, 35}, {12, 35, 64}}, kDouble)));
    Tensor s = etude::arange(4, kDouble);
    s.sub_(s);
    CHECK(equal(s, etude::zeros({4}, kDouble)));
    Tensor r = etude::arange(1, 5, kDouble);
    r.div_(r[0].add(r[3]));
    CHECK(equal(r, etude::tensor({0.2, 0.4, 0.6, 0.8}, kDouble)));
    Tensor f = etude::arange(1, 4, kDouble);
    f.mul_(f[1]);
    CHECK(equal(f, etude::tensor({2, 4, 6}, kDouble)));
    const Tensor a = etude::arange(1, 6, kDouble), angles = atan2(a.slice(0, 1, 5), a.slice(0, 0, 4));
    a.slice(0, 1, 5).atan2_(a.slice(0, 0, 4));
    CHECK(equal(a.slice(0, 1, 5), angles));
  }

  TEST_CASE("masked_fill_ reads its mask and its value before it writes over them") {
    const Tensor flags = etude::tensor({true, false, true, true});
    flags.slice(0, 1, 4).masked_fill_(flags.slice(0, 0, 3), true);
    CHECK(same(flags, etude::tensor({true, true, true, true})));
    const Tensor x = etude::tensor({1., 2., 3.});
    x.masked_fill_(etude::tensor(true), x[2]);
    CHECK(same(x, etude::tensor({3., 3., 3.})));
    const Tensor mask = etude::tensor({true, false});
    mask.masked_fill_(mask, false);
    CHECK(same(mask, etude::tensor({false, false})));
  }

  TEST_CASE("copy_ moves within one memory") {
    const Tensor line = etude::arange(5);
    line.slice(0, 1, 5).copy_(line.slice(0, 0, 4));
    CHECK(same(line, etude::tensor({0, 0, 1, 2, 3})));
  }

  TEST_CASE("the source of index_copy_, index_put_ and scatter_ may be the tensor itself") {
    const Tensor own = etude::tensor({1., 2., 3.});
    own.index_copy_(0, etude::tensor({1, 2, 0}), own);
    CHECK(same(own, etude::tensor({3., 1., 2.})));
    const Tensor itself = etude::tensor({1., 2.});
    CHECK(same(itself.index_put_({etude::tensor({1, 1})}, itself, true), etude::tensor({1., 5.})));
    const Tensor turned = etude::tensor({1., 2., 3.});
    turned.scatter_(0, etude::tensor({2, 0, 1}), turned);
    CHECK(same(turned, etude::tensor({2., 3., 1.})));
  }

  TEST_CASE("scatter reads ids that it overwrites as they were before") {
    const Tensor y = etude::tensor({1, 2, 0});
    y.scatter_(0, y, 1);
    CHECK(equal(y, etude::tensor({1, 1, 1})));
    const Tensor z = etude::tensor({2, 0, 1});
    z.scatter_(0, z, 5);
    CHECK(equal(z, etude::tensor({5, 5, 5})));
  }
}
