// Whole-file reading and writing. A write goes to a temporary file beside the target, which is
// synced and renamed: a reader, or a kill, sees the old file or the new one, never half of one. The
// temporary file is created exclusively, so that two writers of one target never share it, be they
// threads, processes or containers that see the same folder and the same process ids.
// Devices and pipes (/dev/stdout) cannot be renamed over and are written directly.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "model/error.hpp"
#include "model/record/gzip.hpp"
#include "model/record/json_reader.hpp"

namespace rooftile {
namespace {

[[noreturn]] void fail(const std::string& path, const char* verb) {
  const int code = errno;
  throw_file_error(fmt::format("{}: cannot {}: {}", path, verb, std::strerror(code)), code);
}

class File {
 public:
  File() = default;
  File(const std::string& path, int flags) { open(path, flags); }
  ~File() { close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool open(const std::string& path, int flags) {
    descriptor_ = ::open(path.c_str(), flags, 0666);
    return opened();
  }
  bool opened() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  bool close() {
    const bool closed = descriptor_ < 0 || ::close(descriptor_) == 0;
    descriptor_ = -1;
    return closed;
  }
  bool write(std::string_view text) const {
    while (!text.empty()) {
      const auto written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno != EINTR) return false;
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }

 private:
  int descriptor_ = -1;
};

/// The file behind `path` when it is a link (it need not exist), so that a rename replaces the
/// file and not the link.
std::string link_target(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int most_links = 40;  // as in Linux's path resolution
  std::error_code ignored;
  fs::path target = path;
  for (int links = 0; fs::is_symlink(target, ignored); ++links) {
    errno = ELOOP;
    if (links == most_links) fail(path, "write");
    target = target.parent_path() / fs::read_symlink(target, ignored);
  }
  return target.string();
}

bool is_special(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

/// Creates "<target>.tmp.<process>.<counter>"; the counter goes on where a killed process left that
/// name, or one of another container uses it. "" when there can be none; errno says why.
std::string create_beside(const std::string& target, File& file) {
  static std::atomic<unsigned> counter{0};
  for (int attempt = 0; attempt < 10'000; ++attempt) {
    std::string name = fmt::format("{}.tmp.{}.{}", target, ::getpid(), counter++);
    if (file.open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)) return name;
    if (errno != EEXIST) break;
  }
  return "";
}

void write_directly(const std::string& path, std::string_view text) {
  File file(path, O_WRONLY | O_CLOEXEC);
  if (!file.opened() || !file.write(text)) fail(path, "write");
}

}  // namespace

std::string read_text_file(const std::string& path) {
  File file(path, O_RDONLY | O_CLOEXEC);
  if (!file.opened()) fail(path, "open");
  std::string text;
  std::string buffer(1 << 16, '\0');
  for (;;) {
    const auto count = ::read(file.descriptor(), buffer.data(), buffer.size());
    if (count == 0) return is_gzip(text) ? gunzip(text, path) : text;
    if (count < 0 && errno != EINTR) fail(path, "read");
    if (count > 0) text.append(buffer, 0, static_cast<std::size_t>(count));
  }
}

bool is_compressed_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  const File file(path, O_RDONLY | O_CLOEXEC);
  std::string start(2, '\0');
  return file.opened() && ::read(file.descriptor(), start.data(), start.size()) == 2 &&
         is_gzip(start);
}

void write_text_file(const std::string& path, std::string_view text) {
  if (is_special(path)) return write_directly(path, text);
  const std::string target = link_target(path);
  File file;
  const std::string temporary = create_beside(target, file);
  if (temporary.empty()) fail(path, "write");
  const bool written = file.write(text) && ::fsync(file.descriptor()) == 0;
  if (!written || !file.close() || std::rename(temporary.c_str(), target.c_str()) != 0) {
    const int cause = errno;
    ::unlink(temporary.c_str());
    errno = cause;
    fail(path, "write");
  }
}

}  // namespace rooftile
