// Records for the tests: one of each kind with every member set, and RapidCheck generators of legal
// ones.
#pragma once

#include <rapidcheck.h>
#include <algorithm>

#include <cmath>
#include <string>

#include "model/error.hpp"
#include "model/record/prediction.hpp"
#include "model/record/run.hpp"
#include "model/record/validation.hpp"
#include "tests/support/temporary_folder.hpp"

namespace rooftile::test {

inline CreatedBy sample_created_by() { return {"0.1.0", "0123456789ab", "Release"}; }

inline Environment sample_environment() {
  Environment e;
  e.gpu_name = "NVIDIA Example 100";
  e.gpu_uuid = "GPU-00000000-1111-2222-3333-444444444444";
  e.pci_bus_id = "0000:19:00.0";
  e.compute_capability_major = 9;
  e.sm_count = 132;
  e.driver_version = "580.10";
  e.cuda_runtime_version = "13.0";
  e.cublas_version = "13.1.0";
  e.host = "example";
  e.cpu = "Example CPU";
  e.power_limit_w = 700;
  e.ecc = "on";
  e.mig = "off";
  e.start = {true, 1980e6, 3201e6, 110.5, 35, {}};
  e.end = {true, 1965e6, 3201e6, 640.25, 51, {"sw_power_cap"}};
  e.command_line = "rooftile measure --shape 'a b'";
  e.utc_time = "2026-11-29T20:15:00Z";
  return e;
}

inline DeviceProfile sample_profile() {
  DeviceProfile p;
  p.created_by = sample_created_by();
  p.environment = sample_environment();
  p.metrics["ffma.latency"] = {4.1,
                               "cycle",
                               "difference of medians",
                               9,
                               0.01,
                               Interval{4.09, 4.12},
                               Interval{4.0, 4.2},
                               "dependent chain",
                               State::ok,
                               ""};
  p.metrics["device.sm_count"] = {132, "count", "device attribute", 1, {}, {},
                                  {},  "",      State::ok,          ""};
  p.metrics["dram.latency"] = {{}, "cycle", "", 0, {}, {}, {}, "", State::skipped, "needs 1 GiB"};
  p.metrics["clock.ffma"] = {1.968e9, "Hz", "median", 7, 1e6, {}, {}, "", State::suspect, "hot"};
  p.curves["smem.conflict.lds32"] = {
      "count",     "cycle/inst", {1, 2, 4}, {1, 2, 4.5}, {{0.9, 1.1}, {1.9, 2.1}, {4.4, 4.6}},
      "saturated", State::ok,    ""};
  p.curves["l1.stride"] = {"count", "cycle/inst", {}, {}, {}, "", State::failed, "launch failed"};
  p.tables["smem.patterns"] = {{"name", "measured", "modelled"},
                               {"", "cycle/inst", "wavefront/inst"},
                               {{"4i", {4.01, 4}}, {"0", {2, 2}}},
                               "saturated"};
  p.completed["ffma"] = {"0123456789ab", false};
  p.completed["smem_patterns"] = {"0123456789ab", true};
  p.unfinished["l1_stride"] = {
      2,
      {"0123456789ab", false},
      {{"l1.latency", {{{32, 32.5}, State::ok, ""}, {{}, State::suspect, "a later round"}}}},
      {{"l1.stride", {{1, {{{1.5}, State::ok, ""}}}, {2, {{{2, 2.5}, State::ok, ""}}}}}}};
  return p;
}

inline RunRecord sample_run() {
  RunRecord r;
  r.variant = "warp_tile";
  r.tile = {128, 128, 8, 8, 8, 64, 32, 2, 1, Raster::swizzle, 8};
  r.problem = make_problem(4096, 2048, 1024);
  r.time = TimeSummary{1.5e-3, 1e-6, 1.49e-3, 1.53e-3, 21, {1.499e-3, 1.502e-3}, true};
  r.resources = {128, 16384, 0, 0, true};
  r.occupancy_blocks_per_sm = 2;
  r.sm_clock_hz = 1.968e9;
  r.condition = sample_environment().end;
  r.correctness = Correctness{1e-5, 2e-7, 1e-3, true};
  r.counters = {{{"l2.hit_rate", 0.899}, {"dram.read_bytes", 3.42e8}}, ""};
  r.kernel_id = "00ff00ff00ff00ff";
  r.created_by = sample_created_by();
  r.environment = sample_environment();
  return r;
}

inline Prediction sample_prediction() {
  Prediction p;
  p.predictor = "analytic";
  p.variant = "warp_tile";
  p.tile = sample_run().tile;
  p.problem = sample_run().problem;
  p.time_s = 1.4e-3;
  p.cycles = 2.75e6;
  p.clock_hz = 1.968e9;
  p.bound = Bound::smem;
  p.terms = {{"smem", 1.3e-3}, {"launch", 1e-4}};
  p.input_interval = Interval{1.3e-3, 1.5e-3};
  p.occupancy_blocks_per_sm = 2;
  p.occupancy = 0.25;
  p.waves = 1.94;
  p.tail_efficiency = 0.97;
  p.l2_hit_rate = 0.875;
  p.l2_bytes = 2.1e9;
  p.dram_read_bytes = 2.5e8;
  p.dram_write_bytes = 3.3e7;
  p.shared_wavefronts = 1e8;
  p.resources = sample_run().resources;
  p.inputs = {"ffma.throughput", "clock.ffma"};
  p.loop = LoopAccount{.kernel_id = "0123456789abcdef",
                       .cycles = 2400,
                       .k_a_trip = 8,
                       .ffma_share = 0.9,
                       .port_ratio = 0.95,
                       .issue_utilization = 0.94,
                       .path_utilization = 0.61,
                       .causes = {{"FFMA", 2048, {}}, {"register ports", 352, 1.3e-3}},
                       .lines = {{2512, "FFMA R88, R25.reuse, R28, R40", "register ports", 182.5}}};
  return p;
}

inline ValidationReport sample_validation() {
  ValidationReport v;
  const ErrorSummary summary{12, 0.1, -0.02, 0.08, 0.2, 0.25, 0.3, 0.9, 0.01, 0.0, {}, {}};
  v.predictors["analytic"]["dev"] = summary;
  v.common["analytic"]["dev"] = summary;
  v.by_variant["analytic"]["warp_tile"] = summary;
  v.by_shape["analytic"]["4096x4096x4096"] = summary;
  v.by_bound["analytic"]["smem"] = summary;
  v.baselines["max_rule"] = summary;
  v.ablation = {{"analytic", "nothing", summary, {}}, {"analytic", "tail", summary, {"mape"}}};
  v.cases = {
      {"analytic", "warp_tile", "128x128x8/8x8", "4096x4096x4096", "dev", 1e-3, 1.1e-3, "smem"}};
  v.worst = v.cases;
  v.skipped = {"cublas 4096x4096x4096: never predicted"};
  v.without_sass = {"4096x4096x4096: no SASS of warp_tile"};
  v.created_by = sample_created_by();
  v.environment = sample_environment();
  return v;
}

inline rc::Gen<double> positive_number() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange(1, 1'000'000'000), rc::gen::inRange(-12, 6)),
      [](const std::pair<int, int>& parts) { return parts.first * std::pow(10.0, parts.second); });
}

