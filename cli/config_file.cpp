// The file's items become arguments before CLI11 parses, so that every check of an option holds for
// them too.
#include "cli/config_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

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

toml::table table_of(const std::string& file) {
  try {
    return toml::parse(read_text_file(file), file);
  } catch (const toml::parse_error& error) {
    throw InputError(
        fmt::format("{}:{}: {}", file, error.source().begin.line, error.description()));
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

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const CommandEntry* entry : command_table()) names.emplace_back(entry->name);
  return names;
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

/// Results of a command do not belong to all of them: each would write the same file.
bool is_result(std::string_view name) {
  return name == "json" || name == "csv" || name == "md" || name == "output";
}

/// Decides the options of one command: its section's before those for all commands.
class ConfigReader {
 public:
  ConfigReader(const CLI::App& app, const std::vector<std::string>& typed, std::string file)
      : app_(app), typed_(typed), file_(std::move(file)) {}

  void read_section(const toml::table& section) {
    for (const auto& [key, node] : section) {
      require(key.str(), names_of(app_), "option");
      take(key.str(), node);
    }
  }

  void read_common(const toml::table& all) {
    for (const auto& [key, node] : all) {
      if (node.is_table()) continue;
      const std::string name(key.str());
      require(name, names_of_all_commands(), "option");
      if (is_result(name))
        throw InputError(
            fmt::format("{}: {} belongs below the [command] whose result it is", file_, name));
      if (contains(names_of(app_), name)) take(name, node);
    }
  }

  void require(std::string_view name, const std::vector<std::string>& names,
               const char* what) const {
    if (!contains(names, std::string(name)))
      throw InputError(
          fmt::format("{}: unknown {} '{}': {}", file_, what, name, did_you_mean(name, names)));
  }

  const std::vector<std::string>& arguments() const { return arguments_; }

 private:
  void take(std::string_view key, const toml::node& node) {
    const std::string name = "--" + std::string(key);
    const CLI::Option& option = *app_.get_option(name);
    const auto excluded = option.get_excludes();
    const bool typed = is_given(option, typed_) ||
                       std::any_of(excluded.begin(), excluded.end(), [&](const CLI::Option* other) {
                         return is_given(*other, typed_);
                       });
    if (!decided_.insert(name).second || typed) return;
    if (option.get_items_expected_max() == 0) return take_flag(option, name, node);
    if (const toml::array* list = node.as_array())
      for (const toml::node& element : *list)
        arguments_.push_back(name + "=" + text_of(name, element));
    else
      arguments_.push_back(name + "=" + text_of(name, node));
  }

  /// A flag that the environment could set is said to be false; any other just stays away.
  void take_flag(const CLI::Option& option, const std::string& name, const toml::node& node) {
    const auto value = node.value_exact<bool>();
    if (!value) throw InputError(fmt::format("{}: {} is true or false", file_, name.substr(2)));
    if (*value)
      arguments_.push_back(name);
    else if (!option.get_envname().empty())
      arguments_.push_back(name + "=false");
  }

  std::string text_of(const std::string& name, const toml::node& node) const {
    if (const auto text = node.value_exact<std::string>()) return *text;
    if (const auto whole = node.value_exact<std::int64_t>()) return std::to_string(*whole);
    if (const auto number = node.value_exact<double>()) return fmt::format("{}", *number);
    throw InputError(
        fmt::format("{}: {} takes text, a number or a list of them", file_, name.substr(2)));
  }

  const CLI::App& app_;
  const std::vector<std::string>& typed_;
  std::string file_;
  std::set<std::string> decided_;
  std::vector<std::string> arguments_;
};

}  // namespace

void add_config_option(CLI::App& app) {
  app.add_option_function<std::string>(
         option_name, [](const std::string&) {},  // read before CLI11 parses
         "Options from this file (default: ROOFTILE_CONFIG, ./rooftile.toml or that of the user)")
      ->type_name("FILE");
}

std::vector<std::string> with_config_file(const CLI::App& app, std::string_view command,
                                          const std::vector<std::string>& arguments) {
  if (app.get_option_no_throw(option_name) == nullptr) return arguments;
  const std::string file = config_file(arguments);
  if (file.empty() || is_given(*app.get_help_ptr(), arguments)) return arguments;
  const toml::table all = table_of(file);
  ConfigReader reader(app, arguments, file);
  for (const auto& [key, node] : all)
    if (node.is_table()) reader.require(key.str(), command_names(), "section");
  if (const toml::table* section = all[command].as_table()) reader.read_section(*section);
  reader.read_common(all);
  const std::vector<std::string>& taken = reader.arguments();
  if (!taken.empty()) print_note(fmt::format("options of {}: {}", file, fmt::join(taken, " ")));
  std::vector<std::string> whole = arguments;
  whole.insert(std::find(whole.begin(), whole.end(), "--"), taken.begin(), taken.end());
  return whole;
}

}  // namespace rooftile::cli
