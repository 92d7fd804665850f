"""Recipes say why they sent nothing, accept users' own suites, and spare engines that fail on concurrent requests."""
import json
import re

import pytest

from harness import exported, plumbline

RECIPES = ["determinism", "compare", "stress", "sweep", "diff", "ablate"]
BREAKS = "a second request may break off a running answer"


def items(*ids, **more):
    return "".join(json.dumps({"id": id, "category": "x", "messages": [{"role": "user", "content": f"Tell me {i} stories."}], "max_tokens": 8, **more}) + "\n"
                   for i, id in enumerate(ids))


def line(recipe, engines, *sources):
    """Return a command line of the recipe with the right number of targets."""
    a, b = (f"{name}={engine.url}" for name, engine in zip("ab", engines))
    targets = {"determinism": [a], "stress": ["--to", a], "ablate": [a, "--concurrency", "1,2"], "sweep": ["--base", "a", a, b]}
    return [recipe, *sources, *targets.get(recipe, [a, b])]


@pytest.fixture
def engines(start):
    return start.engine("--seed", "7"), start.engine("--seed", "7")


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_with_nothing_to_send_says_why(engines, tmp_path, recipe):
    suite = tmp_path / "mine.jsonl"
    suite.write_text(items(*(f"a/{i}" for i in range(12)), turns=[3]))
    done = plumbline(*line(recipe, engines, suite), "--capture", tmp_path / "c", check=4)
    said = done.stderr.decode()
    assert said.count("can't be sent") == 1 and f"12 requests can't be sent, the first at {suite}:1: " in said
    assert f"Nothing to send: no request of {suite} can be sent." in said and "capture is empty" not in said
    assert not done.stdout
    if recipe == "determinism":
        suite.write_text("")
        said = plumbline(*line(recipe, engines, suite), "--capture", tmp_path / "c", check=4).stderr.decode()
        assert f"{suite} has no request" in said
        suite.write_text(items("a/1", "a/2"))
        said = plumbline(*line(recipe, engines, suite), "--where", "endpoint=completion", "--capture", tmp_path / "c", check=4).stderr.decode()
        assert "2 were not selected" in said and "chat (2)" in said


def test_a_recipe_says_what_it_leaves_out(engines, tmp_path):
    suite = tmp_path / "mine.jsonl"
    suite.write_text(items("a/1", "a/2") + items("a/3", "a/4", turns=[3]) + "[]\n")
    done = plumbline(*line("compare", engines, suite), "--capture", tmp_path / "c", check=4) # so few answers give no verdict
    said = done.stderr.decode()
    found = " ".join(done.stdout.decode().split())
    assert "of 4 greedy answers; about " in found and re.search(r"To decide, record about \d+ greedy answers from \d+ prompts .*; there are 4 from 2\. Suites to add: plumbline suites", found)
    assert said.count("can't be sent") == 2
    assert f"2 requests can't be sent, the first at {suite}:3: " in said and f"1 request can't be sent: {suite}:5: " in said


def test_answers_to_one_prompt_are_too_few_for_a_verdict(engines, tmp_path):
    suite = tmp_path / "mine.jsonl"
    suite.write_text(items("a/1"))
    found = " ".join(plumbline(*line("compare", engines, suite), "--capture", tmp_path / "c", check=4).stdout.decode().split())
    assert "of 2 greedy answers; these are too few for a verdict." in found
    assert "To get a verdict, record greedy answers to more prompts." in found


def test_ids_without_a_suite_come_from_the_file(engines, tmp_path):
    suite = tmp_path / "mine.v2.jsonl"
    suite.write_text(items("m1", "m2", 3, "x/4"))
    plumbline(*line("compare", engines, suite), "--capture", tmp_path / "c", check=4)
    assert sorted((e["labels"]["suite"], e["labels"]["item"]) for e in exported(tmp_path / "c")) == [("mine", "mine/3"), ("mine", "mine/m1"), ("mine", "mine/m2"), ("x", "x/4")]


def test_a_single_request_engine_gets_one_request_at_a_time(engines, tmp_path):
    source = tmp_path / "r.jsonl"
    source.write_text("".join(json.dumps({"model": "simulated", "messages": [{"role": "user", "content": f"{i}"}], "max_tokens": 8}) + "\n" for i in range(12)))
    target = ["--to", engines[0].url, "--dialect", "llama-cpp-python"]
    for n, (more, warned, together) in enumerate([((), False, False), (("--concurrency", "1"), False, False), (("--concurrency", "4"), True, True),
                                                  (("--rate", "200/s"), True, None), (("--concurrency", "1,2"), True, None)]):
        done = plumbline("replay", source, *target, *more, "--capture", tmp_path / f"c{n}", check=0)
        assert done.stderr.decode().count(BREAKS) == warned, (more, done.stderr)
        most = max(leg["in_flight"] for e in exported(tmp_path / f"c{n}") for leg in e["legs"])
        assert together is None or (most > 1) == together, (more, most)
    done = plumbline("replay", source, "--to", engines[0].url, "--concurrency", "4", "--capture", tmp_path / "other", check=0)
    assert BREAKS not in done.stderr.decode()


def test_a_recipe_warns_once_per_single_request_engine(engines, tmp_path):
    suite = tmp_path / "mine.jsonl"
    suite.write_text(items("m1", "m2"))
    alone = f"a={engines[0].url},dialect=llama-cpp-python"
    for more, warned in (((), 0), (("--concurrency", "1"), 0), (("--concurrency", "2,4"), 1)):
        done = plumbline("compare", suite, alone, f"b={engines[1].url}", *more, "--capture", tmp_path / f"c{len(more)}{warned}", check=4)
        assert done.stderr.decode().count(BREAKS) == warned, (more, done.stderr)


def test_a_missing_model_error_has_the_right_syntax(start, tmp_path, engines):
    """With several targets each needs its own model; --model would apply to all."""
    suite = tmp_path / "mine.jsonl"
    suite.write_text(items("m1"))
    silent = start.scripted(lambda raw, seen, n=None: raw.send(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 27\r\n\r\n" + b'{"object":"list","data":[]}'))
    url = f"http://127.0.0.1:{silent.port}"
    done = plumbline("compare", suite, f"a={engines[0].url}", f"hf={url}", "--capture", tmp_path / "c", check=2)
    assert f"give hf={url},model=MODEL;" in done.stderr.decode()
    done = plumbline("determinism", suite, f"hf={url}", "--capture", tmp_path / "c", check=2)
    assert "give --model MODEL;" in done.stderr.decode()
    suite.write_text(json.dumps({"model": "other", "messages": [{"role": "user", "content": "Hello."}], "max_tokens": 8}) + "\n")
    done = plumbline("compare", suite, f"a={engines[0].url}", f"b={engines[1].url}", "--capture", tmp_path / "d", check=2)
    assert f"Give a={engines[0].url},model=simulated" in done.stderr.decode()
