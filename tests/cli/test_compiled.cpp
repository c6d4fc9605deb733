// A second look by machine code: which kernels are compiled for it, how it ranks them, and what a
// build that cannot compile says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/compiled.hpp"
#include "cli/second_look.hpp"
#include "data_fixture.hpp"
#include "gpu/disassembler.hpp"
#include "model/error.hpp"

namespace rooftile::cli {
namespace {

using testing::HasSubstr;

/// Says of each kernel the time that stands in its count of K trips.
class ByTrips : public Predictor {
 public:
  std::string_view name() const override { return "sass"; }
  double time_s(const KernelDescription& kernel, const GemmProblem&) const override {
    return kernel.k_iterations == 0 ? INFINITY : static_cast<double>(kernel.k_iterations);
  }
  Prediction explain(const KernelDescription& kernel, const GemmProblem& problem) const override {
    Prediction p = prediction_of(name(), kernel, problem);
    p.time_s = time_s(kernel, problem);
    return p;
  }
};

/// What a search found: kernels of these trips, the tile predictor taking all for equally fast.
TileSearch searched(const std::vector<int>& trips) {
  TileSearch found{make_problem(64, 64, 64), {}, {}, 1, {}, 0};
  for (const int count : trips) {
    KernelDescription kernel;
    kernel.variant = "v";
    kernel.tile.BM = 1 + static_cast<int>(found.search.ranked.size());
    kernel.k_iterations = count;
    found.search.ranked.push_back({kernel, 0, 1});
  }
  return found;
}

/// Looks through all rounds; the kernels that were asked for.
std::vector<KernelName> look_through(SecondLook& look) {
  std::vector<KernelName> asked;
  for (std::size_t round = 0; round < SecondLook::rounds; ++round) {
    const auto kernels = look.next_round();
    asked.insert(asked.end(), kernels.begin(), kernels.end());
    look.read(ByTrips());
  }
  return asked;
}

TEST(SecondLook, RanksAsManyAsAskedForAndKeepsTheirPlaces) {
  EXPECT_TRUE(rc::check("for any times", [] {
    const auto trips =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 5)));
    const auto compiled = *rc::gen::inRange<std::size_t>(1, trips.size() + 3);
    const auto most = *rc::gen::inRange<std::size_t>(1, trips.size() + 3);
    TileSearch found = searched(trips);
    SecondLook look(found, compiled);
    std::vector<KernelName> asked = look_through(look);
    RC_ASSERT(asked.size() == std::min(compiled, trips.size()));
    RC_ASSERT(std::set(asked.begin(), asked.end()).size() == asked.size());
    std::vector<double> times;  // of those that can be launched
    for (const KernelName& kernel : asked)
      if (const int count = trips[static_cast<std::size_t>(kernel.tile.BM) - 1]; count > 0)
        times.push_back(count);
    std::sort(times.begin(), times.end());
    if (times.empty()) {
      RC_ASSERT_THROWS_AS(look.finish(most), InputError);
      return;
    }
    look.finish(most);
    RC_ASSERT(found.by_code == times.size());
    RC_ASSERT(found.top.size() == std::min(most, times.size()));
    RC_ASSERT(found.first_places.size() == found.top.size());
    for (std::size_t i = 0; i < found.top.size(); ++i) {
      RC_ASSERT(found.top[i].time_s == times[i]);
      RC_ASSERT(static_cast<double>(trips[found.first_places[i] - 1]) == found.top[i].time_s);
      RC_ASSERT(found.top[i].tile.BM == static_cast<int>(found.first_places[i]));
    }
    const auto equal = std::count(times.begin(), times.end(), times.front());
    RC_ASSERT(found.ties == static_cast<std::size_t>(equal));
  }));
}

