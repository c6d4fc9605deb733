// Ctrl-C: a flag that long work polls between units, so that what is done is kept.
#pragma once

namespace rooftile {

void install_interrupt_handlers();  ///< SIGINT and SIGTERM; a second signal ends the process at
                                    ///< once
/// Signals end the process at once again.
void remove_interrupt_handlers();
/// Throws Interrupted when a signal has arrived.
void throw_if_interrupted();

}  // namespace rooftile
