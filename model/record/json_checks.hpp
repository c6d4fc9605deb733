// What several readers ask of their numbers and texts.
#pragma once

#include <string>
#include <string_view>

#include "model/error.hpp"
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

/// What `parse` makes of the text; its InputErrors say where that stands.
template <class Parse>
auto parsed_text(const JsonReader& json, Parse parse) {
  const std::string text = json.text();
  try {
    return parse(text);
  } catch (const InputError& error) {
    throw InputError(json.where() + ": " + error.what());
  }
}

}  // namespace rooftile
