// Checks after parsing and before the command runs: options are looked up by name, so a command
// that lacks one needs nothing.
#include "cli/argument_checks.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>

#include "model/error.hpp"

namespace rooftile::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> results = {"--json", "--csv", "--md", "--output"};
constexpr std::array<std::string_view, 5> inputs = {"--profile", "--runs", "--suite", "--landscape",
                                                    "FILE"};

/// The regular file that a value names, or names once it is written; "" for `-`, devices, folders.
std::string file_named(const std::string& value) {
  std::error_code error;
  const fs::file_status status = fs::status(value, error);
  if (value == "-" || (fs::exists(status) && !fs::is_regular_file(status))) return "";
  const fs::path path = fs::weakly_canonical(fs::absolute(value, error), error);
  return error ? "" : path.string();
}

void check_not_empty(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return;  // a flag
  for (const std::string& value : option.results())
    if (value.empty())
      throw InputError(fmt::format("{}: the value is empty; give one, or leave the option out",
                                   option.get_name()));
}

/// --output names what later commands read; standard output is for --json, --csv and --md.
void check_named(const CLI::Option& option) {
  for (const std::string& value : option.results())
    if (value == "-")
      throw InputError(fmt::format(
          "{}: '-' is no name for it; name a file or folder, or use --json - for standard output",
          option.get_name()));
}

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Adds the option's files; throws when a result meets a file that is there already.
void add_files(const CLI::Option& option, bool result, std::map<std::string, std::string>& files) {
  for (const std::string& value : option.results()) {
    const std::string file = file_named(value);
    if (file.empty()) continue;
    const auto [other, fresh] = files.emplace(file, option.get_name());
    if (result && !fresh)
      throw InputError(fmt::format("{}: {} is also the file of {}; give another name",
                                   option.get_name(), value, other->second));
  }
}

}  // namespace

void check_arguments(const CLI::App& app) {
  std::map<std::string, std::string> files;
  const auto options = app.get_options();
  for (const CLI::Option* option : options) check_not_empty(*option);
  if (const CLI::Option* output = app.get_option_no_throw("--output")) check_named(*output);
  for (const CLI::Option* option : options)
    if (is_one_of(inputs, option->get_name())) add_files(*option, false, files);
  for (const CLI::Option* option : options)
    if (is_one_of(results, option->get_name())) add_files(*option, true, files);
}

void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1) continue;
    // The lowest free descriptor is `stream` itself; opened the wrong way round, every use fails.
    const int held = ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (held < 0) return;
  }
}

}  // namespace rooftile::cli
