// The colours of plots and page. One list serves the gnuplot scripts (light values), the pictures
// in the page (CSS variables, so that they follow light and dark) and the style sheet.
//
// The series colours descend from Okabe and Ito's palette for colour-blind readers ("Color
// Universal Design", 2008), darkened for a white page and lightened for a dark one so that each
// keeps a contrast of at least 3:1 against its background; where there are more series than
// colours, the marker differs.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace rooftile::report {

struct Color {
  std::string_view variable;     ///< CSS custom property, e.g. "--series-1"
  std::string_view light, dark;  ///< "#rrggbb"
};

enum class Ink { axis, grid, guide, band };

const Color& color(Ink ink);
std::span<const Color> series_colors();
/// All but those of the series, steps of heat maps among them.
std::span<const Color> ink_colors();
/// Steps of one colour, from faint to strong; text in the page's colour is legible on each.
std::span<const Color> heat_colors();

/// "lc rgb '#...'" of series `index`; colours repeat after the last.
std::string line_color(std::size_t index);
std::string line_color(Ink ink);
/// gnuplot point type of series `index`: filled shapes, another order once the colours repeat.
int point_type(std::size_t index);
/// The outline of the same shape.
int open_point_type(std::size_t index);

}  // namespace rooftile::report
