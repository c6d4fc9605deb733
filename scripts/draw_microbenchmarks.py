#!/usr/bin/env python3
"""Writes docs/microbenchmarks/<group>.md and its pictures from the recorded profile: for each microbenchmark its own head
(method, expectation, pitfalls), the values it found on the recorded GPU, its curves and tables, and how to read each.

    scripts/draw_microbenchmarks.py build/test/cli/rooftile
    scripts/draw_microbenchmarks.py --check [--profile PROFILE.json[.gz]]

The readings are written by hand in docs/microbenchmarks/readings.md, whose head has the rules: their numbers are
expressions over the profile, and what they say of a shape stands beside them as a condition that must hold. --check tells
whether every curve and table has a reading, whether each reading is of a known one and whether all conditions hold; it
needs nothing but Python. The first form checks too, before it writes.

Groups are those of the report (report/entry_groups.cpp). Drawing needs gnuplot, through `rooftile report`.
"""
import argparse
import gzip
import itertools
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "data" / "h200"
PAGES = ROOT / "docs" / "microbenchmarks"
READINGS = PAGES / "readings.md"
ENTRY = re.compile(r"^// ENTRY: (\S+) \| (metric|curve|table)(?: \| ([^|]+))? \| (.*)$")
# Curves that the report draws in pictures of their own.
PICTURES = {
    "memory.latency.over_footprint": "latency",
    "memory.bandwidth.over_footprint": "bandwidth",
    "l2.bandwidth.over_active_sms": "l2_active_sms",
    "dram.bandwidth.over_active_sms": "dram_active_sms",
    "smem.conflict.lds32": "bank_conflicts",
    "smem.conflict.lds64": "bank_conflicts",
    "smem.conflict.lds128": "bank_conflicts",
}
ROWS_SHOWN = 32  # A table with more rows is described, not shown.


# ---- The profile as readings see it ----------------------------------------------------------------------------------


class Missing(Exception):
    """The profile says itself that it does not have this."""


class Quantity(float):
    """A number that knows its unit; arithmetic on it gives plain numbers."""

    def __new__(cls, value, unit):
        made = super().__new__(cls, value)
        made.unit = unit
        return made


class Curve:
    def __init__(self, identity, recorded):
        if not recorded.get("x"):
            raise Missing(f"`{identity}` {recorded.get('state', 'absent')}: {recorded.get('reason') or 'no points'}")
        self.identity, self.x, self.y = identity, recorded["x"], recorded["y"]
        self.x_unit, self.y_unit = recorded["x_unit"], recorded["y_unit"]

    def at(self, x):
        """y at x, linear between points; outside of the curve is an error, not a guess."""
        if not self.x[0] <= x <= self.x[-1]:
            raise ValueError(f"{self.identity} has no value at {x:g}: it goes from {self.x[0]:g} to {self.x[-1]:g}")
        for (x0, y0), (x1, y1) in itertools.pairwise(zip(self.x, self.y)):
            if x0 <= x <= x1:
                return Quantity(y0 + (y1 - y0) * (x - x0) / (x1 - x0), self.y_unit)
        return Quantity(self.y[0], self.y_unit)

    def between(self, lo, hi):
        found = [y for x, y in zip(self.x, self.y) if lo <= x <= hi]
        if len(found) < 2:
            raise ValueError(f"{self.identity} has {len(found)} points from {lo:g} to {hi:g}")
        return found

    def spread(self, lo, hi):
        """Largest less smallest y between, over their median."""
        found = self.between(lo, hi)
        return (max(found) - min(found)) / statistics.median(found)

    def rises(self, lo, hi, slack=0.0):
        return all(later >= earlier * (1 - slack) for earlier, later in itertools.pairwise(self.between(lo, hi)))

    def falls(self, lo, hi, slack=0.0):
        return all(later <= earlier * (1 + slack) for earlier, later in itertools.pairwise(self.between(lo, hi)))

    def settles(self, level, tolerance):
        """Smallest x from which on all points lie within the tolerance of the level."""
        inside = list(itertools.takewhile(lambda point: abs(point[1] - level) <= tolerance * level,
                                          reversed(list(zip(self.x, self.y)))))
        if not inside:
            raise ValueError(f"{self.identity} does not end within {tolerance:.0%} of {level:g}")
        return Quantity(inside[-1][0], self.x_unit)

    def keeps(self, level, tolerance):
        """Largest x up to which all points lie within the tolerance of the level."""
        inside = list(itertools.takewhile(lambda point: abs(point[1] - level) <= tolerance * level, zip(self.x, self.y)))
        if not inside:
            raise ValueError(f"{self.identity} does not begin within {tolerance:.0%} of {level:g}")
        return Quantity(inside[-1][0], self.x_unit)

    def crosses(self, level):
        """Smallest x at which the line meets the level."""
        for (x0, y0), (x1, y1) in itertools.pairwise(zip(self.x, self.y)):
            if (y0 - level) * (y1 - level) <= 0 and y0 != y1:
                return Quantity(x0 + (x1 - x0) * (level - y0) / (y1 - y0), self.x_unit)
        raise ValueError(f"{self.identity} does not cross {level:g}")

    first = property(lambda self: Quantity(self.y[0], self.y_unit))
    last = property(lambda self: Quantity(self.y[-1], self.y_unit))
    min = property(lambda self: Quantity(min(self.y), self.y_unit))
    max = property(lambda self: Quantity(max(self.y), self.y_unit))
    argmin = property(lambda self: Quantity(self.x[self.y.index(min(self.y))], self.x_unit))
    argmax = property(lambda self: Quantity(self.x[self.y.index(max(self.y))], self.x_unit))


