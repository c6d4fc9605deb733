#!/usr/bin/env python3
"""Writes docs/microbenchmarks/<group>.md and its pictures from the recorded profile: for each microbenchmark its own head
(method, expectation, pitfalls), the values it found on the recorded GPU, and its curves.

    scripts/draw_microbenchmarks.py build/test/cli/rooftile

Groups are those of the report (report/entry_groups.cpp). Needs gnuplot, through `rooftile report`.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "data" / "h200"
PAGES = ROOT / "docs" / "microbenchmarks"
ENTRY = re.compile(r"^// ENTRY: (\S+) \| (metric|curve|table)(?: \| ([^|]+))? \| (.*)$")
# Curves that the report draws in pictures of their own.
PICTURES = {
    "memory.latency.over_footprint": "latency",
    "memory.bandwidth.over_footprint": "bandwidth",
    "l2.bandwidth.over_active_sms": "l2_active_sms",
    "dram.bandwidth.over_active_sms": "dram_active_sms",
    "smem.conflict.lds32": "bank_conflicts",
}


def groups():
    """First word of an id -> title of its group."""
    text = (ROOT / "report" / "entry_groups.cpp").read_text()
    titles = dict(re.findall(r'(\w+) = "([^"]+)"', text))
    return {word: titles[name] for word, name in re.findall(r'Group\{"(\w+)", (\w+)\}', text)}


def head_of(source):
    """Prose of a file's head comment, its entries apart."""
    prose, entries = [], []
    for line in source.read_text().splitlines():
        if not line.startswith("//"):
            break
        entry = ENTRY.match(line)
        if entry:
            entries.append(entry.groups())
        else:
            prose.append(line[2:].strip())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(prose)).strip(), entries


def amount(value):
    return f"{value:.4g}" if abs(value) < 1e5 else f"{value:.4e}"


def value_row(identity, metric, meaning):
    if metric is None or metric.get("value") is None:
        reason = (metric or {}).get("reason") or "not measured"
        return f"| `{identity}` | - | | {(metric or {}).get('state', 'absent')}: {reason} |"
    interval = metric.get("repeat95")
    span = f"{amount(interval[0])} to {amount(interval[1])}" if interval else ""
    note = meaning if metric["state"] == "ok" else f"{meaning} ({metric['state']}: {metric['reason']})"
    return f"| `{identity}` | {amount(metric['value'])} {metric['unit']} | {span} | {note} |"


def pictures_of(name, entries, plots):
    found = [PICTURES[identity] for identity, kind, _, _ in entries if identity in PICTURES]
    found += sorted(p.stem for p in plots.glob("*.svg") if re.match(rf"curves_{name}_[^_]*(cycle|byte|fma|inst|1)", p.stem))
    return [picture for picture in dict.fromkeys(found) if (plots / f"{picture}.svg").exists()]


def section(source, profile, plots):
    name = source.stem
    prose, entries = head_of(source)
    lines = [f"## {name}", "", prose, ""]
    metrics = [entry for entry in entries if entry[1] == "metric"]
    if metrics:
        lines += ["| entry | value | another run | meaning |", "|---|---|---|---|"]
        lines += [value_row(i, profile["metrics"].get(i), meaning) for i, _, _, meaning in metrics]
        lines.append("")
    for picture in pictures_of(name, entries, plots):
        shutil.copy(plots / f"{picture}.svg", PAGES / "images" / f"{picture}.svg")
        lines += [f"![{picture}](images/{picture}.svg)", ""]
    for identity, kind, _, meaning in entries:
        if kind == "curve":
            method = profile["curves"].get(identity, {}).get("method", "")
            lines.append(f"- `{identity}`: {meaning}" + (f". Method: {method}" if method else ""))
        elif kind == "table":
            rows = len(profile["tables"].get(identity, {}).get("rows", []))
            lines.append(f"- `{identity}` (table of {rows} rows): {meaning}")
    return "\n".join(lines).rstrip() + "\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    profile = json.loads((DATA / "profile.json").read_text())
    if PAGES.exists():
        shutil.rmtree(PAGES)
    (PAGES / "images").mkdir(parents=True)
    group_of, pages = groups(), {}
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([os.path.abspath(sys.argv[1]), "report", "--quiet"], cwd=scratch, check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "ROOFTILE_DATA_DIR": str(ROOT / "data")})
        plots = pathlib.Path(scratch) / "report" / "plots"
        for source in sorted((ROOT / "micro").glob("*.cu")):
            _, entries = head_of(source)
            title = group_of.get(entries[0][0].split(".")[0], "Other")
            pages.setdefault(title, []).append(section(source, profile, plots))
    gpu = profile["environment"]["gpu_name"]
    for title, sections in pages.items():
        stem = re.sub(r"[^a-z]+", "-", title.lower()).strip("-")
        intro = (f"# {title}\n\nEach microbenchmark in its own words, with what it found on one {gpu} (`data/h200/profile.json`, recorded by\n"
                 f"`{profile['environment']['command_line']}`). *another run*: where another run's value falls in 95 of 100 cases. Written by\n"
                 "`scripts/draw_microbenchmarks.py`; the overview is [microbenchmarks](../microbenchmarks.md).\n\n")
        (PAGES / f"{stem}.md").write_text(intro + "\n".join(sections))
    print(f"{len(pages)} pages, {len(list((PAGES / 'images').iterdir()))} pictures in {PAGES.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
