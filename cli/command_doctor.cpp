// rooftile doctor: what works here, what does not, and how to fix it. A missing GPU is a finding,
// not a failure, so the exit code is 0 unless --strict asks otherwise.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "gpu/doctor.hpp"
#include "gpu/environment.hpp"

namespace rooftile::cli {
namespace {

std::string summary_line(const std::vector<DoctorCheck>& checks) {
  auto count = [&](CheckState state) {
    return std::count_if(checks.begin(), checks.end(),
                         [&](const DoctorCheck& check) { return check.state == state; });
  };
  return fmt::format("{} ok, {} warnings, {} problems", count(CheckState::ok),
                     count(CheckState::warning), count(CheckState::problem));
}

ResultTable checks_table(const std::vector<DoctorCheck>& checks) {
  ResultTable table{
      "", {{"state", "state", ""}, {"check", "check", ""}, {"finding", "finding", ""}}, {}, {}};
  for (const DoctorCheck& check : checks) {
    table.rows.push_back({to_string(check.state), check.title, check.finding});
    if (!check.advice.empty())
      table.notes.push_back(fmt::format("{}: {}", check.title, check.advice));
  }
  table.notes.push_back(summary_line(checks));
  return table;
}

Json checks_json(const std::vector<DoctorCheck>& checks) {
  Json json = file_head("rooftile.doctor", 1, this_build(), host_environment());
  json["checks"] = Json::array();
  for (const DoctorCheck& check : checks)
    json["checks"].push_back({{"title", check.title},
                              {"state", to_string(check.state)},
                              {"finding", check.finding},
                              {"advice", check.advice}});
  return json;
}

class Doctor : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_option("--device", device_,
                   "GPU by index or UUID, or MIG slice by UUID (default: the first)")
        ->type_name("N|UUID");
    app.add_flag("--strict", strict_, "Exit 1 when there is a problem");
    output_.define(app);
  }

  int run() override {
    output_.check();
    std::vector<DoctorCheck> checks = host_checks();
    for (DoctorCheck& check : device_checks(device_)) checks.push_back(std::move(check));
    emit({checks_json(checks), {checks_table(checks)}, ""}, output_);
    const bool problem = std::any_of(checks.begin(), checks.end(), [](const DoctorCheck& check) {
      return check.state == CheckState::problem;
    });
    return strict_ && problem ? exit_failed : exit_ok;
  }

 private:
  std::string device_;
  bool strict_ = false;
  OutputOptions output_;
};

}  // namespace

const CommandEntry doctor_command{
    "doctor",
    "check driver, toolkit, permissions, clocks; say what will not work",
    "Checks what this machine can do for rooftile and says how to fix what will not work.",
    {"rooftile doctor", "rooftile doctor --device 1 --json -", "rooftile doctor --strict"},
    make_command<Doctor>};

}  // namespace rooftile::cli