class Table:
    def __init__(self, identity, recorded):
        if not recorded.get("rows"):
            raise Missing(f"`{identity}` {recorded.get('state', 'absent')}: {recorded.get('reason') or 'no rows'}")
        self.identity, self.columns, self.units = identity, recorded["columns"], recorded["units"]
        self.names = [row["name"] for row in recorded["rows"]]
        self.rows = {row["name"]: dict(zip(self.columns[1:], row["values"])) for row in recorded["rows"]}

    def cell(self, name, column):
        value = self.rows[name][column]
        if value is None:
            raise Missing(f"`{self.identity}` has no {column} of {name}")
        return Quantity(value, self.units[self.columns.index(column)])

    def column(self, name):
        return [row[name] for row in self.rows.values() if row[name] is not None]

    def best(self, column):
        """Name of the row with the largest value."""
        return max(self.names, key=lambda name: self.rows[name][column])


class Profile:
    def __init__(self, recorded, known):
        self.recorded, self.known = recorded, known

    def of_kind(self, kind, identity):
        if self.known.get(identity) != kind:
            raise ValueError(f"no {kind} is named {identity}")
        return self.recorded[kind + "s"].get(identity, {})

    def metric(self, identity):
        found = self.of_kind("metric", identity)
        if found.get("value") is None:
            raise Missing(f"`{identity}` {found.get('state', 'absent')}: {found.get('reason') or 'not measured'}")
        return Quantity(found["value"], found["unit"])

    def curve(self, identity):
        return Curve(identity, self.of_kind("curve", identity))

    def table(self, identity):
        return Table(identity, self.of_kind("table", identity))


# ---- Numbers as text -------------------------------------------------------------------------------------------------


def amount(value):
    return f"{value:.4g}" if abs(value) < 1e5 else f"{value:.4e}"


def digits(value):
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def scaled(value, step, names):
    power = 0
    while power + 1 < len(names) and abs(value) >= step ** (power + 1):
        power += 1
    return f"{digits(value / step ** power)} {names[power]}"


def with_unit(value):
    unit = getattr(value, "unit", "")
    if unit in ("", "1", "count"):
        return digits(value)
    if unit == "byte":
        return scaled(value, 1024, ("B", "KiB", "MiB", "GiB"))
    if unit in ("byte/s", "flop/s", "Hz"):
        name = {"byte/s": "B/s", "flop/s": "FLOP/s", "Hz": "Hz"}[unit]
        return scaled(value, 1000, [prefix + name for prefix in ("", "k", "M", "G", "T", "P")])
    if unit == "s":
        for scale, name in ((1e-9, "ns"), (1e-6, "us"), (1e-3, "ms")):
            if abs(value) < 1000 * scale:
                return f"{digits(value / scale)} {name}"
    return f"{digits(value)} {'cycles' if unit == 'cycle' else unit}"


