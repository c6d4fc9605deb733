// The table of commands and the help texts made from it.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/command.hpp"
#include "cli/config_file.hpp"
#include "cli/name_pattern.hpp"

namespace rooftile::cli {
namespace {

std::string example_footer(const CommandEntry& entry) {
  std::string footer = "Examples:\n";
  for (std::string_view example : entry.examples) footer += fmt::format("  {}\n", example);
  return footer;
}

}  // namespace

std::span<const CommandEntry* const> command_table() {
  static const std::array table{&run_command,        &characterize_command, &measure_command,
                                &validate_command,   &report_command,       &predict_command,
                                &tune_command,       &compare_command,      &merge_command,
                                &claims_command,     &list_command,         &doctor_command,
                                &completion_command, &man_command,          &version_command};
  return table;
}

const CommandEntry* find_command(std::string_view name) {
  const auto table = command_table();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const CommandEntry* entry) { return entry->name == name; });
  return found == table.end() ? nullptr : *found;
}

void define_app(CLI::App& app, const CommandEntry& entry, Command& command) {
  app.name(fmt::format("rooftile {}", entry.name));
  app.description(std::string(entry.description));
  app.get_formatter()->column_width(34);
  command.define(app);
  if (&entry != &version_command && &entry != &completion_command && &entry != &man_command)
    add_config_option(app);
  add_name_patterns(app);
  app.footer(example_footer(entry));
}

const std::string program_summary =
    "characterize a GPU, predict which GEMM tile is best, check the prediction";
const std::vector<std::string> first_examples{"rooftile run",
                                              "rooftile predict --shape 4096 --explain",
                                              "rooftile tune --shape 4096x11008x4096 --top 5"};

std::string overview() {
  std::string text = fmt::format(
      "rooftile: {}.\n\nUsage: rooftile <command> [options]\n\nCommands:\n", program_summary);
  for (const CommandEntry* entry : command_table())
    text += fmt::format("  {:<14}{}\n", entry->name, entry->summary);
  return text + fmt::format(
                    "\n`rooftile <command> --help` shows options and examples. Without a GPU, "
                    "everything but\ncharacterize and measure works on recorded data of an NVIDIA "
                    "H200.\n\nExamples:\n  {}\n",
                    fmt::join(first_examples, "\n  "));
}

}  // namespace rooftile::cli
