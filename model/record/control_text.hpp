// What in a text steers the terminal or the page that shows it, rather than being shown: control
// characters, and the Unicode characters that turn the direction of what follows them, by which one
// name can pass for another ("Trojan Source", CVE-2021-42574). Names in files of others may hold
// either.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rooftile {

/// Bytes of the steering character that UTF-8 `text` begins with; 0 when it begins with another, or
/// is empty. Steering are the control characters U+0000..U+001F, U+007F..U+009F and the
/// bidirectional embeddings, overrides and isolates U+202A..U+202E, U+2066..U+2069.
std::size_t steering_bytes(std::string_view text);

/// `text` with each steering character replaced, less those in `kept`, as "\n\t".
std::string without_steering(std::string_view text, std::string_view replacement,
                             std::string_view kept = "");

}  // namespace rooftile
