// The commands and their options as data, read off the same CLI11 tables that parse the command
// line: completions and man pages are made from it and cannot say anything else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rooftile::cli {

struct CommandEntry;

/// What may follow an option, as far as a shell can help with it.
enum class ValueKind { none, text, words, file, folder };

struct OptionReference {
  std::vector<std::string> names;  ///< as typed: "-q", "--quiet"; of an argument its bare name
  std::string value_name;          ///< "FILE"; empty for a flag
  std::string description, group, default_value, environment_variable;
  ValueKind kind = ValueKind::none;
  std::vector<std::string> words;  ///< the closed list, where the kind is `words`
  bool argument = false;           ///< is given without a name
  bool required = false;
  bool many = false;             ///< several values may follow
  bool comma_separated = false;  ///< they may also be joined by commas
};

struct CommandReference {
  std::string name, summary, description;
  std::vector<std::string> examples;
  std::vector<OptionReference> options;  ///< without those hidden from --help
};

CommandReference command_reference(const CommandEntry& entry);
/// All commands, in the order of command_table().
std::vector<CommandReference> command_references();

struct Explained {
  std::string name, meaning;
};

/// Exit codes, environment variables and files that all commands share; docs/cli.md has the same.
const std::vector<Explained>& exit_codes();
const std::vector<Explained>& environment_variables();
const std::vector<Explained>& known_files();

}  // namespace rooftile::cli
