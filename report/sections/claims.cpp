// The claims page: what tutorials say of GEMM on GPUs, and what this GPU's numbers say of it.
#include "report/claims.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/sections.hpp"

namespace rooftile::report {
namespace {

Mark mark_of(ClaimVerdict verdict) {
  return verdict == ClaimVerdict::holds           ? Mark::good
         : verdict == ClaimVerdict::does_not_hold ? Mark::bad
                                                  : Mark::none;
}

std::string evidence_of(const JudgedClaim& judged) {
  std::string text;
  for (const std::string& evidence : evidence_texts(judged))
    text += (text.empty() ? "" : " ") + evidence + ".";
  return text;
}

std::string remarks_on(const JudgedClaim& judged) {
  const std::vector<std::string> missing = judged.missing();
  return fmt::format("{}{}{}", judged.claim.reading,
                     judged.claim.reading.empty() || missing.empty() ? "" : " ",
                     fmt::join(missing, " "));
}

TableBlock claims_table(const std::vector<JudgedClaim>& judged) {
  TableBlock table{"Claims, the rule that decides each, and the verdict on this GPU",
                   {{"claim"},
                    {"source", false},
                    {"what is claimed", false},
                    {"verdict here", false},
                    {"rules, with their numbers", false},
                    {"reading; missing or not judged", false}},
                   {}};
  for (const JudgedClaim& j : judged)
    table.rows.push_back({{std::to_string(j.claim.id), "", static_cast<double>(j.claim.id)},
                          {j.claim.source},
                          {j.claim.text},
                          {std::string(to_string(j.verdict)), "", {}, mark_of(j.verdict)},
                          {evidence_of(j)},
                          {remarks_on(j)}});
  return table;
}

}  // namespace

Section claims_section(const ReportInput& input, const Analysis& analysis) {
  Section section{"claims", "What tutorials claim", {}};
  if (input.claims.claims.empty()) {
    section.blocks.emplace_back(
        Paragraph{"The folder of recorded data has no claims.json.", Tone::note});
    return section;
  }
  const std::vector<JudgedClaim> judged = judge_claims(input, analysis);
  const auto count = [&](ClaimVerdict verdict) {
    return std::count_if(judged.begin(), judged.end(),
                         [&](const JudgedClaim& j) { return j.verdict == verdict; });
  };
  section.blocks.emplace_back(Paragraph{fmt::format(
      "{} claims of published tutorials, most of them made for one other GPU: {} hold here, {} do "
      "not, {} cannot be decided yet. Each verdict is computed from this page's profile and runs "
      "by the rule beside it.",
      judged.size(), count(ClaimVerdict::holds), count(ClaimVerdict::does_not_hold),
      count(ClaimVerdict::undecided))});
  ListBlock sources;
  for (const auto& [letter, text] : input.claims.sources)
    sources.items.push_back(fmt::format("{}: {}", letter, text));
  section.blocks.emplace_back(std::move(sources));
  section.blocks.emplace_back(claims_table(judged));
  return section;
}

}  // namespace rooftile::report
