#include "support/example.h"

/// # Into a tensor that is there
///
/// Forms that write their result to a tensor `out`, which keeps its dtype and gets the sizes of the result.
/// Nothing is recorded.

/// The out form of what works element by element: the result has to be one that can be cast to the dtype of out.
///
/// - Shapes: as the function without `_out`; out becomes as large
/// - Errors: `result type Float can't be cast to the desired output type Long`; those of the function; `add(): functions with
///   out=... arguments don't support automatic differentiation, but one of the arguments requires grad.`
EXAMPLE(etude::add_out, etude::sub_out, etude::mul_out, etude::div_out, etude::pow_out, etude::maximum_out,
        etude::minimum_out, etude::max_out, etude::min_out, etude::floor_divide_out, etude::remainder_out,
        etude::fmod_out, etude::atan2_out, etude::arctan2_out) {
  Tensor out = etude::empty({0}), numbers = etude::empty({0}, etude::kLong);
  const Tensor a = etude::tensor({1.0, 2.0}), b = etude::tensor({3.0, 0.5});
  print(etude::add_out(out, a, b));
  etude::maximum_out(out, a, b);
  print(out);
  print(examples::message_of([&] { etude::add_out(numbers, a, b); }));
}

/// The results are written as bools or as numbers, as the dtype of out says.
///
/// - Shapes: as the function without `_out`; out becomes as large
/// - Errors: those of the function.
EXAMPLE(etude::eq_out, etude::ne_out, etude::lt_out, etude::le_out, etude::gt_out, etude::ge_out,
        etude::logical_and_out, etude::logical_or_out, etude::logical_xor_out, etude::logical_not_out,
        etude::bitwise_and_out, etude::bitwise_or_out, etude::bitwise_xor_out, etude::bitwise_not_out) {
  Tensor out = etude::empty({0}), bools = etude::empty({0}, etude::kBool);
  const Tensor a = etude::tensor({1, 2}), b = etude::tensor({2, 2});
  print(etude::eq_out(out, a, b), etude::lt_out(bools, a, b));
}

/// Functions of one tensor; `addcmul_out` and `addcdiv_out` take three, `lerp_out` two or three.
///
/// - Shapes: x [*] and tensors that broadcast with it, out [*] of any size -> [*]
/// - Errors: `result type Float can't be cast to the desired output type Long`; of `neg`, `sign`, `floor`, `ceil`, `round`,
///   `trunc`, `abs`, `frac` and `clamp`, `Found dtype Long but expected Float`.
EXAMPLE(etude::exp_out, etude::expm1_out, etude::log_out, etude::log1p_out, etude::log2_out, etude::sqrt_out,
        etude::rsqrt_out, etude::reciprocal_out, etude::sin_out, etude::cos_out, etude::tan_out,
        etude::tanh_out, etude::sigmoid_out, etude::erf_out, etude::erfinv_out, etude::neg_out,
        etude::sign_out, etude::floor_out, etude::ceil_out, etude::round_out, etude::trunc_out,
        etude::abs_out, etude::clamp_out, etude::clip_out, etude::frac_out, etude::addcmul_out,
        etude::addcdiv_out, etude::lerp_out, etude::sinh_out, etude::cosh_out, etude::asin_out,
        etude::acos_out, etude::atan_out, etude::asinh_out, etude::acosh_out, etude::atanh_out,
        etude::arcsin_out, etude::arccos_out, etude::arctan_out, etude::arcsinh_out, etude::arccosh_out,
        etude::arctanh_out) {
  Tensor out = etude::empty({0}), numbers = etude::empty({0}, etude::kLong);
  const Tensor x = etude::tensor({-1.5, 4.0});
  print(etude::abs_out(out, x));
  print(etude::clamp_out(out, x, 0.0, 1.0));
  print(examples::message_of([&] { etude::abs_out(numbers, x); }));
}

