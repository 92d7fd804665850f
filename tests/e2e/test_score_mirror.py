"""references: {mode: score}: the reference scores the primary's answers. Clients notice nothing, and every answer is
recorded as a score or counted by cause."""
import gzip
import json
import os
import signal
import time

import pytest

import schema
from harness import PATIENCE, Raw, balances, chat, complete, completion, exported, interrupt, plumbline, post, request, respond, wait_for
from test_reload import reload
from test_sampled_verdict import paste
from test_score import OVER_CONTEXT, SCHEMA, TOO_LONG, standing_before

N = 24


def settings(primary, reference, **more):
    keys = "".join(f", {k}: {json.dumps(v)}" for k, v in {"mode": "score", "dialect": "plumbline", **more}.items())
    return f"""
primary: {{name: prod, url: '{primary.url}'}}
references:
  - {{name: trusted, url: '{reference.url}'{keys}}}
"""


def asked(i):
    """Send chats and completions, streamed and not, greedy and sampled."""
    make, path = (chat, "/v1/chat/completions") if i % 2 else (completion, "/v1/completions")
    temperature = 0 if i % 3 == 0 else 1
    return path, make(f"Tell me about 日本 and {i}.", max_tokens=12, ignore_eos=True, seed=i, stream=i % 4 < 2, temperature=temperature)


def send(proxy, n=N, first=0):
    return [post(proxy.port, *asked(i)) for i in range(first, first + n)]


def scores(capture):
    return [leg for e in exported(capture) for leg in e["legs"] if "scored" in leg["marks"]]


def analysis(capture, *codes):
    done = plumbline("analyze", capture, "--json")
    assert done.returncode in codes, done.stderr
    said = json.loads(done.stdout)
    assert schema.problems(said, SCHEMA) == []
    return said


def totals(book):
    return {k: sum(v.values()) if isinstance(v, dict) else v for k, v in book.items()}


def books(proxy, n=N):
    found = proxy.settled(n, "trusted")
    assert all(balances(book) for book in found.values()), found
    assert found["exchanges"]["recorded"] == n
    return totals(found["trusted"])


def test_every_answer_is_scored_and_decides_the_verdict(start):
    primary, reference = start.engine("--seed", "7", "--ids", "content"), start.engine("--seed", "7")
    proxy = start.proxy(None, config=settings(primary, reference))
    for i, (status, _, body) in enumerate(send(proxy)):
        assert (status, body) == (200, post(primary.port, *asked(i))[2])
    assert books(proxy)["recorded"] == N
    assert proxy.stop() == 0
    legs = scores(proxy.capture)
    assert len(legs) == N and {leg["backend"] for leg in legs} == {"trusted"}
    said = analysis(proxy.capture, 0)
    assert said["verdict"]["word"] == "SAME"
    assert said["groups"][0]["base"] == "trusted" and said["groups"][0]["test"] == "prod"


def test_a_reference_of_other_weights_is_far_from_the_answers(start):
    primary, reference = start.engine("--seed", "7"), start.engine("--seed", "8")
    proxy = start.proxy(None, config=settings(primary, reference))
    send(proxy)
    assert books(proxy)["recorded"] == N
    assert proxy.stop() == 0
    figure = next(f for f in analysis(proxy.capture, 1, 4)["figures"] if f["name"].startswith("k3"))
    assert figure["value"] > 0.5


@pytest.mark.parametrize("fault, prompt, key", [
    ("bos=missing", "own", "bos_token"), ("template", "own", "chat_template"), ("template", "primary", None), ("", "own", None)])
def test_a_fault_of_the_prompt_shows_in_scores_after_the_own_prompt(start, fault, prompt, key):
    primary = start.engine("--seed", "7", *(["--fault", fault] if fault else []))
    reference = start.engine("--seed", "7")
    proxy = start.proxy(None, config=settings(primary, reference, score={"prompt": prompt}))
    for i in range(N):
        body = chat(f"Tell me about 日本 and {i}.", max_tokens=12, ignore_eos=True, temperature=1, seed=i,
                    logprobs=True, top_logprobs=5, return_token_ids=True)
        body["messages"] *= 1 + i % 3  # a template marks each message
        assert post(proxy.port, "/v1/chat/completions", body)[0] == 200
    assert books(proxy)["recorded"] == N
    assert proxy.stop() == 0
    said = analysis(proxy.capture, *([1, 4] if key else [0, 4]))
    assert said["teacher_forced"][0]["prompt"] == prompt
    assert ("given_prompts" in {limit["key"] for limit in said["limits"]}) == (prompt == "primary")
    evidence = said["groups"][0]["evidence"]
    counted = N if prompt == "own" else 0
    assert evidence["prompt_pairs"] == counted and evidence["prompt_differ"] == (counted if key else 0)
    assert (said["cause"] and said["cause"]["key"]) == key
    if key:
        assert f"in {N} of {N} scored answers" in said["cause"]["text"]
        assert said["cause"]["confirm"].count("plumbline probe") == 2


