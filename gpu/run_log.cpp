#include "gpu/run_log.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>

#include "model/error.hpp"

namespace rooftile {
namespace {

[[noreturn]] void fail(const std::string& path, const char* verb, int code) {
  throw InputError(fmt::format("{}: cannot {}: {}", path, verb, std::strerror(code)));
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

RunLog::RunLog(std::string path, ExistingLog existing) : path_(std::move(path)) {
  const bool exists = has_content(path_);
  if (exists && existing == ExistingLog::refuse)
    throw InputError(
        fmt::format("{} exists: continue it with --resume, or replace it with --force", path_));
  if (exists && existing == ExistingLog::resume) read_existing();
  const int fresh = existing == ExistingLog::overwrite ? O_TRUNC : 0;
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | fresh, 0666);
  if (file_ < 0) fail(path_, "write", errno);
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
