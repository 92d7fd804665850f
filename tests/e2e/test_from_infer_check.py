"""docs/from-infer-check.md: each command and option of its tables works as described, and infer-check has exactly
these options."""
import json
import os
import pathlib
import re
import shlex
import subprocess

import pytest

from harness import BINARY, plumbline

ROOT = pathlib.Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "from-infer-check.md").read_text()
INFER_CHECK = pathlib.Path(os.environ.get("PLUMBLINE_SDKS", "/nonexistent")) / "infer-check" / "bin" / "infer-check"
VERBS = ("compare", "sweep", "diff", "determinism", "stress", "report")
FAILED = (2, 3)  # wrong usage; unreachable; interrupted


def rows(heading):
    """Return the cells of the table with this first line."""
    table = PAGE[PAGE.index(heading):].split("\n\n")[0]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table.splitlines()[2:]]


def quoted(cell):
    return re.findall(r"`([^`]+)`", cell)


COMMANDS, OPTIONS = rows("| infer-check | plumbline |"), rows("| option of infer-check | in plumbline |")
LINES = [(theirs, ours) for cell, answer in COMMANDS for theirs in quoted(cell)[:1] for ours in quoted(answer) if ours.startswith("plumbline ")]
SUITE = '{"text": "Why is salt salty?", "category": "a", "max_tokens": 8}\n{"text": "How many is 3 times 4?", "category": "b", "max_tokens": 8}\n'


@pytest.fixture
def place(start):
    """Start two engines with these models; write a suite of infer-check and a directory of results."""
    (start.directory / "p.jsonl").write_text(SUITE)
    engines = [start.engine("--seed", "7"), start.engine("--seed", "7", "--noise", "0.3")]
    words = {"URL1": engines[0].url, "URL2": engines[1].url, "URL": engines[0].url, "p.jsonl": str(start.directory / "p.jsonl"), "DIR": str(start.directory / "capture"),
             "saved.json": str(start.directory / "saved.json"), "report.html": str(start.directory / "report.html"), "100": "3", "1,2,4,8,16": "1,2",
             "A": "simulated", "B": "simulated"}
    return start.directory, engines, words


def filled(line, words):
    pattern = r"(?<![\w./-])(" + "|".join(map(re.escape, sorted(words, key=len, reverse=True))) + r")(?![\w./-])"
    return re.sub(pattern, lambda m: words[m[1]], line)


