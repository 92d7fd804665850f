"""Tests the form of the suites, and computes their right answers a second time."""
import contextlib
import csv
import io
import itertools
import json
import math
import pathlib
import re
import sys
import unicodedata
from collections import Counter
from fractions import Fraction

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(ROOT / "tests" / "e2e")]
import mathematics
import numerics
import proof
import quantised
import schema

SUITES = ROOT / "configs" / "suites"
BENCHMARKS = ROOT / "configs" / "benchmarks"
LABEL_LIMIT, GOLD_LIMIT, LINE_LIMIT, FILE_LIMIT = 255, 16384, 16384, 262144
NOT_OURS = {"model", "temperature", "top_p", "top_k", "min_p", "seed", "stream", "logprobs", "top_logprobs", "n"}
SCRIPTS = {"russian": "CYRILLIC", "ukrainian": "CYRILLIC", "greek": "GREEK", "arabic": "ARABIC", "persian": "ARABIC", "hebrew": "HEBREW",
           "hindi": "DEVANAGARI", "bengali": "BENGALI", "chinese": "CJK", "japanese": "HIRAGANA", "korean": "HANGUL", "thai": "THAI"}


def items(name):
    return [json.loads(line) for line in (SUITES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def told():
    """Return {suite: (items, categories)} of docs/suites.md."""
    rows = re.findall(r"^\| ([a-z-]+) \| (\d+) \| .* \| ([a-z, -]+) \|$", (ROOT / "docs" / "suites.md").read_text(), re.M)
    return {name: (int(n), set(categories.split(", "))) for name, n, categories in rows}


def proofs(name):
    """Return [(id, code that computes its right answer)]."""
    return [tuple(line.split("\t")) for line in (HERE / "proofs" / f"{name}.tsv").read_text(encoding="utf-8").splitlines()]


def programs(name):
    """{id: Python}"""
    parts = re.split(r"^# (\S+)\n", (HERE / "proofs" / f"{name}.txt").read_text(encoding="utf-8"), flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2]))


def question(item):
    if "prompt" in item:
        return item["prompt"]
    return item["messages"][-1]["content"] if "turns" not in item else "\n".join(t["content"] for t in item["turns"])


def golds(name):
    """{id, or id:turn: right answer}"""
    found = {}
    for item in items(name):
        for n, turn in enumerate(item.get("turns", []), 1):
            if "gold" in turn:
                found[f"{item['id']}:{n}"] = turn["gold"]
        if "gold" in item:
            found[item["id"]] = item["gold"]
    return found


NAMES = sorted(p.stem for p in SUITES.glob("*.jsonl"))


