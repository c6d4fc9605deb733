// Completion: the scripts in the shells themselves, and that no name is left without a list.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <sstream>

#include "cli/command.hpp"
#include "cli/completion.hpp"
#include "gpu/environment.hpp"
#include "process.hpp"

namespace rooftile::cli {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

using Words = std::vector<std::string>;

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

/// The calls that complete the last of `words`, as readline makes them.
std::string bash_call(const Words& words) {
  std::string line = "COMP_WORDS=(rooftile";
  for (const std::string& word : words) line += " " + shell_quoted(word);
  return line + fmt::format(")\nCOMP_CWORD={}\n_rooftile\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
                            words.size());
}

Words bash_candidates(const Words& words) {
  const ProcessResult result =
      shell_process("bash", bash_completion(command_references()) + bash_call(words));
  EXPECT_EQ(result.exit_code, 0);
  return lines_of(result.out);
}

TEST(BashCompletion, CommandsOptionsAndNames) {
  EXPECT_THAT(bash_candidates({"pre"}), ElementsAre("predict"));
  EXPECT_THAT(bash_candidates({"help", "pre"}), ElementsAre("predict"));
  EXPECT_THAT(bash_candidates({"predict", "--vari"}), ElementsAre("--variant", "--variants"));
  EXPECT_THAT(bash_candidates({"predict", "--variant", "warp_t"}), ElementsAre("warp_tile"));
  EXPECT_THAT(bash_candidates({"predict", "--variant", "naive,warp_t"}),
              ElementsAre("naive,warp_tile"));
  EXPECT_THAT(bash_candidates({"predict", "--variant", "=", "naive,warp_t"}),
              ElementsAre("naive,warp_tile"));
  EXPECT_THAT(bash_candidates({"predict", "--variant", "naive", "warp_t"}),
              ElementsAre("warp_tile"));
  EXPECT_THAT(bash_candidates({"predict", "--layout", ""}), ElementsAre("row", "column"));
  EXPECT_THAT(bash_candidates({"predict", "--set", "dram.bandwidth.re"}),
              ElementsAre("dram.bandwidth.read="));
  EXPECT_THAT(bash_candidates({"predict", "--set", "dram.bandwidth.read", "=", ""}), IsEmpty());
  EXPECT_THAT(bash_candidates({"list", "me"}), ElementsAre("metrics"));
  EXPECT_THAT(bash_candidates({"list", "variants", "--quiet", "me"}), ElementsAre("metrics"));
  EXPECT_THAT(bash_candidates({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(bash_candidates({"predict", "--variant", "zzz"}), IsEmpty());
  EXPECT_THAT(bash_candidates({"nonsense", "--x"}), IsEmpty());
}

/// A shell may have `set -u`: on the command word nothing follows yet.
TEST(BashCompletion, UnsetVariablesAreNoErrors) {
  for (const Words& words : {Words{}, Words{"pre"}, Words{"predict", "--variant", "zzz"}}) {
    const ProcessResult result = shell_process(
        "bash", "set -u\n" + bash_completion(command_references()) + bash_call(words));
    EXPECT_EQ(result.exit_code, 0) << words.size();
    EXPECT_EQ(result.err, "") << words.size();
  }
}

TEST(BashCompletion, OffersWhatTheCommandTakes) {
  EXPECT_THAT(bash_candidates({"measure", "--variant", "cub"}), ElementsAre("cublas", "cublaslt"));
  EXPECT_THAT(bash_candidates({"predict", "--variant", "cub"}), IsEmpty());
  EXPECT_THAT(bash_candidates({"predict", "--predictor", "al"}), ElementsAre("all"));
  EXPECT_THAT(bash_candidates({"tune", "--predictor", "al"}), IsEmpty());
  EXPECT_THAT(bash_candidates({"measure", "--re"}), ElementsAre("--resume"))
      << "--replay is hidden";
}

TEST(BashCompletion, FilesAndFolders) {
  const Scratch scratch;
  spill(scratch.path("my profile.json"), "{}");
  const std::string start = scratch.path("my"), whole = scratch.path("my profile.json");
  EXPECT_THAT(bash_candidates({"predict", "--profile", start}), ElementsAre(whole));
  EXPECT_THAT(bash_candidates({"predict", "--profile", "=", start}), ElementsAre(whole));
  EXPECT_THAT(bash_candidates({"compare", whole, start}), ElementsAre(whole));
  spill(scratch.path("a=b.json"), "{}");
  EXPECT_THAT(bash_candidates({"compare", scratch.path("a"), "=", ""}), ElementsAre("b.json"))
      << "readline replaces what stands behind the = alone";
  EXPECT_THAT(bash_candidates({"validate", "--runs", whole, start}), ElementsAre(whole));
  EXPECT_THAT(bash_candidates({"report", "--output", start}), IsEmpty()) << "no folder";
  EXPECT_THAT(bash_candidates({"report", "--output", scratch.folder()}),
              ElementsAre(scratch.folder()));
  EXPECT_THAT(bash_candidates({"predict", "--shape", start}), IsEmpty()) << "no file";
}

/// Each name typed whole is answered with itself, whatever the tables hold.
TEST(BashCompletion, EveryOptionAndEveryWordOfEveryCommand) {
  std::string script = bash_completion(command_references());
  Words expected;
  auto ask = [&](Words words) {
    expected.push_back(words.back());
    if (words.back().back() == '=') words.back().pop_back();  // what follows it is another word
    script += bash_call(words) + "echo\n";
  };
  for (const CommandReference& command : command_references())
    for (const OptionReference& option : command.options)
      for (const std::string& name : option.names) {
        if (!option.argument) ask({command.name, name});
        for (const std::string& word : option.words)
          option.argument ? ask({command.name, word}) : ask({command.name, name, word});
      }
  EXPECT_GT(expected.size(), 300u);
  const ProcessResult result = shell_process("bash", script);
  EXPECT_EQ(result.exit_code, 0);
  const Words answers = lines_of(result.out);
  for (const std::string& word : expected) EXPECT_THAT(answers, Contains(word));
}

TEST(ZshCompletion, IsReadWithoutComplaint) {
  if (!has_program("zsh")) GTEST_SKIP() << "no zsh here";
  EXPECT_EQ(shell_process("zsh -n", zsh_completion(command_references())).exit_code, 0);
}

Words fish_candidates(const std::string& line) {
  const ProcessResult result =
      shell_process("fish --no-config", fish_completion(command_references()) + "complete -C " +
                                            shell_quoted(line) + "\n");
  EXPECT_EQ(result.exit_code, 0);
  Words words;
  for (const std::string& found : lines_of(result.out))
    words.push_back(found.substr(0, found.find('\t')));
  return words;
}

TEST(FishCompletion, CommandsOptionsAndNames) {
  if (!has_program("fish")) GTEST_SKIP() << "no fish here";
  EXPECT_THAT(fish_candidates("rooftile pred"), ElementsAre("predict"));
  EXPECT_THAT(fish_candidates("rooftile predict --vari"),
              testing::UnorderedElementsAre("--variant", "--variants"));
  EXPECT_THAT(fish_candidates("rooftile predict --variant warp_t"), ElementsAre("warp_tile"));
  EXPECT_THAT(fish_candidates("rooftile predict --variant naive,warp_t"),
              ElementsAre("naive,warp_tile"));
  EXPECT_THAT(fish_candidates("rooftile predict --predictor al"), Contains("all"));
  EXPECT_THAT(fish_candidates("rooftile tune --predictor al"), Not(Contains("all")));
  EXPECT_THAT(fish_candidates("rooftile list me"), ElementsAre("metrics"));
  EXPECT_THAT(fish_candidates("rooftile completion z"), ElementsAre("zsh"));
}

TEST(Completion, ANameThatAnOptionTakesIsAlwaysOffered) {
  for (const CommandReference& command : command_references())
    for (const OptionReference& option : command.options) {
      const bool names = option.value_name.starts_with("NAME") ||
                         option.value_name.starts_with("WHAT") ||
                         option.value_name.starts_with("ID=") || option.value_name == "COMMAND";
      if (names) {
        EXPECT_THAT(option.words, Not(IsEmpty())) << command.name << " " << option.names.back();
      }
    }
}

TEST(Completion, ThreeShellsAndNoOther) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const ProcessResult result = rooftile_process({"completion", shell});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.out, AllOf(HasSubstr(std::string(shell) + " completion for rooftile"),
                                  HasSubstr("conflict_free")));
  }
  const ProcessResult other = rooftile_process({"completion", "csh"});
  EXPECT_EQ(other.exit_code, exit_usage);
  EXPECT_THAT(other.err, HasSubstr("csh"));
  EXPECT_EQ(rooftile_process({"completion"}).exit_code, exit_usage);
}

}  // namespace
}  // namespace rooftile::cli
