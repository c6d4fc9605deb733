// rooftile version: which build this is.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "model/record/provenance.hpp"

namespace rooftile::cli {
namespace {

#ifdef ROOFTILE_HAS_CUDA
constexpr bool has_cuda = true;
#else
constexpr bool has_cuda = false;
#endif

class Version : public Command {
 public:
  void define(CLI::App& app) override { output_.define(app); }

  int run() override {
    output_.check();
    const CreatedBy build = this_build();
    Results results{to_json(build), {}, ""};
    results.json["cuda"] = has_cuda;
    results.tables.push_back(
        {fmt::format("rooftile {} ({}, {}, {})", build.version, build.git_revision,
                     build.build_type, has_cuda ? "with CUDA" : "host only, without CUDA"),
         {{"version", "version", ""}, {"git revision", "git_revision", ""}},
         {},
         {}});
    emit(results, output_);
    return exit_ok;
  }

 private:
  OutputOptions output_;
};

}  // namespace

const CommandEntry version_command{"version",
                                   "print version, revision and build type",
                                   "Prints which build this is.",
                                   {"rooftile version", "rooftile version --json -"},
                                   make_command<Version>};

}  // namespace rooftile::cli
