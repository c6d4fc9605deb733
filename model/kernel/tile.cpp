// Text and JSON of a tile, driven by one table of its members.
#include "model/kernel/tile.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <vector>

#include "model/error.hpp"

namespace rooftile {
namespace {

constexpr std::array<std::string_view, 4> rasters = {"row", "column", "zigzag", "swizzle"};

struct Member {
  std::string_view name;
  int Tile::*value;
  int least;
};
constexpr std::array<Member, 10> members = {{{"BM", &Tile::BM, 1},
                                             {"BN", &Tile::BN, 1},
                                             {"BK", &Tile::BK, 1},
                                             {"TM", &Tile::TM, 1},
                                             {"TN", &Tile::TN, 1},
                                             {"WM", &Tile::WM, 0},
                                             {"WN", &Tile::WN, 0},
                                             {"stages", &Tile::stages, 1},
                                             {"split_k", &Tile::split_k, 1},
                                             {"raster_group", &Tile::raster_group, 1}}};

[[noreturn]] void fail(const std::string& text, const std::string& why) {
  throw InputError(fmt::format(
      "tile \"{}\": {}; expected for example BM=128,BN=128,BK=8,TM=8,TN=8 or 128x128x8/8x8", text,
      why));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

int parse_member(std::string_view value, const Member& member, const std::string& text) {
  int number = 0;
  const char* end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end || number < member.least ||
      number > max_tile_member)
    fail(text, fmt::format("{} is \"{}\", must be a whole number from {} to {}", member.name, value,
                           member.least, max_tile_member));
  return number;
}

/// The levels of tile_name(): "BMxBNxBK", "TMxTN", "WMxWN"; `first` is the member each starts at.
void parse_level(std::string_view level, std::size_t first, std::size_t count, Tile& tile,
                 const std::string& text) {
  const auto numbers = split(level, 'x');
  if (numbers.size() != count) fail(text, fmt::format("\"{}\" should have {} sizes", level, count));
  for (std::size_t i = 0; i < count; ++i)
    tile.*members[first + i].value = parse_member(numbers[i], members[first + i], text);
}

void parse_name(std::string_view part, Tile& tile, const std::string& text) {
  const auto levels = split(part, '/');
  if (levels.size() > 3) fail(text, "more than three levels");
  parse_level(levels[0], 0, 3, tile, text);
  if (levels.size() > 1) parse_level(levels[1], 3, 2, tile, text);
  if (levels.size() > 2) parse_level(levels[2], 5, 2, tile, text);
}

void parse_assignment(std::string_view part, Tile& tile, const std::string& text) {
  const auto equals = part.find('=');
  if (equals == std::string_view::npos) fail(text, fmt::format("\"{}\" has no =", part));
  const auto name = part.substr(0, equals), value = part.substr(equals + 1);
  if (name == "raster") {
    const auto found = std::find(rasters.begin(), rasters.end(), value);
    if (found == rasters.end())
      fail(text, fmt::format("raster \"{}\" is none of row, column, zigzag, swizzle", value));
    tile.raster = static_cast<Raster>(found - rasters.begin());
    return;
  }
  const auto member =
      std::find_if(members.begin(), members.end(), [&](const Member& m) { return m.name == name; });
  if (member == members.end())
    fail(text, fmt::format("\"{}\" is none of BM, BN, BK, TM, TN, WM, WN, stages, split_k, raster, "
                           "raster_group",
                           name));
  tile.*member->value = parse_member(value, *member, text);
}

}  // namespace

std::string_view to_string(Raster raster) { return rasters[static_cast<std::size_t>(raster)]; }

std::string tile_name(const Tile& tile) {
  auto name = fmt::format("{}x{}x{}/{}x{}", tile.BM, tile.BN, tile.BK, tile.TM, tile.TN);
  if (tile.WM != 0 || tile.WN != 0) name += fmt::format("/{}x{}", tile.WM, tile.WN);
  if (tile.stages != 1) name += fmt::format(",stages={}", tile.stages);
  if (tile.split_k != 1) name += fmt::format(",split_k={}", tile.split_k);
  if (tile.raster != Raster::row) name += fmt::format(",raster={}", to_string(tile.raster));
  if (tile.raster_group != 1) name += fmt::format(",raster_group={}", tile.raster_group);
  return name;
}

Tile parse_tile(const std::string& text, const Tile& base) {
  Tile tile = base;
  const auto parts = split(text, ',');
  const bool named = parts[0].find('=') == std::string_view::npos;
  if (named) parse_name(parts[0], tile, text);
  std::vector<std::string_view> seen;
  for (std::size_t i = named ? 1 : 0; i < parts.size(); ++i) {
    const auto name = parts[i].substr(0, parts[i].find('='));
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      fail(text, fmt::format("{} is given twice", name));
    seen.push_back(name);
    parse_assignment(parts[i], tile, text);
  }
  return tile;
}

Json to_json(const Tile& tile) {
  Json json = Json::object();
  for (const auto& member : members) json[std::string(member.name)] = tile.*member.value;
  json["raster"] = to_string(tile.raster);
  return json;
}

Tile tile_from(const JsonReader& json) {
  Tile tile;
  for (const auto& member : members)
    tile.*member.value =
        static_cast<int>(json.at(member.name).integer_in(member.least, max_tile_member));
  tile.raster = static_cast<Raster>(json.at("raster").one_of(rasters));
  return tile;
}

}  // namespace rooftile
