// gnuplot by posix_spawn with a deadline: its errors are read by poll, and one that hangs is
// killed.
#include "report/gnuplot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace rooftile::report {
namespace {

using Clock = std::chrono::steady_clock;

/// Both ends of a pipe, closed on exec and at the end of scope.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  bool valid() const { return ends_[0] >= 0; }
  void close_end(std::size_t i) {
    if (ends_[i] >= 0) close(ends_[i]);
    ends_[i] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

/// File actions of the child: its directory, no input, no output, errors into the pipe.
class Actions {
 public:
  Actions(const std::string& folder, int errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, errors, 2);
  }
  ~Actions() { posix_spawn_file_actions_destroy(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

int left_ms(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::max<long long>(left.count(), 0));
}

/// Reads until end of file or the deadline; true at end of file.
bool read_until(int descriptor, Clock::time_point deadline, std::string& text) {
  std::array<char, 4096> buffer;
  for (;;) {
    pollfd poll_on{descriptor, POLLIN, 0};
    const int ready = poll(&poll_on, 1, left_ms(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t got = read(descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    if (text.size() < 65536) text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::vector<char*> arguments(const std::string& executable, std::span<const std::string> scripts) {
  static constexpr const char* no_start_up_files = "--default-settings";
  std::vector<char*> list = {const_cast<char*>(executable.c_str()),
                             const_cast<char*>(no_start_up_files)};
  for (const auto& script : scripts) list.push_back(const_cast<char*>(script.c_str()));
  list.push_back(nullptr);
  return list;
}

}  // namespace

std::optional<std::string> find_gnuplot() {
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const std::string candidate = std::string(rest.substr(0, colon)) + "/gnuplot";
    struct stat info {};
    if (candidate.front() == '/' && stat(candidate.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
        access(candidate.c_str(), X_OK) == 0)
      return candidate;
    rest = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
  }
  return std::nullopt;
}

GnuplotResult run_gnuplot(const std::string& executable, const std::string& folder,
                          std::span<const std::string> scripts, double timeout_s) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(static_cast<int>(timeout_s * 1e3));
  Pipe pipe;
  if (!pipe.valid()) return {false, fmt::format("no pipe: {}", std::strerror(errno))};
  const Actions actions(folder, pipe.write_end());
  auto list = arguments(executable, scripts);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, executable.c_str(), actions.get(), nullptr, list.data(), environ);
  if (failed != 0)
    return {false, fmt::format("cannot start {}: {}", executable, std::strerror(failed))};
  pipe.close_end(1);
  GnuplotResult result;
  const bool ended = read_until(pipe.read_end(), deadline, result.errors);
  if (!ended) {
    kill(child, SIGKILL);
    result.errors += fmt::format("gnuplot took longer than {:g} s and was stopped", timeout_s);
  }
  const int status = wait_for(child);
  result.ok = ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!result.ok && result.errors.empty()) result.errors = "gnuplot failed without a message";
  return result;
}

}  // namespace rooftile::report
