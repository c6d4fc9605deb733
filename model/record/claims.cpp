// Reading of data/claims.json. The rules stay text here: what they may say is the report's matter.
#include "model/record/claims.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "model/record/json_reader.hpp"
#include "model/record/provenance.hpp"

namespace rooftile {
namespace {

Claim claim_from(const JsonReader& json) {
  Claim claim;
  claim.id = json.at("id").count();
  claim.source = json.at("source").text();
  claim.text = json.at("claim").text();
  claim.reading = json.text_or("reading", "");
  if (json.has("rules")) claim.rules = json.at("rules").texts();
  if (json.has("given")) claim.given = json.at("given").texts();
  claim.not_judged = json.text_or("not_judged", "");
  if (claim.rules.empty() && claim.not_judged.empty()) json.fail("rules, or not_judged");
  if (claim.rules.empty() && !claim.given.empty()) json.fail("rules beside `given`");
  return claim;
}

/// "A, B" names sources of the file.
void check_sources(const JsonReader& json, const Claims& claims) {
  const std::string letters = json.text();
  bool any = false;
  for (char letter : letters) {
    if (letter == ',' || letter == ' ') continue;
    any = true;
    const bool known =
        std::any_of(claims.sources.begin(), claims.sources.end(),
                    [&](const auto& s) { return s.first == std::string(1, letter); });
    if (!known) json.fail("letters of `sources`");
  }
  if (!any) json.fail("letters of `sources`");
}

}  // namespace

Claims Claims::load(const std::string& path) {
  const Json json = parse_json(read_text_file(path), path);
  const JsonReader reader(json, path);
  check_schema(reader, schema, schema_version);
  Claims claims;
  const JsonReader sources = reader.at("sources");
  for (const std::string& letter : sources.keys())
    claims.sources.emplace_back(letter, sources.at(letter).text());
  const JsonReader list = reader.at("claims");
  std::set<int> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    claims.claims.push_back(claim_from(list.at(i)));
    check_sources(list.at(i).at("source"), claims);
    if (!seen.insert(claims.claims.back().id).second) list.at(i).at("id").fail("each id once");
  }
  return claims;
}

}  // namespace rooftile
