"""Rows of figures: written in parts and read back, they give the same analysis."""
import csv
import io
import json
import pathlib
import re
import subprocess

import pytest

import schema
from harness import BINARY, chat, plumbline, post
from test_judge import CHAT, NOISE
from test_judge_model import UNDECIDED, capture_of, judge, judge_engine, perfect
from test_repeats import asked_again
from test_replay import replay
from test_sampled import sampled
from test_score import score, traffic

DOCS = pathlib.Path(__file__).parents[2] / "docs"
MARKER = "xylograph"


def written(capture, tmp_path, n, *flags):
    """Write n files with n concurrent processes."""
    files = [tmp_path / f"part-{i}-of-{n}.ndjson" for i in range(1, n + 1)]
    writers = [subprocess.Popen([BINARY, "pairs", str(capture), "--part", f"{i}/{n}", "--out", str(file), *flags])
               for i, file in enumerate(files, 1)]
    assert [writer.wait(60) for writer in writers] == [0] * n
    return files


def rows(*files):
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def analyzed(*what):
    done = plumbline("analyze", *what, "--json", "--exhibits", "0")
    assert done.returncode in (0, 1, 4), done.stderr
    return {**json.loads(done.stdout), "manifest": None, "command": None}  # rows have no manifests


def unlike(a, b, where="$"):
    """Yield the places where two documents differ."""
    if isinstance(a, dict) and isinstance(b, dict) and set(a) == set(b):
        return [found for name in a for found in unlike(a[name], b[name], f"{where}.{name}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [found for i in range(len(a)) for found in unlike(a[i], b[i], f"{where}[{i}]")]
    return [] if a == b else [f"{where}: {a!r:.80} is not {b!r:.80}"]


def folded(*files, flags=()):
    return analyzed("--from-pairs", *files, *flags)


def refused(*files, flags=()):
    done = plumbline("analyze", "--from-pairs", *files, *flags)
    assert done.returncode == 3 and done.stdout == b"", done
    return done.stderr.decode()


@pytest.fixture
def capture(start):
    return asked_again(start, NOISE, NOISE, prompts=20, times=3, floors=True)


def test_rows_give_the_captures_document(start, tmp_path, capture):
    told = analyzed(capture)
    one, three = written(capture, tmp_path, 1), written(capture, tmp_path, 3)
    assert unlike(folded(*one), told) == []
    assert unlike(folded(*three), told) == []
    assert unlike(folded(three[2], three[0], three[1]), told) == []
    everything = tmp_path / "everything.ndjson"
    everything.write_bytes(b"".join(file.read_bytes() for file in three))
    assert unlike(folded(everything), told) == []


def held_against_rows(capture, tmp_path, *flags):
    """Check that the rows in three parts give the capture's document; return it."""
    done = plumbline("analyze", capture, "--json", "--exhibits", "0", *flags)
    told = {**json.loads(done.stdout), "manifest": None, "command": None}
    three = written(capture, tmp_path, 3, *flags)
    assert unlike(folded(*three), told) == []
    assert unlike(folded(*reversed(three)), told) == []
    return told


def test_rows_keep_sampled_answers_and_choices(start, tmp_path):
    told = held_against_rows(sampled(start, times=4, n=2), tmp_path)
    assert told["groups"][0]["sampled_test"]["prompts"] == 12


def test_rows_keep_scores(start, tmp_path):
    capture = traffic(start, start.engine("--seed", "7"), reference=start.engine("--seed", "8"))
    score(capture, "reference")
    assert held_against_rows(capture, tmp_path)["teacher_forced"]


def test_rows_keep_judges_verdicts(start, tmp_path):
    capture = capture_of(start, UNDECIDED * 3)
    judge(capture, judge_engine(start, perfect))
    assert held_against_rows(capture, tmp_path)["groups"][0]["by_decoding"]["greedy"]["judges"]


def test_rows_keep_the_filters(start, tmp_path, capture):
    flags = ["--base", "trusted", "--test", "trusted-2", "--where", "endpoint=chat"]
    assert len(held_against_rows(capture, tmp_path, *flags)["groups"]) == 1
    assert b"excludes --base" in plumbline("analyze", "--from-pairs", tmp_path / "x", *flags, check=2).stderr
    assert b"needs the capture" in plumbline("analyze", "--from-pairs", tmp_path / "x", "--exhibits", "3", check=2).stderr


def test_rows_say_why_nothing_is_compared(start, tmp_path):
    """Two engines answered the same requests, and none is a reference."""
    capture, suite = start.directory / "new", DOCS.parent / "configs" / "suites" / "reasoning.jsonl"
    for name in ("first", "second"):
        replay(suite, start.engine(), "--capture", capture, "--name", name, "--limit", "4")
    assert "no reference and no primary" in held_against_rows(capture, tmp_path)["verdict"]["sentence"]
    flags = "--base", "first", "--test", "second", "--where", "run=1"
    assert "leaves no two answers" in held_against_rows(capture, tmp_path, *flags)["verdict"]["sentence"]


def test_no_text_is_in_a_row(start, tmp_path):
    primary, reference = start.engine("--seed", "7"), start.engine("--seed", "8")
    config = f"primary: {{name: prod, url: '{primary.url}'}}\nreferences:\n  - {{name: trusted, url: '{reference.url}'}}\n"
    proxy = start.proxy(None, config=config)
    for i in range(4):
        body = chat(f"{MARKER} {i}", max_tokens=24)
        body["messages"].insert(0, {"role": "system", "content": f"Say {MARKER}."})
        assert post(proxy.port, CHAT, body)[0] == 200
    proxy.settled(4, "trusted")
    exported = plumbline("capture", "export", "--as", "jsonl", proxy.capture, check=0).stdout.decode()
    answers = [choice["text"] for line in exported.splitlines() for leg in json.loads(line)["legs"] for choice in leg["reading"]["choices"]]
    words = {word for answer in answers for word in re.findall(r"[^\W_]{5,}", answer)} | {MARKER}
    file, = written(proxy.capture, tmp_path, 1)
    known = {word for *_, listed in columns() for word in listed.split(",")}
    values = {value for row in rows(file) for name, value in row.items() if isinstance(value, str)} - known
    assert MARKER in exported and MARKER not in file.read_text() and len(words) > 5
    assert not [word for word in words if re.search(rf"\b{word}\b", " ".join(values))]


def test_rows_match_their_schema_and_size(start, tmp_path, capture):
    known = json.loads((DOCS / "rows.schema.json").read_text())
    lines = written(capture, tmp_path, 1)[0].read_text().splitlines()
    assert max(map(len, lines)) < 4096
    for line in lines:
        assert schema.problems(json.loads(line), known) == [], line


def columns():
    lines = plumbline("pairs", "--columns", check=0).stdout.decode().splitlines()
    return [(line + "\t").split("\t")[:4] for line in lines]


def test_documents_name_exactly_the_columns():
    known = json.loads((DOCS / "rows.schema.json").read_text())
    text = (DOCS / "rows.md").read_text()
    for kind in {row for row, *_ in columns()}:
        names = [name for row, name, *_ in columns() if row == kind]
        assert list(known["$defs"][kind]["properties"]) == ["row", *names], kind
        section = text.split(f"\n## `{kind}`")[1].split("\n## ")[0]
        cells = re.findall(r"^\| (`[^|]+)\|", section, re.M) + re.findall(r"^As in `pair`: (.+?)\.$", section, re.M | re.S)
        assert sorted(re.findall(r"`(\w+)`", " ".join(cells))) == sorted(names), kind
    for row, name, _, words in columns():
        if words:
            of = known["$defs"][row]["properties"][name]
            assert of.get("enum", of.get("items", {}).get("enum")) == words.split(","), (row, name)


def test_csv_has_the_pairs(start, tmp_path, capture):
    file = tmp_path / "pairs.csv"
    plumbline("pairs", capture, "--out", file, check=0)
    table = list(csv.DictReader(io.StringIO(file.read_text())))
    pairs = [row for row in rows(written(capture, tmp_path, 1)[0]) if row["row"] == "pair"]
    assert len(table) == len(pairs) > 20
    for line, pair in zip(table, pairs):
        assert line["exchange"] == pair["exchange"] and line["meaning"] == pair["meaning"]
        assert (line["differ"] == "true") == pair.get("differ", False)
        told = pair.get("delta_lp", [0, 0])
        assert [float(line["delta_lp"]), int(line["delta_lp_n"])] == (told if isinstance(told, list) else [told, pair["positions"]])


def test_missing_and_different_parts_are_refused(start, tmp_path, capture):
    one, two, three = written(capture, tmp_path, 3)
    end = len(two.read_text().splitlines())
    assert "part 2 of 3 is missing; --partial" in refused(one, three)
    assert f"{one}:1: part 1 of 3 is given twice" in refused(one, two, one)
    other = written(capture, tmp_path, 1, "--where", "endpoint=chat")[0]
    assert f"{other}:1: a part of 1, and others are of 3" in refused(one, other)
    cut = tmp_path / "cut.ndjson"
    cut.write_text("".join(two.read_text().splitlines(True)[:-1]))
    assert f"{cut}:{end - 1}: the file is cut: part 2 does not end" in refused(one, cut, three)
    cut.write_text(two.read_text()[:-40])
    assert f"{cut}:{end}: damaged JSON: " in refused(one, cut, three)


def test_invalid_rows_are_refused(start, tmp_path, capture):
    lines = written(capture, tmp_path, 1)[0].read_text().splitlines(True)
    bad = tmp_path / "bad.ndjson"
    pair = next(i for i, line in enumerate(lines) if line.startswith('{"row":"pair"'))

    def said(changed):
        bad.write_text("".join(changed))
        return refused(bad)
    assert f"{bad}:{pair + 2}: the row is given twice" in said([*lines[:pair + 1], lines[pair], *lines[pair + 1:]])
    assert f"{bad}:{len(lines) - 1}: the part was written with" in said([*lines[:pair], *lines[pair + 1:]])
    assert f"{bad}:1: the rows have version 2" in said([lines[0].replace('"version":1', '"version":2'), *lines[1:]])
    assert f"{bad}:{pair + 1}: decoding is not a value of type word" in said(
        [*lines[:pair], re.sub(r'"decoding":"\w+"', '"decoding":"guessed"', lines[pair]), *lines[pair + 1:]])
    assert f"{bad}:1: " in said(["[1]\n"])
    assert "the files of --from-pairs hold no row" in said([])
    assert "No such file" in refused(tmp_path / "nowhere")


def test_partial_accepts_missing_parts(start, tmp_path, capture):
    files = written(capture, tmp_path, 3)
    largest = max(files, key=lambda file: file.stat().st_size)     # another part may have no exchange: a random key decides
    others = [file for file in files if file != largest]
    told = folded(*others, flags=["--partial"])
    assert 0 < told["exchanges"] < analyzed(capture)["exchanges"]
    missing = f"part {files.index(largest) + 1} of 3 is missing: the figures are only of the others"
    assert told["problems"] == [missing] and told["limits"][0]["key"] == "incomplete"
    screen = plumbline("analyze", "--from-pairs", *others, "--partial").stdout.decode()
    assert f"Limitations {missing}" in " ".join(screen.split())


def test_usage(start, tmp_path, capture):
    for flags in (["--part", "0/3"], ["--part", "4/3"], ["--part", "3"], ["--out", "x.txt"], []):
        plumbline("pairs", *([capture] if flags else []), *flags, check=2)
    plumbline("pairs", tmp_path / "nowhere", check=3)
    assert plumbline("pairs", capture, "--where", "model=none", check=4).stderr
