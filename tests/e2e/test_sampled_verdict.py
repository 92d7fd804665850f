"""Sampled traffic gets a verdict from scores: one engine's logprobs of the other's tokens."""
import itertools
import json
import pathlib
import re
import shlex
import subprocess

import pytest

import schema
from harness import BINARY, chat, completion, plumbline, post, respond
from test_manifest import recognised
from test_score import pass_on

SCHEMA = json.loads((pathlib.Path(__file__).parents[2] / "docs" / "analyze.schema.json").read_text())
N = 40


def record(start, engine, reference=None, n=N, temperature=1.0, **more):
    """Record chats as an SDK sends them, but with seeds, so that each run draws the same answers. With temperature None the
    requests omit it."""
    proxy = start.proxy(engine.url, poll="1h", **({"reference": reference.url} if reference else {}))
    recognised(proxy, "primary", "plumbline")
    for i in range(n):
        body = chat(f"Tell me about number {i}.", seed=i,
                    **{"max_tokens": 24, "ignore_eos": True, "logprobs": True, "top_logprobs": 20, **more})
        body.pop("temperature", None)
        if temperature is not None:
            body["temperature"] = temperature(i) if callable(temperature) else temperature
        assert post(proxy.port, "/v1/chat/completions", body)[0] == 200
    proxy.settled(n, "exchanges")
    assert proxy.stop() == 0
    return proxy.capture


def score(capture, backend, of, url=None):
    plumbline("score", capture, "--backend", backend, "--of", of, *(["--url", url] if url else []), check=0)


def analyzed(capture, *flags, code=None):
    done = plumbline("analyze", capture, "--json", *flags, check=code)
    document = json.loads(done.stdout)
    assert schema.problems(document, SCHEMA) == []
    text = plumbline("analyze", capture, "--full", *flags).stdout.decode()
    assert text.startswith(document["verdict"]["word"]) and "can't be judged" not in text
    return document


def group_of(document, base, test):
    return next(g for g in document["groups"] if (g["base"], g["test"]) == (base, test))


def paste(command):
    """Run a proposed command as a user would, with the tested binary."""
    words = re.sub(r"\bplumbline\b(?= )", shlex.quote(str(BINARY)), command)
    return subprocess.run(["bash", "-c", words], capture_output=True, text=True, timeout=120)


def test_equal_engines_that_sample_are_the_same(start):
    engine, other = start.engine("--seed", "7"), start.engine("--seed", "7")
    capture = record(start, engine, other)
    score(capture, "reference", "primary")
    score(capture, "primary", "reference", engine.url)
    said = analyzed(capture, code=0)
    for base, test in (("reference", "primary"), ("primary", "reference")):
        k3 = group_of(said, base, test)["k3"]
        assert (k3["value"], k3["answers"], k3["floor_is"]) == (0, N, "unknown")
    assert said["figures"][0]["name"] == "k3" and said["verdict"]["word"] == "SAME"


def test_traffic_without_a_temperature_is_judged_like_sampled_traffic(start):
    engine, other = start.engine("--seed", "7"), start.engine("--seed", "7")
    capture = record(start, engine, other, temperature=None)
    assert analyzed(capture, code=4)["verdict"]["word"] == "UNCLEAR"
    score(capture, "reference", "primary")
    assert analyzed(capture, code=0)["verdict"]["word"] == "SAME"


def test_a_backend_that_never_answered_is_compared_by_its_scores(start):
    engine, other = start.engine("--seed", "7"), start.engine("--seed", "8")
    capture = record(start, engine)
    score(capture, "trusted", "primary", other.url)
    group, = analyzed(capture, code=4)["groups"]
    assert (group["base"], group["test"], group["pairs"]) == ("trusted", "primary", 0)
    selected, = analyzed(capture, "--base", "trusted", "--test", "primary", code=4)["groups"]
    assert selected["k3"] == group["k3"]
    refused = plumbline("analyze", capture, "--base", "trust", "--test", "primary", check=2)
    assert b"the capture has no answers of trust; it has those of primary" in refused.stderr


