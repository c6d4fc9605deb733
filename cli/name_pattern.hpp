// Patterns in the names of results, so that the processes of a job do not write the same file:
//
//   %h host   %p process id   %j job   %r rank   %u UUID of the GPU   %% a percent sign
//
// Job and rank are those of Slurm, Open MPI, PMI, PBS and LSF. The rank is 0 where nothing starts
// ranks; a job that does not exist is an error, since its name would not tell two apart.
#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace rooftile::cli {

/// `name` with its patterns replaced; `gpu_uuid` is asked for %u alone. Throws InputError for an
/// unknown pattern, for %j outside a job and for an empty UUID.
std::string expanded_name(const std::string& name, const std::function<std::string()>& gpu_uuid);

/// Lets --output, --json, --csv and --md of a command take patterns. %u is the GPU of --device.
void add_name_patterns(CLI::App& app);

}  // namespace rooftile::cli