/// Of forty tiles the first thirty share what makes them slow: looking at the first eight alone
/// would never see another.
TEST(SecondLook, TurnsFromAKindOfTileThatItsCodeMakesSlow) {
  TileSearch found = searched(std::vector<int>(40, 20));
  for (std::size_t i = 0; i < found.search.ranked.size(); ++i) {
    SearchCandidate& candidate = found.search.ranked[i];
    candidate.kernel.threads_per_block = i < 30 ? 64 : 128;
    candidate.kernel.k_iterations = i < 30 ? 20 : 12;
    candidate.time_s = i < 30 ? 10 : 11;
  }
  SecondLook look(found, 8);
  look_through(look);
  look.finish(8);
  EXPECT_EQ(found.top.front().time_s, 12);
  EXPECT_GT(found.first_places.front(), 30U);
}

/// What if launches and clocks cost nothing: no ratio to learn from, and still all are read.
TEST(SecondLook, TimesOfZeroTeachNothing) {
  TileSearch found = searched(std::vector<int>(10, 3));
  for (SearchCandidate& candidate : found.search.ranked) candidate.time_s = 0;
  SecondLook look(found, 8);
  EXPECT_EQ(look_through(look).size(), 8U);
  look.finish(8);
  EXPECT_EQ(found.top.size(), 8U);
}

/// Needs no compiler, so that every build can.
TEST(Compile, WhatIsListedIsNotCompiled) {
  const std::string data = std::string(ROOFTILE_SOURCE_DIR) + "/data";
  ProcessOptions with_data;
  with_data.environment = {"ROOFTILE_DATA_DIR=" + data, "ROOFTILE_CACHE_DIR="};
  std::vector<std::string> question{"predict",       "--shape",   "1024",
                                    "--variant",     "warp_tile", "--predictor",
                                    "roofline,sass", "--csv",     "-"};
  const ProcessResult before = rooftile_process(question, with_data);
  ASSERT_EQ(before.exit_code, 0) << before.err;
  question.emplace_back("--compile");
  const ProcessResult after = rooftile_process(question, with_data);
  EXPECT_EQ(after.exit_code, 0) << after.err;
  EXPECT_EQ(after.out, before.out);
}

/// Or says what it lacks.
TEST(Compile, TuneLooksAgain) {
  const Scratch scratch;
  ProcessOptions with_data;
  with_data.environment = {std::string("ROOFTILE_DATA_DIR=") + ROOFTILE_SOURCE_DIR + "/data",
                           "ROOFTILE_CACHE_DIR=" + scratch.path("cache")};
  const auto parsed = [&](const std::vector<std::string>& arguments) {
    return nlohmann::json::parse(rooftile_process(arguments, with_data).out);
  };
  const std::vector<std::string> question{"tune",      "--shape",   "512", "--variant",
                                          "smem_tile", "--compile", "2",   "--json",
                                          "-",         "--quiet"};
  const ProcessResult result = rooftile_process(question, with_data);
  if (!parsed({"version", "--json", "-"}).at("cuda").get<bool>()) {
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_THAT(result.err, HasSubstr("built without CUDA"));
  } else if (find_cuobjdump().empty()) {
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(disassembler_advice()));
  } else {
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto found = nlohmann::json::parse(result.out);
    ASSERT_EQ(found.at("predictions").size(), 2U);
    for (const auto& prediction : found.at("predictions")) {
      EXPECT_EQ(prediction.at("predictor"), "sass");
      EXPECT_TRUE(prediction.at("resources").at("compiled").get<bool>());
    }
    EXPECT_EQ(found.at("searches").at(0).at("compiled"), 2);
  }
}

TEST(Compile, WhereItServesNothingItIsRefused) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"predict", "--shape", "512", "--compile"},
        {"tune", "--shape", "512", "--predictor", "sass", "--compile", "2"},
        {"tune", "--shape", "512", "--compile", "0"},
        {"validate", "--from-tiles", "--compile"}}) {
    const ProcessResult result = data_fixture().run(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments.front() << result.out;
    EXPECT_THAT(result.err, HasSubstr("--compile")) << arguments.front();
  }
}

}  // namespace
}  // namespace rooftile::cli
