// man(7) by the sections of man-pages(7): NAME, SYNOPSIS, DESCRIPTION, OPTIONS, EXIT STATUS,
// ENVIRONMENT, FILES, EXAMPLES, SEE ALSO. No date, so that a build can be repeated byte by byte.
//
// Pitfalls: roff reads a line that starts with a dot or an apostrophe as a request, `\` starts an
// escape, and a bare `-` prints as a hyphen, which cannot be pasted into a shell.
#include "cli/man_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/command.hpp"
#include "model/record/provenance.hpp"

namespace rooftile::cli {
namespace {

std::string roff(const std::string& text) {
  std::string result = text.empty() || text[0] == '.' || text[0] == '\'' ? "\\&" : "";
  for (char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '\'')
      result += "\\(aq";
    else
      result += c;
  }
  return result;
}

std::string head(std::string title, const std::string& summary) {
  const std::string name = title;
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return fmt::format(
      ".TH \"{}\" 1 \"\" \"rooftile {}\" \"User Commands\"\n.nh\n.ad l\n.SH NAME\n{} \\- {}\n",
      roff(title), this_build().version, roff(name), roff(summary));
}

std::string section(const std::string& title, const std::string& body) {
  return body.empty() ? "" : fmt::format(".SH {}\n{}", title, body);
}

std::string tagged(const std::string& tag, const std::string& text) {
  return fmt::format(".TP\n{}\n{}\n", tag, roff(text));
}

std::string bold(const std::string& text) { return fmt::format("\\fB{}\\fR", roff(text)); }
std::string italic(const std::string& text) { return fmt::format("\\fI{}\\fR", roff(text)); }

std::string explained(const std::vector<Explained>& entries) {
  std::string body;
  for (const Explained& entry : entries) body += tagged(bold(entry.name), entry.meaning);
  return body;
}

/// "\fB\-q\fR, \fB\-\-quiet\fR" and the value.
std::string option_tag(const OptionReference& option) {
  if (option.argument) return italic(option.value_name);
  std::string tag;
  for (const std::string& name : option.names) tag += (tag.empty() ? "" : ", ") + bold(name);
  return option.value_name.empty() ? tag : tag + " " + italic(option.value_name);
}

/// The description, and what the table knows beyond it. Lists of names that the program grows with
/// are left to `rooftile list`.
std::string option_text(const OptionReference& option) {
  constexpr std::size_t few = 5;
  std::string text = option.description + ".";
  if (!option.words.empty() && option.words.size() <= few)
    text += fmt::format(" One of {}.", fmt::join(option.words, ", "));
  if (!option.default_value.empty()) text += fmt::format(" Default: {}.", option.default_value);
  if (!option.environment_variable.empty())
    text += fmt::format(" Also by {}=1.", option.environment_variable);
  return text;
}

/// In the order of the table, a subsection a group; ungrouped ones (CLI11 calls them Options)
/// first.
std::string options_body(const CommandReference& command) {
  std::vector<std::string> groups;
  for (const OptionReference& option : command.options)
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  std::string body;
  for (const std::string& group : groups) {
    if (group != "Options" && group != "Positionals") body += fmt::format(".SS {}\n", roff(group));
    for (const OptionReference& option : command.options)
      if (option.group == group) body += tagged(option_tag(option), option_text(option));
  }
  return body;
}

std::string synopsis(const CommandReference& command) {
  std::string line = fmt::format("\\fBrooftile {}\\fR", roff(command.name));
  for (const OptionReference& option : command.options)
    if (option.required && !option.argument) line += " " + option_tag(option);
  line += " [\\fIoptions\\fR]";
  for (const OptionReference& option : command.options) {
    if (!option.argument) continue;
    const bool dots = option.many && !option.value_name.ends_with("...");
    const std::string name = italic(option.value_name) + (dots ? "..." : "");
    line += option.required ? " " + name : " [" + name + "]";
  }
  return line + "\n";
}

std::string examples_body(const std::vector<std::string>& examples) {
  std::string lines;
  for (const std::string& example : examples) lines += roff(example) + "\n";
  return fmt::format(".nf\n{}.fi\n", lines);
}

std::string shared_sections() {
  return section("EXIT STATUS", explained(exit_codes())) +
         section("ENVIRONMENT", explained(environment_variables())) +
         section("FILES", explained(known_files()));
}

}  // namespace

std::string command_man_page(const CommandReference& command) {
  return head("rooftile-" + command.name, command.summary) +
         section("SYNOPSIS", synopsis(command)) +
         section("DESCRIPTION", roff(command.description) + "\n") +
         section("OPTIONS", options_body(command)) + shared_sections() +
         section("EXAMPLES", examples_body(command.examples)) +
         section("SEE ALSO", ".BR rooftile (1)\n");
}

std::string overview_man_page(const std::vector<CommandReference>& commands) {
  std::string list;
  for (const CommandReference& command : commands)
    list +=
        fmt::format(".TP\n.BR rooftile\\-{} (1)\n{}\n", roff(command.name), roff(command.summary));
  return head("rooftile", program_summary) +
         section("SYNOPSIS",
                 "\\fBrooftile\\fR \\fIcommand\\fR [\\fIoptions\\fR]\n.br\n"
                 "\\fBrooftile help\\fR \\fIcommand\\fR\n") +
         section("DESCRIPTION",
                 "Microbenchmarks measure what a GPU can do; a model predicts from that how fast "
                 "each GEMM\nvariant runs and which tile is best; the real kernels show how far "
                 "prediction and\nmeasurement lie apart. Without a GPU, all that only reads works "
                 "on recorded data.\n") +
         section("COMMANDS", list) + shared_sections() +
         section("EXAMPLES", examples_body(first_examples));
}

}  // namespace rooftile::cli
