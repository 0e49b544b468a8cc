#pragma once

// LOG and CHECK, which write a line to the error stream. FATAL and a failed CHECK then abort, as in LibTorch.

#include <torch/torch.h>

namespace torch::logging {

/// Collects a line of text and writes it when it is destroyed.
class Line {
 public:
  Line(std::string level, const char* file, int line) : level_(std::move(level)) {
    text_ << '[' << level_[0] << ' ' << file << ':' << line << "] ";
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() {
    text_ << '\n';
    std::cerr << text_.str();
    if (level_ == "FATAL") std::abort();
  }
  std::ostream& stream() { return text_; }

 private:
  std::string level_;
  std::ostringstream text_;
};

/// Makes both branches of a condition void, so that a macro is one expression.
struct Ignored {
  void operator&(const std::ostream&) const {}
};

}  // namespace torch::logging

#define LOG(level) ::torch::logging::Line(#level, __FILE__, __LINE__).stream()
#define LOG_IF(level, condition) !(condition) ? (void)0 : ::torch::logging::Ignored() & LOG(level)
#define DLOG LOG
#define VLOG(level) LOG_IF(INFO, (level) <= 0)
#define CHECK(condition) LOG_IF(FATAL, !(condition)) << "Check failed: " #condition " "
#define CHECK_EQ(a, b) CHECK((a) == (b))
#define CHECK_NE(a, b) CHECK((a) != (b))
#define CHECK_LT(a, b) CHECK((a) < (b))
#define CHECK_LE(a, b) CHECK((a) <= (b))
#define CHECK_GT(a, b) CHECK((a) > (b))
#define CHECK_GE(a, b) CHECK((a) >= (b))
#define DCHECK CHECK
#define TORCH_CHECK_EQ CHECK_EQ
#define TORCH_CHECK_NE CHECK_NE
#define TORCH_CHECK_LT CHECK_LT
#define TORCH_CHECK_LE CHECK_LE
#define TORCH_CHECK_GT CHECK_GT
#define TORCH_CHECK_GE CHECK_GE
