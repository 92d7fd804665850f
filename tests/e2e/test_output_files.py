"""Output files: unwritable paths are refused before the work; reports name size and content; `runs` lists the
directories."""
import json
import os
import re
import shutil
import subprocess

import pytest

from harness import BINARY, PATIENCE, exported

SUITE = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../configs/suites/reasoning.jsonl"))
FORMS = ("json", "html", "md", "txt", "xml")


def at(directory, *args, **env):
    return subprocess.run([BINARY, *map(str, args)], cwd=directory, capture_output=True, text=True, timeout=PATIENCE, env={**os.environ, **env})


@pytest.fixture
def place(tmp_path):
    """An empty working directory."""
    (tmp_path / "place").mkdir()
    return tmp_path / "place"


def phrases(capture):
    """Return all sequences of four words in prompts and answers."""
    texts = []
    for e in exported(capture):
        texts += [m["content"] for m in e["request"]["json"]["messages"]] if "json" in e["request"] else [str(e["request"])]
        texts += [c["text"] for leg in e["legs"] for c in leg["reading"]["choices"]]
    return {" ".join(words[i:i + 4]) for words in map(str.split, texts) for i in range(len(words) - 3)}


@pytest.mark.parametrize("ci, option, quoting", [
    ("", [], {"json", "html", "txt"}),
    ("", ["--with-text"], {"json", "html", "txt", "md"}),
    ("", ["--exhibits", "2"], {"json", "html", "txt", "md"}),
    ("", ["--exhibits", "0"], set()),
    ("true", [], set()),
    ("true", ["--with-text"], {"json", "html", "txt", "md"}),
])
def test_ci_files_have_no_text_without_the_option(compared, place, ci, option, quoting):
    capture = compared[0]
    known = phrases(capture)
    assert len(known) > 500
    outs = [word for form in FORMS for word in ("--out", f"r.{form}")]
    done = at(place, "analyze", capture, *outs, *option, "--full", CI=ci)
    texts = {form: (place / f"r.{form}").read_text() for form in FORMS}
    texts["stdout"] = done.stdout
    flat = {form: " ".join(text.replace("\\n", " ").split()) for form, text in texts.items()}
    found = {form for form, text in flat.items() if any(p in text for p in known)}
    assert found == (quoting | {"stdout"} if quoting else set())
    told = dict(re.findall(r"wrote r\.(\w+) \([\d.]+ [kM]B, (.*)\)", done.stderr))
    assert told == {form: "quotes prompts and answers" if form in quoting else "no prompts or answers" for form in FORMS}
    assert {form for form in FORMS if (place / f"r.{form}").stat().st_mode & 0o077 == 0} == quoting, "only the owner reads texts"


def test_saved_analyses_write_files_by_the_same_rules(compared, place):
    at(place, "analyze", compared[0], "--out", "saved.json")
    quotes = "quotes prompts and answers"
    assert quotes in at(place, "report", "saved.json", "--out", "r.html", CI="").stderr
    assert quotes not in at(place, "report", "saved.json", "--out", "r.html", "--out", "r.md", CI="true").stderr
    assert quotes not in at(place, "report", "saved.json", "--out", "r.md", CI="").stderr
    assert quotes in at(place, "report", "saved.json", "--out", "r.md", "--with-text", CI="true").stderr


@pytest.mark.parametrize("line", [
    "analyze CAPTURE --out PATH.md", "pairs CAPTURE --out PATH.csv", "report missing.json --out PATH.md", "diff-report missing.json missing.json --out PATH.md",
    "repro CAPTURE last --out PATH.sh", "repro CAPTURE last --neighbours 1s --pack PATH.jsonl", "probe URL --out PATH.json", "capture scrub CAPTURE --out PATH",
    "capture merge CAPTURE --out PATH", "capture compact CAPTURE --out PATH", "compare SUITE a=URL b=URL --out PATH.html", "diff SUITE a=URL b=URL --out PATH.html",
    "determinism SUITE a=URL --out PATH.html", "stress SUITE --to URL --out PATH.html", "sweep SUITE a=URL b=URL --out PATH.html",
    "replay CAPTURE --to URL --capture new --save-result PATH.json"])
def test_an_unwritable_path_is_refused_early(compared, place, line):
    capture, url, _ = compared
    known = {"CAPTURE": str(capture), "SUITE": SUITE}
    words = [re.sub("PATH", str(place / "none/x"), known.get(word, word.replace("URL", url))) for word in line.split()]
    done = at(place, *words)
    assert done.returncode == 2 and f"{place}/none/x" in done.stderr and done.stdout == "", done
    assert "No such file or directory" in done.stderr and not list(place.glob("plumbline-*")) and not (place / "new").exists()


