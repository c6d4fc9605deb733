// The rewriting is by plain search: gnuplot's driver writes a small, regular subset of SVG (see
// term/svg.trm of gnuplot 5.4 to 6.0), and what is not recognised stays as it is.
#include "report/svg.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "report/format.hpp"
#include "report/palette.hpp"

namespace rooftile::report {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  std::string result;
  std::size_t at = 0;
  for (std::size_t hit; (hit = text.find(from, at)) != std::string::npos; at = hit + from.size())
    result.append(text, at, hit - at).append(to);
  text = result.append(text, at);
}

/// Removes every stretch from `open` to the end of `close`.
void remove_between(std::string& text, std::string_view open, std::string_view close) {
  std::string result;
  std::size_t at = 0;
  for (std::size_t hit; (hit = text.find(open, at)) != std::string::npos;) {
    const std::size_t end = text.find(close, hit + open.size());
    if (end == std::string::npos) break;
    result.append(text, at, hit - at);
    at = end + close.size();
  }
  text = result.append(text, at);
}

/// gnuplot writes rgb(  0, 103, 165) for lines and rgb(0,103,165) for texts.
std::string rgb_text(std::string_view hex, bool padded) {
  const auto part = [&](std::size_t i) {
    return std::strtol(std::string(hex.substr(i, 2)).c_str(), nullptr, 16);
  };
  return padded ? fmt::format("rgb({:3d}, {:3d}, {:3d})", part(1), part(3), part(5))
                : fmt::format("rgb({},{},{})", part(1), part(3), part(5));
}

void use_page_colors(std::string& svg) {
  for (const auto list : {series_colors(), ink_colors()})
    for (const auto& c : list)
      for (const bool padded : {true, false})
        replace_all(svg, rgb_text(c.light, padded), fmt::format("var({})", c.variable));
  for (const std::string_view black : {"\"black\"", "\"rgb(  0,   0,   0)\"", "\"rgb(0,0,0)\""})
    replace_all(svg, black, "\"currentColor\"");
  replace_all(svg, "'rgb(  0,   0,   0)'", "'currentColor'");
}

/// <g onmousemove="gnuplot_svg.showHypertext(evt,'TEXT')" ...><title> </title> becomes
/// <g class="mark"><title>TEXT</title>.
void use_titles(std::string& svg) {
  constexpr std::string_view open = "<g onmousemove=\"gnuplot_svg.showHypertext(evt,'";
  std::string result;
  std::size_t at = 0;
  for (std::size_t hit; (hit = svg.find(open, at)) != std::string::npos;) {
    const std::size_t begin = hit + open.size();
    const std::size_t end = svg.find("')\"", begin);
    const std::size_t tag_end = svg.find('>', end == std::string::npos ? begin : end);
    if (end == std::string::npos || tag_end == std::string::npos) break;
    result.append(svg, at, hit - at);
    result += "<g class=\"mark\"><title>" + svg.substr(begin, end - begin) + "</title>";
    at = tag_end + 1;
  }
  svg = result.append(svg, at);
  replace_all(svg, "<title> </title>", "");
}

void prefix_ids(std::string& svg, const std::string& prefix) {
  replace_all(svg, "xlink:href=", "href=");
  replace_all(svg, "href='#", "href='#" + prefix + "-");
  replace_all(svg, "id='", "id='" + prefix + "-");
  replace_all(svg, "id=\"", "id=\"" + prefix + "-");
}

void drop_noise(std::string& svg, const std::string& prefix) {
  remove_between(svg, "<desc>", "</desc>");
  remove_between(svg, "<filter", "</filter>");
  remove_between(svg, "<title>" + prefix, "</title>");
  remove_between(svg, "<script", "</script>");
  std::string result;
  for (std::size_t at = 0; at < svg.size();) {  // style groups that hold nothing
    const std::size_t open = svg.find("<g fill=\"none\"", at);
    const std::size_t end = open == std::string::npos ? open : svg.find('>', open);
    if (end == std::string::npos) {
      result.append(svg, at);
      break;
    }
    const bool empty = svg.compare(end + 1, 5, "\n</g>") == 0;
    result.append(svg, at, (empty ? open : end + 1) - at);
    at = empty ? end + 6 : end + 1;
  }
  svg = result;
  replace_all(svg, "\n\n", "\n");
}

std::size_t count_of(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; at += word.size())
    ++count;
  return count;
}

/// gnuplot opens a style group for each point with a hover text; neighbours of one style become one
/// group (a seventh of a page).
void join_style_groups(std::string& svg) {
  constexpr std::string_view open = "<g fill=\"none\"", close = "</g>\n";
  std::string result;
  std::string_view before;  // the tag that is open
  std::size_t at = 0;
  for (std::size_t hit; (hit = svg.find(open, at)) != std::string::npos;) {
    const std::size_t end = svg.find('>', hit);
    if (end == std::string::npos) break;
    const std::string_view tag = std::string_view(svg).substr(hit, end + 1 - hit);
    std::string_view between = std::string_view(svg).substr(at, hit - at);
    const bool joins = tag == before && between.ends_with(close) &&
                       count_of(between, "</g>") == count_of(between, "<g ") + 1;
    if (joins) between.remove_suffix(close.size());
    result.append(between).append(joins ? "" : tag);
    before = tag;
    at = end + 1;
  }
  svg = result.append(svg, at);
}

}  // namespace

std::string escape_html(const std::string& text) {
  return replace_characters(
      text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}});
}

std::string inline_svg(const std::string& svg, const std::string& prefix,
                       const std::string& label) {
  const std::size_t open = svg.find("<svg");
  const std::size_t body = open == std::string::npos ? open : svg.find('>', open);
  const std::size_t end = svg.rfind("</svg>");
  const std::size_t box = svg.find("viewBox=\"", open);
  if (body == std::string::npos || end == std::string::npos || box > body) return {};
  const std::string view_box = svg.substr(box, svg.find('"', box + 9) + 1 - box);
  std::string text = svg.substr(body + 1, end - body - 1);
  drop_noise(text, prefix);
  use_titles(text);
  join_style_groups(text);
  use_page_colors(text);
  prefix_ids(text, prefix);
  return fmt::format("<svg {} role=\"img\" aria-label=\"{}\">{}</svg>", view_box,
                     escape_html(label), text);
}

}  // namespace rooftile::report
