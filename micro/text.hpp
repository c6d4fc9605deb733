// text("{} of {:.1f}", 3, 4.5): formatting for CUDA sources. fmt 9, which Debian 12 and
// Ubuntu 24.04 carry, does not compile under nvcc as C++20; so it stays in one host file behind
// this.
#pragma once

#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace rooftile::micro {

class TextArgument {
 public:
  template <std::integral T>
  TextArgument(T value) : value_(static_cast<long long>(value)) {}
  TextArgument(double value) : value_(value) {}
  TextArgument(std::string_view value) : value_(value) {}
  TextArgument(const std::string& value) : value_(std::string_view(value)) {}
  TextArgument(const char* value) : value_(std::string_view(value)) {}

  const std::variant<long long, double, std::string_view>& value() const { return value_; }

 private:
  std::variant<long long, double, std::string_view> value_;
};

/// Pattern in the syntax of fmt. Throws fmt::format_error when pattern and arguments disagree.
std::string format_text(std::string_view pattern, std::span<const TextArgument> arguments);

template <class... T>
std::string text(std::string_view pattern, const T&... arguments) {
  const TextArgument list[] = {TextArgument(arguments)...};
  return format_text(pattern, list);
}

}  // namespace rooftile::micro
