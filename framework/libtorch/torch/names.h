#pragma once

// Only names that both LibTorch, 1.13 or 2.14, and Etude have. Names of Etude alone, such as nn::GPT, are left out, so that
// they do not clash with a program's own class after `using namespace torch::nn`.

#include <etude/etude.h>

namespace torch {
using etude::_pack_padded_sequence, etude::_pad_packed_sequence, etude::_unique, etude::_unique2, etude::abs,
    etude::abs_out, etude::absolute, etude::acos, etude::acos_out, etude::acosh, etude::acosh_out, etude::add,
    etude::add_out, etude::addcdiv, etude::addcdiv_out, etude::addcmul, etude::addcmul_out, etude::addmm,
    etude::addmm_out, etude::all, etude::allclose, etude::amax, etude::amax_out, etude::amin, etude::amin_out,
    etude::any, etude::arange, etude::arange_out, etude::arccos, etude::arccos_out, etude::arccosh,
    etude::arccosh_out, etude::arcsin, etude::arcsin_out, etude::arcsinh, etude::arcsinh_out, etude::arctan,
    etude::arctan2, etude::arctan2_out, etude::arctan_out, etude::arctanh, etude::arctanh_out, etude::argmax,
    etude::argmax_out, etude::argmin, etude::argmin_out, etude::argsort, etude::argwhere, etude::ArrayRef,
    etude::as_strided, etude::asin, etude::asin_out, etude::asinh, etude::asinh_out, etude::atan,
    etude::atan2, etude::atan2_out, etude::atan_out, etude::atanh, etude::atanh_out, etude::AutoGradMode,
    etude::bernoulli, etude::BFloat16, etude::binary_cross_entropy, etude::binary_cross_entropy_with_logits,
    etude::bitwise_and, etude::bitwise_and_out, etude::bitwise_not, etude::bitwise_not_out, etude::bitwise_or,
    etude::bitwise_or_out, etude::bitwise_xor, etude::bitwise_xor_out, etude::bmm, etude::bmm_out,
    etude::broadcast_tensors, etude::bucketize, etude::bucketize_out, etude::can_cast, etude::cat,
    etude::cat_out, etude::cdist, etude::ceil, etude::ceil_out, etude::celu, etude::celu_, etude::cholesky,
    etude::chunk, etude::clamp, etude::clamp_max, etude::clamp_min, etude::clamp_out, etude::clip,
    etude::clip_out, etude::clone, etude::col2im, etude::concat, etude::concatenate, etude::constant_pad_nd,
    etude::contiguous_strides, etude::conv1d, etude::conv2d, etude::convolution, etude::cos, etude::cos_out,
    etude::cosh, etude::cosh_out, etude::cosine_embedding_loss, etude::cosine_similarity,
    etude::count_nonzero, etude::CppTypeToScalarType, etude::cross, etude::cross_entropy_loss,
    etude::cross_out, etude::cummax, etude::cummax_out, etude::cummin, etude::cummin_out, etude::cumprod,
    etude::cumprod_out, etude::cumsum, etude::cumsum_out, etude::det, etude::Device, etude::device,
    etude::DeviceIndex, etude::DeviceType, etude::diag, etude::diag_out, etude::diagonal, etude::div,
    etude::div_out, etude::divide, etude::dot, etude::dropout, etude::dropout_, etude::dtype, etude::Dtype,
    etude::einsum, etude::elementSize, etude::elu, etude::elu_, etude::embedding, etude::embedding_renorm_,
    etude::empty, etude::empty_like, etude::empty_out, etude::eq, etude::eq_out, etude::equal, etude::erf,
    etude::erf_out, etude::erfinv, etude::erfinv_out, etude::Error, etude::exp, etude::exp_out,
    etude::ExpandingArray, etude::expm1, etude::expm1_out, etude::eye, etude::eye_out, etude::fill_,
    etude::fix, etude::flatten, etude::flip, etude::floor, etude::floor_divide, etude::floor_divide_out,
    etude::floor_out, etude::fmod, etude::fmod_out, etude::frac, etude::frac_out, etude::from_blob,
    etude::full, etude::full_like, etude::full_out, etude::gather, etude::gather_out, etude::ge,
    etude::ge_out, etude::gelu, etude::Generator, etude::ger, etude::get_default_dtype,
    etude::get_num_interop_threads, etude::get_num_threads, etude::glu, etude::GradMode, etude::greater,
    etude::greater_equal, etude::gru, etude::gru_cell, etude::gt, etude::gt_out, etude::Half,
    etude::hardshrink, etude::hardtanh, etude::hardtanh_, etude::hinge_embedding_loss, etude::hstack,
    etude::hstack_out, etude::huber_loss, etude::im2col, etude::index, etude::index_add, etude::index_copy,
    etude::index_fill, etude::index_put_, etude::index_select, etude::IndexError, etude::InferenceMode,
    etude::init_num_threads, etude::IntArrayRef, etude::inverse, etude::irange, etude::is_complex,
    etude::is_floating_point, etude::is_inference, etude::is_nonzero, etude::is_same_size, etude::is_signed,
    etude::isclose, etude::isfinite, etude::isFloatingType, etude::isinf, etude::isIntegralType, etude::isnan,
    etude::isSignedType, etude::IValue, etude::Join, etude::kArea, etude::kBatchMean, etude::kBFloat16,
    etude::kBicubic, etude::kBilinear, etude::kBool, etude::kByte, etude::kChar, etude::kCircular,
    etude::kComplexDouble, etude::kComplexFloat, etude::kConstant, etude::kCPU, etude::kCUDA, etude::kDouble,
    etude::kF16, etude::kF32, etude::kF64, etude::kFanIn, etude::kFanOut, etude::kFloat, etude::kFloat16,
    etude::kFloat32, etude::kFloat64, etude::kGELU, etude::kGRU, etude::kHalf, etude::kI16, etude::kI32,
    etude::kI64, etude::kI8, etude::kInt, etude::kInt16, etude::kInt32, etude::kInt64, etude::kInt8,
    etude::kl_div, etude::kLeakyReLU, etude::kLinear, etude::kLong, etude::kLSTM, etude::kMean,
    etude::kNearest, etude::kNearestExact, etude::kNone, etude::kReflect, etude::kReLU, etude::kReplicate,
    etude::kRNN_RELU, etude::kRNN_TANH, etude::kSame, etude::kShort, etude::kSigmoid, etude::kStrided,
    etude::kSum, etude::kTanh, etude::kTrilinear, etude::kU8, etude::kUInt8, etude::kValid, etude::kZeros,
    etude::l1_loss, etude::layer_norm, etude::Layout, etude::layout, etude::le, etude::le_out,
    etude::leaky_relu, etude::leaky_relu_, etude::lerp, etude::lerp_out, etude::less, etude::less_equal,
    etude::linalg_cholesky, etude::linalg_cross, etude::linalg_cross_out, etude::linalg_det,
    etude::linalg_eigh, etude::linalg_inv, etude::linalg_pinv, etude::linalg_qr, etude::linalg_slogdet,
    etude::linalg_solve, etude::linalg_svd, etude::linear, etude::linear_out, etude::linspace,
    etude::linspace_out, etude::List, etude::load, etude::log, etude::log1p, etude::log1p_out, etude::log2,
    etude::log2_out, etude::log_out, etude::log_sigmoid, etude::log_softmax, etude::log_softmax_out,
    etude::logdet, etude::logical_and, etude::logical_and_out, etude::logical_not, etude::logical_not_out,
    etude::logical_or, etude::logical_or_out, etude::logical_xor, etude::logical_xor_out, etude::logsumexp,
    etude::lstm, etude::lstm_cell, etude::lt, etude::lt_out, etude::make_tempfile, etude::make_unique,
    etude::manual_seed, etude::margin_ranking_loss, etude::masked_fill, etude::masked_select, etude::matmul,
    etude::matmul_out, etude::matrix_exp, etude::max, etude::max_out, etude::maximum, etude::maximum_out,
    etude::mean, etude::mean_out, etude::median, etude::median_out, etude::meshgrid, etude::min,
    etude::min_out, etude::minimum, etude::minimum_out, etude::mish, etude::mish_, etude::mm, etude::mm_out,
    etude::mse_loss, etude::mul, etude::mul_out, etude::multinomial, etude::multiply, etude::mv,
    etude::mv_out, etude::nanmedian, etude::nanmedian_out, etude::narrow, etude::ne, etude::ne_out,
    etude::neg, etude::neg_out, etude::negative, etude::nll_loss, etude::NoGradGuard, etude::nonzero,
    etude::nonzero_numpy, etude::norm, etude::normal, etude::not_equal, etude::NotImplementedError,
    etude::nullopt, etude::nullopt_t, etude::numel, etude::one_hot, etude::ones, etude::ones_like,
    etude::ones_out, etude::optional, etude::OptionalIntArrayRef, etude::OrderedDict, etude::outer,
    etude::pad, etude::pad_sequence, etude::pairwise_distance, etude::parallel_for, etude::permute,
    etude::pickle_load, etude::pickle_save, etude::pinverse, etude::poisson_nll_loss, etude::polar,
    etude::pow, etude::pow_out, etude::prelu, etude::print, etude::prod, etude::prod_out,
    etude::promote_types, etude::qr, etude::rand, etude::rand_like, etude::rand_out, etude::randint,
    etude::randn, etude::randn_like, etude::randn_out, etude::randperm, etude::reciprocal,
    etude::reciprocal_out, etude::RecordFunction, etude::RecordScope, etude::reflection_pad1d,
    etude::reflection_pad2d, etude::reflection_pad3d, etude::relu, etude::relu6, etude::relu6_, etude::relu_,
    etude::remainder, etude::remainder_out, etude::repeat_interleave, etude::replication_pad1d,
    etude::replication_pad2d, etude::replication_pad3d, etude::requires_grad, etude::reshape,
    etude::result_type, etude::rms_norm, etude::rnn_relu, etude::rnn_relu_cell, etude::rnn_tanh,
    etude::rnn_tanh_cell, etude::roll, etude::round, etude::round_out, etude::row_stack, etude::rsqrt,
    etude::rsqrt_out, etude::rsub, etude::save, etude::Scalar, etude::scalar_tensor, etude::ScalarType,
    etude::scalarTypeToTypeMeta, etude::scaled_dot_product_attention, etude::scatter, etude::scatter_add,
    etude::searchsorted, etude::searchsorted_out, etude::select, etude::selu, etude::selu_,
    etude::set_default_dtype, etude::set_num_interop_threads, etude::set_num_threads, etude::sigmoid,
    etude::sigmoid_out, etude::sign, etude::sign_out, etude::silu, etude::silu_, etude::sin, etude::sin_out,
    etude::sinh, etude::sinh_out, etude::size, etude::slice, etude::slogdet, etude::smooth_l1_loss,
    etude::soft_margin_loss, etude::softmax, etude::softmax_out, etude::softplus, etude::softshrink,
    etude::sort, etude::SourceLocation, etude::split, etude::split_with_sizes, etude::sqrt, etude::sqrt_out,
    etude::square, etude::squeeze, etude::stack, etude::stack_out, etude::std, etude::std_mean, etude::str,
    etude::stride, etude::sub, etude::sub_out, etude::subtract, etude::sum, etude::sum_out, etude::svd,
    etude::swapaxes, etude::swapdims, etude::t, etude::take, etude::tan, etude::tan_out, etude::tanh,
    etude::tanh_out, etude::TempFile, etude::Tensor, etude::tensor, etude::TensorAccessor, etude::tensordot,
    etude::TensorIndex, etude::TensorList, etude::TensorOptions, etude::threshold, etude::threshold_,
    etude::tile, etude::topk, etude::toString, etude::trace, etude::transpose, etude::tril, etude::tril_out,
    etude::triplet_margin_loss, etude::triu, etude::triu_out, etude::true_divide, etude::trunc,
    etude::trunc_out, etude::try_make_tempfile, etude::TypeError, etude::TypeMeta,
    etude::typeMetaToScalarType, etude::unbind, etude::unique_consecutive, etude::unique_dim,
    etude::unique_dim_consecutive, etude::unsqueeze, etude::upsample_bilinear2d,
    etude::upsample_bilinear2d_out, etude::upsample_linear1d, etude::upsample_linear1d_out,
    etude::upsample_nearest1d, etude::upsample_nearest1d_out, etude::upsample_nearest2d,
    etude::upsample_nearest2d_out, etude::ValueError, etude::var, etude::var_mean, etude::view_as_complex,
    etude::view_as_real, etude::vstack, etude::vstack_out, etude::WarningHandler, etude::where, etude::zero_,
    etude::zeros, etude::zeros_like, etude::zeros_out;
}  // namespace torch