def test_the_page_tells_of_every_suite_and_of_no_other():
    assert sorted(told()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_suite_is_whole_and_in_its_form(name):
    data = (SUITES / f"{name}.jsonl").read_bytes()
    text = data.decode("utf-8")
    n, categories = told()[name]
    assert len(data) <= FILE_LIMIT and text.endswith("\n") and "\r" not in text and not text.startswith("\ufeff")
    lines = text.splitlines()
    assert text.count("\n") == len(lines) == n >= (60 if name == "mathematics" else 100)
    assert max(len(line.encode()) for line in lines) <= LINE_LIMIT
    assert not [c for c in text if unicodedata.category(c) in ("Cc", "Co", "Cs") and c != "\n"]
    seen = Counter()
    for number, item in enumerate(items(name), 1):
        assert item["id"] == f"{name}/{number:03d}"
        kind = item["category"].split("/")[-1]
        seen[kind] += 1
        assert len(item["category"].encode()) <= LABEL_LIMIT and kind in categories, item["id"]
        assert ("messages" in item or "turns" in item) != ("prompt" in item), item["id"]
        assert not NOT_OURS & set(item), item["id"]
        assert 1 <= item["max_tokens"] <= 8192
        for right in [item.get("gold"), *(t.get("gold") for t in item.get("turns", []))]:
            assert right is None or len((right if isinstance(right, str) else json.dumps(right)).encode()) <= GOLD_LIMIT
            assert right != "" and (not isinstance(right, str) or right == right.strip()), item["id"]
        for message in item.get("messages", []):
            assert message["role"] in ("system", "user", "assistant", "tool"), item["id"]
        if "messages" in item and "turns" not in item:
            assert item["messages"][-1]["role"] in ("user", "tool"), item["id"]
    assert set(seen) == categories


def test_no_question_is_asked_twice():
    seen = {}
    for name in NAMES:
        for item in items(name):
            asked = json.dumps([item.get(m) for m in ("prompt", "messages", "turns", "haystack", "response_format", "tools")], sort_keys=True)
            assert asked not in seen, f"{item['id']} is {seen.get(asked)}"
            seen[asked] = item["id"]


@pytest.mark.parametrize("name", NAMES)
def test_no_suite_is_one_question_with_other_numbers(name):
    shapes = Counter(re.sub(r"\d+", "#", question(item).split("{{haystack}}")[-1]) for item in items(name))
    shape, n = shapes.most_common(1)[0]
    assert n <= 8, shape
    assert len(shapes) >= 50


def test_numerics_are_right():
    for item in items("adversarial-numerics"):
        asked = question(item)
        assert numerics.answer(asked) == item["gold"], asked


@pytest.mark.parametrize("name", sorted(p.stem for p in (HERE / "proofs").glob("*.tsv")))
def test_right_answers_that_are_proved(name):
    right = golds(name)
    for id_, expression in proofs(name):
        value = proof.evaluate(expression)
        assert proof.is_same(right[id_], value), f"{id_}: {expression} is {value}, not {right[id_]}"


def test_mathematical_values_are_right():
    proofs = dict(line.split("\t") for line in (HERE / "proofs" / "mathematics.txt").read_text().splitlines())
    for item in items("mathematics"):
        right = item["gold"]["math"]
        assert set(item["gold"]) == {"math"} and r"\boxed{}" in question(item)
        assert mathematics.is_right(item["category"], right, mathematics.evaluate(proofs.pop(item["id"]))), (item["id"], right)
    assert not proofs


def test_every_riddle_has_a_proof():
    assert {id_ for id_, _ in proofs("reasoning")} == set(golds("reasoning"))


def same(a, b):
    """Compare JSON values; numbers by value."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    return isinstance(a, bool) == isinstance(b, bool) and a == b


def passes(program, name, tests):
    """Run a solution against its tests. A class Solution has the function as a method."""
    for test in tests:
        if test["testtype"] == "stdin":
            out = io.StringIO()
            before, sys.stdin = sys.stdin, io.StringIO(test["input"])
            try:
                with contextlib.redirect_stdout(out):
                    exec(program, {"__name__": "__main__"})
            finally:
                sys.stdin = before
            assert out.getvalue().split("\n")[:-1] == test["output"].removesuffix("\n").split("\n"), (name, test)
            continue
        space = {}
        exec(program, space)
        function = getattr(space["Solution"](), name) if "Solution" in space else space[name]
        result = function(*(json.loads(line) for line in test["input"].split("\n")))
        assert same(json.loads(json.dumps(result)), json.loads(test["output"])), (name, test, result)


def test_each_task_of_code_can_be_solved_and_its_tests_are_right():
    solutions = programs("code")
    for item in items("code"):
        assert len(item["tests"]) >= 2
        assert ("function" in item) == (item["tests"][0]["testtype"] == "functional")
        assert item.get("function", "") in question(item)
        passes(solutions.pop(item["id"]), item.get("function"), item["tests"])
    assert not solutions


def test_tests_of_code_can_fail():
    """A solution that always gives the same answer passes no task."""
    for item in items("code"):
        outputs = {test["output"] for test in item["tests"]}
        assert len(outputs) > 1, item["id"]


def needle_answer(item):
    """Return the answer that follows from the needles."""
    needles = [n["text"] for n in item["haystack"]["needles"]]
    asked = item["messages"][-1]["content"].split("{{haystack}}")[-1]
    kind = item["category"]
    if kind == "sum-of-needles":
        return str(sum(int(re.search(r"exactly (\d+) barrels", n)[1]) for n in needles))
    if kind == "count":
        word = re.search(r"the word ([A-Z]+) stand", asked)[1]
        return str(sum(n.count(word) for n in needles))
    if kind == "latest-value":
        before, after = re.search(r'form "(.*)\.\.\.(.*)"', asked).groups()
        return re.search(re.escape(before) + "(.*)" + re.escape(after) + ", and all", needles[-1])[1]
    if kind == "order":
        events = [n.removeprefix("It was then that ").rstrip(".") for n in needles]
        assert all(event in asked for event in events)
        return events[0] if "happened first" in asked else events[2] if "happened last" in asked else events[1]
    if kind == "chain":
        at = re.search(r"asks (\w+) for the parcel and", asked)[1]
        on = dict(m.groups() for m in (re.search(r"asks (\w+) for the parcel will be sent on to (\w+)", n) for n in needles) if m)
        while at in on:
            at = on.pop(at)
        assert not on
        return re.search(rf"{at} keeps the parcel, and in it is (.*?)\.", " ".join(needles))[1]
    if kind == "look-alikes":
        lockers = dict(re.search(r"(\w+)'s locker .* number (\d+)", n).groups() for n in needles)
        who = re.search(r"does (\w+)'s locker", asked)
        return lockers[who[1]] if who else {n: p for p, n in lockers.items()}[re.search(r"number (\d+)\?", asked)[1]]
    if kind == "several-values":
        return dict(re.search(r"The (\w+) sails under Captain (\w+)", n).groups() for n in needles)
    if kind == "quote":
        return needles[0].removeprefix("MARKED PASSAGE: ")
    if kind == "minutes-lookup" and "majority" in asked:
        ayes, noes = (int(n) for n in re.search(r"received (\d+) votes in favour and (\d+) against", needles[0]).groups())
        return "yes" if ayes > noes else "no"
    return None


def test_needles_hold_the_right_answers():
    sizes = Counter()
    for item in items("long-context"):
        hay, right = item["haystack"], item["gold"]
        sizes[hay["tokens"]] += 1
        places = [n["at"] for n in hay["needles"]]
        assert places == sorted(places) and 0 <= places[0] and places[-1] <= 1
        assert item["messages"][-1]["content"].count("{{haystack}}") == 1
        found = needle_answer(item)
        if found is not None:
            assert found == right, item["id"]
        elif right == "not stated":
            assert item["category"] == "absent"
        else:
            held = " ".join(n["text"] for n in hay["needles"]).replace(",", "")
            assert re.search(rf"(?<!\w){re.escape(right)}(?!\w)", held), item["id"]
            assert right not in item["messages"][-1]["content"] or right == "at the fish market", item["id"]
    assert set(sizes) == {4000, 8000, 16000, 32000, 64000} and min(sizes.values()) >= 15
    seeds = [item["haystack"]["seed"] for item in items("long-context")]
    assert len(set(seeds)) == len(seeds)


def test_quantised_answers_are_right():
    computed = Counter()
    for item in items("quantisation-sensitive"):
        found = quantised.answer(item["category"], question(item))
        if found is not None:
            assert found == item["gold"], item["id"]
        computed[item["category"]] += found is not None
    assert {kind for kind, n in computed.items() if n == 0} == {"rare-facts", "many-rules"}


def test_turns_end_with_a_question_and_their_answers_agree_with_what_is_right():
    for item in items("multi-turn"):
        assert 2 <= len(item["turns"]) <= 8, item["id"]
        for turn in item["turns"]:
            assert turn["content"].strip() and set(turn) <= {"content", "answer", "gold"}
            if isinstance(turn.get("gold"), str) and "answer" in turn:
                assert turn["gold"] in turn["answer"], item["id"]
            elif "answer" in turn and "gold" in turn:
                assert json.loads(turn["answer"]) == turn["gold"], item["id"]
    assert sum("gold" in t for item in items("multi-turn") for t in item["turns"]) >= 150


def called(item):
    functions = {tool["function"]["name"]: tool["function"]["parameters"] for tool in item["tools"]}
    assert len(functions) == len(item["tools"]) and "gold" in item, item["id"]
    return functions


@pytest.mark.parametrize("name", ["tool-calls", "reasoning-placement"])
def test_right_calls_fit_their_tools(name):
    for item in items(name):
        if "tools" not in item:
            continue
        functions = called(item)
        for call in item["gold"]:
            assert set(call) == {"name", "arguments"}
            assert not schema.problems(call["arguments"], functions[call["name"]]), item["id"]
        choice = item.get("tool_choice")
        assert choice != "none" or not item["gold"]
        assert choice != "required" or item["gold"]
        if isinstance(choice, dict):
            assert [call["name"] for call in item["gold"]] == [choice["function"]["name"]]
        if item["category"] in ("no-call", "missing-arguments"):
            assert not item["gold"]


def test_right_objects_fit_their_schemas_and_the_schemas_are_strict():
    def strict(node, where):
        if isinstance(node, list):
            for each in node:
                strict(each, where)
        elif isinstance(node, dict):
            if "properties" in node:
                assert node["additionalProperties"] is False and sorted(node["required"]) == sorted(node["properties"]), where
            for each in node.values():
                strict(each, where)
    with_gold = 0
    for item in items("json-schema"):
        shape = item["response_format"]["json_schema"]["schema"]
        strict(shape, item["id"])
        assert ("gold" in item) == (item["category"] != "constraints"), item["id"]
        if item["category"] == "reasoning-in-schema":
            answer = shape["properties"]["answer"]
            assert not schema.problems(int(item["gold"]) if answer.get("type") == "integer" else item["gold"], answer)
        elif "gold" in item:
            assert not schema.problems(item["gold"], shape), (item["id"], schema.problems(item["gold"], shape))
            with_gold += 1
    assert with_gold >= 80


def test_what_a_right_object_says_can_be_computed_or_stands_in_the_text():
    for item in items("json-schema"):
        asked, right = question(item), item.get("gold")
        name = item["response_format"]["json_schema"]["name"]
        if name == "counts":
            word = asked.split()[-1]
            assert right == dict(Counter(word))
        elif name == "totals":
            lines = re.findall(r"(\d+) (\w+) at ([\d.]+\d|\d+)", asked)
            assert right == {"lines": [{"item": what, "total": float(int(n) * Fraction(at))} for n, what, at in lines],
                             "sum": float(sum(int(n) * Fraction(at) for n, _, at in lines))}
        elif name == "quote":
            text = asked.split("---\n", 1)[1].removesuffix("\n---")
            assert right == {"text": text, "length": len(text)}
        elif name == "colour" and "rgb" in right:
            assert right["hex"] == "#" + "".join(f"{n:02x}" for n in right["rgb"])
        elif name in ("person", "contact", "optional"):
            words = [v for v in right.values() if isinstance(v, str)]
            assert all(word in asked for word in words), item["id"]


def test_a_language_is_written_in_its_script():
    languages = Counter()
    for item in items("non-english"):
        language, kind = item["category"].split("/")
        languages[language] += 1
        script = SCRIPTS.get(language)
        letters = [unicodedata.name(c, "") for c in question(item) if c.isalpha()]
        if script:
            assert sum(script in n for n in letters) >= (3 if language == "japanese" else len(letters) / 2), item["id"]
        assert unicodedata.normalize("NFC", question(item)) == question(item) or kind == "scripts"
        if "gold" in item:
            assert unicodedata.normalize("NFC", item["gold"]) == item["gold"]
        assert ("gold" in item) == (kind != "open")
    assert len(languages) >= 24
    numbers = [i["id"] for i in items("non-english") if i["category"].endswith("/word-problem")]
    assert set(numbers) <= {id_ for id_, _ in proofs("non-english")}


def test_determinism_has_no_right_answers():
    assert not golds("determinism")


def test_tags_that_are_text_come_back():
    for item in items("reasoning-placement"):
        repeat = re.search(r"^Repeat exactly(?:, with the line break)?:\s(.*)$", question(item), re.S)
        if repeat:
            assert repeat[1] == item["gold"]
        if item["category"] == "reasoning-before-a-call":
            assert re.search(r"Compute (.*)\. Think", question(item))[1] == item["gold"][0]["arguments"]["expression"]


# Sets in the benchmarks' forms.


def jsonl(name):
    return [json.loads(line) for line in (BENCHMARKS / name).read_text().splitlines()]


def test_the_sums_in_the_gsm8k_form_are_right():
    rows = jsonl("gsm8k-form.jsonl")
    assert len(rows) == len({r["question"] for r in rows}) >= 20
    for row in rows:
        sums = re.findall(r"<<([-\d+*/.() ]+)=([\d.]+)>>", row["answer"])
        assert sums
        for left, right in sums:
            exact = eval(re.sub(r"[\d.]+", lambda m: f"Fraction('{m[0]}')", left), {"Fraction": Fraction})
            assert exact == Fraction(right), left
        assert f"{left}=<<{left}={right}>>{right}" in row["answer"]
        result = row["answer"].rsplit("#### ", 1)[1].replace(",", "")
        assert result in {right for _, right in sums}


def test_right_answers_in_the_forms_of_math_and_aime():
    boxed = [re.search(r"\\boxed\{(.*)\}", row["solution"])[1] for row in jsonl("math-form.jsonl")]
    interval = boxed.pop(1).replace(r"\left", "").replace(r"\right", "")
    assert all(mathematics.in_intervals(interval, x) == (abs(3 * x + 1) < 7) for x in mathematics.GRID)
    books = sum(abs(order.index(0) - order.index(1)) == 1 for order in itertools.permutations(range(5)))
    for latex, value in zip(boxed, (Fraction(sum(range(1, 24, 2)), 32), 98 ** 0.5 - 32 ** 0.5, 4 * 6 - 7 * 2, books), strict=True):
        assert mathematics.near(mathematics.value(latex), value)
    whole = range(2, 10000)
    assert [row["answer"] for row in jsonl("aime-form.jsonl")] == [
        sum((n % 7 == 0) != (n % 11 == 0) for n in range(1, 1001)),
        next(n for n in whole if not any(map(mathematics.prime, (n, n + 1, n + 2))) and (3 * n + 3) % 36 == 0),
        pow(3, 100, 1000),
        sum(n for n in whole if math.isqrt(n * n + 12 * n) ** 2 == n * n + 12 * n),
        sum(a * b % 30 == 0 for a in range(1, 31) for b in range(a + 1, 31))]


def test_choices_in_the_gpqa_form_differ():
    with open(BENCHMARKS / "gpqa-form.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 20 and len({r["Question"] for r in rows}) == len({r["Record ID"] for r in rows}) == 20
    for row in rows:
        assert len({row["Correct Answer"], *(row[f"Incorrect Answer {n}"] for n in (1, 2, 3))}) == 4


def test_the_simpleqa_form_has_one_short_answer():
    with open(BENCHMARKS / "simpleqa-form.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len({r["problem"] for r in rows}) == 20
    assert all(0 < len(r["answer"].split()) <= 4 and r["answer"].lower() not in r["problem"].lower() for r in rows)


def test_tasks_in_the_livecodebench_form_can_be_solved():
    solutions = programs("livecodebench-form")
    rows = jsonl("livecodebench-form.jsonl")
    assert len(rows) == 20
    for row in rows:
        tests = json.loads(row["public_test_cases"])
        name = json.loads(row["metadata"]).get("func_name")
        assert (name is None) == (row["starter_code"] == "") and len({t["output"] for t in tests}) > 1
        passes(solutions.pop(row["question_id"]), name, tests)
    assert not solutions
