// The sass predictor on the recorded H200 and its recorded kernels.
#include "model/predict/sass.hpp"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "model/predict/compiled_loops.hpp"
#include "model/predict/search.hpp"
#include "model/predict/validate.hpp"
#include "model/record/kernel_files.hpp"
#include "model/sass/main_loop.hpp"
#include "tests/model/h200_fixture.hpp"
#include "tests/support/record_samples.hpp"

namespace rooftile::sass_on_record {
namespace {

using test::input_error;
using ::testing::HasSubstr;

const std::string recorded = std::string(ROOFTILE_SOURCE_DIR) + "/data/h200";
const Tile tile{.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8, .WM = 64, .WN = 32};

const DeviceProfile& profile() {
  static const DeviceProfile p = DeviceProfile::load(recorded + "/profile.json");
  return p;
}

const Kernels& kernels() {
  static const Kernels k = open_kernel_folder(recorded + "/kernels");
  return k;
}

const Predictor& sass() {
  static const auto predictor = make_predictor("sass", profile(), kernels());
  return *predictor;
}

/// A description of the recorded double_buffer: its lanes are those of the fixture.
KernelDescription description(const GemmProblem& problem) {
  Tile two = tile;
  two.stages = 2;
  KernelDescription k = test::tiled_kernel(two, problem, true);
  k.variant = "double_buffer";
  return k;
}

TEST(Sass, NoSassIsSaidAndNeverApproximated) {
  const GemmProblem p = make_problem(4096, 4096, 4096);
  const auto alone = make_predictor("sass", profile());
  EXPECT_THROW(alone->time_s(description(p), p), NoSass);
  KernelDescription other = description(p);
  other.tile.BM = 64;
  EXPECT_THAT(input_error([&] { sass().predict(other, p); }),
              HasSubstr("no SASS of double_buffer 64x128x8/8x8/64x32,stages=2 (fast NN)"));
  other = description(p);
  other.kernel_id = "0123456789abcdef";  // a measured kernel that is not listed
  EXPECT_THAT(input_error([&] { sass().predict(other, p); }), HasSubstr("0123456789abcdef"));
  other = description(p);
  other.resources = kernels()->find("double_buffer", other.tile, {})->resources;
  EXPECT_NO_THROW(sass().time_s(other, p));
  other.resources.registers_per_thread += 1;  // measured, so other code than what is listed
  EXPECT_THROW(sass().time_s(other, p), NoSass);
  EXPECT_THAT(input_error([&] { sass().predict(other, p); }), HasSubstr("registers"));
}

TEST(Sass, ListedResourcesReplaceEstimates) {
  const GemmProblem p = make_problem(4096, 4096, 4096);
  const Prediction prediction = sass().predict(description(p), p);
  EXPECT_TRUE(prediction.resources.compiled);
  EXPECT_EQ(
      prediction.resources.registers_per_thread,
      kernels()->find("double_buffer", description(p).tile, {})->resources.registers_per_thread);
}

TEST(Sass, APersistentGridSavesTheStartsOfBlocksAfterTheFirst) {
  // double_buffer's code stands in: two blocks an SM, two rounds and a part of a third.
  const auto saved_cycles = [](const GemmProblem& p) {
    KernelDescription walking = description(p);
    walking.persistent = true;
    const Prediction plain = sass().explain(description(p), p), walked = sass().explain(walking, p);
    EXPECT_EQ(plain.clock_hz, walked.clock_hz);
    return (plain.time_s - walked.time_s) * plain.clock_hz;
  };
  const double block = profile().value("launch.block_cost");
  EXPECT_EQ(saved_cycles(make_problem(128LL * 264, 128, 1024)), 0);
  EXPECT_NEAR(saved_cycles(make_problem(128LL * 600, 128, 1024)), (2 + 1) * block, 1);
}

TEST(Sass, TermsAddUpAndNothingIsNegative) {
  for (const auto& [m, n, k] : {std::tuple{4096, 4096, 4096},
                                {128, 128, 8},
                                {65536, 128, 256},
                                {256, 256, 16384},
                                {1024, 1024, 1024}}) {
    const GemmProblem p = make_problem(m, n, k);
    const Prediction prediction = sass().predict(description(p), p);
    double sum = 0;
    for (const Term& term : prediction.terms) {
      EXPECT_GE(term.seconds, -1e-12) << term.name << " " << shape_name(p);
      sum += term.seconds;
    }
    EXPECT_NEAR(sum, prediction.time_s, 1e-9 * prediction.time_s);
    EXPECT_DOUBLE_EQ(prediction.time_s, sass().time_s(description(p), p));
    EXPECT_GE(prediction.time_s, make_predictor("roofline", profile())->time_s(description(p), p));
    ASSERT_TRUE(prediction.input_interval);
    EXPECT_LE(prediction.input_interval->lo, prediction.time_s);
    EXPECT_GE(prediction.input_interval->hi, prediction.time_s);
  }
}

/// The recorded double_buffer, as if its fragments came from local memory; one block an SM.
struct Spilling {
  Spilling() {
    KernelDescription k = description(problem);
    std::string listing =
        kernels()->listing(kernels()->find(k.variant, k.tile, {})->kernel_id).value();
    for (auto at = listing.find("LDS"); at != std::string::npos; at = listing.find("LDS", at))
      listing.replace(at, 3, "LDL");
    k.kernel_id = kernel_id_of(listing);
    k.resources.registers_per_thread = 255;
    k.resources.static_shared_bytes = 16384;
    k.resources.compiled = true;
    kernel = k;
    ListedKernel listed;
    listed.record.kernel_id = k.kernel_id;
    listed.listing = std::move(listing);
    code = kernels_beside(nullptr, {std::move(listed)});
  }
  double time_s(int spilled, int dynamic = 0, const Parts& without = {}) const {
    KernelDescription k = kernel;
    k.resources.spill_bytes = spilled;
    k.resources.dynamic_shared_bytes = dynamic;
    return make_predictor("sass", profile(), code, without)->time_s(k, problem);
  }
  GemmProblem problem = make_problem(4096, 4096, 4096);
  KernelDescription kernel;
  Kernels code;
};

TEST(Sass, SpillsAreServedByL1AsLongAsItHoldsThem) {
  const Spilling spilling;
  const KernelDescription& k = spilling.kernel;
  const double room = profile().value("device.smem_per_sm") -
                      profile().value("device.smem_reserved_per_block") -
                      k.resources.static_shared_bytes;
  const int most = static_cast<int>(room) / k.threads_per_block;
  const double in_l1 = spilling.time_s(4);
  EXPECT_DOUBLE_EQ(spilling.time_s(most), in_l1);
  EXPECT_GT(spilling.time_s(most + 1), 1.5 * in_l1);
  EXPECT_DOUBLE_EQ(spilling.time_s(most - 1, k.threads_per_block), in_l1);
  EXPECT_GT(spilling.time_s(most, k.threads_per_block), 1.5 * in_l1) << "shared memory counts too";
  EXPECT_LT(spilling.time_s(4, 0, Part::global_latency), in_l1);
  // One predictor remembers what it scheduled.
  const auto both = make_predictor("sass", profile(), spilling.code);
  KernelDescription other = k;
  other.resources.spill_bytes = 4;
  EXPECT_DOUBLE_EQ(both->time_s(other, spilling.problem), in_l1);
  other.resources.spill_bytes = most + 1;
  EXPECT_DOUBLE_EQ(both->time_s(other, spilling.problem), spilling.time_s(most + 1));
}

TEST(Sass, AWaveOfLongBlocksIsItsTrips) {
  // One block an SM-slot and many steps: time = trips x scheduled cycles, but for start and end.
  const int sms = static_cast<int>(profile().value("device.sm_count"));
  const auto time_of = [&](std::int64_t K) {
    const GemmProblem p = make_problem(128, 128L * 2 * sms, K);
    return sass().predict(description(p), p);
  };
  const Prediction shorter = time_of(4096), longer = time_of(8192);
  ASSERT_EQ(shorter.occupancy_blocks_per_sm, 2);
  const GemmProblem p = make_problem(128, 128L * 2 * sms, 4096);
  const auto loop = sass().loop_account(description(p), p);
  ASSERT_TRUE(loop);
  const double slope = (longer.cycles - shorter.cycles) / 4096;
  EXPECT_NEAR(slope, loop->cycles / loop->k_a_trip, 0.02 * slope);
}

TEST(Sass, TheAccountAddsUpAndSaysWhatAChangeBuys) {
  const GemmProblem p = make_problem(4096, 4096, 4096);
  const auto loop = sass().loop_account(description(p), p);
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->kernel_id, kernels()->find("double_buffer", description(p).tile, {})->kernel_id);
  EXPECT_DOUBLE_EQ(loop->k_a_trip, 8);
  double sum = 0;
  for (const auto& cause : loop->causes) {
    sum += cause.cycles;
    EXPECT_GT(cause.time_without_s.value_or(1), 0) << cause.name;
  }
  EXPECT_NEAR(sum, loop->cycles, 1e-6 * loop->cycles);
  // 8 x 8 x 8 FFMA of 16 warps on four sub-cores fill 2048 slots; nothing is faster than that.
  EXPECT_EQ(loop->causes.front().name, "FFMA");
  EXPECT_NEAR(loop->causes.front().cycles, 2048, 1);
  EXPECT_GE(loop->cycles, 2048);
  EXPECT_FALSE(loop->lines.empty());
  EXPECT_FALSE(make_predictor("analytic", profile())->loop_account(description(p), p));
}

TEST(Sass, EveryInputIsNeeded) {
  const GemmProblem p = make_problem(128, 128, 128);
  for (const std::string& id : sass().predict(description(p), p).inputs) {
    if (id.starts_with("smem.merge")) continue;  // these have a default
    if (id.starts_with("async_copy.") || id.starts_with("mbarrier."))
      continue;  // OnlyKernelsWithCopies
    DeviceProfile less = profile();
    EXPECT_EQ(less.metrics.erase(id) + less.curves.erase(id) + less.tables.erase(id), 1u) << id;
    const std::string why = input_error([&] { make_predictor("sass", less, kernels()); });
    if (!why.empty()) {
      EXPECT_THAT(why, HasSubstr(id));
      continue;
    }
    // Others stand in (docs/constants.md), of those that analytic reads.
    const auto analytic = make_predictor("analytic", profile())->predict(description(p), p).inputs;
    EXPECT_THAT(analytic, ::testing::Contains(id));
    EXPECT_NO_THROW(make_predictor("analytic", less)) << id;
  }
}

/// The recorded kernels with the FFMA at some addresses left out of one listing.
class CutKernels final : public KernelSource {
 public:
  CutKernels(std::string id, std::string text) : id_(std::move(id)), text_(std::move(text)) {}
  const KernelRecord* find(std::string_view variant, const Tile& tile,
                           const KernelPath& path) const override {
    return kernels()->find(variant, tile, path);
  }
  std::optional<std::string> listing(const std::string& id) const override {
    return id == id_ ? text_ : kernels()->listing(id);
  }

