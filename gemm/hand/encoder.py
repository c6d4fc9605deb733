"""Encodes the few instruction forms that the hand-scheduled loop needs (compute capability 9.0).

An instruction is 128 bits: opcode in bits 0..11 (its top three bits say whether the last operand is a register, an immediate or
a constant), predicate 12..15, destination 16..23, first source 24..31, second source or immediate from 32, third source 64..71,
modifiers, and in bits 105..125 what the scheduler obeys, because this hardware does not find out dependences itself:

    bits of the field   meaning
    0..3    stall       cycles until the warp may issue again
    4       yield       0: prefer another warp next (set here for long stalls only)
    5..7    write       scoreboard that the result, when it has arrived, releases; 7: none
    8..10   read        scoreboard released when the operands have been read; 7: none
    11..16  wait        mask of scoreboards to wait for before issue
    17..20  reuse       operand slots (bit 0: A, bit 1: B, ...) whose register the next instruction of the warp reads again in the
                        same slot: it is kept in the operand reuse cache and costs no register read

Instructions of fixed latency set no scoreboard; the stalls between producer and consumer must add up to the latency: 4 cycles
from FFMA to FFMA, 5 from the integer units (6 is used), 12 from a compare to the branch that it guards (13 is used). Loads, the
barrier instructions and S2R have a scoreboard each, and the instruction that sets one must stall 2 before another waits for it.
check_loop.py holds the finished code against these rules.
"""
import struct

RZ = 255  # the zero register


class Encoder:
    def __init__(self, origin):
        self.origin, self.code, self.labels, self.branches = origin, [], {}, []

    def label(self, name):
        self.labels[name] = self.address()

    def address(self):
        return self.origin + 16 * len(self.code)

    def emit(self, low, high, stall=1, wait=0, write=7, read=7, predicate=7, reuse=0):
        """`predicate`: 0..7, + 8 negated."""
        control = stall | (stall < 12) << 4 | write << 5 | read << 8 | wait << 11 | reuse << 17
        self.code.append([low | predicate << 12, high | control << 41])

    def ffma(self, d, a, b, c, **k): self.emit(0x223 | d << 16 | a << 24 | b << 32, c, **k)
    def lds128(self, d, a, offset, **k): self.emit(0x984 | d << 16 | a << 24 | offset << 40, 0xC00, **k)
    def ldsm4(self, d, a, offset, **k): self.emit(0x83B | d << 16 | a << 24 | offset << 40, 0x200, **k)
    def mov(self, d, s, **k): self.emit(0x224 | d << 16 | RZ << 24 | RZ << 32, 0x078E0000 | s, **k)
    def add(self, d, a, immediate, **k): self.emit(0x836 | d << 16 | a << 24 | (immediate & 0xFFFFFFFF) << 32, 0, **k)
    def mad(self, d, a, immediate, c, **k): self.emit(0x824 | d << 16 | a << 24 | immediate << 32, 0x078E0200 | c, **k)
    def and_(self, d, a, immediate, **k): self.emit(0x812 | d << 16 | a << 24 | immediate << 32, 0x078EC0FF, **k)
    def xor_immediate(self, d, a, immediate, **k): self.emit(0x812 | d << 16 | a << 24 | immediate << 32, 0x078E3CFF, **k)
    def xor(self, d, a, b, **k): self.emit(0x212 | d << 16 | a << 24 | b << 32, 0x078E3CFF, **k)
    def shl(self, d, a, immediate, **k): self.emit(0x819 | d << 16 | a << 24 | immediate << 32, 0x6FF, **k)
    def equals_immediate(self, p, a, immediate, **k): self.emit(0x80C | a << 24 | immediate << 32, 0x03F02270 | p << 17, **k)
    def equals(self, p, a, b, **k): self.emit(0x20C | a << 24 | b << 32, 0x03F02270 | p << 17, **k)
    def lane_id(self, d, **k): self.emit(0x919 | d << 16, 0, **k)
    def try_wait(self, p, barrier, parity, **k): self.emit(0x5A7 | barrier << 24 | parity << 32, 0x0800017F | p << 17, **k)
    def arrive(self, barrier, offset, **k): self.emit(0x9A7 | RZ << 16 | barrier << 24 | RZ << 32 | offset << 40, 0x0810003F, **k)
    def nop(self, **k): self.emit(0x918, 0, **k)

    def branch(self, target, **k):
        self.branches.append((len(self.code), target))
        self.emit(0x947, 0x03800000, stall=5, **k)

    def bytes(self, room):
        """The code with its branches resolved, filled up to `room` bytes."""
        for at, target in self.branches:
            words = (self.labels[target] - (self.origin + 16 * at + 16)) // 4
            self.code[at][0] |= (words & 0xFF) << 16 | (words >> 8 << 34) & 0xFFFFFFFFFFFFFFFF
            self.code[at][1] |= words >> 38 & 0x3FFFF
        if 16 * len(self.code) > room:
            raise SystemExit(f'the loop needs {16 * len(self.code)} bytes, the region has {room}')
        while 16 * len(self.code) < room:
            self.nop()
        return b''.join(struct.pack('<QQ', *i) for i in self.code)
