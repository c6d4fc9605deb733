// Reads names, values and texts of the options out of CLI11, and says what they share.
#include "cli/reference.hpp"

#include "cli/command.hpp"
#include "cli/option_values.hpp"

namespace rooftile::cli {
namespace {

/// CLI11 appends what its checks accept: "LAYOUT:{row,column}", "N:INT in [1 - 1000]".
std::string value_name_of(const CLI::Option& option) {
  const std::string name = option.get_type_name();
  return name.empty() ? option.get_single_name() : name.substr(0, name.find(':'));
}

/// The members of CLI::IsMember, or those of the lists that the program itself checks.
std::vector<std::string> words_of(const std::string& command, const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto open = type.find(":{"), close = type.rfind('}');
  if (open != std::string::npos && close != std::string::npos)
    return CLI::detail::split(type.substr(open + 2, close - open - 2), ',');
  return option_values(command, option.get_single_name());
}

ValueKind kind_of(const OptionReference& option) {
  if (option.value_name.empty()) return ValueKind::none;
  if (!option.words.empty()) return ValueKind::words;
  if (option.value_name.starts_with("FILE")) return ValueKind::file;
  return option.value_name.starts_with("FOLDER") ? ValueKind::folder : ValueKind::text;
}

OptionReference option_reference(const std::string& command, const CLI::Option& option) {
  OptionReference reference;
  for (const std::string& name : option.get_snames()) reference.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) reference.names.push_back("--" + name);
  reference.argument = reference.names.empty();
  if (reference.argument) reference.names.push_back(option.get_single_name());
  if (option.get_items_expected_max() > 0) {
    reference.value_name = value_name_of(option);
    reference.words = words_of(command, option);
    reference.default_value = option.get_default_str();
  }
  reference.description = option.get_description();
  reference.group = option.get_group();
  reference.environment_variable = option.get_envname();
  reference.required = option.get_required();
  reference.many = option.get_items_expected_max() > 1;
  reference.comma_separated = option.get_delimiter() == ',';
  reference.kind = kind_of(reference);
  return reference;
}

}  // namespace

CommandReference command_reference(const CommandEntry& entry) {
  const std::unique_ptr<Command> command = entry.make();
  CLI::App app;
  define_app(app, entry, *command);
  CommandReference reference{std::string(entry.name),
                             std::string(entry.summary),
                             std::string(entry.description),
                             {entry.examples.begin(), entry.examples.end()},
                             {}};
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty())
      reference.options.push_back(option_reference(reference.name, *option));
  return reference;
}

std::vector<CommandReference> command_references() {
  std::vector<CommandReference> references;
  for (const CommandEntry* entry : command_table()) references.push_back(command_reference(*entry));
  return references;
}

const std::vector<Explained>& exit_codes() {
  static const std::vector<Explained> codes{
      {"0", "all asked for was done"},
      {"1", "a measurement, check or threshold failed, or stdout could not be written"},
      {"2", "an option, file or value is invalid; the message names it and says what to do"},
      {"3", "no usable GPU, or it lacks a feature"},
      {"4", "the system refuses access: a file, a folder, the GPU's counters"},
      {"5", "a result is suspect, under --strict"},
      {"130, 143", "interrupted by Ctrl-C or SIGTERM; what was finished is saved"}};
  return codes;
}

const std::vector<Explained>& environment_variables() {
  static const std::vector<Explained> variables{
      {"ROOFTILE_PROFILE", "the device profile, where --profile is not given"},
      {"ROOFTILE_CONFIG", "the configuration file, where --config is not given"},
      {"ROOFTILE_DATA_DIR", "the folder of recorded data, in place of the installed one"},
      {"ROOFTILE_COUNTERS", "1: as --counters"},
      {"ROOFTILE_CACHE_DIR", "the folder of kernels compiled at run time; empty: none is kept"},
      {"ROOFTILE_CUOBJDUMP", "the path of cuobjdump, in place of that on PATH"},
      {"XDG_CACHE_HOME", "where rooftile/ is that folder; ~/.cache when not set"},
      {"XDG_CONFIG_HOME", "where rooftile/config.toml is looked for; ~/.config when not set"},
      {"CUDA_VISIBLE_DEVICES", "the GPUs that --device counts"},
      {"NO_COLOR", "no colour on terminals, whatever the value"}};
  return variables;
}

const std::vector<Explained>& known_files() {
  static const std::vector<Explained> files{
      {"profile.json",
       "the device profile that characterize writes and predict, tune, validate "
       "and report read from the working directory"},
      {"runs.jsonl",
       "the measured runs, a line each, that measure writes and validate and report "
       "read beside a profile of one's own"},
      {"kernels/", "machine code of the measured kernels, which the sass predictor reads"},
      {"rooftile.toml",
       "options for every command or for one, where --config names no other file; then "
       "~/.config/rooftile/config.toml"},
      {"~/.cache/rooftile", "kernels compiled at run time; may be deleted at any time"},
      {"share/rooftile/data", "the recorded data of the installation"},
      {"share/rooftile/schemas", "JSON Schemas of every file that rooftile writes"}};
  return files;
}

}  // namespace rooftile::cli
