#!/usr/bin/env python3
"""Build or check the cubin of the hand-scheduled FP32 GEMM for Hopper.

usage: build.py          sgemm_sm90a.cubin.gz and sgemm_sm90a.json from source
       build.py --check  holds the two against each other and against what this machine can make; exit 1 where they differ

The cubin is part of the repository, so that a build needs neither Python nor nvdisasm for it and another nvcc does not change it:
the shell's registers, and with them the loop's, are ptxas's choice. The JSON file keeps what the loop was made from (registers,
place, nvcc's version). --check does what it can: without any tool, that the loop made from the JSON file is the one in the cubin;
with nvdisasm, the loop run on integers (check_loop.py); with nvcc too, a new build, which is equal where nvcc's version is and is
run on integers everywhere.

nvdisasm is looked for beside $ROOFTILE_CUOBJDUMP, on PATH, in <build>/nvidia and <build>/disassembler (--build), beside nvcc.
`pip install --target <build>/disassembler nvidia-cuda-nvdisasm` brings it.
"""
import argparse
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import check_loop  # noqa: E402
import cubin  # noqa: E402
import hand_loop  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
CUBIN, RECORD = HERE / 'sgemm_sm90a.cubin.gz', HERE / 'sgemm_sm90a.json'


def find_nvdisasm(build):
    named = os.environ.get('ROOFTILE_CUOBJDUMP')
    candidates = [pathlib.Path(named).with_name('nvdisasm')] if named else []
    candidates.append(shutil.which('nvdisasm'))
    for folder in ('nvidia', 'disassembler') if build else ():
        candidates += sorted(pathlib.Path(build, folder).glob('**/bin/nvdisasm'))
    if nvcc := find_nvcc():
        candidates.append(pathlib.Path(os.path.realpath(nvcc)).with_name('nvdisasm'))
    return next((str(c) for c in candidates if c and os.path.exists(c)), None)


def find_nvcc():
    return os.environ.get('CUDACXX') or shutil.which('nvcc')


def version_of(nvcc):
    return subprocess.run([nvcc, '--version'], capture_output=True, text=True, check=True).stdout.split()[-1]


def make(nvcc, nvdisasm, folder):
    """(cubin, region, share of FFMA): nvcc's shell with the loop in it."""
    shell = folder / 'shell.cubin'
    (folder / 'region.inc').write_bytes(subprocess.check_output([sys.executable, '-B', HERE / 'region.py']))
    subprocess.run([nvcc, '-std=c++20', '-O3', '-arch=sm_90a', '-cubin', '-I', folder, '-I', HERE.parents[1], '-o', shell,
                    HERE / 'shell.cu'], check=True)
    region = hand_loop.Region.find(cubin.disassemble(nvdisasm, shell))
    loop = hand_loop.Loop(region)
    elf = bytearray(shell.read_bytes())
    at = cubin.section(elf, '.text.sgemm')[0]
    elf[at + region.begin:at + region.end] = loop.bytes()
    return bytes(elf), region, loop.share_of_ffma()


def emulate(nvdisasm, elf, region, folder):
    path = folder / 'sgemm.cubin'
    path.write_bytes(elf)
    check_loop.check(nvdisasm, path, region)


def build(nvcc, nvdisasm, folder):
    if not nvcc or not nvdisasm:
        raise SystemExit('nvcc and nvdisasm are needed; the head of this file says where they are looked for')
    elf, region, share = make(nvcc, nvdisasm, folder)
    emulate(nvdisasm, elf, region, folder)
    CUBIN.write_bytes(gzip.compress(elf, 9, mtime=0))
    record = {'nvcc': version_of(nvcc), **region.to_json()}
    RECORD.write_text('{\n' + ',\n'.join(f'  {json.dumps(k)}: {json.dumps(v)}' for k, v in record.items()) + '\n}\n', encoding='utf-8')
    print(f'{CUBIN.name}: {len(elf)} bytes, {share:.4f} FFMA a slot of the loop')


def check(nvcc, nvdisasm, folder):
    elf = gzip.decompress(CUBIN.read_bytes())
    record = json.loads(RECORD.read_text(encoding='utf-8'))
    made_by = record.pop('nvcc')
    region = hand_loop.Region(**record)
    if cubin.text_of(elf)[region.begin:region.end] != hand_loop.Loop(region).bytes():
        raise SystemExit(f'{CUBIN.name}: not the loop that hand_loop.py makes; run build.py')
    print('the loop is that of hand_loop.py')
    if not nvdisasm:
        print('not run on integers: no nvdisasm')
        return
    emulate(nvdisasm, elf, region, folder)
    print('sums and hazards checked on integers')
    if not nvcc:
        print('not built anew: no nvcc')
        return
    new, region, _ = make(nvcc, nvdisasm, folder)
    if version_of(nvcc) == made_by:
        if cubin.text_of(new) != cubin.text_of(elf):
            raise SystemExit(f'{CUBIN.name}: not what the sources give; run build.py')
        print('a new build is equal')
    else:
        emulate(nvdisasm, new, region, folder)
        print(f'a new build by nvcc {version_of(nvcc)} (not {made_by}) is right too')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--check', action='store_true')
    parser.add_argument('--build', help='build folder, searched for nvdisasm')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        (check if options.check else build)(find_nvcc(), find_nvdisasm(options.build), pathlib.Path(folder))


if __name__ == '__main__':
    main()
