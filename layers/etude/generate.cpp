#include "etude/generate.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace etude::nn {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// A model in eval mode that reads sequences.
struct Reader {
  // The logits [batch, vocab_size] of the next token. The ids are all tokens so far; a cache may already hold the first of them.
  FunctionRef<Tensor(const Tensor& ids)> next_logits;
  // Replaces sequence i by the former sequence rows[i].
  FunctionRef<void(const Tensor& rows)> reorder;
};

void check_options(const Tensor& ids, const GenerateOptions& o) {
  ETUDE_CHECK(ids.dim() == 2 && ids.size(1) > 0 && ids.scalar_type() == kLong,
              "generate: expected int64 ids of sizes [batch, sequence] with at least one token, but got ",
              dtype_name(ids.scalar_type()), " of sizes ", ids.sizes());
  ETUDE_CHECK_VALUE(o.max_new_tokens() >= 0, "generate: max_new_tokens must not be negative, but got ",
                    o.max_new_tokens());
  ETUDE_CHECK_VALUE(o.max_new_tokens() <= std::numeric_limits<int32_t>::max(),
                    "generate: max_new_tokens must be below 2^31, but got ", o.max_new_tokens());
  ETUDE_CHECK_VALUE(o.temperature() > 0, "generate: temperature must be positive, but got ", o.temperature(),
                    "\nhint: without sample(true) the most probable token is taken");
  ETUDE_CHECK_VALUE(o.top_k() >= 0, "generate: top_k must not be negative, but got ", o.top_k());
  ETUDE_CHECK_VALUE(o.top_p() > 0 && o.top_p() <= 1,
                    "generate: top_p must be above 0 and at most 1, but got ", o.top_p());
  ETUDE_CHECK_VALUE(o.repetition_penalty() > 0, "generate: repetition_penalty must be positive, but got ",
                    o.repetition_penalty());
  ETUDE_CHECK_VALUE(!std::isnan(o.length_penalty()),
                    "generate: length_penalty must be a number, but got nan");
  ETUDE_CHECK_VALUE(o.beams() >= 1, "generate: beams must be at least 1, but got ", o.beams());
  ETUDE_CHECK_VALUE(o.beams() == 1 || (!o.sample() && !o.on_token()),
                    "generate: beams are compared at the end: they go neither with sample nor with on_token");
}

bool is_stop(const GenerateOptions& o, int64_t token) {
  return std::find(o.stop_tokens().begin(), o.stop_tokens().end(), token) != o.stop_tokens().end();
}

// Returns the logits as changed by an option. Throws if the change turned finite logits into infinities.
Tensor checked(const Tensor& changed, const Tensor& logits, const char* option, double value) {
  ETUDE_CHECK_VALUE(changed.isfinite().equal(logits.isfinite()), "generate: ", option, " ", value,
                    " makes infinities of logits up to ", logits.abs().max().item<double>(), " in ",
                    dtype_name(logits.scalar_type()),
                    "\nhint: without sample(true) the most probable token is taken");
  return changed;
}

// Sums of probabilities that are rounded to 16 bits would end before 1.
Tensor wide(const Tensor& logits) {
  return isReducedFloatingType(logits.scalar_type()) ? logits.to(kFloat) : logits;
}

// The logits [batch, vocab_size] of the next token, with the penalty applied.
Tensor penalized(const Tensor& logits, const Tensor& ids, const GenerateOptions& o) {
  const double penalty = o.repetition_penalty();
  if (penalty == 1.0) return logits;
  return checked(penalize_repetition(logits, ids, penalty), logits, "repetition_penalty", penalty);
}

// Chooses the next tokens, int64 [batch].
Tensor choose(Tensor logits, const Tensor& ids, const GenerateOptions& o) {
  logits = penalized(logits, ids, o);
  if (!o.sample()) return logits.argmax(-1);
  // A temperature of at least 1 makes no logit larger.
  const Tensor divided = logits / o.temperature();
  logits = o.temperature() < 1 ? checked(divided, logits, "temperature", o.temperature()) : divided;
  if (o.top_k() > 0) logits = keep_top_k(logits, o.top_k());
  if (o.top_p() < 1) logits = keep_top_p(logits, o.top_p());
  return multinomial(etude::softmax(logits, -1), 1, false, o.generator()).squeeze(1);
}

Tensor token_by_token(const Reader& reader, Tensor ids, const GenerateOptions& o) {
  const int64_t batch = ids.size(0);
  std::vector<int64_t> ended(static_cast<size_t>(batch), -1);  // the token that ended each sequence
  for (int64_t step = 0; step < o.max_new_tokens(); ++step) {
    Tensor next = choose(wide(reader.next_logits(ids)), ids, o);
    bool all_ended = true;
    for (int64_t i = 0; i < batch; ++i) {
      int64_t& end = ended[static_cast<size_t>(i)];
      if (end >= 0) next.index_put_({i}, end);
      else if (is_stop(o, next[i].item<int64_t>())) end = next[i].item<int64_t>();
      all_ended = all_ended && end >= 0;
    }
    ids = cat({ids, next.unsqueeze(1)}, 1);
    if ((o.on_token() && !o.on_token()(next)) || all_ended) break;
  }
  return ids;
}

