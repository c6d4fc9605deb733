// From arguments to an exit code: finds the command, parses, runs, and turns every error into one
// line on stderr and its code. Nothing else of the program prints errors.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <new>

#include "cli/argument_checks.hpp"
#include "cli/command.hpp"
#include "cli/config_file.hpp"
#include "cli/output.hpp"
#include "cli/suggest.hpp"
#include "gpu/environment.hpp"
#include "model/error.hpp"
#include "model/kernel/problem.hpp"

namespace rooftile::cli {
namespace {

int fail(int code, const std::string& message) {
  print_error(message);
  return code;
}

int print_help(const std::string& text) {
  write_stdout(text);
  return exit_ok;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const CommandEntry* entry : command_table()) names.emplace_back(entry->name);
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// Of a problem that stands alone, as in `tune 4096`; otherwise empty.
std::string shape_hint(const CLI::App& app, const std::string& argument) {
  if (app.get_option_no_throw("--shape") == nullptr) return "";
  try {
    parse_shape(argument);
  } catch (const InputError&) {
    return "";
  }
  return fmt::format(": a problem is --shape {}", argument);
}

/// CLI11 lists what it did not expect; the first of them that looks like an option gets a hint.
std::string parse_message(const CLI::App& app, const CLI::ParseError& error) {
  std::string message = error.what();
  const std::vector<std::string> rest = app.remaining();
  const auto unknown = std::find_if(
      rest.begin(), rest.end(), [](const std::string& text) { return text.rfind('-', 0) == 0; });
  if (unknown != rest.end())
    message = fmt::format("unknown option '{}': {}", *unknown,
                          did_you_mean(unknown->substr(0, unknown->find('=')), option_names(app)));
  else if (!rest.empty())
    message =
        fmt::format("unexpected argument '{}'{}", rest.front(), shape_hint(app, rest.front()));
  return fmt::format("{} (see `{} --help`)", message, app.get_name());
}

int run_command_entry(const CommandEntry& entry, const std::vector<std::string>& arguments) {
  const std::unique_ptr<Command> command = entry.make();
  CLI::App app;
  define_app(app, entry, *command);
  std::vector<std::string> all = with_config_file(app, entry.name, arguments);
  if (all != arguments) {
    std::vector<std::string> whole{"rooftile", std::string(entry.name)};
    whole.insert(whole.end(), all.begin(), all.end());
    tell_command_line(whole);
  }
  try {
    std::reverse(all.begin(), all.end());  // as CLI11 takes them
    app.parse(std::move(all));
  } catch (const CLI::CallForHelp&) {
    return print_help(app.help());
  } catch (const CLI::ParseError& error) {
    return fail(exit_usage, parse_message(app, error));
  }
  check_arguments(app);
  return command->run();
}

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    std::fputs(overview().c_str(), stderr);
    return exit_usage;
  }
  const std::string& first = arguments.front();
  std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (first == "--help" || first == "-h") return print_help(overview());
  if (first == "--version") return run_command_entry(version_command, rest);
  if (first == "help" && rest.empty()) return print_help(overview());
  if (first == "help") return dispatch({rest.front(), "--help"});
  if (const CommandEntry* entry = find_command(first)) return run_command_entry(*entry, rest);
  const std::vector<std::string> names = command_names();
  return fail(exit_usage, fmt::format("unknown {} '{}': {} (see `rooftile --help`)",
                                      first.rfind('-', 0) == 0 ? "option" : "command", first,
                                      did_you_mean(first, names)));
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments) {
  hold_standard_streams();
  try {
    return dispatch(arguments);
  } catch (const Interrupted& error) {
    return fail(128 + error.signal(), "interrupted; what was finished is saved");
  } catch (const InputError& error) {
    return fail(exit_usage, error.what());
  } catch (const NoDeviceError& error) {
    return fail(exit_no_device, error.what());
  } catch (const PermissionError& error) {
    return fail(exit_permission, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    const bool refused = error.code() == std::errc::permission_denied;
    return fail(refused ? exit_permission : exit_usage, error.what());
  } catch (const std::bad_alloc&) {
    return fail(exit_failed, "out of host memory");
  } catch (const std::exception& error) {
    return fail(exit_failed, error.what());
  }
}

}  // namespace rooftile::cli
