// Rules of claims over the recorded profile.
#include "fuzz.hpp"
#include "report/claim_rule.hpp"

namespace rooftile::fuzz {
namespace {

struct Recorded {
  ReportInput input;
  report::Analysis analysis;
  Recorded() {
    input.profile =
        DeviceProfile::load(std::string(ROOFTILE_SOURCE_DIR) + "/data/h200/profile.json");
    analysis = report::analyse(input);
  }
};

}  // namespace
}  // namespace rooftile::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  using namespace rooftile::fuzz;
  static const Recorded recorded;
  const std::string rule(text_of(data, size));
  read_or_refuse([&] {
    const report::RuleResult result =
        report::judge_rule(rule, report::ClaimValues(recorded.input, recorded.analysis));
    expect(result.rule == rule, "a result says which rule it is of");
    expect(!result.with_numbers.empty(), "a rule has numbers or question marks");
  });
  return 0;
}
