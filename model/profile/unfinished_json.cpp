#include "model/profile/unfinished_json.hpp"

#include <array>
#include <nlohmann/json.hpp>

namespace rooftile {
namespace {

using Rounds = std::vector<Repetitions>;

Json rounds_json(const Rounds& rounds) {
  Json json = Json::array();
  for (const Repetitions& round : rounds)
    json.push_back(
        {{"values", round.values}, {"state", to_string(round.state)}, {"reason", round.reason}});
  return json;
}

Rounds rounds_from(const JsonReader& json) {
  Rounds rounds;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto round = json.at(i);
    rounds.push_back(
        {round.at("values").numbers(), state_from(round.at("state")), round.text_or("reason", "")});
  }
  return rounds;
}

Json points_json(const std::map<double, Rounds>& points) {
  Json json = Json::array();
  for (const auto& [x, rounds] : points)
    json.push_back({{"x", x}, {"rounds", rounds_json(rounds)}});
  return json;
}

std::map<double, Rounds> points_from(const JsonReader& json) {
  std::map<double, Rounds> points;
  for (std::size_t i = 0; i < json.size(); ++i)
    points[json.at(i).at("x").number()] = rounds_from(json.at(i).at("rounds"));
  return points;
}

}  // namespace

Json to_json(const Completion& completion) {
  return {{"git_revision", completion.git_revision}, {"mode", completion.quick ? "quick" : "full"}};
}

Completion completion_from(const JsonReader& json) {
  constexpr std::array<std::string_view, 2> modes = {"full", "quick"};
  return {json.at("git_revision").text(), json.at("mode").one_of(modes) == 1};
}

Json to_json(const Unfinished& unfinished) {
  Json json = to_json(unfinished.by);
  json["rounds"] = unfinished.rounds;
  json["metrics"] = Json::object();
  for (const auto& [id, rounds] : unfinished.metrics) json["metrics"][id] = rounds_json(rounds);
  json["curves"] = Json::object();
  for (const auto& [id, points] : unfinished.curves) json["curves"][id] = points_json(points);
  return json;
}

Unfinished unfinished_from(const JsonReader& json) {
  Unfinished unfinished;
  unfinished.by = completion_from(json);
  unfinished.rounds = static_cast<int>(json.at("rounds").integer_in(1, 1000));
  const auto metrics = json.at("metrics"), curves = json.at("curves");
  for (const auto& id : metrics.keys()) unfinished.metrics[id] = rounds_from(metrics.at(id));
  for (const auto& id : curves.keys()) unfinished.curves[id] = points_from(curves.at(id));
  return unfinished;
}

}  // namespace rooftile
