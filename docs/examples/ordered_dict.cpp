#include "support/example.h"

/// # Ordered dictionaries
///
/// What `named_parameters` and its like return: names and values, in the order in which they came.

/// - Errors: `Key 'c' is not defined`, `Key 'a' already defined`, `Index 7 is out of bounds`, `Key 'c' doesn't
///   exist`, `Called front() on an empty OrderedDict`; `Key` is the description that the dictionary was given, but where one is
///   erased
EXAMPLE(etude::OrderedDict) {
  etude::OrderedDict<std::string, int> ages("Name");
  ages.insert("Zoe", 7);
  ages.insert("Adam", 5);
  ages["Adam"] += 1;
  for (const auto& item : ages) print(item.key(), item.value());
  print(ages[0].key(), ages.contains("Eve"), ages.find("Eve") == nullptr);
  print(examples::message_of([&] { ages["Eve"]; }));
  print(examples::message_of([&] { ages.insert("Zoe", 8); }));
  print(examples::message_of([&] { ages[7]; }));
  print(examples::message_of([&] { ages.erase("Eve"); }));
}
