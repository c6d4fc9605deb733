// Ranges that several records ask of their numbers. Private to the readers of model/record/.
#pragma once

#include <string_view>

#include "model/record/json_reader.hpp"

namespace rooftile {

/// The number, above 0. Throws InputError otherwise.
inline double positive(const JsonReader& json) {
  const double value = json.number();
  if (!(value > 0)) json.fail("a number above 0");
  return value;
}

/// The number, at least 0. Throws InputError otherwise.
inline double not_negative(const JsonReader& json) {
  const double value = json.number();
  if (value < 0) json.fail("a number that is not negative");
  return value;
}

/// Member `key`, at least 0; 0 where it is absent or null.
inline double not_negative_or_0(const JsonReader& json, std::string_view key) {
  return json.has(key) ? not_negative(json.at(key)) : 0;
}

}  // namespace rooftile
