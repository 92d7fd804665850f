"""`repro --neighbours` finds the concurrent request that makes an answer wrong."""
import json
import threading
import time

import pytest

from harness import chat, complete, exported, plumbline, post, respond, wait_for

CHAT = "/v1/chat/completions"
PACE = ("--seed", "7", "--ttft", "10ms", "--itl", "4ms")


def together(start, engine, plan):
    """Send requests at given times in seconds, and nothing before the guilty one is answered; return the capture and {text: exchange id}."""
    proxy = start.proxy(engine.url)
    threads, before, last = [], 0, time.monotonic()
    for at, body in sorted(plan, key=lambda each: each[0]):
        time.sleep(max(0, last + at - before - time.monotonic()))
        threads.append(threading.Thread(target=post, args=(proxy.port, CHAT, body)))
        threads[-1].start()
        wait_for("the request", lambda: proxy.metrics()["plumbline_exchanges_begun_total"] >= len(threads), pause=0.001)
        if body["messages"][0]["content"] == "The guilty one.":
            threads[-1].join()
        before, last = at, time.monotonic()
    for t in threads:
        t.join()
    proxy.settled(len(plan), "exchanges")
    assert proxy.stop() == 0
    known = {json.loads(row["request"]["body"])["messages"][0]["content"]: row["id"] for row in exported(proxy.capture)}
    assert len(known) == len(plan)
    return proxy.capture, known


def repro(capture, exchange, engine, *flags, check):
    done = plumbline("repro", capture, exchange, "--neighbours", "30s", "--to", engine.url, "--json", *flags, check=check)
    return json.loads(done.stdout)


def crowd(n, first=0.0, gap=0.03, **more):
    return [(first + i * gap, chat(f"Neighbour {i}.", **more)) for i in range(n)]


@pytest.mark.slow
def test_the_request_that_poisoned_an_answer_is_found_among_its_neighbours(start):
    engine = start.engine(*PACE, "--fault", "poison=1")
    plan = crowd(9) + [(0.36, chat("The guilty one.", max_tokens="many")), (0.42, chat("Hello there.", max_tokens=24)), (0.45, chat("A late one."))]
    capture, known = together(start, engine, plan)
    found = repro(capture, known["Hello there."], engine, "--times", "4", check=1)
    # The late request is a neighbour if it started early enough.
    assert found["neighbours"] in (10, 11) and found["alone"]["hits"] == 0 and found["together"]["hits"] == 4
    assert found["minimal"] and [m["exchange"] for m in found["needed"]] == [known["The guilty one."]]
    assert found["confirmed"] | {"low": 0, "high": 0} == {"n": 4, "hits": 4, "low": 0, "high": 0}
    assert found["needed"][0]["began_ms"] < -10 and not found["needed"][0]["in_flight"]
    assert found["answer_alone"] != found["answer_in_company"] and not found["recorded_is_alone"]
    said = plumbline("repro", capture, known["Hello there."], "--neighbours", "30s", "--to", engine.url, "--times", "3", check=1).stdout.decode()
    assert said.startswith(f"Reproduced: with its {found['neighbours']} neighbours 3 of 3 times") and "1 of them is enough" in said


@pytest.mark.slow
def test_old_server_state_is_not_blamed_on_the_neighbours(start):
    engine = start.engine(*PACE, "--fault", "poison=4")
    plan = crowd(5) + [(0.25, chat("The guilty one.", max_tokens="x")), (0.3, chat("Hello there.", max_tokens=16))]
    capture, known = together(start, engine, plan)
    for times in (10, 4):  # the engine is still poisoned by the call before
        found = repro(capture, known["Hello there."], engine, "--times", times, check=1)
        assert found["alone"]["hits"] == 0 and found["alone"]["n"] == found["together"]["hits"] == times
        assert [m["exchange"] for m in found["needed"]] == [known["The guilty one."]]


