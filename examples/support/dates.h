#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace examples {

/// A day of the Gregorian calendar; month and day count from 1.
struct Date {
  int64_t year, month, day;
};

/// The days from 1900-01-01 to 2099-12-31.
constexpr size_t kDays = 73049;
/// The date of day `number`, where 1900-01-01 is day 0.
Date date_of_day(int64_t number);
/// The day of the week, from 0 for Monday to 6 for Sunday.
int64_t weekday_of(const Date& date);
/// Whether a day is held out of training: one in ten, scattered.
bool is_kept_back(int64_t number);

/// 2021-05-03
std::string iso(const Date& date);

/// The number of ways to write a date, and a date written in one of them, in lower case: "3 may 2021",
/// "monday, may 3rd 2021", "the third of may two thousand and twenty-one", ...
constexpr size_t kForms = 16;
std::string written(const Date& date, size_t form);
/// The characters that occur in written dates.
extern const std::string kDateCharacters;

/// 21 -> "twenty-one", below 100; 21 -> "twenty-first", below 100.
std::string cardinal(int64_t number);
std::string ordinal(int64_t number);
/// 21 -> "21st"
std::string short_ordinal(int64_t number);
/// 1905 -> "nineteen oh five", 2005 -> "two thousand and five", 2021 -> "twenty twenty-one".
std::string year_in_words(int64_t year);

}  // namespace examples
