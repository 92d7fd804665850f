"""The comparison of two saved analyses."""
import json
import pathlib

import pytest

import schema
from harness import plumbline
from test_judge import NOISE, captured

SCHEMA = json.loads((pathlib.Path(__file__).parents[2] / "docs" / "change.schema.json").read_text())


ROUNDED = ["--quantise", "0.1"]     # the same in each run, so no figure changes by chance


@pytest.fixture
def saved(start, tmp_path):
    def save(name, primary_flags, reference_flags=(), n=120):
        capture, _ = captured(start, primary_flags, reference_flags, n)
        plumbline("analyze", capture, "--out", tmp_path / name)
        return tmp_path / name
    return save


def compared(*args, check):
    said = json.loads(plumbline("diff-report", *args, "--json", check=check).stdout)
    assert schema.problems(said, SCHEMA) == []
    return said


def figures(said):
    group, = said["groups"]
    return {f["metric"]: f for f in group["by_decoding"]["greedy"] if not f["excess"]}


def test_a_new_penalty_is_a_regression(saved, tmp_path):
    monday, tuesday = saved("monday.json", ROUNDED), saved("tuesday.json", [*ROUNDED, "--repeat-penalty", "1.2"])
    said = compared(monday, tuesday, check=1)
    assert said["verdict"] == "worse"
    differ = figures(said)["differ"]
    assert differ["verdict"] == "worse" and differ["ci95"][0] > 0.3 and differ["p"] < 1e-4
    assert figures(said)["jaccard_5"]["verdict"] == "none", "a penalty changes the choice, not the raw logprobs"
    assert "repetition_penalty" in {c["key"] for c in said["groups"][0]["causes"]["new"]}

    back = compared(tuesday, monday, check=0)
    assert back["verdict"] == "changed" and figures(back)["differ"]["verdict"] == "better"
    assert figures(back)["differ"]["change"] == -differ["change"]

    text = plumbline("diff-report", monday, tuesday, "--full", "--out", tmp_path / "change.md", "--out", tmp_path / "change.txt", check=1).stdout
    assert text.startswith(b"WORSE: prod against trusted: ") and text == (tmp_path / "change.txt").read_bytes()
    assert max(len(line) for line in text.decode().splitlines() if "plumbline report" not in line) <= 80
    assert "&#93; | worse |" in (tmp_path / "change.md").read_text()


def test_equal_days_show_no_change(saved):
    """1 comparison in 100 may be a false alarm, because the noise is new each time; three of three are none."""
    for days in (("monday", "tuesday"), ("wednesday", "thursday"), ("friday", "saturday")):
        said = compared(*(saved(f"{day}.json", NOISE, NOISE) for day in days), check=None)
        assert said["figures_tested"] > 5
        if said["verdict"] == "none" and said["figures_changed"] == 0:
            return
    raise AssertionError(said)


def test_incomparable_analyses_are_refused_with_a_reason(saved, tmp_path):
    monday = saved("monday.json", ROUNDED, n=10)
    other = json.loads(monday.read_text())
    other["groups"][0]["test"] = "canary"
    (tmp_path / "other.json").write_text(json.dumps(other))
    said = compared(monday, tmp_path / "other.json", check=4)
    assert said["groups_new"] == [{"base": "trusted", "test": "canary"}] and said["groups_gone"] == [{"base": "trusted", "test": "prod"}]
    assert b"can't be read" in plumbline("diff-report", monday, tmp_path / "none.json", check=3).stderr
    assert b"two saved analyses" in plumbline("diff-report", monday, check=2).stderr
    assert b".json, .md or .txt" in plumbline("diff-report", monday, monday, "--out", "a.xml", check=2).stderr
    (tmp_path / "empty.json").mkdir()
    assert b"Is a directory" in plumbline("diff-report", monday, monday, "--out", tmp_path / "empty.json", check=2).stderr
    plumbline("diff-report", monday, monday, "--out", tmp_path / "change.json")
    assert b"is a comparison of two analyses" in plumbline("report", tmp_path / "change.json", check=3).stderr
