// The files of data/: each names its schema, follows it, and is refused when a member is damaged.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <set>

#include "tests/support/record_samples.hpp"
#include "tests/support/schema_errors.hpp"

namespace rooftile::test {
namespace {

namespace fs = std::filesystem;

const std::string data = std::string(ROOFTILE_SOURCE_DIR) + "/data";

/// "run" of "rooftile.run".
std::string schema_name(const Json& document) {
  const auto name = document.at("schema").get<std::string>();
  EXPECT_TRUE(name.starts_with("rooftile.")) << name;
  return name.substr(name.find('.') + 1);
}

/// The documents of a file: of JSON Lines the first and the last.
std::vector<Json> documents_of(const fs::path& path) {
  const std::string text = read_text_file(path.string());
  if (path.string().find(".jsonl") == std::string::npos) return {parse_json(text, path.string())};
  const auto last = text.rfind('\n', text.size() - 2);
  return {parse_json(text.substr(0, text.find('\n')), path.string()),
          parse_json(text.substr(last == std::string::npos ? 0 : last + 1), path.string())};
}

std::vector<fs::path> data_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(data)) {
    const std::string name = entry.path().filename().string();
    if (name.find(".json") != std::string::npos) files.push_back(entry.path());
  }
  return files;
}

TEST(RecordedData, EveryFileFollowsTheSchemaThatItNames) {
  std::set<std::string> seen;
  for (const fs::path& path : data_files())
    for (const Json& document : documents_of(path)) {
      const std::string name = schema_name(document);
      EXPECT_EQ(schema_errors(name, document), "") << path;
      seen.insert(name);
    }
  EXPECT_THAT(seen, ::testing::IsSupersetOf({"splits", "suite", "profile", "run"}));
}

/// What the schema takes the reader may still refuse: a value that nothing can have, say.
TEST(RecordedData, EveryProfileAndRunIsRead) {
  int read = 0;
  for (const fs::path& path : data_files())
    for (const Json& document : documents_of(path)) {
      const std::string name = schema_name(document);
      const JsonReader reader(document, path.string());
      if (name == "profile") {
        EXPECT_NO_THROW(DeviceProfile::from_json(reader)) << path;
      } else if (name == "run") {
        EXPECT_NO_THROW(RunRecord::from_json(reader)) << path;
      }
      read += name == "profile" || name == "run" ? 1 : 0;
    }
  EXPECT_GE(read, 15);
}

TEST(RecordedData, TheSuiteSchemaRefusesWhatTheReaderRefuses) {
  const Json good = parse_json(read_text_file(data + "/suite.json"), "suite.json");
  for (const char* member : {"schema", "schema_version", "shapes"}) {
    Json bad = good;
    bad.erase(member);
    EXPECT_NE(schema_errors("suite", bad), "") << member;
    bad = good;
    bad[member] = Json::array({Json::object()});
    EXPECT_NE(schema_errors("suite", bad), "") << member;
  }
  for (const char* shape : {"4096", "4Ki", "1Mi", "0064", "4Kix11008x4096", "1x1x1"}) {
    Json with = good;
    with["shapes"] = {shape};
    EXPECT_EQ(schema_errors("suite", with), "") << shape;
    EXPECT_NO_THROW(parse_shape(shape));
  }
  for (const char* shape : {"", "0", "4x4", "4x4x4x4", "4K", "-4", "4 ", "x4x4", "4x4x", "0x1x1"}) {
    Json with = good;
    with["shapes"] = {shape};
    EXPECT_NE(schema_errors("suite", with), "") << shape;
    EXPECT_THROW(parse_shape(shape), InputError) << shape;
  }
  Json without = good, twice = good;
  without["shapes"] = Json::array();
  twice["shapes"].push_back(twice["shapes"].front());
  EXPECT_NE(schema_errors("suite", without), "");
  EXPECT_NE(schema_errors("suite", twice), "");
}

}  // namespace
}  // namespace rooftile::test
