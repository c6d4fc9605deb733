#include "cli/second_look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/output.hpp"
#include "model/error.hpp"

namespace rooftile::cli {
namespace {

/// How much of its uncertainty a tile is given the benefit of: a kind of tile that was never
/// compiled is worth a look before one that was found to be slightly slower than predicted.
constexpr double optimism = 0.5;

std::vector<const KernelDescription*> kernels_of(const TileSearch& found) {
  std::vector<const KernelDescription*> kernels;
  for (const SearchCandidate& candidate : found.search.ranked) kernels.push_back(&candidate.kernel);
  return kernels;
}

}  // namespace

SecondLook::SecondLook(TileSearch& found, std::size_t compiled)
    : found_(found),
      compiled_(std::min(compiled, found.search.ranked.size())),
      correction_(kernels_of(found)),
      chosen_(found.search.ranked.size()) {}

std::size_t SecondLook::choose() const {
  std::size_t best = chosen_.size();
  double least = INFINITY;
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    if (chosen_[i]) continue;
    const auto [mean, sd] = correction_.estimate(i);
    const double hoped = std::log(found_.search.ranked[i].time_s) + mean - optimism * sd;
    if (best == chosen_.size() || hoped < least) {
      least = hoped;
      best = i;
    }
  }
  return best;
}

std::set<KernelName> SecondLook::next_round() {
  const std::size_t before = compiled_ * round_ / rounds;
  ++round_;
  const std::size_t count = compiled_ * std::min(round_, rounds) / rounds - before;
  asked_.clear();
  std::set<KernelName> kernels;
  // Within a round each choice is taken to come out as expected, so that the next one is sought
  // where something else is to be learned.
  const CodeCorrection known = correction_;
  while (asked_.size() < count) {
    const std::size_t place = choose();
    chosen_[place] = true;
    asked_.push_back(place);
    kernels.insert(kernel_name(found_.search.ranked[place].kernel, found_.problem));
    correction_.observe(place, correction_.estimate(place).mean);
  }
  correction_ = known;
  return kernels;
}

void SecondLook::read(const Predictor& sass) {
  for (const std::size_t place : asked_) {
    const SearchCandidate& candidate = found_.search.ranked[place];
    try {
      Prediction prediction = sass.predict(candidate.kernel, found_.problem);
      if (!std::isfinite(prediction.time_s)) continue;
      const double log_ratio = std::log(prediction.time_s / candidate.time_s);
      if (std::isfinite(log_ratio)) correction_.observe(place, log_ratio);
      read_.emplace_back(std::move(prediction), place + 1);
    } catch (const InputError& error) {
      print_warning(fmt::format("{} {} is left out by sass: {}", candidate.kernel.variant,
                                tile_name(candidate.kernel.tile), error.what()));
    }
  }
  asked_.clear();
}

void SecondLook::finish(std::size_t most) {
  if (read_.empty())
    throw InputError(fmt::format("--compile: sass can time none of {} tiles for {}", compiled_,
                                 shape_name(found_.problem)));
  std::sort(read_.begin(), read_.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first.time_s, a.second) < std::tie(b.first.time_s, b.second);
  });
  found_.by_code = read_.size();
  found_.top.clear();
  found_.first_places.clear();
  for (auto& [prediction, place] : read_) {
    found_.top.push_back(std::move(prediction));
    found_.first_places.push_back(place);
  }
  found_.ties = count_ties(found_.top);
  if (found_.top.size() > most) {
    found_.top.resize(most);
    found_.first_places.resize(most);
  }
}

}  // namespace rooftile::cli
