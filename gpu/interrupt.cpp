// The handler only compares and sets one volatile sig_atomic_t and may call _exit, all of which
// POSIX allows in a handler (signal-safety(7)). SA_RESTART is left out, so that a sleep or read
// returns at once; SIGPIPE keeps its default.
#include "gpu/interrupt.hpp"

#include <signal.h>
#include <unistd.h>

#include <csignal>

#include "model/error.hpp"

namespace rooftile {
namespace {

volatile std::sig_atomic_t received_signal = 0;

void on_signal(int signal) {
  if (received_signal != 0) ::_exit(128 + signal);
  received_signal = signal;
}

void handle_by(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) {
    // A parent that started us ignoring the signal (nohup, a background job) keeps its wish.
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace

void install_interrupt_handlers() { handle_by(on_signal); }

void remove_interrupt_handlers() { handle_by(SIG_DFL); }

void throw_if_interrupted() {
  if (received_signal != 0) throw Interrupted(received_signal);
}

}  // namespace rooftile
