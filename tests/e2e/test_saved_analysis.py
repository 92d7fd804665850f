"""A saved analysis gives every output format again."""
import json
import os
import re
import subprocess

import pytest

import schema
from harness import BINARY, PATIENCE, plumbline
from test_judge import NOISE, SCHEMA, captured
from test_policy import POLICIES

FORMS = "json", "md", "txt", "xml"


@pytest.fixture
def capture(start):
    return captured(start, [*NOISE, "--repeat-penalty", "1.2"], NOISE, 40, ["trusted"])[0]


def outs(directory, name):
    return [flag for form in FORMS for flag in ("--out", directory / f"{name}.{form}")]


def analyze(capture, *args, **kw):
    """Save an analysis without exhibits, because --json has none."""
    return plumbline("analyze", capture, "--exhibits", "0", *args, **kw)


def test_a_saved_analysis_gives_every_format(capture, tmp_path):
    analyze(capture, *outs(tmp_path, "once"), check=1)
    said = plumbline("report", tmp_path / "once.json", "--full", *outs(tmp_path, "again"), check=1)
    for form in FORMS:
        assert (tmp_path / f"again.{form}").read_bytes() == (tmp_path / f"once.{form}").read_bytes(), form
    assert said.stdout == (tmp_path / "once.txt").read_bytes()
    screen, saved = (" ".join(text.split()) for text in (analyze(capture).stdout.decode().rsplit("More ", 1)[0], (tmp_path / "once.txt").read_text()))
    shorter, more = re.subn(r" \(--full\)", "", screen)
    assert saved.startswith(shorter) and more == 1 and "--full" not in saved, "the output starts with the first screen"
    assert max(len(line) for line in said.stdout.decode().splitlines() if not line.startswith("    plumbline ")) <= 80
    again = plumbline("report", tmp_path / "once.json", "--json", check=1).stdout
    assert again == (tmp_path / "once.json").read_bytes() == analyze(capture, "--json").stdout
    assert schema.problems(json.loads(again), SCHEMA) == []


@pytest.mark.parametrize("command, shown", [
    ("plumbline analyze c --where model='a b'", "plumbline analyze c --where model='a b' --full"),
    ("plumbline analyze c; touch pwned #", "plumbline analyze DIR --full"),
    ("plumbline analyze $(touch pwned)", "plumbline analyze DIR --full"),
    ("plumbline analyzes", "plumbline analyze DIR --full"),
])
def test_a_saved_command_is_shown_only_if_it_analyzes_and_does_nothing_else(capture, tmp_path, command, shown):
    document = json.loads(analyze(capture, "--json").stdout)
    path = tmp_path / "saved.json"
    path.write_text(json.dumps({**document, "command": command, "limits": []}))
    said = plumbline("report", path).stdout.decode()
    lines = [line.strip() for line in said.split("More ")[1].splitlines()]
    assert "pwned" not in said
    assert shown.replace("DIR", str(capture)) in lines, said


@pytest.mark.parametrize("groups", [0, 1, 2])
def test_limits_of_the_capture_are_shown_once_in_every_format(capture, tmp_path, groups):
    document = json.loads(analyze(capture, "--json").stdout)
    document["groups"] = [{**document["groups"][0], "test": f"backend{i}"} for i in range(groups)]
    document["limits"].append({"key": "stacks", "title": "the stack of prod changed", "text": "The stack of prod changed (2 stacks)."})
    path, out = tmp_path / "saved.json", tmp_path / "out.md"
    path.write_text(json.dumps(document))
    said = plumbline("report", path, "--full", "--out", out).stdout.decode()
    assert said.count("(2 stacks)") == out.read_text().count("(2 stacks)") == 1
    assert said.count("Next\n") >= 1


def test_a_policy_judges_a_saved_analysis_as_it_does_a_capture(capture, tmp_path):
    analyze(capture, "--out", tmp_path / "saved.json", check=1)
    for path in POLICIES.glob("*.yaml"):
        live = analyze(capture, "--json", "--policy", path)
        later = plumbline("report", tmp_path / "saved.json", "--json", "--policy", path)
        assert (later.returncode, later.stdout) == (live.returncode, live.stdout)
    loose = tmp_path / "loose.yaml"
    loose.write_text("rules: [{metric: damaged_rows, max: 0}]\n")
    plumbline("report", tmp_path / "saved.json", "--policy", loose, "--out", tmp_path / "judged.json", check=0)
    plumbline("report", tmp_path / "judged.json", check=0)  # the comparison side stays


@pytest.mark.parametrize("text, why", [
    (None, "can't be read: No such file or directory"),
    ("", "is empty"),
    ('{"plumbline_analysis": 2, "groups": [{"base": "tr', "is not JSON, or was cut"),
    ('{"answer": 42}', "is not an analysis"),
    ('{"plumbline_analysis": 3, "groups": []}', "was written by a newer plumbline"),
])
def test_a_file_that_is_no_analysis_is_refused(tmp_path, text, why):
    path = tmp_path / "saved.json"
    if text is not None:
        path.write_text(text)
    done = plumbline("report", path, check=3)
    assert why in done.stderr.decode() and not done.stdout


def test_standard_input_that_cannot_be_read_is_named(tmp_path):
    directory = os.open(tmp_path, os.O_RDONLY)
    done = subprocess.run([BINARY, "report", "-"], stdin=directory, capture_output=True, timeout=PATIENCE)
    os.close(directory)
    assert done.returncode == 3 and b"standard input: can't be read: Is a directory" in done.stderr


def test_invalid_command_lines_are_refused(tmp_path):
    assert b"no analysis is given" in plumbline("report", check=2).stderr
    assert b"plumbline diff-report" in plumbline("report", "a.json", "b.json", check=2).stderr
    assert b"the name must end in" in plumbline("report", "a.json", "--out", "b.pdf", check=2).stderr
    assert b"usage: plumbline report" in plumbline("report", "--help", check=0).stdout