def test_mirror_scores_equal_those_of_plumbline_score(start):
    primary, reference = start.engine("--seed", "7"), start.engine("--seed", "7", "--noise", "0.05")
    proxy = start.proxy(None, config=settings(primary, reference))
    send(proxy)
    books(proxy)
    assert proxy.stop() == 0
    plumbline("score", proxy.capture, "--backend", "again", "--url", reference.url, check=0)
    by = {}
    for leg in scores(proxy.capture):
        reading = leg["reading"]["choices"][0]
        by.setdefault(leg["score_of"], {})[leg["backend"]] = (leg["score_at"], reading["prompt"] or reading["columns"])
    assert len(by) == N
    for pair in by.values():
        assert pair["trusted"] == pair["again"]


def test_the_document_has_the_cost_of_scoring_and_generating(start):
    primary, reference = start.engine("--seed", "7", "--itl", "10ms"), start.engine("--seed", "7")
    proxy = start.proxy(None, config=settings(primary, reference))
    send(proxy, 8)
    books(proxy, 8)
    metrics = proxy.metrics()
    assert proxy.stop() == 0
    cost = analysis(proxy.capture, 0, 4)["teacher_forced"][0]["cost"]
    legs = [leg for e in exported(proxy.capture) for leg in e["legs"]]
    answers = [leg for leg in legs if "scored" not in leg["marks"] and (leg["reading"]["usage"]["completion_tokens"] or -1) >= 0]
    of = {leg["id"] for leg in answers}
    scored = [leg for leg in legs if leg.get("score_of") in of]
    assert cost["answers"] == cost["tokens_read_of"] == len(scored) == len(answers) >= 5
    assert cost["scoring_seconds"] == pytest.approx(sum(leg["end_us"] for leg in scored) / 1e6)
    assert cost["generating_seconds"] == pytest.approx(sum(leg["end_us"] for leg in answers) / 1e6)
    assert cost["ratio"] == pytest.approx(cost["scoring_seconds"] / cost["generating_seconds"])
    assert cost["generating_seconds"] >= len(answers) * 11 * 0.009
    assert cost["tokens_generated"] == sum(leg["reading"]["usage"]["completion_tokens"] for leg in answers)
    assert cost["tokens_read"] == sum(leg["reading"]["usage"]["prompt_tokens"] for leg in scored) <= metrics['plumbline_scoring_tokens_total{backend="trusted"}']


def test_a_share_is_sampled_and_the_rest_is_counted(start):
    primary, reference = start.engine(), start.engine()
    proxy = start.proxy(None, config=settings(primary, reference, sample="50%"))
    send(proxy, 60)
    book = books(proxy, 60)
    assert book["recorded"] + book["excluded"] == 60 and 10 < book["recorded"] < 50


def test_both_generates_a_share_and_scores_the_rest(start):
    primary, reference = start.engine(), start.engine()
    proxy = start.proxy(None, config=settings(primary, reference, mode="both", score={"generate": 0.5}))
    send(proxy, 60)
    assert books(proxy, 60)["recorded"] == 60
    assert proxy.stop() == 0
    made = [leg for e in exported(proxy.capture) for leg in e["legs"] if leg["backend"] == "trusted"]
    assert len(made) == 60 and 10 < sum("scored" in leg["marks"] for leg in made) < 50


def test_a_reference_that_scores_itself_gives_the_noise_floor(start):
    primary, reference = start.engine("--seed", "7"), start.engine("--seed", "7", "--noise", "0.02", "--fresh-noise")
    proxy = start.proxy(None, config=settings(primary, reference, mode="both", score={"generate": 0.5}, self=True))
    send(proxy, 60)
    found = totals(proxy.settled(60, "trusted")["trusted"])
    assert found["recorded"] == found["completed"] > 60
    assert proxy.stop() == 0
    own = [leg for e in exported(proxy.capture) for leg in e["legs"] if leg["backend"] == "trusted" and "scored" not in leg["marks"]]
    of = {leg["score_of"] for leg in scores(proxy.capture)}
    assert own and all(leg["id"] in of for leg in own)
    group = next(g for g in analysis(proxy.capture, 0, 1, 4)["groups"] if g["test"] == "prod")
    figure = next(f for f in group["figures"] if f["name"].startswith("k3"))
    assert figure["floor_is"] == "measured" and figure["floor"] > 0


