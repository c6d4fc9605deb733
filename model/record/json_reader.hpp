// Reading JSON so that every error names file, path, value and what was expected.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rooftile {

using Json = nlohmann::ordered_json;

/// Parses `text`. Throws InputError with `source`, line and column on malformed JSON, duplicate
/// keys excepted.
Json parse_json(std::string_view text, const std::string& source);

/// The text of a file: indented, a newline at the end; bytes that are not UTF-8 (in a path, say)
/// are replaced by U+FFFD.
std::string dump_json(const Json& json);

/// Reads a whole file; a gzip file, whatever its name, is unpacked. Throws InputError that names
/// the path when it cannot be opened, read or unpacked.
std::string read_text_file(const std::string& path);

/// Is it a gzip file? False for one that cannot be read.
bool is_compressed_file(const std::string& path);

/// Writes beside the target, under a name that no other process or thread uses, and renames, so
/// that a reader never sees half a file and of several writers one wins whole. Throws InputError
/// naming the path.
void write_text_file(const std::string& path, std::string_view text);

/// A view of one JSON value that remembers where it came from. Accessors throw InputError on a
/// missing member or a wrong type.
class JsonReader {
 public:
  JsonReader(const Json& value, std::string where) : value_(&value), where_(std::move(where)) {}

  const Json& raw() const { return *value_; }
  const std::string& where() const { return where_; }

  bool has(std::string_view key) const;  ///< member exists and is not null
  JsonReader at(std::string_view key) const;
  JsonReader at(std::size_t index) const;
  std::size_t size() const;               ///< of an array
  std::vector<std::string> keys() const;  ///< of an object

  double number() const;         ///< finite
  std::int64_t integer() const;  ///< written as an integer, below 2^63
  std::int64_t integer_in(std::int64_t lo, std::int64_t hi) const;
  int count() const;  ///< 0 .. 2^31 - 1
  bool boolean() const;
  std::string text() const;
  std::vector<double> numbers() const;
  std::vector<std::string> texts() const;

  std::optional<double> optional_number(
      std::string_view key) const;  ///< nullopt when absent or null
  std::string text_or(std::string_view key, std::string_view fallback) const;
  /// Index of the text in `names`; the error lists them.
  std::size_t one_of(std::span<const std::string_view> names) const;

  [[noreturn]] void fail(const std::string& expected) const;

 private:
  const Json* value_;
  std::string where_;
};

/// null for nullopt; non-finite numbers are refused with std::logic_error, since no file of ours
/// may hold them.
Json number_or_null(std::optional<double> value);

}  // namespace rooftile
