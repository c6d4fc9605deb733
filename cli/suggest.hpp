// "Did you mean": the names nearest to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rooftile::cli {

/// At most `count` of `names`, nearest first: those that contain `text` (or are contained in it)
/// come before those merely close to it.
std::vector<std::string> nearest(std::string_view text, std::span<const std::string> names,
                                 std::size_t count = 3);

/// "did you mean a, b or c?", or an empty string when there are no names at all.
std::string did_you_mean(std::string_view text, std::span<const std::string> names);

}  // namespace rooftile::cli
