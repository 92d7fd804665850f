"""plumbline stress names each corruption by concurrent requests that the simulated engine can show, and none of a
clean engine."""
import json
import os
import re
import subprocess

import pytest

from harness import BINARY, PATIENCE, chat, exported, interrupt, plumbline, wait_for
from schema import problems
from test_page import CHROMIUM
from test_replay import counters, lines
from test_recipes import SCHEMA

SUITE = os.path.join(os.path.dirname(__file__), "../../configs/suites/determinism.jsonl")
PACE = ("--seed", "7", "--ttft", "4ms", "--itl", "1ms")
SMALL = ("--limit", "25", "--max-tokens", "24")


def stress(start, engine, *flags, check, name="c", small=SMALL):
    done = plumbline("stress", SUITE, "--to", engine.url, *small, "--capture", start.directory / name, "--json", *flags, check=check)
    document = json.loads(done.stdout)
    assert not problems(document, SCHEMA)
    return document


def found(document):
    return {name for name, test in document["stress"]["tests"].items() if test["found"]}


# Where the fault spoils nearly all answers under load, those to one prompt at one level are alike, and no other test can find
# anything in them by chance.
@pytest.mark.parametrize("fault, names, word", [
    ("crosstalk=1", {"cross_talk"}, "Cross-talk: "), ("mixup=1", {"mix_up"}, "Mix-up of requests, "), ("poison=4", {"poison"}, "Poison: "),
    ("load=0.03", {"drift"}, "Answers change under load ")])
def test_each_corruption_is_named_and_no_other(start, fault, names, word):
    document = stress(start, start.engine(*PACE, "--fault", fault), check=1)
    by_chance = {"change"} if names == {"drift"} else set()  # in one run of 2,000
    assert found(document) - by_chance == names and document["stress"]["found"]
    assert document["verdict"]["sentence"].startswith(word)
    levels = document["stress"]["levels"]
    assert [level["concurrency"] for level in levels] == [1, 2, 4, 8, 16]
    assert levels[0]["differing"]["hits"] == 0, "the request alone causes nothing"
    causes = {cause["key"] for group in document["groups"] for cause in group["causes"]}
    assert "drift" not in causes, "one server has one model: its numbers change with the batch"
    cause = (document["cause"] or {}).get("key")
    assert names == {"mix_up"} or cause == {"drift": "load", "cross_talk": "cross_talk"}.get(*names), document["cause"]
    steps = [step["command"] or step["text"] for step in document["next"]]
    if names == {"cross_talk"}:
        assert "take the server out of service" in steps[0] and steps[1].startswith("plumbline repro "), steps
        assert document["cause"]["exchanges"] and document["cause"]["text"].endswith("contain another request's canary.")
    if names != {"poison"}:
        assert f"plumbline capture show {start.directory / 'c'}" in steps[-1], "there is always a next step"
    step = json.loads(plumbline("analyze", start.directory / "c", "--json").stdout)["next"][0]
    assert "judged them by rules of its own: DIFFERENT" in step["text"] and step["command"] == f"plumbline report {start.directory / 'c'}"
    again = json.loads(plumbline("report", start.directory / "c", "--json", check=1).stdout)
    assert again["verdict"] == document["verdict"] and again["stress"] == document["stress"] and not again["exhibits"]
    if names == {"drift"}:
        run, name = {level["concurrency"]: level["run"] for level in document["recipe"]["levels"]}, document["recipe"]["targets"][0]["name"]
        plain = plumbline("analyze", start.directory / "c", "--base", f"{name}@{run[1]}", "--test", f"{name}@{run[16]}", "--json", check=1)
        cause = json.loads(plain.stdout)["cause"]
        assert cause["key"] == "load" and cause["side"] == "both" and "in progress" in cause["text"], cause
        (start.directory / "c/report.json").unlink() # as in captures of earlier versions
        assert "plumbline report" not in plumbline("analyze", start.directory / "c", "--json").stdout.decode()


