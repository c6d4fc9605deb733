// A second look by machine code: which kernels are compiled for it, how it ranks them, and what a
// build that cannot compile says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/compiled.hpp"
#include "cli/tile_search.hpp"
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

TEST(RankByCode, OrdersTheLeadingOnesAndKeepsTheirPlaces) {
  EXPECT_TRUE(rc::check("for any times", [] {
    const auto trips =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 5)));
    const auto compiled = *rc::gen::inRange<std::size_t>(1, trips.size() + 3);
    const auto most = *rc::gen::inRange<std::size_t>(1, trips.size() + 3);
    TileSearch found = searched(trips);
    const std::size_t looked_at = std::min(compiled, trips.size());
    RC_ASSERT(leading_kernels(found, compiled).size() == looked_at);
    const auto launched =
        looked_at - static_cast<std::size_t>(std::count(
                        trips.begin(), trips.begin() + static_cast<std::ptrdiff_t>(looked_at), 0));
    if (launched == 0) {
      RC_ASSERT_THROWS_AS(rank_by_code(found, compiled, ByTrips(), most), InputError);
      return;
    }
    rank_by_code(found, compiled, ByTrips(), most);
    RC_ASSERT(found.top.size() == std::min(most, launched));
    RC_ASSERT(found.first_places.size() == found.top.size());
    const auto least =
        *std::min_element(trips.begin(), trips.begin() + static_cast<std::ptrdiff_t>(looked_at),
                          [](int a, int b) { return a != 0 && (b == 0 || a < b); });
    RC_ASSERT(found.top.front().time_s == static_cast<double>(least));
    for (std::size_t i = 0; i < found.top.size(); ++i) {
      RC_ASSERT(static_cast<double>(trips[found.first_places[i] - 1]) == found.top[i].time_s);
      RC_ASSERT(found.top[i].tile.BM == static_cast<int>(found.first_places[i]));
    }
    RC_ASSERT(std::is_sorted(
        found.top.begin(), found.top.end(),
        [](const Prediction& a, const Prediction& b) { return a.time_s < b.time_s; }));
    const auto equal =
        std::count(trips.begin(), trips.begin() + static_cast<std::ptrdiff_t>(looked_at), least);
    RC_ASSERT(found.ties == static_cast<std::size_t>(equal));
  }));
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
TEST(Compile, TuneLooksAgainAtTheFirstOnes) {
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