def formatted(value, form):
    """form: nothing, or a number format and perhaps a unit (`.1f`, `%`, `.0f ns`)."""
    if isinstance(value, str):
        return value
    if not form:
        return with_unit(value)
    number, _, unit = form.partition(" ")
    if number.endswith("%"):
        text = f"{100 * value:{number[:-1] or '.0'}f} %"
    else:
        text = f"{value:{number}}"
    return f"{text} {unit}".rstrip()


# ---- Readings --------------------------------------------------------------------------------------------------------

SIZES = {"KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}


def near(value, other, tolerance):
    return abs(value - other) <= tolerance * abs(other)


def evaluate(expression, names):
    text = re.sub(r"(\d+(?:\.\d+)?) (KiB|MiB|GiB)", lambda found: f"({found[1]} * {SIZES[found[2]]})", expression)
    text = re.sub(r"(\d+(?:\.\d+)?) %", r"(\1 / 100)", text)
    return eval(text, {"__builtins__": {}, **names})  # pylint: disable=eval-used


def braces(text):
    """a.{b,c} -> a.b, a.c"""
    found = re.search(r"\{([^{}]*)\}", text)
    if not found:
        return [text]
    return [whole for part in found[1].split(",") for whole in braces(text[:found.start()] + part + text[found.end():])]


class Reading:
    """What is said of one or several curves and tables; a, b, c and so on are these in the expressions."""

    def __init__(self, identities, lines, first_line):
        self.identities, self.line = identities, first_line
        self.prose, self.conditions = [], []
        for number, line in enumerate(lines, first_line + 1):
            if line.startswith("- holds: "):
                self.conditions.append((number, line[len("- holds: "):]))
            else:
                self.prose.append(line)

    def names(self, profile):
        metric, curve, table = profile.metric, profile.curve, profile.table
        names = {"m": metric, "curve": curve, "table": table, "near": near, "median": statistics.median, "gcd": math.gcd,
                 "abs": abs, "all": all, "any": any, "len": len, "max": max, "min": min, "sum": sum, "zip": zip, "int": int,
                 "distinct": lambda values: len(set(values)), "sms": profile.recorded["environment"]["sm_count"]}
        for letter, identity in zip("abcdefghij", self.identities):
            kind = profile.known.get(identity)
            names[letter] = (curve if kind == "curve" else table)(identity)
        only = names["a"]
        if isinstance(only, Curve):
            names.update(at=only.at, first=only.first, last=only.last)
        return names

    def text(self, profile, failures):
        """Prose with its numbers. A value that the profile lacks becomes its reason."""
        try:
            names = self.names(profile)
        except Missing as reason:
            return f"Not read here: {reason}."

        def number(found):
            expression, form = re.fullmatch(r"(.*?)(?: \| ([.%\d][^'|]*))?", found[1]).groups()
            try:
                return formatted(evaluate(expression, names), form)
            except Missing as reason:
                return f"({reason})"
            except Exception as error:  # pylint: disable=broad-exception-caught
                failures.append(f"{READINGS.name}:{self.line}: {{{found[1]}}}: {error!r}")
                return "?"

        text = re.sub(r"\{([^{}]*)\}", number, "\n".join(self.prose)).strip()
        return "\n\n".join(textwrap.fill(paragraph, 120, break_long_words=False, break_on_hyphens=False)
                           for paragraph in re.split(r"\n\s*\n", text))

    def check(self, profile, failures, passed_over):
        try:
            names = self.names(profile)
        except Missing as reason:
            passed_over.append(f"{READINGS.name}:{self.line}: {reason}")
            return
        for number, condition in self.conditions:
            try:
                if not evaluate(condition, names):
                    failures.append(f"{READINGS.name}:{number}: does not hold: {condition} ({', '.join(self.identities)})")
            except Missing as reason:
                passed_over.append(f"{READINGS.name}:{number}: {reason}")
            except Exception as error:  # pylint: disable=broad-exception-caught
                failures.append(f"{READINGS.name}:{number}: {condition}: {error!r}")


def readings_of(text):
    """Blocks under `## <ids>`; `for $ in <words>` at the end of a title makes one reading a word."""
    lines = text.splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith("## ")]
    readings = []
    for start, end in zip(starts, starts[1:] + [len(lines)]):
        title, _, words = lines[start][3:].partition(" for $ in ")
        for word in words.split() or [None]:
            instance = lambda line, word=word: line if word is None else line.replace("$", word)
            identities = [one for part in instance(title).split() for one in braces(part)]
            readings.append(Reading(identities, [instance(line) for line in lines[start + 1:end]], start + 1))
    return readings


