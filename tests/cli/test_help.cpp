// Every command: its help has examples, and every example of every command parses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "cli/command.hpp"

namespace rooftile::cli {
namespace {

/// Splits as a shell does, for the quotes that our examples use.
std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words(1);
  char quote = 0;
  for (char c : line) {
    if (quote != 0 ? c == quote : c == '\'' || c == '"')
      quote = quote != 0 ? '\0' : c;
    else if (c == ' ' && quote == 0)
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

TEST(Help, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const CommandEntry* entry : command_table()) {
    EXPECT_TRUE(names.insert(entry->name).second) << entry->name;
    EXPECT_EQ(find_command(entry->name), entry);
    EXPECT_THAT(overview(), testing::HasSubstr(std::string(entry->summary)));
  }
  EXPECT_EQ(find_command("nonsense"), nullptr);
}

TEST(Help, EveryExampleParsesAndIsShown) {
  for (const CommandEntry* entry : command_table()) {
    EXPECT_GE(entry->examples.size(), 2u) << entry->name;
    for (std::string_view example : entry->examples) {
      const std::unique_ptr<Command> command = entry->make();
      CLI::App app;
      define_app(app, *entry, *command);
      std::vector<std::string> words = shell_words(example);
      ASSERT_GE(words.size(), 2u);
      EXPECT_EQ(words[0], "rooftile");
      EXPECT_EQ(words[1], entry->name);
      EXPECT_NO_THROW(app.parse(std::vector<std::string>(words.rbegin(), words.rend() - 2)))
          << example;
      EXPECT_THAT(app.help(), testing::HasSubstr(std::string(example)));
    }
  }
}

TEST(Help, EveryVisibleOptionIsDescribed) {
  for (const CommandEntry* entry : command_table()) {
    const std::unique_ptr<Command> command = entry->make();
    CLI::App app;
    define_app(app, *entry, *command);
    for (const CLI::Option* option : app.get_options())
      if (!option->get_group().empty()) {
        EXPECT_FALSE(option->get_description().empty()) << entry->name << " " << option->get_name();
      }
  }
}

}  // namespace
}  // namespace rooftile::cli
