// Shapes on the command line: single shapes and sweeps over axes.
//
//   4096  4Ki  4096x11008x4096         one problem each (MxNxK; one size alone is a cube)
//   M=4096                             an axis with one value
//   M=[512,1024,3072]                  a list
//   M=[1024:8192:1024]                 first, last (included when hit), step (1 when left out)
//   K[pow2]=[8:13]                     the same over exponents: 2^8 ... 2^13
//   MN=[...], MNK=[...]                one axis for several dimensions that stay equal
//
// Axes multiply: `M=[1024:8192:1024] N=4096 K[pow2]=[8:13]` is 8 x 1 x 6 = 48 problems, M
// outermost. The range grammar is that of nvbench.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/kernel/problem.hpp"

namespace rooftile::cli {

/// The help text of --shape.
inline constexpr const char* shape_help =
    "Problems: MxNxK, 4096 or 4Ki for a cube, or axes M=[1024:8192:1024]";

struct Axis {
  std::string dimensions;  ///< "M", "N", "K" or several of them that share the value
  std::vector<std::int64_t> values;
};

/// Parses one axis. Throws InputError that quotes the text, the bad part and the grammar.
Axis parse_axis(const std::string& text);

/// Every --shape argument, in order: single shapes first come as they are; all arguments with `=`
/// (separated by spaces or commas, or given apart) form one sweep. Duplicates are dropped. Throws
/// InputError for bad text, a dimension given twice or missing, and more than 100 000 problems.
std::vector<GemmProblem> parse_shapes(const std::vector<std::string>& arguments);

/// What to say where three sizes in a row may have been meant as M, N and K; empty elsewhere.
std::string cubes_hint(const std::vector<std::string>& arguments);

}  // namespace rooftile::cli