def check(readings, profile):
    """What is wrong, and which conditions the profile cannot decide because it lacks something."""
    failures, passed_over, read = [], [], {}
    for reading in readings:
        unknown = [identity for identity in reading.identities if profile.known.get(identity) not in ("curve", "table")]
        failures += [f"{READINGS.name}:{reading.line}: no curve or table is named {identity}" for identity in unknown]
        for identity in reading.identities:
            if identity in read:
                failures.append(f"{READINGS.name}:{reading.line}: {identity} has a reading at line {read[identity]}")
            read[identity] = reading.line
        if not unknown:
            reading.text(profile, failures)
            reading.check(profile, failures, passed_over)
    for kind in ("curve", "table"):
        wanted = {identity for identity, its in profile.known.items() if its == kind} | set(profile.recorded[kind + "s"])
        failures += [f"{READINGS.name}: the {kind} {identity} has no reading" for identity in sorted(wanted - set(read))]
    return failures, passed_over


# ---- Pages -----------------------------------------------------------------------------------------------------------


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


def catalog(sources):
    """Id -> metric, curve or table."""
    return {identity: kind for source in sources for identity, kind, _, _ in head_of(source)[1]}


def value_row(identity, metric, meaning):
    if metric is None or metric.get("value") is None:
        reason = (metric or {}).get("reason") or "not measured"
        return f"| `{identity}` | - | | {(metric or {}).get('state', 'absent')}: {reason} |"
    interval = metric.get("repeat95")
    span = f"{amount(interval[0])} to {amount(interval[1])}" if interval else ""
    note = meaning if metric["state"] == "ok" else f"{meaning} ({metric['state']}: {metric['reason']})"
    return f"| `{identity}` | {amount(metric['value'])} {metric['unit']} | {span} | {note} |"


def picture_of(identity, supplier, units, plots):
    """Name of the picture that shows a curve: one of its own, or that of its microbenchmark whose data hold it."""
    own = PICTURES.get(identity)
    if own and (plots / f"{own}.svg").exists():
        return own
    y_unit = units.strip().partition(" over ")[0]
    panels = re.sub(r"[^A-Za-z0-9]+", "_", f"curves_{supplier}_{y_unit}_")
    for data in sorted(plots.glob(f"{panels}*.dat")) + sorted(plots.glob("*.dat")):
        if f"# {identity}\n" in data.read_text() and data.with_suffix(".svg").exists():
            return data.stem
    return None