namespace torch::nn {
using etude::nn::activation_t, etude::nn::AnyModule, etude::nn::AnyValue, etude::nn::BCELoss,
    etude::nn::BCELossImpl, etude::nn::BCELossOptions, etude::nn::BCEWithLogitsLoss,
    etude::nn::BCEWithLogitsLossImpl, etude::nn::BCEWithLogitsLossOptions, etude::nn::CELU,
    etude::nn::CELUImpl, etude::nn::CELUOptions, etude::nn::Cloneable, etude::nn::ConstantPad1d,
    etude::nn::ConstantPad1dImpl, etude::nn::ConstantPad1dOptions, etude::nn::ConstantPad2d,
    etude::nn::ConstantPad2dImpl, etude::nn::ConstantPad2dOptions, etude::nn::Conv1d, etude::nn::Conv1dImpl,
    etude::nn::Conv1dOptions, etude::nn::Conv2d, etude::nn::Conv2dImpl, etude::nn::Conv2dOptions,
    etude::nn::ConvNdImpl, etude::nn::ConvOptions, etude::nn::CosineEmbeddingLoss,
    etude::nn::CosineEmbeddingLossImpl, etude::nn::CosineEmbeddingLossOptions, etude::nn::CosineSimilarity,
    etude::nn::CosineSimilarityImpl, etude::nn::CosineSimilarityOptions, etude::nn::CrossEntropyLoss,
    etude::nn::CrossEntropyLossImpl, etude::nn::CrossEntropyLossOptions, etude::nn::Dropout,
    etude::nn::DropoutImpl, etude::nn::DropoutOptions, etude::nn::ELU, etude::nn::ELUImpl,
    etude::nn::ELUOptions, etude::nn::Embedding, etude::nn::EmbeddingFromPretrainedOptions,
    etude::nn::EmbeddingImpl, etude::nn::EmbeddingOptions, etude::nn::Flatten, etude::nn::FlattenImpl,
    etude::nn::FlattenOptions, etude::nn::Fold, etude::nn::FoldImpl, etude::nn::FoldOptions,
    etude::nn::Functional, etude::nn::FunctionalImpl, etude::nn::GELU, etude::nn::GELUImpl,
    etude::nn::GELUOptions, etude::nn::GLU, etude::nn::GLUImpl, etude::nn::GLUOptions, etude::nn::GRU,
    etude::nn::GRUCell, etude::nn::GRUCellImpl, etude::nn::GRUCellOptions, etude::nn::GRUImpl,
    etude::nn::GRUOptions, etude::nn::Hardshrink, etude::nn::HardshrinkImpl, etude::nn::HardshrinkOptions,
    etude::nn::Hardtanh, etude::nn::HardtanhImpl, etude::nn::HardtanhOptions, etude::nn::HingeEmbeddingLoss,
    etude::nn::HingeEmbeddingLossImpl, etude::nn::HingeEmbeddingLossOptions, etude::nn::HuberLoss,
    etude::nn::HuberLossImpl, etude::nn::HuberLossOptions, etude::nn::Identity, etude::nn::IdentityImpl,
    etude::nn::KLDivLoss, etude::nn::KLDivLossImpl, etude::nn::KLDivLossOptions, etude::nn::L1Loss,
    etude::nn::L1LossImpl, etude::nn::L1LossOptions, etude::nn::LayerNorm, etude::nn::LayerNormImpl,
    etude::nn::LayerNormOptions, etude::nn::LeakyReLU, etude::nn::LeakyReLUImpl, etude::nn::LeakyReLUOptions,
    etude::nn::Linear, etude::nn::LinearImpl, etude::nn::LinearOptions, etude::nn::LogSigmoid,
    etude::nn::LogSigmoidImpl, etude::nn::LogSoftmax, etude::nn::LogSoftmaxImpl, etude::nn::LogSoftmaxOptions,
    etude::nn::LSTM, etude::nn::LSTMCell, etude::nn::LSTMCellImpl, etude::nn::LSTMCellOptions,
    etude::nn::LSTMImpl, etude::nn::LSTMOptions, etude::nn::MarginRankingLoss,
    etude::nn::MarginRankingLossImpl, etude::nn::MarginRankingLossOptions, etude::nn::Mish,
    etude::nn::MishImpl, etude::nn::Module, etude::nn::ModuleDict, etude::nn::ModuleDictImpl,
    etude::nn::ModuleHolder, etude::nn::ModuleList, etude::nn::ModuleListImpl, etude::nn::MSELoss,
    etude::nn::MSELossImpl, etude::nn::MSELossOptions, etude::nn::MultiheadAttention,
    etude::nn::MultiheadAttentionImpl, etude::nn::MultiheadAttentionOptions, etude::nn::NamedAnyModule,
    etude::nn::NLLLoss, etude::nn::NLLLossImpl, etude::nn::NLLLossOptions, etude::nn::PairwiseDistance,
    etude::nn::PairwiseDistanceImpl, etude::nn::PairwiseDistanceOptions, etude::nn::ParameterDict,
    etude::nn::ParameterDictImpl, etude::nn::ParameterList, etude::nn::ParameterListImpl,
    etude::nn::PoissonNLLLoss, etude::nn::PoissonNLLLossImpl, etude::nn::PoissonNLLLossOptions,
    etude::nn::PReLU, etude::nn::PReLUImpl, etude::nn::PReLUOptions, etude::nn::ReflectionPad1d,
    etude::nn::ReflectionPad1dImpl, etude::nn::ReflectionPad1dOptions, etude::nn::ReflectionPad2d,
    etude::nn::ReflectionPad2dImpl, etude::nn::ReflectionPad2dOptions, etude::nn::ReLU, etude::nn::ReLU6,
    etude::nn::ReLU6Impl, etude::nn::ReLU6Options, etude::nn::ReLUImpl, etude::nn::ReLUOptions,
    etude::nn::ReplicationPad1d, etude::nn::ReplicationPad1dImpl, etude::nn::ReplicationPad1dOptions,
    etude::nn::ReplicationPad2d, etude::nn::ReplicationPad2dImpl, etude::nn::ReplicationPad2dOptions,
    etude::nn::RNN, etude::nn::RNNCell, etude::nn::RNNCellImpl, etude::nn::RNNCellOptions, etude::nn::RNNImpl,
    etude::nn::RNNOptions, etude::nn::SELU, etude::nn::SELUImpl, etude::nn::SELUOptions,
    etude::nn::Sequential, etude::nn::SequentialImpl, etude::nn::Sigmoid, etude::nn::SigmoidImpl,
    etude::nn::SiLU, etude::nn::SiLUImpl, etude::nn::SmoothL1Loss, etude::nn::SmoothL1LossImpl,
    etude::nn::SmoothL1LossOptions, etude::nn::SoftMarginLoss, etude::nn::SoftMarginLossImpl,
    etude::nn::SoftMarginLossOptions, etude::nn::Softmax, etude::nn::SoftmaxImpl, etude::nn::SoftmaxOptions,
    etude::nn::Softmin, etude::nn::SoftminImpl, etude::nn::SoftminOptions, etude::nn::Softplus,
    etude::nn::SoftplusImpl, etude::nn::SoftplusOptions, etude::nn::Softshrink, etude::nn::SoftshrinkImpl,
    etude::nn::SoftshrinkOptions, etude::nn::Softsign, etude::nn::SoftsignImpl, etude::nn::Tanh,
    etude::nn::TanhImpl, etude::nn::Tanhshrink, etude::nn::TanhshrinkImpl, etude::nn::Threshold,
    etude::nn::ThresholdImpl, etude::nn::ThresholdOptions, etude::nn::Transformer,
    etude::nn::TransformerDecoder, etude::nn::TransformerDecoderImpl, etude::nn::TransformerDecoderLayer,
    etude::nn::TransformerDecoderLayerImpl, etude::nn::TransformerDecoderLayerOptions,
    etude::nn::TransformerDecoderOptions, etude::nn::TransformerEncoder, etude::nn::TransformerEncoderImpl,
    etude::nn::TransformerEncoderLayer, etude::nn::TransformerEncoderLayerImpl,
    etude::nn::TransformerEncoderLayerOptions, etude::nn::TransformerEncoderOptions,
    etude::nn::TransformerImpl, etude::nn::TransformerOptions, etude::nn::TripletMarginLoss,
    etude::nn::TripletMarginLossImpl, etude::nn::TripletMarginLossOptions, etude::nn::Unfold,
    etude::nn::UnfoldImpl, etude::nn::UnfoldOptions, etude::nn::Upsample, etude::nn::UpsampleImpl,
    etude::nn::UpsampleOptions, etude::nn::ZeroPad2d, etude::nn::ZeroPad2dImpl, etude::nn::ZeroPad2dOptions;
}  // namespace torch::nn

