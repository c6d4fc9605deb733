// A plot: a gnuplot script and a data file beside it, so that a user can restyle and redraw it with
// `gnuplot <name>.gp` in that folder. Scripts draw SVG; `gnuplot -e "picture='png'" <name>.gp`
// (or 'pdf') gives the other formats.
#pragma once

#include <string>
#include <vector>

namespace rooftile::report {

/// One data set of the .dat file (a gnuplot `index`): rows of numbers and, if `labels` is not
/// empty, a last column of text. Rows with a number that is not finite are left out when written.
struct Series {
  std::string name;
  std::vector<std::string> columns;  ///< headings with units, label column included
  std::vector<std::vector<double>> rows;
  std::vector<std::string> labels = {};
  bool in_table = true;  ///< show when a table stands in for the plot; false for guide lines
};

struct Plot {
  std::string name;  ///< file stem
  int width = 560, height = 360;
  std::vector<std::string> commands;  ///< gnuplot lines between the preamble and the end
  std::vector<Series> series;
};

struct Tick {
  std::string label;
  double position = 0;
};

/// Text made safe inside a single-quoted gnuplot string, a data file and an SVG: markup and quoting
/// characters are replaced by look-alikes, control characters by spaces.
std::string plot_text(const std::string& text);
/// `text` through plot_text, in single quotes.
std::string gp_quoted(const std::string& text);

/// `text` as a file name stem: anything but letters, digits and '_' becomes '_' (the rule of
/// gnuplot's SVG driver for names).
std::string file_stem(const std::string& text);

std::string gp_text(const Plot& plot, const std::string& title);
std::string dat_text(const Plot& plot);

/// "set xtics (...)" with the given ticks; `axis` is "x" or "y".
std::string tics_command(const std::string& axis, const std::vector<Tick>& ticks);
/// Powers of two between the limits, at most about eight, labelled KiB, MiB, GiB.
std::vector<Tick> byte_ticks(double lo, double hi);
/// Powers of ten between the limits in seconds, labelled ns, µs, ms, s.
std::vector<Tick> time_ticks(double lo, double hi);
/// "'<name>.dat' index <i>".
std::string data_of(const Plot& plot, std::size_t index);
/// The points of `data` (columns 1 and 2 of `series`) once more, for the page to say on hover:
/// "name: footprint 64 MiB, latency 263.4 cycle", from the columns' headings ("latency, cycle").
/// `style` is colour, type and size of the points.
std::string points_that_tell(const std::string& data, const Series& series, const std::string& name,
                             const std::string& style);
/// Points at `places` ("1:2", "$2:1", ...) of `data` that say the text of `column` on hover; not in
/// the key. `style` as above.
std::string points_with_texts(const std::string& data, const std::string& places, int column,
                              const std::string& style);
/// "plot a, b, c" over several lines.
std::string plot_command(const std::vector<std::string>& elements);

}  // namespace rooftile::report
