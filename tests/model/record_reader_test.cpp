// JsonReader, parsing and files: every fault is an InputError that says where and what.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <limits>

#include "model/record/json_reader.hpp"
#include "model/record/provenance.hpp"
#include "tests/support/record_samples.hpp"

namespace rooftile::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string parse_fault(std::string_view text) {
  return input_error([&] { parse_json(text, "file.json"); });
}

TEST(JsonReader, SyntaxErrorsNameLineAndColumn) {
  EXPECT_THAT(parse_fault("{\n  \"a\": 1,\n  \"b\": NaN\n}"),
              AllOf(StartsWith("file.json:3:"), HasSubstr("malformed JSON")));
  EXPECT_THAT(parse_fault(""), HasSubstr("file.json:1:1: malformed JSON"));
  EXPECT_THAT(parse_fault("{\"a\": [1, 2"), StartsWith("file.json:1:"));
  EXPECT_THAT(parse_fault("{} x"), StartsWith("file.json:1:4"));
  EXPECT_THAT(parse_fault("[Infinity]"), HasSubstr("malformed"));
  EXPECT_THAT(parse_fault("[12abc]"), HasSubstr("malformed"));
  EXPECT_THAT(parse_fault("[1e999]"), HasSubstr("malformed JSON"));
  EXPECT_THAT(parse_fault("\"\xff\""), HasSubstr("malformed JSON"));
  EXPECT_THAT(parse_fault("// comment\n1"), HasSubstr("malformed JSON"));
  EXPECT_EQ(parse_fault("{\"a\": 1, \"a\": 2}"), "");
}

