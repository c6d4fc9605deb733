// Checks, text and JSON of a GEMM problem. All products of sizes are bounded before they are taken,
// so that 64-bit indices cannot overflow.
#include "model/kernel/problem.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "model/error.hpp"
#include "model/record/json_checks.hpp"

namespace rooftile {
namespace {

constexpr std::array<std::string_view, 2> layouts = {"row_major", "column_major"};
constexpr std::array<std::string_view, 1> types = {"f32"};
constexpr std::string_view shape_grammar =
    "a problem is one size (a cube, e.g. 4096 or 4Ki) or MxNxK, e.g. 4096x11008x4096";
constexpr std::int64_t max_elements = std::int64_t{1} << 60;
constexpr std::int64_t max_stride = std::int64_t{1} << 53;  // exact as a JSON number

void require(bool condition, const std::string& where, const std::string& text) {
  if (!condition) throw InputError(fmt::format("{}: {}", where, text));
}

void check_size(std::int64_t value, const char* name, const std::string& where) {
  require(value >= 1 && value <= max_dimension, where,
          fmt::format("{} is {}, must be from 1 to {}", name, value, max_dimension));
}

/// Rows (or columns) that are `leading` elements apart, of all matrices of the batch. Both their
/// number and the way from the first to the end of the last one are bounded: matrices may lie
/// apart, or on each other.
void check_extent(std::int64_t lines, std::int64_t leading, std::int64_t batch, std::int64_t stride,
                  const char* name, const std::string& where) {
  const double matrix = static_cast<double>(lines) * static_cast<double>(leading);
  const double step = std::max(matrix, static_cast<double>(stride));
  const double elements = static_cast<double>(batch - 1) * step + matrix;
  require(
      elements <= static_cast<double>(max_elements), where,
      fmt::format("matrix {} has about {:.1e} elements, more than the 2^60 that rooftile counts",
                  name, elements));
}

/// Kernels take it in single precision, so it must neither overflow nor become zero there.
void check_scalar(double value, const char* name, const std::string& where) {
  constexpr double most = std::numeric_limits<float>::max();
  const bool fits = std::abs(value) <= most &&  // false for NaN
                    (value == 0 || static_cast<float>(value) != 0);
  require(fits, where,
          fmt::format("{} is {}, which is no number of single precision", name, value));
}

DataType type_from(const JsonReader& json) { return static_cast<DataType>(json.one_of(types)); }

}  // namespace

std::string_view to_string(Layout layout) { return layouts[static_cast<std::size_t>(layout)]; }
std::string_view to_string(DataType type) { return types[static_cast<std::size_t>(type)]; }

std::array<std::int64_t, 3> packed_leading_dimensions(const GemmProblem& problem) {
  const bool row = problem.layout == Layout::row_major;
  const auto a = row != problem.trans_a ? problem.K : problem.M;
  const auto b = row != problem.trans_b ? problem.N : problem.K;
  return {a, b, row ? problem.N : problem.M};
}

std::array<std::int64_t, 3> stored_lines(const GemmProblem& problem) {
  const bool row = problem.layout == Layout::row_major;
  const auto a = row != problem.trans_a ? problem.M : problem.K;
  const auto b = row != problem.trans_b ? problem.K : problem.N;
  return {a, b, row ? problem.M : problem.N};
}

std::array<std::int64_t, 3> packed_strides(const GemmProblem& problem) {
  const auto lines = stored_lines(problem);
  return {lines[0] * problem.lda, lines[1] * problem.ldb, lines[2] * problem.ldc};
}

void pack(GemmProblem& problem) {
  const auto leading = packed_leading_dimensions(problem);
  problem.lda = leading[0];
  problem.ldb = leading[1];
  problem.ldc = leading[2];
  const auto strides = problem.batch > 1 ? packed_strides(problem) : std::array<std::int64_t, 3>{};
  problem.stride_a = strides[0];
  problem.stride_b = strides[1];
  problem.stride_c = strides[2];
}

GemmProblem canonical(const GemmProblem& problem) {
  if (problem.layout == Layout::row_major) return problem;
  GemmProblem rows = problem;
  rows.layout = Layout::row_major;
  std::swap(rows.M, rows.N);
  std::swap(rows.trans_a, rows.trans_b);
  std::swap(rows.lda, rows.ldb);
  std::swap(rows.stride_a, rows.stride_b);
  std::swap(rows.type_a, rows.type_b);
  return rows;
}

void check_problem(const GemmProblem& problem, const std::string& where) {
  check_size(problem.M, "M", where);
  check_size(problem.N, "N", where);
  check_size(problem.K, "K", where);
  check_size(problem.batch, "batch", where);
  const auto least = packed_leading_dimensions(problem);
  const std::array<std::int64_t, 3> leading = {problem.lda, problem.ldb, problem.ldc};
  const std::array<std::int64_t, 3> strides = {problem.stride_a, problem.stride_b,
                                               problem.stride_c};
  const std::array<std::int64_t, 3> sizes = {problem.M * problem.K, problem.K * problem.N,
                                             problem.M * problem.N};
  constexpr std::array<const char*, 3> names = {"a", "b", "c"};
  for (std::size_t i = 0; i < 3; ++i) {
    require(leading[i] >= least[i] && leading[i] <= max_dimension, where,
            fmt::format("ld{} is {}, must be from {} to {}", names[i], leading[i], least[i],
                        max_dimension));
    require(strides[i] >= 0 && strides[i] <= max_stride, where,
            fmt::format("stride {} is {}, must be from 0 to 2^53", names[i], strides[i]));
    check_extent(sizes[i] / least[i], leading[i], problem.batch, strides[i], names[i], where);
  }
  check_scalar(problem.alpha, "alpha", where);
  check_scalar(problem.beta, "beta", where);
}

GemmProblem make_problem(std::int64_t M, std::int64_t N, std::int64_t K) {
  GemmProblem problem;
  problem.M = M;
  problem.N = N;
  problem.K = K;
  pack(problem);
  check_problem(problem, "problem");
  return problem;
}

std::string shape_name(const GemmProblem& problem) {
  return fmt::format("{}x{}x{}", problem.M, problem.N, problem.K);
}

std::string problem_name(const GemmProblem& problem) {
  std::string key = shape_name(problem);
  const auto packed = packed_leading_dimensions(problem);
  if (problem.batch != 1)
    key += fmt::format(" batch={} strides={},{},{}", problem.batch, problem.stride_a,
                       problem.stride_b, problem.stride_c);
  if (problem.layout != Layout::row_major) key += fmt::format(" {}", to_string(problem.layout));
  if (problem.trans_a || problem.trans_b)
    key += fmt::format(" {}{}", problem.trans_a ? 'T' : 'N', problem.trans_b ? 'T' : 'N');
  if (packed != std::array{problem.lda, problem.ldb, problem.ldc})
    key += fmt::format(" ld={},{},{}", problem.lda, problem.ldb, problem.ldc);
  if (problem.alpha != 1) key += fmt::format(" alpha={}", problem.alpha);
  if (problem.beta != 0) key += fmt::format(" beta={}", problem.beta);
  return key;
}

std::int64_t parse_size(const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  const std::string_view suffix(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
  const int shift = suffix.empty() ? 0 : suffix == "Ki" ? 10 : suffix == "Mi" ? 20 : -1;
  const bool legal = parsed.ec == std::errc{} && shift >= 0 && value >= 1 &&
                     value <= (max_dimension >> (shift < 0 ? 0 : shift));
  if (!legal)
    throw InputError(
        fmt::format("\"{}\" is not a size: expected a whole number from 1 to {}, optionally "
                    "followed by Ki (1024) or Mi (1048576)",
                    text, max_dimension));
  return value << shift;
}

GemmProblem parse_shape(const std::string& text) {
  std::vector<std::int64_t> sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find('x', begin), text.size());
    try {
      sizes.push_back(parse_size(text.substr(begin, end - begin)));
    } catch (const InputError& error) {
      throw InputError(fmt::format("shape \"{}\": {}; {}", text, error.what(), shape_grammar));
    }
    begin = end + 1;
  }
  if (sizes.size() == 1) return make_problem(sizes[0], sizes[0], sizes[0]);
  if (sizes.size() == 3) return make_problem(sizes[0], sizes[1], sizes[2]);
  throw InputError(fmt::format("shape \"{}\": {}", text, shape_grammar));
}

