// Words for axes and lines; the tables hold what id and meaning do not say.
#include "report/curve_names.hpp"

#include <algorithm>
#include <string_view>

#include "report/plot.hpp"

namespace rooftile::report {
namespace {

struct Words {
  std::string_view of, key, label;
};

/// x of curves whose ids have no `over_...`, by the beginning of the id.
constexpr Words by_beginning[] = {{"instruction_cache.cycles.", "loop", "size of the loop"},
                                  {"smem.conflict.", "stride", "stride between lanes, elements"},
                                  {"smem.ffma_mix.", "ffma", "n: FFMA a load"},
                                  {"smem.queue.", "loads", "n: loads in a row"},
                                  {"wgmma.", "n", "N of the instruction"}};

/// Words for `over_...` where the name is too short to be understood or meanings differ.
constexpr Words by_over[] = {{"box", "box", "bytes of a box"},
                             {"bytes_in_flight", "bytes_in_flight", "bytes in flight an SM"},
                             {"distance", "distance", "distance, ranks"},
                             {"ilp", "ilp", "independent chains a thread"},
                             {"offset", "offset", "bytes after the beginning of a line"},
                             {"rank", "rank", "rank of the block that is read"},
                             {"stride", "stride", "stride, words"}};

std::vector<std::string> parts_of(std::string_view id) {
  std::vector<std::string> parts(1);
  for (const char c : id)
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

/// The words after the last "over" of a meaning, without article: "warps of the block".
std::string phrase_of(std::string_view meaning) {
  constexpr std::string_view word = "over ";
  const std::size_t at = meaning.rfind(word);
  if (at == std::string_view::npos || (at > 0 && meaning[at - 1] != ' ')) return {};
  std::string_view phrase = meaning.substr(at + word.size());
  phrase = phrase.substr(0, phrase.find_first_of(",;:("));
  if (phrase.starts_with("the ")) phrase.remove_prefix(4);
  while (phrase.ends_with(' ')) phrase.remove_suffix(1);
  return std::string(phrase);
}

std::string spaced(std::string text) {
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string unit_word(std::string_view unit) { return unit == "byte" ? "bytes" : "count"; }

}  // namespace

Quantity x_quantity(const CatalogEntry& entry) {
  for (const Words& words : by_beginning)
    if (entry.id.starts_with(words.of)) return {std::string(words.key), std::string(words.label)};
  const std::string phrase = phrase_of(entry.meaning);
  const std::string last = parts_of(entry.id).back();
  if (last.starts_with("over_")) {
    const std::string key = last.substr(5);
    for (const Words& words : by_over)
      if (words.of == key) return {key, std::string(words.label)};
    return {key, phrase.empty() ? spaced(key) : phrase};
  }
  if (!phrase.empty()) return {file_stem(phrase), phrase};
  return {file_stem(std::string(entry.x_unit)), unit_word(entry.x_unit)};
}

std::string y_quantity(const CatalogEntry& entry) {
  for (const std::string& part : parts_of(entry.id)) {
    if (part == "latency") return "latency";
    if (part == "hit") return "share of hits";
    if (part == "littles_law") return "bandwidth x latency / bytes in flight";
  }
  if (entry.unit.starts_with("byte/")) return "bandwidth";
  if (entry.unit == "cycle/inst") return "cycles per warp instruction";
  const bool rate = entry.unit.find("/cycle") != std::string_view::npos || entry.unit == "flop/s";
  return rate ? "throughput" : "";
}

bool shown_beyond_x(const CatalogEntry& entry) { return entry.id.starts_with("smem.ffma_mix."); }

std::vector<std::string> short_names(const std::vector<const CatalogEntry*>& entries) {
  std::vector<std::vector<std::string>> all;
  for (const CatalogEntry* entry : entries) all.push_back(parts_of(entry->id));
  const auto everywhere = [&](const std::string& part) {
    return std::all_of(all.begin(), all.end(), [&](const auto& parts) {
      return std::find(parts.begin(), parts.end(), part) != parts.end();
    });
  };
  std::vector<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string name;
    for (const std::string& part : all[i])
      if (!everywhere(part)) name += (name.empty() ? "" : " ") + part;
    if (name.empty()) {
      const std::string_view meaning = entries[i]->meaning;
      name = meaning.substr(0, std::min(meaning.find_first_of(",;:"), meaning.find(" over ")));
    }
    names.push_back(std::move(name));
  }
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

}  // namespace rooftile::report
