// The file's items become arguments before CLI11 parses, so that every check of an option holds for
// them too. Parsed by CLI11's own reader of TOML.
#include "cli/config_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/suggest.hpp"
#include "model/error.hpp"
#include "model/record/json_reader.hpp"

namespace rooftile::cli {
namespace {

constexpr const char* option_name = "--config";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Is `argument` the option `name`, alone or as --name=value?
bool names_option(const std::string& argument, const std::string& name) {
  return argument == name ||
         (name.starts_with("--") && argument.starts_with(name) && argument[name.size()] == '=');
}

/// The value of --config, or "".
std::string given_file(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (!names_option(arguments[i], option_name)) continue;
    const auto equals = arguments[i].find('=');
    if (equals != std::string::npos) return arguments[i].substr(equals + 1);
    return i + 1 < arguments.size() ? arguments[i + 1] : "";
  }
  return "";
}

/// The file to read, or "" where there is none.
std::string config_file(const std::vector<std::string>& arguments) {
  for (const std::string& named : {given_file(arguments), variable("ROOFTILE_CONFIG")})
    if (!named.empty()) return named;
  const std::string home = variable("HOME"), shared = variable("XDG_CONFIG_HOME");
  std::error_code unreadable;
  for (const std::string& place :
       {std::string("rooftile.toml"), !shared.empty() ? shared + "/rooftile/config.toml"
                                                      : home + "/.config/rooftile/config.toml"})
    if (std::filesystem::is_regular_file(place, unreadable)) return place;
  return "";
}

std::vector<CLI::ConfigItem> items_of(const std::string& file) {
  std::istringstream text(read_text_file(file));
  try {
    return CLI::ConfigTOML().from_config(text);
  } catch (const CLI::Error& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  }
}

std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames())
      if (name != "help" && name != "config") names.push_back(name);
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Options of all commands: what may stand before the first section.
std::vector<std::string> names_of_all_commands() {
  std::vector<std::string> names;
  for (const CommandEntry* entry : command_table()) {
    CLI::App app;
    const std::unique_ptr<Command> command = entry->make();
    command->define(app);
    for (const std::string& name : names_of(app))
      if (!contains(names, name)) names.push_back(name);
  }
  return names;
}

bool is_given(const CLI::Option& option, const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::any_of(arguments.begin(), end, [&](const std::string& argument) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return names_option(argument, name); });
  });
}

class ConfigReader {
 public:
  ConfigReader(const CLI::App& app, std::string_view command, std::string file)
      : app_(app), command_(command), file_(std::move(file)) {}

  /// Is the item for this command? Throws for one that is for none.
  bool applies(const CLI::ConfigItem& item) const {
    if (item.parents.empty()) {
      if (contains(names_of(app_), item.name)) return true;
      require(item.name, names_of_all_commands(), "option");
      return false;
    }
    const std::string section = CLI::detail::join(item.parents, ".");
    require(section, command_names(), "section");
    if (section != command_) return false;
    require(item.name, names_of(app_), "option");
    return true;
  }

  /// "--name=value" for each value; a flag stands alone where it is true.
  std::vector<std::string> arguments_of(const CLI::ConfigItem& item) const {
    const std::string name = "--" + item.name;
    if (app_.get_option(name)->get_items_expected_max() == 0) return flag(item, name);
    std::vector<std::string> arguments;
    for (const std::string& value : item.inputs) arguments.push_back(name + "=" + value);
    return arguments;
  }

 private:
  static std::vector<std::string> command_names() {
    std::vector<std::string> names;
    for (const CommandEntry* entry : command_table()) names.emplace_back(entry->name);
    return names;
  }

  void require(const std::string& name, const std::vector<std::string>& names,
               const char* what) const {
    if (!contains(names, name))
      throw InputError(
          fmt::format("{}: unknown {} '{}': {}", file_, what, name, did_you_mean(name, names)));
  }

  std::vector<std::string> flag(const CLI::ConfigItem& item, const std::string& name) const {
    const std::string value = item.inputs.size() == 1 ? item.inputs.front() : "";
    if (value != "true" && value != "false")
      throw InputError(fmt::format("{}: {} is true or false", file_, item.fullname()));
    return value == "true" ? std::vector{name} : std::vector<std::string>{};
  }

  const CLI::App& app_;
  std::string_view command_;
  std::string file_;
};

}  // namespace

void add_config_option(CLI::App& app) {
  static std::string unused;  // read before CLI11 parses
  app.add_option(option_name, unused,
                 "Options from this file (default: ROOFTILE_CONFIG, ./rooftile.toml)")
      ->type_name("FILE");
}

std::vector<std::string> with_config_file(const CLI::App& app, std::string_view command,
                                          const std::vector<std::string>& arguments) {
  const std::string file = config_file(arguments);
  if (file.empty() || is_given(*app.get_help_ptr(), arguments)) return arguments;
  const ConfigReader reader(app, command, file);
  std::vector<CLI::ConfigItem> items = items_of(file);
  // A section's own word stands before the one for all commands.
  std::stable_partition(items.begin(), items.end(),
                        [](const CLI::ConfigItem& item) { return !item.parents.empty(); });
  std::vector<std::string> taken;
  for (const CLI::ConfigItem& item : items) {
    if (item.name == "++" || item.name == "--") continue;  // CLI11's marks of sections
    if (!reader.applies(item) || is_given(*app.get_option("--" + item.name), arguments) ||
        is_given(*app.get_option("--" + item.name), taken))
      continue;
    const std::vector<std::string> more = reader.arguments_of(item);
    taken.insert(taken.end(), more.begin(), more.end());
  }
  if (!taken.empty()) print_note(fmt::format("options of {}: {}", file, fmt::join(taken, " ")));
  std::vector<std::string> all = arguments;
  all.insert(std::find(all.begin(), all.end(), "--"), taken.begin(), taken.end());
  return all;
}

}  // namespace rooftile::cli
