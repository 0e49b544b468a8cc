#include "etude/positional_encoding.h"

#include <cmath>

namespace etude::nn {

Tensor sinusoidal_table(int64_t max_len, int64_t d_model) {
  ETUDE_CHECK_VALUE(max_len > 0, "sinusoidal_table: max_len must be positive, but got ", max_len);
  ETUDE_CHECK_VALUE(d_model > 0, "sinusoidal_table: d_model must be positive, but got ", d_model);
  // 10000^(-2i / d_model) as a power of e, all in float32, to match PyTorch programs.
  const Tensor frequency =
      exp(arange(0, d_model, 2, kFloat) * (-std::log(10000.0) / static_cast<double>(d_model)));
  return sinusoids(arange(0, max_len, kFloat), frequency, d_model);
}

Tensor detail::add_positions(const Tensor& x, const Tensor& table, int64_t dim, int64_t first) {
  return x + table.narrow(dim, first, x.size(dim));
}

namespace {

const char* expected_sizes(const PositionalEncodingOptions& options) {
  return options.batch_first() ? "[batch, sequence, d_model]" : "[sequence, batch, d_model]";
}

void check_input(const Tensor& x, const PositionalEncodingOptions& options) {
  ETUDE_CHECK(x.dim() == 3, "PositionalEncoding: expected an input of 3 dims ", expected_sizes(options),
              ", but got ", x.dim(), "\nreceived sizes ", x.sizes(),
              "\nhint: ids of tokens go through an Embedding first; unsqueeze(",
              options.batch_first() ? 0 : 1, ") makes a batch of a single sequence");
  ETUDE_CHECK(x.size(2) == options.d_model(), "The size of tensor a (", x.size(2),
              ") must match the size of tensor b (", options.d_model(),
              ") at non-singleton dimension 2\nPositionalEncoding: the input ", x.sizes(), " is ", x.size(2),
              " wide and d_model is ", options.d_model(), "; expected ", expected_sizes(options));

  const int64_t dim = options.batch_first() ? 1 : 0;
  const int64_t length = x.size(dim);
  const int64_t max_len = options.max_len();
  const bool other_layout_fits = x.size(1 - dim) <= max_len;
  ETUDE_CHECK(length <= max_len, "The size of tensor a (", length, ") must match the size of tensor b (",
              max_len, ") at non-singleton dimension ", dim, "\nPositionalEncoding: the input ", x.sizes(),
              ", read as ", expected_sizes(options), ", has ", length, " positions, but max_len is ", max_len,
              "\nhint: construct it with max_len(", length, ") or more, or shorten the sequence",
              !other_layout_fits ? ""
              : options.batch_first()
                  ? "; if the input is [sequence, batch, d_model], construct it with kSequenceFirst"
                  : "; if the input is [batch, sequence, d_model], construct it with kBatchFirst");
}

}  // namespace

void PositionalEncodingImpl::reset() {
  const Tensor table = sinusoidal_table(options.max_len(), options.d_model());
  pe = register_buffer("pe", table.unsqueeze(options.batch_first() ? 0 : 1), options.persistent());
  dropout = options.dropout() == 0 ? Dropout(nullptr) : Dropout(options.dropout());
  if (dropout) register_module("dropout", dropout);
}

Tensor PositionalEncodingImpl::forward(const Tensor& x) {
  check_input(x, options);
  const Tensor sum = detail::add_positions(x, pe, options.batch_first() ? 1 : 0, 0);
  return dropout ? dropout(sum) : sum;
}

}  // namespace etude::nn
