#include "etude/distributed/mpi/detail/worker.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "etude/core/detail/listen.h"
#include "etude/core/detail/trace.h"
#include "etude/distributed/detail/checks.h"

namespace etude::distributed::detail {
namespace {

namespace listen = etude::detail::listen;
using namespace std::chrono_literals;
using Duration = std::chrono::steady_clock::duration;

constexpr Duration kIdle = 50ms;       // between two checks for messages
constexpr Duration kAnswer = 1s;       // in which a live process answers
constexpr Duration kSettle = 200ms;    // in which processes that fail together agree who reports why
constexpr Duration kOthersEnd = 5s;    // in which the reporting process ends the others
constexpr Duration kYield = 50us;      // in which the processor is yielded, without sleep
constexpr Duration kExpected = 100ms;  // in which elements are expected to move
constexpr Duration kLongestSleep = 1ms;

std::string text_of(std::chrono::milliseconds time) {
  return time.count() % 1000 == 0 ? str(time.count() / 1000, " s") : str(time.count(), " ms");
}

void say(const std::string& line) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

std::chrono::steady_clock::time_point limit_of(std::chrono::milliseconds timeout) {
  const auto now = std::chrono::steady_clock::now();
  return timeout == kNoTimeout ? std::chrono::steady_clock::time_point::max() : now + timeout;
}

struct TimedOut {};

}  // namespace

MpiWorker& MpiWorker::get() {
  static MpiWorker* worker = [] {
    auto* w = new MpiWorker;
    std::atexit([] {
      get().ask({Operation::leave});
      get().thread_.join();
    });
    return w;
  }();
  return *worker;
}

MpiWorker::MpiWorker() {
  thread_ = std::thread([this] { loop(); });
  try {
    started_.wait();
  } catch (...) {
    thread_.join();
    throw;
  }
}

void MpiWorker::ask(Operation o) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (o.kind != Operation::leave) ++asked_;
  queue_.push_back(std::move(o));
  changed_.notify_all();
}

void MpiWorker::abort(const std::string& reason, int code) {
  std::cout << std::flush;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!aborts_) {
      reason_ = reason;
      code_ = code;
    }
    aborts_ = true;
    changed_.notify_all();
  }
  std::this_thread::sleep_for(2 * kOthersEnd);
  std::_Exit(code);
}

void MpiWorker::loop() {
  try {
    start_mpi();
    started_.finish();
  } catch (...) {
    return started_.finish(std::current_exception());
  }
  for (;;) {
    const Operation o = next();
    if (o.kind == Operation::leave) return end(o);
    try {
      if (!failure_) perform(o);
    } catch (...) {
      failed_ = o;
      failure_ = std::current_exception();
    }
    o.work->finish(failure_);
  }
}

void MpiWorker::start_mpi() {
  int is_there = 0, level = 0;
  check_mpi(MPI_Initialized(&is_there));
  ETUDE_CHECK(!is_there,
              "MPI is initialised already\nThe group calls MPI from a thread of its own, which has to "
              "initialise it.\n"
              "hint: call createProcessGroupMPI in place of MPI_Init");
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level));
  ETUDE_CHECK(
      level >= MPI_THREAD_FUNNELED,
      "Used MPI implementation doesn't have the minimum level of threading support: MPI_THREAD_FUNNELED");
  for (MPI_Comm* comm : {&comm_, &messages_comm_}) {
    check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, comm));
    check_mpi(MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN));
  }
  check_mpi(MPI_Comm_rank(comm_, &rank_));
  check_mpi(MPI_Comm_size(comm_, &size_));
  all_.resize(size_);
  etude::detail::trace::set_process(rank_, str("rank ", rank_, " of ", size_));
  etude::detail::trace::name_thread("communication");
  collectives_.use(comm_, rank_, size_);
  messages_.use(messages_comm_, rank_, size_);
}

// Called between the steps of anything that takes long.
void MpiWorker::read_messages() {
  messages_.read(asked_);
  if (aborts_) end_all();
}

Operation MpiWorker::next() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!changed_.wait_for(lock, kIdle, [this] { return !queue_.empty() || aborts_; }) || aborts_) {
    lock.unlock();
    read_messages();
    lock.lock();
  }
  Operation o = std::move(queue_.front());
  queue_.pop_front();
  return o;
}

void MpiWorker::perform(const Operation& o) {
  ++done_;
  patience_ = o.timeout;
  const auto limit = limit_of(o.timeout);
  const listen::Scope event({listen::Kind::kCommunication, Announcement(o).text()});
  try {
    agree(o, limit);
    collectives_.run(o, [&](MPI_Request request) {
      if (!wait(request, limit, false)) throw TimedOut();
    });
  } catch (const TimedOut&) {
    find_culprits();
    const std::string culprits = messages_.culprits(done_);
    throw Error(str(name_of(o.kind), " timed out after ", text_of(o.timeout), ": ",
                    culprits.empty() ? "all processes take part in it, and need more time" : culprits));
  }
}

