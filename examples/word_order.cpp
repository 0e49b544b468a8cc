// Can a network tell the order of two words? Each sentence has eight tokens, A and B among them, and a twin in
// which A and B have changed places. The embedded tokens go through Linear and ReLU one by one and are averaged,
// so without positions a sentence and its twin look the same to the network. With the positions of
// InputEmbedding they differ.

#include <etude/etude.h>

#include <cstdio>

#include "support/command_line.h"
#include "support/sentences.h"

namespace nn = etude::nn;
namespace F = etude::nn::functional;
using etude::Tensor;
using examples::draw_sentences, examples::Sentences, examples::kLength, examples::kVocabulary;

namespace {

constexpr int64_t kModelWidth = 16, kHidden = 32;
constexpr int64_t kBatch = 64, kTestSentences = 500;

Tensor mean_over_sequence(const Tensor& x) { return x.mean(/*dim=*/1); }

// ids [sentences, kLength] -> scores [sentences, 2]. In braces the layers are built from left to right, so
// that each draws the same random numbers with every compiler.
nn::Sequential classifier(const nn::AnyModule& embedding) {
  return nn::Sequential{embedding,                           // [sentences, kLength, kModelWidth]
                        nn::Linear(kModelWidth, kHidden),    // [sentences, kLength, kHidden]
                        nn::ReLU(),                          //
                        nn::Functional(mean_over_sequence),  // [sentences, kHidden]
                        nn::Linear(kHidden, 2)};
}

struct Learner {
  explicit Learner(const nn::AnyModule& embedding)
      : model(classifier(embedding)),
        optimizer(model->parameters(), etude::optim::SGDOptions(0.2).momentum(0.9)) {}

  double train(const Sentences& batch) {
    optimizer.zero_grad();
    const Tensor loss = F::cross_entropy(model->forward(batch.ids), batch.a_first);
    loss.backward();
    optimizer.step();
    return loss.item<double>();
  }

  double accuracy(const Sentences& test) {
    etude::NoGradGuard no_grad;
    const Tensor right = model->forward(test.ids).argmax(1) == test.a_first;
    return right.to(etude::kDouble).mean().item<double>();
  }

  nn::Sequential model;
  etude::optim::SGD optimizer;
};

int run(const examples::CommandLine& program) {
  Learner with_positions(nn::AnyModule(nn::InputEmbedding(
      nn::InputEmbeddingOptions(kVocabulary, kModelWidth, nn::kBatchFirst).max_len(kLength))));
  Learner without(nn::AnyModule(nn::TokenEmbedding(kVocabulary, kModelWidth)));
  const Sentences test = draw_sentences(kTestSentences);

  std::printf("Does A stand before B? %lld test sentences of %lld tokens, each with its twin.\n\n",
              static_cast<long long>(2 * kTestSentences), static_cast<long long>(kLength));
  std::printf("         InputEmbedding        TokenEmbedding\n");
  std::printf(" step      loss  accuracy        loss  accuracy\n");
  double accuracy_with = 0, accuracy_without = 0;
  for (int64_t step = 1; step <= program.steps; ++step) {
    program.begin_step(step);
    const Sentences batch = draw_sentences(kBatch);
    const double loss_with = with_positions.train(batch), loss_without = without.train(batch);
    program.end_step();
    if (step != 1 && step != program.steps && step % 30 != 0) continue;
    accuracy_with = with_positions.accuracy(test);
    accuracy_without = without.accuracy(test);
    std::printf("%5lld   %7.4f   %6.1f %%     %7.4f   %6.1f %%\n", static_cast<long long>(step), loss_with,
                100 * accuracy_with, loss_without, 100 * accuracy_without);
  }

  std::printf("\naccuracy with positions:    %.1f %%\naccuracy without positions: %.1f %%\n",
              100 * accuracy_with, 100 * accuracy_without);
  return program.judge("more than 90 % with positions and less than 60 % without",
                       accuracy_with > 0.9 && accuracy_without < 0.6);
}

}  // namespace

int main(int argc, char** argv) {
  examples::CommandLine program(
      "word_order",
      "Trains two small networks to tell in which order two words stand: one that knows positions, one that "
      "does not.",
      300, {"", "--seed 7 --steps 500"});
  return program.run(argc, argv, [&] { return run(program); });
}
