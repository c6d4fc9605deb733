// JSON access whose errors carry file, path within it, what was found and what was expected.
#include "model/record/json_reader.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "model/error.hpp"

namespace rooftile {
namespace {

/// ":line:column" of a byte position (1-based, as the parser reports it).
std::string position(std::string_view text, std::size_t byte) {
  const auto before = text.substr(0, std::min(byte == 0 ? 0 : byte - 1, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto last_break = before.rfind('\n');
  const auto column = before.size() - (last_break == std::string_view::npos ? 0 : last_break + 1);
  return fmt::format(":{}:{}", line, column + 1);
}

/// The parser's message without its bracketed code and its own position.
std::string cause(std::string_view message) {
  const auto bracket = message.find("] ");
  if (bracket != std::string_view::npos) message.remove_prefix(bracket + 2);
  const auto colon = message.find(": ");
  if (message.substr(0, 11) == "parse error" && colon != std::string_view::npos)
    message.remove_prefix(colon + 2);
  return std::string(message);
}

/// The value as an error shows it: ASCII, at most 60 characters.
std::string excerpt(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return fmt::format("an array of {}", value.size());
  auto text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

std::string child(const std::string& where, std::string_view key) {
  const bool inside = where.find(": ") != std::string::npos;
  return fmt::format("{}{}{}", where, inside ? "." : ": ", key);
}

}  // namespace

Json parse_json(std::string_view text, const std::string& source) {
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const Json::parse_error& error) {
    throw InputError(fmt::format("{}{}: malformed JSON: {}", source, position(text, error.byte),
                                 cause(error.what())));
  } catch (const Json::exception& error) {
    throw InputError(fmt::format("{}: malformed JSON: {}", source, cause(error.what())));
  }
}

std::string dump_json(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool JsonReader::has(std::string_view key) const {
  if (!value_->is_object()) return false;
  const auto found = value_->find(std::string(key));
  return found != value_->end() && !found->is_null();
}

JsonReader JsonReader::at(std::string_view key) const {
  if (!value_->is_object()) fail("an object");
  const auto found = value_->find(std::string(key));
  if (found == value_->end())
    throw InputError(fmt::format("{}: member \"{}\" is missing", where_, key));
  return {*found, child(where_, key)};
}

JsonReader JsonReader::at(std::size_t index) const {
  if (index >= size()) fail(fmt::format("an array with at least {} elements", index + 1));
  return {(*value_)[index], fmt::format("{}[{}]", where_, index)};
}

std::size_t JsonReader::size() const {
  if (!value_->is_array()) fail("an array");
  return value_->size();
}

std::vector<std::string> JsonReader::keys() const {
  if (!value_->is_object()) fail("an object");
  std::vector<std::string> result;
  for (const auto& item : value_->items()) result.push_back(item.key());
  return result;
}

double JsonReader::number() const {
  if (!value_->is_number()) fail("a number");
  const auto result = value_->get<double>();
  if (!std::isfinite(result)) fail("a finite number");
  return result;
}

std::int64_t JsonReader::integer() const {
  if (!value_->is_number_integer()) fail("an integer");
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  if (value_->is_number_unsigned() &&
      value_->get<std::uint64_t>() > static_cast<std::uint64_t>(largest))
    fail("an integer below 2^63");
  return value_->get<std::int64_t>();
}

std::int64_t JsonReader::integer_in(std::int64_t lo, std::int64_t hi) const {
  const auto result = integer();
  if (result < lo || result > hi) fail(fmt::format("an integer from {} to {}", lo, hi));
  return result;
}

int JsonReader::count() const {
  return static_cast<int>(integer_in(0, std::numeric_limits<int>::max()));
}

bool JsonReader::boolean() const {
  if (!value_->is_boolean()) fail("true or false");
  return value_->get<bool>();
}

std::string JsonReader::text() const {
  if (!value_->is_string()) fail("a text");
  return value_->get<std::string>();
}

std::vector<double> JsonReader::numbers() const {
  std::vector<double> result(size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = at(i).number();
  return result;
}

std::vector<std::string> JsonReader::texts() const {
  std::vector<std::string> result(size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = at(i).text();
  return result;
}

std::optional<double> JsonReader::optional_number(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  return at(key).number();
}

std::string JsonReader::text_or(std::string_view key, std::string_view fallback) const {
  return has(key) ? at(key).text() : std::string(fallback);
}

std::size_t JsonReader::one_of(std::span<const std::string_view> names) const {
  const auto found = value_->is_string()
                         ? std::find(names.begin(), names.end(), value_->get<std::string>())
                         : names.end();
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::string list;
  for (const auto name : names) list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", name);
  fail("one of " + list);
}

void JsonReader::fail(const std::string& expected) const {
  throw InputError(fmt::format("{}: expected {}, found {}", where_, expected, excerpt(*value_)));
}

Json number_or_null(std::optional<double> value) {
  if (!value) return nullptr;
  if (!std::isfinite(*value)) throw std::logic_error("a number for a JSON file is not finite");
  return *value;
}

}  // namespace rooftile
