// The dev and sealed splits (data/splits.json): a pair is sealed when its shape or its variant's
// family is.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/kernel/problem.hpp"
#include "model/record/json_reader.hpp"
#include "model/record/provenance.hpp"

namespace rooftile {

struct Splits {
  static constexpr std::string_view schema = "rooftile.splits";
  static constexpr int schema_version = 1;

  struct Shape {
    std::string shape, family;
    bool sealed = false;
  };
  std::vector<Shape> shapes;
  std::map<std::string, bool> sealed_families;

  static Splits load(const std::string& path);
  bool is_sealed(const GemmProblem& problem, const std::string& variant_family) const;
  /// "dev" or "sealed". Shapes not in the file are dev.
  std::string split_of(const GemmProblem& problem, const std::string& variant_family) const;
};

}  // namespace rooftile