@pytest.mark.slow
def test_cross_talk_names_the_source_request(start):
    document = stress(start, start.engine(*PACE, "--fault", "crosstalk=0.2"), check=1)
    talk = document["stress"]["tests"]["cross_talk"]
    assert talk["n"] == 250 and talk["hits"] >= 5 and talk["together"] >= 0.9 * talk["hits"]
    rows = {row["id"]: row for row in exported(start.directory / "c")}
    for leak in talk["first"]:
        canary = rows[leak["of"]]["labels"]["item"]
        assert rows[leak["heard_in"]]["labels"]["item"] != canary and leak["concurrency"] > 1
        assert canary in rows[leak["of"]]["request"]["body"] and canary not in rows[leak["heard_in"]]["request"]["body"]
        assert any(canary in leg["reading"]["choices"][0]["text"] for leg in rows[leak["heard_in"]]["legs"])


def test_poison_reports_its_duration(start):
    document = stress(start, start.engine(*PACE, "--fault", "poison=1"), check=1)
    poison = document["stress"]["tests"]["poison"]
    assert poison["lasts"] == 1 and poison["before"] == poison["before"] | {"hits": 0, "n": 20} and poison["failed"] >= 4
    assert poison["after"]["hits"] == poison["hits"] == poison["failed"]


@pytest.mark.long
@pytest.mark.slow
def test_clean_and_noisy_engines_raise_no_alarm(start):
    document = stress(start, start.engine(*PACE), "--least-effect", "0.15", check=0)
    assert found(document) == set() and document["verdict"]["sentence"].startswith("No effect of load was found: all 200 answers")
    noisy = stress(start, start.engine(*PACE, "--noise", "0.05", "--fresh-noise"), check=4, name="noisy")
    floor = noisy["stress"]["levels"][0]["differing"]
    assert found(noisy) == set() and floor["n"] == 25 and (
        f"The engine differs from itself even alone ({floor['hits']} of 25), so load can't be judged" if floor["hits"] > 12
        else f"So do {floor['hits']} of 25 later answers given alone. The effect of load is ") in noisy["verdict"]["sentence"]


def test_the_verdict_is_same_only_if_an_effect_of_load_is_excluded(start):
    few = ("--concurrency", "1,4", "--limit", "8", "--max-tokens", "8")
    document = stress(start, start.engine(*PACE), check=4, small=few)
    assert document["verdict"]["word"] == "UNCLEAR" and "8 prompts are too few to tell" in document["verdict"]["sentence"]
    assert re.match("To decide, send about 1[345]0 prompts", document["next"][0]["text"])
    assert stress(start, start.engine(*PACE), "--least-effect", "0.4", check=0, small=few, name="wide")["verdict"]["word"] == "SAME"
    # Every answer differs alone and under load, so an effect of load cannot be tested.
    noisy = stress(start, start.engine(*PACE, "--noise", "100", "--fresh-noise"), "--least-effect", "0.9", check=4, small=few, name="noisy")
    assert noisy["verdict"]["word"] == "UNCLEAR" and "differs from itself even alone" in noisy["verdict"]["sentence"]


def test_an_unstable_engine_is_not_accused_of_a_mix_up(start):
    # Nearly every answer jumps, alone and under load, and few tokens hardly ever show anything else: no test finds more of it under
    # load by chance (one run of a million).
    document = stress(start, start.engine(*PACE, "--noise", "1000", "--fresh-noise"), "--concurrency", "1,4", check=4, small=("--limit", "8", "--max-tokens", "4"))
    levels = document["stress"]["levels"]
    assert levels[0]["jumps"] >= 5 and levels[1]["jumps"] >= 10 and found(document) == set()
    assert "differs from itself even alone" in document["verdict"]["sentence"] and "alone differ by more than rounding" in document["verdict"]["sentence"]


