#!/usr/bin/env python3
"""The ledger of the sealed split: what was predicted before it was measured, and how far off that was.

data/h200/sealed/N/ holds the N-th opening: NAME.predictions.json.gz, committed before any of its pairs was measured, and
NAME.runs.jsonl.gz, measured afterwards. A line of data/h200/sealed-ledger.jsonl says of one opening when it was, by which revision the
predictions were made, the SHA-256 of every file and the figures. docs/model.md, "The sealed split", has the steps.

    scripts/sealed_ledger.py --enter N [--rooftile FILE]     append the line of opening N
    scripts/sealed_ledger.py --check [--rooftile FILE]       exit 1 unless every line's files and figures reproduce
"""
import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from update_docs import RECORD, ROOT, SEALED_LEDGER, load_lines, load_packed, shape_name, tile_name

SAME = 1e-9  # of figures computed twice from the same numbers


def hashes(folder):
    files = sorted(file for file in folder.iterdir() if file.suffix == ".gz")
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def names(folder):
    return sorted(file.name.removesuffix(".predictions.json.gz") for file in folder.glob("*.predictions.json.gz"))


def validation_of(binary, folder, name):
    """What `rooftile validate --predictions` says of one set of predictions and its runs."""
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch) / "validation.json"
        command = [str(binary), "validate", "--quiet", "--profile", str(RECORD / "profile.json"),
                   "--predictions", str(folder / f"{name}.predictions.json.gz"),
                   "--runs", str(folder / f"{name}.runs.jsonl.gz"), "--json", str(out)]
        environment = {**os.environ, "ROOFTILE_DATA_DIR": str(ROOT / "data"), "ROOFTILE_CONFIG": "/dev/null"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"rooftile validate failed on {folder / name}:\n{done.stderr}")
        return json.loads(out.read_text(encoding="utf-8"))


def coverage(predictions, cases):
    """Share of the measured times inside the stated prediction interval, by predictor; where intervals were stated."""
    stated = {}
    for p in predictions:
        stated[p["predictor"], p["variant"], tile_name(p["tile"]), shape_name(p)] = p["prediction_interval"]
    inside = {}
    for case in cases:
        interval = stated[case["predictor"], case["variant"], case["tile"], case["shape"]]
        if interval:
            inside.setdefault(case["predictor"], []).append(interval[0] <= case["measured_s"] <= interval[1])
    return {predictor: sum(hits) / len(hits) for predictor, hits in inside.items()}


def results(binary, folder):
    found = {}
    for name in names(folder):
        validation = validation_of(binary, folder, name)
        covered = coverage(load_packed(folder / f"{name}.predictions.json.gz")["predictions"], validation["cases"])
        found[name] = {}
        for predictor, splits in validation["predictors"].items():
            if set(splits) != {"sealed"}:
                sys.exit(f"{folder / name}: pairs of {', '.join(splits)}; an opening holds sealed ones alone")
            found[name][predictor] = {**splits["sealed"], "interval_coverage": covered.get(predictor)}
    return found


def line_of(binary, number):
    folder = RECORD / "sealed" / str(number)
    runs = [run for name in names(folder) for run in load_lines(folder / f"{name}.runs.jsonl.gz")]
    heads = [load_packed(folder / f"{name}.predictions.json.gz") for name in names(folder)]
    revisions = sorted({head["created_by"]["git_revision"] for head in heads})
    stamps = sorted(run["environment"]["utc_time"] for run in runs)
    return {"schema": "rooftile.sealed_ledger", "schema_version": 1, "opening": number,
            "seed": json.loads((ROOT / "data" / "splits.json").read_text(encoding="utf-8"))["seed"],
            "model_revisions": revisions, "measured_from": stamps[0], "measured_to": stamps[-1],
            "gpu_uuid": sorted({run["environment"]["gpu_uuid"] for run in runs}),
            "sha256": hashes(folder), "results": results(binary, folder)}


def differences(expected, found, where=""):
    """Paths at which two figures differ by more than rounding."""
    if isinstance(expected, dict) and isinstance(found, dict):
        keys = sorted(set(expected) | set(found))
        return [path for key in keys for path in differences(expected.get(key), found.get(key), f"{where}.{key}")]
    if isinstance(expected, (int, float)) and isinstance(found, (int, float)):
        return [] if abs(expected - found) <= SAME * max(1.0, abs(expected)) else [f"{where}: {expected} is now {found}"]
    return [] if expected == found else [f"{where}: {expected} is now {found}"]


def check(binary):
    lines = load_lines(SEALED_LEDGER) if SEALED_LEDGER.exists() else []
    faults = []
    for line in lines:
        folder = RECORD / "sealed" / str(line["opening"])
        faults += differences(line["sha256"], hashes(folder), f"opening {line['opening']}: sha256")
        faults += differences(line["results"], results(binary, folder), f"opening {line['opening']}")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(lines)} openings, {len(faults)} differences")
    return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooftile", type=pathlib.Path, default=ROOT / "build" / "test" / "cli" / "rooftile")
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--enter", type=int, metavar="N")
    action.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if arguments.check:
        return check(arguments.rooftile.resolve())
    line = line_of(arguments.rooftile.resolve(), arguments.enter)
    with open(SEALED_LEDGER, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
