// Tile names, parsing and JSON.
#include "model/kernel/tile.hpp"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <nlohmann/json.hpp>

#include <set>

#include "tests/support/record_samples.hpp"

namespace rooftile::test {
namespace {

using ::testing::HasSubstr;

TEST(Tile, NameShowsWhatDiffersFromTheDefault) {
  Tile tile{128, 128, 8, 8, 8, 64, 32};
  EXPECT_EQ(tile_name(tile), "128x128x8/8x8/64x32");
  EXPECT_EQ(tile.threads(), 256);
  tile.stages = 2;
  tile.raster = Raster::zigzag;
  EXPECT_EQ(tile_name(tile), "128x128x8/8x8/64x32,stages=2,raster=zigzag");
  EXPECT_EQ(tile_name(Tile{}), "1x1x1/1x1");
}

TEST(Tile, ParsesAssignmentsOverTheBase) {
  const Tile base{64, 64, 16, 4, 4};
  const auto tile = parse_tile("BM=128,TM=8,raster=swizzle,raster_group=4", base);
  EXPECT_EQ(tile, (Tile{128, 64, 16, 8, 4, 0, 0, 1, 1, Raster::swizzle, 4}));
}

TEST(Tile, NameParsesBack) {
  EXPECT_TRUE(rc::check("parse_tile(tile_name(t)) == t", [] {
    const auto tile = *legal_tile();
    RC_ASSERT(parse_tile(tile_name(tile), Tile{}) == tile);
  }));
}

TEST(Tile, JsonRoundTrips) {
  EXPECT_TRUE(rc::check("tile_from(to_json(t)) == t", [] {
    const auto tile = *legal_tile();
    const Json json = parse_json(to_json(tile).dump(), "tile");
    RC_ASSERT(tile_from(JsonReader(json, "tile")) == tile);
  }));
}

TEST(Tile, NamesIdentify) {
  EXPECT_TRUE(rc::check("different tiles have different names", [] {
    const auto a = *legal_tile(), b = *legal_tile();
    RC_ASSERT((a == b) == (tile_name(a) == tile_name(b)));
  }));
}

TEST(Tile, RefusesBadText) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "3 sizes"},
      {"128", "3 sizes"},
      {"BM=12abc", "BM is \"12abc\""},
      {"BM=-8", "BM is \"-8\""},
      {"BM=0", "BM is \"0\""},
      {"BM= 8", "BM is \" 8\""},
      {"BM=9223372036854775808", "must be a whole number from 1 to 32768"},
      {"BM=65536", "BM is \"65536\""},
      {"QM=8", "\"QM\" is none of BM, BN"},
      {"BM=8,BM=8", "BM is given twice"},
      {"raster=spiral", "\"spiral\" is none of row"},
      {"128x128", "3 sizes"},
      {"128x128x8/8", "2 sizes"},
      {"128x128x8/8x8/1x1/2x2", "more than three levels"},
      {"128x128x8,stages", "\"stages\" has no ="},
      {"BM=8,", "\"\" has no ="}};
  for (const auto& [text, expected] : cases)
    EXPECT_THAT(input_error([&, t = text] { parse_tile(t, Tile{}); }), HasSubstr(expected)) << text;
}

TEST(Tile, RefusesBadJson) {
  const auto with = [](const char* member, const Json& value) {
    Json json = to_json(Tile{});
    json[member] = value;
    return input_error([&] { tile_from(JsonReader(json, "f")); });
  };
  EXPECT_THAT(with("BM", 0), HasSubstr("f: BM: expected an integer from 1 to 32768, found 0"));
  EXPECT_THAT(with("BM", 1.5), HasSubstr("expected an integer, found 1.5"));
  EXPECT_THAT(with("raster", "x"), HasSubstr("expected one of \"row\", \"column\""));
  EXPECT_EQ(with("BM", 8), "");
}

}  // namespace
}  // namespace rooftile::test
