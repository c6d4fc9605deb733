// What is wrong with a command line whatever the command is.
#pragma once

namespace CLI {
class App;
}

namespace rooftile::cli {

/// Throws InputError for a value that is the empty text (an unset shell variable, most often), for
/// `-` as the name of an --output, and for a result file that is also an input or another result:
/// one would destroy the other.
void check_arguments(const CLI::App& app);

/// Closed standard streams are replaced by ones that fail, so that no file which is opened later
/// takes their place and receives messages.
void hold_standard_streams();

}  // namespace rooftile::cli