namespace torch::nn::functional {
using etude::nn::functional::binary_cross_entropy, etude::nn::functional::binary_cross_entropy_with_logits,
    etude::nn::functional::BinaryCrossEntropyFuncOptions,
    etude::nn::functional::BinaryCrossEntropyWithLogitsFuncOptions, etude::nn::functional::celu,
    etude::nn::functional::CELUFuncOptions, etude::nn::functional::conv1d,
    etude::nn::functional::Conv1dFuncOptions, etude::nn::functional::conv2d,
    etude::nn::functional::Conv2dFuncOptions, etude::nn::functional::ConvFuncOptions,
    etude::nn::functional::cosine_embedding_loss, etude::nn::functional::cosine_similarity,
    etude::nn::functional::CosineEmbeddingLossFuncOptions, etude::nn::functional::CosineSimilarityFuncOptions,
    etude::nn::functional::cross_entropy, etude::nn::functional::CrossEntropyFuncOptions,
    etude::nn::functional::dropout, etude::nn::functional::DropoutFuncOptions, etude::nn::functional::elu,
    etude::nn::functional::ELUFuncOptions, etude::nn::functional::embedding,
    etude::nn::functional::EmbeddingFuncOptions, etude::nn::functional::fold,
    etude::nn::functional::FoldFuncOptions, etude::nn::functional::gelu,
    etude::nn::functional::GELUFuncOptions, etude::nn::functional::glu, etude::nn::functional::GLUFuncOptions,
    etude::nn::functional::gumbel_softmax, etude::nn::functional::GumbelSoftmaxFuncOptions,
    etude::nn::functional::hardshrink, etude::nn::functional::HardshrinkFuncOptions,
    etude::nn::functional::hardtanh, etude::nn::functional::HardtanhFuncOptions,
    etude::nn::functional::hinge_embedding_loss, etude::nn::functional::HingeEmbeddingLossFuncOptions,
    etude::nn::functional::huber_loss, etude::nn::functional::HuberLossFuncOptions,
    etude::nn::functional::interpolate, etude::nn::functional::InterpolateFuncOptions,
    etude::nn::functional::kl_div, etude::nn::functional::KLDivFuncOptions, etude::nn::functional::l1_loss,
    etude::nn::functional::L1LossFuncOptions, etude::nn::functional::layer_norm,
    etude::nn::functional::LayerNormFuncOptions, etude::nn::functional::leaky_relu,
    etude::nn::functional::LeakyReLUFuncOptions, etude::nn::functional::linear,
    etude::nn::functional::log_softmax, etude::nn::functional::logsigmoid,
    etude::nn::functional::LogSoftmaxFuncOptions, etude::nn::functional::margin_ranking_loss,
    etude::nn::functional::MarginRankingLossFuncOptions, etude::nn::functional::mish,
    etude::nn::functional::mse_loss, etude::nn::functional::MSELossFuncOptions,
    etude::nn::functional::multi_head_attention_forward,
    etude::nn::functional::MultiheadAttentionForwardFuncOptions, etude::nn::functional::nll_loss,
    etude::nn::functional::NLLLossFuncOptions, etude::nn::functional::normalize,
    etude::nn::functional::NormalizeFuncOptions, etude::nn::functional::one_hot, etude::nn::functional::pad,
    etude::nn::functional::PadFuncOptions, etude::nn::functional::pairwise_distance,
    etude::nn::functional::PairwiseDistanceFuncOptions, etude::nn::functional::poisson_nll_loss,
    etude::nn::functional::PoissonNLLLossFuncOptions, etude::nn::functional::prelu,
    etude::nn::functional::relu, etude::nn::functional::relu6, etude::nn::functional::ReLU6FuncOptions,
    etude::nn::functional::ReLUFuncOptions, etude::nn::functional::selu,
    etude::nn::functional::SELUFuncOptions, etude::nn::functional::silu,
    etude::nn::functional::smooth_l1_loss, etude::nn::functional::SmoothL1LossFuncOptions,
    etude::nn::functional::soft_margin_loss, etude::nn::functional::SoftMarginLossFuncOptions,
    etude::nn::functional::softmax, etude::nn::functional::SoftmaxFuncOptions, etude::nn::functional::softmin,
    etude::nn::functional::SoftminFuncOptions, etude::nn::functional::softplus,
    etude::nn::functional::SoftplusFuncOptions, etude::nn::functional::softshrink,
    etude::nn::functional::SoftshrinkFuncOptions, etude::nn::functional::softsign,
    etude::nn::functional::tanhshrink, etude::nn::functional::threshold,
    etude::nn::functional::ThresholdFuncOptions, etude::nn::functional::triplet_margin_loss,
    etude::nn::functional::TripletMarginLossFuncOptions, etude::nn::functional::unfold,
    etude::nn::functional::UnfoldFuncOptions;
}  // namespace torch::nn::functional

