// Runs the binary as a user would and captures exit code and both streams; can send a signal.
#include "process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace rooftile::cli {
namespace {

/// In the child: never returns.
[[noreturn]] void become_rooftile(const std::vector<std::string>& arguments,
                                  const ProcessOptions& options, const std::string& out,
                                  const std::string& err) {
  auto redirect = [](const std::string& path, int descriptor) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT, 0666);
    if (file < 0 || dup2(file, descriptor) < 0) _exit(126);
  };
  redirect(options.stdout_path.empty() ? out : options.stdout_path, STDOUT_FILENO);
  redirect(err, STDERR_FILENO);
  if (!options.folder.empty() && chdir(options.folder.c_str()) != 0) _exit(126);
  // Whoever started the tests may ignore what the tests send.
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) std::signal(signal, SIG_DFL);
  for (const char* name :
       {"ROOFTILE_PROFILE", "ROOFTILE_DATA_DIR", "SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID",
        "SLURM_ARRAY_TASK_ID", "SLURM_PROCID", "PBS_JOBID", "LSB_JOBID", "LSB_JOBINDEX",
        "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "ROOFTILE_CONFIG"})
    unsetenv(name);
  setenv("XDG_CONFIG_HOME", "/nonexistent", 1);  // the user's own file is not for tests
  for (const std::string& variable : options.environment) putenv(strdup(variable.c_str()));
  std::string binary = ROOFTILE_BINARY;
  std::vector<char*> argv{binary.data()};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(binary.c_str(), argv.data());
  _exit(127);
}

int wait_for(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) throw std::runtime_error("waitpid failed");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ProcessResult rooftile_process(const std::vector<std::string>& arguments,
                               const ProcessOptions& options) {
  const Scratch scratch;
  const std::string out = scratch.path("out"), err = scratch.path("err");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) become_rooftile(arguments, options, out, err);
  if (options.signal != 0) {
    std::this_thread::sleep_for(std::chrono::duration<double>(options.signal_after_s));
    kill(child, options.signal);
  }
  ProcessResult result;
  result.exit_code = wait_for(child);
  result.out = options.stdout_path.empty() ? slurp(out) : "";
  result.err = slurp(err);
  return result;
}

ProcessResult shell_process(const std::string& shell, const std::string& script) {
  const Scratch scratch;
  spill(scratch.path("script"), script);
  const std::string line = shell + " " + scratch.path("script") + " >" + scratch.path("out");
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(scratch.path("out")), ""};
}

bool has_program(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void spill(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace rooftile::cli
