// An invented but complete input of the report, and ways to damage it.
#include "fixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "model/profile/metric_catalog.hpp"
#include "tests/support/record_samples.hpp"

namespace rooftile::test {
namespace {

using Random = std::mt19937;

double uniform(Random& random, double lo, double hi) {
  return lo + (hi - lo) * static_cast<double>(random()) / static_cast<double>(Random::max());
}

struct Rung {
  const char *name, *title, *idea;
  double efficiency;  ///< of the FMA peak on a large square
  int tile;
  double l2_bytes_per_flop;
};

constexpr Rung rungs[] = {
    {"naive", "naive", "One thread an element of C.", 0.0075, 16, 1.0},
    {"naive_coalesced", "naive, coalesced", "Threads of a warp walk along a row.", 0.097, 32, 0.5},
    {"smem_tile", "shared tile 32x32", "Tiles of A and B in shared memory.", 0.14, 32, 1.0 / 16},
    {"thread_tile", "thread tile 8x8", "Each thread keeps 8x8 of C in registers.", 0.39, 128,
     1.0 / 32},
    {"vectorized", "float4", "Loads of 16 bytes, A transposed on the way.", 0.48, 128, 1.0 / 32},
    {"conflict_free", "padded", "A pitch that keeps banks apart.", 0.52, 128, 1.0 / 32},
    {"warp_tile", "warp tile, Z-order lanes", "Lanes in Z-order inside a warp tile.", 0.6, 128,
     1.0 / 32},
    {"double_buffer", "double buffer", "The next tile is fetched during this one.", 0.73, 128,
     1.0 / 32},
    {"cublas", "", "", 0.785, 128, 1.0 / 42}};

void set_metric(DeviceProfile& profile, const char* id, double value, double relative_half, int n) {
  const CatalogEntry* entry = find_catalog_entry(id, EntryKind::metric);
  if (!entry) throw std::logic_error(std::string("not in the catalogue: ") + id);
  Metric metric;
  metric.value = value;
  metric.unit = entry->unit;
  metric.estimator = n > 1 ? "median" : "device attribute";
  metric.n = n;
  metric.method = "synthetic";
  if (relative_half > 0) {
    metric.mad = value * relative_half;
    metric.ci95 = Interval{value * (1 - relative_half), value * (1 + relative_half)};
    metric.repeat95 = Interval{value * (1 - 3 * relative_half), value * (1 + 3 * relative_half)};
  }
  profile.metrics[id] = metric;
}

void add_metrics(DeviceProfile& p) {
  const std::pair<const char*, double> limits[] = {{"device.sm_count", 132},
                                                   {"device.fma_lanes_per_sm", 128},
                                                   {"device.registers_per_sm", 65536},
                                                   {"device.max_threads_per_sm", 2048},
                                                   {"device.max_blocks_per_sm", 32},
                                                   {"device.smem_per_sm", 233472},
                                                   {"device.smem_per_block_optin", 232448},
                                                   {"device.smem_reserved_per_block", 1024},
                                                   {"device.l2_size", 62914560},
                                                   {"device.dram_size", 150e9},
                                                   {"device.dram_peak_bandwidth", 4.814e12},
                                                   {"device.sm_clock_max", 1.98e9}};
  for (const auto& [id, value] : limits) set_metric(p, id, value, 0, 1);
  const std::pair<const char*, double> measured[] = {{"clock.light", 1.98e9},
                                                     {"clock.ffma", 1.968e9},
                                                     {"clock.ffma.power", 512},
                                                     {"launch.overhead", 2.31e-6},
                                                     {"launch.interval", 1.82e-6},
                                                     {"launch.block_cost", 190},
                                                     {"ffma.latency", 4.1},
                                                     {"ffma.throughput", 126.4},
                                                     {"smem.lds32.latency", 23},
                                                     {"smem.lds64.latency", 24.2},
                                                     {"smem.lds128.latency", 29.4},
                                                     {"smem.lds32.bandwidth", 127.3},
                                                     {"smem.lds64.bandwidth", 127.9},
                                                     {"smem.lds128.bandwidth", 127.8},
                                                     {"smem.merge_a", 1},
                                                     {"smem.merge_b", 1},
                                                     {"barrier.latency", 31},
                                                     {"l1.latency", 32.6},
                                                     {"l2.latency", 282},
                                                     {"dram.latency", 659},
                                                     {"l1.bandwidth", 124},
                                                     {"l2.bandwidth.read", 4790},
                                                     {"dram.bandwidth.read", 4.62e12},
                                                     {"dram.bandwidth.write", 3.1e12},
                                                     {"dram.bandwidth.copy", 3.98e12}};
  for (const auto& [id, value] : measured) set_metric(p, id, value, 0.0012, 7);
}

Curve curve_of(const char* id) {
  const CatalogEntry* entry = find_catalog_entry(id, EntryKind::curve);
  if (!entry) throw std::logic_error(std::string("not in the catalogue: ") + id);
  Curve curve;
  curve.x_unit = entry->x_unit;
  curve.y_unit = entry->unit;
  curve.method = "synthetic";
  return curve;
}

void add_point(Curve& curve, double x, double y) {
  curve.x.push_back(x);
  curve.y.push_back(y);
  curve.ci95.push_back({y * 0.99, y * 1.01});
}

double step_up(double x, double at, double width) {
  return 1 / (1 + std::exp(-std::log2(x / at) / width));
}

void add_memory_curves(DeviceProfile& p) {
  Curve latency = curve_of("memory.latency.over_footprint");
  Curve bandwidth = curve_of("memory.bandwidth.over_footprint");
  for (double e = 14; e <= 30.01; e += 0.25) {
    const double x = std::round(std::exp2(e));
    add_point(latency, x,
              33 + 249 * step_up(x, 230e3, 0.15) + 230 * step_up(x, 30e6, 0.15) +
                  146 * step_up(x, 80e6, 0.2));
    if (e >= 20) add_point(bandwidth, x, 9.6e12 - 5e12 * step_up(x, 50e6, 0.2));
  }
  Curve l2 = curve_of("l2.bandwidth.over_active_sms"),
        dram = curve_of("dram.bandwidth.over_active_sms");
  for (int sms = 1; sms <= 132; sms = sms < 4 ? sms + 1 : sms + 8) {
    add_point(l2, sms, std::min(64.0 * sms, 4790.0));
    add_point(dram, sms, 4.62e12 * (1 - std::exp(-sms / 30.0)));
  }
  Curve ffma = curve_of("ffma.throughput.over_warps");
  for (int warps = 1; warps <= 12; ++warps) add_point(ffma, warps, 31.0 * std::min(warps, 4));
  Curve barrier = curve_of("barrier.latency.over_warps");
  for (int warps = 1; warps <= 32; warps *= 2) add_point(barrier, warps, 14 + 2.0 * warps);
  p.curves = {
      {"ffma.throughput.over_warps", ffma},       {"barrier.latency.over_warps", barrier},
      {"memory.latency.over_footprint", latency}, {"memory.bandwidth.over_footprint", bandwidth},
      {"l2.bandwidth.over_active_sms", l2},       {"dram.bandwidth.over_active_sms", dram}};
}

void add_conflicts(DeviceProfile& p) {
  const std::pair<const char*, int> widths[] = {
      {"smem.conflict.lds32", 1}, {"smem.conflict.lds64", 2}, {"smem.conflict.lds128", 4}};
  for (const auto& [id, words] : widths) {
    Curve curve = curve_of(id);
    for (int stride = 1; stride <= 33; ++stride) {
      const int ways = std::max(stride & -stride, 1);
      add_point(curve, stride, std::min(32.0, static_cast<double>(words * std::min(ways, 32))));
    }
    p.curves[id] = curve;
  }
  Table table;
  table.columns = {"name", "measured", "wavefronts"};
  table.units = {"", "cycle/inst", "wavefront/inst"};
  table.method = "synthetic";
  table.rows = {{"LDS.128 4i", {4.01, 4}}, {"LDS.128 4(i/2)", {2.0, 2}}, {"LDS.128 8i", {8.02, 8}},
                {"LDS.32 i", {1.0, 1}},    {"LDS.64 2i", {2.0, 2}},      {"odd one", {3.0, 2}}};
  p.tables["smem.patterns"] = table;
}

void add_ports(DeviceProfile& p) {
  set_metric(p, "register.banks", 2, 0, 1);
  set_metric(p, "register.window", 1, 0, 1);
  set_metric(p, "instruction.iadd3.latency", 4, 0.001, 7);
  set_metric(p, "instruction.iadd3.throughput", 1.99, 0.001, 7);
  Table ports;
  ports.columns = {"name", "one warp", "2 banks", "4 banks", "two warps"};
  ports.units = {"", "cycle/inst", "cycle/inst", "cycle/inst", "cycle/inst"};
  ports.rows = {{"no register read: z z z", {1, 1, 1, 1}},
                {"three in one bank of two: 0 2 0", {2.997, 3, 2, 2.99}},
                {"two held under reuse, one even: 0r 1r 0", {1, 1, 1, 0.986}}};
  p.tables["register.ports"] = ports;
  Table products;
  products.columns = {"name", "i outer", "serpentine j"};
  products.units = {"", "fma/cycle/SM", "fma/cycle/SM"};
  products.method = "synthetic";
  products.rows = {{"4x4", {92.9, 107.2}}, {"8x8", {113.2, 126.8}}};
  p.tables["outer_product.throughput"] = products;
}

Environment environment() {
  Environment e = sample_environment();
  e.gpu_name = "NVIDIA Example 132";
  e.command_line = "rooftile characterize";
  return e;
}

constexpr double peak = 126.4 * 132 * 2 * 1.968e9;

RunRecord run_of(const Rung& rung, const GemmProblem& problem, Random& random) {
  RunRecord run;
  run.variant = rung.name;
  run.tile.BM = run.tile.BN = rung.tile;
  run.tile.BK = 8;
  run.tile.TM = run.tile.TN = rung.tile == 128 ? 8 : 1;
  run.problem = problem;
  const double blocks = std::ceil(static_cast<double>(problem.M) / rung.tile) *
                        std::ceil(static_cast<double>(problem.N) / rung.tile);
  const double waves = blocks / 132;
  const double time = 2.5e-6 + problem.flop() / (peak * rung.efficiency) * std::ceil(waves) /
                                   waves * uniform(random, 0.97, 1.03);
  TimeSummary summary;
  summary.median = time;
  summary.mad = time * 0.002;
  summary.p5 = time * 0.995;
  summary.p95 = time * 1.008;
  summary.n = 21;
  summary.ci95 = {time * 0.998, time * 1.002};
  summary.converged = true;
  run.time = summary;
  run.sm_clock_hz = 1.968e9;
  run.correctness = Correctness{1e-4, 1e-7, 1e-3, true};
  run.environment = environment();
  return run;
}

Prediction prediction_of(const RunRecord& run, const Rung& rung, const char* name, double factor) {
  Prediction p;
  p.predictor = name;
  p.variant = run.variant;
  p.tile = run.tile;
  p.problem = run.problem;
  p.time_s = run.time->median * factor;
  p.bound = rung.efficiency < 0.1 ? Bound::l2 : rung.efficiency < 0.5 ? Bound::smem : Bound::fma;
  p.l2_bytes = run.problem.flop() * rung.l2_bytes_per_flop;
  p.dram_read_bytes = p.l2_bytes * 0.08;
  p.dram_write_bytes = 4.0 * static_cast<double>(run.problem.M * run.problem.N);
  return p;
}

ErrorSummary summary_of(const std::vector<ErrorCase>& cases) {
  ErrorSummary s;
  s.n = static_cast<int>(cases.size());
  std::vector<double> sizes;
  for (const auto& c : cases) {
    s.mape += std::abs(c.error()) / s.n;
    s.bias += c.error() / s.n;
    sizes.push_back(std::abs(c.error()));
  }
  std::sort(sizes.begin(), sizes.end());
  s.p50 = sizes[sizes.size() / 2];
  s.p90 = sizes[sizes.size() * 9 / 10];
  s.p95 = sizes[sizes.size() * 95 / 100];
  s.max = sizes.back();
  s.kendall_tau_b = 0.91;
  s.regret_top1 = 0.023;
  s.regret_top5 = 0.004;
  s.regret_top8 = 0;
  return s;
}

template <typename Key>
std::map<std::string, ErrorSummary> grouped(const std::vector<ErrorCase>& cases, Key key) {
  std::map<std::string, std::vector<ErrorCase>> groups;
  for (const auto& c : cases) groups[key(c)].push_back(c);
  std::map<std::string, ErrorSummary> result;
  for (const auto& [name, list] : groups) result[name] = summary_of(list);
  return result;
}

ValidationReport validation_of(const ReportInput& input) {
  ValidationReport v;
  v.environment = environment();
  for (const char* predictor : {"roofline", "analytic"}) {
    std::vector<ErrorCase> cases;
    for (const auto& p : input.predictions)
      for (const auto& r : input.runs)
        if (p.predictor == predictor && r.variant == p.variant &&
            shape_name(r.problem) == shape_name(p.problem))
          cases.push_back({predictor, p.variant, tile_name(p.tile), shape_name(p.problem), "dev",
                           p.time_s, r.time->median, std::string(to_string(p.bound))});
    v.predictors[predictor]["dev"] = summary_of(cases);
    v.by_variant[predictor] = grouped(cases, [](const ErrorCase& c) { return c.variant; });
    v.by_shape[predictor] = grouped(cases, [](const ErrorCase& c) { return c.shape; });
    v.by_bound[predictor] = grouped(cases, [](const ErrorCase& c) { return c.bound; });
    v.cases.insert(v.cases.end(), cases.begin(), cases.end());
    v.worst = cases;
  }
  std::sort(v.worst.begin(), v.worst.end(),
            [](const auto& a, const auto& b) { return std::abs(a.error()) > std::abs(b.error()); });
  v.worst.resize(std::min<std::size_t>(20, v.worst.size()));
  for (const char* without : {"nothing", "register ports", "tail"}) {
    AblationCase c{"analytic", without, v.predictors["analytic"]["dev"], {}};
    if (c.without == "tail") {
      c.summary.mape *= 2;
      c.worse = {"mape"};
    }
    v.ablation.push_back(std::move(c));
  }
  v.baselines = {{"max_rule", v.predictors["roofline"]["dev"]}};
  v.skipped = {"naive 16384x16384x16384: not measured, over the time cap"};
  return v;
}

void add_runs(ReportInput& input, Random& random, std::size_t shapes) {
  std::vector<GemmProblem> problems = {
      make_problem(256, 256, 256),    make_problem(512, 512, 512),
      make_problem(1024, 1024, 1024), make_problem(2048, 2048, 2048),
      make_problem(4096, 4096, 4096), make_problem(8192, 8192, 8192),
      make_problem(8192, 128, 1024),  make_problem(128, 8192, 1024),
      make_problem(512, 512, 16384),  make_problem(1009, 1013, 1019),
      make_problem(4096, 11008, 4096)};
  problems.resize(std::min(shapes, problems.size()));
  for (const auto& problem : problems)
    for (const auto& rung : rungs) {
      const RunRecord run = run_of(rung, problem, random);
      input.runs.push_back(run);
      if (run.variant == "cublas") continue;
      input.predictions.push_back(prediction_of(run, rung, "roofline", uniform(random, 0.5, 0.98)));
      input.predictions.push_back(
          prediction_of(run, rung, "analytic", uniform(random, 0.85, 1.12)));
    }
}

Prediction outlook_of(const char* predictor, const char* variant, const Tile& tile,
                      const GemmProblem& problem, double efficiency) {
  Prediction p;
  p.predictor = predictor;
  p.variant = variant;
  p.tile = tile;
  p.problem = problem;
  p.time_s = 2.5e-6 + problem.flop() / (peak * efficiency);
  p.bound = Bound::fma;
  p.waves = std::ceil(static_cast<double>(problem.M) / tile.BM) *
            std::ceil(static_cast<double>(problem.N) / tile.BN) / 264;
  p.tail_efficiency = p.waves / std::ceil(p.waves);
  p.l2_hit_rate = 0.8 + 0.1 * efficiency;
  p.terms = {{"fma", 0.7 * p.time_s}, {"tail", 0.25 * p.time_s}, {"launch", 0.05 * p.time_s}};
  return p;
}

void add_outlook(ReportInput& input) {
  const auto tile_of = [](int BM, int BN) {
    return Tile{.BM = BM, .BN = BN, .BK = 8, .TM = 8, .TN = 8};
  };
  const GemmProblem square = make_problem(4096, 4096, 4096);
  Outlook& o = input.outlook;
  for (const int BM : {64, 128, 256})
    for (const int BN : {64, 128})
      o.landscape.push_back(outlook_of("analytic", "double_buffer", tile_of(BM, BN), square,
                                       0.5 + 0.001 * std::min(BM, BN)));
  o.choices = {
      {o.landscape.back(), 5227, 3},
      {outlook_of("analytic", "warp_tile", tile_of(64, 64), make_problem(1000, 1000, 1000), 0.5),
       5227, 1}};
  for (const char* predictor : {"roofline", "analytic"})
    for (std::int64_t m = 128; m <= 4096; m += 128)
      o.over_m.push_back(outlook_of(predictor, "double_buffer", tile_of(128, 128),
                                    make_problem(m, 4096, 4096), 0.7));
  for (const Raster raster : {Raster::row, Raster::column})
    for (const std::int64_t size : {1024, 4096}) {
      Tile tile = tile_of(128, 128);
      tile.raster = raster;
      o.rasters.push_back(
          outlook_of("analytic", "double_buffer", tile, make_problem(size, size, size), 0.7));
    }
  for (RunRecord& run : input.runs)
    if (run.variant == "double_buffer" && run.problem.M == 4096)
      run.counters.values = {{"l2.read_hit_rate", 0.803}};
}

double bad_number(Random& random) {
  constexpr double bad[] = {std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            0.0,
                            -1.0,
                            1e300,
                            5e-324};
  return bad[random() % std::size(bad)];
}

template <typename Container>
void drop_some(Container& container, Random& random, std::uint32_t one_in) {
  for (auto it = container.begin(); it != container.end();)
    it = random() % one_in == 0 ? container.erase(it) : std::next(it);
}

void damage_profile(DeviceProfile& p, Random& random) {
  drop_some(p.metrics, random, 1 + random() % 4);
  drop_some(p.curves, random, 1 + random() % 4);
  if (random() % 3 == 0) p.tables.clear();
  for (auto& entry : p.metrics) {
    Metric& m = entry.second;
    if (random() % 6 == 0) m.value = bad_number(random);
    if (random() % 8 == 0) m.ci95 = Interval{bad_number(random), bad_number(random)};
    if (random() % 8 == 0) m.value.reset();
    if (random() % 8 == 0) m.state = State::failed;
  }
  for (auto& entry : p.curves) {
    Curve& c = entry.second;
    if (random() % 4 == 0) c.x.resize(c.x.size() / 3);
    if (random() % 4 == 0) c.ci95.resize(c.ci95.size() / 2);
    for (double& y : c.y)
      if (random() % 20 == 0) y = bad_number(random);
    if (random() % 8 == 0) c.state = State::suspect;
  }
  for (auto& entry : p.tables)
    for (auto& row : entry.second.rows)
      if (random() % 3 == 0) row.values.resize(random() % 3, bad_number(random));
}

void damage_outlook(Outlook& o, Random& random) {
  drop_some(o.choices, random, 1 + random() % 3);
  for (auto* list : {&o.landscape, &o.over_m, &o.rasters}) {
    drop_some(*list, random, 1 + random() % 3);
    for (Prediction& p : *list) {
      if (random() % 6 == 0) p.time_s = bad_number(random);
      if (random() % 6 == 0) p.l2_hit_rate = bad_number(random);
      if (random() % 6 == 0) p.waves = bad_number(random);
    }
  }
}

void damage_validation(ValidationReport& v, Random& random) {
  drop_some(v.predictors, random, 3);
  drop_some(v.by_variant, random, 3);
  drop_some(v.by_shape, random, 3);
  for (auto& [name, splits] : v.predictors)
    for (auto& [split, s] : splits) {
      if (random() % 3 == 0) s.n = 0;
      if (random() % 3 == 0) s.mape = bad_number(random);
      if (random() % 3 == 0) s.kendall_tau_b.reset();
    }
  for (auto& c : v.worst)
    if (random() % 4 == 0) c.measured_s = bad_number(random);
}

}  // namespace

ReportInput plausible_input(std::uint32_t seed, std::size_t shapes) {
  Random random(seed);
  ReportInput input;
  input.profile.environment = environment();
  input.profile.created_by = {"0.1.0", "0000000", "Release"};
  add_metrics(input.profile);
  add_memory_curves(input.profile);
  add_conflicts(input.profile);
  add_ports(input.profile);
  for (int i = 0; i < static_cast<int>(std::size(rungs)) - 1; ++i)
    input.variants.push_back({rungs[i].name, rungs[i].title, rungs[i].idea, i, {}});
  add_runs(input, random, shapes);
  input.validation = validation_of(input);
  add_outlook(input);
  input.landscape = Landscape{input.validation, input.validation};
  input.claims = Claims::load(std::string(ROOFTILE_SOURCE_DIR) + "/data/claims.json");
  input.sources = {{"profile.json", "rooftile characterize"}, {"runs.jsonl", "rooftile measure"}};
  return input;
}

void damage(ReportInput& input, std::uint32_t seed) {
  Random random(seed);
  damage_profile(input.profile, random);
  damage_validation(input.validation, random);
  damage_outlook(input.outlook, random);
  damage_validation(input.landscape->searched, random);
  damage_validation(input.landscape->compiled, random);
  drop_some(input.landscape->searched.cases, random, 3);
  for (ErrorCase& c : input.landscape->searched.cases) {
    if (random() % 4 == 0) c.measured_s = bad_number(random);
    if (random() % 4 == 0) c.predicted_s = bad_number(random);
  }
  if (random() % 6 == 0) input.landscape.reset();
  drop_some(input.runs, random, 1 + random() % 5);
  drop_some(input.predictions, random, 1 + random() % 5);
  drop_some(input.variants, random, 3);
  for (auto& run : input.runs) {
    if (random() % 6 == 0) run.time.reset();
    if (random() % 6 == 0 && run.time) run.time->median = bad_number(random);
    if (random() % 6 == 0 && run.time) run.time->ci95 = {bad_number(random), bad_number(random)};
    if (random() % 9 == 0) run.correctness->passed = false;
    if (random() % 9 == 0) run.state = State::skipped;
    if (random() % 9 == 0) run.cache = CacheState::cold;
  }
  for (auto& p : input.predictions) {
    if (random() % 6 == 0) p.time_s = bad_number(random);
    if (random() % 6 == 0) p.l2_bytes = bad_number(random);
  }
}

}  // namespace rooftile::test
