"""A small page with one of everything that the report has, around the report's own script; and pages that break one rule."""
import pathlib

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "report/templates/script.js.mustache"
POINTS = "".join(f'<g class="mark"><title>point {i}: x {i}</title><circle cx="{20 * i}" cy="{60 - 5 * i}" r="4"/></g>'
                 for i in range(1, 6))
ROWS = "".join(f'<tr><th scope="row">row {i}</th><td data-sort="{i * 7 % 13}">{i * 7 % 13} ms</td></tr>' for i in range(13))
ROWS += '<tr><th scope="row">row 13</th><td>none</td></tr>'
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><style>
:root { color-scheme: light dark; }
body { background: #fff; color: #222; } a { color: #00568c; }
:focus-visible { outline: 2px solid #00568c; }
.picture svg { width: 100%; height: auto; }
.reading { position: absolute; }
@media (prefers-color-scheme: dark) { body { background: #111; color: #ddd; } a { color: #79bff5; } }
</style></head><body>
<nav aria-label="Sections"><a href="#one">One</a></nav>
<main><h1>A page</h1><section id="one"><h2>One</h2><p class="text">A text.</p>
<figure id="plot"><h3>Picture</h3>
<div class="picture"><svg viewBox="0 0 200 100" role="img" aria-label="points">POINTS</svg></div>
<figcaption>See <a href="there.txt">data</a> and <a href="#plot">here</a>.</figcaption></figure>
<div class="scroll" role="region" tabindex="0" aria-label="Rows"><table><caption>Rows</caption>
<thead><tr><th scope="col">name</th><th scope="col" class="num">time</th></tr></thead><tbody>ROWS</tbody></table></div>
</section></main><script>
SCRIPT
</script></body></html>
"""
# The rule that fails, what is replaced in the page, by what.
BREAKS = [
    ("language", ' lang="en"', ""),
    ("title", "<title>A page</title>", ""),
    ("ids", '<p class="text">', '<p class="text" id="one">'),
    ("headings", "<h3>Picture</h3>", "<h4>Picture</h4>"),
    ("headings", "<h2>One</h2>", "<h1>One</h1>"),
    ("pictures", ".picture svg {", ".picture svg { display: none;"),
    ("pictures", 'viewBox="0 0 200 100"', 'viewBox="0 0 200 1"'),
    ("pictures", "</main>", '<img src="none.png" alt="none"></main>'),
    ("names", ' role="img"', ""),
    ("names", 'role="img" aria-label="points"', 'role="img"'),
    ("names", ' aria-label="Sections"', ""),
    ("names", "</main>", '<button type="button"></button></main>'),
    ("links", 'href="#plot"', 'href="#nowhere"'),
    ("links", 'href="there.txt"', 'href="missing.txt"'),
    ("overflow at 1440", '<p class="text">', '<p class="text" style="width: 1500px">'),
    ("overflow at 360", '<p class="text">', '<p class="text" style="width: 400px">'),
    ("contrast at 1440 px, light", "color: #222;", "color: #888;"),
    ("contrast at 1440 px, dark", "color: #ddd;", "color: #666;"),
    ("contrast", "</svg>", '<text y="90" fill="#aaa">pale</text></svg>'),
    ("console", "<script>", "<script>console.error('wrong');</script><script>"),
    ("console", "<script>", "<script>throw new Error('wrong');</script><script>"),
    ("network", "</main>", '<img src="http://127.0.0.1:9/none.png" alt="none"></main>'),
    ("sorting", "? x - y :", "? 0 :"),
    ("sorting", "return up ? order", "return !up ? order"),
    ("sorting", "return wordsLast", "return -wordsLast"),
    ("sorting", '"descending");', '"none");'),
    ("filtering", "!texts[i].includes(text)", "texts[i].includes(text)"),
    ("filtering", "${shown} of", "0 of"),
    ("filtering", "rows.length >= longTable", "rows.length >= 99"),
    ("readings", "reading.value = texts[at]", "reading.value = texts[0]"),
    ("readings", '"pointermove"', '"dblclick"'),
    ("readings", 'Listener("pointerleave"', 'Listener("dblclick"'),
    ("keyboard", "outline: 2px solid", "outline: 0 solid"),
    ("keyboard", "<script>", "<script>addEventListener('keydown', (e) => e.preventDefault());</script><script>"),
    ("unscripted", "</h2>", '</h2><input aria-label="dead">'),
]


def sound_page():
    return PAGE.replace("POINTS", POINTS).replace("ROWS", ROWS).replace("SCRIPT", SCRIPT.read_text(encoding="utf-8"))


def broken_pages():
    """(rule, page) for each way to break one."""
    for rule, old, new in BREAKS:
        page = sound_page()
        if old not in page:
            raise ValueError(f"'{old}' is not in the small page: what was to break {rule} breaks nothing")
        yield rule, page.replace(old, new, 1)
