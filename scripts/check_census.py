#!/usr/bin/env python3
"""Holds the descriptors' instruction counts against the compiled main loops.

usage: check_census.py --expected <rooftile_census> --objects FILE.o... [--verbose]

For each variant and path the main loop is the backward branch whose body holds the most FFMA and stores nothing to global memory (a
loop that does walks over tiles). FFMA, LDS, STS, LDG and LDGSTS by
width and BAR must be equal; registers may differ by 16, integer and control instructions by 8 or 3 % of the loop. Spills (LDL, STL)
are an error. cuobjdump is looked for in ROOFTILE_CUOBJDUMP and on PATH; exit 77 (skipped) when there is none.
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys

INSTRUCTION = re.compile(r'^\s+/\*([0-9a-f]{4,5})\*/\s+(?:@!?U?P[T\d]+ )?\s*([A-Z0-9_.]+)\s*(.*?);')
KERNEL = re.compile(r'rooftile4gemm\d+(\w+?)6kernelI.*Lb([01])ELi0E')  # of NN: TRANS is 0
COUNTED = ('FFMA', 'LDS', 'STS', 'LDG', 'LDGSTS', 'BAR', 'LDL', 'STL')
CONTROL = ('BRA', 'ISETP', 'UISETP')
TRIPS = {'naive': 4, 'naive_coalesced': 4}  # steps of K a trip of the compiled loop


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def kernels(cuobjdump, objects):
    """{(variant, guarded): (instructions, resource usage)}; an instruction is (address, operation, arguments)."""
    found = {}
    for path in objects:
        usage = {}
        for name, text in re.findall(r'Function (\S+):\s*\n\s*(.*)', run(cuobjdump, '-res-usage', path)):
            usage[name] = dict((k, int(v)) for k, v in re.findall(r'(\w+):(\d+)', text))
        body = None
        for line in run(cuobjdump, '-sass', path).splitlines():
            function = re.search(r'Function : (\S+)', line)
            if function:
                key = KERNEL.search(function.group(1))
                body = [] if key else None
                if key:
                    found[key.group(1), key.group(2) == '1'] = body, usage.get(function.group(1), {})
            elif body is not None and (m := INSTRUCTION.match(line)):
                # ptxas puts loads that never run before some copies; they cost a slot and load nothing.
                operation = 'NOP' if '@!PT' in line else m.group(2)
                body.append((int(m.group(1), 16), operation, m.group(3)))
    return found


def main_loop(code):
    best = []
    for address, operation, arguments in code:
        target = re.search(r'0x([0-9a-f]+)', arguments) if operation.startswith('BRA') else None
        if target and int(target.group(1), 16) < address:
            body = [i for i in code if int(target.group(1), 16) <= i[0] <= address]
            if any(i[1].startswith(('STG', 'RED')) for i in body):
                continue
            if sum(i[1] == 'FFMA' for i in body) > sum(i[1] == 'FFMA' for i in best):
                best = body
    return best


def census(loop, trips):
    counts = collections.Counter()
    for _, operation, _ in loop:
        base = operation.split('.')[0]
        wide = '.128' if '.128' in operation else '.64' if '.64' in operation else ''
        counts[base + wide if base in ('LDS', 'STS', 'LDG', 'LDGSTS') else base] += 1 / trips
    return counts


def compare(entry, code, usage, verbose):
    counts = census(main_loop(code), TRIPS.get(entry['variant'], 1))
    problems = []
    counted = {k: v for k, v in counts.items() if k.split('.')[0] in COUNTED}
    expected = {k: v for k, v in entry['counts'].items() if v}
    if counted != expected:
        problems.append(f'main loop has {counted}, the descriptor says {expected}')
    if any(i[1].startswith(('LDL', 'STL')) for i in code):
        problems.append('spills: LDL or STL')
    control = sum(v for k, v in counts.items() if k in CONTROL)
    integer = sum(counts.values()) - sum(counted.values()) - control
    slack = max(8, 0.03 * sum(counts.values()))
    if abs(integer + control - entry['integer'] - entry['control']) > slack:
        problems.append(f'{integer + control} other instructions, the descriptor says {entry["integer"] + entry["control"]}')
    registers, shared = usage.get('REG', 0), usage.get('SHARED', 0)
    if abs(registers - entry['registers']) > 16:
        problems.append(f'{registers} registers, the descriptor estimates {entry["registers"]}')
    # From compute capability 9.0 on the tool counts the driver's 1 KiB too.
    if shared - entry['shared_bytes'] not in (0, 1024):
        problems.append(f'{shared} bytes of shared memory, the descriptor says {entry["shared_bytes"]}')
    if verbose or problems:
        name = entry['variant'] + (' guarded' if entry['guarded'] else '')
        print(f'{name}: {sum(counts.values()):g} instructions a step ({integer:g} integer, {control:g} control; descriptor '
              f'{entry["integer"]:g}, {entry["control"]:g}), {registers} registers (estimate {entry["registers"]})')
        for problem in problems:
            print(f'  {problem}')
    return not problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--expected', required=True, help='path of rooftile_census')
    parser.add_argument('--objects', nargs='+', required=True)
    parser.add_argument('--verbose', action='store_true')
    options = parser.parse_args()
    cuobjdump = os.environ.get('ROOFTILE_CUOBJDUMP') or shutil.which('cuobjdump')
    if not cuobjdump:
        print('skipped: no cuobjdump; put it on PATH or set ROOFTILE_CUOBJDUMP')
        return 77
    compiled = kernels(cuobjdump, [o for o in options.objects if '/generated/' in o])
    good = True
    for entry in json.loads(run(options.expected)):
        key = entry['variant'], entry['guarded']
        if key not in compiled:
            print(f'{key[0]}: no compiled kernel among the objects')
            good = False
        else:
            good &= compare(entry, *compiled[key], options.verbose)
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