@pytest.mark.parametrize("fault", [("--noise", "0.3"), ("--quantise", "2")])
def test_another_engine_is_different_once_the_floor_is_measured(start, fault):
    engine, other = start.engine("--seed", "7", *fault), start.engine("--seed", "7")
    capture = record(start, engine, other)
    score(capture, "reference", "primary")
    unclear = analyzed(capture, code=4)
    assert unclear["verdict"]["word"] == "UNCLEAR" and unclear["figures"][0]["floor_is"] == "unknown"
    assert group_of(unclear, "reference", "primary")["k3"]["alarm"] is False
    step = next(s for s in unclear["next"] if "noise floor of k3" in s["text"])
    done = paste(step["command"])
    assert done.returncode == 1 and "\nDIFFERENT: " in done.stdout, done
    said = analyzed(capture, code=1)
    k3 = group_of(said, "reference", "primary")["k3"]
    assert k3["floor_is"] == "measured" and k3["floor"] == 0
    assert k3["over_floor"]["ci95"][0] > k3["least_effect"] == 0.005 and k3["alarm"] is True
    assert "over the noise floor" in said["verdict"]["sentence"]
    step = said["next"][-1]
    assert said["cause"] is None and "primary agrees with its own scores" in step["text"]
    assert "\nSAME: " in paste(step["command"]).stdout, "its model is another one, not its decoding"
    assert analyzed(capture, code=1)["next"][-1]["command"].startswith("plumbline probe "), "no step is proposed twice"
    large = analyzed(capture, "--least-effect", "k3=1", code=0)
    assert large["verdict"]["word"] == "SAME" and large["figures"][0]["least_effect"] == 1


def test_a_floor_is_measured_with_a_backend_that_never_answered(start):
    engine, other = start.engine("--seed", "7", "--noise", "0.3"), start.engine("--seed", "7")
    capture = record(start, engine)
    score(capture, "trusted", "primary", other.url)
    step = next(s for s in analyzed(capture, code=4)["next"] if "noise floor of k3" in s["text"])
    done = paste(step["command"])
    assert done.returncode == 1 and "\nDIFFERENT: " in done.stdout, done


def test_without_scores_the_next_step_is_a_command_that_decides(start):
    engine, other = start.engine("--seed", "7"), start.engine("--seed", "7")
    capture = record(start, engine, other)
    said = analyzed(capture, code=4)
    assert said["verdict"]["word"] == "UNCLEAR"
    step = next(s for s in said["next"] if s["text"].startswith("To get a verdict"))
    done = paste(step["command"])
    assert done.returncode == 0 and "\nSAME" in "\n" + done.stdout, done


def test_an_engine_alone_is_audited_and_can_be_scored(start):
    engine, other = start.engine("--seed", "7"), start.engine("--seed", "7")
    capture = record(start, engine, ignore_eos=False)
    said = analyzed(capture, code=4)
    draws, = [s["draws"] for s in said["sampling"]]
    assert draws >= 200 and said["verdict"]["sentence"].endswith(f". primary's own {draws:,} draws fit the probabilities that it states.")
    step, = said["next"]
    done = paste(step["command"].replace(" URL ", f" {other.url} "))
    assert done.returncode == 0 and "\nSAME: " in done.stdout, done


def test_short_lists_are_a_limitation_because_they_hide_a_top_k(start):
    engine, other = start.engine("--seed", "7", "--fault", "top-k=10"), start.engine("--seed", "7")
    capture = record(start, engine, other, n=80, max_tokens=64, ignore_eos=False, top_logprobs=5)
    score(capture, "reference", "primary")
    said = analyzed(capture, code=0)
    assert any(l["key"] == "short_lists" and "a top_k of 5 or more" in l["text"] for l in said["limits"]), said["limits"]
    capture = record(start, engine, other, n=80, max_tokens=64, ignore_eos=False)
    score(capture, "reference", "primary")
    said = analyzed(capture, code=1)
    assert said["cause"]["key"] == "unasked_sampling" and all(l["key"] != "short_lists" for l in said["limits"])


def test_few_prompts_are_too_few_for_same(start):
    engine, other = start.engine("--seed", "7"), start.engine("--seed", "7")
    capture = record(start, engine, other, n=10)
    score(capture, "reference", "primary")
    said = analyzed(capture, code=4)
    assert said["verdict"]["n_needed"] == 20 and any(l["key"] == "few_scored_prompts" for l in said["limits"])


