// gnuplot with a deadline and without the user's start-up files; its pictures are files, so that of
// its streams only the errors matter.
#include "report/gnuplot.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <vector>

#include "gpu/program.hpp"

namespace rooftile::report {
namespace {

std::vector<std::string> command(const std::string& executable,
                                 std::span<const std::string> scripts) {
  std::vector<std::string> arguments = {executable, "--default-settings"};
  arguments.insert(arguments.end(), scripts.begin(), scripts.end());
  return arguments;
}

GnuplotResult result_of(const std::string& executable, double timeout_s, ProgramResult program) {
  constexpr int not_started = 127;
  std::string errors = std::move(program.errors);
  if (program.timed_out)
    errors += fmt::format("gnuplot took longer than {:g} s and was stopped", timeout_s);
  else if (program.exit_code == not_started)
    errors = fmt::format("cannot start {}: {}", executable, errors);
  else if (program.exit_code != 0 && errors.empty())
    errors = "gnuplot failed without a message";
  return {!program.timed_out && program.exit_code == 0, errors};
}

}  // namespace

std::optional<std::string> find_gnuplot() {
  const std::string found = find_program("gnuplot");
  if (found.empty()) return std::nullopt;
  // It is started from another folder.
  return std::filesystem::absolute(found).string();
}

GnuplotResult run_gnuplot(const std::string& executable, const std::string& folder,
                          std::span<const std::string> scripts, double timeout_s) {
  constexpr std::size_t most_bytes = 65536;
  try {
    return result_of(executable, timeout_s,
                     run_program(command(executable, scripts), {folder, timeout_s, most_bytes}));
  } catch (const std::runtime_error& error) {
    return {false, error.what()};
  }
}

}  // namespace rooftile::report
