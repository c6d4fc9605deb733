#!/usr/bin/env python3
"""Tests of check_sass.py on hand-written disassembly: each kind of term holds, and breaks when it should."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_sass  # noqa: E402

LINES = [
    "MOV R1, c[0x0][0x28]",
    "LDS R2, [R4]",             # 0010: loop start
    "LDS.U.128 R8, [R4+0x10]",
    "FFMA R0, R2, R3.reuse, R0",
    "FFMA R5, R7, R3, R5",
    "NOP",
    "@P0 BRA 0x10",             # 0060: loop end
    "EXIT",
    "BRA 0x80",                 # 0080: the branch to itself that pads a kernel
]


def disassembly(lines):
    head = "arch = sm_90\n\t\tFunction : _Z6kernelILi16EEvPx\n"
    return head + "\n".join(f"        /*{16 * i:04x}*/                   {line} ;   /* 0x0 */" for i, line in enumerate(lines))


def problems(text, lines=None):
    kernels = check_sass.parse_kernels(disassembly(lines or LINES), "test.o")
    return check_sass.check(check_sass.parse_assertion(text, "here:1"), kernels, False)


class Terms(unittest.TestCase):
    def test_counts_in_the_loop(self):
        self.assertEqual(problems("kernel=kernel.*Li16E LDS.32=1 LDS.128=1 FFMA=2 other=1 bytes=96 spill=0"), [])

    def test_widths_differ(self):
        self.assertTrue(problems("kernel=kernel LDS.32=2"))
        self.assertEqual(problems("kernel=kernel LDS=2 other<=3"), [])

    def test_other_counts_what_is_not_named(self):
        self.assertTrue(problems("kernel=kernel LDS=2 other<=2"))

    def test_spills_count_outside_the_loop_too(self):
        self.assertTrue(problems("kernel=kernel FFMA=2 spill=0", ["STL [R1], R2"] + [l.replace("0x10", "0x20") for l in LINES]))

    def test_a_kernel_that_is_not_there_is_a_problem(self):
        self.assertTrue(problems("kernel=other_kernel FFMA>=0"))

    def test_a_loop_that_is_gone_is_a_problem(self):
        self.assertTrue(problems("kernel=kernel FFMA>=1", [l for l in LINES if "@P0" not in l]))

    def test_other_architectures_are_left_alone(self):
        self.assertEqual(problems("kernel=kernel FFMA=99 sm<90"), [])
        self.assertTrue(problems("kernel=kernel FFMA=99 sm>=90"))

    def test_port_conflicts_cost_cycles(self):
        fine = ["MOV R1, R2"] + ["FFMA R0, R2.reuse, R3, R0"] * 8 + ["@P0 BRA 0x10"]
        conflict = ["MOV R1, R2"] + ["FFMA R0, R2, R4, R6"] * 8 + ["@P0 BRA 0x10"]
        self.assertEqual(problems("kernel=kernel FFMA=8 ports=100", fine), [])
        self.assertEqual(problems("kernel=kernel FFMA=8 ports<=40", conflict), [])

    def test_bad_lines_are_refused(self):
        for text in ("FFMA=1", "kernel=x FFMA", "kernel=x FFMA~3"):
            with self.assertRaises(ValueError):
                check_sass.parse_assertion(text, "here:1")


class Sources(unittest.TestCase):
    def test_lines_of_sources_and_nothing_of_what_is_compiled(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a.cu", "b.cuh"):
                pathlib.Path(folder, name).write_text("// SASS: kernel=k FFMA=1\n", encoding="utf-8")
            pathlib.Path(folder, "c.cubin.gz").write_bytes(b"\x1f\x8b\x08\xff")
            found = list(check_sass.read_assertions([folder]))
        self.assertEqual([pathlib.Path(a.where).name for a in found], ["a.cu:1", "b.cuh:1"])

    def test_the_projects_own_are_read(self):
        root = pathlib.Path(__file__).parent.parent
        self.assertTrue(list(check_sass.read_assertions([root / "micro"])))
        list(check_sass.read_assertions([root / "gemm"]))  # holds none today, and a packed cubin


if __name__ == "__main__":
    unittest.main()
