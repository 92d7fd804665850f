"""Replays that retry refused requests."""
import json
import signal
import threading
import time
from collections import Counter

import pytest

from harness import PATIENCE, chat, complete, plumbline, respond, wait_for
from test_replay import begin, legs_of, lines, replay

ANSWER = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [
    {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes."}}]}
FIRST_PAUSE = 0.5


class Moody:
    """An engine that refuses each prompt a given number of times, and counts concurrent requests."""

    def __init__(self, turn_away, times=1, takes=0.0, only=lambda prompt: True):
        self.turn_away, self.times, self.takes, self.only = turn_away, times, takes, only
        self.asked, self.came, self.running, self.peak, self.lock = Counter(), [], 0, 0, threading.Lock()

    def __call__(self, raw, seen):
        return complete(raw, seen, self.answer)

    def answer(self, raw, seen):
        prompt = json.loads(seen.body)["messages"][-1]["content"]
        with self.lock:
            self.asked[prompt] += 1
            self.came.append((time.monotonic(), prompt))
            away = self.only(prompt) and self.asked[prompt] <= self.times
            self.running += 1
            self.peak = max(self.peak, self.running)
        if not away:
            time.sleep(self.takes)
        with self.lock:
            self.running -= 1
        return self.turn_away(raw) if away else respond(raw, ANSWER)


def status(line, *fields):
    return lambda raw: respond(raw, {"error": {"message": "not now"}}, line, fields)


def hang_up(raw):
    return False


def progress(process):
    """Return the latest progress event of a replay that begin() started, or None."""
    events = [json.loads(line) for line in process.out.read_text().splitlines(True) if line.endswith("\n")]
    return next((e for e in reversed(events) if e["event"] == "progress"), None)


def prompts(start, n):
    return lines(start.directory / "in.jsonl", [chat(f"Say {i}", model="m") for i in range(n)])


@pytest.mark.parametrize("turn_away, why", [(status("503 Service Unavailable"), "status 503"), (status("502 Bad Gateway"), "status 502"),
                                            (status("504 Gateway Timeout"), "status 504"), (hang_up, None)])
def test_a_retried_request_is_recorded_once(start, turn_away, why):
    moody = Moody(turn_away, times=2)
    engine, capture = start.scripted(moody), start.directory / "new"
    end = replay(prompts(start, 6), engine, "--capture", capture, "--name", "new", "--retries", "2", "--no-keep-alive")[-1]
    assert end["completed"] == end["sent"] == 6 and end["left"] == 0 and not end["failed"]
    assert sum(r["n"] for r in end["retries"]) == 12 and all(why in (None, r["why"]) for r in end["retries"])
    assert set(moody.asked.values()) == {3}
    legs = legs_of(capture, "new")
    assert len(legs) == 6 and all("retried" in leg["marks"] and leg["status"] == 200 for _, leg in legs)
    # The latency counts from the first send and includes both pauses; the second is twice the first.
    assert end["intended"]["e2el_ms"]["min"] >= 3000 * FIRST_PAUSE
    for prompt in moody.asked:
        first, second, third = (t for t, p in moody.came if p == prompt)
        assert FIRST_PAUSE <= second - first and 2 * FIRST_PAUSE <= third - second
    # A second call sends nothing.
    assert replay(prompts(start, 6), engine, "--capture", capture, "--name", "new", "--retries", "2", "--no-keep-alive")[-1]["before"] == 6


def test_retries_need_the_option_and_are_limited(start):
    moody = Moody(status("503 Service Unavailable"), times=9)
    engine = start.scripted(moody)
    end = replay(prompts(start, 4), engine, "--capture", start.directory / "none", check=3)[-1]
    assert end["failed"] == [{"why": "status 503", "n": 4}] and end["retries"] == [] and set(moody.asked.values()) == {1}
    moody.asked.clear()
    end = replay(prompts(start, 4), engine, "--capture", start.directory / "one", "--name", "new", "--retries", "1", check=3)[-1]
    assert end["failed"] == [{"why": "status 503", "n": 4}] and end["retries"] == [{"why": "status 503", "n": 4}] and end["left"] == 0
    assert set(moody.asked.values()) == {2}
    assert [(leg["status"], "retried" in leg["marks"]) for _, leg in legs_of(start.directory / "one", "new")] == [(503, True)] * 4


@pytest.mark.parametrize("line", ["400 Bad Request", "500 Internal Server Error", "404 Not Found"])
def test_a_final_refusal_is_not_retried(start, line):
    moody = Moody(status(line), times=9)
    end = replay(prompts(start, 2), start.scripted(moody), "--capture", start.directory / "new", "--no-logprobs", "--no-usage",
                 "--retries", "3", check=3)[-1]
    assert end["retries"] == [] and set(moody.asked.values()) == {1}


def test_retry_after_is_respected(start):
    moody = Moody(status("429 Too Many Requests", ("Retry-After", "2")))
    end = replay(prompts(start, 3), start.scripted(moody), "--capture", start.directory / "new", "--retries", "1")[-1]
    assert end["completed"] == 3 and end["retries"] == [{"why": "status 429", "n": 3}]
    assert 2000 <= end["intended"]["e2el_ms"]["min"] < 10000


def test_a_waiting_retry_does_not_count_as_in_flight(start):
    moody = Moody(status("503 Service Unavailable"), takes=0.05, only=lambda prompt: int(prompt.split()[1]) % 4 == 0)
    end = replay(prompts(start, 40), start.scripted(moody), "--capture", start.directory / "new", "--name", "new", "--retries", "2",
                 "--concurrency", "2", "--no-keep-alive")[-1]
    assert end["completed"] == 40 and sum(r["n"] for r in end["retries"]) == 10
    assert moody.peak == 2 == end["max_in_flight"]
    first, again = (next(t for t, p in order if p == "Say 0") for order in (moody.came, moody.came[::-1]))
    assert sum(first < t < again for t, _ in moody.came) >= 1, "other requests continue meanwhile"


def test_a_retry_does_not_delay_other_requests(start):
    moody = Moody(status("503 Service Unavailable"), only=lambda prompt: prompt == "Say 3")
    end = replay(prompts(start, 20), start.scripted(moody), "--capture", start.directory / "new", "--retries", "2", "--rate", "20",
                 "--arrivals", "constant")[-1]
    assert end["completed"] == 20 and end["schedule"]["lag_ms"]["n"] == 20 and end["schedule"]["waited"] == 0
    assert end["intended"]["e2el_ms"]["max"] >= 1000 * FIRST_PAUSE
    first, again = (t for t, p in moody.came if p == "Say 3")
    assert sum(first < t < again for t, _ in moody.came) >= 1, "other requests are sent meanwhile"


def test_a_waiting_retry_is_sent_by_the_next_call(start):
    moody = Moody(status("503 Service Unavailable", ("Retry-After", "30")))
    engine, capture = start.scripted(moody), start.directory / "new"
    flags = ["--capture", capture, "--name", "new", "--retries", "2", "--concurrency", "4"]
    process = begin(start, prompts(start, 4), engine, *flags)
    wait_for("all to wait for a retry", lambda: (p := progress(process)) and (p["sent"], p["in_flight"], p["left"]) == (4, 0, 4))
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 3
    said = json.loads(process.out.read_text().splitlines()[-1])
    assert said["end"] == "stopped" and said["left"] == 4 and said["sent"] == 4
    assert b"has no exchange yet" in plumbline("capture", "export", "--jsonl", capture, check=4).stderr
    end = replay(prompts(start, 4), engine, *flags)[-1]
    assert end["completed"] == 4 and end["sent_again"] == 0 and set(moody.asked.values()) == {2}


def test_retries_are_counted_live_and_in_the_summary(start):
    moody = Moody(status("503 Service Unavailable", ("Retry-After", "2")))
    engine = start.scripted(moody)
    events = replay(prompts(start, 3), engine, "--capture", start.directory / "a", "--retries", "1", "--concurrency", "1")
    progress = [e for e in events if e["event"] == "progress"]
    assert progress and [e["retries"] for e in progress] == sorted(e["retries"] for e in progress)
    moody.asked.clear()
    done = plumbline("replay", prompts(start, 3), "--to", engine.url, "--capture", start.directory / "b", "--retries", "1", check=0)
    assert b"3 sent again after a pause: status 503" in done.stdout
    assert b"--retries" in plumbline("replay", "x", "--to", engine.url, "--retries", "11", check=2).stderr


def test_retries_are_reported_per_target(start):
    moody, calm = Moody(status("503 Service Unavailable"), times=2), Moody(hang_up, times=0)
    engines = [start.scripted(moody), start.scripted(calm)]
    source = prompts(start, 6)
    spread = ["--to", engines[1].url, "--spread", "round-robin", "--concurrency", "3", "--retries", "3"]
    end = replay(source, engines[0], *spread, "--capture", start.directory / "new")[-1]
    assert end["completed"] == 6 and end["retries"] == [{"why": "status 503", "n": 6}]
    assert [t["retries"] for t in end["targets"]] == [[{"why": "status 503", "n": 6}], []] and [t["injection_refused"] for t in end["targets"]] == [0, 0]
    moody.asked.clear()
    said = plumbline("replay", source, "--to", engines[0].url, *spread, "--capture", start.directory / "words", check=0).stdout.decode()
    names = [engine.url.split("//")[1] for engine in engines]
    assert f"{names[0]}: 3 answered, 6 retries (status 503)" in " ".join(said.split()) and f"{names[1]}: 3 answered;" in said
    moody.asked.clear()
    turns = iter([status("503 Service Unavailable")] * 4 + [status("502 Bad Gateway")] * 2)
    moody.turn_away = lambda raw: next(turns)(raw)
    said = plumbline("replay", source, "--to", engines[0].url, *spread, "--capture", start.directory / "both", check=0).stdout.decode()
    assert f"{names[0]}: 3 answered, 6 retries (status 503: 4, status 502: 2)" in " ".join(said.split()), "wherever the line is broken"
