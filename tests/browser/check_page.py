#!/usr/bin/env python3
"""Looks at a page of the report in headless Chromium, as a reader would: pictures, tables, colours, keyboard, narrow and wide
windows. Prints what is wrong and exits 1; 77 without Chromium.

    check_page.py --page report/index.html [--pictures FOLDER]
    check_page.py --rooftile FILE       the same for a page that FILE writes of the recorded data
    check_page.py --self-test           each rule on a small page that breaks it
"""
import argparse
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from devtools import Browser
from small_page import broken_pages, sound_page

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
NARROW, WIDE = 360, 1440
ONCE = ["language", "title", "ids", "headings", "names", "links"]  # rules of a page that has no size or colour
SIZE_LIMIT_BYTES = 5 << 20


def complaints(browser):
    """What the browser itself says: uncaught exceptions, console errors, and questions to the network."""
    found = []
    for method, event in browser.events:
        if method == "Runtime.exceptionThrown":
            details = event["exceptionDetails"]
            found.append(f"console: {details.get('exception', {}).get('description', details['text'])}")
        elif method == "Runtime.consoleAPICalled" and event["type"] in ("error", "warning", "assert"):
            found.append(f"console: {event['args'][0].get('value')}")
        elif method == "Log.entryAdded" and event["entry"]["level"] in ("error", "warning"):
            found.append(f"console: {event['entry']['text']}")
        elif method == "Network.requestWillBeSent" and not re.match("file:|data:", event["request"]["url"]):
            found.append(f"network: {event['request']['url']}")
    return found


def told_by_file(path):
    """The texts of all points, a list a picture, from the file itself."""
    pictures = re.findall(r'<div class="picture">(.*?)</svg>', path.read_text(encoding="utf-8"), re.DOTALL)
    texts = [re.findall(r'<g class="mark"><title>(.*?)</title>', picture, re.DOTALL) for picture in pictures]
    return [[html.unescape(text) for text in picture] for picture in texts if picture]


def readings(browser, path):
    """Pointer and arrow keys bring up what the file says of the points, and Escape puts it away."""
    found, pictures = [], told_by_file(path)
    for i, texts in enumerate(pictures):
        if browser.evaluate(f"rules.pictureOfMarks({i})") != len(texts):
            found.append(f"readings: picture {i} has not the {len(texts)} points of the file")
            continue
        for keys, wanted in ((["Home"], texts[0]), (["ArrowRight"], texts[min(1, len(texts) - 1)]), (["End"], texts[-1])):
            for key in keys:
                browser.press(key)
            told = browser.evaluate("rules.reading()")
            if told["texts"] != [wanted] or not told["inside"]:
                found.append(f"readings: {keys} shows {told} and not {wanted}")
        browser.press("Escape")
        place = browser.evaluate(f"rules.firstMark({i})")
        browser.point_at(place["x"], place["y"])
        told = browser.evaluate("rules.reading()")["texts"]
        if len(told) != 1 or told[0] not in texts:
            found.append(f"readings: the pointer on the first point of picture {i} shows {told}")
        browser.point_at(0, 0)
        if left := browser.evaluate("rules.reading()")["texts"]:
            found.append(f"readings: {left} stays when the pointer leaves")
    if not pictures:
        found.append("readings: no picture has points that tell anything")
    return found


def keyboard(browser):
    """Tab goes on from control to control, and each that has the focus shows it."""
    found, seen = [], []
    for _ in range(25):
        browser.press("Tab")
        focus = browser.evaluate("rules.focused()")
        seen.append(focus["what"])
        if not focus["seen"]:
            found.append(f"keyboard: the focus is not to be seen on {focus['what']}")
    if len(set(seen)) < 5:
        found.append(f"keyboard: Tab stays at {seen[-1]}")
    return found


def rule(browser, name, where=""):
    return [f"{name}{where}: {problem}" for problem in browser.evaluate(f"rules.{name}()")]


def open_page(browser, path, width, scheme="light", script=True):
    browser.view(width, scheme)
    browser.open(path, script)
    browser.evaluate((HERE / "rules.js").read_text(encoding="utf-8"))


def check(browser, path, pictures=None):
    """Everything that is wrong with a page."""
    path = pathlib.Path(path)
    found = [] if path.stat().st_size < SIZE_LIMIT_BYTES else [f"size: {path.stat().st_size} bytes"]
    open_page(browser, path, WIDE, script=False)
    found += rule(browser, "unscripted") + rule(browser, "pictures", " without script")
    open_page(browser, path, WIDE)
    found += keyboard(browser)
    browser.evaluate("rules.unfold()")
    for name in ONCE:
        found += rule(browser, name)
    missing = [f for f in browser.evaluate("rules.files()") if not (path.parent / f).exists()]
    found += [f"links: no such file: {f}" for f in missing]
    for width in (WIDE, NARROW):
        for scheme in ("light", "dark"):
            browser.view(width, scheme)
            found += rule(browser, "contrast", f" at {width} px, {scheme}")
            if pictures:
                browser.evaluate("scrollTo(0, 0)")
                browser.save_picture(pathlib.Path(pictures) / f"{width}-{scheme}.png")
        found += rule(browser, "overflow", f" at {width} px") + rule(browser, "pictures", f" at {width} px")
        found += readings(browser, path)
    found += rule(browser, "filtering") + rule(browser, "sorting")
    return found + complaints(browser)


def self_test(browser, folder):
    """A sound page passes and each broken one fails by the rule that it breaks."""
    path, wrong = folder / "index.html", []
    (folder / "there.txt").touch()
    path.write_text(sound_page(), encoding="utf-8")
    wrong += [f"the sound page: {problem}" for problem in check(browser, path)]
    for name, text in broken_pages():
        path.write_text(text, encoding="utf-8")
        found = check(browser, path)
        if not any(problem.startswith(name) for problem in found):
            wrong.append(f"the page that breaks '{name}' passes it; found were {json.dumps(found)}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--page", type=pathlib.Path)
    what.add_argument("--rooftile", type=pathlib.Path)
    what.add_argument("--self-test", action="store_true")
    parser.add_argument("--pictures", type=pathlib.Path, help="folder for a picture of each window")
    options = parser.parse_args()
    list(broken_pages())  # each must still break something, with a browser or without
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        print("skipped: Chromium is not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder, Browser(chromium) as browser:
        folder = pathlib.Path(folder)
        if options.rooftile:
            subprocess.run([options.rooftile, "report", "--quiet", "--output", folder], check=True, stdout=subprocess.DEVNULL)
        found = (self_test(browser, folder) if options.self_test else
                 check(browser, options.page or folder / "index.html", options.pictures))
    print("\n".join(found[:60]) or ("each rule can fail" if options.self_test else "the page is sound"))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