namespace torch::nn::init {
using etude::nn::init::_calculate_fan_in_and_fan_out, etude::nn::init::calculate_gain,
    etude::nn::init::constant_, etude::nn::init::dirac_, etude::nn::init::eye_, etude::nn::init::FanModeType,
    etude::nn::init::kaiming_normal_, etude::nn::init::kaiming_uniform_, etude::nn::init::NonlinearityType,
    etude::nn::init::normal_, etude::nn::init::ones_, etude::nn::init::orthogonal_, etude::nn::init::sparse_,
    etude::nn::init::uniform_, etude::nn::init::xavier_normal_, etude::nn::init::xavier_uniform_,
    etude::nn::init::zeros_;
}  // namespace torch::nn::init

namespace torch::nn::utils {
using etude::nn::utils::clip_grad_norm_, etude::nn::utils::clip_grad_value_,
    etude::nn::utils::parameters_to_vector, etude::nn::utils::vector_to_parameters;
}  // namespace torch::nn::utils

namespace torch::optim {
using etude::optim::Adagrad, etude::optim::AdagradOptions, etude::optim::AdagradParamState,
    etude::optim::Adam, etude::optim::AdamOptions, etude::optim::AdamParamState, etude::optim::AdamW,
    etude::optim::AdamWOptions, etude::optim::AdamWParamState, etude::optim::LRScheduler,
    etude::optim::Optimizer, etude::optim::OptimizerCloneableOptions,
    etude::optim::OptimizerCloneableParamState, etude::optim::OptimizerOptions,
    etude::optim::OptimizerParamGroup, etude::optim::OptimizerParamState,
    etude::optim::ReduceLROnPlateauScheduler, etude::optim::RMSprop, etude::optim::RMSpropOptions,
    etude::optim::RMSpropParamState, etude::optim::serialize, etude::optim::SGD, etude::optim::SGDOptions,
    etude::optim::SGDParamState, etude::optim::StepLR;
}  // namespace torch::optim

