#include "etude/distributed/mpi/detail/messages.h"

#include <algorithm>

namespace etude::distributed::detail {
namespace {

enum MessageKind : int64_t { question, answer, claim_to_speak };

constexpr int64_t kNoAnswer = -1;

// "rank 2", "ranks 1, 2"
std::string named(const std::vector<int>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + Join(", ", ranks);
}

std::string operations(int64_t n) { return str(n, n == 1 ? " operation" : " operations"); }

}  // namespace

void Messages::use(MPI_Comm comm) {
  comm_ = comm;
  check_mpi(MPI_Comm_rank(comm, &rank_));
  check_mpi(MPI_Comm_size(comm, &size_));
  lowest_claim_ = size_;
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
  for (int r = 0; r < size_; ++r)
    if (r != rank_) send(r, question, 0);
}

void Messages::claim() {
  for (int r = 0; r < size_; ++r)
    if (r != rank_) send(r, claim_to_speak, 0);
}

bool Messages::silent() const {
  for (int r = 0; r < size_; ++r)
    if (r != rank_ && answers_[r] == kNoAnswer) return true;
  return false;
}

std::string Messages::culprits(int64_t number) const {
  std::vector<int> silent, late;
  int64_t fewest = number;
  for (int r = 0; r < size_; ++r) {
    if (r == rank_) continue;
    if (answers_[r] == kNoAnswer) {
      silent.push_back(r);
    } else if (answers_[r] < number) {
      late.push_back(r);
      fewest = std::min(fewest, answers_[r]);
    }
  }
  std::string text;
  if (!silent.empty()) text = named(silent) + (silent.size() == 1 ? " does not answer" : " do not answer");
  if (!late.empty()) {
    if (!text.empty()) text += ", and ";
    text += named(late) + (late.size() == 1 ? " has" : " have") + " asked for " + operations(fewest) +
            ", the others for " + str(number);
  }
  return text;
}

}  // namespace etude::distributed::detail