MPI_Request MpiWorker::announce(const Operation& o) {
  mine_ = Announcement(o);
  MPI_Request request;
  constexpr int kBytes = sizeof(Announcement);
  check_mpi(MPI_Iallgather(&mine_, kBytes, MPI_BYTE, all_.data(), kBytes, MPI_BYTE, comm_, &request));
  return request;
}

// Announces the operation to the others, and waits until all have reached it.
void MpiWorker::agree(const Operation& o, Clock::time_point limit) {
  const listen::Scope event({listen::Kind::kCommunication, "wait for the others"});
  MPI_Request request = announce(o);
  if (!wait(request, limit, true)) throw TimedOut();
  const std::string text = disagreement();
  ETUDE_CHECK(text.empty(), text);
}

// The difference between the processes; empty if there is none.
std::string MpiWorker::disagreement() const {
  const auto left = [](const Announcement& a) { return a.kind == Operation::leave; };
  const auto gone = std::find_if(all_.begin(), all_.end(), left);
  const auto here = std::find_if_not(all_.begin(), all_.end(), left);
  if (gone != all_.end() && here != all_.end())
    return str("rank ", gone - all_.begin(), " has ended its program after ", done_ - 1,
               done_ == 2 ? " operation" : " operations", ", and rank ", here - all_.begin(), " asks for ",
               here->text());
  const auto other = std::find_if_not(all_.begin(), all_.end(), [&](const auto& a) { return a == all_[0]; });
  if (other == all_.end()) return "";
  return str(
      "Detected mismatch between collectives on ranks. Rank 0 is running ", all_[0].text(), ", rank ",
      other - all_.begin(), " ", other->text(),
      "\nhint: all processes call the same functions in the same order, with tensors of the same sizes");
}

// Called when the program ends. MPI is finalised if all processes have ended their programs.
void MpiWorker::end(const Operation& o) {
  if (failure_) return;
  try {
    ++done_;
    MPI_Request request = announce(o);
    wait_for_end(request);
    if (disagreement().empty()) {
      check_mpi(MPI_Comm_free(&messages_comm_));
      check_mpi(MPI_Comm_free(&comm_));
      check_mpi(MPI_Finalize());
      return;
    }
    for (const auto limit = Clock::now() + kOthersEnd; Clock::now() < limit;
         std::this_thread::sleep_for(kLongestSleep))
      read_messages();
  } catch (const std::exception& e) {
    say(line_of(rank_, size_, e.what()));
  }
}

// Other processes may end much later, as long as they answer.
void MpiWorker::wait_for_end(MPI_Request& request) {
  while (!wait(request, limit_of(patience_), true)) {
    find_culprits();
    if (!messages_.silent()) continue;
    reason_ = str("the end of the program timed out after ", text_of(patience_), ": ", messages_.culprits(0));
    end_all();
  }
}

// Whether the request is done within the limit. A wait for other processes soon sleeps and leaves the
// processor to them; elements move only while this thread polls.
bool MpiWorker::wait(MPI_Request& request, Clock::time_point limit, bool for_others) {
  const auto start = Clock::now();
  auto read = start;
  for (;;) {
    int done = 0;
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done) return true;
    const auto now = Clock::now();
    if (now >= limit) return false;
    if (now - read > kYield || aborts_) {
      read_messages();
      read = now;
    }
    const auto waited = now - start;
    if (waited < (for_others ? kYield : kExpected)) std::this_thread::yield();
    else std::this_thread::sleep_for(std::min(kLongestSleep, Duration(waited / 8)));
  }
}

void MpiWorker::find_culprits() {
  messages_.ask();
  for (const auto limit = Clock::now() + kAnswer; messages_.silent() && Clock::now() < limit;) {
    read_messages();
    std::this_thread::sleep_for(kLongestSleep);
  }
}

// One process reports why all end: the first, or of several at the same time the one with the lowest rank.
void MpiWorker::end_all() {
  bool speaks = !messages_.claimed();
  const auto read_for = [&](Duration time) {
    for (const auto limit = Clock::now() + time; Clock::now() < limit;
         std::this_thread::sleep_for(kLongestSleep))
      messages_.read(asked_);
  };
  if (speaks) {
    messages_.claim();
    read_for(kSettle);
    speaks = !messages_.claimed_by_lower();
  }
  if (speaks) say(line_of(rank_, size_, reason_));
  else read_for(kOthersEnd);
  MPI_Abort(MPI_COMM_WORLD, code_);
  std::_Exit(code_);
}

}  // namespace etude::distributed::detail