def test_mixed_traffic_is_different_if_either_kind_is(start):
    engine, other = start.engine("--seed", "7", "--noise", "0.3"), start.engine("--seed", "7")
    capture = record(start, engine, other, temperature=lambda i: i % 2)
    greedy = analyzed(capture)
    score(capture, "reference", "primary")
    score(capture, "reference", "reference")
    said = analyzed(capture, code=1)
    names = [f["name"] for f in said["figures"]]
    assert names == ["differ", "answer_changed", "hazard", "k3", "teacher_forced.same_top"]
    assert group_of(said, "reference", "primary")["k3"]["answers"] == N / 2
    assert said["figures"][0] == greedy["figures"][0]


def test_greedy_traffic_is_judged_as_without_scores(start):
    engine, other = start.engine("--seed", "7"), start.engine("--seed", "7")
    capture = record(start, engine, other, temperature=0)
    before = analyzed(capture)
    score(capture, "reference", "primary")
    score(capture, "primary", "reference", engine.url)
    score(capture, "reference", "reference")
    after = analyzed(capture)
    assert len(after["teacher_forced"]) == 3
    for group in before["groups"] + after["groups"]:
        group.pop("rollout")
    for part in ("verdict", "figures", "limits", "next", "groups"):
        assert before[part] == after[part]


def test_policies_and_changes_have_k3(start, tmp_path):
    engine, other = start.engine("--seed", "7", "--noise", "0.3"), start.engine("--seed", "7")
    capture = record(start, engine, other)
    score(capture, "reference", "primary")
    score(capture, "reference", "reference")
    policy = tmp_path / "policy.yaml"
    for limit, code in ((1, 0), (0.001, 1)):
        policy.write_text(f"rules:\n  - {{metric: k3.over_floor, max: {limit}}}\n  - {{metric: rollout.ratio.outside, max: 50%, confidence: estimate}}\n")
        done = plumbline("analyze", capture, "--policy", policy, "--json", check=code)
        assert [r["result"] for r in json.loads(done.stdout)["policy"]["rules"]] == ["fail" if code else "pass", "pass"]
    saved = tmp_path / "a.json"
    plumbline("analyze", capture, "--out", saved, check=1)
    change = json.loads(plumbline("diff-report", saved, saved, "--json").stdout)
    metrics = [f["metric"] for g in change["teacher_forced"] if g["test"] == "primary" for f in g["figures"]]
    assert "k3" in metrics and "k3.over_floor" in metrics


def test_rows_make_the_same_verdict(start, tmp_path):
    engine, other = start.engine("--seed", "7", "--noise", "0.3"), start.engine("--seed", "7")
    capture = record(start, engine, other, n=24)
    score(capture, "reference", "primary")
    score(capture, "reference", "reference")
    rows = tmp_path / "rows.ndjson"
    plumbline("pairs", capture, "--out", rows, check=0)
    direct = json.loads(plumbline("analyze", capture, "--json").stdout)
    read = json.loads(plumbline("analyze", "--from-pairs", rows, "--json").stdout)
    for document in (direct, read):
        for group in document["groups"]:
            group.pop("examples")
    assert direct["groups"] == read["groups"] and direct["teacher_forced"] == read["teacher_forced"]


def test_rollout_figures_are_recomputed_from_the_records(start):
    engine, other = start.engine("--seed", "7", "--noise", "0.3"), start.engine("--seed", "7")
    capture = record(start, engine, other, n=24)
    score(capture, "reference", "primary")
    said = analyzed(capture, "--as", "rollout")
    rollout = group_of(said, "reference", "primary")["rollout"]
    deltas, places = [], []
    for line in plumbline("capture", "export", "--jsonl", capture, check=0).stdout.splitlines():
        exchange = json.loads(line)
        own = next(l for l in exchange["legs"] if l["backend"] == "primary")["reading"]["choices"][0]["columns"]
        leg = next(l for l in exchange["legs"] if "scored" in l["marks"])
        prompt, at = leg["reading"]["choices"][0]["prompt"], leg["score_at"]
        deltas.append([])
        places.append([])
        for i, (token, lp) in enumerate(zip(own["tokens"], own["lp"])):
            if isinstance(token, dict):  # a part of a character
                continue
            if at + i >= len(prompt["tokens"]) or prompt["tokens"][at + i] != token:
                break  # the tokenizer splits it differently
            deltas[-1].append(prompt["lp"][at + i] - lp)
            places[-1].append(i)
    np = pytest.importorskip("numpy")
    d = np.concatenate(deltas)
    r = np.exp(d)
    assert rollout["tokens"] == len(d) and rollout["answers_left_out"] == 0 and rollout["why"] is None
    close = lambda got, true: got == pytest.approx(true, rel=1e-5, abs=1e-9)
    assert close(rollout["delta"]["value"], np.abs(d).mean()) and close(rollout["delta_max"], np.abs(d).max())
    assert close(rollout["k1"]["value"], -d.mean()) and close(rollout["k3"]["value"], (r - 1 - d).mean())
    assert close(rollout["ratio"]["value"], r.mean()) and close(rollout["ratio"]["outside"], ((r < 0.5) | (r > 2)).mean())
    assert rollout["ratio"]["p99"] == pytest.approx(np.quantile(r, 0.99), rel=0.15)
    assert close(rollout["sample_size"], r.sum() ** 2 / (len(r) * (r ** 2).sum()))
    w = np.exp([sum(x) for x in deltas])
    assert close(rollout["answers"]["sample_size"], w.sum() ** 2 / (len(w) * (w ** 2).sum()))
    first = d[np.concatenate(places) < 16]
    assert (rollout["positions"][0]["from"], rollout["positions"][0]["n"]) == (0, len(first))
    assert close(rollout["positions"][0]["delta"], np.abs(first).mean())
    assert "As rollout" in plumbline("analyze", capture, "--full", "--as", "rollout").stdout.decode()


