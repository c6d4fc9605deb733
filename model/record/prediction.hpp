// Prediction: what one predictor says of one kernel on one problem.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/kernel/kernel_description.hpp"
#include "model/kernel/problem.hpp"
#include "model/profile/device_profile.hpp"

namespace rooftile {

enum class Bound { issue, fma, smem, l2, dram, latency, launch, tail };
std::string_view to_string(Bound bound);

/// One addend of the predicted time. The terms add up to `time_s` exactly (to rounding).
struct Term {
  std::string
      name;  ///< "fma", "issue", "smem", "l2", "dram", "latency", "tail", "launch", "epilogue"
  double seconds = 0;
};

/// Where the cycles of the compiled main loop go (predictor sass).
struct LoopAccount {
  /// One reason why an issue slot of a sub-core is used or lost.
  struct Cause {
    std::string name;
    double cycles = 0;  ///< of a trip of all resident warps; the causes add up to the trip's
    /// Seconds of the whole launch without it; absent for what cannot be taken away.
    std::optional<double> time_without_s;
  };
  /// One instruction, and what a warp waits in a trip before it issues.
  struct Line {
    int address = 0;  ///< bytes from the start of the kernel
    std::string text, cause;
    double wait_cycles = 0;
  };
  std::string kernel_id;
  double cycles = 0;      ///< of a trip of all resident warps
  double k_a_trip = 0;    ///< steps of K
  double ffma_share = 0;  ///< of the loop's instructions
  double port_ratio = 0, issue_utilization = 0, path_utilization = 0;
  std::vector<Cause> causes;  ///< largest first
  std::vector<Line> lines;    ///< costliest first
};

/// The same kernel with one thing of its tile done otherwise.
struct TileChange {
  std::string name;  ///< "BK 16", "raster column"
  Tile tile;
  std::string predictor;  ///< who says it: analytic where another predictor lacks the code
  double time_s = 0;
  double gain = 0;  ///< of speed, over the tile as it is by the same predictor
};

struct Prediction {
  static constexpr std::string_view schema = "rooftile.prediction";
  static constexpr int schema_version = 1;

  std::string predictor;  ///< "roofline", "analytic" or "sass"
  std::string variant;
  Tile tile;
  GemmProblem problem;
  double time_s = 0;
  double cycles = 0;
  double clock_hz = 0;  ///< used for the conversion
  Bound bound = Bound::fma;
  std::vector<Term> terms;
  std::optional<Interval>
      input_interval;  ///< seconds; propagated from the profile's uncertainty, no coverage claimed
  std::optional<Interval> prediction_interval;  ///< seconds; split-conformal from dev residuals
  int occupancy_blocks_per_sm = 0;
  double occupancy = 0;  ///< resident warps over the limit
  double waves = 0;      ///< blocks over (SMs x blocks per SM)
  double tail_efficiency = 1;
  double l2_hit_rate = 0;
  double l2_bytes = 0, dram_read_bytes = 0, dram_write_bytes = 0;
  double shared_wavefronts = 0;  ///< of the whole launch
  KernelResources resources;
  std::vector<std::string> inputs;  ///< metric and curve ids that were read
  std::optional<LoopAccount> loop;  ///< where asked for
  std::vector<TileChange> changes;  ///< where asked for, best first

  double flops() const { return problem.flop() / time_s; }
  Json to_json() const;
  static Prediction from_json(const JsonReader& json);
};

/// prediction.json: the head and `predictions`.
Json predictions_file(std::span<const Prediction> predictions, const CreatedBy& created_by,
                      const Environment& environment);
std::vector<Prediction> predictions_from(const JsonReader& file);
std::vector<Prediction> load_predictions(const std::string& path);

}  // namespace rooftile