TEST(JsonReader, SurvivesDeepNesting) { EXPECT_NE(parse_fault(std::string(200'000, '[')), ""); }

TEST(JsonReader, ErrorsNamePathValueAndExpectation) {
  const Json json = {
      {"a", {{"b", {1, "x", nullptr}}}}, {"big", 9223372036854775808U}, {"t", "12abc"}};
  const JsonReader reader(json, "f");
  const auto b = reader.at("a").at("b");
  EXPECT_EQ(input_error([&] { b.at(1).number(); }), "f: a.b[1]: expected a number, found \"x\"");
  EXPECT_EQ(input_error([&] { b.at(2).text(); }), "f: a.b[2]: expected a text, found null");
  EXPECT_EQ(input_error([&] { b.numbers(); }), "f: a.b[1]: expected a number, found \"x\"");
  EXPECT_EQ(input_error([&] { reader.at("a").at("c"); }), "f: a: member \"c\" is missing");
  EXPECT_EQ(input_error([&] { b.at("c"); }), "f: a.b: expected an object, found an array of 3");
  EXPECT_EQ(input_error([&] { reader.at("a").size(); }),
            "f: a: expected an array, found an object");
  EXPECT_EQ(input_error([&] { b.at(3); }),
            "f: a.b: expected an array with at least 4 elements, found an array of 3");
  EXPECT_THAT(input_error([&] { reader.at("big").integer(); }), HasSubstr("below 2^63"));
  EXPECT_THAT(input_error([&] { reader.at("t").integer(); }), HasSubstr("found \"12abc\""));
  EXPECT_THAT(input_error([&] { reader.at("t").boolean(); }), HasSubstr("true or false"));
  EXPECT_THAT(input_error([&] { b.at(0).keys(); }), HasSubstr("expected an object"));
  EXPECT_THAT(input_error([&] { b.at(0).integer_in(2, 3); }), HasSubstr("from 2 to 3, found 1"));
}

TEST(JsonReader, LongValuesAreCut) {
  const Json json = std::string(1000, 'y');
  EXPECT_LT(input_error([&] { JsonReader(json, "f").number(); }).size(), 120U);
}

TEST(JsonReader, IntegersMustBeWrittenAsIntegers) {
  const Json json = parse_json("[4096.0, 1e3, -9223372036854775808, 9223372036854775807]", "f");
  const JsonReader reader(json, "f");
  EXPECT_NE(input_error([&] { reader.at(0U).integer(); }), "");
  EXPECT_NE(input_error([&] { reader.at(1).integer(); }), "");
  EXPECT_EQ(reader.at(2).integer(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(reader.at(3).integer(), std::numeric_limits<std::int64_t>::max());
  EXPECT_NE(input_error([&] { reader.at(3).count(); }), "");
}

TEST(JsonReader, NullIsAbsent) {
  const Json json = {{"a", nullptr}, {"b", 1}};
  const JsonReader reader(json, "f");
  EXPECT_FALSE(reader.has("a"));
  EXPECT_FALSE(reader.has("c"));
  EXPECT_TRUE(reader.has("b"));
  EXPECT_EQ(reader.optional_number("a"), std::nullopt);
  EXPECT_EQ(reader.optional_number("b"), 1.0);
  EXPECT_EQ(reader.text_or("a", "z"), "z");
  EXPECT_NE(input_error([&] { reader.text_or("b", "z"); }), "");
}

TEST(JsonReader, NoFileHoldsNumbersThatAreNotFinite) {
  EXPECT_EQ(number_or_null(std::nullopt), Json(nullptr));
  EXPECT_EQ(number_or_null(2), Json(2.0));
  EXPECT_THROW(number_or_null(std::numeric_limits<double>::quiet_NaN()), std::logic_error);
  EXPECT_THROW(number_or_null(std::numeric_limits<double>::infinity()), std::logic_error);
  const Json json = std::numeric_limits<double>::infinity();
  EXPECT_NE(input_error([&] { JsonReader(json, "f").number(); }), "");
}

TEST(TextFile, WritesAndReadsBack) {
  const TemporaryFolder folder;
  const std::string text("a\0b\nü", 6);
  write_text_file(folder / "x", "old");
  write_text_file(folder / "x", text);
  EXPECT_EQ(read_text_file(folder / "x"), text);
  const auto entries = std::filesystem::directory_iterator(folder.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1) << "a temporary file was left behind";
}

TEST(TextFile, FollowsLinksAndDevices) {
  const TemporaryFolder folder;
  write_text_file(folder / "real", "1");
  std::filesystem::create_symlink("real", folder / "link");
  write_text_file(folder / "link", "2");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_text_file(folder / "real"), "2");
  write_text_file("/dev/null", "3");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(TextFile, FaultsNameThePath) {
  const TemporaryFolder folder;
  EXPECT_THAT(
      input_error([&] { read_text_file(folder / "none"); }),
      AllOf(HasSubstr(folder / "none"), HasSubstr("cannot open"), HasSubstr("No such file")));
  EXPECT_THAT(input_error([&] { read_text_file(folder.path()); }), HasSubstr(folder.path()));
  EXPECT_THAT(input_error([&] { write_text_file(folder / "no/such", "x"); }),
              HasSubstr("no/such: cannot write"));
  EXPECT_THAT(input_error([&] { write_text_file(folder.path(), "x"); }), HasSubstr("cannot write"));
}

TEST(DumpJson, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(dump_json(Json("a\xff")), "\"a\xEF\xBF\xBD\"\n");
}

TEST(Provenance, ThisBuildIsKnown) {
  const auto build = this_build();
  EXPECT_THAT(build.version, ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(build.git_revision, ::testing::MatchesRegex("unknown|[0-9a-f]{7,40}(-dirty)?"));
  EXPECT_FALSE(build.build_type.empty());
}

TEST(Provenance, SchemaAndVersionAreChecked) {
  const auto fault = [](const Json& json) {
    return input_error([&] { check_schema(JsonReader(json, "f"), "rooftile.x", 2); });
  };
  EXPECT_EQ(fault({{"schema", "rooftile.x"}, {"schema_version", 1}}), "");
  EXPECT_THAT(fault({{"schema", "rooftile.x"}, {"schema_version", 3}}),
              AllOf(HasSubstr("version 3 is newer"), HasSubstr("update rooftile")));
  EXPECT_THAT(fault({{"schema", "rooftile.y"}, {"schema_version", 1}}),
              HasSubstr("\"rooftile.x\""));
  EXPECT_THAT(fault({{"schema", "rooftile.x"}, {"schema_version", 0}}), HasSubstr("at least 1"));
  EXPECT_THAT(fault({{"schema", "rooftile.x"}}), HasSubstr("\"schema_version\" is missing"));
  EXPECT_THAT(fault({1, 2}), HasSubstr("expected an object"));
}

TEST(Provenance, EnvironmentRoundTrips) {
  const Json json = to_json(sample_environment());
  EXPECT_EQ(to_json(environment_from(JsonReader(json, "e"))), json);
  const Json none = to_json(Environment{});
  EXPECT_EQ(to_json(environment_from(JsonReader(none, "e"))), none);
  EXPECT_TRUE(none.at("compute_capability").is_null());
}

TEST(Provenance, RefusesBadCapability) {
  for (const char* text : {"9", "9.", ".0", "9.0a", "a", "-9.0", "9.0.1", "99999999999.0"}) {
    Json json = to_json(sample_environment());
    json["compute_capability"] = text;
    EXPECT_THAT(input_error([&] { environment_from(JsonReader(json, "e")); }),
                HasSubstr("a version such as \"9.0\""))
        << text;
  }
}

}  // namespace
}  // namespace rooftile::test
