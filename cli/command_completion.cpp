// rooftile completion: the script that makes a shell complete rooftile's command line.
#include "cli/command.hpp"
#include "cli/completion.hpp"
#include "cli/output.hpp"

namespace rooftile::cli {
namespace {

class Completion : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_option("shell", shell_, "The shell to write for")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}))
        ->type_name("SHELL");
  }

  int run() override {
    const std::vector<CommandReference> commands = command_references();
    write_stdout(shell_ == "bash"  ? bash_completion(commands)
                 : shell_ == "zsh" ? zsh_completion(commands)
                                   : fish_completion(commands));
    return exit_ok;
  }

 private:
  std::string shell_;
};

}  // namespace

const CommandEntry completion_command{
    "completion",
    "print the completion script of a shell",
    "Prints a script that completes commands, options and the names that they take. An "
    "installation has the scripts in the standard places; without one, source the output.",
    {"rooftile completion bash", "rooftile completion zsh", "rooftile completion fish"},
    make_command<Completion>};

}  // namespace rooftile::cli