def test_rollout_figures_need_plain_sampling(start):
    engine, other = start.engine("--seed", "7"), start.engine("--seed", "7")
    capture = record(start, engine, other, n=24, temperature=0.7)
    score(capture, "reference", "primary")
    rollout = group_of(analyzed(capture), "reference", "primary")["rollout"]
    assert rollout["tokens"] == 0 and rollout["k1"] is None and "not drawn at temperature 1" in rollout["why"]
    assert "not drawn at temperature 1" in " ".join(plumbline("analyze", capture, "--full", "--as", "rollout").stdout.decode().split())


def replicas(start, faulty, sound):
    """Four servers behind one address, which get requests in turn. The first is faulty."""
    asked = itertools.count()

    def script(raw, seen):
        number = next(asked) % 4 + 1 if seen.body else 1
        answer = pass_on(raw, faulty if number == 1 else sound, seen.target, seen.body)
        if answer is not None:
            respond(raw, answer.replace(b'"simulated-7"', b'"simulated-7-%d"' % number))
    return start.scripted(script)


def test_a_fault_of_drawing_is_told_beside_k3(start, tmp_path):
    engine = replicas(start, start.engine("--seed", "7", "--fault", "temperature=0.6"), start.engine("--seed", "7"))
    other = start.engine("--seed", "7", "--noise", "0.01", "--fresh-noise")
    capture = record(start, engine, other, n=100, max_tokens=128, ignore_eos=False)
    score(capture, "reference", "primary")
    score(capture, "reference", "reference")
    said = analyzed(capture, code=1)
    replica = "(1 of 4 replicas: simulated-7-1)"
    assert f"not requested {replica}." in said["verdict"]["sentence"] and f"primary {replica} draws at" in said["cause"]["text"]
    assert said["verdict"]["sentence"].endswith(" scored, not above the noise floor.")
    assert all(l["key"] != "draws_not_tested" for l in said["limits"]), "the draws told it"
    rollout = group_of(said, "reference", "primary")["rollout"]
    assert rollout["tokens"] == 0 and rollout["sample_size"] is None and rollout["answers_left_out"] == 100
    assert rollout["why"].startswith(f"100 do not count because primary {replica} draws at a temperature of 0.")
    policy = tmp_path / "policy.yaml"
    policy.write_text("rules:\n  - {metric: rollout.sample_size, min: 95%, confidence: estimate}\n")
    done = plumbline("analyze", capture, "--policy", policy, "--json")
    assert [r["result"] for r in json.loads(done.stdout)["policy"]["rules"]] == ["undecided"]
    by = {g["test"]: g["rollout"]["tokens"] for g in analyzed(capture, "--by", "replica")["groups"] if "primary" in g["test"] and g["rollout"]}
    assert len(by) == 4 and [name for name, tokens in by.items() if tokens == 0] == [next(n for n in by if "simulated-7-1" in n)], by


