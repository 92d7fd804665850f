"""plumbline score: the scores agree with the known distributions of the simulated engine."""
import gzip
import itertools
import json
import math
import pathlib
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request

import pytest

import schema
from harness import BINARY, PATIENCE, SANITIZED, chat, completion, interrupt, plumbline, post, respond, wait_for
from test_replay import counters

N = 8
SCHEMA = json.loads((pathlib.Path(__file__).parents[2] / "docs" / "analyze.schema.json").read_text())


def traffic(start, engine, reference=None, n=N, **more):
    """Record chats and completions of every kind. From the first exchanges the proxy learns how to inject."""
    proxy = start.proxy(engine.url, **({"reference": reference.url} if reference else {}))
    for i in range(n):
        make, path = (chat, "/v1/chat/completions") if i % 2 else (completion, "/v1/completions")
        body = make(f"Tell me about 日本 and {i}.", max_tokens=12, ignore_eos=True, seed=i, temperature=(i // 2) % 2, stream=i % 3 == 0,
                    **({"logprobs": True, "top_logprobs": 3} if i % 2 else {"logprobs": 3}), **more)
        assert post(proxy.port, path, body)[0] == 200
    proxy.settled(n, "exchanges")
    assert proxy.stop() == 0
    return proxy.capture


def score(capture, backend, *flags, check=0):
    done = plumbline("score", capture, "--backend", backend, "--json", *flags, check=check)
    return json.loads(done.stdout)


def exported(capture):
    return [json.loads(line) for line in plumbline("capture", "export", "--jsonl", capture, check=0).stdout.splitlines()]


def forced(capture, code=4):
    said = json.loads(plumbline("analyze", capture, "--json", check=code).stdout)
    assert schema.problems(said, SCHEMA) == []
    return said["teacher_forced"]


def ask(engine, path, body):
    request = urllib.request.Request(engine.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request, timeout=PATIENCE))


def truth(engine, sent):
    """Return ids, exact logprobs and logprobs of the most probable tokens; the first token has none."""
    prompt = sent["prompt"]
    ids = prompt if isinstance(prompt, list) else ask(engine, "/tokenize", {"prompt": prompt})["tokens"]
    body = {"prompt": ids[:1], "tokens": ids[1:], "top": 1, "exact": True}
    positions = ask(engine, "/simulated/distribution", body)["positions"][:-1]
    return ids, [None] + [p["chosen"]["logprob"] for p in positions], [None] + [p["top"][0]["logprob"] for p in positions]


def scored(exchange, backend):
    legs = [leg for leg in exchange["legs"] if leg["backend"] == backend and "scored" in leg["marks"]]
    assert len(legs) == 1
    return legs[0]


def held_against_truth(capture, backend, engine, of="primary"):
    """Check that every recorded score is exact in float32. Return the numbers of tokens and of most probable ones."""
    n = best = 0
    for exchange in exported(capture):
        answer = next(leg for leg in exchange["legs"] if leg["backend"] == of and "scored" not in leg["marks"])
        if not any("scored" in leg["marks"] and leg["backend"] == backend for leg in exchange["legs"]):
            continue
        leg = scored(exchange, backend)
        assert leg["score_of"] == answer["id"]
        choice = leg["reading"]["choices"][0]
        columns, at = choice["prompt"] or choice["columns"], leg["score_at"]
        ids, logprobs, tops = truth(engine, json.loads(leg["edits"][0]["inserted"]))
        bare = 0 if choice["prompt"] else 1  # an echo omits BOS
        got = columns["lp"][at:len(ids) - bare]
        assert len(got) > 0 and max(abs(a - b) for a, b in zip(got, logprobs[at + bare:])) < 1e-6
        own = answer["reading"]["choices"][0]["columns"]["tokens"]
        if not any("base64" in token or "\ufffd" in token for token in own):
            assert columns["tokens"][at:len(ids) - bare] == own
        n += len(got)
        best += sum(a >= b for a, b in zip(logprobs[at + bare:], tops[at + bare:]))
    assert n > 0
    return n, best


