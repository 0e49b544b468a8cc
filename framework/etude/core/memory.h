#pragma once

#include <memory>

namespace etude {

using std::make_unique;  // torch::make_unique

}  // namespace etude
