// prediction.json: writing and checking.
#include "model/record/prediction.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "model/error.hpp"
#include "model/record/json_checks.hpp"
#include "model/record/run.hpp"

namespace rooftile {
namespace {

constexpr std::array<std::string_view, 8> bounds = {"issue", "fma",     "smem",   "l2",
                                                    "dram",  "latency", "launch", "tail"};

Json terms_json(const std::vector<Term>& terms) {
  Json json = Json::array();
  for (const auto& term : terms)
    json.push_back({{"name", term.name}, {"seconds", number_or_null(term.seconds)}});
  return json;
}

std::vector<Term> terms_from(const JsonReader& json) {
  std::vector<Term> terms;
  for (std::size_t i = 0; i < json.size(); ++i)
    terms.push_back({json.at(i).at("name").text(), json.at(i).at("seconds").number()});
  return terms;
}

Json loop_json(const LoopAccount& loop) {
  Json causes = Json::array(), lines = Json::array();
  for (const auto& cause : loop.causes)
    causes.push_back({{"name", cause.name},
                      {"cycles", number_or_null(cause.cycles)},
                      {"time_without_s", number_or_null(cause.time_without_s)}});
  for (const auto& line : loop.lines)
    lines.push_back({{"address", line.address},
                     {"text", line.text},
                     {"cause", line.cause},
                     {"wait_cycles", number_or_null(line.wait_cycles)}});
  return {{"kernel_id", loop.kernel_id},
          {"cycles", number_or_null(loop.cycles)},
          {"k_a_trip", number_or_null(loop.k_a_trip)},
          {"ffma_share", number_or_null(loop.ffma_share)},
          {"port_ratio", number_or_null(loop.port_ratio)},
          {"issue_utilization", number_or_null(loop.issue_utilization)},
          {"path_utilization", number_or_null(loop.path_utilization)},
          {"causes", causes},
          {"lines", lines}};
}

LoopAccount loop_from(const JsonReader& json) {
  LoopAccount loop;
  loop.kernel_id = json.at("kernel_id").text();
  loop.cycles = positive(json.at("cycles"));
  loop.k_a_trip = positive(json.at("k_a_trip"));
  loop.ffma_share = not_negative(json.at("ffma_share"));
  loop.port_ratio = not_negative(json.at("port_ratio"));
  loop.issue_utilization = not_negative(json.at("issue_utilization"));
  loop.path_utilization = not_negative(json.at("path_utilization"));
  const auto causes = json.at("causes"), lines = json.at("lines");
  for (std::size_t i = 0; i < causes.size(); ++i)
    loop.causes.push_back({causes.at(i).at("name").text(), not_negative(causes.at(i).at("cycles")),
                           causes.at(i).optional_number("time_without_s")});
  for (std::size_t i = 0; i < lines.size(); ++i)
    loop.lines.push_back({lines.at(i).at("address").count(), lines.at(i).at("text").text(),
                          lines.at(i).at("cause").text(),
                          not_negative(lines.at(i).at("wait_cycles"))});
  return loop;
}

Json changes_json(const std::vector<TileChange>& changes) {
  Json json = Json::array();
  for (const TileChange& change : changes)
    json.push_back({{"name", change.name},
                    {"tile", rooftile::to_json(change.tile)},
                    {"predictor", change.predictor},
                    {"time_s", number_or_null(change.time_s)},
                    {"gain", number_or_null(change.gain)}});
  return json;
}

std::vector<TileChange> changes_from(const JsonReader& json) {
  std::vector<TileChange> changes;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto item = json.at(i);
    changes.push_back({item.at("name").text(), tile_from(item.at("tile")),
                       item.at("predictor").text(), positive(item.at("time_s")),
                       item.at("gain").number()});
  }
  return changes;
}

void read_traffic(const JsonReader& json, Prediction& prediction) {
  prediction.l2_hit_rate = not_negative(json.at("l2_hit_rate"));
  if (prediction.l2_hit_rate > 1) json.at("l2_hit_rate").fail("a fraction from 0 to 1");
  prediction.l2_bytes = not_negative(json.at("l2_bytes"));
  prediction.dram_read_bytes = not_negative(json.at("dram_read_bytes"));
  prediction.dram_write_bytes = not_negative(json.at("dram_write_bytes"));
  prediction.shared_wavefronts = not_negative(json.at("shared_wavefronts"));
}

}  // namespace

