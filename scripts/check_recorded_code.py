#!/usr/bin/env python3
"""Holds the kernels of a build against those that the recorded figures were measured with.

    scripts/check_recorded_code.py --record data/h200/machine-code.json.gz --compiler 13.0.88 --objects FILE.o... | @LIST
    scripts/check_recorded_code.py ... --write REVISION        after a record: what REVISION, which made it, compiles to

The record holds a hash of the machine code of every function, by its name: of the encoded instructions alone, so that neither
another disassembler nor source lines matter. A kernel that was added is no fault (nothing recorded is of it), one that is gone or
is other code is: README, docs and the accuracy gates then speak of code that is not this. Exit: 0 the same, 1 not, 77 no
disassembler, or a compiler other than the record's.
"""
import argparse
import concurrent.futures
import gzip
import hashlib
import json
import pathlib
import re
import subprocess
import sys

from check_sass import SKIPPED, find_disassembler

FUNCTION = re.compile(r"Function : (\S+)")
ENCODING = re.compile(r"/\* (0x[0-9a-f]{16}) \*/")
# Names inside a file carry a hash of its path and a number of the compilation, in an identifier whose length comes first, as
# comes that of the file's name: 45_GLOBAL__N__1a2b3c4d_7_ffma_cu_5e6f7a8b_20487. A hash may happen to be digits alone.
OF_A_FILE = re.compile(r"(\d+)_GLOBAL__N_")
FILE = re.compile(r"_GLOBAL__N__[0-9a-f]+_(\d+)_")


def plain(name):
    """The name of a function without what another compilation of its file changes."""
    while inside := OF_A_FILE.search(name):
        begin = inside.end(1)
        end = begin + int(inside.group(1))
        file = FILE.match(name[begin:end])
        if not file:
            raise ValueError(f"{name}: no name of a file after {name[inside.start():begin]}")
        written = name[begin + file.end():begin + file.end() + int(file.group(1))]
        name = f"{name[:inside.start()]}<{written.removesuffix('_cu')}.cu>{name[end:]}"
    return name


def code_of(tool, path):
    return code_of_text(subprocess.run([tool, "-sass", path], check=True, capture_output=True, text=True).stdout)


def code_of_text(text):
    """{function: hash of its encoded instructions} of a disassembled object."""
    parts = FUNCTION.split(text)[1:]
    return {plain(name): hashlib.sha256("".join(ENCODING.findall(body)).encode()).hexdigest()[:16]
            for name, body in zip(parts[::2], parts[1::2])}


def code_of_all(tool, objects):
    with concurrent.futures.ThreadPoolExecutor() as pool:
        found = {}
        for functions in pool.map(lambda path: code_of(tool, path), objects):
            found.update(functions)
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     fromfile_prefix_chars="@")
    parser.add_argument("--record", required=True, type=pathlib.Path)
    parser.add_argument("--compiler", required=True, help="version of nvcc that made the objects")
    parser.add_argument("--objects", required=True, nargs="+", metavar="FILE")
    parser.add_argument("--write", metavar="REVISION")
    options = parser.parse_args()
    tool = find_disassembler("")
    if not tool or pathlib.Path(tool).name != "cuobjdump":
        print("skipped: no cuobjdump, on PATH or in ROOFTILE_CUOBJDUMP")
        return SKIPPED
    if options.write:
        record = {"schema": "rooftile.machine_code", "schema_version": 1, "git_revision": options.write,
                  "compiler": options.compiler, "architecture": "sm_90a",
                  "functions": dict(sorted(code_of_all(tool, options.objects).items()))}
        options.record.write_bytes(gzip.compress(json.dumps(record, indent=1).encode(), mtime=0))
        print(f"{options.record}: {len(record['functions'])} functions")
        return 0
    record = json.loads(gzip.decompress(options.record.read_bytes()))
    if options.compiler != record["compiler"]:
        print(f"skipped: compiled by nvcc {options.compiler}, the record by {record['compiler']}")
        return SKIPPED
    present = code_of_all(tool, options.objects)
    other = [f"{name}: {'other code' if name in present else 'gone'}" for name, code in record["functions"].items()
             if present.get(name) != code]
    if other:
        print(*other, sep="\n")
        print(f"{len(other)} of {len(record['functions'])} functions are not what revision {record['git_revision']} measured: "
              "make the record anew, then --write")
        return 1
    print(f"{len(record['functions'])} functions are the machine code that revision {record['git_revision']} measured; "
          f"{len(present) - len(record['functions'])} were added")
    return 0


if __name__ == "__main__":
    sys.exit(main())
