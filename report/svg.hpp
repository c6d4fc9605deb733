// Makes gnuplot's SVG fit for a page: no fixed colours, no script, no clashing ids.
#pragma once

#include <string>

namespace rooftile::report {

/// The `<svg>` element of a gnuplot picture, ready to stand inside HTML: black becomes the text
/// colour of the page, palette colours become CSS variables, hover texts become `<title>` elements,
/// event handlers go, ids get `prefix`, and the picture has role and label for screen readers.
/// Empty when `svg` is not a picture that gnuplot finished.
std::string inline_svg(const std::string& svg, const std::string& prefix, const std::string& label);

/// Escapes & < > " '.
std::string escape_html(const std::string& text);

}  // namespace rooftile::report
