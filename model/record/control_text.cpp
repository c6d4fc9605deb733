#include "model/record/control_text.hpp"

#include <algorithm>

namespace rooftile {
namespace {

/// Is the last byte of a sequence of UTF-8 there and between these?
bool between(std::string_view text, std::size_t at, unsigned char low, unsigned char high) {
  if (at >= text.size()) return false;
  const auto byte = static_cast<unsigned char>(text[at]);
  return byte >= low && byte <= high;
}

}  // namespace

std::size_t steering_bytes(std::string_view text) {
  if (between(text, 0, 0x00, 0x1f) || between(text, 0, 0x7f, 0x7f)) return 1;
  if (text.starts_with("\xc2")) return between(text, 1, 0x80, 0x9f) ? 2 : 0;
  const bool turns = (text.starts_with("\xe2\x80") && between(text, 2, 0xaa, 0xae)) ||
                     (text.starts_with("\xe2\x81") && between(text, 2, 0xa6, 0xa9));
  return turns ? 3 : 0;
}

std::string without_steering(std::string_view text, std::string_view replacement,
                             std::string_view kept) {
  std::string clean;
  while (!text.empty()) {
    const std::size_t steering =
        kept.find(text.front()) != std::string_view::npos ? 0 : steering_bytes(text);
    if (steering > 0)
      clean += replacement;
    else
      clean += text.front();
    text.remove_prefix(std::max<std::size_t>(steering, 1));
  }
  return clean;
}

}  // namespace rooftile