def test_scores_are_the_scoring_engines_own_logprobs_of_the_primarys_tokens(start):
    engine, other = start.engine("--seed", "7"), start.engine("--seed", "8")
    capture = traffic(start, engine, reference=other)
    said = score(capture, "reference")
    assert said["scored"] == N and not said["failed"] and not said["unable"]
    tokens, top = held_against_truth(capture, "reference", other)
    assert said["tokens"] == tokens
    group, = forced(capture, 4)
    assert (group["scorer"], group["of"], group["all"]["answers"]) == ("reference", "primary", N)
    assert group["all"]["positions"]["count"] == group["all"]["tokens"] == tokens
    # Recomputed from the records.
    deltas, own, best = [], [], 0
    for exchange in exported(capture):
        answer = next(leg for leg in exchange["legs"] if leg["backend"] == "primary")["reading"]["choices"][0]["columns"]
        leg = scored(exchange, "reference")
        prompt, at = leg["reading"]["choices"][0]["prompt"], leg["score_at"]
        for i, lp in enumerate(answer["lp"]):
            deltas.append(lp - prompt["lp"][at + i])
            own.append(lp)
            best += max(top[2] for top in prompt["top"][at + i]) <= prompt["lp"][at + i]
    all_of = group["all"]
    assert math.isclose(all_of["logprob"]["mean"], sum(deltas) / len(deltas), abs_tol=1e-6)
    assert math.isclose(all_of["logprob"]["rms"], math.sqrt(sum(d * d for d in deltas) / len(deltas)), abs_tol=1e-6)
    assert math.isclose(all_of["k3_score"]["mean"], sum(math.exp(-d) - 1 + d for d in deltas) / len(deltas), abs_tol=1e-6)
    for mean in (all_of["logprob"], all_of["logprob_of_answers"], all_of["k3_score"]):
        assert mean["ci95"][0] <= mean["mean"] <= mean["ci95"][1] and mean["clusters"] == all_of["answers"]
    assert math.isclose(all_of["perplexity"], math.exp(-sum(own) / len(own)), rel_tol=1e-6)
    assert all_of["same_top"]["count"] == best == top
    assert set(group["by_decoding"]) == {"greedy", "sampled"}


def test_a_backend_that_scores_itself_finds_no_difference_also_in_sampled_answers(start):
    engine = start.engine("--seed", "7")
    capture = traffic(start, engine)
    score(capture, "self", "--url", engine.url)
    group, = forced(capture)
    assert group["all"]["positions"]["rate"] == 1
    assert group["all"]["logprob"]["rms"] == 0
    assert group["all"]["same_top"]["count"] == held_against_truth(capture, "self", engine)[1]
    assert group["by_decoding"]["greedy"]["same_top"]["rate"] > 0.9  # a forbidden end token may be more probable
    assert group["by_decoding"]["sampled"]["same_top"]["rate"] < 1
    text = plumbline("analyze", capture, "--full", check=4).stdout.decode()
    assert "Teacher forcing: the tokens of primary, scored by self" in text