namespace torch::autograd {
using etude::autograd::AnomalyMode, etude::autograd::AutogradContext, etude::autograd::AutoGradMode,
    etude::autograd::backward, etude::autograd::CppNode, etude::autograd::DetectAnomalyGuard,
    etude::autograd::Edge, etude::autograd::edge_list, etude::autograd::Function, etude::autograd::grad,
    etude::autograd::GradMode, etude::autograd::IndexRange, etude::autograd::Node,
    etude::autograd::tensor_list, etude::autograd::Variable, etude::autograd::variable_list;
}  // namespace torch::autograd

namespace torch::autograd::profiler {
using etude::autograd::profiler::RecordProfile;
}  // namespace torch::autograd::profiler

namespace torch::data {
using etude::data::BatchDataset, etude::data::DataLoaderBase, etude::data::DataLoaderOptions,
    etude::data::Dataset, etude::data::Example, etude::data::FullDataLoaderOptions, etude::data::Iterator,
    etude::data::make_data_loader, etude::data::StatefulDataLoader, etude::data::StatelessDataLoader,
    etude::data::TensorExample, etude::data::WorkerException;
}  // namespace torch::data

namespace torch::data::datasets {
using etude::data::datasets::BatchDataset, etude::data::datasets::Dataset,
    etude::data::datasets::make_shared_dataset, etude::data::datasets::map, etude::data::datasets::MapDataset,
    etude::data::datasets::SharedBatchDataset, etude::data::datasets::StatefulDataset,
    etude::data::datasets::StreamDataset, etude::data::datasets::TensorDataset;
}  // namespace torch::data::datasets

