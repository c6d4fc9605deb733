"""Runs the hand-scheduled loop of one lane on integers, from the machine code, and checks it.

For several numbers of stages: the sums that reach the shell's accumulator registers; that no register is read before the
scoreboard of its load was waited for; that results of fixed latency are old enough; that nothing reads a stage before its barrier
or after its release; that no address register changes under a pending load.
"""
import re

import cubin
from hand_loop import A_STEP, B_ROW, STAGE_BYTES, STAGES, TM, TN

A_BYTES, ROW = 32768, 5  # of a stage; the lane's first row (5 of 8: its swizzle is not trivial)
BASE, BARRIERS = 1 << 20, 1 << 19
FFMA_LATENCY, INTEGER_LATENCY, PREDICATE_LATENCY = 4, 5, 12
LANE_WORD = 2  # this lane's word of the 16 bytes that LDSM gives to four lanes


class Machine:
    """One lane: registers, predicates, scoreboards, time."""

    def __init__(self, code, region, taken, count):
        self.code, self.region, self.end = code, region, taken + count
        self.registers, self.predicates = {255: 0}, {7: True}
        for register, value in zip(region.inputs, (BASE + ROW * 144, BASE + A_BYTES, BARRIERS, taken, taken + count)):
            self.registers[register] = value
        self.ready, self.boards = {}, {b: [] for b in range(6)}
        self.pending, self.address_of = set(), {}
        self.content = {}  # number of the k-tile in each stage that may be read
        self.pc, self.now, self.tile = region.begin, 0, taken

    def fail(self, why):
        raise SystemExit(f'{self.pc:x}: {self.code[self.pc][0]}: {why}')

    def read(self, r):
        if r in self.pending:
            self.fail(f'R{r} is read while its load is pending')
        if self.ready.get(r, 0) > self.now:
            self.fail(f'R{r} is read too early')
        if r not in self.registers:
            self.fail(f'R{r} was never written')
        return self.registers[r]

    def write(self, r, value, latency=INTEGER_LATENCY):
        if r in self.pending:
            self.fail(f'R{r} is written while its load is pending')
        if r in self.address_of.values():
            self.fail(f'R{r} changes under a pending load')
        self.registers[r], self.ready[r] = value, self.now + latency

    def load(self, r, board, value, address_register=None):
        if r in self.pending:
            self.fail(f'R{r} is loaded twice')
        self.registers[r] = value
        self.pending.add(r)
        self.boards[board].append(r)
        if address_register is not None:
            self.address_of[r] = address_register

    def wait(self, mask):
        for b in range(6):
            if mask >> b & 1:
                for r in self.boards[b]:
                    self.pending.discard(r)
                    self.address_of.pop(r, None)
                self.boards[b] = []

    def operand(self, text):
        return int(text, 0) if text[0] in '-0123456789' else self.read(register(text))

    def run(self):
        while self.pc != self.region.end:
            text, low, high = self.code[self.pc]
            control = high >> 41
            self.wait(control >> 11 & 63)
            negated, predicate, operation, rest = re.match(r'(?:@(!?)P(\d) )?([A-Z0-9_.]+)\s*(.*)', text).groups()
            arguments = [x.strip().replace('.reuse', '') for x in rest.split(',')]
            taken = True
            if predicate is not None:
                if self.ready.get('P' + predicate, 0) > self.now:
                    self.fail('the predicate is read too early')
                taken = self.predicates[int(predicate)] != bool(negated)
            following = self.pc + 16
            if operation == 'BRA':
                following = branch_target(self.pc, low, high) if taken else following
            elif taken:
                self.execute(operation, arguments, control >> 5 & 7)
            self.now += max(1, control & 15)
            self.pc = following

    def execute(self, operation, a, board):
        if operation == 'FFMA':
            self.write(register(a[0]), self.operand(a[1]) * self.operand(a[2]) + self.operand(a[3]), FFMA_LATENCY)
        elif operation == 'IMAD.MOV.U32':
            self.write(register(a[0]), self.operand(a[3]))
        elif operation == 'IMAD':
            self.write(register(a[0]), self.operand(a[1]) * self.operand(a[2]) + self.operand(a[3]))
        elif operation == 'VIADD':
            self.write(register(a[0]), self.operand(a[1]) + self.operand(a[2]) & 0xFFFFFFFF)
        elif operation == 'LOP3.LUT':
            x, y = self.operand(a[1]), self.operand(a[2])
            self.write(register(a[0]), {0xC0: x & y, 0x3C: x ^ y}[int(a[4], 0)])
        elif operation == 'SHF.L.U32':
            self.write(register(a[0]), self.operand(a[1]) << self.operand(a[2]) & 0xFFFFFFFF)
        elif operation == 'S2R':
            self.load(register(a[0]), board, 0)
        elif operation == 'ISETP.EQ.AND':
            self.predicates[int(a[0][1])] = self.operand(a[2]) == self.operand(a[3])
            self.ready[a[0]] = self.now + PREDICATE_LATENCY
        elif operation in ('LDS.128', 'LDSM.16.M88.4'):
            self.load_shared(operation == 'LDS.128', a, board)
        elif operation.startswith('SYNCS.PHASECHK'):
            stage = self.barrier(a)
            if stage != self.tile % STAGES or self.operand(a[2]) != (self.tile // STAGES & 1) << 31:
                self.fail(f'waits for stage {stage} where k-tile {self.tile} is next')
            self.content[stage] = self.tile
            self.predicates[int(a[0][1])] = True
        elif operation.startswith('SYNCS.ARRIVE'):
            stage = self.barrier(a)
            if stage != self.tile % STAGES or any(self.boards.values()) or f'+{8 * STAGES:#x}]' not in ','.join(a):
                self.fail('releases what is still read')
            del self.content[stage]
            self.tile += 1
        elif operation != 'NOP':
            self.fail('unknown to this check')

    def barrier(self, arguments):
        return (self.read(int(re.search(r'R(\d+)\+URZ', ','.join(arguments))[1])) - BARRIERS) // 8

    def load_shared(self, quad, a, board):
        m = re.match(r'\[R(\d+)(?:\+(0x[0-9a-f]+))?\]', a[1])
        address = self.read(int(m[1])) + int(m[2] or '0', 16)
        stage = (address - BASE) // STAGE_BYTES
        if stage not in self.content or address % 16:
            self.fail(f'reads stage {stage}, which it does not hold')
        for q in range(4):
            word = address + (4 * q if quad else 16 * q + 4 * LANE_WORD)
            self.load(register(a[0]) + q, board, value(word, self.content[stage]), int(m[1]))

    def check_sums(self, first):
        if self.tile != self.end:
            raise SystemExit(f'{self.end - self.tile} k-tiles were left out')
        for i in range(TM):
            for j in range(TN):
                want = sum(product(t, i, j, k) for t in range(first, self.end) for k in range(32))
                r = self.region.accumulators[TN * i + j]
                if self.ready.get(r, 0) > self.now or self.registers[r] != want:
                    raise SystemExit(f'accumulator {i}, {j} in R{r} is {self.registers[r]} for {want}')


def register(text):
    return 255 if text.startswith('RZ') else int(re.match(r'R(\d+)', text)[1])


def branch_target(pc, low, high):
    """From the encoding, not from the labels: that is what is tested."""
    words = (low >> 16 & 0xFF) | (low >> 34) << 8 | (high & 0x3FFFF) << 38
    return pc + 16 + 4 * (words - (1 << 56 if words >> 55 else 0))


def value(address, tile):
    """What shared memory holds: anything that differs from place to place and from tile to tile."""
    return (address * 2654435761 + tile * 40503 >> 7) % 89 - 44


def product(tile, i, j, k):
    stage = BASE + tile % STAGES * STAGE_BYTES
    a = stage + ROW * 128 + i * A_STEP + (k // 4 ^ ROW) * 16 + k % 4 * 4  # 128-byte swizzle
    b = stage + A_BYTES + k * B_ROW + 16 * j + 4 * LANE_WORD
    return value(a, tile) * value(b, tile)


def check(nvdisasm, path, region):
    code = {address: rest for address, *rest in cubin.disassemble(nvdisasm, path)}
    for taken, count in ((0, 1), (0, 2), (3, 6), (7, 9)):
        machine = Machine(code, region, taken, count)
        machine.run()
        machine.check_sums(taken)