class Unsteady:
    """An engine that answers differently every seventh time, and always after the guilty request."""

    def __init__(self):
        self.n, self.sick, self.lock = 0, False, threading.Lock()

    def __call__(self, raw, seen):
        return complete(raw, seen, self.answer)

    def answer(self, raw, seen):
        asked = json.loads(seen.body)["messages"][-1]["content"]
        with self.lock:
            self.n += asked == "Hello there."
            wrong = asked == "Hello there." and (self.sick or self.n % 7 == 0)
            self.sick = asked == "The guilty one." or (self.sick and asked != "Hello there.")
        return respond(raw, {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Wrong." if wrong else "Right."}}]})


@pytest.mark.slow
def test_an_answer_rarely_wrong_alone_is_searched_among_neighbours(start):
    engine = start.scripted(Unsteady())
    plan = crowd(5) + [(0.25, chat("The guilty one.")), (0.5, chat("Hello there."))]
    capture, known = together(start, engine, plan)
    found = repro(capture, known["Hello there."], engine, "--times", 10, "--any-model", check=1)
    assert 1 <= found["alone"]["hits"] <= 2 and found["together"]["hits"] >= 9, "one may overtake the other on a busy machine"
    assert found["minimal"] and [m["exchange"] for m in found["needed"]] == [known["The guilty one."]]
    said = plumbline("repro", capture, known["Hello there."], "--neighbours", "30s", "--to", engine.url, "--times", "10", "--any-model", check=1).stdout.decode()
    said = " ".join(said.split())  # the width of the figures decides where lines break
    assert said.startswith("The answer is also wrong without neighbours: ") and " of 10 times" in said and "which is more often than by chance" in said
    assert "1 of them is enough" in said


@pytest.mark.slow
def test_cross_talk_is_traced_to_a_concurrent_request(start):
    engine = start.engine(*PACE, "--random-seed", "1", "--fault", "crosstalk=0.7")
    plan = crowd(5, max_tokens=4) + [(0.25 + i * 0.02, chat(f"In flight {i}, a long one.", max_tokens=120, ignore_eos=True)) for i in range(2)] + [(0.32, chat("Hello there.", max_tokens=24))]
    capture, known = together(start, engine, plan)
    found = repro(capture, known["Hello there."], engine, "--times", "12", check=1)
    rate = found["together"]
    assert found["alone"]["hits"] == 0 and rate["n"] == 12 and rate["hits"] >= 1 and rate["low"] < rate["hits"] / 12 <= rate["high"]
    # Each of the two is enough. By chance the search misses both alone, in one run of a thousand with other random numbers.
    assert found["minimal"] and 1 <= len(found["needed"]) <= 2
    for guilty in found["needed"]:
        assert guilty["in_flight"] and guilty["exchange"] in (known["In flight 0, a long one."], known["In flight 1, a long one."])


def test_a_healthy_engine_does_not_reproduce_it(start):
    sick, healthy = start.engine(*PACE, "--fault", "crosstalk=1"), start.engine(*PACE)
    plan = crowd(4, gap=0.01, max_tokens=60) + [(0.1, chat("Hello there."))]
    capture, known = together(start, sick, plan)
    found = repro(capture, known["Hello there."], healthy, "--times", "3", check=0)
    assert not found["reproduced"] and found["together"]["n"] == 3 and found["together"]["high"] > 0.5 and "needed" not in found


def test_an_answer_that_is_wrong_alone_needs_no_neighbours(start):
    engine = start.engine(*PACE, "--fault", "status=503")
    plan = crowd(2) + [(0.1, chat("Hello there."))]
    capture, known = together(start, start.engine(*PACE), plan)
    done = plumbline("repro", capture, known["Hello there."], "--neighbours", "1s", "--to", engine.url, "--shows", "error", "--times", "2", "--any-model", "--any-server", check=1)
    assert done.stdout.startswith(b"The answer is also wrong without neighbours: 2 of 2 times")


def test_replay_sends_a_pack_with_its_timing(start):
    engine = start.engine(*PACE)
    plan = crowd(3) + [(6, chat("A near one.")), (6.1, chat("Hello there."))]
    capture, known = together(start, engine, plan)
    pack = start.directory / "pack.jsonl"
    done = plumbline("repro", capture, known["Hello there."], "--neighbours", "3s", "--pack", pack, check=0)
    lines = [json.loads(line) for line in pack.read_text().splitlines()]
    texts = [line["body"]["messages"][0]["content"] for line in lines]
    assert texts == ["A near one.", "Hello there."], "the requests that ran in the three seconds before"
    assert f"{len(lines)} requests".encode() in done.stdout and pack.stat().st_mode & 0o777 == 0o600
    plumbline("replay", pack, "--timing", "original", "--to", engine.url, "--capture", start.directory / "again", check=0)
    assert len(exported(start.directory / "again")) == len(lines)


def test_wrong_usage_is_an_error(start):
    engine = start.engine(*PACE)
    capture, _ = together(start, engine, crowd(1))
    for flags, words in ((("--to", engine.url), b"--neighbours 30s"), (("--neighbours", "30s"), b"needs --to"), (("--neighbours", "5"), b"needs a time"),
                         (("--neighbours", "5s", "--to", engine.url, "--shows", "much"), b"--shows")):
        assert words in plumbline("repro", capture, "0", *flags, check=2).stderr