@pytest.mark.parametrize("line, name, texts", [
    ("pairs CAPTURE --out x.csv", "x.csv", "no prompts or answers"),
    ("repro CAPTURE last --out x.sh", "x.sh", "quotes a prompt"),
    ("probe URL --out x.json", "x.json", "no prompts or answers"),
    ("probe URL --deep --out x.json", "x.json", "plumbline's own prompts and the answers to them"),
    ("capture scrub CAPTURE --out x", "x", "contains redacted prompts and answers"),
    ("capture merge CAPTURE --out x", "x", "contains prompts and answers"),
    ("capture compact CAPTURE --out x", "x", "contains prompts and answers"),
    ("replay CAPTURE --to URL --capture new --save-result x.json", "x.json", "no prompts or answers")])
def test_written_files_are_listed_with_size_and_content(compared, place, line, name, texts):
    done = at(place, *[{"CAPTURE": str(compared[0]), "URL": compared[1]}.get(word, word) for word in line.split()])
    size, unit = re.search(rf"wrote {re.escape(name)} \(([\d.]+) (kB|MB), {texts}\)", done.stderr).groups()
    written = place / name
    real = sum(f.stat().st_size for f in written.iterdir()) if written.is_dir() else written.stat().st_size
    assert float(size) * {"kB": 1e3, "MB": 1e6}[unit] == pytest.approx(real, rel=0.1, abs=60)


@pytest.mark.parametrize("given", [[], ["--capture", "new"]])
@pytest.mark.parametrize("verb", ["compare", "determinism", "stress", "replay"])
def test_an_empty_selection_leaves_no_directory(compared, place, verb, given):
    capture, a, b = compared
    if verb == "replay" and not given:
        pytest.skip("it records into its source")
    targets = {"compare": [SUITE, f"a={a}", f"b={b}"], "determinism": [SUITE, a], "stress": [SUITE, "--to", a], "replay": [capture, "--to", a]}[verb]
    done = at(place, verb, *targets, "--where", "model=none", *given)
    assert done.returncode == 4 and "Nothing to send" in done.stderr + done.stdout and not list(place.iterdir()), done


def test_an_existing_empty_directory_stays(compared, place):
    (place / "mine").mkdir()
    at(place, "determinism", SUITE, compared[1], "--where", "model=none", "--capture", "mine")
    assert (place / "mine").is_dir()


def test_runs_lists_recordings_newest_first(compared, place):
    capture, a, b = compared
    assert at(place, "runs").returncode == 4
    at(place, "compare", SUITE, f"old={a}", f"new={b}", "--limit", "5")
    at(place, "determinism", SUITE, f"old={a}", "--limit", "5", "--runs", "3")
    at(place, "stress", SUITE, "--to", f"old={a}", "--limit", "5", "--concurrency", "1,2")
    at(place, "replay", capture, "--to", a, "--capture", "answers of today")
    (place / "other").mkdir()
    at(place, "pairs", capture, "--out", "pairs.csv")
    done = at(place, "runs")
    runs = [json.loads(line) for line in at(place, "runs", "--json").stdout.splitlines()]
    assert [(r["recipe"], r["verdict"], r["targets"]) for r in runs][1:] == [
        ("stress", "UNCLEAR", ["old"]), ("determinism", "UNCLEAR", ["old"]), ("compare", "DIFFERENT", ["old", "new"])]
    assert runs[0]["recipe"] == "replay" and runs[0]["verdict"] is None and runs[0]["dir"] == "answers of today"
    assert all(r["content"] == "full" and r["bytes"] > 10000 and (place / r["dir"] / "CAPTURE").exists() for r in runs)
    assert [r["date"] for r in runs] == sorted((r["date"] for r in runs), reverse=True)
    rows = done.stdout.splitlines()
    assert len(rows) == 1 + 4 + 2 and rows[1].endswith("  'answers of today'") and "  compare      DIFFERENT  plumbline-compare-old-new-" in rows[4]
    at(place, "replay", runs[3]["dir"], "--to", a, "--name", "old-again")
    again = json.loads(at(place, "runs", "--json").stdout.splitlines()[0])
    assert (again["recipe"], again["targets"]) == ("compare", ["old", "new", "old-again"]), "a replay does not hide the recipe"
    runs = [again, *runs[:3]]
    elsewhere = at(capture, "runs", place, "--json").stdout.splitlines()
    assert [json.loads(line)["dir"] for line in elsewhere] == [f"{place}/{r['dir']}" for r in runs]


def test_a_damaged_verdict_is_no_verdict(compared, place):
    verdict = shutil.copytree(compared[0], place / "c") / "verdict.json"
    assert verdict.stat().st_mode & 0o777 == 0o600 and (place / "c/report.json").stat().st_mode & 0o777 == 0o600
    verdict.write_text('{"verdict": {"word": 7}}')
    run, = map(json.loads, at(place, "runs", "--json").stdout.splitlines())
    assert run["verdict"] == "UNCLEAR"
    (place / "c/report.json").unlink() # earlier versions wrote only the verdict
    run, = map(json.loads, at(place, "runs", "--json").stdout.splitlines())
    assert run["verdict"] == "UNCLEAR"
    verdict.write_text("x" * 10)
    run, = map(json.loads, at(place, "runs", "--json").stdout.splitlines())
    assert run["verdict"] is None