namespace torch::data::samplers {
using etude::data::samplers::BatchSize, etude::data::samplers::CustomBatchRequest,
    etude::data::samplers::DistributedRandomSampler, etude::data::samplers::DistributedSampler,
    etude::data::samplers::DistributedSequentialSampler, etude::data::samplers::RandomSampler,
    etude::data::samplers::Sampler, etude::data::samplers::SequentialSampler,
    etude::data::samplers::StreamSampler;
}  // namespace torch::data::samplers

namespace torch::data::transforms {
using etude::data::transforms::BatchLambda, etude::data::transforms::BatchTransform,
    etude::data::transforms::Collate, etude::data::transforms::Collation, etude::data::transforms::Lambda,
    etude::data::transforms::Normalize, etude::data::transforms::Stack, etude::data::transforms::TensorLambda,
    etude::data::transforms::TensorTransform, etude::data::transforms::Transform;
}  // namespace torch::data::transforms

namespace torch::serialize {
using etude::serialize::InputArchive, etude::serialize::OutputArchive;
}  // namespace torch::serialize

namespace torch::indexing {
using etude::indexing::Ellipsis, etude::indexing::EllipsisIndexType, etude::indexing::INDEX_MAX,
    etude::indexing::INDEX_MIN, etude::indexing::None, etude::indexing::Slice, etude::indexing::TensorIndex;
}  // namespace torch::indexing

