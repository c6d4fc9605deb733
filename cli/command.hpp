// The frame of the command line: a command is one file, cli/command_<name>.cpp, that defines one
// CommandEntry; commands.cpp lists them in the order in which help shows them.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rooftile::cli {

/// Exit codes; docs/cli.md explains each. 128 + signal when interrupted.
enum ExitCode {
  exit_ok = 0,
  exit_failed = 1,      ///< a measurement, check or threshold failed, or output cannot be written
  exit_usage = 2,       ///< an option, file or value is invalid
  exit_no_device = 3,   ///< no usable GPU, or it lacks a feature
  exit_permission = 4,  ///< the system refuses access
  exit_suspect = 5,     ///< a suspect result under --strict
};

class Command {
 public:
  virtual ~Command() = default;
  virtual void define(CLI::App& app) = 0;  ///< adds the options
  virtual int
  run() = 0;  ///< after parsing; returns an ExitCode or throws an error of model/error.hpp
};

struct CommandEntry {
  std::string_view name;
  std::string_view summary;                ///< one line, for `rooftile --help`
  std::string_view description;            ///< for `rooftile <name> --help`
  std::vector<std::string_view> examples;  ///< whole command lines, "rooftile ..."
  std::unique_ptr<Command> (*make)();
};

template <class C>
std::unique_ptr<Command> make_command() {
  return std::make_unique<C>();
}

/// All commands, in the order of the work.
std::span<const CommandEntry* const> command_table();
const CommandEntry* find_command(std::string_view name);

/// Name, help text, options and examples of `entry` put into `app`.
void define_app(CLI::App& app, const CommandEntry& entry, Command& command);

/// `rooftile --help`.
std::string overview();
/// One line that says what the program does, and the command lines to begin with.
extern const std::string program_summary;
extern const std::vector<std::string> first_examples;

/// Parses, runs and maps errors to exit codes. `arguments` excludes the program name.
int run_command_line(const std::vector<std::string>& arguments);

extern const CommandEntry run_command, characterize_command, predict_command, tune_command,
    measure_command, validate_command, report_command, compare_command, merge_command,
    claims_command, list_command, doctor_command, completion_command, man_command, version_command;

}  // namespace rooftile::cli