def test_scores_of_processed_logprobs_decide_nothing(start):
    """At another temperature the primary reports other probabilities than scores have."""
    engine, other = start.engine("--seed", "7", "--fault", "lists=processed"), start.engine("--seed", "7")
    capture = record(start, engine, n=40, temperature=0.7)
    score(capture, "trusted", "primary", other.url)
    said = analyzed(capture, code=4)
    assert said["verdict"]["word"] == "UNCLEAR" and said["teacher_forced"][0]["processed"] == 40
    assert "processed_scores" in {limit["key"] for limit in said["limits"]}
    assert any("(stack: {decoding.logprobs: raw})" in step["text"] for step in said["next"])


def test_sampled_traffic_predicts_how_many_greedy_answers_differ(start):
    noisy, sound = ("--seed", "7", "--noise", "0.3"), ("--seed", "7")
    engine, other = start.engine(*noisy), start.engine(*sound)
    capture = record(start, engine, n=60)
    score(capture, "trusted", "primary", other.url)
    said = analyzed(capture)
    expected = said["teacher_forced"][0]["greedy_flips"]["answers"]
    assert "Decoded greedily" in " ".join(f["text"] for f in said["groups"][0]["findings"])
    greedy = analyzed(record(start, start.engine(*noisy), start.engine(*sound), n=60, temperature=0))
    observed = greedy["greedy_differing"] / greedy["greedy_compared"]
    assert 0.1 < observed / 2 < expected < 2 * observed


def causes_of(document):
    return {c["key"]: c for g in document["groups"] for c in g["causes"] if c["key"] in ("repetition_penalty", "unasked_sampling")}


@pytest.mark.parametrize("fault, cause, says", [
    ("repeat-penalty=1.1", "repetition_penalty", "tokens that are already in the answer"),
    ("presence-penalty=0.8", "repetition_penalty", "0.[78][0-9] nats less probable"),
    ("temperature=0.6", "unasked_sampling", "a temperature of 0.60 that was not requested"),
])
@pytest.mark.parametrize("by", ["trusted", "primary"])
def test_scores_show_what_processed_logprobs_contain(start, fault, cause, says, by):
    engine, other = start.engine("--seed", "7", "--fault", f"lists=processed;{fault}"), start.engine("--seed", "7")
    capture = record(start, engine, n=30, temperature=None, max_tokens=64, ignore_eos=False)
    score(capture, by, "primary", other.url if by == "trusted" else None)
    said = analyzed(capture)
    found = causes_of(said)
    assert said["verdict"]["proven_by"] == (cause if by == "primary" else None)
    assert list(found) == [cause] and re.search(says, found[cause]["text"]) and found[cause]["side"] == "test"


def test_findings_from_draws_are_shown_next_to_scores(start):
    engine = start.engine("--seed", "7", "--fault", "temperature=0.6")
    capture = record(start, engine, n=60, temperature=None, max_tokens=64, ignore_eos=False)
    score(capture, "primary", "primary")
    said = analyzed(capture, code=1)
    assert said["verdict"]["proven_by"] == "unasked_sampling" and said["figures"][0]["value"] == 0


@pytest.mark.parametrize("asked", [{"presence_penalty": 0.8}, {"temperature": 0.7}, {}])
def test_requested_sampling_is_no_cause(start, asked):
    engine, other = start.engine("--seed", "7", "--fault", "lists=processed"), start.engine("--seed", "7", "--noise", "0.1")
    capture = record(start, engine, n=30, **{"temperature": None, "max_tokens": 64, "ignore_eos": False, **asked})
    score(capture, "trusted", "primary", other.url)
    assert causes_of(analyzed(capture)) == {}


def test_a_requested_sampler_explains_the_scores(start):
    engine, other = start.engine("--seed", "7", "--fault", "lists=processed;repeat-penalty=1.2"), start.engine("--seed", "7")
    capture = record(start, engine, n=30, temperature=None, max_tokens=64, ignore_eos=False, dry_multiplier=0.8)
    score(capture, "trusted", "primary", other.url)
    assert causes_of(analyzed(capture)) == {}


def test_a_filter_that_shortens_lists_is_a_cause(start):
    engine, other = start.engine("--seed", "7", "--fault", "lists=processed;top-p=0.8"), start.engine("--seed", "7")
    capture = record(start, engine, n=30, temperature=None, max_tokens=64, ignore_eos=False)
    assert "top_p" in analyzed(capture, code=1)["verdict"]["sentence"]
    score(capture, "trusted", "primary", other.url)
    said = analyzed(capture, code=1)
    assert said["verdict"]["proven_by"] == "unasked_sampling" and "lists cut short" in said["verdict"]["sentence"]


