// The registry of variants: filled by generated code at static initialization, ordered by rung and
// then name.
#include <algorithm>
#include <tuple>

#include "gemm/variant.hpp"
#include "model/error.hpp"

namespace rooftile {

namespace {

std::vector<Variant>& registered() {
  static std::vector<Variant> all;
  return all;
}

}  // namespace

RegisterVariant::RegisterVariant(const Variant& variant) {
  const auto before = [](const Variant& a, const Variant& b) {
    return std::tie(a.rung, a.name) < std::tie(b.rung, b.name);
  };
  auto& all = registered();
  all.insert(std::upper_bound(all.begin(), all.end(), variant, before), variant);
}

std::span<const Variant> variants() { return registered(); }

const Variant* find_variant(std::string_view name) {
  for (const Variant& variant : registered())
    if (variant.name == name) return &variant;
  return nullptr;
}

const Variant& require_variant(std::string_view name) {
  if (const Variant* found = find_variant(name)) return *found;
  std::string known;
  for (const Variant& variant : registered())
    known += (known.empty() ? "" : ", ") + std::string(variant.name);
  throw InputError("unknown variant '" + std::string(name) + "'; use one of: " + known);
}

bool same_code(const Tile& a, const Tile& b) {
  Tile tile = a;
  tile.split_k = b.split_k;
  tile.raster_group = b.raster_group;
  return tile == b;
}

bool needs_guards(const Tile& tile, int vector_width, const GemmProblem& p) {
  const bool whole = p.M % tile.BM == 0 && p.N % tile.BN == 0 && p.K % tile.BK == 0;
  const bool pitches =
      p.lda % vector_width == 0 && p.ldb % vector_width == 0 && p.ldc % vector_width == 0;
  const bool strides =
      p.batch == 1 || (p.stride_a % vector_width == 0 && p.stride_b % vector_width == 0 &&
                       p.stride_c % vector_width == 0);
  return !whole || !pitches || !strides || p.trans_a || p.trans_b || p.alpha == 0;
}

std::optional<std::string> not_applicable(const GemmProblem& problem) {
  const GemmProblem p = canonical(problem);
  // One after the other, or row by row beside each other.
  const bool apart = p.stride_c >= (p.M - 1) * p.ldc + p.N;
  const bool beside = p.stride_c >= p.N && (p.batch - 1) * p.stride_c + p.N <= p.ldc;
  if (p.batch > 1 && !apart && !beside)
    return "the matrices of C overlap: stride_c is " + std::to_string(p.stride_c);
  return std::nullopt;
}

}  // namespace rooftile
