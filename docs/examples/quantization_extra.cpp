#include "support/example.h"

/// # Weights of 8 bits
///
/// Matrices as int8 numbers with a scale for each group of neighbours in a row, the form of GGUF's q8_0: a model of a quarter of the
/// memory, which generates from a quarter of the bytes. It can be used, but not trained.

/// - Shapes: weight [out, in]; values [out, in], scales [out, in / group]
/// - Errors: `quantize_per_group: 3 numbers in a row are not a multiple of a group of 2` where they are not
/// - Errors: `quantize_per_group: a scale is not a finite torch.float16` for nan, infinity, and numbers above 127 * 65504
/// - PyTorch: none
EXAMPLE(etude::quantize_per_group, etude::dequantize, etude::QuantizedWeight) {
  const Tensor weight = etude::tensor({{127.0, 3.4, -254.0, 5.0}});
  const etude::QuantizedWeight w = etude::quantize_per_group(weight, /*group=*/2);
  print(w.values, w.scales);
  print(etude::dequantize(w));
  print(examples::message_of([] { etude::quantize_per_group(etude::ones({1, 3}), 2); }));
}

/// - Shapes: input [..., in]; the result [..., out]; bias [out]
/// - Errors: `mat1 and mat2 shapes cannot be multiplied (1x3 and 2x3)` where the last dim is not in
/// - Errors: `derivative for etude::quantized_linear is not implemented` where a gradient would be recorded
/// - PyTorch: none
EXAMPLE(etude::quantized_linear) {
  const etude::QuantizedWeight w = etude::quantize_per_group(etude::randn({3, 64}));
  const Tensor x = etude::randn({2, 64}), bias = etude::randn({3});
  const Tensor y = etude::quantized_linear(x, w, bias),
               expected = etude::linear(x, etude::dequantize(w), bias);
  print(y.sizes(), etude::allclose(y, expected, 1e-3, 1e-3));
  print(examples::message_of([&] { etude::quantized_linear(x.clone().requires_grad_(), w); }));
}

/// - Shapes: of each weight, `weight_values` [out, in] and `weight_scales` [out, in / group]
/// - Errors: `quantize: weights become int8, but got torch.uint8` for another dtype
/// - Errors: `Embedding: its weight is quantized already` the second time
/// - PyTorch: `torch.ao.quantization.quantize_dynamic`, which has one scale for each row
EXAMPLE(etude::nn::quantize) {
  nn::GPT model(nn::GPTOptions(32).context(8).d_model(64).layers(1).heads(2).dim_feedforward(80));
  print(etude::Join(", ", nn::quantize(model)));
  print(model->state_dict()["wte.weight_values"].sizes(), model->state_dict()["wte.weight_scales"].sizes());
  print(model->h->at<nn::GPTBlockImpl>(0).attn->c_attn);
  print(nn::generate(model, etude::tensor({{3, 1, 4}}), nn::GenerateOptions(2)).sizes());
  nn::Linear layer(64, 2);
  nn::quantize(layer);
  print(layer);
  print(examples::message_of([&] { nn::quantize(model); }));
}
