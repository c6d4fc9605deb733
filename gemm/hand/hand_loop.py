"""The main loop of the FP32 GEMM for Hopper as machine code, to be put into the cubin of its shell (build.py does).

nvcc compiles everything but the main loop; in its place stands a region of markers (region.py) that tells which registers hold
the inputs, where the shell expects the accumulators and which registers are free.

Why by hand. A sub-core of Hopper issues one FFMA a cycle and reads one operand a cycle from each of two register banks (register
number mod 2). An FFMA has three operands: one must come from the operand reuse cache, and the other two must lie on different
banks. ptxas places accumulators where its epilogue wants them, and about every eighth FFMA waits for a bank. Here
  - row i of the thread's 8x16 tile is one run over its columns j, there and back: A[i] stays in the reuse cache for the run, and
    B[j] across the turn;
  - accumulator (i, j) lies on the bank that B[j] does not use;
  - A is K-contiguous and loaded four k at a time, so A[i] of step k lies on bank k mod 2; a run turns at a column of the parity
    of k, whose accumulator lies on the other bank;
  - every load is issued about 100 FFMA before its use, and nothing is computed in the loop but two addresses, the offset in k
    and its test: 128 FFMA in 135 slots a step, on average.

What a load costs then. With no bank conflict left, most of the remaining loss was the write-back of loaded registers, which takes
register ports from the FFMA. Measured on an H200 at 4096^3 with a 16x8 thread tile (six LDS.128 a step), each time only these
loads replaced (the results are then wrong):
    LDS.128                             2.50 ms    LDS.128, all lanes one address     2.500 ms
    none                                2.218      LDS.64 instead                     2.360
    NOP instead                         2.315      LDS.32 instead                     2.326
    predicated off                      2.318      LDS.128 to RZ                      2.328
    no waits for the loads, no reuse before them, other places in the run: as LDS.128 (within 0.2 %)
So an issue slot is what it is, and on top of it come 1.92 stall cycles a LDS.128, 0.47 a LDS.64 and 0.1 a LDS.32: not the shared
memory, not the waits, not the place. LDSM returns whole registers as LDS.32 does. Therefore the tile is 8x16 with B by LDSM.x4:
four LDSM and two LDS.128 a step, and 2.40 ms with whole tiles as above (2.33 with Stream-K). Unrolling by 8 k (17 KB) beat 4 and
16 (2.516 and 2.510 ms with the 16x8 tile: the loop's own instructions, and the instruction cache).

LDSM.x4 reads four 8x8 matrices of 16-bit words: lane l gives the address of row l % 8 of matrix l / 8, and register m of lane l
receives the l % 4-th 32-bit word of row l / 4 of matrix m. For 32-bit data, that is: 16 bytes (four columns) a row. In the 4x8
arrangement of the lanes (4 along N) lane l must get the same columns whatever l / 4, so all eight rows of a matrix are one
address. Column j of a thread is then 4 j + l % 4 of its warp's 64.

Scoreboards: 0 and 1 the two buffers of B (0 also the test of a barrier, 1 also the release), 2..5 two rows of A each.
"""
import re

from encoder import RZ, Encoder
from region import ACCUMULATORS, INPUTS, QUADS, WORDS

STAGES, STAGE_BYTES = 4, 49152  # as in shell.cu: A 256x32 in rows of 128 bytes, swizzled; B 32x128 behind it
TM, TN, UNROLL = 8, 16, 8       # thread tile; k a trip
A_STEP, B_ROW = 8 * 128, 512    # bytes from one row of a thread to its next; from one k of B to the next
ROWS_A_BOARD = TM // 4          # rows of A that share a scoreboard


