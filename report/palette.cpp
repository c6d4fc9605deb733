// The values of the colours and the order of the markers.
#include "report/palette.hpp"

#include <array>

namespace rooftile::report {
namespace {

constexpr std::array<Color, 8> series = {{{"--series-1", "#0067a5", "#5eb1ef"},
                                          {"--series-2", "#c2410c", "#ff8b5c"},
                                          {"--series-3", "#007a55", "#3ecf9a"},
                                          {"--series-4", "#9b3f8f", "#e08fd4"},
                                          {"--series-5", "#8a6100", "#e6b422"},
                                          {"--series-6", "#3a86c8", "#9fd8ff"},
                                          {"--series-7", "#5f6b76", "#a8b3bd"},
                                          {"--series-8", "#7c2d12", "#d9a08b"}}};

constexpr std::size_t first_heat = 4;

constexpr std::array<Color, 11> inks = {{{"--ink-axis", "#3f4a54", "#b6c0ca"},
                                         {"--ink-grid", "#d9dee3", "#2f363d"},
                                         {"--ink-guide", "#6b7782", "#8d99a5"},
                                         {"--ink-band", "#b9c6d2", "#46525e"},
                                         {"--heat-1", "#edf3f8", "#1d2831"},
                                         {"--heat-2", "#d8e7f3", "#1e323f"},
                                         {"--heat-3", "#c1daed", "#1f3d50"},
                                         {"--heat-4", "#a8cbe6", "#204861"},
                                         {"--heat-5", "#8fbcde", "#215373"},
                                         {"--heat-6", "#76acd6", "#225e84"},
                                         {"--heat-7", "#5c9bcc", "#236995"}}};

}  // namespace

const Color& color(Ink ink) { return inks.at(static_cast<std::size_t>(ink)); }
std::span<const Color> series_colors() { return series; }
std::span<const Color> ink_colors() { return inks; }
std::span<const Color> heat_colors() { return std::span(inks).subspan(first_heat); }

std::string line_color(std::size_t index) {
  return "lc rgb '" + std::string(series[index % series.size()].light) + "'";
}

std::string line_color(Ink ink) { return "lc rgb '" + std::string(color(ink).light) + "'"; }

int point_type(std::size_t index) {
  constexpr std::array<int, 6> filled = {7, 9, 5, 13, 11, 15};
  return filled[(index + index / series.size()) % filled.size()];
}

int open_point_type(std::size_t index) { return point_type(index) - 1; }

}  // namespace rooftile::report
