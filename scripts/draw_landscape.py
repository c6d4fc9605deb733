#!/usr/bin/env python3
"""Draw data/landscape.json: the kernels and shapes on which it is measured whether predictions find good tiles.

Kernels: of each predicted variant whose family is not sealed the default tile, and of its n other candidates, legal tiles (`rooftile list tiles`), the
sqrt(n) / 2, rounded up, that come first in the order of SHA-256("<seed>:<variant>:<tile>"): more where there is more to
choose from, and nothing that was predicted or measured has a say. Tiles of which a thread's slice (BK TM TN) has more
than 2048 FFMA are no candidates: NVRTC takes minutes for one. cuBLAS is measured beside them.
Shapes: all of the dev split (data/splits.json) up to the work of a cube of 4096.

    scripts/draw_landscape.py --rooftile build/cli/rooftile            print the file
    scripts/draw_landscape.py --rooftile build/cli/rooftile --check F  exit 1 unless F is exactly this draw
"""
import argparse
import csv
import hashlib
import json
import math
import pathlib
import re
import subprocess
import sys

SEED = "rooftile-landscape-1"
MOST_FFMA = 2048
MOST_WORK = 4096 ** 3
# Not predicted, or not yet when the tiles were drawn (split_k_workspace).
LEFT_OUT = {"hand_scheduled", "selected", "split_k_atomic", "split_k_cluster", "split_k_workspace"}
SPLITS = pathlib.Path(__file__).resolve().parent.parent / "data" / "splits.json"


def listed(rooftile, what):
    text = subprocess.run([rooftile, "list", what, "--csv", "-"], check=True, capture_output=True, text=True).stdout
    return list(csv.DictReader(text.splitlines()))


def ffma(tile):
    """Of a thread and slice; a tile begins with "BMxBNxBK/TMxTN"."""
    BK, TM, TN = map(int, re.match(r"\d+x\d+x(\d+)/(\d+)x(\d+)", tile).groups())
    return BK * TM * TN


def drawn(variant, tiles):
    order = sorted(tiles, key=lambda tile: hashlib.sha256(f"{SEED}:{variant}:{tile}".encode()).hexdigest())
    return order[: math.ceil(math.sqrt(len(tiles)) / 2)]


def splits():
    with open(SPLITS, encoding="utf-8") as file:
        return json.load(file)


def kernels(rooftile):
    tiles = listed(rooftile, "tiles")
    sealed = {e["family"] for e in splits()["variant_families"] if e["split"] == "sealed"}
    for variant in listed(rooftile, "variants"):
        name, default = variant["name"], variant["default_tile"]
        if name in LEFT_OUT or variant["family"] in sealed:
            continue
        others = [row["tile"] for row in tiles if row["variant"] == name and row["tile"] != default]
        yield from ({"variant": name, "tile": tile}
                    for tile in [default] + drawn(name, [tile for tile in others if ffma(tile) <= MOST_FFMA]))
    yield {"variant": "cublas"}


def work(shape):
    return math.prod(map(int, shape.split("x")))


def shapes():
    return [e["shape"] for e in splits()["shapes"] if e["split"] == "dev" and work(e["shape"]) <= MOST_WORK]


def lines(entries):
    return [f"    {json.dumps(e)}{',' if e is not entries[-1] else ''}" for e in entries]


def render(rooftile):
    text = ['{', '  "schema": "rooftile.suite",', '  "schema_version": 1,', f'  "seed": "{SEED}",',
            '  "drawn_by": "scripts/draw_landscape.py",', '  "shapes": [']
    return "\n".join(text + lines(shapes()) + ['  ],', '  "kernels": ['] + lines(list(kernels(rooftile))) + ['  ]', '}', ''])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooftile", required=True)
    parser.add_argument("--check")
    options = parser.parse_args()
    if not options.check:
        sys.stdout.write(render(options.rooftile))
        return
    with open(options.check, encoding="utf-8") as file:
        if file.read() != render(options.rooftile):
            sys.exit(f"{options.check} is not the draw of seed {SEED}")
    print(f"{options.check} is the draw of seed {SEED}")


if __name__ == "__main__":
    main()
