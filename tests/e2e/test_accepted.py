"""Accepted differences: a policy fails only on new ones, and accepting changes no figure."""
import json
import os

import pytest

from harness import exported, plumbline
from schema import problems

SUITE = os.path.join(os.path.dirname(__file__), "../../configs/suites/reasoning.jsonl")
SCHEMA = json.load(open(os.path.join(os.path.dirname(__file__), "../../docs/analyze.schema.json")))


@pytest.fixture
def targets(compared):
    """Two engines whose answers differ."""
    return f"old={compared[1]}", f"new={compared[2]}"


@pytest.fixture
def capture(compared):
    return compared[0]


def accept(capture, file, *args):
    return plumbline("baseline", "accept", capture, "--file", file, *args, check=0).stdout.decode()


def analyzed(capture, *args, check):
    document = json.loads(plumbline("analyze", capture, "--json", *args, check=check).stdout)
    assert not problems(document, SCHEMA)
    return document


def screen(*args, check):
    return " ".join(plumbline(*args, check=check).stdout.decode().split())


def without(file, n=1):
    """Remove entries from the file; return their keys."""
    saved = json.loads(file.read_text())
    gone = [saved["accepted"].popitem()[0] for _ in range(n)]
    file.write_text(json.dumps(saved))
    return gone


def test_accepting_every_difference_passes_without_changing_figures(capture, tmp_path):
    file = tmp_path / "accepted.json"
    assert "differences are accepted in" in accept(capture, file, "--reason", "looked at by Ada")
    before, after = analyzed(capture, check=1), analyzed(capture, "--accepted", file, check=0)
    member = after.pop("accepted")
    assert json.dumps(before) == json.dumps(after), "the same bytes in the same order"
    entries = json.loads(file.read_text())["accepted"]
    assert set(entries.values()) == {"looked at by Ada"} and len(entries) > 3
    assert member == {"file": str(file), "differences": len(entries), "accepted": len(entries), "without_key": 0, "not_found": 0, "new": []}
    text = screen("analyze", capture, "--accepted", file, check=0)
    assert text.startswith("DIFFERENT") and f"{len(entries)} of {len(entries)} differences are accepted ({file}). None is new, so the exit code is 0." in text


def test_one_new_difference_fails_and_is_named(capture, tmp_path):
    file = tmp_path / "accepted.json"
    accept(capture, file)
    n = len(json.loads(file.read_text())["accepted"])
    gone, = without(file)
    member = analyzed(capture, "--accepted", file, check=1)["accepted"]
    assert (member["differences"], member["accepted"], [new["key"] for new in member["new"]]) == (n, n - 1, [gone])
    new, = member["new"]
    assert (new["base"], new["test"]) == ("old", "new")
    legs = {leg["backend"]: leg["reading"]["choices"][0]["text"] for leg in next(e for e in exported(capture) if e["id"] == new["exchange"])["legs"]}
    assert legs["old"] != legs["new"]
    assert f"{n - 1} of {n} differences are accepted ({file}). New: 1, the first in exchange {new['exchange']} (old, new)." in screen("analyze", capture, "--accepted", file, check=1)
    assert f"{n} differences are accepted in {file}, 1 of them new." in " ".join(accept(capture, file).split()), "the other entries stay"
    analyzed(capture, "--accepted", file, check=0)


def test_the_quoted_pairs_are_marked_as_accepted_or_new(capture, tmp_path):
    file, report = tmp_path / "accepted.json", tmp_path / "report.json"
    accept(capture, file)
    gone, = without(file)
    plumbline("analyze", capture, "--accepted", file, "--out", report, check=1)
    document = json.loads(report.read_text())
    assert not problems(document, SCHEMA)
    keys = set(json.loads(file.read_text())["accepted"])
    marks = {item.get("difference"): item.get("accepted") for item in document["exhibits"]["items"]}
    assert marks.pop(None, None) is None, "equal answers have no mark"
    assert marks == {gone: False, **{key: True for key in keys}}


def test_keys_are_stable_across_captures_and_unused_entries_are_counted(targets, capture, tmp_path):
    file = tmp_path / "accepted.json"
    accept(capture, file)
    entries = json.loads(file.read_text())["accepted"]
    text = screen("compare", *targets, SUITE, "--limit", "12", "--capture", tmp_path / "again", "--accepted", file, check=0)
    assert f"{len(entries)} of {len(entries)} differences are accepted" in text
    fewer = analyzed(capture, "--accepted", file, "--where", "category=none", check=4)["accepted"]
    assert (fewer["differences"], fewer["not_found"]) == (0, len(entries))
    assert f"Accepted, but no longer found: {len(entries)}." in screen("analyze", capture, "--accepted", file, "--where", "category=none", check=4)
    equal = screen("compare", targets[0], targets[0].replace("old", "same"), SUITE, "--limit", "12", "--capture", tmp_path / "equal", "--accepted", file, check=4)
    assert f"0 of 0 differences are accepted ({file}). Accepted, but no longer found: {len(entries)}." in equal