GemmProblem shape_from(const JsonReader& json) {
  return parsed_text(json, [](const std::string& text) { return parse_shape(text); });
}

Json to_json(const GemmProblem& p) {
  return {{"M", p.M},
          {"N", p.N},
          {"K", p.K},
          {"batch", p.batch},
          {"layout", to_string(p.layout)},
          {"trans_a", p.trans_a},
          {"trans_b", p.trans_b},
          {"lda", p.lda},
          {"ldb", p.ldb},
          {"ldc", p.ldc},
          {"strides", {{"a", p.stride_a}, {"b", p.stride_b}, {"c", p.stride_c}}},
          {"dtype",
           {{"a", to_string(p.type_a)},
            {"b", to_string(p.type_b)},
            {"c", to_string(p.type_c)},
            {"accumulate", to_string(p.accumulate)}}},
          {"alpha", number_or_null(p.alpha)},
          {"beta", number_or_null(p.beta)}};
}

GemmProblem problem_from(const JsonReader& json) {
  GemmProblem p;
  p.M = json.at("M").integer();
  p.N = json.at("N").integer();
  p.K = json.at("K").integer();
  p.batch = json.at("batch").integer();
  p.layout = static_cast<Layout>(json.at("layout").one_of(layouts));
  p.trans_a = json.at("trans_a").boolean();
  p.trans_b = json.at("trans_b").boolean();
  p.lda = json.at("lda").integer();
  p.ldb = json.at("ldb").integer();
  p.ldc = json.at("ldc").integer();
  const auto strides = json.at("strides");
  p.stride_a = strides.at("a").integer();
  p.stride_b = strides.at("b").integer();
  p.stride_c = strides.at("c").integer();
  const auto type = json.at("dtype");
  p.type_a = type_from(type.at("a"));
  p.type_b = type_from(type.at("b"));
  p.type_c = type_from(type.at("c"));
  p.accumulate = type_from(type.at("accumulate"));
  p.alpha = json.at("alpha").number();
  p.beta = json.at("beta").number();
  check_problem(p, json.where());
  return p;
}

}  // namespace rooftile