def test_an_interrupted_request_is_no_engine_failure(start):
    engine = start.engine("--seed", "7", "--ttft", "30s")
    flags = ("stress", SUITE, "--to", engine.url, "--limit", "8", "--max-tokens", "8", "--concurrency", "1,8", "--capture", start.directory / "c", "--json")
    broken = subprocess.Popen([BINARY, *map(str, flags)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for("a request", lambda: counters(engine)["simulated_turns_total"] > 0)
    interrupt(broken)
    interrupt(broken)
    assert broken.wait(PATIENCE) == 3
    engine.stop()
    start.engine(*PACE, port=engine.port)
    document = json.loads(plumbline(*flags, check=4).stdout)
    assert any(leg["outcome"] == "stopped" for row in exported(start.directory / "c") for leg in row["legs"])
    assert [level["errors"] for level in document["stress"]["levels"]] == [0, 0]


def test_a_resumed_stress_sends_nothing_twice(start):
    engine = start.engine(*PACE)
    stress(start, engine, "--concurrency", "4", check=4)
    # 25 requests, with and without a canary, twice at 1 and at 4; and the probes: 3 rounds of 4, 10 failing ones with 4 behind each.
    assert counters(engine)["simulated_turns_total"] == 25 * 2 * 2 * 2 + 6 * 4 + 10 * 4 + 4
    assert counters(engine)["simulated_running_peak"] == 4
    before = counters(engine)["simulated_turns_total"]
    again = stress(start, engine, "--concurrency", "4", check=4)
    assert counters(engine)["simulated_turns_total"] == before and again["stress"]["levels"][1]["answers"] == 50


def test_canaries_change_requests_little(start):
    source = lines(start.directory / "prompts.jsonl", [
        chat("First."), chat("x") | {"messages": [{"role": "user", "content": [{"type": "text", "text": "Parts \"here\"."}, {"type": "image_url", "image_url": {"url": "x"}}]}]},
        {"prompt": "Once upon", "max_tokens": 8}])
    engine = start.engine(*PACE)
    plumbline("stress", source, "--to", engine.url, "--concurrency", "2", "--capture", start.directory / "c", "--model", "simulated", check=4)
    made = [json.loads(line) for line in (start.directory / "c/stress-canaries.jsonl").read_text().splitlines()]
    names = [line["custom_id"] for line in made]
    assert len(set(names)) == 3 and all(len(n) == 8 and n.isalpha() for n in names)
    first, parts, prompt = (line["body"] for line in made)
    assert first["messages"][0]["content"].startswith("First.\n\n") and first["messages"][0]["content"].endswith(" " + names[0])
    text = parts["messages"][0]["content"][0]["text"]
    assert text.startswith("Parts \"here\".\n\n") and text.endswith(" " + names[1])
    assert prompt["prompt"] == f"{names[2]}\n\nOnce upon"


def test_infer_checks_stress_command_is_accepted(start):
    engine = start.engine(*PACE)
    done = plumbline("stress", "--model", "simulated", "--backend", "openai-compat", "--base-url", engine.url, "--prompts", SUITE, "--concurrency", "1,2",
                     "--output", start.directory / "c", "--num-prompts", "6", "--full", check=4)
    text = done.stdout.decode()
    assert text.startswith("UNCLEAR: No answer of 12 under load differs from the one given alone.") and "in progress" in text and "differ, 0 to 100 %" in text


@pytest.mark.slow
def test_the_report_begins_with_the_finding(start):
    out = start.directory / "r.html"
    stress(start, start.engine(*PACE, "--fault", "crosstalk=0.3"), "--concurrency", "1,8", "--out", out, check=1)
    assert "Cross-talk: " in out.read_text()
    if CHROMIUM:
        done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000", "--dump-dom", f"file://{out}"],
                              capture_output=True, text=True, timeout=PATIENCE)
        begin = done.stdout[done.stdout.index('<main id="main"'):].split('id="content"')[0]
        assert "Cross-talk: " in begin and "in progress at the same time" in begin and "contain the canary of another request" in begin


def test_wrong_usage_is_an_error_before_sending(start):
    engine = start.engine(*PACE)
    for flags, words in ((("--temperature", "0.5"), b"--temperature is not a known option"), (("--repeats", "1"), b"give no noise floor"), (("--concurrency", "1"), b"above 1")):
        assert words in plumbline("stress", SUITE, "--to", engine.url, *flags, check=2).stderr
    assert b"1 target" in plumbline("stress", SUITE, check=2).stderr
    assert counters(engine)["simulated_turns_total"] == 0


def test_a_flags_value_is_no_target(start):
    engine = start.engine(*PACE)
    # --where's value looks like LABEL=URL; the target is infer-check's --base-url alone.
    done = plumbline("stress", "--prompts", SUITE, "--where", "endpoint=chat", "--base-url", engine.url, "--limit", "3", "--max-tokens", "4", "--concurrency", "1,2",
                     "--capture", start.directory / "c")
    assert done.returncode in (0, 4) and b"recorded in" in done.stderr