 private:
  std::string id_, text_;
};

/// Seconds of the kernel's code without the FFMA outside its loop, but for one on either side, by
/// which a slice is known.
double without_peeled(const KernelRecord& record, const KernelDescription& k,
                      const GemmProblem& p) {
  std::string text = kernels()->listing(record.kernel_id).value();
  const rooftile::sass::Kernel kernel = rooftile::sass::parse(text).front();
  const auto loop = rooftile::sass::find_main_loop(kernel, rooftile::sass::Slices::ragged);
  for (const auto* path : {&loop.prologue, &loop.epilogue}) {
    bool first = true;
    for (const std::size_t at : *path) {
      if (kernel.instructions[at].base() != "FFMA" || std::exchange(first, false)) continue;
      const auto begin = text.find(fmt::format("/*{:04x}*/", kernel.instructions[at].address));
      const auto second = text.find('\n', text.find('\n', begin) + 1);  // with its encoding
      text.replace(begin, second - begin, "");
    }
  }
  return make_predictor("sass", profile(), std::make_shared<CutKernels>(record.kernel_id, text))
      ->time_s(k, p);
}

TEST(Sass, APeeledSliceIsOneOfTheSlices) {
  Tile single = tile;
  single.WM = single.WN = 0;
  const int sms = static_cast<int>(profile().value("device.sm_count"));
  const GemmProblem whole = make_problem(128, 128L * sms, 64);
  const GemmProblem ragged = make_problem(128, 128L * sms, 60);
  KernelDescription k = test::tiled_kernel(single, whole, false);
  k.variant = "vectorized";
  k.guarded = true;
  const KernelRecord& record = *kernels()->find("vectorized", single, {.guarded = true});
  EXPECT_DOUBLE_EQ(sass().time_s(k, whole), without_peeled(record, k, whole))
      << "not run, so it does not matter";
  // Without it the loop does what it did.
  EXPECT_GE(without_peeled(record, k, ragged), sass().time_s(k, ragged));
  EXPECT_LT(without_peeled(record, k, ragged), 1.1 * sass().time_s(k, ragged));
}

TEST(Sass, TheLastSliceOfADoubleBufferIsBeforeTheStores) {
  // One block an SM: few stores. With and without its FFMA outside, all slices are computed.
  const int sms = static_cast<int>(profile().value("device.sm_count"));
  const GemmProblem p = make_problem(128, 128L * sms, 64);
  const KernelDescription k = description(p);
  const KernelRecord& record = *kernels()->find("double_buffer", k.tile, {});
  const double cut = without_peeled(record, k, p);
  EXPECT_NE(cut, sass().time_s(k, p));
  EXPECT_NEAR(cut, sass().time_s(k, p), 0.1 * cut);
}

TEST(Sass, NBlocksTakeNoMoreThanNTimesOne) {
  // The tail of n blocks an SM against its share of a full wave: negative if they do.
  const int sms = static_cast<int>(profile().value("device.sm_count"));
  for (const KernelRecord& record : KernelIndex::load(recorded + "/kernels/index.json").kernels) {
    if (record.path.guarded || record.path.trans_a || record.path.trans_b) continue;
    for (const int n : {1, 2, 3}) {
      const GemmProblem p = make_problem(record.tile.BM, record.tile.BN * sms * n, 512);
      KernelDescription k = test::tiled_kernel(record.tile, p, record.tile.stages > 1);
      k.variant = record.variant;
      for (const Term& term : sass().predict(k, p).terms)
        EXPECT_GE(term.seconds, -1e-12) << record.variant << ' ' << n << ' ' << term.name;
    }
  }
}

TEST(Sass, TheLinkToL2CarriesWhatL1DoesNotHold) {
  const GemmProblem p = make_problem(4096, 4096, 4096);
  KernelDescription k = description(p);
  const auto time = [&](double per_iteration, double l1_reuse) {
    k.global[0].per_iteration = per_iteration;
    k.global[0].l1_reuse = l1_reuse;
    return sass().time_s(k, p);
  };
  const double some = time(2, 0);
  EXPECT_GT(time(200, 0), 2 * some);
  EXPECT_NEAR(time(200, 0.99), some, 0.05 * some);
}

TEST(Sass, SearchLeavesOutWhatIsNotCompiled) {
  const GemmProblem p = make_problem(1024, 1024, 1024);
  KernelDescription other = description(p);
  other.tile.BM = 64;
  const auto roofline = make_predictor("roofline", profile());
  const SearchResult found = search({other, description(p)}, p, *roofline, sass(), 5);
  EXPECT_EQ(found.without_sass, 1u);
  ASSERT_EQ(found.ranked.size(), 1u);
  EXPECT_EQ(found.ranked.front().kernel.tile.BM, 128);
}

TEST(Sass, ValidateCountsItApartAndComparesOnTheCommonPairs) {
  std::vector<RunRecord> runs;
  for (const std::int64_t size : {512, 1024, 2048})
    for (const int bm : {64, 128}) {
      RunRecord run;
      run.variant = "double_buffer";
      run.tile = tile;
      run.tile.BM = bm;
      run.problem = make_problem(size, size, size);
      run.time = TimeSummary{};
      run.time->median = 1e-3;
      runs.push_back(run);
    }
  const auto describe = [](const RunRecord& run) {
    KernelDescription kernel = description(run.problem);
    kernel.tile.BM = run.tile.BM;
    return std::optional(DescribedRun{kernel, "double"});
  };
  const ValidationReport report = validate(profile(), runs, Splits{}, describe, kernels());
  EXPECT_EQ(report.without_sass.size(), 3u);
  EXPECT_EQ(report.predictors.at("sass").at("dev").n, 3);
  EXPECT_EQ(report.predictors.at("analytic").at("dev").n, 6);
  for (const char* name : {"roofline", "analytic", "sass"})
    EXPECT_EQ(report.common.at(name).at("dev").n, 3) << name;
  EXPECT_EQ(report.worst.front().predictor, "sass");
  runs[0].kernel_id = "0123456789abcdef";
  runs[1].kernel_id = "0123456789abcdef";
  EXPECT_EQ(validate(profile(), runs, Splits{}, describe, kernels()).without_sass.size(), 4u)
      << "a run that names a kernel is compared with that kernel alone";
  const ValidationReport without = validate(profile(), runs, Splits{}, describe);
  EXPECT_EQ(without.without_sass.size(), 6u);
  EXPECT_FALSE(without.predictors.contains("sass"));
  EXPECT_TRUE(without.common.empty()) << "all are common";
}

TEST(Sass, WhatIsKeptOfOtherProblemsChangesNothing) {
  const auto reused = make_predictor("sass", profile(), kernels());
  for (const auto& [m, n, k] : {std::tuple{4096, 4096, 4096},
                                {1024, 1024, 1024},
                                {4096, 4096, 8192},
                                {512, 512, 32768},
                                {1024, 1024, 1024}}) {
    const GemmProblem p = make_problem(m, n, k);
    const auto fresh = make_predictor("sass", profile(), kernels());
    EXPECT_EQ(reused->time_s(description(p), p), fresh->time_s(description(p), p)) << shape_name(p);
  }
}

/// Lanes, warps and transfers are what a schedule depends on beside the problem.
TEST(Sass, WhatIsKeptOfOtherLanesChangesNothing) {
  const GemmProblem p = make_problem(2048, 2048, 2048);
  KernelDescription conflicts = description(p), wide = description(p);
  for (SharedAccess& access : conflicts.shared) access.lanes = strided_lanes(512);
  for (GlobalAccess& access : wide.global) access.lanes = strided_lanes(4096);
  const auto reused = make_predictor("sass", profile(), kernels());
  const double plain = reused->time_s(description(p), p);
  for (const KernelDescription& other : {conflicts, wide}) {
    const double time = reused->time_s(other, p);
    EXPECT_GT(time, plain);
    EXPECT_EQ(time, make_predictor("sass", profile(), kernels())->time_s(other, p));
    EXPECT_EQ(reused->time_s(description(p), p), plain);
  }
}

TEST(Sass, OnePredictorServesManyThreads) {
  const auto shared = make_predictor("sass", profile(), kernels());
  std::vector<GemmProblem> problems;
  for (int i = 1; i <= 24; ++i) problems.push_back(make_problem(128 * i, 1024, 512 * i));
  std::vector<double> times(problems.size());
  std::vector<std::thread> threads;
  for (std::size_t first = 0; first < 4; ++first)
    threads.emplace_back([&, first] {
      for (std::size_t i = first; i < problems.size(); i += 4)
        times[i] = shared->time_s(description(problems[i]), problems[i]);
    });
  for (std::thread& thread : threads) thread.join();
  const auto alone = make_predictor("sass", profile(), kernels());
  for (std::size_t i = 0; i < problems.size(); ++i)
    EXPECT_EQ(times[i], alone->time_s(description(problems[i]), problems[i])) << i;
}

TEST(Sass, OnlyKernelsWithCopiesNeedTheirMetrics) {
  DeviceProfile without = profile();
  std::erase_if(without.metrics, [](const auto& entry) {
    return entry.first.starts_with("async_copy.ca") || entry.first.starts_with("mbarrier.");
  });
  const GemmProblem p = make_problem(1024, 1024, 1024);
  const auto predictor = make_predictor("sass", without, kernels());
  EXPECT_EQ(predictor->time_s(description(p), p), sass().time_s(description(p), p));
  for (const KernelRecord& record : KernelIndex::load(recorded + "/kernels/index.json").kernels) {
    if (record.variant != "cp_async" || path_name(record.path) != "guarded") continue;
    const GemmProblem ragged = make_problem(1021, 1021, 1021);
    KernelDescription copies = description(ragged);
    copies.variant = record.variant;
    copies.tile = record.tile;
    copies.kernel_id = record.kernel_id;
    copies.resources = record.resources;
    EXPECT_GT(sass().time_s(copies, ragged), 0);
    EXPECT_THAT(input_error([&] { predictor->time_s(copies, ragged); }),
                HasSubstr("async_copy.ca"));
    return;
  }
  FAIL() << "no recorded kernel copies through L1";
}

TEST(Sass, AQueueThatCannotBeSimulatedIsRefused) {
  DeviceProfile deep = profile();
  deep.metrics.at("smem.queue.depth").value = 1e9;
  EXPECT_THAT(input_error([&] { make_predictor("sass", deep, kernels()); }),
              HasSubstr("smem.queue.depth is 1000000000"));
}

}  // namespace
}  // namespace rooftile::sass_on_record
