#!/usr/bin/env python3
"""Writes every figure of README.md and docs/ anew from the recorded data, by running rooftile.

A figure stands between two HTML comments; the first says what makes it:

    <!-- generated: rooftile predict --shape 4096 -->      the command and what it prints, as a code block;
    <!-- end -->                                           "(table 2)" at the end takes the second table alone
    <!-- generated: ladder -->                             a table of this script, see BLOCKS
    <!-- end -->
    ... in <!--= run.seconds -->90<!-- --> seconds         a number inside a sentence, see Figures

    scripts/update_docs.py [--rooftile FILE]               rewrite what is out of date
    scripts/update_docs.py --check [--rooftile FILE]       exit 1 and show what is out of date
"""
import argparse
import datetime
import difflib
import functools
import gzip
import json
import math
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "data" / "h200"
BLOCK = re.compile(r"(<!-- generated: ([^\n]+?) -->\n).*?(<!-- end -->)", re.DOTALL)
FIGURE = re.compile(r"(<!--= (.+?) -->).*?(<!-- -->)")
LADDER = ["naive", "naive_coalesced", "smem_tile", "thread_tile", "vectorized", "conflict_free", "warp_tile",
          "double_buffer", "cp_async", "raster_swizzle", "split_k_cluster", "hand_scheduled", "selected", "cublas"]
# Their launches choose a kernel; the record holds the resources of one that need not have run.
CHOOSING = {"split_k_cluster", "selected"}
LANDSCAPE = RECORD / "landscape.jsonl.gz"
# What `validate --compile` says of it: sass has read every kernel's code, which the record does not hold.
LANDSCAPE_COMPILED = RECORD / "checks" / "landscape-compiled.json.gz"
SEALED_LEDGER = RECORD / "sealed-ledger.jsonl"
SELECTED = RECORD / "checks" / "selected.jsonl.gz"
# Their slices come ahead through registers.
AHEAD = {"shared_buffer", "double_buffer", "raster_column", "raster_zigzag", "raster_swizzle", "persistent"}
SIZES = [1024, 2048, 4096, 8192]


def pair_of(case):
    return case["variant"], case["tile"], case["shape"]


def sass_times(validation):
    return {pair_of(case): case["predicted_s"] for case in validation["cases"] if case["predictor"] == "sass"}


class Rooftile:
    """The binary on the recorded H200, whatever GPU or profile this machine has."""

    def __init__(self, binary):
        self.binary = str(pathlib.Path(binary).resolve())
        self.environment = {**os.environ, "ROOFTILE_DATA_DIR": str(ROOT / "data"),
                            "ROOFTILE_PROFILE": str(RECORD / "profile.json"), "ROOFTILE_CONFIG": "/dev/null"}

    def output(self, arguments):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([self.binary, *arguments], cwd=folder, env=self.environment, text=True,
                                  capture_output=True, check=False)
        if done.returncode != 0:
            sys.exit(f"rooftile {shlex.join(arguments)} failed:\n{done.stderr}")
        lines = done.stdout.rstrip("\n").split("\n")
        return "\n".join(line for line in lines if not line.startswith("using recorded ")).strip("\n")


def load_packed(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def load_lines(path):
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path, encoding="utf-8")
    with opened as file:
        return [json.loads(line) for line in file if line.strip()]


def shape_name(run):
    return "x".join(str(run["problem"][axis]) for axis in "MNK")


def timed_by_shape(path):
    """(variant, seconds) of the runs that have a time, by shape, in order of the file."""
    shapes = {}
    for run in load_lines(path):
        if run["time"]:
            shapes.setdefault(shape_name(run), []).append((run["variant"], run["time"]["median"]))
    return shapes


def tile_name(tile):
    """As rooftile writes it."""
    name = "{BM}x{BN}x{BK}/{TM}x{TN}".format(**tile) + ("/{WM}x{WN}".format(**tile) if tile["WM"] else "")
    plain = {"stages": 1, "split_k": 1, "raster": "row", "raster_group": 1}
    return name + "".join(f",{key}={tile[key]}" for key, value in plain.items() if tile[key] != value)


