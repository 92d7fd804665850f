"""`analyze --out DIR/` writes figures, tables and a checklist for a publication. All numbers are those of the
document."""
import csv
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as xml
from collections import defaultdict

import pytest

from harness import plumbline
from test_recipes import SUITES, turns

SUITE = f"{SUITES}/determinism.jsonl", f"{SUITES}/reasoning.jsonl"
NOISE = ("--seed", "7", "--noise", "0.03", "--fresh-noise")
SVG = "{http://www.w3.org/2000/svg}"
COLUMNS = ["figure", "label", "series", "x", "x_low", "x_high", "y", "y_low", "y_high", "y_at_most", "n"]
TEX = shutil.which("tectonic") or shutil.which("pdflatex")
if TEX and TEX.endswith("pdflatex") and subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True).returncode:
    TEX = None  # without booktabs nothing is compiled


# -- what the document says, point by point: (label, series, x, y) and their intervals, as the CSV files must have them


def value_of(node):
    """(y, low, high, at_most, n) of a figure, or None."""
    if not node or node.get("value", node.get("rate")) is None:
        return None
    low, high = node.get("ci95") or (None, None)
    n = node["n"] if node.get("n") is not None else node.get("clusters")
    return node.get("value", node.get("rate")), low, high, (node.get("at_most") or {}).get("value"), n


def point(label, series, node, x=(None, None, None)):
    y = value_of(node)
    return [] if y is None else [(label, series, *x, *y)]


def bare(label, series, y, x=None, n=None):
    return [(label, series, x, None, None, y, None, None, None, n)]


def standing_points(document):
    standings = document["standings"]
    for figure in standings["figures"]:
        name = figure["name"]
        if not name.startswith("length_"):
            yield name, [p for row in standings["rows"] for series, of in (("compared with base", "figures"), ("with itself", "floor"))
                         for p in point(row["target"], series, (row[of] or {}).get(name))]
    suites = {suite["suite"] for row in standings["rows"] for suite in row["suites"]}
    for suite in suites:
        yield f"divergence_index-{suite}", [p for row in standings["rows"] for each in row["suites"] if each["suite"] == suite
                                            for p in point(row["target"], "", each["divergence_index"])]
    yield "length", [p for row in standings["rows"] for x in [value_of(row["figures"]["length_bias"])]
                     for p in point(row["target"], "", row["figures"]["length_magnitude"], x[:3])]
    if standings["is_sweep"]:
        yield "sweep", [p for row in standings["rows"] for p in point(row["target"], "", row["figures"]["answer_changed"])]


def chart_points(document):
    targets = [row["target"] for row in document.get("standings", {}).get("rows", [])]  # in the command's order
    groups = [g for g in document["groups"] if not g["is_floor"]] or document["groups"]
    groups.sort(key=lambda g: targets.index(g["test"]) if g["test"] in targets else len(targets))
    split = {g["test"]: g["by_decoding"]["greedy"] for g in groups}
    yield "survival", [p for g in groups for steps in [split[g["test"]]["survival"]["still_identical"]]
                       for p in (bare("", g["test"], 1, 0) if steps else []) + [q for s in steps for q in bare("", g["test"], s["share"], s["tokens"], s["at_risk"])]]
    for g in groups:
        suffix = f"-{g['test']}" if len(groups) > 1 else ""
        charts = split[g["test"]]["charts"]
        yield f"first_differences{suffix}", [p for c in charts["gaps"]["points"] for p in bare("", c["verdict"], c["test"], c["base"])]
        yield f"answer_lengths{suffix}", [p for c in charts["lengths"]["points"]
                                          for p in bare("", "answers differ" if c["differ"] else "same answer", c["test"], c["base"])]
        deltas = charts["delta_lp"]
        yield f"logprob_change{suffix}", [p for i, x in list(enumerate(deltas))[1:-1] for p in bare("", "", i / (len(deltas) - 1), x)]
        stretches = charts["over_time"]["stretches"]
        assert all(s["rate"] == s["differ"] / s["n"] and s["ci95"][0] <= s["rate"] <= s["ci95"][1] for s in stretches)
        yield f"over_time{suffix}", [p for s in stretches if len(stretches) > 1 for p in point("", "", s, (s["from"] - stretches[0]["from"], None, None))]
        yield f"slices{suffix}", [p for kind, slices in g["slices"].items() if len(slices["values"]) > 1 for s in slices["values"]
                                  for p in point(f"{kind}: {s['value'] or ''}", "", s["differ"])]


