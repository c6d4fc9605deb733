// Nearest names by edit distance, with containment preferred: `dram` should find
// `dram.bandwidth.read` although it is many insertions away.
#include "cli/suggest.hpp"

#include <algorithm>

#include "model/edit_distance.hpp"

namespace rooftile::cli {
namespace {

struct Scored {
  bool contains;
  std::size_t distance;
  std::string name;
};

bool better(const Scored& a, const Scored& b) {
  if (a.contains != b.contains) return a.contains;
  return a.distance != b.distance ? a.distance < b.distance : a.name < b.name;
}

}  // namespace

std::vector<std::string> nearest(std::string_view text, std::span<const std::string> names,
                                 std::size_t count) {
  std::vector<Scored> scored;
  for (const std::string& name : names) {
    const bool contains =
        !text.empty() && !name.empty() &&
        (name.find(text) != std::string::npos || text.find(name) != std::string_view::npos);
    scored.push_back({contains, edit_distance(text, name), name});
  }
  std::sort(scored.begin(), scored.end(), better);
  std::vector<std::string> result;
  for (const Scored& item : scored)
    if (result.size() < count && (result.empty() || result.back() != item.name))
      result.push_back(item.name);
  return result;
}

std::string did_you_mean(std::string_view text, std::span<const std::string> names) {
  const std::vector<std::string> close = nearest(text, names);
  if (close.empty()) return {};
  std::string sentence = "did you mean ";
  for (std::size_t i = 0; i < close.size(); ++i) {
    if (i > 0) sentence += i + 1 == close.size() ? " or " : ", ";
    sentence += close[i];
  }
  return sentence + "?";
}

}  // namespace rooftile::cli
