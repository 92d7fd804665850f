"""Verdicts of `analyze` on engines with known differences."""
import json
import re
import math
import pathlib
import threading

import pytest

import schema
from harness import chat, exported, plumbline, post
from test_metrics import Tokens, comparable, raw_token

CHAT = "/v1/chat/completions"
SCHEMA = json.loads((pathlib.Path(__file__).parents[2] / "docs" / "analyze.schema.json").read_text())


def ask(port, n, threads=4, **more):
    def some(first):
        for i in range(first, n, threads):
            body = chat(f"Tell me about {i} ships and {i * 7} others.", max_tokens=32, stream=bool(i % 2), **more)
            assert post(port, CHAT, body)[0] == 200
    workers = [threading.Thread(target=some, args=(k,)) for k in range(threads)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()


def captured(start, primary_flags, reference_flags, n, floors=(), **more):
    """Record n exchanges; floors: names ("prod", "trusted") of engines that get a second leg."""
    primary, reference = start.engine("--seed", "7", *primary_flags), start.engine("--seed", "7", *reference_flags)
    config = f"primary: {{name: prod, url: '{primary.url}'}}\nreferences:\n  - {{name: trusted, url: '{reference.url}'}}\n"
    for name in floors:
        config += f"  - {{name: {name}-2, url: '{(primary if name == 'prod' else reference).url}'}}\n"
    proxy = start.proxy(None, config=config)
    ask(proxy.port, n, **more)
    for name in ("trusted", *(f"{f}-2" for f in floors)):
        proxy.settled(n, name)
    return proxy.capture, reference


def analyzed(capture, *flags):
    said = json.loads(plumbline("analyze", capture, "--json", *flags).stdout)
    assert schema.problems(said, SCHEMA) == []
    return said


def told(capture):
    """Return the summary in one line."""
    return " ".join(plumbline("analyze", capture, "--full").stdout.decode().split())


def trial(said):
    return next(g for g in said["groups"] if g["base"] == "trusted" and g["test"] == "prod")


NOISE = ["--noise", "0.02", "--fresh-noise"]


def test_equal_engines_with_noise_raise_no_alarm(start):
    capture, _ = captured(start, NOISE, NOISE, 300, ["prod", "trusted"])
    said = analyzed(capture)
    blame = trial(said)["noise_floor"]
    assert blame["floors"] == "both" and blame["base_floor_pairs"] == blame["test_floor_pairs"] == 300
    # The noise is another one in each run: one run of some hundred raises an alarm, but one of a million has such a p value.
    assert all(f["p"] > 1e-6 for f in blame["figures"].values()), blame
    assert abs(blame["figures"]["differ"]["excess"]["value"]) < 0.15
    first = trial(said)["by_decoding"]["greedy"]["first_difference"]
    assert first["n"] > 20 and first["tie"] > 0.8 * first["n"] and first["shift"] == 0
    # The noise is 0.02 nats per logit on each side; a difference has two logits of each.
    assert first["sigma"] == pytest.approx(0.02 * 2, rel=0.1)
    assert 0.5 < first["flips"]["ratio"] < 2
    # By chance, the excess is sometimes so far from 0 that the verdict is SAME, or DIFFERENT.
    word = said["verdict"]["word"]
    text = plumbline("analyze", capture, "--full", check={"UNCLEAR": 4, "SAME": 0, "DIFFERENT": 1}[word]).stdout.decode()
    assert re.search(r"so the excess is [^:]+: (within run-to-run noise|(?:not shown to be more than run-to-run noise|more than the least effect, but this raises no alarm) \(p [\d.]+, corrected for 4 figures, of 300 prompts; the limit is 0.01\)|"
                     r"more than run-to-run noise \(p [< \d.]+, corrected for 4 figures\)|more than the mean of both floors, but \w+ differs from itself as much: its run-to-run noise explains this)\.",
                     " ".join(text.split()))
    assert word == "SAME" or "over the noise floor" in said["verdict"]["sentence"]
    assert all(figure["floor_is"] == "measured" for figure in said["figures"])
    assert blame["figures"]["differ"]["n_needed"] > 300
    assert max(map(len, (line for line in text.splitlines() if str(capture) not in line))) <= 80


def test_noise_of_the_reference_alone_blames_nobody(start):
    """An answer that is always the same is closer to noisy answers than these are to each other, but not by half."""
    capture, _ = captured(start, [], ["--noise", "0.15", "--fresh-noise"], 300, ["prod", "trusted"])
    said = analyzed(capture)
    group = trial(said)
    floors = {side: group["noise_floor"]["figures"]["differ"][side]["value"] for side in ("base_floor", "test_floor", "between")}
    assert floors["test_floor"] == 0 and floors["base_floor"] > floors["between"] > 0.2, floors
    assert re.search(r" over the noise floor\. trusted differs from itself in [\d.]+ %, prod in 0\.0 %: the run-to-run noise of trusted "
                     r"alone explains this difference\.$", group["verdict"]["sentence"]), group["verdict"]
    assert (group["cause"]["key"], group["cause"]["side"]) == ("unstable", "base")
    assert not [c["key"] for c in group["causes"] if c["side"] == "test"], group["causes"]
    text = told(capture)
    assert "but trusted differs from itself as much: its run-to-run noise explains this." in text and "not shown to be" not in text, text


def test_a_penalty_exceeds_noise_and_is_attributed(start):
    capture, _ = captured(start, [*NOISE, "--repeat-penalty", "1.2"], NOISE, 300, ["prod", "trusted"])
    said = analyzed(capture)
    group = trial(said)
    assert group["noise_floor"]["figures"]["differ"]["alarm"] and group["noise_floor"]["figures"]["hazard"]["alarm"]
    assert group["noise_floor"]["figures"]["differ"]["excess"]["ci95"][0] > 0.2
    # The penalty changes the choice, not the raw logprobs.
    assert abs(group["noise_floor"]["figures"]["top_differs"]["excess"]["value"]) < 0.01
    first = group["by_decoding"]["greedy"]["first_difference"]
    assert first["flips"]["ratio"] > 2 and first["tie"] < first["n"] / 2
    assert "more than run-to-run noise" in told(capture)
    # The difference counts, not the noise of a backend.
    assert said["greedy_compared"] == 600 and said["greedy_differing"] > 300


def test_without_both_floors_no_side_is_blamed(start):
    capture, _ = captured(start, ["--noise", "0.3"], [], 60)
    blame = trial(analyzed(capture))["noise_floor"]
    assert blame["floors"] == "none" and blame["figures"]["differ"]["excess"]["value"] is None
    assert "the difference can't be attributed to a side" in told(capture)
    capture, _ = captured(start, ["--noise", "0.3"], [], 60, ["trusted"])
    group = trial(analyzed(capture))
    assert group["noise_floor"]["floors"] == "base" and group["noise_floor"]["figures"]["differ"]["base_floor"]["value"] == 0
    assert "the noise of prod was not measured" in told(capture)


def full(engine, body, tokens):
    """Return [{token bytes: logprob}] over the whole vocabulary, at each of these tokens and at the next."""
    text = b"".join(tokens).decode()
    asked = {"messages": body["messages"], "text": text, "top": 5000}
    truth = json.loads(post(engine.port, "/simulated/distribution", asked)[2])["positions"]
    if [raw_token(p["chosen"]) for p in truth[:-1]] != tokens:
        return None
    return [{(raw_token(t), t["id"]): t["logprob"] for t in p["top"]} for p in truth]


def divergences(p, r):
    kl = tv = js = 0.0
    for token, lp in p.items():
        a, b = math.exp(lp), math.exp(r[token])
        m = math.log((a + b) / 2)
        kl += a * (lp - r[token])
        tv += abs(a - b) / 2
        js += (a * (lp - m) + b * (r[token] - m)) / 2
    return kl, tv, js


@pytest.mark.slow
def test_bounds_contain_the_true_values(start):
    # One at a time: from the first stream and the first unary answer the proxy learns how to inject, so they have no logprobs.
    capture, reference = captured(start, ["--noise", "0.2"], [], 6, threads=1)
    noisy = start.engine("--seed", "7", "--noise", "0.2")
    sums, n = [0.0, 0.0, 0.0], 0
    for e in exported(capture):
        body = json.loads(e["request"]["body"])
        columns = {leg["backend"]: leg["reading"]["choices"][0]["columns"] for leg in e["legs"]}
        if None in columns.values():    # a tool call
            continue
        legs = {name: Tokens(c) for name, c in columns.items()}
        base, test = legs["trusted"], legs["prod"]
        pairs = comparable(base, test)
        last = pairs[-1]
        try:
            truth = full(noisy, body, test.bytes[:last[1]]), full(reference, body, base.bytes[:last[0]])
        except UnicodeDecodeError:
            truth = None, None
        assert None not in truth, "the tokenizer does not reproduce this text: choose other prompts"
        for i, k in pairs:
            for at, value in enumerate(divergences(truth[0][k], truth[1][i])):
                sums[at] += value
            n += 1
    figures = trial(analyzed(capture))["by_decoding"]["greedy"]["figures"]
    kl, tv, js = (s / n for s in sums)
    assert figures["kl_low"]["n"] == n > 50
    assert 0 < figures["kl_low"]["value"] <= kl
    assert figures["tv_low"]["value"] <= tv <= figures["tv_high"]["value"]
    assert figures["js_low"]["value"] <= js <= figures["js_high"]["value"]
    assert figures["kl_renormalised"]["value"] > 2 * kl, "the effect of the scaling"


def test_the_number_of_threads_changes_nothing(start):
    capture, _ = captured(start, NOISE, ["--noise", "0.05"], 600, threads=8)
    alone = plumbline("analyze", capture, "--json").stdout
    for jobs in ("2", "3", "8"):
        assert plumbline("analyze", capture, "--json", "--jobs", jobs).stdout == alone
    for bad in ("0", "-1", "x", "65", ""):
        assert plumbline("analyze", capture, f"--jobs={bad}").returncode == 2
