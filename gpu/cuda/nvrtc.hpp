// Compiling a kernel at run time by NVRTC: source in, machine code out. Needs no GPU.
//
// Failures throw GpuError; that of a compilation carries the compiler's log.
#pragma once

#include <string>

#include "gpu/file_cache.hpp"
#include "gpu/program_source.hpp"

namespace rooftile {

struct CompiledProgram {
  std::string cubin;
  std::string symbol;     ///< the kernel's mangled name
  std::string kernel_id;  ///< kernel_id_of() its listing; "" where it was compiled without a
                          ///< disassembler
  bool kept = false;      ///< the cache holds it
};

/// Resources and instructions, as disassemble() gives them for a file. Throws InputError as it
/// does, and where the folder of temporary files takes none.
std::string disassembly(const CompiledProgram& program);

/// The library's, "13.0". The cache's keys have its build too, which differs between updates
/// of one release.
std::string nvrtc_version();

/// The architecture to compile for on a device of this compute capability: its own, or the newest
/// of the same major version that the library knows, whose code such a device runs; "sm_90a" for
/// 9.0, as ahead of time. Throws InputError when the library knows none.
std::string nvrtc_architecture(int major, int minor);

/// One kernel for one architecture, from `cache` where it is there. A damaged entry is compiled
/// anew; one without a kernel_id gets it once there is a disassembler.
CompiledProgram compile_program(const ProgramSource& source, const std::string& architecture,
                                const FileCache& cache);

}  // namespace rooftile
