// From the document to mustache data: every key a template reads is set in every object, since a
// missing one would be looked up in the objects around it.
#include "report/render.hpp"

#include <fmt/format.h>

#include <cmath>
#include <kainjow/mustache.hpp>

#include "report/format.hpp"
#include "report/palette.hpp"
#include "report/svg.hpp"
#include "report/templates.hpp"

namespace rooftile::report {
namespace {

using kainjow::mustache::data;
using Kind = data::type;

data text_or_false(const std::string& text) { return text.empty() ? data(false) : data(text); }

std::string class_of(const Cell& cell, const Column& column) {
  constexpr const char* marks[] = {"", " good", " warn", " bad"};
  const bool is_short = cell.text.size() <= 24;
  return std::string(column.numeric ? "num"
                     : is_short     ? "short"
                                    : "word") +
         marks[static_cast<std::size_t>(cell.mark)];
}

data cell_data(const Cell& cell, const Column& column, bool heading) {
  data d(Kind::object);
  const bool sortable = cell.sort_value && std::isfinite(*cell.sort_value);
  d.set("cell_text", cell.text);
  d.set("cell_class", class_of(cell, column));
  d.set("cell_hover", text_or_false(cell.hover));
  d.set("cell_sort", sortable ? data(fmt::format("{:.9g}", *cell.sort_value)) : data(false));
  d.set("row_heading", data(heading));
  return d;
}

data row_data(const std::vector<Cell>& row, const std::vector<Column>& columns) {
  data cells(Kind::list);
  for (std::size_t i = 0; i < row.size() && i < columns.size(); ++i)
    cells.push_back(cell_data(row[i], columns[i], i == 0));
  data d(Kind::object);
  d.set("cells", cells);
  return d;
}

data cells_data(const TableBlock& table) {
  data columns(Kind::list), rows(Kind::list);
  for (const auto& column : table.columns) {
    data d(Kind::object);
    d.set("column_heading", column.heading);
    d.set("column_class", column.numeric ? "num" : "word");
    d.set("column_rule", column.numeric ? "---:" : "---");
    d.set("column_hover", text_or_false(column.hover));
    columns.push_back(d);
  }
  for (const auto& row : table.rows) rows.push_back(row_data(row, table.columns));
  data d(Kind::object);
  d.set("caption", table.caption);
  d.set("columns", columns);
  d.set("rows", rows);
  return d;
}

using Escape = kainjow::mustache::mustache::escape_handler;

/// A template of the given name, checked.
kainjow::mustache::mustache load_template(const char* name, const Escape& escape) {
  kainjow::mustache::mustache loaded{std::string(template_text(name))};
  if (!loaded.is_valid())
    throw std::logic_error(fmt::format("template {}: {}", name, loaded.error_message()));
  loaded.set_custom_escape(escape);
  return loaded;
}

/// Renders tables on their own: mustache data are copied at every level of nesting, and cells are
/// most of a page.
class Tables {
 public:
  Tables(const char* name, const Escape& escape) : template_(load_template(name, escape)) {}
  data operator()(const TableBlock& table) {
    data d(Kind::object);
    d.set("caption", table.caption);
    d.set("collapsed", data(table.collapsed));
    d.set("table_text", template_.render(cells_data(table)));
    return d;
  }

