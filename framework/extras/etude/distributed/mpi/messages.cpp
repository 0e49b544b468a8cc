#include "etude/distributed/mpi/detail/messages.h"

#include <algorithm>
#include <limits>

namespace etude::distributed::detail {
namespace {

enum MessageKind : int64_t { question, answer, claim_to_speak };

constexpr int64_t kNoAnswer = -1;

// "rank 2", "ranks 1, 2"
std::string named(const std::vector<int>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + Join(", ", ranks);
}

}  // namespace

void Messages::use(MPI_Comm comm, int rank, int size) {
  comm_ = comm;
  rank_ = rank;
  size_ = lowest_claim_ = size;
}

void Messages::read(int64_t asked) {
  for (;;) {
    int is_there = 0;
    MPI_Status status;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, 0, comm_, &is_there, &status));
    if (!is_there) break;
    int64_t content[2];
    const int from = status.MPI_SOURCE;
    check_mpi(MPI_Recv(content, 2, MPI_INT64_T, from, 0, comm_, MPI_STATUS_IGNORE));
    if (content[0] == question) send(from, answer, asked);
    else if (content[0] == answer) answers_[from] = content[1];
    else lowest_claim_ = std::min(lowest_claim_, from);
  }
  sent_.remove_if([](Sent& s) {
    int done = 0;
    check_mpi(MPI_Test(&s.request, &done, MPI_STATUS_IGNORE));
    return done != 0;
  });
}

void Messages::send(int to, int64_t kind, int64_t number) {
  Sent& s = sent_.emplace_back();
  s.content = {kind, number};
  check_mpi(MPI_Isend(s.content.data(), 2, MPI_INT64_T, to, 0, comm_, &s.request));
}

void Messages::ask() {
  answers_.assign(size_, kNoAnswer);
  answers_[rank_] = std::numeric_limits<int64_t>::max();
  for (int r = 0; r < size_; ++r)
    if (r != rank_) send(r, question, 0);
}

void Messages::claim() {
  for (int r = 0; r < size_; ++r)
    if (r != rank_) send(r, claim_to_speak, 0);
}

bool Messages::silent() const {
  return std::find(answers_.begin(), answers_.end(), kNoAnswer) != answers_.end();
}

std::string Messages::culprits(int64_t number) const {
  std::vector<int> silent, late;
  int64_t fewest = number;
  for (int r = 0; r < size_; ++r) {
    if (answers_[r] >= number) continue;
    const bool answers = answers_[r] != kNoAnswer;
    (answers ? late : silent).push_back(r);
    if (answers) fewest = std::min(fewest, answers_[r]);
  }
  std::string text;
  if (!silent.empty()) text = named(silent) + (silent.size() == 1 ? " does not answer" : " do not answer");
  if (!late.empty()) {
    if (!text.empty()) text += ", and ";
    text += str(named(late), late.size() == 1 ? " has" : " have", " asked for ", fewest,
                fewest == 1 ? " operation" : " operations", ", the others for ", number);
  }
  return text;
}

}  // namespace etude::distributed::detail