std::string_view to_string(Bound bound) { return bounds[static_cast<std::size_t>(bound)]; }

Json Prediction::to_json() const {
  Json json{{"predictor", predictor},
            {"variant", variant},
            {"tile", rooftile::to_json(tile)},
            {"problem", rooftile::to_json(problem)},
            {"time_s", number_or_null(time_s)},
            {"cycles", number_or_null(cycles)},
            {"clock_hz", number_or_null(clock_hz)},
            {"bound", to_string(bound)},
            {"terms", terms_json(terms)},
            {"input_interval", rooftile::to_json(input_interval)},
            {"prediction_interval", rooftile::to_json(prediction_interval)},
            {"occupancy_blocks_per_sm", occupancy_blocks_per_sm},
            {"occupancy", number_or_null(occupancy)},
            {"waves", number_or_null(waves)},
            {"tail_efficiency", number_or_null(tail_efficiency)},
            {"l2_hit_rate", number_or_null(l2_hit_rate)},
            {"l2_bytes", number_or_null(l2_bytes)},
            {"dram_read_bytes", number_or_null(dram_read_bytes)},
            {"dram_write_bytes", number_or_null(dram_write_bytes)},
            {"shared_wavefronts", number_or_null(shared_wavefronts)},
            {"resources", rooftile::to_json(resources)},
            {"inputs", inputs}};
  if (loop) json["loop"] = loop_json(*loop);
  if (!changes.empty()) json["changes"] = changes_json(changes);
  return json;
}

Prediction Prediction::from_json(const JsonReader& json) {
  Prediction prediction;
  prediction.predictor = json.at("predictor").text();
  prediction.variant = json.at("variant").text();
  prediction.tile = tile_from(json.at("tile"));
  prediction.problem = problem_from(json.at("problem"));
  prediction.time_s = positive(json.at("time_s"));
  prediction.cycles = not_negative(json.at("cycles"));
  prediction.clock_hz = not_negative(json.at("clock_hz"));
  prediction.bound = static_cast<Bound>(json.at("bound").one_of(bounds));
  prediction.terms = terms_from(json.at("terms"));
  prediction.input_interval = optional_interval(json, "input_interval");
  prediction.prediction_interval = optional_interval(json, "prediction_interval");
  prediction.occupancy_blocks_per_sm = json.at("occupancy_blocks_per_sm").count();
  prediction.occupancy = not_negative(json.at("occupancy"));
  prediction.waves = not_negative(json.at("waves"));
  prediction.tail_efficiency = not_negative(json.at("tail_efficiency"));
  read_traffic(json, prediction);
  prediction.resources = resources_from(json.at("resources"));
  prediction.inputs = json.at("inputs").texts();
  if (json.has("loop")) prediction.loop = loop_from(json.at("loop"));
  if (json.has("changes")) prediction.changes = changes_from(json.at("changes"));
  return prediction;
}

Json predictions_file(std::span<const Prediction> predictions, const CreatedBy& created_by,
                      const Environment& environment) {
  Json json = file_head(Prediction::schema, Prediction::schema_version, created_by, environment);
  json["predictions"] = Json::array();
  for (const auto& prediction : predictions) json["predictions"].push_back(prediction.to_json());
  return json;
}

std::vector<Prediction> predictions_from(const JsonReader& file) {
  check_schema(file, Prediction::schema, Prediction::schema_version);
  const auto list = file.at("predictions");
  std::vector<Prediction> predictions;
  for (std::size_t i = 0; i < list.size(); ++i)
    predictions.push_back(Prediction::from_json(list.at(i)));
  return predictions;
}

std::vector<Prediction> load_predictions(const std::string& path) {
  const Json json = parse_json(read_text_file(path), path);
  return predictions_from(JsonReader(json, path));
}

}  // namespace rooftile