 private:
  kainjow::mustache::mustache template_;
};

data figure_data(const Figure& figure, Tables& tables) {
  data d(Kind::object);
  d.set("figure_name", figure.plot.name);
  d.set("figure_title", figure.title);
  d.set("figure_alternative", figure.alternative);
  d.set("figure_caption", figure.caption);
  d.set("command", text_or_false(figure.command));
  d.set("figure_class", figure.wide ? "wide" : "half");
  d.set("svg", text_or_false(figure.svg));
  d.set("reason", figure.reason);
  d.set("table", figure.svg.empty() ? tables(table_of(figure)) : data(false));
  return d;
}

data list_of(const std::vector<std::string>& items) {
  data list(Kind::list);
  for (const auto& item : items) {
    data d(Kind::object);
    d.set("item", item);
    list.push_back(d);
  }
  data d(Kind::object);
  d.set("items", list);
  return d;
}

data tiles_data(const Tiles& tiles) {
  data list(Kind::list);
  for (const auto& tile : tiles.tiles) {
    data d(Kind::object);
    d.set("tile_label", tile.label);
    d.set("tile_value", tile.value);
    d.set("tile_detail", tile.detail);
    list.push_back(d);
  }
  data d(Kind::object);
  d.set("items", list);
  return d;
}

data paragraph_data(const Paragraph& paragraph) {
  constexpr const char* tones[] = {"plain", "note", "warning", "missing"};
  data d(Kind::object);
  d.set("tone", tones[static_cast<std::size_t>(paragraph.tone)]);
  d.set("paragraph_text", paragraph.text);
  d.set("command", text_or_false(paragraph.command));
  return d;
}

data no_block() {
  data d(Kind::object);
  for (const char* key : {"paragraph", "list", "table", "tiles", "heading", "figures"})
    d.set(key, data(false));
  return d;
}

struct BlockData {
  Tables& tables;
  data operator()(const Paragraph& b) const { return with("paragraph", paragraph_data(b)); }
  data operator()(const ListBlock& b) const { return with("list", list_of(b.items)); }
  data operator()(const TableBlock& b) const { return with("table", tables(b)); }
  data operator()(const Tiles& b) const { return with("tiles", tiles_data(b)); }
  data operator()(const Heading& b) const { return with("heading", data(b.text)); }
  data operator()(const Figure&) const { return no_block(); }  // figures come in groups
  static data with(const char* key, const data& value) {
    data d = no_block();
    d.set(key, value);
    return d;
  }
};

/// Neighbouring figures stand side by side.
data blocks_data(const std::vector<Block>& blocks, Tables& tables) {
  data list(Kind::list);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!std::holds_alternative<Figure>(blocks[i])) {
      list.push_back(std::visit(BlockData{tables}, blocks[i]));
      continue;
    }
    data items(Kind::list);
    for (; i < blocks.size() && std::holds_alternative<Figure>(blocks[i]); ++i)
      items.push_back(figure_data(std::get<Figure>(blocks[i]), tables));
    --i;
    data group(Kind::object);
    group.set("items", items);
    list.push_back(BlockData::with("figures", group));
  }
  return list;
}

data color_list() {
  data list(Kind::list);
  for (const auto colors : {series_colors(), ink_colors()})
    for (const auto& c : colors) {
      data d(Kind::object);
      d.set("variable", std::string(c.variable));
      d.set("light", std::string(c.light));
      d.set("dark", std::string(c.dark));
      list.push_back(d);
    }
  return list;
}

data partial(const char* name) {
  return data(kainjow::mustache::partial([name] { return std::string(template_text(name)); }));
}

data document_data(const Document& document, Tables& tables) {
  data sections(Kind::list);
  for (const auto& section : document.sections) {
    data d(Kind::object);
    d.set("section_id", section.id);
    d.set("section_title", section.title);
    d.set("blocks", blocks_data(section.blocks, tables));
    sections.push_back(d);
  }
  data d(Kind::object);
  d.set("document_title", document.title);
  d.set("subtitle", document.subtitle);
  d.set("banner", text_or_false(document.banner));
  d.set("footer", document.footer);
  d.set("colors", color_list());
  d.set("sections", sections);
  for (const char* name : {"style.css", "script.js"}) d.set(name, partial(name));
  return d;
}

std::string render(const char* page, const char* table, const Document& document,
                   const Escape& escape) {
  Tables tables(table, escape);
  return load_template(page, escape).render(document_data(document, tables));
}

}  // namespace

std::string escape_markdown(const std::string& text) {
  return replace_characters(text, {{'<', "&lt;"},
                                   {'>', "&gt;"},
                                   {'&', "&amp;"},
                                   {'\n', " "},
                                   {'\r', " "},
                                   {'\\', "\\\\"},
                                   {'|', "\\|"},
                                   {'*', "\\*"},
                                   {'`', "\\`"},
                                   {'[', "\\["},
                                   {']', "\\]"}});
}

TableBlock table_of(const Figure& figure) {
  TableBlock table{figure.title, {}, {}};
  for (const auto& series : figure.plot.series) {
    if (!series.in_table) continue;
    if (table.columns.empty()) {
      table.columns.push_back({"series", false});
      for (std::size_t i = 0; i < series.columns.size(); ++i)
        table.columns.push_back(
            {series.columns[i], series.labels.empty() || i + 1 < series.columns.size()});
    }
    for (std::size_t i = 0; i < series.rows.size(); ++i) {
      std::vector<Cell> row = {{series.name}};
      for (const double x : series.rows[i]) row.push_back({significant(x, 4), "", x});
      if (!series.labels.empty()) row.push_back({series.labels.at(i)});
      row.resize(table.columns.size(), {no_value});
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

std::string render_html(const Document& document) {
  return render("page.html", "table.html", document, escape_html);
}

std::string render_markdown(const Document& document) {
  return render("report.md", "table.md", document, escape_markdown);
}

}  // namespace rooftile::report