def recipe_points(document):
    if "stress" in document:
        yield "load", [(str(level["concurrency"]), "", None, None, None, d["hits"] / d["n"], d["low"], d["high"], None, d["n"])
                       for level in document["stress"]["levels"] for d in [level["differing"]]]
    if "reruns" in document:
        figures = (("all_alike", "prompts always alike", "prompts"), ("determinism_score", "answers as the most common", "answers"),
                   ("output_consistency", "pairs that agree", "answers"))
        yield "determinism", [(*p[:-1], level[n]) for level in document["reruns"]["levels"] for name, series, n in figures
                              for p in point(str(level["concurrency"]), series, level[name])]


def expected(document):
    sources = [chart_points, recipe_points] + ([standing_points] if "standings" in document else [])
    return {name: points for source in sources for name, points in source(document) if points}


def read_csv(path):
    rows = list(csv.reader(open(path)))
    assert rows[0] == COLUMNS
    number = lambda text: float(text) if text else None
    return [(row[0], (row[1], row[2], *map(number, row[3:]))) for row in rows[1:]]


def check_csv(kit, document):
    wanted = expected(document)
    found = {p.stem: read_csv(p) for p in kit.glob("*.csv")}
    whole = found.pop("figures")
    if "standings" not in document:  # the paper's figures of a single pair, from its greedy answers
        figures = document["groups"][0]["by_decoding"]["greedy"]["figures"]
        for name in ("answer_changed", "text_differs", "divergence_index", "hazard", "top1_logprob_rmse", "jaccard_5"):
            got = [p for _, p in found.pop(name) if p[1] == "compared with base"]
            assert [p[5:] for p in got] == [value_of(figures[name])], name
        found = {name: rows for name, rows in found.items() if name != "length" and not name.startswith("divergence_index-")}
    assert set(found) == set(wanted)
    for name, rows in found.items():
        assert {figure for figure, _ in rows} == {name}
        assert [p for _, p in rows] == wanted[name], name
    assert [row for row in whole if row[0] in found] == [row for name in dict.fromkeys(r[0] for r in whole) if name in found for row in found[name]]


# -- what the drawings say, measured by their own ticks


def scale_of(svg, axis, at):
    """From a place to a value, by the ticks of an axis."""
    ticks = [(float(t.get(at)), t.text) for t in svg.iter(f"{SVG}text") if t.get("class") == f"tick {axis}"]
    ticks = sorted((place, float(text.replace("−", "-").replace(" %", "")) / (100 if "%" in text else 1)) for place, text in ticks)
    (p0, v0), (p1, v1) = ticks[0], ticks[-1]
    return lambda place: v0 + (place - p0) * (v1 - v0) / (p1 - p0), abs(v1 - v0)


def signs(mark):
    return [tuple(float(n) for n in re.findall(r"-?[\d.]+", s.get("transform"))) for s in mark.iter(f"{SVG}path") if s.get("class") == "sign"]


def whiskers(mark):
    return [[float(line.get(k)) for k in ("x1", "x2", "y1", "y2")] for line in mark.iter(f"{SVG}line") if line.get("class") == "whisker"]


