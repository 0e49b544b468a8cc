#include "support/dates.h"

#include <doctest/doctest.h>

#include <ctime>
#include <set>
#include <stdexcept>
#include <string>

namespace {

using examples::Date;

TEST_SUITE("dates") {
  TEST_CASE("days and their weekdays are those of the C library") {
    const int64_t days = static_cast<int64_t>(examples::kDays);
    for (int64_t number = 0; number < days; number += 37) {
      std::tm day{};
      day.tm_year = 0;
      day.tm_mday = 1 + static_cast<int>(number);
      day.tm_hour = 12;
      REQUIRE(timegm(&day) != std::time_t{-1});
      const Date date = examples::date_of_day(number);
      CAPTURE(examples::iso(date));
      CHECK(date.year == day.tm_year + 1900);
      CHECK(date.month == day.tm_mon + 1);
      CHECK(date.day == day.tm_mday);
      CHECK(examples::weekday_of(date) == (day.tm_wday + 6) % 7);
    }
    CHECK(examples::iso(examples::date_of_day(0)) == "1900-01-01");
    CHECK(examples::iso(examples::date_of_day(days - 1)) == "2099-12-31");
  }

  TEST_CASE("one day in ten is kept back, in every year") {
    int64_t kept = 0;
    std::set<int64_t> years;
    for (int64_t number = 0; number < static_cast<int64_t>(examples::kDays); ++number) {
      if (!examples::is_kept_back(number)) continue;
      ++kept;
      years.insert(examples::date_of_day(number).year);
    }
    CHECK(static_cast<double>(kept) / static_cast<double>(examples::kDays) ==
          doctest::Approx(0.1).epsilon(0.02));
    CHECK(years.size() == 200);
  }

  TEST_CASE("a date is written in many forms") {
    const Date date{2021, 5, 3};
    const char* expected[examples::kForms] = {"3 may 2021",
                                              "may 3, 2021",
                                              "3rd may 2021",
                                              "may 3rd, 2021",
                                              "the third of may 2021",
                                              "the 3rd of may, 2021",
                                              "the third of may twenty twenty-one",
                                              "may the third, twenty twenty-one",
                                              "monday, may 3 2021",
                                              "mon 03 may 2021",
                                              "3-may-2021",
                                              "2021, may 3",
                                              "2021/5/3",
                                              "03.05.2021",
                                              "5/3/2021",
                                              "third day of may in the year 2021"};
    for (size_t form = 0; form < examples::kForms; ++form)
      CHECK(examples::written(date, form) == expected[form]);
    for (int64_t number = 0; number < static_cast<int64_t>(examples::kDays); number += 301)
      for (size_t form = 0; form < examples::kForms; ++form)
        CHECK(examples::written(examples::date_of_day(number), form)
                  .find_first_not_of(examples::kDateCharacters) == std::string::npos);
    CHECK_THROWS_AS(examples::written(date, examples::kForms), std::out_of_range);
  }

  TEST_CASE("numbers are written in words") {
    CHECK(examples::cardinal(0) == "zero");
    CHECK(examples::cardinal(13) == "thirteen");
    CHECK(examples::cardinal(40) == "forty");
    CHECK(examples::cardinal(99) == "ninety-nine");
    CHECK(examples::ordinal(1) == "first");
    CHECK(examples::ordinal(12) == "twelfth");
    CHECK(examples::ordinal(20) == "twentieth");
    CHECK(examples::ordinal(31) == "thirty-first");
    CHECK(examples::short_ordinal(1) == "1st");
    CHECK(examples::short_ordinal(12) == "12th");
    CHECK(examples::short_ordinal(22) == "22nd");
    CHECK(examples::short_ordinal(23) == "23rd");
    CHECK(examples::short_ordinal(30) == "30th");
    CHECK(examples::year_in_words(1900) == "nineteen hundred");
    CHECK(examples::year_in_words(1905) == "nineteen oh five");
    CHECK(examples::year_in_words(1999) == "nineteen ninety-nine");
    CHECK(examples::year_in_words(2000) == "two thousand");
    CHECK(examples::year_in_words(2009) == "two thousand and nine");
    CHECK(examples::year_in_words(2010) == "twenty ten");
  }
}

}  // namespace
