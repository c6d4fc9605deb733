// Renders a document through the embedded templates. Everything is escaped there, but for the
// pictures, which inline_svg has made safe.
#pragma once

#include <string>

#include "report/document.hpp"

namespace rooftile::report {

/// One self-contained page: styles, pictures and script inside, nothing from the network.
std::string render_html(const Document& document);
/// The same as Markdown; pictures are links to plots/<name>.svg.
std::string render_markdown(const Document& document);

/// Text made safe in Markdown, table cells included.
std::string escape_markdown(const std::string& text);

/// The data of a plot as a table, for when it is not drawn.
TableBlock table_of(const Figure& figure);

}  // namespace rooftile::report
