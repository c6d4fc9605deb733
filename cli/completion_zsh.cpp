// Zsh: a function for _arguments, one list of option specifications a command.
#include <fmt/format.h>

#include "cli/completion.hpp"
#include "gpu/environment.hpp"

namespace rooftile::cli {
namespace {

/// What _arguments calls for the value: files, folders, or words.
std::string action(const OptionReference& option) {
  switch (option.kind) {
    case ValueKind::file:
      return "_files";
    case ValueKind::folder:
      return "_files -/";
    case ValueKind::words: {
      const std::string words = fmt::format("{}", fmt::join(option.words, " "));
      if (option.comma_separated)
        return fmt::format("_values -s , {} {}", option.value_name, words);
      // An ID= is to be followed by its value at once.
      return option.words.front().back() == '=' ? fmt::format("{{compadd -S '' -- {}}}", words)
                                                : fmt::format("({})", words);
    }
    case ValueKind::none:
    case ValueKind::text:
      break;
  }
  return " ";
}

std::string value_spec(const OptionReference& option) {
  return option.value_name.empty()
             ? ""
             : fmt::format(":{}:{}", escaped(option.value_name, ":\\"), action(option));
}

/// One specification a name: '*--runs=[Measured runs]:FILE...:_files'.
std::string option_specs(const OptionReference& option) {
  if (option.argument)
    return fmt::format("        {} \\\n",
                       shell_quoted((option.many ? "*" : "1") + value_spec(option)));
  std::string specs;
  for (const std::string& name : option.names) {
    const bool value = !option.value_name.empty(), long_name = name.starts_with("--");
    specs +=
        fmt::format("        {} \\\n",
                    shell_quoted(fmt::format(
                        "{}{}{}[{}]{}", option.many ? "*" : "", name, value && long_name ? "=" : "",
                        escaped(option.description, "[]\\"), value_spec(option))));
  }
  return specs;
}

std::string command_case(const CommandReference& command) {
  std::string specs;
  for (const OptionReference& option : command.options) specs += option_specs(option);
  return fmt::format("    {})\n      _arguments -s \\\n{}        && return\n      ;;\n",
                     command.name, specs);
}

}  // namespace

std::string zsh_completion(const std::vector<CommandReference>& commands) {
  std::string described, cases;
  std::vector<std::string> names;
  for (const CommandReference& command : commands) {
    described +=
        fmt::format("    {}\n", shell_quoted(command.name + ":" + escaped(command.summary, ":\\")));
    cases += command_case(command);
    names.push_back(command.name);
  }
  return fmt::format(
      "#compdef rooftile\n# zsh completion for rooftile; made by `rooftile completion zsh`.\n\n"
      "_rooftile() {{\n"
      "  local curcontext=$curcontext context state line\n  typeset -A opt_args\n"
      "  local -a commands=(\n{}    'help:options and examples of a command'\n  )\n"
      "  _arguments -C '(- *)'{{-h,--help}}'[overview]' '(- *)--version[version and build]' \\\n"
      "    '1:command:->command' '*::argument:->arguments' && return\n"
      "  if [[ $state == command ]]; then\n"
      "    _describe -t commands 'rooftile command' commands\n    return\n  fi\n"
      "  case $words[1] in\n{}"
      "    help)\n      _arguments '1:command:({})' && return\n      ;;\n"
      "  esac\n}}\n\n"
      "# Autoloaded as a completion, or sourced.\n"
      "if [[ $funcstack[1] == _rooftile ]]; then _rooftile \"$@\"; else compdef _rooftile "
      "rooftile; "
      "fi\n",
      described, cases, fmt::join(names, " "));
}

}  // namespace rooftile::cli
