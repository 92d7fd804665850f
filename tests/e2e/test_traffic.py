"""The traffic figures of analyze on engines with known speed."""
import json
import statistics

import pytest

from harness import chat, completion, exported, plumbline, post
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


def streamed(capture, backend):
    """Return, for each stream, when its events with choices arrived (ms), and whether the engine counted its tokens."""
    for leg in (leg for e in exported(capture) for leg in e["legs"] if leg["backend"] == backend):
        if leg["content_type"].startswith("text/event-stream"):
            at, times = 0, []
            for event in leg["body"].encode().split(b"\n\n")[:-1]:
                at += len(event) + 2
                if b'"choices":[{' in event:
                    times.append(next(us for us, size in leg["arrivals"] if size >= at) / 1000)
            yield times, (leg["reading"]["usage"]["completion_tokens"] or 0) > 0


def is_median(value, of):
    """Times are whole microseconds."""
    return 0.998 * statistics.median_low(of) - 0.001 <= value <= 1.002 * statistics.median_high(of)


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
        # On a busy machine the first event can come late, and the others soon after it.
        streams = list(streamed(capture, b["backend"]))
        gaps = [after - before for times, _ in streams for before, after in zip(times, times[1:])]
        assert ms["itl"]["n"] == len(gaps) > 100 and ms["itl"]["mean"] == pytest.approx(statistics.mean(gaps), rel=0.03)
        per_token = [(times[-1] - times[0]) / 15 for times, counted in streams if counted]
        assert ms["tpot"]["n"] == len(per_token) > 5 and is_median(ms["tpot"]["p50"], per_token)
        assert is_median(ms["ttft"]["p50"], [times[0] for times, _ in streams])
        # A busy machine can only be slower.
        assert ttft - 1 <= ms["ttft"]["p50"]
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
