// The report as data: sections of paragraphs, tables and figures, without any markup. The sections
// are built once and rendered twice, as HTML and as Markdown; nothing here is escaped.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "report/plot.hpp"

namespace rooftile::report {

enum class Mark { none, good, warn, bad };

struct Cell {
  std::string text;
  std::string hover = {};                 ///< shown on hover; never the only place of a fact
  std::optional<double> sort_value = {};  ///< a number to sort by instead of the text
  Mark mark = Mark::none;
};

struct Column {
  std::string heading;
  bool numeric = true;
  std::string hover = {};
};

struct TableBlock {
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  ///< the first cell of a row is its heading
  bool collapsed = false;               ///< HTML shows the caption and opens on demand
};

enum class Tone { plain, note, warning, missing };

struct Paragraph {
  std::string text;
  Tone tone = Tone::plain;
  std::string command = {};  ///< the command that would supply what is missing
};

struct ListBlock {
  std::vector<std::string> items;
};

/// A plot with its title, its text alternative and what it shows.
struct Figure {
  std::string title, alternative, caption;
  Plot plot;
  bool wide = false;
  std::string svg = {};      ///< markup ready for a page; empty when not drawn
  std::string reason = {};   ///< why not drawn
  std::string command = {};  ///< the command that makes the data; may be empty
};

/// Headline numbers.
struct Tiles {
  struct Tile {
    std::string label, value, detail;
  };
  std::vector<Tile> tiles;
};

struct Heading {
  std::string text;
};

using Block = std::variant<Paragraph, ListBlock, TableBlock, Figure, Tiles, Heading>;

struct Section {
  std::string id, title;
  std::vector<Block> blocks;
};

struct Document {
  std::string title, subtitle, banner;  ///< banner: shown above everything; may be empty
  std::string footer;
  std::vector<Section> sections;
};

}  // namespace rooftile::report
