// Writes gzip files, as `gzip` would.
#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>

namespace rooftile::test {

/// `mode` as of gzopen(): "wb", or "ab" for one more member.
inline void write_gzip(const std::string& path, const std::string& text, const char* mode = "wb") {
  const gzFile file = gzopen(path.c_str(), mode);
  if (file == nullptr) throw std::runtime_error("cannot write " + path);
  const auto size = static_cast<unsigned>(text.size());
  const bool written = size == 0 || gzwrite(file, text.data(), size) == static_cast<int>(size);
  if (gzclose(file) != Z_OK || !written) throw std::runtime_error("cannot write " + path);
}

}  // namespace rooftile::test
