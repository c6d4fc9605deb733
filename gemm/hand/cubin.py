"""Cubins: sections of the file, and the disassembly of one of its functions."""
import re
import struct
import subprocess


def section(elf, name):
    """(offset in the file, size) of an ELF section."""
    table, = struct.unpack_from('<Q', elf, 0x28)
    size, count, strings = struct.unpack_from('<HHH', elf, 0x3A)
    heads = [struct.unpack_from('<IIQQQQIIQQ', elf, table + i * size) for i in range(count)]
    for head in heads:
        at = heads[strings][4] + head[0]
        if elf[at:elf.index(b'\0', at)].decode() == name:
            return head[4], head[5]
    raise SystemExit(f'no section {name}')


def text_of(elf, function='sgemm'):
    """The machine code of a function."""
    offset, size = section(elf, f'.text.{function}')
    return bytes(elf[offset:offset + size])


def disassemble(nvdisasm, path, function='sgemm'):
    """(address, text, low 64 bits, high 64 bits) of each instruction."""
    output = subprocess.run([nvdisasm, '-hex', path], capture_output=True, text=True, check=True).stdout
    output = re.search(rf'^\.text\.{function}:$(.*?)(?=^\.section|\Z)', output, re.S | re.M)[1]
    instruction = r'/\*([0-9a-f]{4,6})\*/\s+(.*?)\s*;\s+/\* 0x([0-9a-f]{16}) \*/\s+/\* 0x([0-9a-f]{16}) \*/'
    return [(int(a, 16), t, int(low, 16), int(high, 16)) for a, t, low, high in re.findall(instruction, output)]
