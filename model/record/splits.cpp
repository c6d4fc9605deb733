// Reading of data/splits.json; a shape or family that is listed twice is refused.
#include "model/record/splits.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "model/error.hpp"

namespace rooftile {
namespace {

constexpr std::array<std::string_view, 2> split_names = {"dev", "sealed"};

bool sealed_of(const JsonReader& json) { return json.at("split").one_of(split_names) == 1; }

Splits::Shape split_shape_from(const JsonReader& json) {
  return {shape_name(shape_from(json.at("shape"))), json.at("family").text(), sealed_of(json)};
}

}  // namespace

Splits Splits::load(const std::string& path) {
  const Json json = parse_json(read_text_file(path), path);
  const JsonReader reader(json, path);
  check_schema(reader, schema, schema_version);
  Splits splits;
  const auto shapes = reader.at("shapes");
  std::set<std::string> seen;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    splits.shapes.push_back(split_shape_from(shapes.at(i)));
    if (!seen.insert(splits.shapes.back().shape).second)
      shapes.at(i).at("shape").fail("each shape once");
  }
  const auto families = reader.at("variant_families");
  for (std::size_t i = 0; i < families.size(); ++i) {
    const auto name = families.at(i).at("family").text();
    if (!splits.sealed_families.emplace(name, sealed_of(families.at(i))).second)
      families.at(i).at("family").fail("each family once");
  }
  return splits;
}

bool Splits::is_sealed(const GemmProblem& problem, const std::string& variant_family) const {
  const auto family = sealed_families.find(variant_family);
  if (family != sealed_families.end() && family->second) return true;
  const auto name = shape_name(problem);
  const auto shape = std::find_if(shapes.begin(), shapes.end(),
                                  [&](const Shape& candidate) { return candidate.shape == name; });
  return shape != shapes.end() && shape->sealed;
}

std::string Splits::split_of(const GemmProblem& problem, const std::string& variant_family) const {
  return is_sealed(problem, variant_family) ? "sealed" : "dev";
}

}  // namespace rooftile
