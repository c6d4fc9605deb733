// gzip (RFC 1952): recorded runs may be kept compressed, recorded kernels always are.
#pragma once

#include <string>
#include <string_view>

namespace rooftile {

/// Does `data` start as a gzip file does? No JSON text starts so.
bool is_gzip(std::string_view data);

/// All members of a gzip file (two that were joined with `cat` are one file). Throws InputError
/// that names `source` for damaged or incomplete data and for more than 4 GiB of text.
std::string gunzip(std::string_view data, const std::string& source);

/// One member at the highest level, without time and name: equal texts give equal files.
std::string gzip(std::string_view text);

}  // namespace rooftile
