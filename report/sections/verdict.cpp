// The verdict: what a reader should take away, in plain words, from the recorded values alone; and
// the same in a few lines for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/format.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

std::string gpu_name(const ReportInput& input) {
  const std::string& name = input.profile.environment.gpu_name;
  return name.empty() ? "this GPU (no name recorded)" : name;
}

struct Winner {
  std::string variant;
  std::size_t wins = 0, shapes = 0, compared = 0;
  std::size_t beats_baseline = 0;  ///< of the wins, those that are faster than cuBLAS too
  double share = 0;  ///< geometric mean of the share of cuBLAS over the compared shapes
  const Measured* against = nullptr;  ///< our fastest at the largest compared square
};

/// Our variant that is fastest at most shapes, and the best of ours against the baseline.
Winner find_winner(const Analysis& analysis) {
  std::map<std::string, std::size_t> wins, beats;
  Winner winner;
  double log_share = 0;
  for (const auto& shape : analysis.shapes) {
    const Measured* best = analysis.fastest_of_ours(shape);
    if (!best) continue;
    ++winner.shapes;
    const std::size_t n = ++wins[best->run->variant];
    if (n > winner.wins) {
      winner.wins = n;
      winner.variant = best->run->variant;
    }
    const auto share = analysis.share_of_baseline(*best);
    if (!share) continue;
    ++winner.compared;
    if (*share > 1) ++beats[best->run->variant];
    log_share += std::log(*share);
    const auto& p = best->run->problem;
    if (p.M == p.N && p.N == p.K) winner.against = best;
  }
  winner.beats_baseline = beats[winner.variant];
  if (winner.compared > 0)
    winner.share = std::exp(log_share / static_cast<double>(winner.compared));
  return winner;
}

std::string gpu_sentence(const ReportInput& input) {
  const Environment& e = input.profile.environment;
  std::string text = gpu_name(input);
  if (e.sm_count > 0) text += fmt::format(", {} SMs", e.sm_count);
  if (e.compute_capability_major > 0)
    text += fmt::format(", compute capability {}.{}", e.compute_capability_major,
                        e.compute_capability_minor);
  if (const auto clock = metric_value(input.profile, "clock.ffma"))
    text += fmt::format(", {} under full FFMA load", show_value(*clock, "Hz", 4));
  return text + ".";
}

std::string roof_sentence(const ReportInput& input, const Roofs& roofs) {
  std::string text;
  const auto rate = metric_value(input.profile, "ffma.throughput");
  const auto lanes = metric_value(input.profile, "device.fma_lanes_per_sm");
  if (roofs.fma_flops) {
    text += fmt::format("It sustains {} in FP32", format_tflops(*roofs.fma_flops));
    if (rate && lanes && *lanes > 0)
      text +=
          fmt::format(" ({} of {} FMA per cycle and SM)", significant(*rate, 4), fixed(*lanes, 0));
  }
  const auto add = [&](const std::optional<double>& bandwidth, const std::string& what) {
    if (bandwidth)
      text += (text.empty() ? "It " : ", ") +
              fmt::format("reads {} at {}", what, show_value(*bandwidth, "byte/s"));
  };
  add(roofs.l2_bytes_s, "L2");
  add(roofs.dram_bytes_s, "DRAM");
  const auto peak = metric_value(input.profile, "device.dram_peak_bandwidth");
  if (roofs.dram_bytes_s && peak && *peak > 0)
    text += fmt::format(" ({} of the interface)", format_percent(*roofs.dram_bytes_s / *peak));
  return text.empty() ? "" : text + ".";
}

std::string winner_sentence(const ReportInput& input, const Analysis& analysis, const Winner& w) {
  std::string text = fmt::format("Best variant: {} was the fastest of ours at {} of {}",
                                 variant_title(input, w.variant), w.wins,
                                 plural(w.shapes, "measured shape", "measured shapes"));
  text += w.compared > 0 ? fmt::format(", and faster than cuBLAS at {}.", w.beats_baseline) : ".";
  if (w.compared > 0)
    text += fmt::format(" The best of ours reaches {} of cuBLAS (geometric mean over {}).",
                        format_percent(w.share), plural(w.compared, "shape", "shapes"));
  if (w.against)
    text +=
        fmt::format(" At {}: {}, {} of cuBLAS.", w.against->shape, format_tflops(w.against->flops),
                    format_percent(analysis.share_of_baseline(*w.against)));
  return text;
}

