// Fish: one `complete` a name. Where values are joined by commas, __fish_append of fish itself
// continues the list.
#include <fmt/format.h>

#include "cli/completion.hpp"

namespace rooftile::cli {
namespace {

/// Fish reads \' and \\ inside single quotes, other than the POSIX shells.
std::string fish_quoted(const std::string& text) { return "'" + escaped(text, "'\\") + "'"; }

std::string value_flags(const OptionReference& option) {
  const std::string words = fmt::format("{}", fmt::join(option.words, " "));
  switch (option.kind) {
    case ValueKind::none:
      return "";
    case ValueKind::text:
      return " -x";
    case ValueKind::words:
      return " -x -a " + fish_quoted(option.comma_separated
                                         ? fmt::format("(__fish_append , {})", words)
                                         : words);
    case ValueKind::file:
      return " -r -F";
    case ValueKind::folder:
      return " -x -a '(__fish_complete_directories)'";
  }
  return "";
}

std::string name_flags(const OptionReference& option) {
  std::string flags;
  for (const std::string& name : option.names)
    flags += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return flags;
}

std::string option_line(const std::string& command, const OptionReference& option) {
  const std::string head =
      fmt::format("complete -c rooftile -n '__fish_seen_subcommand_from {}'", command);
  if (!option.argument)
    return head + name_flags(option) + value_flags(option) + " -d " +
           fish_quoted(option.description) + "\n";
  if (option.kind == ValueKind::file) return head + " -F\n";
  return option.kind == ValueKind::words
             ? fmt::format("{} -a {}\n", head,
                           fish_quoted(fmt::format("{}", fmt::join(option.words, " "))))
             : "";
}

}  // namespace

std::string fish_completion(const std::vector<CommandReference>& commands) {
  std::string text =
      "# fish completion for rooftile; made by `rooftile completion fish`.\n"
      "complete -c rooftile -f\n"
      "complete -c rooftile -n __fish_use_subcommand -s h -l help -d 'Overview'\n"
      "complete -c rooftile -n __fish_use_subcommand -l version -d 'Version and build'\n"
      "complete -c rooftile -n __fish_use_subcommand -a help -d 'Options and examples of a "
      "command'\n";
  for (const CommandReference& command : commands)
    text += fmt::format(
        "complete -c rooftile -n __fish_use_subcommand -a {} -d {}\n"
        "complete -c rooftile -n '__fish_seen_subcommand_from help' -a {}\n",
        command.name, fish_quoted(command.summary), command.name);
  for (const CommandReference& command : commands)
    for (const OptionReference& option : command.options) text += option_line(command.name, option);
  return text;
}

}  // namespace rooftile::cli