def test_metrics_have_costs_and_reasons_of_scoring(start):
    primary, reference = start.engine(), start.engine()
    proxy = start.proxy(None, config=settings(primary, reference))
    send(proxy, 8)
    assert post(proxy.port, "/v1/chat/completions", chat("x", max_tokens=-1))[0] == 400
    proxy.settled(9, "trusted")
    metrics = proxy.metrics()
    assert metrics['plumbline_score_seconds_count{backend="trusted"}'] == 8
    assert 80 <= metrics['plumbline_scored_tokens_total{backend="trusted"}'] <= 96
    assert metrics['plumbline_scoring_tokens_total{backend="trusted"}'] > metrics['plumbline_scored_tokens_total{backend="trusted"}'] + 8 * 5
    assert [v for k, v in metrics.items() if k.startswith('plumbline_unscorable_total{backend="trusted",reason="it is not an answer')] == [1]


def no_logprobs(raw, seen):
    """Answers scoring requests with text, but without logprobs."""
    respond(raw, {"id": "x", "object": "text_completion", "created": 1, "model": "m",
                  "choices": [{"index": 0, "text": "well", "finish_reason": "stop"}]})


def fails(raw, seen):
    respond(raw, {"error": {"message": "no"}}, "500 Internal Server Error")


def half(raw, seen):
    raw.send(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"choices":[{"in')
    raw.reset()
    return False


def hangs(raw, seen):
    time.sleep(300)


@pytest.mark.parametrize("how, column", [(no_logprobs, "excluded"), (fails, "dropped"), (half, "dropped"), (hangs, "dropped")])
def test_a_reference_that_cannot_score_is_harmless(start, how, column):
    primary, reference = start.engine("--ids", "content"), start.scripted(how)
    limit = "5s" if how is hangs else "60s"
    proxy = start.proxy(None, config=settings(primary, reference, dialect="vllm", timeout=limit, idle_timeout=limit, max_concurrency=8))
    begun = time.monotonic()
    answers = send(proxy, 8)
    assert time.monotonic() - begun < 30, "waiting for each score would take 40 s"
    for i, (status, _, body) in enumerate(answers):
        assert (status, body) == (200, post(primary.port, *asked(i))[2])
    assert books(proxy, 8)[column] == 8
    assert not scores(proxy.capture)


def unscorable(proxy):
    """Return {reason: answers} of the reference trusted."""
    prefix = 'plumbline_unscorable_total{backend="trusted",reason="'
    return {k.removeprefix(prefix).removesuffix('"}'): v for k, v in proxy.metrics().items() if k.startswith(prefix)}


@pytest.mark.parametrize("with_another", [False, True])
def test_answer_limit_excludes_larger_answers_for_each_reference(start, with_another):
    primary, reference = start.engine(), start.engine()
    config = settings(primary, reference, answer_limit="64KiB")
    if with_another:
        config += f"  - {{name: wide, url: '{reference.url}', mode: score, dialect: plumbline}}\n"
    proxy = start.proxy(None, config=config)
    for tokens in (4, 400):
        assert post(proxy.port, "/v1/chat/completions", chat("word", max_tokens=tokens, ignore_eos=True))[0] == 200
    found = proxy.settled(2, "wide" if with_another else "trusted")
    assert all(balances(book) for book in found.values()), found
    assert (found["trusted"]["recorded"], found["trusted"]["excluded"]["unscorable"]) == (1, 1)
    assert unscorable(proxy) == {"it is larger than answer_limit": 1}
    assert not with_another or found["wide"]["recorded"] == 2


def packed(raw, seen):
    """Answer with 100 kB that have a few hundred bytes with their content coding."""
    body = {"id": "x", "object": "text_completion", "created": 1, "model": "m", "choices": [{"index": 0, "text": "word " * 20000, "finish_reason": "stop"}]}
    respond(raw, gzip.compress(json.dumps(body).encode()), fields=[("Content-Encoding", "gzip")])


def test_answer_limit_applies_to_decoded_answers(start):
    primary, reference = start.scripted(lambda raw, seen: complete(raw, seen, packed)), start.engine()
    proxy = start.proxy(None, config=settings(primary, reference, answer_limit="64KiB"))
    assert post(proxy.port, "/v1/completions", completion("word"))[0] == 200
    assert books(proxy, 1)["excluded"] == 1
    assert unscorable(proxy) == {"its decoded body is larger than answer_limit or 64 MiB": 1}


def test_answers_longer_than_the_context_are_excluded_and_logged_once(start):
    primary = start.engine()
    reference = standing_before(start, start.engine(), lambda target, body, answer: TOO_LONG[0])
    proxy = start.proxy(None, config=settings(primary, reference))
    send(proxy, 4)
    assert books(proxy, 4)["excluded"] == 4
    assert unscorable(proxy) == {OVER_CONTEXT: 4} and proxy.log().count(f"trusted can't score some answers: {OVER_CONTEXT}.") == 1
    assert sum(seen.target == "/v1/completions" for seen in reference.seen) == 4, "one request for each answer"


def test_an_engine_that_cannot_score_is_counted(start):
    primary, reference = start.engine(), start.engine()
    proxy = start.proxy(None, config=settings(primary, reference, dialect="ollama"))
    send(proxy, 4)
    assert books(proxy, 4)["excluded"] == 4


def test_an_unknown_engine_that_cannot_score_is_logged_once(start):
    primary, reference = start.engine(), start.scripted(lambda raw, seen: complete(raw, seen, no_logprobs))
    proxy = start.proxy(None, config=settings(primary, reference, dialect="auto"))
    send(proxy, 4)
    assert books(proxy, 4)["excluded"] == 4
    assert unscorable(proxy) == {"the engine is not known": 4}
    assert proxy.log().count("trusted scores no answers, because plumbline does not know its engine.") == 1


def test_failed_and_abandoned_answers_are_not_scored(start):
    primary, reference = start.engine("--itl", "50ms"), start.engine()
    proxy = start.proxy(None, config=settings(primary, reference))
    assert post(proxy.port, "/v1/chat/completions", chat("x", max_tokens=-1))[0] == 400
    with Raw(proxy.port) as raw:
        raw.send(request("POST", "/v1/chat/completions", chat("x", max_tokens=200, stream=True)))
        raw.until(b"data:")
    book = proxy.settled(2, "trusted")["trusted"]
    assert balances(book) and book["excluded"]["unscorable"] == 2


def test_a_drain_waits_for_running_scores(start):
    primary, reference = start.engine(), start.engine("--ttft", "200ms")
    proxy = start.proxy(None, config=settings(primary, reference, max_concurrency=4))
    send(proxy, 8)
    os.kill(proxy.pid, signal.SIGTERM)
    assert proxy.process.wait(PATIENCE) == 0
    assert len(scores(proxy.capture)) == 8


def test_a_second_signal_aborts_scores(start):
    primary, reference = start.engine(), start.scripted(hangs)
    proxy = start.proxy(None, config=settings(primary, reference, dialect="vllm", timeout="5m", idle_timeout="5m") + "drain_timeout: 5m\n")
    send(proxy, 3)
    wait_for("a running score", lambda: any(seen.low for seen in reference.seen))
    interrupt(proxy.process, signal.SIGTERM)
    wait_for("the drain", lambda: "Draining" in proxy.log())
    interrupt(proxy.process, signal.SIGTERM)
    proxy.process.wait(PATIENCE)
    assert "Second signal" in proxy.log()


def test_a_prompt_over_the_limit_is_excluded(start):
    primary, reference = start.engine(), start.engine()
    proxy = start.proxy(None, config=settings(primary, reference, score={"max_prompt_tokens": 40}))
    assert post(proxy.port, "/v1/chat/completions", chat("word " * 200, max_tokens=8))[0] == 200
    assert post(proxy.port, "/v1/chat/completions", chat("word", max_tokens=8))[0] == 200
    book = books(proxy, 2)
    assert (book["recorded"], book["excluded"]) == (1, 1)


def test_a_prompt_that_only_the_tokenizer_finds_over_the_limit_is_tokenized_once(start):
    engine = start.engine("--seed", "7")
    primary = standing_before(start, engine, lambda target, body, answer: json.dumps({**json.loads(answer), "usage": None}).encode())
    reference = standing_before(start, engine, lambda target, body, answer: answer)
    proxy = start.proxy(None, config=settings(primary, reference, score={"max_prompt_tokens": 2}))
    assert post(proxy.port, "/v1/completions", completion(return_token_ids=True))[0] == 200
    assert books(proxy, 1)["excluded"] == 1
    assert [s.target for s in reference.seen if s.body] == ["/tokenize"]


def test_without_scores_the_next_step_is_a_command_that_scores(start):
    primary, reference = start.engine("--seed", "7"), start.engine("--seed", "7")
    proxy = start.proxy(None, config=settings(primary, reference, score={"max_prompt_tokens": 2}))
    send(proxy)
    assert books(proxy)["excluded"] == N
    assert proxy.stop() == 0
    said = analysis(proxy.capture, 4)
    assert said["verdict"]["sentence"].startswith("No answer has a score of trusted: the proxy's metrics plumbline_unscorable_total, ")
    step, = said["next"]
    assert step["text"] == "To get a verdict, score the answers with trusted:"
    done = paste(step["command"])
    assert done.returncode == 0 and "\nSAME: " in done.stdout, done


def test_repeated_answers_that_were_only_scored_propose_no_replay(start):
    primary, reference = start.engine("--seed", "7", "--fault", "answer-cache", "--random-seed", "1"), start.engine("--seed", "7")
    proxy = start.proxy(None, config=settings(primary, reference))
    for i in range(N):
        assert post(proxy.port, "/v1/chat/completions", {**chat(f"Tell me about {i % 5}.", max_tokens=64), "temperature": 1})[0] == 200
    assert books(proxy)["recorded"] == N
    assert proxy.stop() == 0
    cause = analysis(proxy.capture, 1)["cause"]
    assert "cache" in cause["fix"] and cause["confirm"] is None


def test_scores_of_answers_without_logprobs_ask_for_logprobs(start):
    primary, reference = start.engine("--seed", "7"), start.engine("--seed", "7")
    proxy = start.proxy(None, config=settings(primary, reference) + "logprobs: {inject: references}\n")
    send(proxy)
    assert books(proxy)["recorded"] == N
    assert proxy.stop() == 0
    said = analysis(proxy.capture, 4)
    assert said["verdict"]["sentence"] == "Answers were scored, but those of prod state no logprobs to compare with."
    assert [s["command"] for s in said["next"]] == [None] and "logprobs.inject: both" in said["next"][0]["text"]


@pytest.mark.parametrize("dialect, mode, warning", [
    ("ollama", "score", "scores no answers: Ollama can't score"), ("llama-cpp-python", "both", "takes longer to score an answer"),
    ("ollama", "generate", None), ("vllm", "score", None), ("auto", "score", None)])
def test_an_engine_that_scores_badly_causes_a_warning(start, tmp_path, dialect, mode, warning):
    class Nobody:
        url = "http://127.0.0.1:1"
    file = tmp_path / "p.yaml"
    file.write_text(settings(Nobody, Nobody, dialect=dialect, mode=mode).lstrip())
    done = plumbline("proxy", "-c", file, "--check-config", check=0)
    said = done.stderr.decode()
    assert (f"p.yaml:3: warning: The reference trusted {warning}" in said) if warning else "warning" not in said
    log = start.proxy(None, config=settings(Nobody, Nobody, dialect=dialect, mode=mode)).log()
    assert log.count(f"The reference trusted {warning}") == 1 if warning else "The reference trusted" not in log


def test_a_reload_that_makes_a_reference_score_warns_and_shows_its_figures(start):
    primary, reference = start.engine(), start.engine()
    proxy = start.proxy(None, config=settings(primary, reference, mode="generate", dialect="ollama"))
    assert "can't score" not in proxy.log() and 'plumbline_scored_tokens_total{backend="trusted"}' not in proxy.metrics()
    reload(start, proxy, settings(primary, reference, dialect="ollama"))
    assert proxy.log().count("Ollama can't score a given text") == 1
    assert proxy.metrics()['plumbline_scored_tokens_total{backend="trusted"}'] == 0


def test_redacted_scores_give_the_same_figure(start, tmp_path):
    """Placeholders keep the length of each token, so scores still belong to their tokens."""
    primary, reference = start.engine("--seed", "7"), start.engine("--seed", "7", "--noise", "0.3")
    k3 = {}
    for content in ("full", "redacted"):
        proxy = start.proxy(None, config=settings(primary, reference) + f"capture: {{content: {content}}}\n")
        send(proxy)
        books(proxy)
        assert proxy.stop() == 0
        k3[content] = analysis(proxy.capture, 0, 1, 4)["teacher_forced"][0]["all"]["k3_score"]
        for leg in scores(proxy.capture):
            assert content == "full" or leg["redactions"] <= 3, "the prompt's tokens count as one list"
        if content == "full":
            plumbline("capture", "scrub", proxy.capture, "--out", tmp_path / "scrubbed", check=0)
            k3["scrubbed"] = analysis(tmp_path / "scrubbed", 0, 1, 4)["teacher_forced"][0]["all"]["k3_score"]
    for copy in ("redacted", "scrubbed"):
        assert k3[copy]["n"] > 0.6 * k3["full"]["n"]
        assert k3[copy]["mean"] == pytest.approx(k3["full"]["mean"], rel=0.4)
