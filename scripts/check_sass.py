#!/usr/bin/env python3
"""Checks that the timed loops of compiled CUDA objects hold the instructions that their sources promise.

A timing means nothing when the compiler has removed, merged, widened or spilled what it should time. So next
to each timed loop stands a line of this form, in a comment of a .cu or .cuh file:

    // SASS: kernel=<regex> <OPCODE><op><count> ... [other<op><count>] [bytes<=<count>] [spill=0] [sm>=<version>]

  kernel=<regex>   searched in the mangled names of all kernels of all objects; must match at least one. Every
                   match must satisfy the line. A template argument of 16 reads Li16E in a mangled name.
  <OPCODE>         counted in the main loop: the innermost loop (backward branch) with the most instructions that match
                   the line's opcodes. LDS.128 matches any opcode that has all of its dotted parts (LDS.U.128).
                   The part 32 means: none of 8, 16, 64, 128, 256 (LDS.32 is plain LDS in SASS).
                   Alternatives with |: ATOM|ATOMG>=1.
  other            instructions of the loop that match none of the line's opcodes (NOP never counts)
  bytes            size of the loop in bytes, to stay inside the instruction cache
  spill            local-memory instructions (LDL, STL) of the whole kernel
  ports            ideal over scheduled issue cycles of the loop in percent, by the register-port rule: two banks
                   (register number mod 2), one read each a cycle, none for an operand that the same slot last read
                   of that bank, marked .reuse; a stall where a bank lags the issue by more than one cycle
                   (model/sass/ports.hpp)
  nested=1         count a loop with the loops inside it
  sm>=90, sm<90    the line holds for objects of these architectures only
  <op>             one of = <= >=

Disassembler: `cuobjdump` or `nvdisasm`, from $ROOFTILE_CUOBJDUMP (path of either), PATH, <build>/nvidia, or the folder of
nvcc. Exit: 0 all hold, 1 some do not, 2 a bad line, 77 no disassembler.
"""
import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
WIDTHS = {"8", "16", "64", "128", "256", "U8", "S8", "U16", "S16"}
INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(?:\{\s*)?(@!?U?P[0-9T]+\s+)?([A-Z][A-Z0-9_.]*)\s*([^;]*);")
TERM = re.compile(r"^([A-Za-z0-9_.|]+?)(<=|>=|<|=)(\d+)$")
OPERATORS = {"=": lambda a, b: a == b, "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b, "<": lambda a, b: a < b}
# Memory accesses read their registers elsewhere.
NO_PORTS = re.compile(r"(LD|ST|RED|ATOM|SYNCS|SHFL|R2UR)")
SPECIAL = {"other", "bytes", "spill", "sm", "nested", "ports"}

Instruction = collections.namedtuple("Instruction", "address opcode operands")
Kernel = collections.namedtuple("Kernel", "name sm instructions labels object")
Assertion = collections.namedtuple("Assertion", "where kernel terms")


def find_disassembler(build):
    named = os.environ.get("ROOFTILE_CUOBJDUMP")
    if named:
        return named if os.path.exists(named) else None
    for tool in ("cuobjdump", "nvdisasm"):
        candidates = [shutil.which(tool)]
        if build:
            candidates += sorted(pathlib.Path(build, "nvidia").glob(f"**/bin/{tool}"))
        nvcc = shutil.which("nvcc")
        if nvcc:
            candidates.append(pathlib.Path(os.path.realpath(nvcc)).with_name(tool))
        for candidate in candidates:
            if candidate and os.path.exists(candidate):
                return str(candidate)
    return None


def disassemble(tool, path):
    """Text of `cuobjdump -sass`, or of nvdisasm over the cubins inside a host object."""
    if "nvdisasm" not in os.path.basename(tool):
        return subprocess.run([tool, "-sass", path], capture_output=True, text=True, check=True).stdout
    text = ""
    for cubin in embedded_cubins(path):
        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(cubin)
            file.flush()
            text += subprocess.run([tool, "-c", file.name], capture_output=True, text=True, check=True).stdout
    return text


def embedded_cubins(path):
    """Uncompressed cubins (ELF, machine EM_CUDA = 190) inside a host object."""
    data = pathlib.Path(path).read_bytes()
    for match in re.finditer(b"\x7fELF\x02\x01", data):
        start = match.start()
        if int.from_bytes(data[start + 18:start + 20], "little") == 190:
            table = int.from_bytes(data[start + 40:start + 48], "little")
            entries = int.from_bytes(data[start + 60:start + 62], "little")
            headers = int.from_bytes(data[start + 32:start + 40], "little")
            segments = int.from_bytes(data[start + 56:start + 58], "little")
            size = max(table + entries * 64, headers + segments * 56)
            yield data[start:start + size]


def parse_kernels(text, path):
    """Kernels of one disassembly, of either tool."""
    kernels, kernel, sm = [], None, 0
    for line in text.splitlines():
        arch = re.search(r"arch = sm_(\d+)|\.target\s+sm_(\d+)|EF_CUDA_SM(\d+)", line)
        if arch:
            sm = int(next(group for group in arch.groups() if group))
        head = re.search(r"Function : (\S+)|^\.text\.(\S+):|^\s*\.section\s+\.text\.([^,\s]+)", line)
        if head:
            name = next(group for group in head.groups() if group)
            if kernel is None or kernel.name != name or kernel.instructions:
                kernel = Kernel(name, sm, [], {}, path)
                kernels.append(kernel)
            continue
        if kernel is None:
            continue
        label = re.match(r"^(\.L_x_\d+):", line)
        if label:
            kernel.labels[label.group(1)] = len(kernel.instructions)
        found = INSTRUCTION.match(line)
        if found:
            kernel.instructions.append(Instruction(int(found.group(1), 16), found.group(3), found.group(4)))
    return kernels


def branch_target(kernel, instruction):
    """Address that a branch goes to, or None."""
    label = re.search(r"`\((\.L_x_\d+)\)", instruction.operands)
    if label and label.group(1) in kernel.labels:
        index = kernel.labels[label.group(1)]
        return kernel.instructions[index].address if index < len(kernel.instructions) else None
    number = re.search(r"(?:^|[\s,])0x([0-9a-f]+)\s*$", instruction.operands)
    return int(number.group(1), 16) if number else None


def loops(kernel):
    """Instructions of each loop, given by a backward branch (not the branch to itself that ends a kernel)."""
    for instruction in kernel.instructions:
        if instruction.opcode.split(".")[0] != "BRA":
            continue
        target = branch_target(kernel, instruction)
        if target is not None and target < instruction.address:
            yield [i for i in kernel.instructions if target <= i.address <= instruction.address]


def matches(pattern, opcode):
    parts = opcode.split(".")
    for alternative in pattern.split("|"):
        wanted = alternative.split(".")
        if "32" in wanted:
            wanted = [part for part in wanted if part != "32"]
            if WIDTHS & set(parts):
                continue
        if parts[0] == wanted[0] and set(wanted) <= set(parts):
            return True
    return False


def main_loop(kernel, opcodes, nested):
    def work(loop):
        return sum(any(matches(o, i.opcode) for o in opcodes) for i in loop)

    candidates = list(loops(kernel))
    if not nested:
        spans = [(loop[0].address, loop[-1].address) for loop in candidates]
        candidates = [loop for loop, span in zip(candidates, spans)
                      if not any(other != span and span[0] <= other[0] and other[1] <= span[1] for other in spans)]
    # Equal work: the shorter one is the inner one.
    return max(candidates, key=lambda loop: (work(loop), -len(loop)), default=[])


def port_percent(loop):
    """Share of issue cycles that register-bank reads do not stall, one warp in program order, the second of two trips."""
    issue, bank_free, cache, marks = 0, [0, 0], {}, []
    for instruction in 2 * loop:
        marks.append(issue)
        reads, read_now = [set(), set()], {}
        sources = [] if NO_PORTS.match(instruction.opcode) else instruction.operands.split(",")[1:]
        for slot, source in enumerate(part.strip() for part in sources):
            found = re.match(r"[-|~!]*R(\d+)(\.reuse)?", source)
            if found:
                register, bank = int(found.group(1)), int(found.group(1)) % 2
                if cache.get((slot, bank)) != register:
                    reads[bank].add(register)
                read_now[slot, bank] = register if found.group(2) else None
        cache.update(read_now)
        stall = 0
        for bank in (0, 1):
            bank_free[bank] = max(bank_free[bank], issue) + len(reads[bank])
            stall = max(stall, bank_free[bank] - (issue + 1) - 1)
        issue += 1 + stall
    return int(100 * len(loop) / (issue - marks[len(loop)])) if loop else 0


def counts(kernel, terms):
    opcodes = [name for name, _, _ in terms if name not in SPECIAL]
    loop = main_loop(kernel, opcodes, any(name == "nested" for name, _, _ in terms))
    found = {name: sum(matches(name, i.opcode) for i in loop) for name in opcodes}
    found["other"] = sum(not any(matches(o, i.opcode) for o in opcodes) and i.opcode != "NOP" for i in loop)
    found["bytes"] = loop[-1].address - loop[0].address + 16 if loop else 0
    found["spill"] = sum(i.opcode.split(".")[0] in ("LDL", "STL") for i in kernel.instructions)
    found["nested"] = 1
    found["ports"] = port_percent(loop)
    found["sm"] = kernel.sm
    return found, loop


def read_assertions(folders):
    for folder in folders:
        for path in sorted(pathlib.Path(folder).glob("**/*.cu*")):
            if path.suffix not in (".cu", ".cuh"):  # a cubin, perhaps packed
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found = re.match(r"^\s*//\s*SASS:\s*(.*)$", line)
                if found:
                    yield parse_assertion(found.group(1), f"{path}:{number}")
                elif re.search(r"//.*SASS: kernel=|^\s*// kernel=", line):
                    raise ValueError(f"{path}:{number}: a SASS line must stand alone (reflowed by a formatter?)")


def parse_assertion(text, where):
    words = text.split()
    if not words or not words[0].startswith("kernel="):
        raise ValueError(f"{where}: a SASS line starts with kernel=<regex>: {text}")
    terms = []
    for word in words[1:]:
        term = TERM.match(word)
        if not term:
            raise ValueError(f"{where}: not of the form NAME<=NUMBER: {word}")
        terms.append((term.group(1), term.group(2), int(term.group(3))))
    return Assertion(where, re.compile(words[0][len("kernel="):]), terms)


def check(assertion, kernels, verbose):
    """Lines that say what is wrong."""
    applies = [(name, op, value) for name, op, value in assertion.terms if name == "sm"]
    matched = [k for k in kernels if assertion.kernel.search(k.name)]
    if not matched:
        return [f"{assertion.where}: no kernel matches {assertion.kernel.pattern}"]
    problems = []
    for kernel in matched:
        if not all(OPERATORS[op](kernel.sm, value) for _, op, value in applies):
            continue
        found, loop = counts(kernel, assertion.terms)
        wrong = [f"{name} is {found[name]}, not {op}{value}" for name, op, value in assertion.terms
                 if not OPERATORS[op](found[name], value)]
        if verbose or wrong:
            census = collections.Counter(i.opcode for i in loop).most_common(12)
            note = f"{assertion.where}: {kernel.name} sm_{kernel.sm}: " + ("; ".join(wrong) or "holds")
            note += f"\n    loop of {found['bytes']} bytes: " + ", ".join(f"{n} {o}" for o, n in census)
            if wrong:
                problems.append(note)
            else:
                print(note)
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", nargs="+", required=True, help="folders with .cu and .cuh files")
    parser.add_argument("--objects", nargs="+", required=True, help="objects, cubins or binaries")
    parser.add_argument("--build", help="build folder, searched for a disassembler under nvidia/")
    parser.add_argument("--verbose", action="store_true", help="print each loop's census")
    options = parser.parse_args()
    tool = find_disassembler(options.build)
    if tool is None:
        print("skipped: no cuobjdump or nvdisasm on PATH, in ROOFTILE_CUOBJDUMP or in <build>/nvidia")
        return SKIPPED
    try:
        assertions = list(read_assertions(options.sources))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    kernels = []
    for path in options.objects:
        if os.path.basename(path).endswith((".cu.o", ".cubin", ".cu.obj")) or not path.endswith(".o"):
            kernels += parse_kernels(disassemble(tool, path), path)
    problems = [line for assertion in assertions for line in check(assertion, kernels, options.verbose)]
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(assertions)} assertions on {len(kernels)} kernels, {len(problems)} broken ({os.path.basename(tool)})")
    return 1 if problems or not assertions else 0


if __name__ == "__main__":
    sys.exit(main())
