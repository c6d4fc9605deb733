// The binary `rooftile`. Commands are in command_<name>.cpp.
#include "cli/command.hpp"

int main(int argc, char** argv) {
  return rooftile::cli::run_command_line(std::vector<std::string>(argv + 1, argv + argc));
}
