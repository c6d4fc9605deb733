#!/usr/bin/env python3
"""Checks README.md, docs/ and --help: every link leads somewhere, every block that shows a file shows it as it is, and every
`rooftile` command of a sh block and every example of a command's --help runs.

    scripts/check_docs.py [--rooftile FILE]        without FILE only the links

Each command runs in an empty folder with the recorded data beside it and stand-ins for the files that it names. Where one
needs a GPU, the recorded H200 answers and --dry-run stops it before the work. It must exit 0, or as exit_codes() says.
"""
import argparse
import gzip
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NEEDS_GPU = {"run", "characterize", "measure"}


def documents():
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def anchors(path):
    """Anchors of the headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {heading.strip().replace(" ", "-") for heading in plain}


def broken_links(path):
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?://", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        if not file.exists():
            yield f"{target}: no such file"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            yield f"{target}: no such heading"


def drifted_files(path):
    """Blocks under `<!-- file: PATH -->` hold that file, word by word."""
    text = path.read_text(encoding="utf-8")
    for name, block in re.findall(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        if block != (ROOT / name).read_text(encoding="utf-8"):
            yield f"the block is not {name}"


def commands(path):
    """The argument lists of lines of sh blocks that start with rooftile; lines ending in a backslash go on."""
    for block in re.findall(r"^```sh\n(.*?)^```", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        for line in block.replace("\\\n", " ").split("\n"):
            words = shlex.split(line, comments=True)
            if words[:1] == ["rooftile"]:
                yield words[1:]


def examples(binary):
    """The examples that --help shows, of the program and of each command, as argument lists."""
    def help_of(*command):
        return subprocess.run([binary, *command, "--help"], text=True, capture_output=True, check=True).stdout

    overview = help_of()
    listed = re.search(r"^Commands:\n((?:  \S.*\n)+)", overview, re.MULTILINE).group(1)
    names = [line.split()[0] for line in listed.splitlines()]
    for text in [overview, *map(help_of, names)]:
        shown = [line for line in text.partition("\nExamples:\n")[2].splitlines() if line.startswith("  rooftile ")]
        assert shown, f"no examples in\n{text}"
        yield from (shlex.split(line)[1:] for line in shown)


def stand_ins(folder, arguments, binary):
    """A profile, each of a card of its own, predictions or runs for each file that the command reads and the record does not have."""
    (folder / "data").symlink_to(ROOT / "data")
    packed = sorted((ROOT / "data" / "h200").glob("runs-*.jsonl.gz"))[0]
    runs = gzip.decompress(packed.read_bytes()).decode()
    profile = json.loads((ROOT / "data" / "h200" / "profile.json").read_text(encoding="utf-8"))
    card = profile["environment"]["gpu_uuid"]
    written = {after for option, after in zip(arguments, arguments[1:]) if option in ("--output", "--json", "--csv", "--md")}
    cards = 0
    after = dict(zip(arguments, arguments[1:]))
    recorded = {after["--suite"]} if "--suite" in after and (ROOT / "data" / after["--suite"]).exists() else set()
    if "--predictions" in after:
        subprocess.run([binary, "predict", "--shape", "4096", "--quick", "--json", after["--predictions"], "--quiet"],
                       cwd=folder, check=True, capture_output=True)
    for name in sorted(set(arguments) - written - recorded):
        file = folder / name
        if name.endswith(".json") and not file.exists():
            profile["environment"]["gpu_uuid"] = f"{card}-{cards}" if cards else card
            cards += 1
            file.write_text(json.dumps(profile), encoding="utf-8")
        elif name.endswith(".jsonl") and not file.exists():
            file.write_text(runs, encoding="utf-8")


def compiles(binary):
    """Whether --compile works here: a build with CUDA, and a disassembler; None where only the former is sure."""
    build = json.loads(subprocess.run([binary, "version", "--json", "-"], text=True, capture_output=True, check=True).stdout)
    if not build["cuda"]:
        return False
    return True if os.access(os.environ.get("ROOFTILE_CUOBJDUMP", ""), os.X_OK) or shutil.which("cuobjdump") else None


def exit_codes(binary, arguments):
    """Those that the command may end with: tiles that were never recorded need a GPU, and a strict doctor has a finding here."""
    done = {3} if "--measure" in arguments else {0}
    if "--compile" in arguments and arguments[0] != "validate":  # whose stand-ins are listed
        return {True: done, False: {3}, None: done | {2}}[compiles(binary)]
    if "--measure" in arguments:
        return done
    return {0, 1} if arguments[0] == "doctor" and "--strict" in arguments else {0}


def failure(binary, arguments):
    """Why the command does not run, or an empty text."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        arguments = [re.sub(r"^/tmp/", f"{name}/", argument) for argument in arguments]
        if arguments[0] == "tune" and "--compile" in arguments:  # one kernel shows that it works
            arguments[arguments.index("--compile") + 1] = "1"
        stand_ins(folder, arguments, binary)
        if arguments[0] in NEEDS_GPU:
            arguments += ["--replay", "data/h200"] if "--replay" not in arguments else []
            arguments += ["--dry-run"] if "--dry-run" not in arguments else []
        environment = {**os.environ, "ROOFTILE_DATA_DIR": str(ROOT / "data"), "ROOFTILE_PROFILE": "", "ROOFTILE_CONFIG": "/dev/null", "CUDA_VISIBLE_DEVICES": ""}
        done = subprocess.run([binary, *arguments], cwd=folder, env=environment, text=True, capture_output=True, check=False)
        return "" if done.returncode in exit_codes(binary, arguments) else f"exit {done.returncode}: {done.stderr.strip()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooftile", metavar="FILE", help="the binary that runs the commands")
    options = parser.parse_args()
    binary = str(pathlib.Path(options.rooftile).resolve()) if options.rooftile else ""
    problems = [f"{path.relative_to(ROOT)}: {problem}" for path in documents() for problem in (*broken_links(path), *drifted_files(path))]
    runs = []
    if binary:
        runs = [(path.relative_to(ROOT), arguments) for path in documents() for arguments in commands(path)]
        runs += [("--help", arguments) for arguments in examples(binary)]
    for place, arguments in runs:
        why = failure(binary, list(arguments))
        problems += [f"{place}: rooftile {shlex.join(arguments)}: {why}"] if why else []
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(documents())} documents, {len(runs)} commands: every link leads somewhere, every command runs")


if __name__ == "__main__":
    main()
