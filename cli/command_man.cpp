// rooftile man: the manual page of the program or of one command, as roff on stdout.
#include "cli/command.hpp"
#include "cli/filter.hpp"
#include "cli/man_page.hpp"
#include "cli/option_values.hpp"
#include "cli/output.hpp"

namespace rooftile::cli {
namespace {

class Man : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_option("command", command_, "The command (default: rooftile itself)")
        ->type_name("COMMAND");
  }

  int run() override {
    if (command_.empty()) {
      write_stdout(overview_man_page(command_references()));
    } else {
      require_names(option_values("man", "command"), {command_}, "man");
      write_stdout(command_man_page(command_reference(*find_command(command_))));
    }
    return exit_ok;
  }

 private:
  std::string command_;
};

}  // namespace

const CommandEntry man_command{
    "man",
    "print a manual page",
    "Prints the manual page of rooftile or of one command in roff; an installation has them all "
    "for man(1).",
    {"rooftile man", "rooftile man predict"},
    make_command<Man>};

}  // namespace rooftile::cli