std::vector<std::string> cautions(const ReportInput& input, const Analysis& analysis) {
  std::vector<std::string> list;
  std::string suspect, above;
  for (const auto& [id, metric] : input.profile.metrics) {
    if (metric.state == State::suspect || metric.state == State::failed)
      suspect += fmt::format("{}{} ({})", suspect.empty() ? "" : ", ", id, to_string(metric.state));
    const std::string flag = above_limit(input.profile, id);
    if (flag.starts_with("above"))
      above += fmt::format("{}{} is {}", above.empty() ? "" : "; ", id, flag);
  }
  if (!above.empty()) list.push_back("Not believable: " + above + ".");
  if (!suspect.empty()) list.push_back("Read with care: " + suspect + ".");
  const auto fast =
      std::count_if(analysis.runs.begin(), analysis.runs.end(), [&](const Measured& m) {
        return analysis.roofs.fma_flops && m.flops > *analysis.roofs.fma_flops;
      });
  if (fast > 0)
    list.push_back(
        fmt::format("{} faster than the measured FMA peak: the peak or the run is wrong.",
                    plural(static_cast<std::size_t>(fast), "run is", "runs are")));
  if (!analysis.left_out.empty())
    list.push_back(plural(analysis.left_out.size(), "run has", "runs have") +
                   " no speed; the reasons are in the ladder.");
  return list;
}

const ErrorSummary* summary_of(const ValidationReport& v, const std::string& predictor,
                               const char* split) {
  const auto found = v.predictors.find(predictor);
  if (found == v.predictors.end()) return nullptr;
  const auto summary = found->second.find(split);
  return summary != found->second.end() && summary->second.n > 0 &&
                 std::isfinite(summary->second.mape)
             ? &summary->second
             : nullptr;
}

const ErrorSummary* dev_summary(const ValidationReport& v, const std::string& predictor) {
  return summary_of(v, predictor, "dev");
}

std::vector<std::string> validated_predictors(const ReportInput& input) {
  std::vector<std::string> names;
  for (const auto& entry : input.validation.predictors)
    if (dev_summary(input.validation, entry.first)) names.push_back(entry.first);
  return by_detail(names);
}

std::string choices_heading(const ReportInput& input, const Analysis& analysis) {
  const std::string& predictor = analysis.outlook.choices.front().best.predictor;
  // Errors of default tiles, whose registers are known, flatter a search that has to estimate them.
  const ErrorSummary* tiles =
      input.landscape ? dev_summary(input.landscape->searched, predictor) : nullptr;
  const ErrorSummary* errors = tiles ? tiles : dev_summary(input.validation, predictor);
  return fmt::format(
      "The best of all legal tiles at common shapes, by {}{}. To have good ones of any shape "
      "compiled, ranked by their code and measured: rooftile tune --shape MxNxK --compile 20 "
      "--measure 5.",
      predictor,
      errors ? fmt::format(" (off by {} on average{}, see below)", format_percent(errors->mape),
                           tiles ? " over measured tiles" : "")
             : "");
}

Tiles tiles_of(const ReportInput& input, const Analysis& analysis, const Winner& winner) {
  Tiles tiles;
  const Roofs& roofs = analysis.roofs;
  if (roofs.fma_flops)
    tiles.tiles.push_back({"FP32 peak", format_tflops(*roofs.fma_flops), "measured FFMA"});
  if (roofs.l2_bytes_s)
    tiles.tiles.push_back({"L2 read", show_value(*roofs.l2_bytes_s, "byte/s"), "inside L2"});
  if (roofs.dram_bytes_s)
    tiles.tiles.push_back({"DRAM read", show_value(*roofs.dram_bytes_s, "byte/s"), "streaming"});
  if (winner.compared > 0)
    tiles.tiles.push_back(
        {"best of ours", format_percent(winner.share), "of cuBLAS, geometric mean"});
  const auto predictors = validated_predictors(input);
  if (!predictors.empty()) {
    const ErrorSummary* s = dev_summary(input.validation, predictors.back());
    std::string pairs = plural(static_cast<std::size_t>(s->n), "dev pair", "dev pairs");
    if (const ErrorSummary* sealed = summary_of(input.validation, predictors.back(), "sealed"))
      pairs += fmt::format("; {} on {} sealed", format_percent(sealed->mape), sealed->n);
    tiles.tiles.push_back({predictors.back() + " MAPE", format_percent(s->mape), pairs});
  }
  return tiles;
}

/// For a terminal: plain spaces and minus signs.
std::string plain(std::string text) {
  const auto replace = [&](std::string_view from, const char* to) {
    for (std::size_t at; (at = text.find(from)) != std::string::npos;)
      text.replace(at, from.size(), to);
  };
  replace("\u00a0", " ");
  replace("\u2212", "-");
  return text;
}

}  // namespace

std::string predictor_sentence(const std::string& predictor, const ErrorSummary& s) {
  std::string text = fmt::format("{} is off by {} on average, {} in the worst 5 %, and ", predictor,
                                 format_percent(s.mape), "more than " + format_percent(s.p95));
  text += std::abs(s.bias) < 0.01 ? "leans to neither side"
          : s.bias < 0            ? fmt::format("tends to promise too much speed (bias {})",
                                                format_percent(s.bias, true))
                                  : fmt::format("tends to promise too little speed (bias {})",
                                                format_percent(s.bias, true));
  if (s.kendall_tau_b && std::isfinite(*s.kendall_tau_b))
    text += fmt::format("; it orders the variants with tau-b {}", fixed(*s.kendall_tau_b, 2));
  if (s.regret_top1 && std::isfinite(*s.regret_top1))
    text += fmt::format("; following its first choice costs {}", format_percent(*s.regret_top1));
  return text + ".";
}

