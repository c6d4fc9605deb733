// The list that lane patterns are added to, and the families of patterns. Plain C++.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "micro/lane_patterns.hpp"

namespace rooftile::micro {

/// Float offset of lane i; negative = inactive.
using FloatOffset = std::function<int(int)>;

class PatternList {
 public:
  void load(int width_bytes, const std::string& name, const FloatOffset& offset) {
    add(width_bytes, Direction::load, name, offset);
  }
  void store(int width_bytes, const std::string& name, const FloatOffset& offset) {
    add(width_bytes, Direction::store, name, offset);
  }
  /// Adds the pattern unless one of the same width, direction and lanes is there already.
  void add(int width_bytes, Direction direction, const std::string& name,
           const FloatOffset& offset);
  std::vector<LanePattern> take() { return std::move(all_); }

 private:
  std::vector<LanePattern> all_;
  std::set<std::tuple<int, Direction, std::vector<int>>> seen_;
};

/// What the kernels of a tiled matrix product read and write: see lane_patterns_tiles.cpp.
void add_tile_patterns(PatternList& list);

}  // namespace rooftile::micro