def warps_a_sub_core(run):
    """Of the first wave, by the occupancy of the compiled kernel."""
    tile, problem = run["tile"], run["problem"]
    threads = tile["BM"] // tile["TM"] * (tile["BN"] // tile["TN"])
    blocks = -(-problem["M"] // tile["BM"]) * -(-problem["N"] // tile["BN"])
    return min(run["occupancy_blocks_per_sm"], -(-blocks // run["environment"]["sm_count"])) * threads / 128


def tile_part(run):
    """Where predictions from the tile go wrong: spilled registers, and slices ahead with hardly a warp; or neither."""
    if run["resources"]["spill_bytes"] >= 64:
        return "spilled"
    return "lone" if run["variant"] in AHEAD and warps_a_sub_core(run) <= 1 else "other"


def percent(fraction):
    return f"{100 * fraction:.1f} %"


def seconds_between(start, end):
    """From one time stamp to another, up to the next five seconds."""
    taken = datetime.datetime.fromisoformat(end.rstrip("Z")) - datetime.datetime.fromisoformat(start.rstrip("Z"))
    seconds = taken.total_seconds()
    if not 0 < seconds < 3600:
        sys.exit(f"{RECORD}: {start} to {end} is no run of `rooftile run`; record profile and runs by one run")
    return str(5 * math.ceil(seconds / 5))


class Figures:
    """Numbers inside sentences, by name; a name that is none of these is a path in validation.json."""

    def __init__(self, rooftile):
        self.rooftile = rooftile
        self.profile = json.loads((RECORD / "profile.json").read_text(encoding="utf-8"))
        self.runs = [run for file in sorted(RECORD.glob("runs-*.jsonl*")) for run in load_lines(file)]
        self.validation = self.validate()
        self.landscape = {  # by what is known of a kernel: its tile alone, its resources too, or its code
            "tiles": self.validate("--runs", str(LANDSCAPE), "--from-tiles"),
            "compiled": self.validate("--runs", str(LANDSCAPE)),
            "code": load_packed(LANDSCAPE_COMPILED)}
        self.check_compiled()
        self.times = {}
        for run in self.runs:
            if run["time"] and run["cache"] == "hot":
                times = self.times.setdefault(shape_name(run), {})
                times[run["variant"]] = min(run["time"]["median"], times.get(run["variant"], math.inf))
        stamps = sorted(run["environment"]["utc_time"] for run in self.runs)
        start = self.profile["environment"]["utc_time"]
        self.named = {
            "characterize.seconds": lambda: seconds_between(start, stamps[0]),
            "measure.seconds": lambda: seconds_between(stamps[0], stamps[-1]),
            "run.seconds": lambda: seconds_between(start, stamps[-1]),
            "second run": self.compare,
            "shapes": lambda: str(len(self.times)),
            "landscape.kernels": lambda: str(self.measured_tiles("kernels")),
            "landscape.shapes": lambda: str(self.measured_tiles("shapes")),
            "tune, first": lambda: percent(self.tune_regret(1)),
            "tune, first five": lambda: percent(self.tune_regret(5)),
            "tune, cublas": lambda: f"{self.tune_over_cublas():.2f}",
            "tune.shapes": lambda: str(len(self.tune_choices)),
            "unseen.selected": lambda: f"{math.exp(statistics.mean(map(math.log, self.unseen))):.3f}",
            "unseen.least": lambda: f"{min(self.unseen):.3f}",
            "unseen.shapes": lambda: str(len(self.unseen)),
            "lt.cublas": lambda: f"{self.library_ratio('cublas', 'cublaslt'):.3f}",
            "lt.selected": lambda: f"{self.library_ratio('cublaslt', 'selected'):.3f}",
            "lt.least": lambda: f"{min(t['cublaslt'] / t['selected'] for t in self.libraries.values()):.3f}",
            "lt.shapes": lambda: str(len(self.libraries)),
            "hand.fastest": lambda: str(sum(min(t, key=t.get) == "hand_scheduled" for t in self.times.values())),
            "hand.slowest": lambda: f"{max(self.hand_over_cublas()):.1f}",
        }

    def validate(self, *options):
        return json.loads(self.rooftile.output(["validate", *options, "--json", "-", "--quiet"]))

    def check_compiled(self):
        """What `--compile` said of the landscape is kept; where the record holds the code too, the present model must say the same."""
        by_sass = sass_times(self.landscape["code"])
        for pair, time in sass_times(self.landscape["compiled"]).items():
            if not math.isclose(by_sass[pair], time, rel_tol=1e-9):
                sys.exit(f"{LANDSCAPE_COMPILED.name} is of another model than this one ({pair}: {by_sass[pair]:g} s, now {time:g} s); "
                         "make it anew as data/h200/checks/README.md says")

    @functools.cached_property
    def tune_choices(self):
        """By shape: the runs of tune's choices, in its order; the fastest of the landscape's best and of cuBLAS, measured beside them."""
        shapes = {}
        for run in load_lines(RECORD / "checks" / "tune-choices.jsonl.gz"):
            shapes.setdefault(shape_name(run), []).append(run)
        best = timed_by_shape(RECORD / "checks" / "tune-landscape-best.jsonl.gz")
        return {shape: (runs, min(time for variant, time in best[shape] if variant != "cublas"), dict(best[shape])["cublas"])
                for shape, runs in shapes.items()}

    @staticmethod
    def regret_of(choice, first):
        """The fastest of tune's first choices over the fastest that was measured beside them."""
        runs, beside, _ = choice
        times = [run["time"]["median"] for run in runs]
        return min(times[:first]) / min(*times, beside)

    def tune_regret(self, first):
        ratios = [self.regret_of(choice, first) for choice in self.tune_choices.values()]
        return math.exp(statistics.mean(map(math.log, ratios))) - 1

    def tune_over_cublas(self):
        """cuBLAS over the best of tune's first five."""
        ratios = [cublas / min(run["time"]["median"] for run in runs[:5]) for runs, _, cublas in self.tune_choices.values()]
        return math.exp(statistics.mean(map(math.log, ratios)))

    @functools.cached_property
    def libraries(self):
        """Times by shape and name, where all three have one."""
        times = {shape: dict(all) for shape, all in timed_by_shape(RECORD / "checks" / "libraries.jsonl.gz").items()}
        return {shape: all for shape, all in times.items() if {"selected", "cublas", "cublaslt"} <= all.keys()}

    @functools.cached_property
    def unseen(self):
        """cuBLAS over `selected` on the sealed shapes, to which no rule was fitted."""
        times = map(dict, timed_by_shape(RECORD / "sealed" / "1" / "ladder.runs.jsonl.gz").values())
        return [all["cublas"] / all["selected"] for all in times]

    def library_ratio(self, slow, fast):
        return math.exp(statistics.mean(math.log(t[slow] / t[fast]) for t in self.libraries.values()))

    def fastest_tiles(self):
        """Of the landscape, by shape: the cases of `analytic` with the least measured and the least predicted time."""
        cases = {}
        for case in self.landscape["tiles"]["cases"]:
            if case["predictor"] == "analytic":
                cases.setdefault(case["shape"], []).append(case)
        return {shape: tuple(min(all, key=lambda c, k=key: c[k]) for key in ("measured_s", "predicted_s"))
                for shape, all in sorted(cases.items(), key=lambda item: (size_of(item[0]), item[0]))}

    @functools.cached_property
    def tile_errors(self):
        """Of every pair of the landscape: its part (tile_part), and the error of `analytic` as `tune` has it and of `sass`."""
        runs = {(run["variant"], tile_name(run["tile"]), shape_name(run)): run for run in load_lines(LANDSCAPE)}
        return {predictor: [(tile_part(runs[c["variant"], c["tile"], c["shape"]]), c["predicted_s"] / c["measured_s"] - 1)
                            for c in self.landscape[known]["cases"] if c["predictor"] == predictor]
                for predictor, known in (("analytic", "tiles"), ("sass", "code"))}

    def tiles(self, part, figure):
        """`tiles <part> n` or `tiles <part> bias` of `analytic`; `sass_bias` and `sass_mape` of `sass`."""
        errors = [error for of, error in self.tile_errors["sass" if figure.startswith("sass_") else "analytic"] if of == part]
        if figure == "n":
            return str(len(errors))
        return percent(statistics.mean(map(abs, errors) if figure.endswith("mape") else errors))

    def measured_tiles(self, member):
        """Of the landscape: `shapes`, or the `kernels` that are predicted."""
        cases = self.landscape["tiles"]["cases"]
        return len({(c["variant"], c["tile"]) if member == "kernels" else c["shape"] for c in cases})

    def hand_over_cublas(self):
        return [t["hand_scheduled"] / t["cublas"] for t in self.times.values() if {"hand_scheduled", "cublas"} <= t.keys()]

    def figure(self, name):
        if name in self.named:
            return self.named[name]()
        if name.startswith(("metric ", "curve ")):
            return self.recorded(*name.split()[1:])
        first, *rest = name.split()
        if first in (by_name := {"error": self.error, "off": self.off, "cards": self.cards, "second": self.second,
                                 "speed": self.speed, "tiles": self.tiles}):
            return by_name[first](*rest)
        start, _, rest = name.partition(".")
        value, path = (self.landscape, rest) if start == "landscape" else (self.validation, name)
        for key in path.split("."):
            if key not in value:
                sys.exit(f"no figure '{name}': '{key}' is not in validation.json")
            value = value[key]
        return str(value) if name.endswith(".n") else f"{value:.3f}" if name.endswith("tau_b") else percent(value)

    def recorded(self, identity, *rest):
        """`metric <id> <scale> <digits>`: value / scale; `curve <id> <x> <scale> <digits>`: y at x, linear between points."""
        if identity in self.profile["metrics"]:
            value = self.profile["metrics"][identity]["value"]
        else:
            curve = self.profile["curves"][identity]
            x, rest = float(rest[0]), rest[1:]
            points = list(zip(curve["x"], curve["y"]))
            below = max((p for p in points if p[0] <= x), default=points[0])
            above = min((p for p in points if p[0] >= x), default=points[-1])
            width = above[0] - below[0]
            value = below[1] + (above[1] - below[1]) * ((x - below[0]) / width if width else 0)
        return f"{value / float(rest[0]):.{rest[1]}f}"

    def off(self, identity, reference):
        """How far a metric lies from a published figure in the same unit."""
        difference = round(100 * (self.profile["metrics"][identity]["value"] / float(reference) - 1), 1)
        return f"{difference:+.1f} %" if difference else "0"

    def cards(self, identity, scale, digits):
        """A metric of every card that has a profile in the record, ascending."""
        profiles = [self.profile] + [load_packed(file) for pattern in ("card-*", "*/profile.json.gz")
                                     for file in (RECORD / "checks").glob(pattern)]
        values = sorted(p["metrics"][identity]["value"] / float(scale) for p in profiles)
        texts = [f"{value:.{digits}f}" for value in values]
        return ", ".join(texts[:-1]) + " and " + texts[-1]

    def second(self, pattern, but="$^"):
        """The largest difference of the second run among the metrics whose id matches `pattern` but not `but`."""
        again = load_packed(RECORD / "checks" / "second-run.json.gz")["metrics"]
        values = {k: (m["value"], again[k]["value"]) for k, m in self.profile["metrics"].items()
                  if k in again and re.search(pattern, k) and not re.search(but, k)}
        return percent(max(abs(b / a - 1) for a, b in values.values() if a and b))

    def speed(self, prefix):
        """Time of one evaluation, over the recorded benchmarks of the model whose name begins so."""
        text = (RECORD / "checks" / "model-speed.txt").read_text(encoding="utf-8")
        found = re.findall(rf"^{re.escape(prefix)}.*items_per_second=([\d.]+)([kM]?)/s", text, re.MULTILINE)
        if not found:
            sys.exit(f"no figure 'speed {prefix}': model-speed.txt has no such benchmark")
        times = sorted(1e6 / float(value) / {"": 1, "k": 1e3, "M": 1e6}[scale] for value, scale in found)
        ends = [f"{float(f'{time:.2g}'):g} us" if time < 1000 else f"{time / 1000:.2g} ms" for time in (times[0], times[-1])]
        return " to ".join(dict.fromkeys(ends))

    def compare(self):
        """Coverage of the second run, as `rooftile compare` says it."""
        text = self.rooftile.output(["compare", str(RECORD / "profile.json"), str(RECORD / "checks" / "second-run.json.gz")])
        inside, of = re.search(r"holds the value of B for (\d+) of (\d+) metrics", text).groups()
        return f"{inside} of {of} metrics ({percent(int(inside) / int(of))})"

    def error(self, variant, shape):
        for case in self.validation["cases"]:
            if (case["predictor"], case["variant"], case["shape"]) == ("analytic", variant, shape):
                error = case["predicted_s"] / case["measured_s"] - 1
                return f"{abs(100 * error):.0f} % too {'slow' if error > 0 else 'fast'}"
        return sys.exit(f"no figure 'error {variant} {shape}': there is no such case")


def markdown_table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def tflops(seconds, size):
    speed = 2 * size**3 / seconds / 1e12
    return f"{speed:.2f}" if speed < 10 else f"{speed:.1f}"


def ladder(figures):
    cubes = {size: figures.times[f"{size}x{size}x{size}"] for size in SIZES}
    cublas = figures.profile["environment"]["cublas_version"]
    cublas = "cuBLAS " + ".".join(cublas.split(".")[:2])
    rows = []
    for variant in LADDER:
        speeds = [tflops(cubes[size][variant], size) for size in SIZES]
        share = percent(cubes[SIZES[-1]]["cublas"] / cubes[SIZES[-1]][variant])
        rows.append([cublas if variant == "cublas" else f"`{variant}`", *speeds, share])
    return markdown_table(["rung", *map(str, SIZES), f"of cuBLAS at {SIZES[-1]}"], rows)


def size_of(shape):
    return math.prod(map(int, shape.split("x")))


def full_ladder(figures):
    """Every rung at 4096: what was measured, and of the predicted ones what the descriptor counts."""
    size = 4096
    shape = f"{size}x{size}x{size}"
    runs = {run["variant"]: run for run in figures.runs if run["time"] and run["cache"] == "hot" and shape_name(run) == shape}
    counted = json.loads(figures.rooftile.output(["predict", "--shape", str(size), "--json", "-", "--quiet"]))["predictions"]
    wavefronts = {p["variant"]: p["shared_wavefronts"] for p in counted}
    peak = figures.profile["metrics"]["ffma.throughput"]["value"] * figures.profile["metrics"]["clock.ffma"]["value"]
    peak *= 2 * figures.profile["environment"]["sm_count"]
    rows = []
    for variant in json.loads(figures.rooftile.output(["list", "variants", "--json", "-", "--quiet"]))["variants"]:
        name = variant["name"]
        run = runs.get(name)
        if run is None:
            continue
        seconds = run["time"]["median"]
        resources = run["resources"]
        waves = f"{1e3 * wavefronts[name] / size**3:.3g}" if name in wavefronts else "-"
        rows.append([f"`{name}`", tflops(seconds, size), percent(runs["cublas"]["time"]["median"] / seconds),
                     percent(2 * size**3 / seconds / peak),
                     "-" if name in CHOOSING else str(resources["registers_per_thread"]),
                     "-" if name in CHOOSING else str(run["occupancy_blocks_per_sm"] or "-"), waves])
    return markdown_table(["rung", f"TFLOP/s at {size}", "of cuBLAS", "of FFMA peak", "registers", "blocks an SM",
                           "shared wavefronts a 1000 FMA"], rows)


def selected(figures):
    """`selected` against cuBLAS on the development shapes, its two kernels beside it."""
    del figures
    times = {}
    for run in load_lines(SELECTED):
        if run["time"]:
            times.setdefault(shape_name(run), {})[run["variant"]] = run["time"]["median"]
    names = ["selected", "split_k_cluster", "hand_scheduled"]
    rows, ratios = [], []
    for shape in sorted(times, key=lambda name: (size_of(name), name)):
        cublas = times[shape]["cublas"]
        shares = [f"{cublas / times[shape][name]:.3f}" for name in names]
        ratios.append(cublas / times[shape]["selected"])
        rows.append([shape, f"{1e6 * cublas:.4g}", *shares])
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    rows.append([f"**geometric mean of {len(ratios)}**", "", f"**{mean:.3f}**", "", ""])
    return markdown_table(["shape", "cuBLAS, us", *(f"`{name}`, times as fast" for name in names)], rows)


def accuracy_row(name, summary, regrets=("regret_top1",)):
    def shown(key, form=percent):
        return "-" if summary.get(key) is None else form(summary[key])

    errors = [shown(key) if summary["max"] else "-" for key in ("mape", "bias", "p95")]
    return [name, str(summary["n"]), *errors, shown("kendall_tau_b", "{:.2f}".format),
            *(shown(key) for key in regrets)]


def accuracy(figures):
    validation = figures.validation
    rows = []
    stated = load_lines(SEALED_LEDGER)[-1]["results"]["ladder"]
    for predictor in ("sass", "analytic"):
        rows.append(accuracy_row(f"**`{predictor}`, all**", validation["predictors"][predictor]["dev"]))
        rows.append(accuracy_row(f"**`{predictor}`, sealed shapes**", stated[predictor]))
        bounds = validation["by_bound"][predictor]
        for bound in sorted(bounds, key=lambda name: -bounds[name]["n"]):
            rows.append(accuracy_row(f"`{predictor}`, bound by {bound}", bounds[bound]))
    rows.append(accuracy_row("`roofline`, all", validation["predictors"]["roofline"]["dev"]))
    for name in ("max_rule", "always 128x128x8", "random"):
        rows.append(accuracy_row(f"baseline: {name}", validation["baselines"][name]))
    return markdown_table(["predictor", "n", "MAPE", "bias", "p95", "tau-b", "regret"], rows)


def landscape(figures):
    """Predictors on the measured tiles, and choices that need none."""
    searched, compiled = figures.landscape["tiles"], figures.landscape["compiled"]
    rows = [("**`analytic`, as `tune` has it**", searched["predictors"]["analytic"]["dev"]),
            ("`analytic`, registers as compiled", compiled["predictors"]["analytic"]["dev"]),
            ("**`sass`, from compiled code**", figures.landscape["code"]["predictors"]["sass"]["dev"]),
            ("`roofline`, as `tune` has it", searched["predictors"]["roofline"]["dev"])]
    rows += [(f"baseline: {name}", searched["baselines"][name]) for name in ("max_rule", "always 128x128x8", "cublas", "random")]
    return markdown_table(["dev", "n", "MAPE", "bias", "p95", "tau-b", "regret, first", "regret, first five"],
                          [accuracy_row(*row, ("regret_top1", "regret_top5")) for row in rows])


def landscape_by_shape(figures):
    """The tile that `tune` would take first among the measured ones, shape by shape."""
    rows = []
    for shape, (best, first) in figures.fastest_tiles().items():
        summary = figures.landscape["tiles"]["by_shape"]["analytic"][shape]
        rows.append([shape, f"`{best['variant']}` {best['tile']}", f"{2 * size_of(shape) / best['measured_s'] / 1e12:.3g}",
                     f"`{first['variant']}` {first['tile']}", percent(summary["regret_top1"]), percent(summary["regret_top5"]),
                     f"{summary['kendall_tau_b']:.2f}"])
    return markdown_table(["shape", "fastest measured", "TFLOP/s", "first choice", "regret", "of the first five", "tau-b"], rows)


def tune_by_shape(figures):
    """What `tune --compile 20 --measure 5` chose, and what it cost."""
    rows = []
    for shape, choice in figures.tune_choices.items():
        runs, _, cublas = choice
        best = min(runs[:5], key=lambda run: run["time"]["median"])
        rows.append([shape, f"`{runs[0]['variant']}` {tile_name(runs[0]['tile'])}", percent(figures.regret_of(choice, 1) - 1),
                     f"`{best['variant']}` {tile_name(best['tile'])}", f"{2 * size_of(shape) / best['time']['median'] / 1e12:.3g}",
                     percent(figures.regret_of(choice, 5) - 1), f"{cublas / best['time']['median']:.2f}"])
    return markdown_table(["shape", "first choice", "regret", "fastest of the first five", "TFLOP/s", "regret", "cuBLAS takes, times as long"], rows)


def sealed(figures):
    """The last opening of the sealed split, as the ledger has it."""
    del figures
    pairs = {"ladder": "default tiles, sealed shapes", "landscape": "drawn tiles, sealed shapes",
             "persistent": "`persistent`, a sealed family, dev shapes"}
    rows = []
    for name, predictors in load_lines(SEALED_LEDGER)[-1]["results"].items():
        for predictor, summary in sorted(predictors.items(), key=lambda item: "sass analytic roofline".split().index(item[0])):
            row = accuracy_row(pairs[name], summary, ("regret_top1", "regret_top5", "interval_coverage"))
            rows.append([row[0], f"`{predictor}`", *row[1:]])
    return markdown_table(["pairs", "predictor", "n", "MAPE", "bias", "p95", "tau-b", "regret, first", "regret, first five",
                           "within the interval of 90 %"], rows)


def goals(figures):
    """What was aimed at, and what `sass` reached on default tiles."""
    dev = figures.validation["predictors"]["sass"]["dev"]
    stated = load_lines(SEALED_LEDGER)[-1]["results"]["ladder"]["sass"]
    aims = [("MAPE", "mape", "at most 5 %"), ("95th percentile of the error", "p95", "at most 12 %"),
            ("tau-b, mean over shapes", "kendall_tau_b", "at least 0.85"), ("regret of the first choice", "regret_top1", "at most 2 %"),
            ("regret of the best of the first eight", "regret_top8", "at most 0.1 %"),
            ("within the interval of 90 %", "interval_coverage", "90 %")]
    rows = [[name, aim, *(f"{s[key]:.2f}" if key == "kendall_tau_b" else percent(s[key]) for s in (dev, stated))] for name, key, aim in aims]
    return markdown_table(["`sass`, default tiles", "goal", "dev", "sealed"], rows)


BLOCKS = {"goals": goals, "landscape": landscape, "sealed": sealed, "landscape by shape": landscape_by_shape, "tune by shape": tune_by_shape, "ladder": ladder, "full ladder": full_ladder, "selected": selected, "accuracy": accuracy}


def command_block(rooftile, command):
    table = re.fullmatch(r"(.*) \(table (\d+)\)", command)
    shown = table[1] if table else command
    text = rooftile.output(shlex.split(shown)[1:])
    if table:
        text = text.split("\n\n")[int(table[2]) - 1]
    return f"```\n$ {shown}\n{text}\n```"


def update(text, rooftile, figures):
    def block(match):
        name = match[2]
        body = BLOCKS[name](figures) if name in BLOCKS else command_block(rooftile, name)
        return f"{match[1]}{body}\n{match[3]}"

    text = BLOCK.sub(block, text)
    return FIGURE.sub(lambda match: match[1] + figures.figure(match[2]) + match[3], text)


def newest_binary():
    built = sorted(ROOT.glob("build/*/cli/rooftile"), key=lambda path: path.stat().st_mtime)
    return built[-1] if built else sys.exit("no build/*/cli/rooftile; build one, or name it with --rooftile")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 where something is out of date")
    parser.add_argument("--rooftile", metavar="FILE", help="the binary (default: the newest in build/)")
    options = parser.parse_args()
    rooftile = Rooftile(options.rooftile or newest_binary())
    figures = Figures(rooftile)
    stale = 0
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        old = path.read_text(encoding="utf-8")
        new = update(old, rooftile, figures)
        if new == old:
            continue
        stale += 1
        name = str(path.relative_to(ROOT))
        if options.check:
            sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), name, name))
        else:
            path.write_text(new, encoding="utf-8")
            print(f"{name}: written anew")
    if options.check and stale:
        sys.exit("the documents do not say what the recorded data say; run scripts/update_docs.py")


if __name__ == "__main__":
    main()