/// Writes the result to out, which has to have the dtype of the result.
///
/// - Shapes: as the function without `_out`; out becomes as large
/// - Errors: `Expected out tensor to have dtype float, but got long int instead`; those of the function.
EXAMPLE(etude::matmul_out, etude::mm_out, etude::bmm_out, etude::addmm_out, etude::mv_out, etude::softmax_out,
        etude::log_softmax_out, etude::gather_out, etude::tril_out, etude::triu_out, etude::argmax_out,
        etude::argmin_out, etude::diag_out, etude::cross_out, etude::linalg_cross_out,
        etude::upsample_nearest1d_out, etude::upsample_nearest2d_out, etude::upsample_linear1d_out,
        etude::upsample_bilinear2d_out) {
  Tensor out = etude::empty({0}), numbers = etude::empty({0}, etude::kLong);
  const Tensor x = etude::tensor({{1.0, 2.0}, {3.0, 4.0}});
  print(etude::mm_out(out, x, x));
  print(etude::argmax_out(numbers, x));
  print(examples::message_of([&] { etude::mm_out(numbers, x, x); }));
}

/// Several tensors as one.
///
/// - Shapes: as the function without `_out`; out becomes as large
/// - Errors: `torch.cat(): input types can't be cast to the desired output type Long`; those of the function.
EXAMPLE(etude::cat_out, etude::stack_out, etude::hstack_out, etude::vstack_out) {
  Tensor out = etude::empty({0}), numbers = etude::empty({0}, etude::kLong);
  const Tensor a = etude::tensor({1.0, 2.0});
  print(etude::cat_out(out, {a, a}));
  print(examples::message_of([&] { etude::stack_out(numbers, {a, a}); }));
}

/// These compute with the dtype of out, unless told another; `amax` and `amin` have that of their input.
///
/// - Shapes: as the function without `_out`; out becomes as large
/// - Errors: `Expected the dtype for input and out to match, but got Float for input's dtype and Long for out's dtype.` from
///   `amax_out` and `amin_out`; those of the function.
EXAMPLE(etude::sum_out, etude::mean_out, etude::prod_out, etude::cumsum_out, etude::cumprod_out,
        etude::amax_out, etude::amin_out) {
  Tensor out = etude::empty({0}), numbers = etude::empty({0}, etude::kLong);
  const Tensor x = etude::tensor({{1.0, 2.0}, {3.0, 4.0}});
  print(etude::sum_out(out, x, 0), etude::sum_out(numbers, x, 1));
  print(examples::message_of([&] { etude::amax_out(numbers, x); }));
}

/// Places in a sequence: out is int64, or int32 if `out_int32`.
///
/// - Shapes: as the function without `_out`; out becomes as large
/// - Errors: `torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on whether
///   out_int32 flag is True, but we got output tensor's dtype Float and out_int32 flag is False`; those of the function.
EXAMPLE(etude::searchsorted_out, etude::bucketize_out) {
  Tensor out = etude::empty({0}, etude::kLong);
  const Tensor steps = etude::tensor({1.0, 2.0, 3.0}), x = etude::tensor({2.5, 1.0});
  print(etude::searchsorted_out(out, steps, x));
  print(etude::bucketize_out(out, x, steps, false, true));
}

/// Values, in a tensor of the dtype of self, and their indices, in one of int64. Both are returned.
///
/// - Shapes: as the function without `_out`; values and indices become as large
/// - Errors: `expected scalar_type Float but found Long`, and of medians `Expected tensor for argument #1 'indices' to have scalar
///   type Long; but got CPUFloatType instead (while checking arguments for median)`; those of the function.
EXAMPLE(etude::cummax_out, etude::cummin_out, etude::median_out, etude::nanmedian_out) {
  Tensor values = etude::empty({0}), indices = etude::empty({0}, etude::kLong);
  const Tensor x = etude::tensor({1.0, 3.0, 2.0});
  etude::cummax_out(values, indices, x, 0);
  print(values, indices);
  Tensor middle = etude::empty({0}), place = etude::empty({0}, etude::kLong);
  etude::median_out(middle, place, x, 0);
  print(middle, place);
  print(examples::message_of([&] { etude::cummin_out(indices, indices, x, 0); }));
}

/// New elements of the dtype of out.
///
/// - Shapes: sizes -> [*sizes]; of ranges [as many as there are]
/// - Errors: `numel: integer multiplication overflow` where a size is negative; those of the function.
EXAMPLE(etude::empty_out, etude::zeros_out, etude::ones_out, etude::full_out, etude::rand_out,
        etude::randn_out, etude::arange_out, etude::linspace_out, etude::eye_out) {
  Tensor out = etude::empty({0}), numbers = etude::empty({0}, etude::kLong);
  print(etude::zeros_out(out, {2}), etude::arange_out(numbers, 3));
  print(etude::empty_out(out, {2}).sizes());
}
