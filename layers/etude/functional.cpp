#include "etude/functional.h"

namespace etude {
namespace nn {

FunctionalImpl::FunctionalImpl(Function function) : function_(std::move(function)) {
  ETUDE_CHECK_VALUE(function_, "Functional: the function is empty");
}

}  // namespace nn
}  // namespace etude
