#pragma once

namespace etude::detail {

constexpr double kPi = 3.14159265358979323846;

}  // namespace etude::detail
