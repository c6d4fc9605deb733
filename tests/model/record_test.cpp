// Runs, predictions, validations and splits: round trips, golden files, JSON Schemas, damaged
// files.
#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <limits>
#include <set>

#include "model/record/data_path.hpp"
#include "model/record/splits.hpp"
#include "tests/support/record_samples.hpp"
#include "tests/support/schema_errors.hpp"

namespace rooftile::test {
namespace {

using ::testing::HasSubstr;

const std::string source = ROOFTILE_SOURCE_DIR;

Json sample_of(const std::string& name) {
  if (name == "profile") return sample_profile().to_json();
  if (name == "run") return sample_run().to_json();
  if (name == "validation") return sample_validation().to_json();
  const std::vector<Prediction> predictions = {sample_prediction()};
  return predictions_file(predictions, sample_created_by(), sample_environment());
}

/// Reads and writes again, so that a golden file must hold all that the code knows.
Json rewritten(const std::string& name, const Json& json) {
  const JsonReader reader(json, name);
  if (name == "profile") return DeviceProfile::from_json(reader).to_json();
  if (name == "run") return RunRecord::from_json(reader).to_json();
  if (name == "validation") return ValidationReport::from_json(reader).to_json();
  return predictions_file(predictions_from(reader), sample_created_by(), sample_environment());
}

class Kinds : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Record, Kinds,
                         ::testing::Values("profile", "run", "prediction", "validation"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Kinds, MatchesItsGoldenFile) {
  const std::string name = GetParam(), path = source + "/tests/golden/" + name + ".json";
  const auto text = dump_json(sample_of(name));
  if (std::getenv("ROOFTILE_UPDATE_GOLDEN") != nullptr) write_text_file(path, text);
  EXPECT_EQ(text, read_text_file(path))
      << "format changed: see docs, then ROOFTILE_UPDATE_GOLDEN=1";
}

TEST_P(Kinds, GoldenFileReadsBack) {
  const std::string name = GetParam(), path = source + "/tests/golden/" + name + ".json";
  const Json json = parse_json(read_text_file(path), path);
  EXPECT_EQ(dump_json(rewritten(name, json)), dump_json(json));
}

TEST_P(Kinds, FollowsItsSchema) { EXPECT_EQ(schema_errors(GetParam(), sample_of(GetParam())), ""); }

/// Each member removed or replaced somewhere must trouble the schema, else it checks nothing.
TEST_P(Kinds, SchemaRefusesMissingMembers) {
  const Json good = sample_of(GetParam());
  for (const auto& item : good.items()) {
    Json bad = good;
    bad.erase(item.key());
    if (item.key() != "completed" && item.key() != "unfinished") {  // not in every profile
      EXPECT_NE(schema_errors(GetParam(), bad), "") << item.key();
    }
    bad = good;
    bad[item.key()] = Json::array({Json::object()});
    EXPECT_NE(schema_errors(GetParam(), bad), "") << item.key();
  }
}

TEST(Record, AValidationOfTheFirstVersionHadNoAblation) {
  Json first = sample_of("validation");
  first["schema_version"] = 1;
  first.erase("ablation");
  const ValidationReport read = ValidationReport::from_json(JsonReader(first, "validation"));
  EXPECT_TRUE(read.ablation.empty());
  EXPECT_EQ(read.to_json().at("schema_version"), 2);
}

TEST_P(Kinds, ReaderRefusesMissingMembers) {
  const std::string name = GetParam();
  const std::set<std::string> optional = {"reason",     "counters",    "correctness",
                                          "kernel_id",  "tables",      "completed",
                                          "created_by", "environment", "unfinished"};
  const Json good = sample_of(name);
  for (const auto& item : good.items()) {
    Json bad = good;
    bad.erase(item.key());
    if (optional.count(item.key()) == 0) {
      EXPECT_THAT(input_error([&] { rewritten(name, bad); }), HasSubstr("\"" + item.key() + "\""));
    }
  }
}

/// Flips, cuts and inserts bytes: the outcome is a record or an InputError, never anything else.
TEST_P(Kinds, DamagedFilesOnlyThrowInputError) {
  const std::string name = GetParam(), good = dump_json(sample_of(name));
  EXPECT_TRUE(rc::check("mutations of a valid file", [&] {
    std::string text = good;
    for (int i = 0, n = *rc::gen::inRange(1, 5); i < n; ++i) {
      const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
      switch (*rc::gen::inRange(0, 4)) {
        case 0:
          text[at] = static_cast<char>(*rc::gen::inRange(0, 256));
          break;
        case 1:
          text.erase(at, *rc::gen::inRange<std::size_t>(1, 40));
          break;
        case 2:
          text.insert(at, *rc::gen::element<std::string>("9", "-", "e9", "null", "{", "]", "0"));
          break;
        default:
          text.resize(std::max<std::size_t>(at, 1));
      }
      if (text.empty()) text = " ";
    }
    input_error([&] { rewritten(name, parse_json(text, "f")); });
  }));
}

TEST_P(Kinds, EveryValueReplacedOnlyThrowsInputError) {
  const std::string name = GetParam();
  const auto flat = sample_of(name).flatten();
  const std::vector<Json> replacements = {nullptr, -1, 0,    1e300,         9223372036854775808U,
                                          "12abc", "", true, Json::array(), Json::object()};
  for (const auto& item : flat.items())
    for (const auto& value : replacements) {
      Json bad = sample_of(name);
      bad[Json::json_pointer(item.key())] = value;
      input_error([&] { rewritten(name, bad); });
    }
}

TEST(Schemas, SharedDefinitionsAgree) {
  std::map<std::string, nlohmann::json> seen;
  for (const char* name :
       {"profile", "run", "prediction", "validation", "splits", "comparison", "fleet"}) {
    const auto path = source + "/schemas/" + name + ".schema.json";
    const auto schema = nlohmann::json::parse(read_text_file(path));
    if (!schema.contains("definitions")) continue;
    for (const auto& item : schema.at("definitions").items())
      EXPECT_EQ(seen.emplace(item.key(), item.value()).first->second, item.value())
          << item.key() << " differs in " << name;
  }
}

TEST(Schemas, EmptyRecordsFollowThemToo) {
  EXPECT_EQ(schema_errors("profile", DeviceProfile{}.to_json()), "");
  EXPECT_EQ(schema_errors("validation", ValidationReport{}.to_json()), "");
  EXPECT_EQ(schema_errors("prediction", predictions_file({}, {}, {})), "");
}

TEST(Run, RoundTripsAndFollowsItsSchema) {
  EXPECT_TRUE(rc::check("from_json(to_json(r)) writes the same", [] {
    const auto run = *legal_run();
    const Json json = parse_json(dump_json(run.to_json()), "r");
    RC_ASSERT(RunRecord::from_json(JsonReader(json, "r")).to_json() == json);
    RC_ASSERT(run_key(RunRecord::from_json(JsonReader(json, "r"))) == run_key(run));
    RC_ASSERT(schema_errors("run", json) == "");
  }));
}

TEST(Run, KeysIdentify) {
  const auto base = sample_run();
  EXPECT_EQ(
      run_key(base),
      "warp_tile 128x128x8/8x8/64x32,stages=2,raster=swizzle,raster_group=8 4096x2048x1024 hot");
  std::set<std::string> keys = {run_key(base)};
  const auto differs = [&](const std::function<void(RunRecord&)>& change) {
    auto run = base;
    change(run);
    EXPECT_TRUE(keys.insert(run_key(run)).second) << run_key(run);
  };
  differs([](RunRecord& r) { r.variant = "naive"; });
  differs([](RunRecord& r) { r.tile.stages = 3; });
  differs([](RunRecord& r) { r.problem.M = 1; });
  differs([](RunRecord& r) { r.problem.lda += 4; });
  differs([](RunRecord& r) { r.problem.alpha = 0.1; });
  differs([](RunRecord& r) { r.problem.beta = 1; });
  differs([](RunRecord& r) { r.problem.batch = 2; });
  differs([](RunRecord& r) { r.problem.trans_a = true; });
  differs([](RunRecord& r) { r.problem.layout = Layout::column_major; });
  differs([](RunRecord& r) { r.cache = CacheState::cold; });
}

TEST(Run, WrongResultsAreWrittenWithoutNan) {
  auto run = sample_run();
  run.state = State::failed;
  run.time.reset();
  run.correctness = {std::numeric_limits<double>::quiet_NaN(),
                     std::numeric_limits<double>::infinity(), 1e-3, false};
  run.counters.values.emplace_back("x", std::numeric_limits<double>::quiet_NaN());
  const Json json = run.to_json();
  EXPECT_TRUE(json["correctness"]["max_error"].is_null());
  EXPECT_EQ(schema_errors("run", json), "");
  EXPECT_EQ(RunRecord::from_json(JsonReader(json, "r")).to_json(), json);
}

std::string run_lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += sample_run().to_json().dump() + "\n";
  return text;
}

TEST(Run, LastLineMayBeCutShort) {
  const TemporaryFolder folder;
  const auto path = folder / "runs.jsonl", whole = run_lines(2);
  bool truncated = false;
  for (std::size_t cut = whole.size() / 2 + 1; cut < whole.size() - 1; cut += 37) {
    write_text_file(path, whole.substr(0, cut));
    EXPECT_EQ(load_runs(path, &truncated).size(), 1U);
    EXPECT_TRUE(truncated);
  }
  for (const auto& text : {whole, whole.substr(0, whole.size() - 1)}) {
    write_text_file(path, text);
    EXPECT_EQ(load_runs(path, &truncated).size(), 2U);
    EXPECT_FALSE(truncated);
  }
  write_text_file(path, "");
  EXPECT_EQ(load_runs(path).size(), 0U);
}

TEST(Run, OtherBadLinesAreNamed) {
  const TemporaryFolder folder;
  const auto path = folder / "runs.jsonl";
  write_text_file(path, run_lines(2) + "{\"schema\": \n" + run_lines(1));
  EXPECT_THAT(input_error([&] { load_runs(path); }), HasSubstr("runs.jsonl:3:"));
  write_text_file(path, run_lines(1) + "{}\n");
  EXPECT_THAT(input_error([&] { load_runs(path); }), HasSubstr("runs.jsonl:2: member \"schema\""));
}

TEST(Prediction, Loads) {
  const TemporaryFolder folder;
  write_text_file(folder / "p.json", dump_json(sample_of("prediction")));
  const auto loaded = load_predictions(folder / "p.json");
  ASSERT_EQ(loaded.size(), 1U);
  EXPECT_EQ(loaded[0].to_json(), sample_prediction().to_json());
}

TEST(Validation, SavesAndLoads) {
  const TemporaryFolder folder;
  sample_validation().save(folder / "v.json");
  EXPECT_EQ(ValidationReport::load(folder / "v.json").to_json(), sample_validation().to_json());
}

TEST(Splits, TheDrawLoads) {
  const auto path = source + "/data/splits.json";
  EXPECT_EQ(schema_errors("splits", parse_json(read_text_file(path), path)), "");
  const auto splits = Splits::load(path);
  EXPECT_GE(splits.shapes.size(), 65U);
  EXPECT_TRUE(splits.is_sealed(parse_shape("192"), "naive"));
  EXPECT_FALSE(splits.is_sealed(parse_shape("4096"), "naive"));
  EXPECT_TRUE(splits.is_sealed(parse_shape("4096"), "tma"));
  EXPECT_EQ(splits.split_of(parse_shape("4096"), "persistent"), "sealed");
  EXPECT_EQ(splits.split_of(parse_shape("7x7x7"), "unheard-of"), "dev");
}

TEST(Splits, FaultsAreNamed) {
  const TemporaryFolder folder;
  const auto fault = [&](const char* shapes, const char* families) {
    write_text_file(
        folder / "s.json",
        std::string("{\"schema\": \"rooftile.splits\", \"schema_version\": 1, \"shapes\": ") +
            shapes + ", \"variant_families\": " + families + "}");
    return input_error([&] { Splits::load(folder / "s.json"); });
  };
  EXPECT_EQ(fault("[]", "[]"), "");
  EXPECT_THAT(fault(R"([{"shape": "4x4", "family": "f", "split": "dev"}])", "[]"),
              HasSubstr("shapes[0].shape: shape \"4x4\""));
  EXPECT_THAT(fault(R"([{"shape": "4", "family": "f", "split": "test"}])", "[]"),
              HasSubstr("expected one of \"dev\", \"sealed\""));
  EXPECT_THAT(fault(R"([{"shape": "4", "family": "f", "split": "dev"},
                        {"shape": "4x4x4", "family": "f", "split": "sealed"}])",
                    "[]"),
              HasSubstr("each shape once"));
  EXPECT_THAT(fault("[]", R"([{"family": "f"}])"), HasSubstr("\"split\" is missing"));
}

TEST(DataPath, EnvironmentWinsAndFaultsListWhatWasTried) {
  const TemporaryFolder folder;
  EXPECT_EQ(data_directory(), source + "/data");
  setenv("ROOFTILE_DATA_DIR", folder.path().c_str(), 1);
  EXPECT_EQ(data_directory(), folder.path());
  EXPECT_TRUE(recorded_gpus().empty());
  std::filesystem::create_directory(folder / "z");
  write_text_file(folder / "z/profile.json", "{}");
  EXPECT_EQ(recorded_gpus(), std::vector<std::string>{"z"});
  EXPECT_EQ(data_path("z/profile.json"), folder / "z/profile.json");
  EXPECT_THAT(input_error([] { data_path("y/profile.json"); }), HasSubstr("recorded GPUs: z"));
  setenv("ROOFTILE_DATA_DIR", "/no/such/folder", 1);
  EXPECT_THAT(input_error([] { data_directory(); }),
              ::testing::AllOf(HasSubstr("tried /no/such/folder"), HasSubstr("ROOFTILE_DATA_DIR")));
  unsetenv("ROOFTILE_DATA_DIR");
}

}  // namespace
}  // namespace rooftile::test