@pytest.mark.parametrize("alone", [True, False])
def test_a_penalty_at_the_primary_is_named_without_any_scores(start, alone):
    """Default traffic of an SDK has no temperature; no reference is needed."""
    engine, other = start.engine("--seed", "7", "--repeat-penalty", "1.3"), start.engine("--seed", "7")
    capture = record(start, engine, None if alone else other, n=200, temperature=None, max_tokens=48, ignore_eos=False)
    said = analyzed(capture, code=1)
    assert said["verdict"]["word"] == "DIFFERENT"
    side = next(s for s in said["sampling"] if s["backend"] == "primary")
    assert any(f["cause"] == "penalty" for f in side["findings"])
    assert ("draws tokens that were already in the answer" in said["verdict"]["sentence"]) == alone
    assert "repetition penalty" in said["verdict"]["sentence"]
    text = plumbline("analyze", capture, "--full", check=1).stdout.decode()
    assert re.search(rf"^  penalty of primary, nats +[\d.]+ +[\d.]+ to [\d.]+ +{side['draws']} ", text, re.M), text
    assert "Figures by decoding" in text and " not set\n" in text or alone
    assert "To get a verdict" not in text and (alone or said["groups"][0]["causes"][0] == said["cause"])
    if not alone:
        score(capture, "reference", "primary")
        scored = analyzed(capture, code=1)
        assert scored["verdict"]["proven_by"] == "repetition_penalty" and "k3 0 " in scored["verdict"]["sentence"]
        assert scored["cause"]["side"] == "test"


def test_a_dropped_system_message_is_the_cause_of_scored_differences(start):
    engine, other = start.engine("--seed", "7", "--fault", "drop-system"), start.engine("--seed", "7", "--noise", "0.02", "--fresh-noise")
    proxy = start.proxy(engine.url, reference=other.url)
    for i in range(N):
        body = chat(f"Tell me about number {i}.", max_tokens=24, ignore_eos=True, seed=i, logprobs=True, top_logprobs=20)
        body.pop("temperature", None)
        if i % 2:
            body["messages"].insert(0, {"role": "system", "content": "Be brief, be polite, and name your sources."})
        assert post(proxy.port, "/v1/chat/completions", body)[0] == 200
    proxy.settled(N, "exchanges")
    assert proxy.stop() == 0
    capture = proxy.capture

    unscored = analyzed(capture, code=4)
    sentence = f"The answers of primary can't be compared yet: all {N} answers were requested without a temperature, so the engines may draw tokens at random."
    assert unscored["verdict"]["sentence"] == sentence
    assert unscored["cause"]["key"] == "system_dropped" and unscored["next"][0]["text"].startswith("To get a verdict")

    score(capture, "reference", "primary")
    score(capture, "reference", "reference")
    said = analyzed(capture, "--base", "reference", "--test", "primary", code=1)
    cause, = said["groups"][0]["causes"]  # no temperature_unset: it explains nothing about scores
    assert cause == said["cause"] and (cause["key"], cause["side"]) == ("system_dropped", "test")
    assert [s["command"] for s in said["next"][:2]] == [None, cause["confirm"]]
    screen = " ".join(plumbline("analyze", capture, "--base", "reference", "--test", "primary", check=1).stdout.decode().split())
    assert "Likely cause System messages are dropped (primary): compared with reference, primary counts 15 fewer prompt tokens " \
           f"in all {N // 2} chats with a system message, and as many in the other chats: primary drops the message." in screen, screen
    assert f"Next To remove the cause: {cause['fix']}. To confirm the cause: plumbline probe " in screen, screen


def test_scores_have_the_stack_of_their_engine(start):
    engine, other = start.engine("--seed", "7", "--noise", "0.3"), start.engine("--seed", "7")
    capture = record(start, engine, other)
    score(capture, "reference", "primary")
    step = next(s for s in analyzed(capture, "--by", "stack", code=4)["next"] if "noise floor of k3" in s["text"])
    assert "--backend reference " in step["command"] and "[" not in step["command"], step
    score(capture, "reference", "reference")
    said = analyzed(capture, "--by", "stack", code=1)
    k3 = said["groups"][0]["k3"]
    assert (len([g for g in said["groups"] if not g["is_floor"]]), k3["floor_is"]) == (1, "measured") and "unknown stack" not in json.dumps(said["groups"]), said["verdict"]