class Region:
    """Where the markers stand and which registers they name."""

    def __init__(self, begin, end, inputs, accumulators, quads, words):
        self.begin, self.end = begin, end
        self.inputs, self.accumulators, self.quads, self.words = inputs, accumulators, quads, words
        taken = [*inputs, *accumulators, *words, *(q + x for q in quads for x in range(4))]
        sizes = [len(x) for x in (inputs, accumulators, quads, words)]
        if sizes != [INPUTS, ACCUMULATORS, QUADS, WORDS] or len(set(taken)) != len(taken) or max(taken) >= 240:
            raise SystemExit('the region does not name the registers expected')

    @staticmethod
    def find(code):
        """Reads the markers (tags in region.py) in the disassembly of the shell."""
        found = {'inputs': {}, 'accumulators': {}, 'quads': {}, 'words': {}}
        marks = []
        for address, text, low, _ in code:
            m = re.search(r'(STS|LDS)(\.64|\.128)? .*\+0x7([a-f])([0-9a-f]{4})\]', text)
            if not m:
                continue
            marks.append(address)
            kind, tag = m[3] + m[1], int(m[4], 16)
            register = low >> 32 & 255 if m[1] == 'STS' else low >> 16 & 255
            width = {None: 1, '.64': 2, '.128': 4}[m[2]]  # ptxas may merge neighbours
            if kind == 'aSTS':
                found['inputs'].update({tag // 4 + x: register + x for x in range(width)})
            elif kind == 'cLDS':
                found['accumulators'].update({tag // 4 + x: register + x for x in range(width)})
            elif kind == 'eLDS':
                found['quads'][tag // 16] = register
            elif kind == 'fLDS':
                found['words'][tag // 256] = register
        if not marks:
            raise SystemExit('no region of markers')
        begin, end = marks[0], 16 + next(a for a, t, _, _ in code if a > marks[-1] and 'BRA' in t)
        for address, text, _, _ in code:
            if begin <= address < end and not re.search(r'PMTRIG|STS|LDS|ISETP|BRA|YIELD', text):
                raise SystemExit(f'the compiler moved something into the region: {address:x} {text}')
        return Region(begin, end, **{name: [by[i] for i in sorted(by)] for name, by in found.items()})

    def to_json(self):
        return vars(self)


class Loop:
    """Everything between the marks: entry, body, next_stage, finish."""

    def __init__(self, region):
        self.region, self.asm = region, Encoder(region.begin)
        self.a = region.quads[:TM]                                           # a row's four k
        self.b = region.quads[TM:TM + TN // 4], region.quads[TM + TN // 4:]  # one k's 16 columns, twice
        # Address of the stage's A; of A of this and the next four k; of B; k as an offset; the stage's barrier; stages taken.
        self.pa0, self.pa, self.pa_next, self.pb, self.k, self.barrier, self.taken, self.t0, self.t1 = region.words
        # The shell keeps column j where the bank of B[j] would be: neighbours change places, and back at the end.
        self.accumulator = {(i, j): region.accumulators[TN * i + (j ^ 1)] for i in range(TM) for j in range(TN)}
        if any(r % 2 == j % 2 for (_, j), r in self.accumulator.items()):
            raise SystemExit('an accumulator lies on the bank of its column')

    @staticmethod
    def columns(i, k):
        """Order of the columns in row i's run: even rows forth, odd ones back, turning at columns of the parity of k."""
        run = [*range(TN - 2), TN - 1, TN - 2] if k % 2 == 0 else [1, 0, *range(2, TN)]
        return run if i % 2 == 0 else run[::-1]

    def load_a(self, i, address):
        self.asm.lds128(self.a[i], address, i * A_STEP, write=2 + i // ROWS_A_BOARD)

    def load_b(self, buffer, quad, offset):
        self.asm.ldsm4(self.b[buffer][quad], self.pb, offset + 64 * quad, write=buffer)

    def step(self, k, after):
        """One k: 128 FFMA; after[i, n]: what to issue after the n-th FFMA of row i."""
        for i in range(TM):
            for n, j in enumerate(self.columns(i, k)):
                wait = 1 << k % 2 if i == n == 0 else 0  # B of this k
                if k % 4 == n == i % ROWS_A_BOARD == 0:
                    wait |= 1 << 2 + i // ROWS_A_BOARD   # these rows of A
                reuse = 1 if n < TN - 1 else 2 if i < TM - 1 else 0
                c = self.accumulator[i, j]
                self.asm.ffma(c, self.a[i] + k % 4, self.b[k % 2][j // 4] + j % 4, c, wait=wait, reuse=reuse)
                for issue in after.get((i, n), []):
                    issue()

    def loads(self, k):
        """What step k issues besides its FFMA: the next k of B, after every fourth the next four k of A, the bookkeeping."""
        after, asm, last = {}, self.asm, UNROLL - 1

        def at(i, n, function, *arguments):
            after.setdefault((i, n), []).append(lambda: function(*arguments))

        for quad in range(TN // 4):
            at(quad, 7, self.load_b, (k + 1) % 2, quad, 0 if k == last else (k + 1) * B_ROW)
        if k % 4 == 3:
            for i in range(TM):  # behind the last FFMA that reads this row's k
                at(i, TN - 1, self.load_a, i, self.pa if k == last else self.pa_next)
        if k == 1:
            at(5, 7, asm.xor_immediate, self.pa_next, self.pa, 16)  # the swizzle: 16-byte chunk number, xor row
        if k == last - 2:
            at(5, 7, asm.add, self.k, self.k, 4 * UNROLL)
        if k == last - 1:
            at(5, 7, asm.equals_immediate, 0, self.k, 128)
            at(6, 7, asm.xor, self.pa, self.pa0, self.k)
        return after

    def take_stage(self, label):
        """Addresses and parity of stage number `taken`, then the wait until it is full. B starts one trip early: the loop adds it."""
        asm, (a0, b0, barriers) = self.asm, self.region.inputs[:3]
        asm.and_(self.t0, self.taken, STAGES - 1)
        asm.and_(self.t1, self.taken, STAGES, stall=6)
        asm.mad(self.barrier, self.t0, 8, barriers, wait=2)  # behind the release of the stage before
        asm.mad(self.pa0, self.t0, STAGE_BYTES, a0)
        asm.mad(self.pb, self.t0, STAGE_BYTES, b0)
        asm.shl(self.t1, self.t1, 31 - (STAGES.bit_length() - 1))
        asm.mov(self.k, RZ, stall=6)
        asm.mov(self.pa, self.pa0)
        asm.add(self.pb, self.pb, -B_ROW * UNROLL, stall=6)
        asm.label(label)
        asm.try_wait(2, self.barrier, self.t1, write=0, stall=2)
        asm.branch(label, predicate=2 | 8, wait=1)

    def entry(self):
        """The first stage's first loads; accumulators to zero. P1: this lane speaks for its warp."""
        asm = self.asm
        asm.nop(wait=0x3F, stall=6)
        asm.lane_id(self.t0, write=0, stall=2)
        asm.equals_immediate(1, self.t0, 0, wait=1, stall=6)
        asm.mov(self.taken, self.region.inputs[3], stall=6)
        self.take_stage('first_wait')
        asm.add(self.pb, self.pb, B_ROW * UNROLL, stall=6)
        for quad in range(TN // 4):
            self.load_b(0, quad, 0)
        for i in range(TM):
            self.load_a(i, self.pa0)
        for register in self.accumulator.values():
            asm.mov(register, RZ)

    def body(self):
        asm = self.asm
        while asm.address() % 128:
            asm.nop()
        asm.label('body')
        for k in range(UNROLL):
            if k == UNROLL - 1:  # P0: the stage's last k. All its loads have arrived, so it can go
                asm.branch('next_stage', predicate=0, wait=1 << 1)
                asm.label('resume')
                asm.add(self.pb, self.pb, B_ROW * UNROLL)
            self.step(k, self.loads(k))
        asm.branch('body')

    def next_stage(self):
        asm = self.asm
        asm.label('next_stage')
        asm.arrive(self.barrier, 8 * STAGES, predicate=1, read=1)
        asm.add(self.taken, self.taken, 1, stall=6)
        asm.equals(2, self.taken, self.region.inputs[4], stall=13)
        asm.branch('last_step', predicate=2)
        self.take_stage('wait')
        asm.branch('resume')

    def finish(self):
        """The tile's last k; then columns change places, to where the shell wants them."""
        asm, accumulators = self.asm, self.region.accumulators
        asm.label('last_step')
        self.step(UNROLL - 1, {})
        asm.nop(stall=8)
        pairs = [(accumulators[i], accumulators[i + 1]) for i in range(0, ACCUMULATORS, 2)]
        spare = [q + x for q in self.region.quads for x in range(4)]
        for (low, _), t in zip(pairs, spare):
            asm.mov(t, low)
        for low, high in pairs:
            asm.mov(low, high)
        for (_, high), t in zip(pairs, spare):
            asm.mov(high, t)
        asm.nop(stall=8)
        asm.branch('end', wait=0x3F)

    def bytes(self):
        self.entry()
        self.body()
        self.next_stage()
        self.finish()
        self.asm.labels['end'] = self.region.end
        return self.asm.bytes(self.region.end - self.region.begin)

    def share_of_ffma(self):
        """FFMA a slot of the body, after bytes()."""
        return TM * TN * UNROLL / ((self.asm.labels['next_stage'] - self.asm.labels['body']) / 16)
