"""Grading of mathematical answers by Math-Verify."""
import json
import pathlib

import pytest

import schema
from harness import exported, plumbline
from test_grade import programmer
from test_judge_math import PYTHON, sandboxed, with_library
from test_replay import replay

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUITE = ROOT / "configs" / "suites" / "mathematics.jsonl"
SCHEMA = json.loads((ROOT / "docs" / "analyze.schema.json").read_text())

# Right answers in other forms, and wrong answers.
OTHER = {r"\{3, 4\}": r"\{4,3\}", r"\frac{9}{20}": "0.45", r"6\sqrt{2}": r"\sqrt{72}", "[-2, 5)": r"\left[-2,\,5\right)", "(7, 3)": "(7,3)",
         "4n + 1": "1+4n", "y = 3x - 1": "3x - y = 1"}
WRONG = {r"\{3, 4\}": r"\{3\}", r"\frac{9}{20}": r"\frac{9}{10}", r"6\sqrt{2}": r"2\sqrt{6}", "[-2, 5)": "(-2, 5)", "(7, 3)": "(3, 7)"}


def tasks():
    """Return {question: right answer} of the suite's tasks that OTHER has in another form."""
    rows = map(json.loads, SUITE.read_text().splitlines())
    return {row["messages"][-1]["content"]: row["gold"]["math"] for row in rows if row["gold"]["math"] in OTHER}


def capture_of(start, *sides):
    """sides: {question: answer}"""
    wanted, source = tasks(), start.directory / "mathematics.jsonl"
    source.write_text("".join(line + "\n" for line in SUITE.read_text().splitlines()
                              if json.loads(line)["messages"][-1]["content"] in wanted))
    capture = start.directory / "answers"
    for i, answers in enumerate(sides):
        with programmer({question: (text, "stop") for question, text in answers.items()}) as engine:
            replay(source if i == 0 else capture, engine, *(["--capture", capture] if i == 0 else []), "--name", f"side{i}", "--no-logprobs")
    return capture


def boxed(values, change):
    return {question: rf"I see. So it is $\boxed{{{change.get(right, right)}}}$." for question, right in values.items()}


def grade(capture, *flags, check=0):
    return json.loads(plumbline("grade", capture, "--python", PYTHON, "--json", *flags, check=check, patience=300).stdout)


def group(capture):
    said = json.loads(plumbline("analyze", capture, "--base", "side0", "--test", "side1", "--json", check=None).stdout)
    assert schema.problems(said, SCHEMA) == []
    return said["groups"][0]


def gold(capture):
    return group(capture)["by_decoding"]["greedy"]["gold"]


@with_library
def test_equal_values_in_another_form_are_right(start):
    values = tasks()
    n = len(values)
    assert n == len(OTHER)
    capture = capture_of(start, boxed(values, OTHER), boxed(values, WRONG))
    before = gold(capture)
    assert before["known"] == n and before["graded_by_math_verify"] == 0 and before["broke"] < len(WRONG)
    assert "ungraded" in [limit["key"] for limit in group(capture)["limits"]]
    assert grade(capture, "--dry-run")["wanted"] == 2 * n
    said = grade(capture)
    assert (said["wanted"], said["right"], said["wrong"], said["undecided"], said["failed"]) == (2 * n, 2 * n - len(WRONG), len(WRONG), 0, [])
    after = gold(capture)
    assert (after["judged"], after["base_score"], after["broke"], after["fixed"], after["graded_by_math_verify"]) == (n, 1, len(WRONG), 0, n)
    assert "ungraded" not in [limit["key"] for limit in group(capture)["limits"]]
    text = " ".join(plumbline("analyze", capture, "--base", "side0", "--test", "side1", "--full", check=None).stdout.decode().split())
    assert f"Math-Verify graded {n} of these pairs" in text
    again = grade(capture)
    assert (again["wanted"], again["already"]) == (0, 2 * n), "nothing is graded twice"
    legs = [leg for e in exported(capture) for leg in e["legs"] if "grading" in leg["marks"]]
    assert len(legs) == 2 * n and all(leg["backend"] == "math-verify" and leg["model"].startswith("math-verify ") for leg in legs)


@pytest.mark.long
@with_library
def test_unmarked_and_slow_values_stay_undecided(start):
    values = tasks()
    questions = list(values)
    answers = boxed(values, OTHER)
    answers[questions[0]] = "I do not know."
    answers[questions[1]] = r"It is $\boxed{9^{9^{9^{9}}}}$."
    capture = capture_of(start, answers)
    said = grade(capture, "--time-limit", "2s")
    assert [kind["n"] for kind in said["not_graded"]] == [1]
    assert (said["right"], said["wrong"], said["undecided"]) == (len(values) - 2, 0, 1)


@sandboxed
def test_without_the_library_grade_says_how_to_install_it(start):
    capture = capture_of(start, boxed(tasks(), OTHER))
    done = plumbline("grade", capture, "--python", "/usr/bin/python3", check=None)
    if done.returncode == 0:
        pytest.skip("/usr/bin/python3 has the library")
    assert done.returncode == 3 and b"pip install math-verify" in done.stderr


@pytest.mark.long
@with_library
def test_a_comparison_grades_before_it_reports(start):
    values, source = tasks(), start.directory / "mathematics.jsonl"
    capture_of(start)
    sides = [{question: (text, "stop") for question, text in boxed(values, change).items()} for change in (OTHER, WRONG)]
    with programmer(sides[0]) as one, programmer(sides[1]) as two:
        flags = ["--capture", start.directory / "compared", "--no-logprobs", "--json"]
        done = plumbline("compare", source, f"one={one.url}", f"two={two.url}", "--python", PYTHON, *flags, check=None, patience=300)
        right, wrong = 2 * (2 * len(values) - len(WRONG)), 2 * len(WRONG)    # every request is sent twice
        assert f"Math-Verify graded answers: {right} right, {wrong} wrong, 0 undecided" in done.stderr.decode()
        said = next(g for g in json.loads(done.stdout)["groups"] if not g["is_floor"])["by_decoding"]["greedy"]["gold"]
        assert said["graded_by_math_verify"] == said["judged"] > 0 and (said["base_score"], said["fixed"]) == (1, 0)
        assert said["broke"] * len(values) == len(WRONG) * said["judged"]
        flags[1] = start.directory / "plain"
        plain = plumbline("compare", source, f"one={one.url}", f"two={two.url}", "--python", "/usr/bin/python3", *flags, check=None, patience=300)
        assert plain.returncode not in (2, 3)
        if not json.loads(plain.stdout)["groups"][0]["by_decoding"]["greedy"]["gold"]["graded_by_math_verify"]:
            assert b"has no Math-Verify" in plain.stderr
