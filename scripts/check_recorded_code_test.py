#!/usr/bin/env python3
"""Tests of check_recorded_code.py: names of one function are one name, however its file was compiled, and those of two stay two."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_recorded_code  # noqa: E402
from check_recorded_code import plain  # noqa: E402


def inside(file, path_hash="1a2b3c4d", rest="5e6f7a8b_20487"):
    """The identifier that nvcc makes for the names inside a file."""
    word = f"_GLOBAL__N__{path_hash}_{len(file)}_{file}_{rest}"
    return f"{len(word)}{word}"


def mangled(function, *scopes):
    return f"_ZN8rooftile{''.join(scopes)}{len(function)}{function}Ei"


class Plain(unittest.TestCase):
    def test_a_name_as_nvcc_writes_it(self):
        self.assertEqual(plain("_ZN8rooftile45_GLOBAL__N__1a2b3c4d_7_ffma_cu_5e6f7a8b_2048711ffma_kernelILi16EEEvPx"),
                         "_ZN8rooftile<ffma.cu>11ffma_kernelILi16EEEvPx")

    def test_another_compilation_has_the_same_names(self):
        expected = mangled("kernel", "<smem_queue.cu>")
        for path_hash in ("1a2b3c4d", "00000000", "12345678", "deadbeef"):
            for rest in ("5e6f7a8b_20487", "12345678_1", "00000000_123456", "5e6f7a8b"):
                self.assertEqual(plain(mangled("kernel", inside("smem_queue_cu", path_hash, rest))), expected)

    def test_names_of_files_may_hold_what_a_hash_holds(self):
        for file in ("a_cu", "ab_12_cd_cu", "12_34_cu_cu", "l2_hits_cu", "cu_cu", "x_7_cu_y_cu"):
            for path_hash in ("1a2b3c4d", "12345678"):
                self.assertEqual(plain(mangled("kernel", inside(file, path_hash))), mangled("kernel", f"<{file[:-3]}.cu>"))

    def test_what_is_not_of_a_file_stays(self):
        for name in ("_ZN8rooftile4gemm6kernelEPf", "plain_c_name", "_Z3foov", ""):
            self.assertEqual(plain(name), name)

    def test_every_mention_is_made_plain(self):
        both = mangled("kernel", inside("one_cu"), "4gemm", inside("two_cu", "12345678"))
        self.assertEqual(plain(both), mangled("kernel", "<one.cu>", "4gemm", "<two.cu>"))

    def test_two_functions_stay_two(self):
        names = [mangled(function, *scopes, inside(file)) for function in ("a", "b", "ab") for scopes in ((), ("4gemm",))
                 for file in ("one_cu", "two_cu", "one_two_cu")]
        self.assertEqual(len({plain(name) for name in names}), len(names))

    def test_an_identifier_of_another_form_is_refused_by_name(self):
        with self.assertRaisesRegex(ValueError, "_ZN8rooftile12_GLOBAL__N_"):
            plain("_ZN8rooftile12_GLOBAL__N_16kernelEv")


class CodeOf(unittest.TestCase):
    LISTING = """
\t\tFunction : {name}
        /*0000*/   MOV R1, c[0x0][0x28] ;   /* 0x{code:016x} */
                                            /* 0x000fe40000000f00 */
"""

    def code(self, *functions):
        text = "".join(self.LISTING.format(name=name, code=code) for name, code in functions)
        return check_recorded_code.code_of_text(text)

    def test_only_encodings_count(self):
        one = self.code((mangled("kernel", inside("ffma_cu")), 0x10))
        other = self.code((mangled("kernel", inside("ffma_cu", "12345678")), 0x10))
        self.assertEqual(one, other)
        self.assertEqual(list(one), [mangled("kernel", "<ffma.cu>")])

    def test_another_encoding_is_other_code(self):
        self.assertNotEqual(self.code(("kernel", 0x10)), self.code(("kernel", 0x11)))

    def test_each_function_has_its_own(self):
        both = self.code(("one", 0x10), ("two", 0x11))
        self.assertEqual(both, {**self.code(("one", 0x10)), **self.code(("two", 0x11))})


if __name__ == "__main__":
    unittest.main()
