// The hash that names a compiled kernel, and with it a file: kernel_id_of in kernel_files.hpp.
#pragma once

#include <string_view>

namespace rooftile {

/// 16 lower-case hexadecimal digits.
inline bool is_kernel_id(std::string_view text) {
  return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace rooftile
