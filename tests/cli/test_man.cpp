// Man pages: groff finds nothing to say about them, and they hold what --help holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cli/command.hpp"
#include "cli/man_page.hpp"
#include "process.hpp"

namespace rooftile::cli {
namespace {

using testing::HasSubstr;

/// The page as a terminal of 400 columns shows it, every warning of groff among it.
std::string shown(const std::string& page) {
  const Scratch scratch;
  spill(scratch.path("page.1"), page);
  return shell_process("sh", fmt::format("groff -ww -man -Tutf8 -rLL=400n -P-cbou {} 2>&1",
                                         scratch.path("page.1")))
      .out;
}

TEST(ManPage, GroffHasNoWarning) {
  if (!has_program("groff")) GTEST_SKIP() << "no groff here";
  const Scratch scratch;
  auto warnings = [&](const std::string& page) {
    spill(scratch.path("page.1"), page);
    return shell_process("sh",
                         fmt::format("groff -ww -man -Tutf8 -z {} 2>&1", scratch.path("page.1")))
        .out;
  };
  EXPECT_EQ(warnings(overview_man_page(command_references())), "");
  for (const CommandReference& command : command_references())
    EXPECT_EQ(warnings(command_man_page(command)), "") << command.name;
  EXPECT_NE(warnings(".TH X 1\n.nonsense\n"), "") << "a bad page passes: the test shows nothing";
}

TEST(ManPage, HoldsEveryOptionExampleExitCodeAndVariable) {
  if (!has_program("groff")) GTEST_SKIP() << "no groff here";
  for (const CommandReference& command : command_references()) {
    const std::string text = shown(command_man_page(command));
    for (const OptionReference& option : command.options) {
      EXPECT_THAT(text, HasSubstr(option.argument ? option.value_name : option.names.back()));
      EXPECT_THAT(text, HasSubstr(option.description + "."));
    }
    for (const std::string& example : command.examples) EXPECT_THAT(text, HasSubstr(example));
    for (const Explained& code : exit_codes()) EXPECT_THAT(text, HasSubstr(code.meaning));
    for (const Explained& variable : environment_variables())
      EXPECT_THAT(text, HasSubstr(variable.name));
  }
}

TEST(ManPage, TextIsNoRequestAndNoEscape) {
  if (!has_program("groff")) GTEST_SKIP() << "no groff here";
  CommandReference command{"try", "a - b", ".so /etc/passwd", {"'quoted' \\fB -- x\\n"}, {}};
  const std::string text = shown(command_man_page(command));
  EXPECT_THAT(text, HasSubstr(".so /etc/passwd"));
  EXPECT_THAT(text, HasSubstr("'quoted' \\fB -- x\\n"));
}

TEST(ManPage, OfTheProgramOrOfACommand) {
  const ProcessResult whole = rooftile_process({"man"});
  EXPECT_EQ(whole.exit_code, 0);
  for (const CommandEntry* entry : command_table())
    EXPECT_THAT(whole.out, HasSubstr(fmt::format("rooftile\\-{} (1)", entry->name)));
  EXPECT_THAT(rooftile_process({"man", "tune"}).out, HasSubstr(".TH \"ROOFTILE\\-TUNE\" 1"));
  const ProcessResult unknown = rooftile_process({"man", "tnue"});
  EXPECT_EQ(unknown.exit_code, exit_usage);
  EXPECT_THAT(unknown.err, HasSubstr("tune"));
}

/// Every variable of ours that the sources name; the build's own are no variables of a run.
TEST(ManPage, KnowsEveryVariableThatTheSourcesName) {
  const ProcessResult named =
      shell_process("sh", fmt::format("cd '{}' && grep -rhoE --include='*.cpp' --include='*.cu' "
                                      "'\"(ROOFTILE|XDG)_[A-Z_]+\"' cli gpu model report | sort -u",
                                      ROOFTILE_SOURCE_DIR));
  std::istringstream lines(named.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const std::string name = line.substr(1, line.size() - 2);
    EXPECT_TRUE(std::any_of(environment_variables().begin(), environment_variables().end(),
                            [&](const Explained& variable) { return variable.name == name; }))
        << name;
  }
  EXPECT_GE(count, 5) << named.err;
}

/// docs/cli.md lists the same exit codes and variables.
TEST(ManPage, SaysWhatTheDocumentSays) {
  const std::string document = slurp(std::string(ROOFTILE_SOURCE_DIR) + "/docs/cli.md");
  for (const Explained& code : exit_codes())
    EXPECT_THAT(document, HasSubstr("| " + code.name + " | ")) << code.meaning;
  for (const Explained& variable : environment_variables())
    EXPECT_THAT(document, HasSubstr("`" + variable.name)) << variable.meaning;
}

}  // namespace
}  // namespace rooftile::cli