namespace torch::enumtype {
using etude::enumtype::get_enum_name, etude::enumtype::kArea, etude::enumtype::kBatchMean,
    etude::enumtype::kBicubic, etude::enumtype::kBilinear, etude::enumtype::kCircular,
    etude::enumtype::kConstant, etude::enumtype::kFanIn, etude::enumtype::kFanOut, etude::enumtype::kGELU,
    etude::enumtype::kGRU, etude::enumtype::kLeakyReLU, etude::enumtype::kLinear, etude::enumtype::kLSTM,
    etude::enumtype::kMean, etude::enumtype::kNearest, etude::enumtype::kNearestExact, etude::enumtype::kNone,
    etude::enumtype::kReflect, etude::enumtype::kReLU, etude::enumtype::kReplicate,
    etude::enumtype::kRNN_RELU, etude::enumtype::kRNN_TANH, etude::enumtype::kSame, etude::enumtype::kSigmoid,
    etude::enumtype::kSum, etude::enumtype::kTanh, etude::enumtype::kTrilinear, etude::enumtype::kValid,
    etude::enumtype::kZeros, etude::enumtype::reduction_get_enum;
}  // namespace torch::enumtype

namespace torch::cuda {
using etude::cuda::device_count, etude::cuda::is_available;
}  // namespace torch::cuda