def table_lines(recorded):
    rows = recorded["rows"]
    if len(rows) > ROWS_SHOWN:
        return []
    titles = [name + (f", {unit}" if unit not in ("", "1", "count") else "")
              for name, unit in zip(recorded["columns"], recorded["units"])]
    lines = ["", "| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    for row in rows:
        cells = ["-" if value is None else amount(value) for value in row["values"]]
        lines.append("| " + " | ".join([row["name"].replace("|", "\\|")] + cells) + " |")
    return lines


def section(source, profile, plots, readings):
    recorded = profile.recorded
    name = source.stem
    prose, entries = head_of(source)
    lines = [f"## {name}", "", prose, ""]
    metrics = [entry for entry in entries if entry[1] == "metric"]
    if metrics:
        lines += ["| entry | value | another run | meaning |", "|---|---|---|---|"]
        lines += [value_row(i, recorded["metrics"].get(i), meaning) for i, _, _, meaning in metrics]
        lines.append("")
    pictures = {}
    for identity, kind, units, meaning in entries:
        if kind == "curve":
            pictures.setdefault(picture_of(identity, name, units, plots), []).append((identity, meaning))
    for picture, curves in pictures.items():
        if picture:
            shutil.copy(plots / f"{picture}.svg", PAGES / "images" / f"{picture}.svg")
            lines += [f"![{', '.join(identity for identity, _ in curves)}](images/{picture}.svg)", ""]
        shown = {identity for identity, _ in curves}
        lines += [line for reading in readings if shown & set(reading.identities)
                  for line in (reading.text(profile, []), "")]
        for identity, meaning in curves:
            method = recorded["curves"].get(identity, {}).get("method", "")
            lines.append(f"- `{identity}`: {meaning}" + (f". Method: {method}" if method else ""))
        lines.append("")
    for identity, kind, _, meaning in entries:
        if kind == "table":
            table = recorded["tables"].get(identity, {"rows": []})
            method = table.get("method", "")
            lines += [f"`{identity}` (table of {len(table['rows'])} rows): {meaning}" + (f". Method: {method}" if method else "")]
            lines += table_lines(table) if table["rows"] else []
            lines += [""] + [line for reading in readings if identity in reading.identities
                             for line in (reading.text(profile, []), "")]
    return "\n".join(lines).rstrip() + "\n"


def clear_pages():
    """Everything that this script writes, and nothing else."""
    if (PAGES / "images").exists():
        shutil.rmtree(PAGES / "images")
    for page in PAGES.glob("*.md"):
        if page != READINGS:
            page.unlink()
    (PAGES / "images").mkdir(parents=True)


def draw(binary, sources, profile, readings):
    group_of, pages = groups(), {}
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([os.path.abspath(binary), "report", "--quiet"], cwd=scratch, check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "ROOFTILE_DATA_DIR": str(ROOT / "data")})
        plots = pathlib.Path(scratch) / "report" / "plots"
        clear_pages()
        for source in sources:
            _, entries = head_of(source)
            title = group_of.get(entries[0][0].split(".")[0], "Other")
            pages.setdefault(title, []).append(section(source, profile, plots, readings))
    environment = profile.recorded["environment"]
    for title, sections in pages.items():
        stem = re.sub(r"[^a-z]+", "-", title.lower()).strip("-")
        intro = (f"# {title}\n\nEach microbenchmark in its own words, with what it found on one {environment['gpu_name']} (`data/h200/profile.json`, recorded by\n"
                 f"`{environment['command_line']}`). *another run*: where another run's value falls in 95 of 100 cases. Under each plot stands how to read it,\n"
                 "from [readings](readings.md). Written by `scripts/draw_microbenchmarks.py`; the overview is [microbenchmarks](../microbenchmarks.md).\n\n")
        (PAGES / f"{stem}.md").write_text(intro + "\n".join(sections))
    print(f"{len(pages)} pages, {len(list((PAGES / 'images').iterdir()))} pictures in {PAGES.relative_to(ROOT)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", nargs="?", help="rooftile, whose report draws the pictures")
    parser.add_argument("--check", action="store_true", help="check the readings, write nothing")
    parser.add_argument("--profile", type=pathlib.Path, default=DATA / "profile.json", help="profile to check the readings with")
    options = parser.parse_args()
    if options.check == bool(options.binary):
        parser.error("either --check or the path of rooftile")
    opened = gzip.open if options.profile.suffix == ".gz" else open
    with opened(options.profile, "rt", encoding="utf-8") as file:
        recorded = json.load(file)
    sources = sorted((ROOT / "micro").glob("*.cu"))
    profile = Profile(recorded, catalog(sources))
    readings = readings_of(READINGS.read_text())
    failures, passed_over = check(readings, profile)
    for line in passed_over:
        print(f"not decided: {line}")
    if failures:
        sys.exit("\n".join(failures))
    if options.check:
        conditions = sum(len(reading.conditions) for reading in readings)
        print(f"{len(readings)} readings of {sum(len(reading.identities) for reading in readings)} curves and tables, "
              f"{conditions - len(passed_over)} of {conditions} conditions hold")
    else:
        draw(options.binary, sources, profile, readings)


if __name__ == "__main__":
    main()
