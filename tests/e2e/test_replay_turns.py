"""Replays of sessions with think times, and of clients without keep-alive."""
import json
import time

import pytest

from harness import chat, complete, exported, plumbline, post, respond
from test_replay import lines, replay

GAP = 0.4
ANSWER = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [
    {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes."}}]}


def session(start, engine, gap):
    """Record a session of three turns, with this pause between an answer and the next question."""
    proxy = start.proxy(engine.url)
    messages = []
    for turn in range(3):
        messages = messages + [{"role": "user", "content": f"Question {turn}"}]
        status, _, body = post(proxy.port, "/v1/chat/completions", {**chat(max_tokens=4), "messages": messages})
        assert status == 200
        messages = messages + [{"role": "assistant", "content": json.loads(body)["choices"][0]["message"]["content"]}]
        time.sleep(gap)
    proxy.settled(3, "exchanges")
    assert proxy.stop() == 0
    return proxy.capture


def pauses(capture):
    """Return the seconds between each answer of the new engine and the next turn."""
    legs = [next(leg for leg in e["legs"] if leg["backend"] == "new") for e in sorted(exported(capture), key=lambda e: e["wall_ns"])]
    return [(b["start_ns"] - a["start_ns"] - a["end_us"] * 1000) / 1e9 for a, b in zip(legs, legs[1:])]


@pytest.mark.parametrize("load", [["--concurrency", "4"], ["--rate", "100/s"]])
def test_a_turn_waits_for_the_think_time(start, load):
    engine = start.engine()
    capture = session(start, engine, 0)
    end = replay(capture, engine, "--name", "new", "--think", "300ms", *load)[-1]
    assert end["completed"] == 3 and end["left"] == 0
    assert all(0.25 <= pause for pause in pauses(capture)), "the clocks of a leg are not read at one moment"
    # Latency has the time of the answers and the schedule's lag, but not the user's think time.
    took = sum(leg["end_us"] / 1000 for e in exported(capture) for leg in e["legs"] if leg["backend"] == "new")
    assert end["intended"]["e2el_ms"]["mean"] * 3 < took + (end["schedule"]["lag_ms"]["max"] or 0) * 3 + 300


def test_a_turn_waits_for_the_recorded_think_time(start):
    engine = start.engine()
    capture = session(start, engine, GAP)
    assert replay(capture, engine, "--name", "new", "--think", "recorded")[-1]["completed"] == 3
    assert all(0.9 * GAP <= pause for pause in pauses(capture))


def test_turns_without_recorded_times_are_reported(start, tmp_path):
    engine = start.engine()
    source = tmp_path / "talks.json"
    source.write_text(json.dumps([{"id": f"talk {n}", "conversations": [
        {"from": who, "value": f"{who} {n} {turn}"} for turn in range(3) for who in ("human", "gpt")]} for n in range(2)]))
    end = replay(source, engine, "--capture", tmp_path / "out", "--think", "recorded")[-1]
    assert end["completed"] == 6 and end["schedule"]["unthought"] == 4
    again = plumbline("replay", source, "--to", engine.url, "--capture", tmp_path / "text", "--think", "recorded").stdout.decode()
    assert "4 later turns were sent without a pause" in again
    capture = session(start, engine, 0)
    assert replay(capture, engine, "--name", "new", "--think", "recorded")[-1]["schedule"]["unthought"] == 0


def test_an_invalid_think_time_is_refused(start):
    done = plumbline("replay", "x", "--to", "http://127.0.0.1:1", "--think", "soon", check=2)
    assert b"--think needs a time (5s), or recorded, not soon" in done.stderr


def test_without_keep_alive_each_request_opens_a_connection(start):
    def answer(raw, seen):
        respond(raw, {"object": "list", "data": [{"id": "m", "object": "model"}]} if seen.target == "/v1/models" else ANSWER)
    counts = []
    for flags in ([], ["--no-keep-alive"]):
        engine = start.scripted(answer)
        source = lines(start.directory / "in.jsonl", [chat(f"Say {i}", model="m") for i in range(12)])
        new = start.directory / f"new-{len(counts)}"
        assert replay(source, engine, "--capture", new, "--concurrency", "1", *flags)[-1]["completed"] == 12
        counts.append(engine.connections)
    assert counts[1] >= 12 and counts[0] <= counts[1] - 10, counts


def test_turns_without_a_recorded_pause_are_counted_once(start, tmp_path):
    source = tmp_path / "talks.json"
    source.write_text(json.dumps([{"id": "talk", "conversations": [
        {"from": who, "value": f"{who} {turn}"} for turn in range(50) for who in ("human", "gpt")]}]))
    end = replay(source, start.engine(), "--capture", tmp_path / "out", "--think", "recorded", "--rate", "5,5,5,5,5", "--step", "1s", "--arrivals", "constant", "--repeats", "1")[-1]
    assert end["sent"] > 6 and end["schedule"]["unthought"] == end["sent"] - 1, end


# In the second case the first turn is unsent when the first step ends.
@pytest.mark.parametrize("load", [["--concurrency", "4"], ["--rate", "0.33,20", "--step", "3s", "--arrivals", "constant", "--repeats", "1"]])
def test_an_unsendable_turn_does_not_break_the_order(start, tmp_path, load):
    came, went = {}, {}

    def answer(raw, seen):
        n = len(json.loads(seen.body)["messages"])
        came[n] = time.monotonic()
        time.sleep(0.3)
        went[n] = time.monotonic()
        respond(raw, ANSWER)
    said = [{"role": ("user", "assistant")[i % 2], "content": f"line {i}"} for i in range(7)]
    bodies = [{"model": "simulated", "messages": [{"role": "system", "content": "Hm."}, {"role": "user", "content": "Somebody else's"}]}]
    bodies += [{"model": "simulated", "messages": said[:n]} for n in (1, 3, 5, 7)]
    for body in bodies[2:4]:
        body.update({f"x_{i}": i for i in range(300)})  # more than alignment supports
    source = tmp_path / "turns.jsonl"
    source.write_text("".join(json.dumps(body) + "\n" for body in bodies))
    engine = start.scripted(lambda raw, seen: complete(raw, seen, answer, "simulated"))
    end = replay(source, engine, "--capture", tmp_path / "out", "--any-server", "--align", "same", *load)[-1]
    assert sum(u["n"] for u in end["unfit"]) == 2 and end["completed"] == 3, end
    assert came[7] >= went[1], (came, went)
