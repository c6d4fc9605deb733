// Parts of the model taken out, in the sass predictor on the recorded H200.
#include "model/predict/parts.hpp"

#include <gtest/gtest.h>

#include "model/predict/predictor.hpp"
#include "model/record/kernel_files.hpp"
#include "tests/model/h200_fixture.hpp"

namespace rooftile::parts_of_the_record {
namespace {

const std::string recorded = std::string(ROOFTILE_SOURCE_DIR) + "/data/h200";

TEST(Parts, AreListedInTheirOrder) {
  ASSERT_EQ(model_parts().size(), part_count);
  for (std::size_t i = 0; i < part_count; ++i)
    EXPECT_EQ(static_cast<std::size_t>(model_parts()[i].part), i) << model_parts()[i].name;
}

TEST(Parts, ASetHoldsThePartThatItIsMadeOf) {
  const Parts tail = Part::tail;
  EXPECT_TRUE(tail[Part::tail]);
  EXPECT_FALSE(tail[Part::launch]);
  EXPECT_FALSE(Parts{}[Part::tail]);
}

/// A recorded kernel with the lanes of the fixture; vectorized with conflicts, which fill the
/// queue.
KernelDescription kernel_of(const char* variant, bool two_stages, const GemmProblem& problem) {
  Tile tile{.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8};
  if (two_stages) tile.WM = 64, tile.WN = 32, tile.stages = 2;
  KernelDescription kernel = test::tiled_kernel(tile, problem, two_stages);
  kernel.variant = variant;
  if (kernel.variant == "vectorized") kernel.shared[0].lanes = strided_lanes(32);
  return kernel;
}

/// Hits and merged accesses save time; without a full queue or a wait for LDS one warp can fill the
/// path before the others, which then takes longer.
bool only_costs(Part part) {
  return part != Part::l2_hits && part != Part::lane_addresses && part != Part::memory_queue &&
         part != Part::shared_latency;
}

constexpr std::size_t variants_a_problem = 3;  ///< the first of them with two slices

TEST(Parts, EachOneCountsInSass) {
  const auto profile = DeviceProfile::load(recorded + "/profile.json");
  const Kernels kernels = open_kernel_folder(recorded + "/kernels");
  const auto times = [&](const Parts& without) {
    const auto sass = make_predictor("sass", profile, kernels, without);
    std::vector<double> all;
    for (const auto& [m, n, k] : {std::tuple{2048, 1920, 2048}, {8192, 8192, 64}})
      for (const auto& [variant, two_stages] :
           {std::pair{"double_buffer", true}, {"conflict_free", false}, {"vectorized", false}}) {
        const GemmProblem problem = make_problem(m, n, k);
        all.push_back(sass->time_s(kernel_of(variant, two_stages, problem), problem));
      }
    return all;
  };
  const std::vector<double> whole = times({});
  for (const PartInfo& part : model_parts()) {
    const std::vector<double> without = times(part.part);
    EXPECT_NE(without, whole) << part.name;
    if (!only_costs(part.part)) continue;
    // Two blocks with one slice each lock into a phase, which any change moves (docs/sass.md).
    for (std::size_t i = 0; i < whole.size(); i += variants_a_problem)
      EXPECT_LE(without[i], 1.02 * whole[i]) << part.name;
  }
}

}  // namespace
}  // namespace rooftile::parts_of_the_record