def check_mark(mark, row, y_of, y_slack, x_of, x_slack, lies):
    _, _, x, x_low, x_high, y, low, high, most, _ = row
    boxes = {r.get("class"): sorted((float(r.get("y")), float(r.get("y")) + float(r.get("height")))) for r in mark.iter(f"{SVG}rect")}
    if boxes:
        assert y_of(boxes["bar"][0] if y >= 0 else boxes["bar"][1]) == pytest.approx(y, abs=y_slack)
        if most is not None and most != y:
            assert y_of(boxes["undecided"][0]) == pytest.approx(most, abs=y_slack)
    else:
        places = [y_of(s[0 if lies else 1]) for s in signs(mark)]
        assert places == pytest.approx([y] + ([most] if most not in (None, y) else []), abs=y_slack)
        if x is not None:
            assert x_of(signs(mark)[0][0]) == pytest.approx(x, abs=x_slack)
    upright = [w for w in whiskers(mark) if (w[2] == w[3]) == lies]
    assert len(upright) == (low is not None) or high - low < y_slack, "an interval without a width has no direction"
    for x1, x2, y1, y2 in upright:
        assert sorted(map(y_of, (x1, x2) if lies else (y1, y2))) == pytest.approx([low, high], abs=y_slack)
    if x_low is not None:
        across = max((w for w in whiskers(mark) if w[2] == w[3]), key=lambda w: abs(w[1] - w[0]))
        assert sorted(map(x_of, across[:2])) == pytest.approx([x_low, x_high], abs=x_slack)


def check_svg(path):
    rows = [p for _, p in read_csv(path.with_suffix(".csv"))]
    svg = xml.parse(path).getroot()
    assert svg.get("width") in ("240pt", "504pt"), "one or two columns"
    assert not list(svg.iter(f"{SVG}title")) and all(t.text for t in svg.iter(f"{SVG}text") if t.get("class"))
    lies = path.stem.startswith(("slices", "effects"))
    y_of, y_span = scale_of(svg, *(("x", "x") if lies else ("y", "y")))
    numeric = rows[0][2] is not None
    x_of, x_span = scale_of(svg, "x", "x") if numeric else (None, 0)
    if not lies:
        y_of = (lambda f: lambda place: f(place + 2.8))(y_of)  # a tick's text stands a little below its line
    marks = [m for m in svg.iter(f"{SVG}g") if m.get("class") == "mark"]
    lines = [p.get("d") for p in svg.iter(f"{SVG}path") if p.get("class") == "line"]
    drawn = [row for row in rows if not lines or not numeric or row[6] is not None][:len(marks) if lies else None]
    assert len(marks) == len(drawn) and (marks or lines)
    for mark, row in zip(marks, drawn):
        check_mark(mark, row, y_of, y_span / 100, x_of, x_span / 100, lies)
    if numeric and lines:
        by_series = defaultdict(list)
        for row in rows:
            by_series[row[1]].append((row[2], row[5]))
        for d, points in zip(lines, by_series.values()):
            corners = [tuple(map(float, c.split())) for c in re.split("[ML]", d)[1:]]
            at = [(x_of(x), y_of(y)) for x, y in corners]
            for x, y in points:
                assert any(abs(x - a) <= x_span / 100 and abs(y - b) <= y_span / 100 for a, b in at), (path.stem, x, y)


# -- the other files


def check_latex(kit):
    text = (kit / "tables.tex").read_text()
    plain = re.sub(r"\\.", "", re.sub(r"%.*", "", text.replace("\\%", "")))
    depth = 0
    for c in plain:
        depth += (c == "{") - (c == "}")
        assert depth >= 0
    assert depth == 0 and plain.count("$") % 2 == 0
    open_ones = []
    for kind, name in re.findall(r"\\(begin|end)\{([a-z*]+)\}", text):
        if kind == "begin":
            open_ones.append(name)
        else:
            assert open_ones.pop() == name
    assert not open_ones
    for table in re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}", text, re.S):
        width = len(re.search(r"\\begin\{tabular\}\{(\w+)\}", table)[1])
        for line in table.splitlines():
            if line.endswith(r"\\") and "multicolumn" not in line:
                assert len(re.findall(r"(?<!\\)&", line)) == width - 1, line
        for cell in re.findall(r"& ([^&\n]*\d[^&\n]*?) (?=&|\\\\)", table):
            assert re.search(r"\[.* to .*\], \$n = \d+\$$", cell), cell
    assert set(re.findall(r"\\kitfigure\{([^}#]+)\}\n", text)) == {p.stem for p in kit.glob("*.svg")}
    if TEX:
        (kit / "whole.tex").write_text("\\documentclass[twocolumn]{article}\\usepackage{booktabs,graphicx}\\begin{document}\\input{tables}\\end{document}")
        subprocess.run([TEX, "whole.tex"], cwd=kit, check=True, timeout=300, stdin=subprocess.DEVNULL, capture_output=True)
        for made in kit.glob("whole.*"):
            made.unlink()


