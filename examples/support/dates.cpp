#include "support/dates.h"

#include <array>
#include <stdexcept>

namespace examples {
namespace {

const std::array<const char*, 12> kMonths = {"january",   "february", "march",    "april",
                                             "may",       "june",     "july",     "august",
                                             "september", "october",  "november", "december"};
const std::array<const char*, 7> kWeekdays = {"monday", "tuesday",  "wednesday", "thursday",
                                              "friday", "saturday", "sunday"};
const std::array<const char*, 20> kCardinals = {"zero",    "one",     "two",       "three",    "four",
                                                "five",    "six",     "seven",     "eight",    "nine",
                                                "ten",     "eleven",  "twelve",    "thirteen", "fourteen",
                                                "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
const std::array<const char*, 20> kOrdinals = {
    "zeroth",     "first",     "second",    "third",       "fourth",     "fifth",     "sixth",
    "seventh",    "eighth",    "ninth",     "tenth",       "eleventh",   "twelfth",   "thirteenth",
    "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"};
const std::array<const char*, 10> kTens = {"",      "",      "twenty",  "thirty", "forty",
                                           "fifty", "sixty", "seventy", "eighty", "ninety"};

bool is_leap(int64_t year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

int64_t days_in(int64_t year, int64_t month) {
  if (month == 2) return is_leap(year) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

std::string two_digits(int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); }

}  // namespace

const std::string kDateCharacters = "abcdefghijklmnopqrstuvwxyz0123456789 ,./-'";

Date date_of_day(int64_t number) {
  Date date{1900, 1, 1};
  for (; number >= (is_leap(date.year) ? 366 : 365); ++date.year) number -= is_leap(date.year) ? 366 : 365;
  for (; number >= days_in(date.year, date.month); ++date.month) number -= days_in(date.year, date.month);
  date.day = number + 1;
  return date;
}

int64_t weekday_of(const Date& date) {
  // Zeller's congruence: January and February are months 13 and 14 of the year before; Saturday is 0.
  const bool early = date.month < 3;
  const int64_t year = date.year - (early ? 1 : 0), month = date.month + (early ? 12 : 0);
  const int64_t from_saturday =
      (date.day + 13 * (month + 1) / 5 + year + year / 4 - year / 100 + year / 400) % 7;
  return (from_saturday + 5) % 7;
}

bool is_kept_back(int64_t number) { return number * 2654435761 % 4294967296 / 65536 % 10 == 0; }

std::string iso(const Date& date) {
  return std::to_string(date.year) + "-" + two_digits(date.month) + "-" + two_digits(date.day);
}

std::string cardinal(int64_t number) {
  if (number < 20) return kCardinals.at(static_cast<size_t>(number));
  const std::string tens = kTens.at(static_cast<size_t>(number / 10));
  return number % 10 == 0 ? tens : tens + "-" + kCardinals.at(static_cast<size_t>(number % 10));
}

std::string ordinal(int64_t number) {
  if (number < 20) return kOrdinals.at(static_cast<size_t>(number));
  const std::string tens = kTens.at(static_cast<size_t>(number / 10));
  if (number % 10 == 0) return tens.substr(0, tens.size() - 1) + "ieth";
  return tens + "-" + kOrdinals.at(static_cast<size_t>(number % 10));
}

std::string short_ordinal(int64_t number) {
  const bool is_teen = number % 100 / 10 == 1;
  const int64_t last = is_teen ? 0 : number % 10;
  return std::to_string(number) + (last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

std::string year_in_words(int64_t year) {
  const int64_t century = year / 100, rest = year % 100;
  if (year == 2000) return "two thousand";
  if (year > 2000 && year < 2010) return "two thousand and " + cardinal(rest);
  if (rest == 0) return cardinal(century) + " hundred";
  return cardinal(century) + (rest < 10 ? " oh " : " ") + cardinal(rest);
}

std::string written(const Date& d, size_t form) {
  const std::string month = kMonths.at(static_cast<size_t>(d.month - 1)), short_month = month.substr(0, 3);
  const std::string weekday = kWeekdays.at(static_cast<size_t>(weekday_of(d)));
  const std::string day = std::to_string(d.day), year = std::to_string(d.year);
  switch (form) {
    case 0:
      return day + " " + month + " " + year;
    case 1:
      return month + " " + day + ", " + year;
    case 2:
      return short_ordinal(d.day) + " " + month + " " + year;
    case 3:
      return month + " " + short_ordinal(d.day) + ", " + year;
    case 4:
      return "the " + ordinal(d.day) + " of " + month + " " + year;
    case 5:
      return "the " + short_ordinal(d.day) + " of " + month + ", " + year;
    case 6:
      return "the " + ordinal(d.day) + " of " + month + " " + year_in_words(d.year);
    case 7:
      return month + " the " + ordinal(d.day) + ", " + year_in_words(d.year);
    case 8:
      return weekday + ", " + month + " " + day + " " + year;
    case 9:
      return weekday.substr(0, 3) + " " + two_digits(d.day) + " " + short_month + " " + year;
    case 10:
      return day + "-" + short_month + "-" + year;
    case 11:
      return year + ", " + month + " " + day;
    case 12:
      return year + "/" + std::to_string(d.month) + "/" + day;
    case 13:
      return two_digits(d.day) + "." + two_digits(d.month) + "." + year;
    case 14:
      return std::to_string(d.month) + "/" + day + "/" + year;  // the month first, as in the USA
    case 15:
      return ordinal(d.day) + " day of " + month + " in the year " + year;
    default:
      throw std::out_of_range("there is no form " + std::to_string(form));
  }
}

}  // namespace examples
