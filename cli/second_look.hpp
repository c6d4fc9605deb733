// The second look of `tune --compile`: some tiles of a search are compiled and ranked anew by sass,
// from their machine code. Which ones is learned on the way, since the search's first ones are much
// alike and share its errors.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "cli/tile_search.hpp"
#include "model/predict/code_correction.hpp"
#include "model/record/kernel_files.hpp"

namespace rooftile::cli {

/// Looks at `compiled` tiles of a search, or at all where there are fewer, in rounds: those of one
/// are chosen by what the code of those before it said.
class SecondLook {
 public:
  static constexpr std::size_t rounds = 4;

  /// Chooses among the evaluated tiles of `found`, which outlives this.
  SecondLook(TileSearch& found, std::size_t compiled);

  /// The kernels of the next round, to be compiled before read().
  std::set<KernelName> next_round();
  /// Predicts those by `sass`. Says which it cannot read.
  void read(const Predictor& sass);
  /// Ranks all that were read and keeps the `most` fastest. Throws InputError when not one has a
  /// time.
  void finish(std::size_t most);

 private:
  std::size_t choose() const;

  TileSearch& found_;
  std::size_t compiled_, round_ = 0;
  CodeCorrection correction_;
  std::vector<bool> chosen_;                              ///< of found_.search.ranked
  std::vector<std::size_t> asked_;                        ///< this round's
  std::vector<std::pair<Prediction, std::size_t>> read_;  ///< and its place in the search
};

}  // namespace rooftile::cli