@pytest.mark.parametrize("dialect", ["openai", "llama-cpp-python"])
def test_an_echo_scores_as_well(start, dialect):
    engine = start.engine("--seed", "7")
    capture = traffic(start, engine)
    said = score(capture, "echo", "--url", engine.url, "--dialect", dialect)
    assert said["scored"] == N // 2
    assert said["unable"] == [{"why": said["unable"][0]["why"], "n": N // 2}] and "--template" in said["unable"][0]["why"]
    held_against_truth(capture, "echo", engine)
    if dialect == "llama-cpp-python":
        assert said["concurrency"] == 1


@pytest.mark.parametrize("lists", ["temperature", "processed", "masked"])
def test_an_engine_with_other_lists_echoes_a_prompt(start, lists):
    engine = start.engine("--repeat-penalty", "1.1", "--fault", f"lists={lists}")
    said = ask(engine, "/v1/completions", completion("Tell me about ships.", echo=True, logprobs=3, max_tokens=1, temperature=0.5))
    logprobs = said["choices"][0]["logprobs"]["token_logprobs"]
    assert logprobs[0] is None and len(logprobs) > 3 and all(lp is None or lp <= 0 for lp in logprobs[1:])


def test_recorded_token_ids_are_scored_as_they_are(start):
    engine = start.engine("--seed", "7")
    capture = traffic(start, engine, return_token_ids=True)
    score(capture, "self", "--url", engine.url)
    for exchange in exported(capture):
        sent = json.loads(scored(exchange, "self")["edits"][0]["inserted"])
        answer = next(leg for leg in exchange["legs"] if leg["backend"] == "primary")["reading"]["choices"][0]
        assert sent["prompt"][-len(answer["columns"]["ids"]):] == answer["columns"]["ids"]
        assert sent["add_special_tokens"] is False and sent["max_tokens"] == 1
    held_against_truth(capture, "self", engine)


def test_the_recorded_prompt_is_used_only_with_the_option(start):
    """The engine's own prompt shows a fault of the primary's template; the recorded prompt does not."""
    sound, faulty = start.engine("--seed", "7"), start.engine("--seed", "7", "--fault", "bos=missing")
    capture = traffic(start, faulty, return_token_ids=True)
    marks = {}
    for prompt in ("own", "primary"):
        said = score(capture, prompt, "--url", sound.url, "--prompt", prompt)
        assert (said["scored"], said["prompt"]) == (N, prompt)
        legs = [scored(exchange, prompt) for exchange in exported(capture)]
        marks[prompt] = {mark for leg in legs for mark in leg["marks"]}
        recorded = [next(leg for leg in e["legs"] if leg["backend"] == "primary")["reading"]["choices"][0]["prompt"]["ids"] for e in exported(capture)]
        for leg, ids in zip(legs, recorded):
            sent = json.loads(leg["edits"][0]["inserted"])["prompt"]
            assert (sent[:len(ids)] == ids) == (prompt == "primary")
    assert marks == {"own": {"scored", "prompt_differs"}, "primary": {"scored", "given_prompt"}}
    assert {group["scorer"]: group["prompt"] for group in forced(capture)} == {"own": "own", "primary": "primary"}
    rms = {group["scorer"]: group["all"]["logprob"]["rms"] for group in forced(capture)}
    assert rms["primary"] == 0 and rms["own"] > 0.01, rms


def test_the_report_says_which_prompt_the_scores_have(start):
    sound, faulty = start.engine("--seed", "7"), start.engine("--seed", "7", "--fault", "bos=missing")
    capture = traffic(start, faulty, return_token_ids=True)

    def limits():
        return {each["key"]: each["text"] for each in json.loads(plumbline("analyze", capture, "--json").stdout)["limits"]}

    assert score(capture, "judge", "--url", sound.url, "--prompt", "own", "--limit", "3")["scored"] == 3
    assert forced(capture)[0]["prompt"] == "own" and "given_prompts" not in limits()
    for done in (0, N):  # a score after the own prompt is no score after the recorded one
        said = score(capture, "judge", "--url", sound.url, "--prompt", "primary")
        assert (said["already"], said["scored"]) == (done, N - done)
    assert forced(capture)[0]["prompt"] == "mixed" and f"{N} of {N + 3} scores" in limits()["given_prompts"]
    assert forced(capture)[0]["scored"] == N + 3


def test_a_prompt_without_recorded_tokens_is_not_scored_as_the_primarys(start):
    engine = start.engine("--seed", "7")
    capture = traffic(start, engine)
    said = score(capture, "self", "--url", engine.url, "--prompt", "primary", check=4)
    assert said["scored"] == 0 and sum(each["n"] for each in said["unable"]) == N
    assert "were not recorded" in said["unable"][0]["why"]
    assert plumbline("score", capture, "--backend", "self", "--prompt", "mine").returncode == 2


def test_a_second_run_scores_nothing_new(start):
    engine = start.engine("--seed", "7")
    capture = traffic(start, engine)
    assert score(capture, "one", "--url", engine.url, "--limit", "3")["scored"] == 3
    said = score(capture, "one", "--url", engine.url)
    assert (said["scored"], said["already"]) == (N - 3, 3)
    said = score(capture, "one", "--url", engine.url)
    assert (said["scored"], said["already"]) == (0, N)
    assert score(capture, "two", "--url", engine.url)["scored"] == N
    assert len(forced(capture)) == 2
    assert plumbline("capture", "verify", capture).returncode == 0


def scored_legs(capture):
    return [leg["score_of"] for e in exported(capture) for leg in e["legs"] if "scored" in leg["marks"]]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_scoring_resumes(start, how):
    engine = start.engine("--seed", "7")
    capture = traffic(start, engine, n=40)
    interrupted, scores = threading.Event(), itertools.count()

    def few_before_the_signal(target, body, answer):
        return answer if next(scores) < 4 or interrupted.wait(PATIENCE) else ODD
    slow = standing_before(start, engine, few_before_the_signal)
    process = subprocess.Popen([BINARY, "score", str(capture), "--backend", "self", "--url", slow.url, "--concurrency", "2"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for("a first score", lambda: scored_legs(capture))
    interrupt(process, how)
    interrupted.set()
    out, err = process.communicate(timeout=PATIENCE)
    if how == signal.SIGINT:
        assert process.returncode == 3, (out, err)
        assert b"Stopped" in out
    assert b"Sanitizer" not in err, err
    said = score(capture, "self", "--url", engine.url)
    assert 0 < said["already"] < 40 and said["already"] + said["scored"] == 40
    held_against_truth(capture, "self", engine)
    legs = scored_legs(capture)
    assert len(legs) == len(set(legs)) == 40


def test_scoring_requests_are_concurrent(start):
    engine = start.engine("--seed", "7")
    capture = traffic(start, engine, n=16)
    slow, slower = start.engine("--seed", "7", "--ttft", "100ms"), start.engine("--seed", "7", "--ttft", "4s")
    began = time.monotonic()
    assert score(capture, "narrow", "--url", slow.url, "--concurrency", "1")["scored"] == 16
    assert time.monotonic() - began > 16 * 0.1 and counters(slow)["simulated_running_peak"] == 1
    assert score(capture, "wide", "--url", slower.url, "--concurrency", "16")["scored"] == 16
    assert 8 < counters(slower)["simulated_running_peak"] <= 16
    held_against_truth(capture, "wide", engine)


def test_an_engine_that_cannot_score_gets_a_list_of_those_that_can(start):
    engine = start.engine("--seed", "7")
    capture = traffic(start, engine, n=2)
    done = plumbline("score", capture, "--backend", "x", "--url", engine.url, "--dialect", "ollama", check=2)
    assert b"can't score" in done.stderr and b"vLLM" in done.stderr and done.stderr.count(b"\n") == 1
    done = plumbline("score", capture, "--backend", "nobody", check=2)
    assert b"primary" in done.stderr and b"--url" in done.stderr
    engine.stop()
    done = plumbline("score", capture, "--backend", "primary", check=3)
    assert b"can't be reached" in done.stderr
    assert plumbline("score", capture, check=2).stderr.count(b"\n") == 1
    assert plumbline("score", capture, "--backend", "x", "--top", "-1", check=2)


def test_failures_are_retried_by_the_next_run(start):
    engine = start.engine("--seed", "7")
    capture = traffic(start, engine, n=6)
    faulty = start.engine("--seed", "7", "--fault", "cut=0.5")
    said = score(capture, "self", "--url", faulty.url, "--dialect", "plumbline", check=3)
    assert said["scored"] == 0 and sum(r["n"] for r in said["failed"]) == 6
    assert not any("scored" in leg["marks"] for e in exported(capture) for leg in e["legs"])
    assert score(capture, "self", "--url", engine.url)["scored"] == 6


def test_a_dead_engine_ends_the_run(start):
    engine = start.engine("--seed", "7")
    capture = traffic(start, engine, n=12)

    def leaves_when_asked(raw, seen):
        if seen.low.get("content-length"):
            once.stop()
            return False
        respond(raw, {"object": "list", "data": [{"id": "simulated", "owned_by": "plumbline-engine"}]})
    once = start.scripted(leaves_when_asked)
    said = score(capture, "self", "--url", f"http://127.0.0.1:{once.port}", "--concurrency", "1", check=3)
    assert said["gone"] and 0 < sum(r["n"] for r in said["failed"]) < 12
    assert score(capture, "self", "--url", engine.url)["scored"] == 12


ODD = "400 Bad Request", "odd"


def pass_on(raw, engine, target, body):
    """Return the engine's answer to a request; if it is an error, send it and return None."""
    request = urllib.request.Request(engine.url + target, body or None, {"Content-Type": "application/json"})
    try:
        return urllib.request.urlopen(request, timeout=PATIENCE).read()
    except urllib.error.HTTPError as e:
        respond(raw, e.read(), f"{e.code} No")


def standing_before(start, engine, change):
    """A relay; change(target, body, answer) returns the answer to a scoring request, or an error's (status, message)."""
    def script(raw, seen):
        answer = pass_on(raw, engine, seen.target, seen.body)
        if answer is not None:
            said = change(seen.target, json.loads(seen.body), answer) if seen.target == "/v1/completions" else answer
            return respond(raw, {"error": {"message": said[1]}}, said[0]) if isinstance(said, tuple) else respond(raw, said)
    return start.scripted(script)


@pytest.mark.slow
@pytest.mark.skipif(SANITIZED == "tsan", reason="90 MiB a piece at a time takes TSan minutes; no thread meets another over it")
def test_a_large_score_is_stored_completely(start):
    engine = start.engine("--seed", "7")
    capture = traffic(start, engine, n=2)
    wide = standing_before(start, engine, lambda target, body, answer: answer[:1] + b" " * (90 << 20) + answer[1:])
    said = score(capture, "self", "--url", wide.url, "--concurrency", "2")
    assert said["scored"] == 2 and said["tokens"] > 0
    assert forced(capture)[0]["all"]["tokens"] == said["tokens"]
    assert score(capture, "self", "--url", engine.url)["already"] == 2
    assert plumbline("capture", "verify", capture).returncode == 0


def test_one_odd_answer_does_not_stop_the_use_of_ids(start):
    engine = start.engine("--seed", "7")
    capture = traffic(start, engine, return_token_ids=True)
    refused = []

    def refuse_the_first(target, body, answer):
        return ODD if not refused and not refused.append(body) else answer
    odd = standing_before(start, engine, refuse_the_first)
    assert score(capture, "self", "--url", odd.url, "--concurrency", "1")["scored"] == N
    answers = [s for s in odd.seen if s.target == "/tokenize" and json.loads(s.body).get("add_special_tokens") is False]
    assert len(answers) == 1, "only the odd answer"


def test_refused_ids_are_replaced_by_text(start):
    engine = start.engine("--seed", "7")
    capture = traffic(start, engine, n=12, return_token_ids=True)
    refused = []

    def refuse_recorded(target, body, answer):
        again = len(refused) % 2 == 1 or len(refused) >= 8  # each request by text follows one by ids
        refused.append(again)
        return answer if again else ODD
    unlike = standing_before(start, engine, refuse_recorded)
    assert score(capture, "self", "--url", unlike.url, "--concurrency", "1")["scored"] == 12
    assert len(refused) == 4 * 2 + 8


BAD = "400 Bad Request"
TOO_LONG = [(BAD, "This model's maximum context length is 16 tokens. However, you requested 80 tokens."),
            (BAD, "The decoder prompt (length 80) is longer than the maximum model length of 16."),
            (BAD, "The input (80 tokens) is longer than the model's context length (16 tokens)."),
            (BAD, "Requested token count exceeds the model's maximum context length of 16 tokens. You requested a total of 80 tokens"),
            (BAD, "the prompt has 80 tokens; the context holds 16"),
            ("413 Payload Too Large", "Requested tokens (80) exceed context window of 16"),
            ("422 Unprocessable Entity", "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 16. Given: 80 `inputs` tokens"),
            (BAD, "The request was refused. " * 20 + "This model's maximum context length is 16 tokens.")]
OTHER_REFUSALS = [("429 Too Many Requests", "Rate limit reached; this model's maximum context length is 16 tokens in your plan", 1),
                  ("403 Forbidden", "Your plan's maximum context length is 16 tokens", 1),
                  (BAD, "Input should be a list of integers, not 'What is a context length, a context window, a context size?'", 2)]
OVER_CONTEXT = "prompt and answer together are longer than the engine's context"
WITHIN_200 = [({"error": {"message": "no worker is free"}}, [], "failed", "the engine answered 200: no worker is free"),
              ({"error": {"message": TOO_LONG[0][1]}}, [], "unable", OVER_CONTEXT),
              (b"<html>", [], "unable", "the engine's answer is not JSON"),
              (gzip.compress(b"{}", mtime=0), [("Content-Encoding", "gzip")], "unable", "the engine's answer has a content coding, although plumbline accepts none")]


def refused_scores(start, engine, refusal):
    """Return the result of `score` for two answers, and how many scores it asked for, if the engine refuses each."""
    capture = traffic(start, engine, n=2, return_token_ids=True)
    relay = standing_before(start, engine, lambda target, body, answer: refusal)
    done = plumbline("score", capture, "--backend", "small", "--json", "--url", relay.url, "--dialect", "vllm", "--template", "gemma")
    return json.loads(done.stdout), sum(s.target == "/v1/completions" for s in relay.seen)


@pytest.mark.parametrize("refusal", TOO_LONG)
def test_a_text_longer_than_the_context_cannot_be_scored(start, refusal):
    result, asked = refused_scores(start, start.engine("--seed", "7"), refusal)
    assert result["unable"] == [{"why": OVER_CONTEXT, "n": 2}] and result["failed"] == []
    assert asked == 2, "the text would be too long, too"


@pytest.mark.parametrize("status, message, times", OTHER_REFUSALS)
def test_other_refusals_are_failures(start, status, message, times):
    result, asked = refused_scores(start, start.engine("--seed", "7"), (status, message))
    assert result["unable"] == [] and sum(r["n"] for r in result["failed"]) == 2
    repeats = 4 if status.startswith("429") else 1
    assert asked == 2 * times * repeats, "by ids, and by text if the engine may have refused the ids"


@pytest.mark.parametrize("said, fields, list_of, why", WITHIN_200, ids=["error", "too long", "text", "gzip"])
def test_an_answer_without_scores_is_told_as_what_it_is(start, said, fields, list_of, why):
    capture = traffic(start, start.engine("--seed", "7"), n=2)
    odd = start.scripted(lambda raw, seen: respond(raw, said, fields=fields) if seen.target == "/v1/completions" else respond(raw, {}, "404 Not Found"))
    done = plumbline("score", capture, "--backend", "odd", "--json", "--url", odd.url, "--dialect", "vllm", "--template", "gemma")
    assert json.loads(done.stdout)[list_of] == [{"why": why, "n": 2}]


def test_a_text_too_long_for_the_tokenizer_cannot_be_scored(start):
    engine = start.engine("--seed", "7")
    capture = traffic(start, engine, n=2, return_token_ids=True)
    small = start.scripted(lambda raw, seen: respond(raw, {"error": {"message": TOO_LONG[0][1]}}, BAD))
    result = score(capture, "small", "--url", small.url, "--dialect", "vllm", "--template", "gemma", check=4)
    assert result["unable"] == [{"why": OVER_CONTEXT, "n": 2}] and result["failed"] == []
    assert [s.target for s in small.seen if s.body] == ["/tokenize"] * 2, "one request for each answer"


def changed_scores(change):
    """A change for standing_before() that applies `change` to the entry of each scored token."""
    def of(target, body, answer):
        said = json.loads(answer)
        choice = said["choices"][0]
        choice["prompt_logprobs"] = [entry and change(entry) for entry in choice["prompt_logprobs"]]
        return json.dumps(said).encode()
    return of


@pytest.mark.parametrize("change, why", [
    (lambda entry: {key: {**each, "logprob": 3.0} for key, each in entry.items()}, "the engine's answer has no valid probability of the answer's tokens: they are missing, or above 1"),
    (lambda entry: {str((int(key) + 1) % 500): each for key, each in entry.items()}, "the engine scored other tokens than it was given")])
def test_scores_of_something_else_are_refused(start, change, why):
    engine = start.engine("--seed", "7")
    capture = traffic(start, engine)
    odd = standing_before(start, engine, changed_scores(change))
    said = score(capture, "odd", "--url", odd.url, "--dialect", "plumbline", check=4)
    assert said["unable"] == [{"why": why, "n": N}]


def test_a_capture_cannot_choose_the_api_key(start, tmp_path):
    """Otherwise the author of a capture could choose which secret is sent where."""
    engine = start.engine("--seed", "7")
    secrets = {"TRUSTED_KEY": "sk-secret", "OTHER_KEY": "sk-other"}

    def as_it_came(target, body, answer):
        return answer
    other = standing_before(start, engine, as_it_came)
    config = f"primary: {{name: prod, url: '{engine.url}'}}\nreferences: [{{name: trusted, url: '{other.url}', api_key_env: TRUSTED_KEY}}]\n"
    proxy = start.proxy(None, config=config, env=secrets)
    assert post(proxy.port, "/v1/completions", completion("a", logprobs=2, max_tokens=4))[0] == 200
    proxy.settled(1, "exchanges")
    assert proxy.stop() == 0
    file = tmp_path / "own.yaml"
    file.write_text(config)

    def keys_sent(n, *flags):
        before = len(other.seen)
        target = tmp_path / f"scores-{n}"
        plumbline("score", proxy.capture, "--backend", "trusted", "--capture", target, *flags, env=secrets, check=0)
        assert len(other.seen) > before
        return {s.low.get("authorization") for s in other.seen[before:]}
    assert keys_sent(1) == {None}
    assert keys_sent(2, "--api-key-env", "OTHER_KEY") == {"Bearer sk-other"}
    assert keys_sent(3, "-c", file) == {"Bearer sk-secret"}
    assert keys_sent(4, "-c", file, "--url", other.url + "/") == {None}
    done = plumbline("score", proxy.capture, "--backend", "trusted", "--api-key-env", "NOT_SET", check=2)
    assert b"NOT_SET" in done.stderr


def test_a_limit_counts_only_scorable_answers(start):
    engine = start.engine("--seed", "7")
    proxy = start.proxy(engine.url)
    pictures = chat([{"type": "image_url", "image_url": {"url": "data:,x"}}])
    bodies = [("/v1/completions", completion(["one", "two"])), ("/v1/chat/completions", pictures), ("/v1/chat/completions", chat("hello")),
              ("/v1/completions", completion("good")), ("/v1/completions", completion("good, too"))]
    for path, body in bodies:
        assert post(proxy.port, path, body)[0] == 200
    proxy.settled(len(bodies), "exchanges")
    proxy.stop()
    # It is known in advance that several prompts fail; a chat without a template fails only then.
    said = score(proxy.capture, "self", "--url", engine.url, "--dialect", "openai", "--limit", "1")
    assert said["scored"] == 1 and sum(r["n"] for r in said["unable"]) == 3
    said = score(proxy.capture, "self", "--url", engine.url, "--dialect", "openai", "--limit", "1")
    assert said["scored"] == 1 and said["already"] == 1


def test_where_nothing_can_be_asked_nothing_is_recorded(start, tmp_path):
    engine, other = start.engine("--seed", "7"), tmp_path / "scores"
    proxy = start.proxy(engine.url)
    assert post(proxy.port, "/v1/completions", completion(["one", "two"]))[0] == 200
    proxy.settled(1, "exchanges")
    proxy.stop()
    plumbline("score", proxy.capture, "--backend", "self", "--url", engine.url, "--capture", other, check=4)
    assert not other.exists()


def test_scores_in_another_directory_join_by_id(start, tmp_path):
    engine = start.engine("--seed", "7")
    capture = traffic(start, engine)
    before = sorted(p.name for p in capture.iterdir())
    other = tmp_path / "scores"
    assert score(capture, "self", "--url", engine.url, "--capture", other)["scored"] == N
    assert sorted(p.name for p in capture.iterdir()) == before
    assert score(capture, "self", "--url", engine.url, "--capture", other)["already"] == N
    said = json.loads(plumbline("analyze", capture, other, "--json", check=4).stdout)
    assert said["teacher_forced"][0]["all"]["answers"] == N
    assert json.loads((other / "CAPTURE").read_text())["hash_key"] == json.loads((capture / "CAPTURE").read_text())["hash_key"]
    told = plumbline("replay", capture, "--to", engine.url, "--name", "self", "--force-tokens", "--capture", other, check=0).stdout.decode()
    assert told.endswith(f"See the figures: plumbline analyze {capture} {other}\n")
    score(capture, "self", "--url", engine.url)
    idle = plumbline("score", capture, "--backend", "self", "--url", engine.url, "--capture", tmp_path / "none", check=0).stdout.decode()
    assert idle.endswith(f"See the figures: plumbline analyze {capture}\n") and not (tmp_path / "none").exists()


def test_lists_tell_scores_from_answers(start):
    engine, other = start.engine("--seed", "7"), start.engine("--seed", "8")
    capture = traffic(start, engine, reference=other)
    before = json.loads(plumbline("analyze", capture, "--json").stdout)
    score(capture, "reference")
    after = json.loads(plumbline("analyze", capture, "--json").stdout)
    # that answers were sampled explains nothing about their scores
    causes = lambda group: [c for c in group["causes"] if c["key"] not in ("sampled", "temperature_unset")]
    of_answers = lambda said: [(g["base"], g["test"], g["pairs"], g["by_decoding"], causes(g)) for g in said["groups"]]
    assert of_answers(before) == of_answers(after)
    assert [g["k3"] for g in before["groups"]] == [None] and after["groups"][0]["k3"]["answers"] == N / 2  # sampled ones
    listed = plumbline("capture", "ls", capture, check=0).stdout.decode()
    assert listed.count("reference: scores of primary") == N
    shown = plumbline("capture", "show", exported(capture)[0]["id"], capture, check=0).stdout.decode()
    assert "of primary's answer: of 12 tokens" in shown
    assert shown.count("texts differ") <= 1


def test_unscorable_answers_are_counted_by_reason(start):
    engine = start.engine("--seed", "7")
    proxy = start.proxy(engine.url)
    bodies = [("/v1/completions", completion(["one", "two"])), ("/v1/completions", completion("a", echo=True)),
              ("/v1/chat/completions", chat([{"type": "image_url", "image_url": {"url": "data:,x"}}])),
              ("/v1/completions", completion("good"))]
    for path, body in bodies:
        assert post(proxy.port, path, body)[0] == 200
    proxy.settled(len(bodies), "exchanges")
    proxy.stop()
    said = score(proxy.capture, "self", "--url", engine.url)
    assert said["scored"] == 1
    reasons = " | ".join(r["why"] for r in said["unable"])
    assert "several prompts" in reasons and "echo" in reasons and "images" in reasons


def test_a_list_of_parts_that_begins_with_a_bare_text_is_not_taken_for_text_alone(start):
    """Some engines answer such a request, which no specification allows."""
    answer = {"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": "A cat."}, "finish_reason": "stop"}]}
    proxy = start.proxy(start.scripted(lambda raw, seen: respond(raw, answer)).url)
    parts = ["What is it?", {"type": "image_url", "image_url": {"url": "data:,x"}}]
    assert post(proxy.port, "/v1/chat/completions", chat(parts))[0] == 200
    proxy.settled(1, "exchanges")
    proxy.stop()
    said = score(proxy.capture, "self", "--url", start.engine("--seed", "7").url, check=4)
    assert "images" in said["unable"][0]["why"]