namespace torch::autocast {
using etude::autocast::clear_cache, etude::autocast::decrement_nesting,
    etude::autocast::get_autocast_cpu_dtype, etude::autocast::increment_nesting,
    etude::autocast::is_autocast_cache_enabled, etude::autocast::is_cpu_enabled,
    etude::autocast::set_autocast_cache_enabled, etude::autocast::set_autocast_cpu_dtype,
    etude::autocast::set_cpu_enabled;
}  // namespace torch::autocast

namespace torch::WarningUtils {
using etude::WarningUtils::get_warnAlways, etude::WarningUtils::get_warning_handler,
    etude::WarningUtils::set_warnAlways, etude::WarningUtils::set_warning_handler, etude::WarningUtils::warn,
    etude::WarningUtils::WarnAlways, etude::WarningUtils::WarningHandlerGuard;
}  // namespace torch::WarningUtils

namespace torch::nn::utils::rnn {
using etude::nn::utils::rnn::invert_permutation, etude::nn::utils::rnn::pack_padded_sequence,
    etude::nn::utils::rnn::pack_sequence, etude::nn::utils::rnn::PackedSequence,
    etude::nn::utils::rnn::pad_packed_sequence, etude::nn::utils::rnn::pad_sequence;
}  // namespace torch::nn::utils::rnn

namespace torch::linalg {
using etude::linalg::cholesky, etude::linalg::det, etude::linalg::eigh, etude::linalg::inv,
    etude::linalg::pinv, etude::linalg::qr, etude::linalg::slogdet, etude::linalg::solve, etude::linalg::svd;
}  // namespace torch::linalg

namespace torch::Reduction {
using etude::Reduction::END, etude::Reduction::Mean, etude::Reduction::None, etude::Reduction::Reduction,
    etude::Reduction::Sum;
}  // namespace torch::Reduction
