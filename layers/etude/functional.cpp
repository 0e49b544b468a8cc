#include "etude/functional.h"

namespace etude::nn {

FunctionalImpl::FunctionalImpl(Function function) : function_(std::move(function)) {
  ETUDE_CHECK_VALUE(function_, "Functional: the function is empty");
}

}  // namespace etude::nn