// One continuation of a sequence.
struct Beam {
  int64_t row;             // of the ids that the beam continues
  double log_probability;  // of the new tokens
  int64_t new_tokens;
  int64_t token;   // the last one
  bool has_ended;  // with this token

  double score(double penalty) const {
    const double found =
        log_probability / std::pow(static_cast<double>(std::max<int64_t>(new_tokens, 1)), penalty);
    return std::isnan(found) ? kMinusInfinity : found;
  }
};

// The best of all beams, each continued by each of its most probable tokens; a beam that has ended stays as it is.
std::vector<Beam> best_of(const std::vector<Beam>& beams, const Tensor& log_probabilities,
                          const GenerateOptions& o) {
  const auto wanted = static_cast<int64_t>(beams.size());
  std::vector<Beam> all;
  for (const Beam& b : beams) {
    if (b.has_ended) {
      all.push_back(b);
      continue;
    }
    const Tensor row = log_probabilities[b.row];
    const auto [values, tokens] = row.topk(std::min<int64_t>(wanted, row.size(0)));
    for (int64_t i = 0; i < values.size(0); ++i) {
      const int64_t token = tokens[i].item<int64_t>();
      all.push_back(
          {b.row, b.log_probability + values[i].item<double>(), b.new_tokens + 1, token, is_stop(o, token)});
    }
  }
  std::stable_sort(all.begin(), all.end(), [&](const Beam& a, const Beam& b) {
    return a.score(o.length_penalty()) > b.score(o.length_penalty());
  });
  all.resize(beams.size());
  return all;
}

Tensor by_beams(const Reader& reader, const Tensor& prompt, const GenerateOptions& o) {
  const int64_t batch = prompt.size(0), width = o.beams();
  Tensor ids = prompt.repeat_interleave(width, 0);  // [batch * width, sequence]
  // All beams of a sequence are equal at first, so only one of them counts.
  std::vector<std::vector<Beam>> beams(static_cast<size_t>(batch));
  for (int64_t i = 0; i < batch; ++i)
    for (int64_t j = 0; j < width; ++j)
      beams[static_cast<size_t>(i)].push_back({i * width + j, j == 0 ? 0 : kMinusInfinity, 0, 0, false});
  for (int64_t step = 0; step < o.max_new_tokens(); ++step) {
    const Tensor log_probabilities = etude::log_softmax(penalized(wide(reader.next_logits(ids)), ids, o), -1);
    std::vector<int64_t> rows, tokens;
    bool all_ended = true;
    for (std::vector<Beam>& of_sequence : beams) {
      of_sequence = best_of(of_sequence, log_probabilities, o);
      for (Beam& b : of_sequence) {
        rows.push_back(b.row);
        tokens.push_back(b.token);
        b.row = static_cast<int64_t>(rows.size()) - 1;
        all_ended = all_ended && b.has_ended;
      }
    }
    const Tensor from = etude::tensor(rows, kLong);
    ids = cat({ids.index_select(0, from), etude::tensor(tokens, kLong).unsqueeze(1)}, 1);
    reader.reorder(from);
    if (all_ended) break;
  }
  std::vector<int64_t> best;
  best.reserve(beams.size());
  for (const std::vector<Beam>& of_sequence : beams) best.push_back(of_sequence.front().row);
  return ids.index_select(0, etude::tensor(best, kLong));
}

Tensor continued(const Tensor& ids, const Reader& reader, const GenerateOptions& o) {
  return o.beams() > 1 ? by_beams(reader, ids, o) : token_by_token(reader, ids, o);
}

// Counts the padding of each row: int64 [batch], undefined if no row has any. In ids, the row's first token replaces it, since
// the vocabulary may lack pad_token and a penalty for repetition must not see it.
Tensor without_padding(Tensor& ids, int64_t pad_token) {
  const Tensor is_padding = (ids != pad_token).cumsum(1) == 0;
  Tensor padding = is_padding.sum(1);
  if (!padding.any().item<bool>()) return {};
  ETUDE_CHECK_VALUE(padding.lt(ids.size(1)).all().item<bool>(),
                    "generate: a sequence is nothing but padding\nreceived ids of sizes ", ids.sizes(),
                    "\nhint: leave it out, or give it a token to start from");
  ids = where(is_padding, ids.gather(1, padding.unsqueeze(1)), ids);
  return padding;
}

}  // namespace