def test_the_file_has_no_text_of_a_prompt_or_an_answer(capture, tmp_path):
    file = tmp_path / "accepted.json"
    accept(capture, file)
    for key in json.loads(file.read_text())["accepted"]:
        prompt, part, words = key.split("-")
        assert len(bytes.fromhex(prompt)) == 16 and part in ("text", "rest") and len(bytes.fromhex(words)) == 8


@pytest.mark.parametrize("policy, accepted, new", [
    ("rules: [{metric: differ, max: 5%}]", 0, 1),
    ("rules: [{metric: differ, max: 5%}, {metric: exchanges, max: 1}]", 1, 1),
    ("rules: [{metric: answer_changed, max: 0%, confidence: estimate}]", 0, 4),
    ("rules: [{metric: differ, max: 5%, minimum_n: 10000}]", 4, 4),
    ("rules: [{metric: differ, max: 100%}]", 0, 0),
    ("rules: [{metric: differ, max: 100%}]\non_alarm: fail", 0, 1),
])
def test_a_policy_fails_on_new_and_unacceptable_differences(capture, tmp_path, policy, accepted, new):
    file, limits = tmp_path / "accepted.json", tmp_path / "policy.yaml"
    limits.write_text(policy)
    plain = analyzed(capture, "--policy", limits, check=new)["policy"]
    accept(capture, file)
    said = analyzed(capture, "--policy", limits, "--accepted", file, check=accepted)["policy"]
    assert [rule["result"] for rule in said["rules"]] == [rule["result"] for rule in plain["rules"]]
    excused = [rule["metric"] for rule in said["rules"] if rule["why"].endswith(", but every difference is accepted")]
    changed = [rule["metric"] for rule, before in zip(said["rules"], plain["rules"]) if rule["counts_as"] != before["counts_as"]]
    assert excused == changed
    without(file)
    assert analyzed(capture, "--policy", limits, "--accepted", file, check=new)["policy"] == plain


@pytest.mark.parametrize("content, place", [
    ('{"plumbline_accepted": 1,\n "accepted": {"', ":2: is not JSON, or was cut: "),
    ("[]", ": plumbline_accepted: is not 1"),
    ('{"plumbline_accepted": 2, "accepted": {}}', ": plumbline_accepted: is not 1"),
    ('{"plumbline_accepted": 1, "accepted": []}', ": accepted: is not an object"),
    ('{"plumbline_accepted": 1, "accepted": {"0a-text-b": ""}}', ": accepted.0a-text-b: is not the key of a difference"),
    ('{"plumbline_accepted": 1, "accepted": {"%s-text-0123456789abcdef": 3}}' % ("0" * 32), f": accepted.{'0' * 32}-text-0123456789abcdef: is not"),
    (None, ": can't be read: No such file or directory"),
])
def test_a_damaged_file_is_an_early_error_with_name_and_line(tmp_path, content, place):
    file = tmp_path / "accepted.json"
    if content is not None:
        file.write_text(content)
    commands = [("analyze", tmp_path / "none", "--accepted"), ("compare", "http://127.0.0.1:9", "b=http://127.0.0.1:9", SUITE, "--accepted")]
    for command in commands + ([("baseline", "accept", tmp_path / "none", "--file")] if content else []):
        said = plumbline(*command, file, check=2).stderr.decode()
        assert f"{file}{place}" in said and said.count("\n") == 1, said
    assert not content or file.read_text() == content, "the file is unchanged"


def test_accept_names_what_it_cannot_do(capture, tmp_path):
    for words, why in [((), b"only verb is accept"), (("accept",), b"no capture is given"), (("accept", capture), b"no file is given"),
                       (("accept", capture, "--file", tmp_path / "no" / "f.json"), b"can't be written")]:
        assert why in plumbline("baseline", *words, check=2).stderr
    done = plumbline("baseline", "accept", capture, "--file", tmp_path / "f.json", "--where", "category=none", check=4)
    assert b"no greedy answers" in done.stderr and not (tmp_path / "f.json").exists()
    assert b"needs the capture" in plumbline("analyze", "--from-pairs", "x", "--accepted", "f.json", check=2).stderr
