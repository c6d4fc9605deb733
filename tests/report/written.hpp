// A report as written into a folder of its own, and what must hold of every one.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/record/json_reader.hpp"
#include "page_checker.hpp"
#include "report/report.hpp"
#include "tests/support/temporary_folder.hpp"

namespace rooftile::test {

struct Written {
  TemporaryFolder folder;
  ReportOutput output;
  std::string html, markdown;
  Page page;
};

inline void write(const ReportInput& input, Written& w) {
  w.output = write_report(input, w.folder.path() + "/report");
  w.html = read_text_file(w.output.html_path);
  w.markdown = read_text_file(w.output.markdown_path);
  w.page = read_page(w.html);
}

/// The line of the Markdown page that starts with `start`.
inline std::string line_of(const std::string& markdown, const std::string& start) {
  const std::size_t at = markdown.find("\n" + start);
  return at == std::string::npos ? "" : markdown.substr(at + 1, markdown.find('\n', at + 1) - at);
}

inline bool holds_not_a_number(const std::string& text) {
  for (const char* word : {"NaN", "nan ", " nan", ">nan", "inf ", " inf<", "-inf", "Infinity"})
    if (text.find(word) != std::string::npos) return true;
  return false;
}

inline void expect_sound(const Written& w) {
  EXPECT_THAT(w.page.problems, testing::IsEmpty());
  for (const char* id :
       {"verdict", "gpu", "memory", "shared", "issue", "roofline", "ladder", "tiles", "waves",
        "scatter", "errors", "regret", "parts", "claims", "curves", "method"})
    EXPECT_TRUE(w.page.has_id(id)) << id;
  EXPECT_FALSE(holds_not_a_number(w.page.text));
  EXPECT_FALSE(holds_not_a_number(w.markdown));
  EXPECT_LE(w.output.summary.size(), 10u);
  for (const auto& line : w.output.summary) EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_LT(w.html.size(), 5u << 20);
}

}  // namespace rooftile::test
