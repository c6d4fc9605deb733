#!/usr/bin/env python3
"""Draw data/splits.json: which GEMM shapes and variant families are dev and which are sealed.

The draw is a pure function of the seed and the candidate lists below: within each shape family the candidates are
ordered by SHA-256("<seed>:<family>:<MxNxK>") and the first third (rounded up) is sealed; power-of-two squares are
always dev. Variant families are ordered the same way and the first three are sealed; the families of the basic
ladder, which every user needs to see measured, are dev by definition, and so are families that are never predicted:
there is nothing to hold out. (The hand-scheduled kernel is persistent, fed by TMA and warp-specialized, but no prediction
is made of it: what the sealed families of these names hold out, predictions of such kernels, stays unseen.)

    scripts/draw_splits.py            print the file
    scripts/draw_splits.py --check F  exit 1 unless F is exactly this draw
"""
import hashlib
import json
import math
import sys

SEED = "rooftile-splits-1"

POWER_OF_TWO_SQUARES = [(n, n, n) for n in (128, 256, 512, 1024, 2048, 4096, 8192, 16384)]

SHAPE_FAMILIES = {
    "square": [(n, n, n) for n in (192, 384, 640, 768, 896, 1280, 1536, 1792, 2560, 3072, 3584, 5120, 6144, 7168, 10240)],
    "tall": [(8192, 128, 1024), (8192, 256, 2048), (8192, 1024, 4096), (16384, 128, 512), (16384, 512, 2048),
             (32768, 256, 256), (65536, 128, 128), (12288, 384, 768), (24576, 512, 1024)],
    "wide": [(128, 8192, 1024), (256, 8192, 2048), (1024, 8192, 4096), (128, 16384, 512), (512, 16384, 2048),
             (256, 32768, 256), (128, 65536, 128), (384, 12288, 768), (512, 24576, 1024)],
    "deep": [(128, 128, 16384), (256, 256, 16384), (512, 512, 8192), (512, 512, 32768), (1024, 1024, 16384),
             (256, 512, 8192), (2048, 1024, 16384), (768, 768, 24576), (384, 640, 12288)],
    "ragged": [(127, 129, 131), (257, 263, 269), (509, 521, 523), (1021, 1031, 1033), (2039, 2053, 2063),
               (4093, 4099, 4111), (4095, 4097, 33), (1009, 8191, 257), (8191, 1009, 509), (3001, 3011, 3019),
               (6007, 1499, 2003), (1777, 5003, 911)],
    "transformer": [(2048, 4096, 4096), (2048, 11008, 4096), (2048, 4096, 11008), (4096, 12288, 4096),
                    (512, 3072, 768), (512, 768, 3072), (1024, 5120, 5120), (1024, 13824, 5120), (4096, 14336, 4096),
                    (4096, 4096, 14336), (256, 8192, 8192), (2048, 6144, 2048), (8192, 2560, 2560), (1536, 9216, 3072)],
}

LADDER_FAMILIES = ["naive", "smem_tile", "thread_tile", "vectorized", "conflict_free", "warp_tile", "double_buffer"]
OTHER_FAMILIES = ["cp_async", "cuda_pipeline", "inner_product", "persistent", "raster", "source_form", "split_k",
                  "stream_k", "tma", "warp_specialized", "xor_swizzle"]
UNPREDICTED_FAMILIES = ["hand_scheduled"]


def order(family, names):
    return sorted(names, key=lambda name: hashlib.sha256(f"{SEED}:{family}:{name}".encode()).hexdigest())


def name(shape):
    return "x".join(map(str, shape))


def shape_entries():
    entries = [{"shape": name(s), "family": "square_pow2", "split": "dev"} for s in POWER_OF_TWO_SQUARES]
    for family, shapes in SHAPE_FAMILIES.items():
        names = [name(s) for s in shapes]
        sealed = set(order(family, names)[: math.ceil(len(names) / 3)])
        entries += [{"shape": n, "family": family, "split": "sealed" if n in sealed else "dev"} for n in names]
    return entries


def family_entries():
    sealed = set(order("variant", OTHER_FAMILIES)[:3])
    families = LADDER_FAMILIES + OTHER_FAMILIES + UNPREDICTED_FAMILIES
    return [{"family": f, "split": "sealed" if f in sealed else "dev"} for f in families]


def render():
    shapes, families = shape_entries(), family_entries()
    lines = ['{', '  "schema": "rooftile.splits",', '  "schema_version": 1,', f'  "seed": "{SEED}",',
             '  "drawn_by": "scripts/draw_splits.py",', '  "shapes": [']
    lines += [f"    {json.dumps(e)}{',' if e is not shapes[-1] else ''}" for e in shapes]
    lines += ['  ],', '  "variant_families": [']
    lines += [f"    {json.dumps(e)}{',' if e is not families[-1] else ''}" for e in families]
    return "\n".join(lines + ['  ]', '}', ''])


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        with open(sys.argv[2], encoding="utf-8") as file:
            if file.read() != render():
                sys.exit(f"{sys.argv[2]} is not the draw of seed {SEED}")
        print(f"{sys.argv[2]} is the draw of seed {SEED}")
    elif len(sys.argv) == 1:
        sys.stdout.write(render())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
