"""The traffic figures of analyze on engines with known speed."""
import json

import pytest

from harness import chat, completion, plumbline, post
from test_judge import analyzed


def served(start, n=20, primary_flags=(), **more):
    primary = start.engine("--seed", "7", "--ttft", "40ms", "--itl", "5ms", *primary_flags)
    reference = start.engine("--seed", "7", "--ttft", "10ms", "--itl", "2ms")
    config = f"primary: {{name: prod, url: '{primary.url}'}}\nreferences:\n  - {{name: trusted, url: '{reference.url}'}}\n"
    proxy = start.proxy(None, config=config)
    for i in range(n):
        body = (chat if i % 2 else completion)(f"Number {i} is", stream=i % 4 < 2, max_tokens=16, ignore_eos=True, **more)
        post(proxy.port, "/v1/chat/completions" if i % 2 else "/v1/completions", body)
    proxy.settled(n)
    proxy.settled(n, "trusted")
    return proxy.capture


def of(said, name):
    return next(b for b in said["traffic"]["backends"] if b["backend"] == name)


def test_latency_follows_vllms_definitions(start):
    capture = served(start)
    said = analyzed(capture)
    prod, trusted = of(said, "prod"), of(said, "trusted")
    assert (prod["answers"], prod["complete"], prod["streams"], prod["failed"]) == (20, 20, 10, 0)
    assert not prod["is_sample"] and prod["tokens_timed"] == 20
    # The proxy requests no usage until it knows plain answers.
    assert prod["completion_tokens"] == 16 * (20 - prod["without_usage"]) and prod["without_usage"] < 6
    assert prod["prompt_tokens"] > 20
    for b, ttft, itl in ((prod, 40, 5), (trusted, 10, 2)):
        ms = b["milliseconds"]
        assert ms["ttft"]["n"] == 10 and ms["e2e"]["n"] == 20
        assert 100 < ms["itl"]["n"] <= 10 * 18 and ms["tpot"]["n"] > 5
        # A busy machine can only be slower.
        assert ttft - 1 <= ms["ttft"]["p50"]
        assert itl - 0.5 <= ms["tpot"]["p50"]
        assert itl - 1.5 <= ms["itl"]["mean"]
        assert ms["e2e"]["p50"] >= ttft + 15 * itl - 2
        assert ms["ttft"]["p50"] <= ms["ttft"]["p99"] <= ms["ttft"]["max"] <= ms["e2e"]["max"] + 1
    assert prod["completion_tokens_per_second"] == pytest.approx(prod["completion_tokens"] / prod["seconds"])
    text = plumbline("analyze", capture, "--full").stdout.decode()
    assert "TTFT, p50 / p99 ms" in text and "Mirrored and replayed requests: 20; tokens in: " in text
    assert max(map(len, (line for line in text.splitlines() if str(capture) not in line))) <= 100
    one = plumbline("analyze", capture, "--json").stdout
    assert plumbline("analyze", capture, "--json", "--jobs", "2").stdout == one


def test_the_effect_of_injection_is_measured(start):
    # The proxy injects only after plain answers; a request with logprobs needs no injection.
    said = analyzed(served(start, 24))
    injected, uninjected = said["traffic"]["injected"], said["traffic"]["uninjected"]
    assert injected["failed"]["n"] + uninjected["failed"]["n"] == 24 and injected["failed"]["n"] > 10
    assert uninjected["failed"]["n"] > 0 and uninjected["last_byte"]["p50"] > 40
    [group] = said["groups"]
    values = {v["value"]: v["pairs"] for v in group["slices"]["injection"]["values"]}
    assert values.get("injected", 0) > 10
    assert said["traffic"]["mirrored"]["failed"]["n"] == 24 and said["traffic"]["unmirrored"]["failed"]["rate"] is None


def test_errors_by_kind(start):
    said = analyzed(served(start, 8, ["--fault", "500"]))
    prod = of(said, "prod")
    assert prod["failures"] == {"HTTP 500": prod["failed"]} and prod["failed"] == prod["answers"] == 8
    assert prod["milliseconds"]["e2e"]["n"] == 0 and prod["milliseconds"]["e2e"]["p50"] is None
    assert said["traffic"]["uninjected"]["failed"]["rate"] == 1


def test_scores_and_replays_have_their_own_rows(start):
    from test_replay import mixed, replay, traffic
    capture = traffic(start, start.engine("--seed", "7"), mixed(12))
    replay(capture, start.engine("--seed", "7"), "--name", "new", "--no-logprobs")
    said = json.loads(plumbline("analyze", capture, "--base", "primary", "--test", "new", "--json").stdout)
    assert {b["backend"]: b["answers"] for b in said["traffic"]["backends"]} == {"primary": 12, "new": 12}
    assert said["traffic"]["mirrored"]["failed"]["n"] == 0, "a replayed answer is no copy"
