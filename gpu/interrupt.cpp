#include "gpu/interrupt.hpp"

#include <csignal>
#include <cstdlib>

#include "model/error.hpp"

namespace rooftile {
namespace {

volatile std::sig_atomic_t received_signal = 0;

void on_signal(int signal) {
  if (received_signal != 0) std::_Exit(128 + signal);
  received_signal = signal;
}

}  // namespace

void install_interrupt_handlers() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

void throw_if_interrupted() {
  if (received_signal != 0) throw Interrupted(received_signal);
}

}  // namespace rooftile
