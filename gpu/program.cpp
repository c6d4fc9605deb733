// Processes by posix_spawn. Both pipes are read by poll as they fill: a program that writes much to
// one of them would else wait for ever while we read the other. One that outlives its deadline is
// killed.
#include "gpu/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace rooftile {

namespace {

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) {
      throw std::system_error(errno, std::generic_category(), "pipe");
    }
  }
  ~Pipe() {
    close(ends_[0]);
    close_writer();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_writer() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

/// What the child does before it starts: its folder, no input, both streams into the pipes.
class SpawnActions {
 public:
  SpawnActions(const std::string& folder, int output, int errors) {
    posix_spawn_file_actions_init(&actions_);
    if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output, 1);
    posix_spawn_file_actions_adddup2(&actions_, errors, 2);
  }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// Appends what is there, up to `most` bytes in all; false at the end of the stream.
bool read_some(int from, std::size_t most, std::string& to) {
  std::array<char, 65536> buffer;
  const ssize_t count = read(from, buffer.data(), buffer.size());
  if (count > 0) to.append(buffer.data(), std::min<std::size_t>(count, most - to.size()));
  return count > 0 || (count < 0 && errno == EINTR);
}

class Deadline {
 public:
  explicit Deadline(std::optional<double> timeout_s) {
    if (!timeout_s) return;
    constexpr double longest_s = 1e6;  // poll counts milliseconds in an int
    const std::chrono::duration<double> left(std::clamp(*timeout_s, 0.0, longest_s));
    end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(left);
  }
  /// For poll: -1 where there is none.
  int left_ms() const {
    if (!end_) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*end_ - Clock::now());
    return static_cast<int>(std::max<long long>(left.count(), 0));
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> end_;
};

/// Until both streams end; false when the time is over before.
bool read_both(int output, int errors, const ProgramOptions& options, ProgramResult& result) {
  const Deadline deadline(options.timeout_s);
  std::array<pollfd, 2> open{{{output, POLLIN, 0}, {errors, POLLIN, 0}}};
  while (open[0].fd >= 0 || open[1].fd >= 0) {
    const int ready = poll(open.data(), open.size(), deadline.left_ms());
    if (ready == 0) return false;
    if (ready < 0) continue;  // interrupted by a signal
    const std::size_t most = options.most_bytes;
    if (open[0].revents != 0 && !read_some(output, most, result.output)) open[0].fd = -1;
    if (open[1].revents != 0 && !read_some(errors, most, result.errors)) open[1].fd = -1;
  }
  return true;
}

int wait_for(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool is_executable(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0;
}

}  // namespace

std::string find_program(const std::string& name, const std::string& path) {
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    // POSIX: an empty entry means the working directory.
    const auto file = std::filesystem::path(folder.empty() ? "." : folder) / name;
    if (is_executable(file)) return file.string();
  }
  return "";
}

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  return find_program(name, path ? path : "/usr/local/bin:/usr/bin:/bin");
}

std::string executable_folder() {
  std::error_code error;
  const auto file = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "." : file.parent_path().string();
}

ProgramResult run_program(const std::vector<std::string>& arguments,
                          const ProgramOptions& options) {
  ProgramResult result;
  Pipe output, errors;
  const SpawnActions actions(options.folder, output.writer(), errors.writer());
  std::vector<char*> argv;
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t process = 0;
  const int status = posix_spawnp(&process, argv[0], actions.get(), nullptr, argv.data(), environ);
  if (status != 0) {
    return {127, "", std::system_category().message(status), false};
  }
  output.close_writer();
  errors.close_writer();
  result.timed_out = !read_both(output.reader(), errors.reader(), options, result);
  if (result.timed_out) kill(process, SIGKILL);
  result.exit_code = wait_for(process);
  return result;
}

}  // namespace rooftile
