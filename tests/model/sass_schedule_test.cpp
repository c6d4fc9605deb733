// Loops small enough to be scheduled by hand. One warp unless said otherwise; each loop ends with a
// branch that stalls 5 cycles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "model/error.hpp"
#include "sass_fixture.hpp"

namespace rooftile::sass {
namespace {

using test::Coded;
using test::loop_of;
using test::plain_machine;
using test::run;

std::vector<Coded> repeated(const Coded& line, int count) {
  return std::vector<Coded>(static_cast<std::size_t>(count), line);
}

const Coded fma{.text = "FFMA R1, R2, R3, RZ"};

double slots(const Schedule& schedule, Cause cause) {
  return schedule.slot_cycles[static_cast<std::size_t>(cause)];
}

TEST(SassSchedule, StallCountsOfOneWarpAddUp) {
  const Schedule s = run(loop_of(repeated(fma, 10)), plain_machine(), {});
  EXPECT_DOUBLE_EQ(s.cycles_per_iteration, 15);
  EXPECT_DOUBLE_EQ(slots(s, Cause::selected), 11);
  EXPECT_DOUBLE_EQ(slots(s, Cause::stall_count), 4);
  EXPECT_DOUBLE_EQ(s.fma_per_thread, 10);
  EXPECT_DOUBLE_EQ(s.fma_per_cycle_per_sm, 32.0 * 10 / 15);
  EXPECT_TRUE(s.periodic);
}

TEST(SassSchedule, OtherWarpsFillStalls) {
  const Schedule s = run(loop_of(repeated(fma, 10)), plain_machine(), {.warps_per_block = 16});
  EXPECT_DOUBLE_EQ(s.cycles_per_iteration, 4 * 11);
  EXPECT_DOUBLE_EQ(s.fma_per_cycle_per_sm, 128.0 * 10 / 11);
}

TEST(SassSchedule, BranchTakesItsFetchOnTop) {
  Machine machine = plain_machine();
  machine.branch_cycles = 28;
  const Schedule s = run(loop_of(repeated(fma, 10)), machine, {});
  EXPECT_DOUBLE_EQ(s.cycles_per_iteration, 10 + 1 + 28);
  EXPECT_DOUBLE_EQ(slots(s, Cause::branch), 28 - 4);
}

TEST(SassSchedule, LongLoopsWaitForTheInstructionCache) {
  Machine machine = plain_machine();
  machine.cached_bytes = 16 * 8;
  machine.fetch.x = {16, 1e6};
  machine.fetch.y = {3, 3};
  EXPECT_DOUBLE_EQ(run(loop_of(repeated(fma, 10)), machine, {}).cycles_per_iteration,
                   10 * 3 + 3 + 1 + 1);
  machine.fetch = {};  // nothing known of it
  EXPECT_DOUBLE_EQ(run(loop_of(repeated(fma, 10)), machine, {}).cycles_per_iteration, 10 + 5);
}

TEST(SassSchedule, HalfRatePipesAndHalfWidthSms) {
  std::vector<Coded> lines = repeated({.text = "IADD3 R1, R2, R3, RZ"}, 10);
  lines.push_back(fma);
  // IADD3 at 0, 2, ... 18, FFMA at 19, branch at 20.
  EXPECT_DOUBLE_EQ(run(loop_of(lines), plain_machine(), {}).cycles_per_iteration, 25);
  Machine turing = plain_machine();
  turing.fma_interval_cycles = 2;
  const Load load{.warps_per_block = 16};
  EXPECT_DOUBLE_EQ(run(loop_of(repeated(fma, 10)), turing, load).cycles_per_iteration, 4 * 10 * 2);
}

TEST(SassSchedule, PortConflictsStopTheSubCore) {
  const Coded conflict{.text = "FFMA R1, R0, R2, R4"};
  const Schedule one = run(loop_of(repeated(conflict, 10)), plain_machine(), {});
  const Schedule four =
      run(loop_of(repeated(conflict, 10)), plain_machine(), {.warps_per_block = 16});
  // 30 reads of one bank; the branch's four idle cycles let it catch up by what it may lag.
  EXPECT_DOUBLE_EQ(four.cycles_per_iteration, 4 * 30);
  EXPECT_NEAR(one.cycles_per_iteration, 33, 1);
  EXPECT_GT(slots(four, Cause::ports), 4 * 15);
}

TEST(SassSchedule, ReuseIsLostToAnotherWarp) {
  const auto loop = [](bool yield) {
    return loop_of(repeated({.text = "FFMA R1, R2.reuse, R4, R1", .yield = yield}, 20));
  };
  // Two warps on the sub-core. Without yield a warp keeps R2; with it they alternate, and each FFMA
  // reads two even registers.
  const Load load{.warps_per_block = 8};
  EXPECT_NEAR(run(loop(false), plain_machine(), load).cycles_per_iteration, 2 * 21, 3);
  EXPECT_NEAR(run(loop(true), plain_machine(), load).cycles_per_iteration, 2 * (40 + 1), 2);
}

TEST(SassSchedule, WaitsForTheScoreboardOfALoad) {
  const Schedule s = run(
      loop_of({{.text = "LDS R2, [R4]", .write = 0}, {.text = "FFMA R1, R2, R3, RZ", .wait = 1}}),
      plain_machine(), {});
  // Issued at 0, arrives at 23; FFMA at 23, branch at 24, next trip 5 later.
  EXPECT_DOUBLE_EQ(s.cycles_per_iteration, 29);
  EXPECT_DOUBLE_EQ(slots(s, Cause::lds_wait), 22);
  EXPECT_DOUBLE_EQ(s.lines.front().total(), 22);
  EXPECT_EQ(s.lines.front().index, 1U);
}

/// Spills are served by L1 as long as it holds them all, beside the blocks' shared memory.
TEST(SassSchedule, LocalMemoryIsServedByL1WhereItFits) {
  const Kernel kernel = loop_of({{.text = "LDL R2, [R1]", .write = 0},
                                 {.text = "FFMA R1, R2, R3, RZ", .wait = 1},
                                 {.text = "STL [R1], R2"}});
  const Machine machine = plain_machine();
  Load load{.blocks_per_sm = 2, .global_latency_cycles = 400, .global_bytes_per_cycle = 0.25};
  load.l1_bytes_per_block = machine.l1_bytes / 2;
  const double in_l1 = machine.l1_latency_cycles + 7;
  EXPECT_NEAR(run(kernel, machine, load).cycles_per_iteration, in_l1, 2);
  ++load.l1_bytes_per_block;
  EXPECT_GT(run(kernel, machine, load).cycles_per_iteration, 400);
  load.blocks_per_sm = 1;
  EXPECT_NEAR(run(kernel, machine, load).cycles_per_iteration, in_l1, 1e-9);
}

TEST(SassSchedule, MergedLoadsArriveAsEarlyAsThoseOfOneLane) {
  const Kernel kernel = loop_of(
      {{.text = "LDS.128 R4, [R2]", .write = 0}, {.text = "FFMA R1, R4, R3, RZ", .wait = 1}});
  EXPECT_DOUBLE_EQ(run(kernel, plain_machine(), {}).cycles_per_iteration, 32 + 6);
  EXPECT_DOUBLE_EQ(run(kernel, plain_machine(), {.lds_wavefronts = {1, 2, 2}}).cycles_per_iteration,
                   24 + 6);
  EXPECT_DOUBLE_EQ(run(kernel, plain_machine(), {.lds_wavefronts = {1, 2, 8}}).cycles_per_iteration,
                   36 + 6);
}

TEST(SassSchedule, LatencyOfFewerWavefrontsThanOneIsThatOfOne) {
  // A mean over loads some of which have all lanes off.
  const Kernel kernel =
      loop_of({{.text = "LDS R2, [R4]", .write = 0}, {.text = "FFMA R1, R2, R3, RZ", .wait = 1}});
  EXPECT_DOUBLE_EQ(
      run(kernel, plain_machine(), {.lds_wavefronts = {0.5, 2, 4}}).cycles_per_iteration, 29);
}

TEST(SassSchedule, FourSubCoresShareThePath) {
  std::vector<Coded> lines = repeated({.text = "LDS.128 R4, [R2]", .write = 0}, 8);
  lines.push_back(fma);
  const Kernel kernel = loop_of(lines);
  const Schedule s = run(kernel, plain_machine(), {.warps_per_block = 16});
  EXPECT_NEAR(s.cycles_per_iteration, 4 * 8 * 4 * 4, 1);
  EXPECT_NEAR(s.path_utilization, 1, 0.01);
  EXPECT_GT(slots(s, Cause::queue_full), 0.8 * s.cycles_per_iteration);
}

TEST(SassSchedule, QueueHoldsWhatTheLoopSendsAtOnce) {
  // 12 loads of 10 cycles each at once, then 200 FFMA: with 15 places nothing waits; with 2 places
  // the third load waits for the end of the first, and so on: 10 loads start 10 cycles apart.
  std::vector<Coded> lines = repeated({.text = "LDS R4, [R2]"}, 12);
  for (int i = 0; i < 200; ++i) lines.push_back(fma);
  const Load load{.lds_wavefronts = {10, 2, 4}};
  Machine machine = plain_machine();
  EXPECT_DOUBLE_EQ(run(loop_of(lines), machine, load).cycles_per_iteration, 12 + 200 + 5);
  machine.queue_depth = 2;
  const Schedule s = run(loop_of(lines), machine, load);
  EXPECT_DOUBLE_EQ(s.cycles_per_iteration, 100 + 1 + 200 + 5);
  EXPECT_DOUBLE_EQ(slots(s, Cause::queue_full), 100 - 11);
}

TEST(SassSchedule, WordsOfLoadsTakeIssueSlots) {
  Machine machine = plain_machine();
  machine.lds_stolen_cycles = {0, 0, 0.5};
  machine.lds_merged_stolen_cycles = 1.5;
  std::vector<Coded> lines = repeated({.text = "LDS.128 R4, [R2]"}, 4);
  for (int i = 0; i < 96; ++i) lines.push_back(fma);
  EXPECT_DOUBLE_EQ(run(loop_of(lines), machine, {}).cycles_per_iteration, 105 + 2);
  EXPECT_DOUBLE_EQ(run(loop_of(lines), machine, {.lds_wavefronts = {1, 2, 2}}).cycles_per_iteration,
                   105 + 6);
}

TEST(SassSchedule, StoresReleaseTheirSourcesWhenReadOut) {
  // The store reads its five registers within 10 cycles of its issue.
  EXPECT_DOUBLE_EQ(run(loop_of({{.text = "STS.128 [R2], R4", .read = 1},
                                {.text = "FFMA R4, R2, R3, RZ", .wait = 2}}),
                       plain_machine(), {})
                       .cycles_per_iteration,
                   10 + 1 + 5);
}

TEST(SassSchedule, BarrierCostsWhatTheMicrobenchmarkMeasures) {
  // 14 cycles for one warp and 2 more for each further one, back to back; here 5 more for the
  // branch.
  const Kernel kernel = loop_of({fma, {.text = "BAR.SYNC.DEFER_BLOCKING 0x0"}});
  for (const int warps : {1, 4, 8, 16}) {
    const double expected = 14 + 2 * (warps - 1) + 5;
    EXPECT_NEAR(run(kernel, plain_machine(), {.warps_per_block = warps}).cycles_per_iteration,
                expected, 0.1 * expected)
        << warps;
  }
  // A block of its own is not held up by the other.
  const Load two{.warps_per_block = 8, .blocks_per_sm = 2};
  EXPECT_LT(run(kernel, plain_machine(), two).cycles_per_iteration, 1.3 * (14 + 14 + 5));
}

TEST(SassSchedule, GlobalLoadsTakeLatencyAndBandwidth) {
  const Kernel kernel = loop_of({{.text = "LDG.E.128 R4, desc[UR4][R2.64]", .write = 0},
                                 {.text = "FFMA R1, R4, R3, RZ", .wait = 1}});
  EXPECT_DOUBLE_EQ(
      run(kernel, plain_machine(), {.global_latency_cycles = 500}).cycles_per_iteration, 500 + 6);
  // 64 warps each ask for 512 bytes a trip: at 32 bytes a cycle that takes 1024 cycles.
  const Schedule s =
      run(kernel, plain_machine(),
          {.warps_per_block = 64, .global_latency_cycles = 500, .global_bytes_per_cycle = 32});
  EXPECT_NEAR(s.cycles_per_iteration, 1024, 2);
}

TEST(SassSchedule, CopiesThroughL1TakeThePathAsLongAsMeasured) {
  Machine machine = plain_machine();
  machine.copy_cycles = {5, 7, 9};
  const auto cycles = [&](const char* copy) {
    return run(loop_of({{.text = copy}, {.text = "FFMA R1, R2, R3, RZ"}}), machine,
               {.warps_per_block = 64})
        .cycles_per_iteration;
  };
  EXPECT_DOUBLE_EQ(cycles("LDGSTS.E [R5], desc[UR4][R2.64]"), 64 * 5);
  EXPECT_DOUBLE_EQ(cycles("LDGSTS.E.128 [R5], desc[UR4][R2.64]"), 64 * 9);
  EXPECT_DOUBLE_EQ(cycles("LDGSTS.E.BYPASS.128 [R5], desc[UR4][R2.64]"), 64 * 4);
}

TEST(SassSchedule, CopyGroupsArriveInOrder) {
  const auto kernel = [](const char* allowed) {
    return loop_of({{.text = "FFMA R1, R2, R3, RZ"},
                    {.text = "LDGSTS.E.128 [R5], desc[UR4][R2.64]"},
                    {.text = "LDGDEPBAR", .write = 0},
                    {.text = std::string("DEPBAR.LE SB0, ") + allowed}});
  };
  const Load load{.global_latency_cycles = 500};
  // Copy at t, waited for: DEPBAR at t + 500, then the branch and the next FFMA.
  EXPECT_DOUBLE_EQ(run(kernel("0x0"), plain_machine(), load).cycles_per_iteration, 500 + 1 + 5 + 1);
  // One group may be under way: two trips in that time.
  EXPECT_NEAR(run(kernel("0x1"), plain_machine(), load).cycles_per_iteration, (500 + 7) / 2.0, 1);
}

TEST(SassSchedule, CausesAddUpToTheTime) {
  const Machine machine = plain_machine();
  const Load load{.warps_per_block = 8, .lds_wavefronts = {1, 2, 2}};
  const Schedule s = run(parse(test::recorded_text("double_buffer")).front(), machine, load);
  const double warp = std::accumulate(s.warp_cycles.begin(), s.warp_cycles.end(), 0.0);
  const double slot = std::accumulate(s.slot_cycles.begin(), s.slot_cycles.end(), 0.0);
  EXPECT_NEAR(warp, s.cycles_per_iteration, 0.01 * s.cycles_per_iteration);
  EXPECT_NEAR(slot, s.cycles_per_iteration, 0.01 * s.cycles_per_iteration);
  double lines = 0;
  for (const Line& line : s.lines)
    lines += std::accumulate(line.cycles.begin(), line.cycles.end(), 0.0);
  EXPECT_NEAR(lines, warp, 1e-6 * warp);
  EXPECT_GT(s.prologue_cycles, load.global_latency_cycles);
  EXPECT_GT(s.tail_cycles, 2 * 512) << "the last slice, of two warps a sub-core";
  EXPECT_GT(s.stores_cycles, 64);
}

TEST(SassSchedule, CeilingsNameTheBound) {
  const Kernel kernel =
      loop_of({{.text = "LDS R2, [R4]", .write = 0}, {.text = "FFMA R1, R2, R3, RZ", .wait = 1}});
  for (const Ceiling& c : ceilings(kernel, find_main_loop(kernel), plain_machine(), {})) {
    EXPECT_DOUBLE_EQ(c.cycles_per_iteration.value_or(0), c.cause == Cause::lds_wait ? 7 : 29)
        << to_string(c.cause);
  }
}

TEST(SassSchedule, WarpsOfAllBlocksAreDealtToTheSubCores) {
  const Kernel kernel = loop_of(repeated(fma, 500));
  const auto cycles = [&](int warps, int blocks) {
    const Load load{.warps_per_block = warps, .blocks_per_sm = blocks};
    return run(kernel, plain_machine(), load).cycles_per_iteration;
  };
  EXPECT_DOUBLE_EQ(cycles(2, 8), 4 * 501) << "16 warps, four a sub-core";
  EXPECT_DOUBLE_EQ(cycles(1, 6), cycles(6, 1));
  EXPECT_DOUBLE_EQ(cycles(5, 1), 2 * 501) << "the fullest has two";
  EXPECT_DOUBLE_EQ(cycles(5, 2), 3 * 501);
  // The path is charged for the warps that there are, not for four times those of the fullest.
  std::vector<Coded> loads = repeated({.text = "LDS.128 R4, [R2]", .write = 0}, 8);
  loads.push_back(fma);
  for (const auto& [warps, blocks] : {std::pair{5, 1}, {2, 8}, {6, 3}})
    EXPECT_NEAR(
        run(loop_of(loads), plain_machine(), {.warps_per_block = warps, .blocks_per_sm = blocks})
            .cycles_per_iteration,
        warps * blocks * 8 * 4, 8);
}

TEST(SassSchedule, WhatThePathTakesBeyondTheTripsIsAQueues) {
  // Few loads in flight of many wavefronts: the queue grows as long as it is simulated.
  std::vector<Coded> lines = repeated({.text = "LDS R4, [R2]"}, 2);
  lines.push_back(fma);
  Machine machine = plain_machine();
  machine.queue_depth = 1000;
  const Schedule s = run(loop_of(lines), machine, {.lds_wavefronts = {20, 2, 4}});
  EXPECT_DOUBLE_EQ(s.cycles_per_iteration, 40);
  EXPECT_NEAR(std::accumulate(s.slot_cycles.begin(), s.slot_cycles.end(), 0.0), 40, 1e-9);
  EXPECT_GT(slots(s, Cause::queue_full), 30);
}

TEST(SassSchedule, ACauseWhoseAbsenceMakesItSlowerIsLeftUndecided) {
  int undecided = 0;
  for (const auto& [record, kernel] : test::recorded_kernels()) {
    const Load load{.warps_per_block = 8, .blocks_per_sm = 2};
    const MainLoop loop = find_main_loop(kernel);
    const double all = schedule(kernel, loop, Machine{}, load).cycles_per_iteration;
    for (const Ceiling& ceiling : ceilings(kernel, loop, Machine{}, load)) {
      EXPECT_LE(ceiling.cycles_per_iteration.value_or(0), all) << record.variant;
      undecided += !ceiling.cycles_per_iteration;
    }
  }
  EXPECT_GT(undecided, 0);
}

TEST(SassSchedule, RefusesAnEmptySm) {
  const Kernel kernel = loop_of({fma});
  EXPECT_THROW(run(kernel, plain_machine(), {.warps_per_block = 0}), InputError);
  EXPECT_THROW(run(kernel, plain_machine(), {.blocks_per_sm = 0}), InputError);
}

}  // namespace
}  // namespace rooftile::sass
