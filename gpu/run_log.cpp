// Appending with O_APPEND, one write and one fsync a line. A write that fails is cut off again, so
// that a full disk leaves whole lines too.
#include "gpu/run_log.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>

#include "model/error.hpp"

namespace rooftile {
namespace {

[[noreturn]] void fail(const std::string& path, const char* verb, int code) {
  throw_file_error(fmt::format("{}: cannot {}: {}", path, verb, std::strerror(code)), code);
}

bool has_content(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && status.st_size > 0;
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  // Pipes and some file systems cannot sync; the line is then as safe as it can be.
  return ::fsync(file) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
}

}  // namespace

RunLog::RunLog(std::string path) : path_(std::move(path)) {}

RunLog::RunLog(std::string path, ExistingLog existing) : RunLog(std::move(path)) {
  refuse_content(existing);  // before the file is touched
  refuse_compressed(existing);
  open_alone();
  refuse_content(existing);
  if (existing == ExistingLog::resume && has_content(path_)) read_existing();
  if (existing == ExistingLog::overwrite && has_content(path_) && ::ftruncate(file_, 0) != 0)
    fail(path_, "write", errno);
}

void RunLog::refuse_content(ExistingLog existing) const {
  if (existing == ExistingLog::refuse && has_content(path_))
    throw InputError(
        fmt::format("{} exists: continue it with --resume, or replace it with --force", path_));
}

void RunLog::refuse_compressed(ExistingLog existing) const {
  if (path_.ends_with(".gz"))
    throw InputError(fmt::format("{}: runs are written uncompressed; leave .gz out", path_));
  if (existing == ExistingLog::resume && is_compressed_file(path_))
    throw InputError(
        fmt::format("{}: a compressed file cannot be continued; unpack it with gunzip", path_));
}

/// The lock goes with the descriptor, so a kill frees it. Where locks do not work, we go on.
void RunLog::open_alone() {
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) fail(path_, "write", errno);
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw InputError(fmt::format(
        "{}: another rooftile is writing it; wait until it ends, or use another --output", path_));
}

RunLog::~RunLog() {
  if (file_ >= 0) ::close(file_);
}

void RunLog::read_existing() {
  bool truncated = false;
  for (const auto& run : load_runs(path_, &truncated)) remember(run);
  const std::string text = read_text_file(path_);
  if (text.back() == '\n') return;
  repaired_ = true;
  const auto last_break = text.rfind('\n');
  const auto kept = last_break == std::string::npos ? 0 : last_break + 1;
  if (truncated) {
    if (::truncate(path_.c_str(), static_cast<off_t>(kept)) != 0) fail(path_, "repair", errno);
    return;
  }
  const int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const bool ended = file >= 0 && write_all(file, "\n");
  const int code = errno;
  if (file >= 0) ::close(file);
  if (!ended) fail(path_, "repair", code);
}

void RunLog::remember(const RunRecord& run) {
  runs_.push_back(run);
  if (run.state != State::failed) done_.insert(run_key(run));
}

void RunLog::append(const RunRecord& run) {
  const auto line = run.to_json().dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  struct stat before {};
  const bool regular = ::fstat(file_, &before) == 0 && S_ISREG(before.st_mode);
  if (!write_all(file_, line)) {
    const int code = errno;
    if (regular && ::ftruncate(file_, before.st_size) != 0) fail(path_, "repair", errno);
    fail(path_, "write", code);
  }
  remember(run);
}

}  // namespace rooftile