/// The bound where the order that a predictor gives is worst; empty where no bound has one.
std::string weakest_bound_sentence(const ValidationReport& v, const std::string& predictor) {
  const auto bounds = v.by_bound.find(predictor);
  if (bounds == v.by_bound.end()) return "";
  const std::pair<const std::string, ErrorSummary>* weakest = nullptr;
  for (const auto& entry : bounds->second) {
    const auto& tau = entry.second.kendall_tau_b;
    if (tau && std::isfinite(*tau) && (!weakest || *tau < *weakest->second.kendall_tau_b))
      weakest = &entry;
  }
  if (!weakest || !std::isfinite(weakest->second.bias)) return "";
  const ErrorSummary& s = weakest->second;
  std::string text = fmt::format(
      "{} is weakest where it sees {} as the bound ({} of its pairs): bias {}, tau-b {}", predictor,
      weakest->first, s.n, format_percent(s.bias, true), fixed(*s.kendall_tau_b, 2));
  if (s.regret_top1 && std::isfinite(*s.regret_top1))
    text += fmt::format(", first choice {} slower than the best", format_percent(*s.regret_top1));
  return text + ".";
}

Section verdict_section(const ReportInput& input, const Analysis& analysis) {
  Section section{"verdict", "Verdict", {}};
  const Winner winner = find_winner(analysis);
  Tiles tiles = tiles_of(input, analysis, winner);
  if (!tiles.tiles.empty()) section.blocks.emplace_back(std::move(tiles));
  const std::string roofs = roof_sentence(input, analysis.roofs);
  section.blocks.emplace_back(Paragraph{gpu_sentence(input) + (roofs.empty() ? "" : " " + roofs)});
  if (winner.shapes > 0)
    section.blocks.emplace_back(Paragraph{winner_sentence(input, analysis, winner)});
  else
    section.blocks.emplace_back(missing_runs("Which variant is best"));
  if (!analysis.outlook.choices.empty()) {
    section.blocks.emplace_back(Paragraph{choices_heading(input, analysis)});
    section.blocks.emplace_back(ListBlock{choice_sentences(input, analysis)});
  }
  const auto predictors = validated_predictors(input);
  std::vector<std::string> sentences;
  for (const auto& name : predictors)
    sentences.push_back(predictor_sentence(name, *dev_summary(input.validation, name)));
  if (!predictors.empty())
    if (auto text = weakest_bound_sentence(input.validation, predictors.back()); !text.empty())
      sentences.push_back(std::move(text));
  if (sentences.empty())
    section.blocks.emplace_back(missing_predictions("How good the predictors are"));
  else
    section.blocks.emplace_back(ListBlock{std::move(sentences)});
  for (auto& caution : cautions(input, analysis))
    section.blocks.emplace_back(Paragraph{std::move(caution), Tone::warning});
  return section;
}

std::vector<std::string> summary_lines(const ReportInput& input, const Analysis& analysis) {
  std::vector<std::string> lines = {"GPU: " + gpu_name(input) +
                                    (input.recorded ? " (recorded, not this machine)" : "")};
  const Roofs& roofs = analysis.roofs;
  lines.push_back("FP32 FMA peak: " +
                  (roofs.fma_flops ? format_tflops(*roofs.fma_flops) : "not measured"));
  lines.push_back(
      "L2 read: " + (roofs.l2_bytes_s ? show_value(*roofs.l2_bytes_s, "byte/s") : "not measured") +
      ", DRAM read: " +
      (roofs.dram_bytes_s ? show_value(*roofs.dram_bytes_s, "byte/s") : "not measured"));
  const Winner winner = find_winner(analysis);
  lines.push_back(winner.shapes > 0 ? winner_sentence(input, analysis, winner)
                                    : "Best variant: no runs");
  auto predictors = validated_predictors(input);
  if (predictors.size() > 3) predictors.erase(predictors.begin(), predictors.end() - 3);
  for (const auto& name : predictors) {
    const ErrorSummary* s = dev_summary(input.validation, name);
    lines.push_back(fmt::format("{}: MAPE {}, bias {}, p95 {} over {} dev pairs", name,
                                format_percent(s->mape), format_percent(s->bias, true),
                                format_percent(s->p95), s->n));
  }
  for (auto& line : lines) {
    line = plain(line);
    std::replace(line.begin(), line.end(), '\n', ' ');
  }
  return lines;
}

}  // namespace rooftile::report