def check_texts(kit, document, command):
    readme, checklist = (kit / "README.md").read_text(), (kit / "checklist.md").read_text()
    files = re.findall(r"^\| `([^`]+)`", readme, re.M)
    assert {*files, "README.md"} == set(os.listdir(kit)) and len(files) == len(set(files))
    assert re.search(rf"^    plumbline {command} ", readme, re.M) and re.search(r"plumbline \d\S* wrote this directory at \d{4}-\d\d-\d\dT", readme)
    assert "2605.19537" in readme
    for stack in document["manifest"]["stacks"]:
        part = next(p for p in checklist.split("# Stack of ")[1:] if p.startswith(stack["backend"].replace(":", "&#58;")) or p.startswith(stack["backend"]))
        known, unknown = part.split("Still unknown")
        for item in stack["items"]:
            assert (f"{item['title']}" in (unknown if item["status"] == "unknown" else known)), item


def check_no_texts(kit):
    lines = [json.loads(line) for suite in SUITE for line in open(suite)]
    prompts = [line["messages"][-1]["content"] if "messages" in line else line["prompt"] for line in lines]
    whole = "".join(p.read_text() for p in kit.iterdir())
    assert prompts and not any(prompt in whole for prompt in prompts)


def check(kit, document, command):
    check_csv(kit, document)
    for path in kit.glob("*.svg"):
        check_svg(path)
    if "standings" in document:
        notes = [t.text for t in xml.parse(kit / "divergence_index.svg").getroot().iter(f"{SVG}text") if t.get("class") == "note"]
        assert notes == [f"{row['first_differing_token']['mean']:.1f}" for row in document["standings"]["rows"]]
    check_latex(kit)
    check_texts(kit, document, command)
    check_no_texts(kit)


def test_a_sweep_writes_the_papers_figures(start):
    options = [(), NOISE, (*NOISE, "--quantise", "0.5"), (*NOISE, "--quantise", "2")]
    targets = [f"{name}={start.engine(*(o or NOISE), '--random-seed', n).url}" for n, name, o in zip("1234", ("f16", "q8", "q4", "q2"), options)]
    kit, capture = start.directory / "kit", start.directory / "c"
    done = plumbline("sweep", *SUITE, "--base", "f16", *targets, "--limit", "12", "--concurrency", "1", "--capture", capture, "--json", "--out", f"{kit}/")
    document = json.loads(done.stdout)
    assert b"publication kit, no prompts or answers" in done.stderr
    check(kit, document, "sweep")
    names = {p.stem for p in kit.glob("*.svg")}
    assert names >= {"answer_changed", "length", "divergence_index", "divergence_index-reasoning", "top1_logprob_rmse", "jaccard_5", "sweep", "survival"}
    saved, again = start.directory / "a.json", start.directory / "again"
    saved.write_text(json.dumps(document))
    (again).mkdir()
    plumbline("report", saved, "--out", again)
    check(again, document, "sweep")
    for path in kit.iterdir():
        assert path.name == "README.md" or path.read_bytes() == (again / path.name).read_bytes(), path.name
    (again / "mine.txt").write_text("notes")
    plumbline("analyze", capture, "--out", again, "--json")
    assert (again / "mine.txt").exists() and not (again / "sweep.svg").exists(), "an earlier kit is replaced, other files stay"


