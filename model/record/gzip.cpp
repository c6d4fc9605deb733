// zlib's inflate, member by member, and its deflate in one go.
#include "model/record/gzip.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "model/error.hpp"

namespace rooftile {
namespace {

constexpr std::size_t longest_text = std::size_t{4} << 30;
constexpr int gzip_format = 16;  // added to the window's bits: a gzip header is expected

class Inflater {
 public:
  explicit Inflater(const std::string& source) : source_(source) {
    if (inflateInit2(&stream_, MAX_WBITS + gzip_format) != Z_OK) fail("zlib cannot start");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Appends the member that `data` starts with; returns its length in `data`.
  std::size_t member(std::string_view data, std::string& text) {
    if (inflateReset(&stream_) != Z_OK) fail("zlib cannot start");
    std::size_t used = 0;
    for (int status = Z_OK; status != Z_STREAM_END;) {
      if (stream_.avail_in == 0) used += feed(data.substr(used));
      std::string piece(1 << 16, '\0');
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = static_cast<uInt>(piece.size());
      status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_BUF_ERROR) fail("the compressed data end too early");
      if (status != Z_OK && status != Z_STREAM_END) fail("the compressed data are damaged");
      text.append(piece, 0, piece.size() - stream_.avail_out);
      if (text.size() > longest_text) fail("more than 4 GiB of text");
    }
    used -= stream_.avail_in;
    stream_.avail_in = 0;
    return used;
  }

 private:
  /// zlib counts in 32 bits.
  std::size_t feed(std::string_view data) {
    const auto most = static_cast<std::size_t>(std::numeric_limits<uInt>::max());
    const std::size_t count = std::min(data.size(), most);
    // zlib's interface wants non-const input unless built with ZLIB_CONST; it does not write it.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    stream_.avail_in = static_cast<uInt>(count);
    return count;
  }

  [[noreturn]] void fail(const char* why) const {
    throw InputError(fmt::format("{}: {}", source_, why));
  }

  const std::string& source_;
  z_stream stream_{};
};

}  // namespace

bool is_gzip(std::string_view data) { return data.substr(0, 2) == "\x1f\x8b"; }

std::string gunzip(std::string_view data, const std::string& source) {
  Inflater inflater(source);
  std::string text;
  while (is_gzip(data)) data.remove_prefix(inflater.member(data, text));
  // gzip pads with zeros on some devices, and ignores them.
  if (data.find_first_not_of('\0') != std::string_view::npos)
    throw InputError(fmt::format("{}: the compressed data are followed by other data", source));
  return text;
}

std::string gzip(std::string_view text) {
  z_stream stream{};
  if (text.size() > std::numeric_limits<uInt>::max() ||
      deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + gzip_format, MAX_MEM_LEVEL,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib cannot compress this text");
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const bool whole = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (!whole) throw std::runtime_error("zlib cannot compress this text");
  return packed;
}

}  // namespace rooftile
