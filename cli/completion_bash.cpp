// Bash: one function and three tables (what follows an option, which options and which arguments a
// command has). Needs bash 4 and no bash-completion package.
//
// Pitfall: readline splits words at `=` (COMP_WORDBREAKS), so `--json=x` arrives as three words and
// only what stands behind the `=` may be answered.
#include <fmt/format.h>

#include "cli/completion.hpp"
#include "gpu/environment.hpp"

namespace rooftile::cli {
namespace {

constexpr const char* functions = R"bash(
# Answers with the candidates of KIND that begin as VALUE does, each behind PREFIX.
_rooftile_answer() {  # KIND PREFIX VALUE WORDS
  case $1 in
    words) if [[ $3 != *=* ]]; then mapfile -t COMPREPLY < <(compgen -P "$2" -W "$4" -- "$3"); fi ;;
    file) mapfile -t COMPREPLY < <(compgen -P "$2" -f -- "$3") ;;
    folder) mapfile -t COMPREPLY < <(compgen -P "$2" -d -- "$3") ;;
  esac
  if [[ $1 != words ]]; then compopt -o filenames 2>/dev/null; fi
  if [[ $3 == *=* && $COMP_WORDBREAKS == *=* ]]; then COMPREPLY=("${COMPREPLY[@]#"${3%=*}="}"); fi
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}

# Sets line to the words up to the cursor, those that readline split at `=` put together again.
_rooftile_line() {
  local word glue=
  line=()
  for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if [[ ${#line[@]} -gt 0 && (-n $glue || $word == =) ]]; then
      line[-1]+=$word
    else
      line+=("$word")
    fi
    glue=
    if [[ $word == = ]]; then glue=1; fi
  done
}

_rooftile() {
  local line kind many commas words
  COMPREPLY=()
  _rooftile_line
  local last=$((${#line[@]} - 1)) command=${line[1]-} current=${line[-1]} prefix= option= i
  if [[ $last -le 1 ]]; then
    _rooftile_answer words "" "$current" "$_rooftile_commands"
    return
  fi
  if [[ $current == --*=* ]]; then
    option=${current%%=*}
    if [[ $COMP_WORDBREAKS != *=* ]]; then prefix=$option=; fi
    current=${current#*=}
  elif [[ $current == -* && $current != - ]]; then
    _rooftile_options "$command"
    _rooftile_answer words "" "$current" "$words"
    return
  else
    for ((i = last - 1; i > 1; --i)); do
      if [[ ${line[i]} == -?* ]]; then option=${line[i]}; break; fi
    done
    _rooftile_value "$command" "$option"
    # What lies between may be the option's one value, and then an argument of the command follows.
    if [[ $kind == none || ($many -eq 0 && $i -lt $((last - 1))) || $option == *=* ]]; then option=; fi
  fi
  _rooftile_value "$command" "$option"
  if [[ $commas -eq 1 && $current == *,* ]]; then
    prefix+=${current%,*},
    current=${current##*,}
  fi
  _rooftile_answer "$kind" "$prefix" "$current" "$words"
}

complete -F _rooftile rooftile
)bash";

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string_view kind_name(ValueKind kind) {
  switch (kind) {
    case ValueKind::none:
      return "none";
    case ValueKind::text:
      return "text";
    case ValueKind::words:
      return "words";
    case ValueKind::file:
      return "file";
    case ValueKind::folder:
      return "folder";
  }
  return "none";
}

/// Arguments have the empty option.
std::string value_case(const std::string& command, const OptionReference& option) {
  std::vector<std::string> patterns;
  for (const std::string& name : option.names)
    patterns.push_back(
        shell_quoted(fmt::format("{} {}", command, option.argument ? std::string() : name)));
  return fmt::format("    {}) kind={} many={:d} commas={:d} words={} ;;\n",
                     fmt::join(patterns, " | "), kind_name(option.kind), option.many,
                     option.comma_separated, shell_quoted(joined(option.words)));
}

std::string options_case(const CommandReference& command) {
  std::vector<std::string> names;
  for (const OptionReference& option : command.options)
    if (!option.argument) names.insert(names.end(), option.names.begin(), option.names.end());
  return fmt::format("    {}) words={} ;;\n", command.name, shell_quoted(joined(names)));
}

}  // namespace

std::string escaped(const std::string& text, const std::string& special) {
  std::string result;
  for (char c : text) {
    if (special.find(c) != std::string::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string bash_completion(const std::vector<CommandReference>& commands) {
  std::vector<std::string> names{"help", "--help", "--version"};
  std::string values, options;
  for (const CommandReference& command : commands) {
    names.push_back(command.name);
    options += options_case(command);
    for (const OptionReference& option : command.options)
      values += value_case(command.name, option);
  }
  const std::vector<std::string> helped(names.begin() + 3, names.end());
  values += fmt::format("    'help ') kind=words words={} ;;\n", shell_quoted(joined(helped)));
  return fmt::format(
             "# bash completion for rooftile; made by `rooftile completion bash`.\n\n"
             "_rooftile_commands={}\n\n"
             "# Sets kind, many, commas and words for what follows OPTION of COMMAND.\n"
             "_rooftile_value() {{  # COMMAND OPTION\n  kind=none many=0 commas=0 words=\n"
             "  case \"$1 $2\" in\n{}  esac\n}}\n\n"
             "_rooftile_options() {{  # COMMAND\n  words=\n  case $1 in\n{}  esac\n}}\n",
             shell_quoted(joined(names)), values, options) +
         functions;
}

}  // namespace rooftile::cli
