// Environment of the host and the progress display.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>

#include "gpu/environment.hpp"
#include "gpu/progress.hpp"
#include "model/error.hpp"

namespace rooftile::test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

TEST(HostEnvironment, TellsTheCommandThatAFileCompleted) {
  tell_command_line({"/usr/bin/rooftile", "measure", "--tile=a b", "--device=1"});
  EXPECT_EQ(host_environment().command_line, "rooftile measure '--tile=a b' --device=1");
  tell_command_line({});
  EXPECT_THAT(command_line(), HasSubstr("test_gpu"));
}

TEST(Environment, HostIsKnown) {
  const auto environment = host_environment();
  EXPECT_FALSE(environment.host.empty());
  EXPECT_FALSE(environment.cpu.empty());
  EXPECT_THAT(environment.utc_time,
              MatchesRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z"));
  EXPECT_THAT(environment.command_line, HasSubstr("test_gpu"));
  EXPECT_EQ(environment.gpu_name, "");
}

TEST(Environment, ArgumentsAreQuotedForAShell) {
  EXPECT_EQ(shell_quoted("--shape=4096x1,2"), "--shape=4096x1,2");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted("$(x)"), "'$(x)'");
}

TEST(Environment, WithoutNvmlNothingIsInvented) {
  auto environment = host_environment();
  environment.driver_version = "known from elsewhere";
  add_nvml(environment, Nvml("GPU-1", "/no/such/library.so"));
  EXPECT_EQ(environment.power_limit_w, 0);
  EXPECT_EQ(environment.ecc, "unknown");
  EXPECT_FALSE(environment.start.available);
  EXPECT_EQ(environment.driver_version, "known from elsewhere");
}

/// What `action` writes to stderr where that is a terminal.
std::string on_terminal(const std::function<void()>& action) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) return "no terminal";
  const int slave = open(ptsname(master), O_RDWR | O_NOCTTY), saved = dup(STDERR_FILENO);
  dup2(slave, STDERR_FILENO);
  action();
  dup2(saved, STDERR_FILENO);
  fcntl(master, F_SETFL, O_NONBLOCK);
  std::string text(1 << 14, '\0');
  const auto count = read(master, text.data(), text.size());
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  for (const int file : {master, slave, saved}) close(file);
  return text;
}

void three_of_four() {
  Progress progress("measure", 4, false);
  for (const char* label : {"a", "b", "c"}) progress.advance(1, label);
}

TEST(Progress, PlainLinesAreFew) {
  ::testing::internal::CaptureStderr();
  three_of_four();
  const auto text = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr("measure:  25 %"));
  EXPECT_THAT(text, HasSubstr("measure: 75 % in"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2)
      << "one line in two seconds, one at the end";
}

TEST(Progress, QuietSaysNothing) {
  ::testing::internal::CaptureStderr();
  {
    Progress progress("measure", 4, true);
    progress.advance(4, "a");
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Progress, ABarOnATerminalAndColorUnlessRefused) {
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  EXPECT_THAT(on_terminal(three_of_four),
              ::testing::AllOf(HasSubstr("######"), HasSubstr("\x1b[36m")));
  setenv("NO_COLOR", "1", 1);
  EXPECT_THAT(on_terminal(three_of_four),
              ::testing::AllOf(HasSubstr("######"), Not(HasSubstr("\x1b[36m"))));
  setenv("TERM", "dumb", 1);
  EXPECT_THAT(on_terminal(three_of_four), Not(HasSubstr("#")));
  unsetenv("NO_COLOR");
}

TEST(Progress, OddTotalsAreSurvived) {
  ::testing::internal::CaptureStderr();
  for (const double total : {0.0, -1.0, 1e-300, 1e300}) {
    Progress progress("x", total, false);
    progress.advance(-1, "less");
    progress.advance(2, "more");
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace rooftile::test