def ran(verb, line, place, *flags):
    directory, engines, words = place
    capture = directory / f"capture-{len(list(directory.iterdir()))}"
    flags += ("--num-prompts", "2") if "--num-prompts" not in line else ()
    done = subprocess.run([BINARY, verb, *shlex.split(filled(line, words)), "--capture", capture, *flags], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode not in FAILED, (line, done.stderr)
    return done


def test_the_page_has_a_line_for_each_verb():
    assert {theirs.split()[0] for theirs, _ in LINES} == set(VERBS)
    assert {ours.split()[1] for theirs, ours in LINES if not theirs.startswith("report")} == set(VERBS) - {"report"}


@pytest.mark.parametrize("ours", [ours for theirs, ours in LINES if not theirs.startswith("report")], ids=lambda line: line.split()[1])
def test_plumblines_command_line_runs_unchanged(place, ours):
    verb, rest = ours.split(" ", 2)[1:]
    # This test uses other ports, and two labels for one model.
    moved = ("--base-url", place[1][0].url, "--label-a", "A", "--label-b", "B") if "ollama:" in rest else ()
    ran(verb, rest, place, *moved)


@pytest.mark.parametrize("verb", sorted({theirs.split()[0] for theirs, _ in LINES} - {"compare", "report"}))
def test_infer_checks_own_command_line_is_accepted(place, verb):
    line = next(theirs for theirs, ours in LINES if theirs.startswith(verb))
    ran(verb, line.split(" ", 1)[1], place)


def test_the_report_is_written_by_each_of_the_ways(place):
    directory, engines, words = place
    plumbline("compare", f"a={engines[0].url}", f"b={engines[1].url}", directory / "p.jsonl", "--capture", directory / "capture", "--out", directory / "saved.json")
    ways = [ours for theirs, ours in LINES if theirs.startswith("report")]
    assert len(ways) == 2
    for way in ways:
        done = subprocess.run([BINARY, *shlex.split(filled(way, words))[1:]], capture_output=True, text=True, timeout=120)
        assert done.returncode not in FAILED and (directory / "report.html").stat().st_size > 0, done.stderr
        (directory / "report.html").unlink()


# How an option of theirs is given to us, by the verb that is asked and what stands there; PAIR: two targets of our own.
PAIR = "x=URL1 y=URL2 "
TAKEN = {
    "--prompts": ("compare", PAIR + "--prompts p.jsonl"), "--label-a": ("compare", "ollama:A vllm-mlx:B p.jsonl --base-url URL --label-a one --label-b other"),
    "--base-url": ("compare", "ollama:A vllm-mlx:B p.jsonl --base-url URL"), "--backend": ("determinism", "p.jsonl --backend openai-compat --base-url URL --runs 3"),
    "--base-urls": ("diff", "p.jsonl --base-urls URL1,URL2 --backends one,other"), "--backends": ("diff", "p.jsonl --base-urls URL1,URL2 --backends one,other"),
    "--models": ("sweep", "p.jsonl --models label=A,other=B --base-url URL"), "--baseline": ("sweep", PAIR + "p.jsonl --baseline y"), "--quant": ("diff", PAIR + "p.jsonl --quant q4"),
    "--num-prompts": ("compare", PAIR + "reasoning code --num-prompts 1"), "--max-tokens": ("compare", PAIR + "p.jsonl --max-tokens 4"), "--chat": ("compare", PAIR + "p.jsonl --chat"),
    "--no-chat": ("compare", PAIR + "p.jsonl --no-chat --template chatml"), "--disable-thinking": ("compare", PAIR + "p.jsonl --disable-thinking"),
    "--enable-thinking": ("compare", PAIR + "p.jsonl --enable-thinking"), "--concurrency": ("diff", PAIR + "p.jsonl --concurrency 1,2,4"), "--runs": ("determinism", "URL p.jsonl --runs 3"),
    "--report": ("compare", PAIR + "p.jsonl --report"), "--no-report": ("compare", PAIR + "p.jsonl --no-report"),
}
WITH = {"--label-b": "--label-a"}  # one row has both
ON_PAGE = {name for cell, _ in OPTIONS for text in quoted(cell) for name in re.findall(r"--[a-z-]+", text)}


def test_each_option_of_the_page_is_tried_here():
    assert ON_PAGE == set(TAKEN) | set(WITH) | {"--output"}


@pytest.mark.parametrize("name", TAKEN)
def test_each_option_does_what_the_page_says(place, name):
    verb, line = TAKEN[name]
    ran(verb, line, place)
    cell, here = next(row for row in OPTIONS if name in re.findall(r"--[a-z-]+", row[0]))
    assert not here.startswith("the same") or name in line or name in WITH, "an option of the same name has the same value"


def test_a_report_is_written_into_the_captures_directory_and_the_label_is_kept(place):
    directory, engines, _ = place
    line = ["compare", f"x={engines[0].url}", f"y={engines[1].url}", directory / "p.jsonl", "--quant", "4bit", "--json"]
    document = json.loads(plumbline(*line, "--output", directory / "out", "--report").stdout)
    assert document["recipe"]["quant"] == "4bit" and (directory / "out" / "report.html").read_text().startswith("<!")
    plumbline(*line, "--output", directory / "bare", "--report", "--no-report")
    assert not (directory / "bare" / "report.html").exists()


ITS_SUITES = ("adversarial-numerics", "code", "determinism", "long-context", "quant-sensitive", "reasoning")


@pytest.mark.parametrize("name", ITS_SUITES)
def test_infer_checks_suite_names_work_in_every_directory(place, name, tmp_path):
    _, engines, _ = place
    done = subprocess.run([pathlib.Path(BINARY).absolute(), "compare", f"x={engines[0].url}", f"y={engines[1].url}", name, "--num-prompts", "1", "--max-tokens", "4", "--json"],
                          cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode not in FAILED, done.stderr
    assert pathlib.Path(json.loads(done.stdout)["recipe"]["sources"][0]) == ROOT / "configs" / "suites" / f"{name.replace('quant-', 'quantisation-')}.jsonl"


def test_a_missing_suite_error_lists_the_searched_places(tmp_path):
    done = subprocess.run([pathlib.Path(BINARY).absolute(), "compare", "nosuch", "x=http://127.0.0.1:1", "y=http://127.0.0.1:2"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and all(place in done.stderr for place in ("looks for suites in configs/suites,", str(ROOT / "configs" / "suites"), "/share/plumbline/suites"))


def test_output_is_the_captures_directory(place):
    directory, engines, _ = place
    done = subprocess.run([BINARY, "compare", f"x={engines[0].url}", f"y={engines[1].url}", directory / "p.jsonl", "--output", directory / "out"], capture_output=True, text=True, timeout=120)
    assert done.returncode not in FAILED and plumbline("capture", "verify", directory / "out", check=0), done.stderr


@pytest.mark.skipif(not INFER_CHECK.exists(), reason="infer-check is not installed")
def test_infer_check_has_the_options_of_the_page_and_no_others():
    there = set()
    for verb in VERBS:
        said = subprocess.run([INFER_CHECK, verb, "--help"], capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "200"}).stdout
        there |= set(re.findall(r"(?<![\w-])--[a-z-]+", said[said.index("Options:"):]))
    # The commands contain the model; --format belongs to report.
    assert there - {"--help", "--model", "--format"} == ON_PAGE


@pytest.mark.skipif(not INFER_CHECK.exists(), reason="infer-check is not installed")
@pytest.mark.parametrize("theirs", dict.fromkeys(theirs for theirs, _ in LINES if not theirs.startswith("report")), ids=lambda line: line.split()[0])
def test_the_pages_infer_check_command_reaches_the_server(place, theirs, tmp_path):
    directory, engines, words = place
    moved = ["--base-url", engines[0].url, "--num-prompts", "2"] if "ollama:" in theirs else []
    if theirs.startswith("diff"):
        moved = ["--num-prompts", "2"]
    done = subprocess.run([INFER_CHECK, *shlex.split(filled(theirs, words)), *moved, "--max-tokens", "8"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and list(tmp_path.glob("results/*/*.json")), done.stdout + done.stderr
    assert "N/A" not in done.stdout.split("Summary")[-1] or theirs.startswith(("compare", "diff")), done.stdout
    capture = tmp_path / "capture"
    found = list(tmp_path.glob("results/*/*.json"))
    if not theirs.startswith("determinism"):  # its files have no answers
        plumbline("import", *found, "--to", capture, check=0)
