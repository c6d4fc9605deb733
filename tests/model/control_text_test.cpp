// Which characters are replaced in texts of files: all of Unicode is asked.
#include "model/record/control_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace rooftile {
namespace {

std::string utf8(char32_t c) {
  const auto tail = [c](int shift) { return static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xc0 | c >> 6), tail(0)};
  if (c < 0x10000) return {static_cast<char>(0xe0 | c >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | c >> 18), tail(12), tail(6), tail(0)};
}

bool steers(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

TEST(ControlText, WhatSteersIsReplacedAndAllElseStays) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    const std::string one = utf8(c), text = "a" + one + "b" + one;
    ASSERT_EQ(without_steering(text, "?"), steers(c) ? "a?b?" : text) << static_cast<unsigned>(c);
  }
}

TEST(ControlText, WhiteSpaceMayBeKept) {
  EXPECT_EQ(without_steering("a\tb\nc\rd\x1b", "", "\n\t"), "a\tb\ncd");
}

TEST(ControlText, CutAndBrokenSequencesStay) {
  for (const std::string text : {"\xe2\x80", "\xe2", "\xc2", "\xaa\x80", "\xe2\x80x\xae"})
    EXPECT_EQ(without_steering(text, "?"), text);
  EXPECT_EQ(without_steering("", "?"), "");
}

}  // namespace
}  // namespace rooftile