Tensor generate(GPT& model, const Tensor& given, const GenerateOptions& options) {
  check_options(given, options);
  const NoGradGuard no_grad;
  const EvalMode eval_mode(*model);
  Tensor ids = given, padding;
  if (options.pad_token()) padding = without_padding(ids, *options.pad_token());
  const Tensor of_beams = padding.defined() ? padding.repeat_interleave(options.beams(), 0) : padding;
  const int64_t all = ids.size(1) + options.max_new_tokens(),
                longest = std::min(all, model->max_length().value_or(all));
  const bool use_cache = options.use_cache();
  KeyValueCache cache = model->make_cache(use_cache ? ids.size(0) * options.beams() : 0, longest);
  // A sequence that is too long is cut at its front. That shifts every position, so the cache does not fit such a sequence.
  const auto next_logits = [&](const Tensor& so_far) {
    const int64_t length = so_far.size(1), seen = std::min(length, longest), known = cache.length();
    if (use_cache && length == seen)
      return model->next_logits(so_far.narrow(1, known, length - known), &cache, of_beams);
    const Tensor left = of_beams.defined() ? (of_beams - (length - seen)).clamp_min(0) : of_beams;
    return model->next_logits(so_far.narrow(1, length - seen, seen), nullptr, left);
  };
  const auto reorder = [&](const Tensor& rows) {
    if (use_cache) cache.reorder(rows);
  };
  const Tensor found = continued(ids, {next_logits, reorder}, options);
  return padding.defined() ? cat({given, found.slice(1, given.size(1))}, 1) : found;
}

Tensor generate(EncoderDecoder& model, const Tensor& src, int64_t start_token,
                const GenerateOptions& options) {
  check_options(src, options);
  ETUDE_CHECK_VALUE(!options.pad_token(), "generate: pad_token is for a GPT, but got an EncoderDecoder",
                    "\nhint: the padding of its sources is its option padding_idx");
  const int64_t vocab_size = model->options.tgt_vocab_size(), length = options.max_new_tokens() + 1;
  ETUDE_CHECK_VALUE(start_token >= 0 && start_token < vocab_size, "generate: start_token must be one of the ",
                    vocab_size, " tokens of the target, but got ", start_token);
  ETUDE_CHECK_VALUE(length - 1 <= model->max_length().value_or(length),
                    "generate: max_new_tokens must be at most ", *model->max_length(),
                    ", the longest sequence that the model's positions know, but got ",
                    options.max_new_tokens());
  const NoGradGuard no_grad;
  const EvalMode eval_mode(*model);
  // Each source is encoded once and repeated for its beams in adjacent rows.
  const Tensor sources = src.repeat_interleave(options.beams(), 0),
               memory = model->encode(src).repeat_interleave(options.beams(), 0);
  // Hooks hear a call of each layer, which has no cache.
  const auto modules = model->decoder->modules();
  const bool hooked =
      std::any_of(modules.begin(), modules.end(), [](const auto& m) { return m->has_hooks(); });
  optional<DecoderState> state;
  if (options.use_cache() && !hooked) state = model->start(memory, sources, length);
  const auto next_logits = [&](const Tensor& so_far) {
    if (!state) return model->decode(so_far, memory, sources).select(1, -1);
    const int64_t known = state->target.length();
    return model->decode(so_far.narrow(1, known, so_far.size(1) - known), *state).select(1, -1);
  };
  // Sequences only change places within the same source, so the keys of the source stay valid.
  const auto reorder = [&](const Tensor& rows) {
    if (state) state->target.reorder(rows);
  };
  return continued(etude::full({src.size(0), 1}, start_token, kLong), {next_logits, reorder}, options);
}

Tensor penalize_repetition(const Tensor& logits, const Tensor& ids, double penalty) {
  const Tensor occurring = logits.gather(1, ids);
  return logits.scatter(1, ids, where(occurring < 0, occurring * penalty, occurring / penalty));
}

Tensor keep_top_k(const Tensor& logits, int64_t k) {
  ETUDE_CHECK_VALUE(k > 0, "keep_top_k: k must be positive, but got ", k);
  const Tensor largest = std::get<0>(logits.topk(std::min(k, logits.size(-1))));
  return logits.masked_fill(logits < largest.narrow(-1, largest.size(-1) - 1, 1), kMinusInfinity);
}

Tensor keep_top_p(const Tensor& logits, double p) {
  const auto [sorted, order] = logits.sort(-1, /*descending=*/true);
  const Tensor probabilities = etude::softmax(sorted, -1);
  const Tensor before = probabilities.cumsum(-1) - probabilities;  // of all more probable tokens
  return logits.masked_fill(
      zeros(logits.sizes(), kBool).scatter(-1, order, (before >= p).logical_and(before > 0)), kMinusInfinity);
}

}  // namespace etude::nn