def test_stress_and_determinism_write_their_curves(start):
    url = start.engine(*NOISE, "--random-seed", "1").url
    kit = start.directory / "stress"
    done = plumbline("stress", SUITE[0], "--to", f"e={url}", "--limit", "12", "--max-tokens", "32", "--concurrency", "1,4", "--capture", start.directory / "s", "--json", "--out", f"{kit}/")
    document = json.loads(done.stdout)
    check(kit, document, "stress")
    assert (kit / "load.svg").exists()
    kit = start.directory / "determinism"
    done = plumbline("determinism", SUITE[0], f"e={url}", "--limit", "12", "--max-tokens", "32", "--runs", "3", "--concurrency", "1,4", "--capture", start.directory / "d", "--json", "--out", f"{kit}/")
    document = json.loads(done.stdout)
    check(kit, document, "determinism")
    assert document["cause"]["key"] == "tie" and not any("To remove" in step["text"] for step in document["next"]), document["next"]
    assert (kit / "determinism.svg").exists()


def test_a_directory_that_cannot_take_a_kit_is_refused_before_the_work(start):
    engine = start.engine(*NOISE)
    full, new = start.directory / "full", start.directory / "none/kit"
    full.mkdir()
    (full / "thesis.tex").write_text("years of work")
    for path, why in ((full, b"has files of another origin"), (f"{full}/", b"has files of another origin"), (f"{new}/", b"No such file"), (f"{full}/thesis.tex/", b"Not a directory"),
                      (f"{start.directory}/c/", b"has files of another origin")):
        done = plumbline("determinism", SUITE[0], engine.url, "--limit", "2", "--capture", start.directory / "c", "--out", path, check=2)
        assert why in done.stderr, done.stderr
    assert turns(engine) == 0 and os.listdir(full) == ["thesis.tex"] and not (start.directory / "c").exists()
    if os.getuid() != 0:
        full.chmod(0o500)
        assert b"Permission denied" in plumbline("analyze", "x", "--out", f"{full}/", check=2).stderr


HOSTILE = [r"\input{/etc/passwd}", "a$b_c%d&e#f^g~h{i}j", "<script>alert(1)</script>", "../../../x", "![x](http://x)", "=cmd|' /C calc'!A0", "日本語 é", "\x1b[31mred\n# h", "[9pt]--x", ""]


def test_hostile_texts_are_shown_and_never_run(start, tmp_path):
    a, b = start.engine(*NOISE, "--random-seed", "1"), start.engine(*NOISE, "--random-seed", "2", "--quantise", "1")
    document = json.loads(plumbline("compare", f"a={a.url}", f"b={b.url}", SUITE[0], "--limit", "6", "--concurrency", "1", "--capture", tmp_path / "c", "--json").stdout)
    document["groups"] = [{**document["groups"][0], "test": name, "base": HOSTILE[-i], "is_floor": False} for i, name in enumerate(HOSTILE)]
    for group in document["groups"]:
        group["by_decoding"]["greedy"]["figures"]["hazard"] = {"value": 1e300, "ci95": [-1e300, "x"], "n": -1}
        group["by_decoding"]["greedy"]["survival"] = [1, 2]
    document["manifest"]["stacks"][0]["backend"] = HOSTILE[2]
    saved, kit = tmp_path / "a.json", tmp_path / "kit"
    saved.write_text(json.dumps(document))
    plumbline("report", saved, "--out", f"{kit}/")
    for path in kit.glob("*.svg"):
        assert re.fullmatch("[a-z0-9_-]+", path.stem)
        texts = {t.text for t in xml.parse(path).getroot().iter(f"{SVG}text")}
        assert path.stem != "answer_changed" or any("<script>" in (t or "") for t in texts)
    check_latex(kit)
    assert r"\input" not in (kit / "tables.tex").read_text()
    assert all(not cell.startswith(("=", "+", "@")) for path in kit.glob("*.csv") for row in csv.reader(open(path)) for cell in row[:3])
    assert "<script>" not in (kit / "README.md").read_text() + (kit / "checklist.md").read_text()
    assert "http://x" not in (kit / "README.md").read_text().replace("![x]", "")
    assert {p.parent for p in tmp_path.rglob("*.svg")} == {kit}
