// Parser: disassembled machine code -> instructions with operands, registers and control fields.
//
// Reads the text of `cuobjdump -sass` and of `nvdisasm -c -hex` (both give each instruction's
// 128-bit encoding, lower half first). The control fields are decoded from bits 105..125 of the
// encoding, which compute capability 7.x to 12.x share: 4 bits stall count, 1 bit that is 0 where
// the warp yields, 3 bits each for the scoreboard released by the result and by the reading of the
// sources (7: none), 6 bits of scoreboards to wait for, 4 bits of operand slots kept in the reuse
// cache. Source: Jia et al., Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking,
// 2018, section 2.1; Huerta et al., Analyzing Modern NVIDIA GPU Cores, 2025; held by
// gemm/hand/encoder.py.
//
// Pitfall: which operands an instruction writes is not in the text; rules for the opcodes of our
// kernels say it (parser.cpp), all others write their first register operand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooftile::sass {

/// What the scheduler obeys; the hardware finds out no dependence itself.
struct Control {
  static constexpr int no_scoreboard = 7;
  int stall_cycles = 1;                  ///< cycles until the warp may issue again, 0..15
  bool yield = false;                    ///< prefer another warp next
  int write_scoreboard = no_scoreboard;  ///< released when the result has arrived, 0..5
  int read_scoreboard = no_scoreboard;   ///< released when the sources have been read, 0..5
  unsigned wait_mask = 0;   ///< scoreboards to wait for before issue, bit i: scoreboard i
  unsigned reuse_mask = 0;  ///< operand slots that stay in the reuse cache
  bool operator==(const Control&) const = default;
};

enum class RegisterFile : std::uint8_t { general, uniform, predicate, uniform_predicate };

/// Consecutive registers that one operand reads or writes; RZ, URZ, PT and UPT are none.
struct Registers {
  RegisterFile file = RegisterFile::general;
  int first = 0;
  int count = 1;       ///< 2 for 64 bits, 4 for 128
  int slot = -1;       ///< operand port of an arithmetic source (0, 1, 2), else -1
  bool reuse = false;  ///< marked .reuse
  bool operator==(const Registers&) const = default;
};

enum class OperandKind : std::uint8_t { registers, immediate, constant, memory, label, other };

struct Operand {
  OperandKind kind = OperandKind::other;
  std::string text;                   ///< as in the disassembly, "R2.reuse", "[R18+UR4+0x100]"
  std::optional<std::int64_t> value;  ///< of an integer immediate, or the address of a label
};

struct Predicate {
  int index = 7;  ///< 7: always
  bool uniform = false;
  bool negated = false;
  bool always() const { return index == 7 && !negated; }
  bool operator==(const Predicate&) const = default;
};

struct Instruction {
  std::uint32_t address = 0;  ///< bytes from the start of the kernel
  int line = 0;               ///< of the text, from 1
  Predicate predicate;
  std::string opcode;  ///< with modifiers, "LDS.U.128"
  std::vector<Operand> operands;
  std::vector<Registers> reads, writes;  ///< without the guard predicate
  Control control;
  std::optional<std::uint32_t> target;  ///< address that a direct branch goes to

  std::string_view base() const;              ///< opcode up to the first dot
  bool has(std::string_view modifier) const;  ///< one of the dotted parts after the first
  int width_bytes() const;                    ///< of a memory access, a lane: 1, 2, 4, 8 or 16
  std::string text() const;                   ///< "@P0 FFMA R6, R25, UR5, R6"
};

/// Of compute capability 7.0 and newer.
inline constexpr int bytes_per_instruction = 16;

struct Kernel {
  std::string name;      ///< mangled
  int architecture = 0;  ///< 90 of sm_90a; 0 where the text does not say
  std::vector<Instruction> instructions;
};

/// All kernels (and device functions) of a disassembly. Throws InputError, which names the line,
/// for text that holds no kernel, for instructions without encodings (and says how to disassemble),
/// for a damaged line. Never anything else, on any text.
std::vector<Kernel> parse(std::string_view text);

}  // namespace rooftile::sass