inline rc::Gen<std::string> any_text() {
  const auto piece = rc::gen::elementOf(std::vector<std::string>{
      "a", "Z", "0", " ", "\"", "\\", "/", "\n", "\t", "\x01", "\x7f", "é", "→", "😀", "{", "'"});
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                      [](const std::vector<std::string>& pieces) {
                        std::string text;
                        for (const auto& part : pieces) text += part;
                        return text;
                      });
}

inline rc::Gen<Tile> legal_tile() {
  const auto member = rc::gen::inRange(1, max_tile_member + 1);
  const auto warp = rc::gen::inRange(0, 257);
  return rc::gen::build<Tile>(
      rc::gen::set(&Tile::BM, member), rc::gen::set(&Tile::BN, member),
      rc::gen::set(&Tile::BK, member), rc::gen::set(&Tile::TM, member),
      rc::gen::set(&Tile::TN, member), rc::gen::set(&Tile::WM, warp), rc::gen::set(&Tile::WN, warp),
      rc::gen::set(&Tile::stages, rc::gen::inRange(1, 6)),
      rc::gen::set(&Tile::split_k, rc::gen::inRange(1, 9)),
      rc::gen::set(&Tile::raster,
                   rc::gen::element(Raster::row, Raster::column, Raster::zigzag, Raster::swizzle)),
      rc::gen::set(&Tile::raster_group, rc::gen::inRange(1, 17)));
}

inline rc::Gen<GemmProblem> legal_problem() {
  return rc::gen::exec([] {
    const auto size = rc::gen::inRange<std::int64_t>(1, 100'000);
    const auto padding = rc::gen::element<std::int64_t>(0, 0, 1, 7, 128);
    GemmProblem p = make_problem(*size, *size, *size);
    p.batch = *rc::gen::element<std::int64_t>(1, 1, 2, 17);
    p.layout = *rc::gen::element(Layout::row_major, Layout::column_major);
    p.trans_a = *rc::gen::arbitrary<bool>();
    p.trans_b = *rc::gen::arbitrary<bool>();
    const auto packed = packed_leading_dimensions(p);
    p.lda = packed[0] + *padding;
    p.ldb = packed[1] + *padding;
    p.ldc = packed[2] + *padding;
    p.stride_c = *rc::gen::element<std::int64_t>(0, 1, std::int64_t{1} << 53);
    p.alpha = *rc::gen::element(1.0, 0.0, -1.5, 0.1);
    p.beta = *rc::gen::element(0.0, 1.0, 1e-30);
    return p;
  });
}

inline rc::Gen<RunRecord> legal_run() {
  return rc::gen::exec([] {
    RunRecord r = sample_run();
    r.variant = *any_text();
    r.tile = *legal_tile();
    r.problem = *legal_problem();
    r.cache = *rc::gen::element(CacheState::hot, CacheState::cold);
    r.state = *rc::gen::element(State::ok, State::suspect, State::skipped, State::failed);
    r.reason = *any_text();
    r.time->median = std::clamp(*positive_number(), 1e-12, 1e12);  // what a reader accepts
    if (r.state == State::skipped || r.state == State::failed) r.time.reset();
    if (*rc::gen::arbitrary<bool>()) r.correctness.reset();
    r.sm_clock_hz = *positive_number();
    return r;
  });
}

inline rc::Gen<Metric> legal_metric(std::string unit) {
  return rc::gen::exec([unit] {
    Metric m;
    m.unit = unit;
    m.state = *rc::gen::element(State::ok, State::suspect, State::skipped, State::failed);
    m.reason = *any_text();
    m.method = *any_text();
    m.n = *rc::gen::inRange(0, 100);
    if (m.state == State::skipped || m.state == State::failed) return m;
    m.value = *positive_number();
    if (*rc::gen::arbitrary<bool>()) m.mad = *positive_number();
    if (*rc::gen::arbitrary<bool>()) m.ci95 = Interval{*m.value, 2 * *m.value};
    return m;
  });
}

/// The text of the InputError (or one derived from it) that `action` throws; "" when it throws
/// none.
template <class Action>
std::string input_error(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace rooftile::test
