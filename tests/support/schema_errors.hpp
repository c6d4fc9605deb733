// A document against one of schemas/*.schema.json, as a user's validator would check it.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "model/record/json_reader.hpp"

namespace rooftile::test {

/// Errors against schemas/<name>.schema.json, or "".
inline std::string schema_errors(const std::string& name, const Json& document) {
  const auto path = std::string(ROOFTILE_SOURCE_DIR) + "/schemas/" + name + ".schema.json";
  const auto schema_json = nlohmann::json::parse(read_text_file(path));
  const auto target = nlohmann::json::parse(dump_json(document));
  valijson::Schema schema;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_json), schema);
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(schema, valijson::adapters::NlohmannJsonAdapter(target), &results))
    return "";
  std::string text = "invalid";
  for (valijson::ValidationResults::Error error; results.popError(error);) {
    for (const auto& part : error.context) text += " " + part;
    text += ": " + error.description + "\n";
  }
  return text;
}

}  // namespace rooftile::test
