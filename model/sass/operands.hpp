// Operands of one instruction: what each is, which registers the instruction reads and writes.
#pragma once

#include <string_view>

#include "model/sass/parser.hpp"

namespace rooftile::sass {

/// Without blanks at both ends.
std::string_view trimmed(std::string_view text);

/// Fills operands, reads and writes of an instruction whose opcode is known from the text between
/// opcode and semicolon. Operands of unknown form are kept as text; nothing throws.
void read_operands(std::string_view text, Instruction& instruction);

}  // namespace rooftile::sass
