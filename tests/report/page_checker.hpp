// A small reader of the pages that the report writes: enough to tell whether tags balance, which
// ids exist and where a page reaches outside itself.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace rooftile::test {

struct Page {
  std::vector<std::string> problems;  ///< unbalanced tags, unquoted attributes, duplicate ids
  std::vector<std::string> ids;
  std::vector<std::pair<std::string, std::string>>
      links;                        ///< attribute (href, src, action) and value
  std::map<std::string, int> tags;  ///< how often each element is opened
  std::string text;                 ///< without markup, styles and scripts

  bool has_id(const std::string& id) const;
};

Page read_page(const std::string& html);

}  // namespace rooftile::test
