#include "support/example.h"

/// # Choices in options
///
/// Each of these constants has a type of its own, so that an option takes only those that it knows. In Python they are strings.

/// What becomes of the losses of all elements: they stay, are averaged or added up; `kBatchMean` divides by the first size.
///
/// - Errors: `kBatchMean is not a valid value for reduction` where reduction_get_enum gets another choice
/// - PyTorch: `"none"`, `"mean"`, `"sum"`, `"batchmean"`
EXAMPLE(etude::kNone, etude::kMean, etude::kSum, etude::kBatchMean, etude::enumtype::kNone,
        etude::enumtype::kMean, etude::enumtype::kSum, etude::enumtype::kBatchMean,
        etude::enumtype::reduction_get_enum) {
  const Tensor a = etude::tensor({1.0, 4.0}), b = etude::zeros({2});
  print(F::l1_loss(a, b, F::L1LossFuncOptions(etude::kNone)));
  print(F::l1_loss(a, b, F::L1LossFuncOptions(etude::kMean)));
  print(F::l1_loss(a, b, F::L1LossFuncOptions(etude::kSum)));
  const F::KLDivFuncOptions::reduction_t choice = etude::kSum, other = etude::kBatchMean;
  print(etude::enumtype::reduction_get_enum(choice) == etude::Reduction::Sum);
  print(examples::message_of([&] { etude::enumtype::reduction_get_enum(other); }));
}

/// The function that follows a layer, and whether initial weights are scaled for the inputs or the outputs of the layer.
///
/// - Errors: none of its own
/// - PyTorch: `"linear"`, `"sigmoid"`, `"tanh"`, `"relu"`, `"leaky_relu"`, `"gelu"`, `"fan_in"`, `"fan_out"`
EXAMPLE(etude::kLinear, etude::kSigmoid, etude::kTanh, etude::kReLU, etude::kLeakyReLU, etude::kGELU,
        etude::kFanIn, etude::kFanOut, etude::enumtype::kLinear, etude::enumtype::kSigmoid,
        etude::enumtype::kTanh, etude::enumtype::kReLU, etude::enumtype::kLeakyReLU, etude::enumtype::kGELU,
        etude::enumtype::kFanIn, etude::enumtype::kFanOut) {
  print(nn::init::calculate_gain(etude::kLinear), nn::init::calculate_gain(etude::kSigmoid));
  print(nn::init::calculate_gain(etude::kReLU) > nn::init::calculate_gain(etude::kLeakyReLU, 0.1));
  Tensor weight = etude::empty({2, 8});
  nn::init::kaiming_uniform_(weight, 0, etude::kFanOut, etude::kTanh);
  print(weight.sizes());
  const nn::RNN network(nn::RNNOptions(3, 4).nonlinearity(etude::kReLU));
  nn::TransformerEncoderLayer layer(nn::TransformerEncoderLayerOptions(4, 2).activation(etude::kGELU));
  print(layer(etude::ones({1, 1, 4})).sizes());
}

/// What a border consists of, and how wide it is.
///
/// - Errors: none of its own
/// - PyTorch: `"constant"`, `"reflect"`, `"replicate"`, `"circular"`, `"zeros"`, `"valid"`, `"same"`
EXAMPLE(etude::kConstant, etude::kReflect, etude::kReplicate, etude::kCircular, etude::kZeros, etude::kValid,
        etude::kSame, etude::enumtype::kConstant, etude::enumtype::kReflect, etude::enumtype::kReplicate,
        etude::enumtype::kCircular, etude::enumtype::kZeros, etude::enumtype::kValid,
        etude::enumtype::kSame) {
  const Tensor x = etude::tensor({{{1.0, 2.0, 3.0}}});
  print(F::pad(x, F::PadFuncOptions({2, 1}).mode(etude::kConstant).value(7)));
  print(F::pad(x, F::PadFuncOptions({2, 1}).mode(etude::kReflect)));
  print(F::pad(x, F::PadFuncOptions({2, 1}).mode(etude::kReplicate)));
  print(F::pad(x, F::PadFuncOptions({2, 1}).mode(etude::kCircular)));
  const auto options = nn::Conv1dOptions(1, 1, 3).padding_mode(etude::kZeros);
  print(nn::Conv1d(nn::Conv1dOptions(options).padding(etude::kValid))(x).sizes());
  print(nn::Conv1d(nn::Conv1dOptions(options).padding(etude::kSame))(x).sizes());
}

/// How elements between others are computed: `interpolate` takes the first three.
///
/// - Errors: none of its own
/// - PyTorch: `"nearest"`, `"linear"`, `"bilinear"`, `"bicubic"`, `"trilinear"`, `"area"`, `"nearest-exact"`
EXAMPLE(etude::kNearest, etude::kLinear, etude::kBilinear, etude::kBicubic, etude::kTrilinear, etude::kArea,
        etude::kNearestExact, etude::enumtype::kNearest, etude::enumtype::kBilinear,
        etude::enumtype::kBicubic, etude::enumtype::kTrilinear, etude::enumtype::kArea,
        etude::enumtype::kNearestExact) {
  const Tensor x = etude::tensor({{{1., 3.}}});
  const auto options = F::InterpolateFuncOptions().size(std::vector<int64_t>{4});
  print(F::interpolate(x, F::InterpolateFuncOptions(options).mode(etude::kNearest)));
  print(F::interpolate(x, F::InterpolateFuncOptions(options).mode(etude::kLinear).align_corners(false)));
}

/// The kinds of recurrent networks.
///
/// - Errors: none of its own
/// - PyTorch: `"RNN_TANH"`, `"RNN_RELU"`, `"LSTM"`, `"GRU"`
EXAMPLE(etude::kRNN_TANH, etude::kRNN_RELU, etude::kLSTM, etude::kGRU, etude::enumtype::kRNN_TANH,
        etude::enumtype::kRNN_RELU, etude::enumtype::kLSTM, etude::enumtype::kGRU,
        etude::enumtype::get_enum_name) {
  print(etude::enumtype::get_enum_name(nn::LSTM(3, 4)->options_base.mode()));
  print(etude::enumtype::get_enum_name(nn::RNN(3, 4)->options_base.mode()));
}
