"""Replay of recorded requests to another engine. The engines' own counters show what reached them."""
import json
import os
import pty
import resource
import signal
import subprocess
import threading
import time
import urllib.request
from collections import Counter

import pytest

from harness import BINARY, PATIENCE, chat, complete, completion, exported, interrupt, plumbline, post, respond, wait_for
from read_capture import Capture


def traffic(start, engine, bodies, gap=0):
    """Record these requests: [(path, body)]."""
    proxy = start.proxy(engine.url)
    for path, body in bodies:
        assert post(proxy.port, path, body)[0] == 200
        time.sleep(gap)
    proxy.settled(len(bodies), "exchanges")
    assert proxy.stop() == 0
    return proxy.capture


def mixed(n, **more):
    return [("/v1/completions", completion(f"Number {i} is", stream=i % 4 == 0, **more)) if i % 2 else
            ("/v1/chat/completions", chat(f"Tell me about {i}.", stream=i % 4 == 0, **more)) for i in range(n)]


def lines(path, bodies):
    path.write_text("".join(json.dumps(body) + "\n" for body in bodies))
    return path


def replay(source, to, *flags, check=0, **kw):
    """Run a replay; return its events. The last one is the summary."""
    done = plumbline("replay", source, "--to", to.url if hasattr(to, "url") else to, "--json", *flags, check=check, **kw)
    return [json.loads(line) for line in done.stdout.splitlines()]


def begin(start, source, to, *flags):
    """Start a replay, to interrupt it."""
    file = start.directory / f"replay-{time.monotonic_ns()}.out"
    with open(file, "wb") as out:
        process = subprocess.Popen([BINARY, "replay", str(source), "--to", to.url, "--json", *map(str, flags)], stdout=out)
    process.out = file
    return process


class Gate:
    """A scripted engine that counts chats and answers each only when the test lets one through."""

    def __init__(self):
        self.came, self.lock, self.permits = 0, threading.Lock(), threading.Semaphore(0)

    def __call__(self, raw, seen):
        return complete(raw, seen, self.answer)

    def answer(self, raw, seen):
        with self.lock:
            self.came += 1
        assert self.permits.acquire(timeout=PATIENCE)
        return respond(raw, {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes."}}]})

    def open(self, n):
        self.permits.release(n)


# Requests that an engine takes ten seconds to answer, so a replay of them never ends before a test interrupts it.
MANY = 1000


def counters(engine):
    text = urllib.request.urlopen(engine.url + "/metrics", timeout=PATIENCE).read().decode()
    return {line.split()[0]: int(line.split()[1]) for line in text.splitlines() if not line.startswith("#")}


def turns(engine):
    return counters(engine)["simulated_turns_total"]


def legs_of(capture, name):
    return [(e, leg) for e in exported(capture) for leg in e["legs"] if leg["backend"] == name]


def test_each_call_detects_the_stack_and_equal_ones_are_one(start):
    """Each call gives manifests new ids; their content identifies a stack."""
    engine, other = start.engine("--seed", "7"), start.engine("--seed", "7", "--model", "newer")
    capture, names = start.directory / "calls", ("one", "two", "three")
    for name in names:
        source = lines(start.directory / f"{name}.jsonl", [chat(f"Of {name}: {i}.") for i in range(4)])
        assert replay(source, engine, "--name", "x", "--capture", capture, "--any-model")[-1]["completed"] == 4
    assert len(Capture([capture]).manifests()) == 3
    said = plumbline("analyze", capture, "--base", "x", "--test", "x")
    assert b"changed within this capture" not in said.stdout
    sheet, = json.loads(plumbline("manifest", capture, "--format", "json", check=0).stdout)["stacks"]
    assert [(s["answers"], s["changes"]) for s in sheet["states"]] == [(12, [])]
    assert {leg["manifest"] for _, leg in legs_of(capture, "x")} == {sheet["states"][0]["id"]}

    source = lines(start.directory / "four.jsonl", [chat(f"Of four: {i}.") for i in range(4)])
    assert replay(source, other, "--name", "x", "--capture", capture, "--any-model")[-1]["completed"] == 4
    assert b"changed within this capture (2 stacks)" in plumbline("analyze", capture, "--full", "--base", "x", "--test", "x").stdout
    sheet, = json.loads(plumbline("manifest", capture, "--format", "json", check=0).stdout)["stacks"]
    assert [(s["answers"], bool(s["changes"])) for s in sheet["states"]] == [(12, False), (4, True)]


def test_another_engine_under_a_known_name_is_said(start):
    old, other = start.engine("--seed", "7"), start.engine("--seed", "8")
    capture, source = start.directory / "calls", lines(start.directory / "x.jsonl", [chat("Of one.")])
    replay(source, old, "--name", "x", "--capture", capture)
    warning = f'the capture has answers of "x" at {old.url}; those of {other.url} will count as the same engine\'s'
    for engine, name, warned in ((other, "y", False), (old, "x", False), (other, "x", True)):
        done = plumbline("replay", capture, "--to", engine.url, "--name", name)
        assert (warning in done.stderr.decode()) == warned
    # A file has no answers, but those of the replays before it are where the new ones go.
    for again, warned in ((old, False), (other, True)):
        for more in ((), ("--json",)):
            done = plumbline("replay", source, "--to", again.url, "--name", "x", "--capture", start.directory / "of-a-file", "--again", *more)
            assert ("will count as the same" in done.stderr.decode()) == warned
    # A recipe compares only the answers that it records itself.
    done = plumbline("compare", f"y={old.url}", f"x={other.url}", capture, "--capture", start.directory / "c", check=4)
    assert "will count as the same" not in done.stderr.decode()


def test_answers_become_legs_that_analyze_compares(start):
    old, same, other = start.engine("--seed", "7"), start.engine("--seed", "7"), start.engine("--seed", "8")
    capture = traffic(start, old, mixed(24))
    for name, engine in (("same", same), ("other", other)):
        end = replay(capture, engine, "--name", name)[-1]
        assert end["event"] == "end" and end["end"] == "done"
        assert end["completed"] == end["sent"] == turns(engine) == 24 and not end["failed"] and end["left"] == 0
        # 24 answers are too few for SAME, and DIFFERENT needs a noise floor.
        said = json.loads(plumbline("analyze", capture, "--base", "primary", "--test", name, "--json", check=4).stdout)
        assert said["groups"][0]["test"] == name and said["verdict"]["word"] == "UNCLEAR"
        assert (said["figures"][0]["n"], said["figures"][0]["value"]) == (24, 0 if name == "same" else 1)
        assert any("measure the noise floor" in step["text"] for step in said["next"])
    exchanges = exported(capture)
    assert len(exchanges) == 24
    for e in exchanges:
        assert sorted(leg["backend"] for leg in e["legs"]) == ["other", "primary", "same"]
        primary, again = (next(leg for leg in e["legs"] if leg["backend"] == name) for name in ("primary", "same"))
        assert primary["run"] != again["run"]
        assert primary["reading"]["choices"][0]["text"] == again["reading"]["choices"][0]["text"]
        assert again["reading"]["choices"][0]["columns"]["lp"], "the replay requests logprobs"
    for name, engine in (("primary-again", old), ("other-again", other)):
        replay(capture, engine, "--name", name, "--repeats", "2")
    said = json.loads(plumbline("analyze", capture, "--base", "primary-again", "--test", "other-again", "--json", check=1).stdout)
    assert said["verdict"]["word"] == "DIFFERENT" and said["figures"][0]["floor_is"] == "measured"
    plumbline("capture", "verify", capture, check=0)


@pytest.mark.parametrize("n", [1, 2, 4, 8, 16])
def test_a_closed_loop_keeps_n_requests_in_flight(start, n):
    engine = start.engine("--ttft", "100ms", "--itl", "1ms")
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}", max_tokens=8, stream=True) for i in range(6 * n + 5)])
    running, over = [], threading.Event()

    def watch():
        while not over.wait(0.005):
            running.append(counters(engine)["simulated_running"])
    watcher = threading.Thread(target=watch)
    watcher.start()
    end = replay(source, engine, "--capture", start.directory / "new", "--concurrency", n)[-1]
    over.set()
    watcher.join()
    assert end["completed"] == 6 * n + 5 and end["max_in_flight"] == n
    assert counters(engine)["simulated_running_peak"] == n
    assert max(running) <= n


def test_a_closed_loop_sends_one_request_for_each_answer(start):
    """The engine answers only after it has counted the requests."""
    gate = Gate()
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}", model="m") for i in range(20)])
    process = begin(start, source, start.scripted(gate), "--capture", start.directory / "new", "--concurrency", "4")
    for n in range(4, 21):
        wait_for(f"{n} requests", lambda: gate.came == n)
        gate.open(1)
    gate.open(3)
    assert process.wait(PATIENCE) == 0


def test_sent_requests_are_sent_again_only_with_the_option(start):
    engine = start.engine()
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}") for i in range(10)])
    flags = ["--capture", start.directory / "new", "--name", "new"]
    assert replay(source, engine, *flags)[-1]["completed"] == 10
    end = replay(source, engine, *flags)[-1]
    assert end["sent"] == 0 and end["before"] == 10 and turns(engine) == 10
    end = replay(source, engine, *flags, "--again")[-1]
    assert end["completed"] == 10 and turns(engine) == 20
    legs = legs_of(start.directory / "new", "new")
    assert len({leg["run"] for _, leg in legs}) == 2 and len(legs) == 20
    assert len({e["id"] for e, _ in legs}) == 10
    # Another concurrency is another run.
    assert replay(source, engine, *flags, "--concurrency", "2")[-1]["completed"] == 10


def test_after_kill_9_only_lost_requests_are_sent_again(start):
    n = 120
    engine = start.engine("--ttft", "10ms", "--itl", "1ms")
    capture = traffic(start, engine, mixed(n))
    before, again = turns(engine), 0
    for _ in range(3):
        process = begin(start, capture, engine, "--name", "new", "--concurrency", "4")
        reached = turns(engine)
        wait_for("some answers", lambda: turns(engine) >= min(reached + 20, before + n) or process.poll() is not None)
        wait_for("a recorded one", lambda: legs_of(capture, "new"))
        process.kill()
        process.wait()
        again += json.loads(process.out.read_text().splitlines()[0])["sent_again"]
        time.sleep(0.1)
    end = replay(capture, engine, "--name", "new", "--concurrency", "4")[-1]
    assert end["resumed"] and end["end"] == "done" and end["left"] == 0
    assert end["before"] + end["completed"] == n and end["before"] > 0
    legs = Counter((e["id"], leg["repeat"]) for e, leg in legs_of(capture, "new"))
    assert len(legs) == n and set(legs.values()) == {1}, "each is recorded exactly once"
    assert len({leg["run"] for _, leg in legs_of(capture, "new")}) == 1
    twice = turns(engine) - before - n
    assert 0 <= twice <= again + end["sent_again"], "requests sent twice are counted"
    plumbline("capture", "verify", capture, check=0)


def test_an_interrupted_replay_finishes_running_requests(start):
    gate = Gate()
    engine = start.scripted(gate)
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}", model="m") for i in range(60)])
    flags = ["--capture", start.directory / "new", "--name", "new", "--concurrency", "4"]
    process = begin(start, source, engine, *flags)
    gate.open(8)
    wait_for("some answers and running requests", lambda: gate.came == 12)
    interrupt(process)
    assert process.poll() is None
    gate.open(100)
    assert process.wait(PATIENCE) == 3
    went = gate.came
    assert 12 <= went <= 16, "a signal that is delivered may be handled a little later"
    end = replay(source, engine, *flags)[-1]
    assert end["before"] == went and end["sent_again"] == 0 and end["completed"] == 60 - went
    assert gate.came == 60


def test_a_second_interrupt_aborts_and_aborted_requests_are_sent_again(start):
    engine = start.engine("--ttft", "30s")
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}") for i in range(4)])
    flags = ["--capture", start.directory / "new", "--name", "new", "--concurrency", "2"]
    process = begin(start, source, engine, *flags)
    wait_for("requests", lambda: turns(engine) == 2)
    interrupt(process)
    assert process.poll() is None
    interrupt(process)
    assert process.wait(PATIENCE) == 3
    engine.stop()
    quick = start.engine(port=engine.port)
    end = replay(source, quick, *flags)[-1]
    assert end["before"] == 0 and end["completed"] == 4 and end["sent_again"] == 0


def test_an_open_loop_does_not_wait_for_answers(start):
    slow = start.engine("--ttft", "300ms")
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}", max_tokens=4) for i in range(100)])
    end = replay(source, slow, "--capture", start.directory / "new", "--name", "new", "--rate", "100/s", "--arrivals", "constant")[-1]
    assert end["completed"] == 100 and end["schedule"]["waited"] == 0
    legs = [leg for _, leg in legs_of(start.directory / "new", "new")]
    meant = sorted(leg["start_ns"] / 1e6 - leg["queued_us"] / 1e3 for leg in legs)
    off = sorted(abs(at - meant[0] - 10 * i) for i, at in enumerate(meant))
    assert len(legs) == 100 and off[90] < 1, "the schedule, however busy the machine is"
    lag, queued = end["schedule"]["lag_ms"], [leg["queued_us"] / 1e3 for leg in legs]
    assert lag["n"] == 100 and all(lag[end] <= 1.05 * each + 0.01 for end, each in (("min", min(queued)), ("max", max(queued)))), (lag, queued)
    assert lag["min"] < 5 and end["max_in_flight"] > 20
    assert end["schedule"]["spoilt"] == (lag["p99"] > 10)


def test_latency_counts_from_the_intended_time(start):
    """One place cannot sustain this rate, so requests queue. The latency includes that wait."""
    engine = start.engine("--ttft", "40ms")
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}", max_tokens=4, stream=True) for i in range(20)])
    end = replay(source, engine, "--capture", start.directory / "new", "--rate", "100", "--arrivals", "constant", "--concurrency", "1")[-1]
    assert end["max_in_flight"] == 1 and counters(engine)["simulated_running_peak"] == 1
    assert end["vllm"]["e2el_ms"]["p50"] < end["intended"]["e2el_ms"]["p50"] - 100
    assert end["intended"]["queue_ms"]["max"] > 400 and end["schedule"]["waited"] >= 15


def test_original_timing_keeps_the_gaps_at_the_given_speed(start):
    engine = start.engine()
    capture = traffic(start, engine, mixed(12), gap=0.1)
    replay(capture, engine, "--name", "new", "--timing", "original", "--speed", "4x")
    exchanges = sorted(exported(capture), key=lambda e: e["wall_ns"])
    legs = [next(leg for leg in e["legs"] if leg["backend"] == "new") for e in exchanges]
    meant = [leg["start_ns"] - leg["queued_us"] * 1000 for leg in legs]
    off = [abs((m - meant[0]) - (e["wall_ns"] - exchanges[0]["wall_ns"]) / 4) / 1e6 for m, e in zip(meant, exchanges)]
    assert sorted(off)[6] < 10, off


def served(start, status, body, content_type="application/json"):
    """A server that gives the same answer to every request, like Python's http.server."""
    return start.scripted(lambda raw, seen: respond(raw, body, status, (("Server", "BaseHTTP/0.6 Python/3.11"),), content_type))


@pytest.mark.parametrize("status, body, why", [
    ("401 Unauthorized", {"error": "who are you?"}, "answers GET /v1/models with 401: it requires an API key; name the variable that holds it: --api-key-env NAME"),
    ("403 Forbidden", {"error": "not you"}, "with 403: it requires an API key"), ("404 Not Found", b"<p>No such file", "does not look like an inference engine: GET /v1/models gives 404"),
    ("200 OK", b"<p>Welcome", "GET /v1/models gives 200 and no JSON"), ("302 Found", b"", "a redirect, which is not followed")])
def test_a_server_that_is_no_engine_is_refused_before_sending(start, status, body, why):
    server = served(start, status, body)
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}") for i in range(5)])
    for command in (["replay", source, "--to", server.url], ["compare", f"a={server.url}", f"b={server.url},align=off", source]):
        done = plumbline(*command, "--capture", start.directory / "new", check=3)
        assert done.stderr.count(b"\n") == 1 and why.encode() in done.stderr and b"--any-server" in done.stderr and b"nothing was sent" in done.stderr, done.stderr
        assert not any(seen.method == "POST" for seen in server.seen)
    done = plumbline("replay", source, "--to", server.url, "--capture", start.directory / "new", "--any-server")
    assert sum(seen.method == "POST" for seen in server.seen) >= 5 and b"mlx" not in done.stdout + done.stderr


def test_a_refused_key_is_named(start):
    server = served(start, "401 Unauthorized", {})
    source = lines(start.directory / "in.jsonl", [chat("Say it")])
    done = plumbline("replay", source, "--to", server.url, "--capture", start.directory / "new", "--api-key-env", "SOME_KEY", env={"SOME_KEY": "sk-very-secret"}, check=3)
    assert b"does not take the API key that it was given" in done.stderr and b"secret" not in done.stderr


def test_a_speed_is_one_of_the_original_timing(start):
    engine = start.engine()
    capture = traffic(start, engine, mixed(4), gap=0.1)
    assert replay(capture, engine, "--name", "new", "--speed", "2x")[-1]["load"] == "original"


def test_a_turn_waits_for_the_one_before_in_any_order(start):
    engine = start.engine("--ttft", "20ms")
    bodies = []
    for session in range(3):
        messages = []
        for turn in range(3):
            messages = messages + [{"role": "user", "content": f"{session}: question {turn}"}]
            bodies.append(("/v1/chat/completions", {**chat(), "messages": messages, "max_tokens": 4}))
            messages = messages + [{"role": "assistant", "content": f"answer {turn}"}]
    capture = traffic(start, engine, bodies)
    replay(capture, engine, "--name", "new", "--concurrency", "9", "--order", "shuffled", "--seed", "3")
    by_session = {}
    for e in sorted(exported(capture), key=lambda e: e["wall_ns"]):
        leg = next(leg for leg in e["legs"] if leg["backend"] == "new")
        by_session.setdefault(e["session_hash"], []).append((leg["start_ns"], leg["start_ns"] + leg["end_us"] * 1000))
    assert len(by_session) == 3
    for spans in by_session.values():
        assert len(spans) == 3
        for before, after in zip(spans, spans[1:]):
            assert after[0] >= before[1] - 1000000


def test_batch_lines_become_exchanges_and_bad_lines_are_named(start):
    engine = start.engine()
    source = start.directory / "in.jsonl"
    batch = {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": chat("one")}
    source.write_text("\n".join([json.dumps(batch), "", "{not json", json.dumps(completion("two")), json.dumps({"url": "/v1/images", "body": {}}),
                                 json.dumps({"x": 1}), json.dumps(chat("three", stream=True))]) + "\n")
    capture = start.directory / "new"
    end = replay(source, engine, "--capture", capture, "--name", "new")[-1]
    assert end["completed"] == 3
    assert sorted(r["why"].rsplit(":", 2)[1] for r in end["unreplayable"]) == ["3", "5", "6"]
    exchanges = exported(capture)
    assert [e["endpoint"] for e in exchanges] == ["chat", "completion", "chat"]
    assert all(len(e["legs"]) == 1 and e["prompt_hash"] for e in exchanges)
    # An imported capture can be replayed like any other.
    assert replay(capture, engine, "--name", "again")[-1]["completed"] == 3
    plumbline("capture", "verify", capture, check=0)


def test_labels_of_a_file_are_recorded(start):
    engine = start.engine()
    source, capture = start.directory / "in.jsonl", start.directory / "new"
    labels = {"suite": "sums", "category": "arithmetic", "gold": "four\n#### 4"}
    wrapped = {"custom_id": "item-7", "method": "POST", "url": "/v1/chat/completions", "body": chat("2 + 2?")}
    source.write_text("\n".join(json.dumps(line) for line in (
        {**wrapped, "labels": labels}, {**wrapped, "labels": {**labels, "item": "other"}}, wrapped,
        {**wrapped, "custom_id": "x" * 256}, chat("no labels"))) + "\n")
    end = replay(source, engine, "--capture", capture, "--name", "new")[-1]
    assert [r["why"].rsplit(":", 2)[1] for r in end["unreplayable"]] == ["4"]
    none = {"suite": None, "item": None, "category": None, "gold": None}
    assert [e["labels"] for e in exported(capture)] == [
        {**labels, "item": "item-7"}, {**labels, "item": "other"}, {**none, "item": "item-7"}, none]
    first = exported(capture)[0]["id"]
    shown = plumbline("capture", "show", first, capture, check=0).stdout.decode()
    for line in ("suite        sums", "item         item-7", "category     arithmetic", "right answer four"):
        assert line in shown, shown


def test_filters_samples_limits_and_repeats(start):
    engine = start.engine()
    capture = traffic(start, engine, mixed(40))

    def sent(*flags):
        return replay(capture, engine, "--name", f"n{time.monotonic_ns()}", *flags)[-1]["sent"]
    assert sent("--where", "endpoint=chat") == 20
    assert sent("--where", "stream=yes", "--where", "endpoint!=completion") == 10
    assert sent("--where", "model=simu*", "--limit", "5") == 5
    assert 0 < sent("--sample", "50%", "--seed", "1") < 40, "each exchange has a random id, and is drawn by it"
    before = turns(engine)
    end = replay(capture, engine, "--name", "twice", "--repeats", "3", "--order", "shuffled", "--limit", "4")[-1]
    assert end["sent"] == 12 == turns(engine) - before
    assert Counter(leg["repeat"] for _, leg in legs_of(capture, "twice")) == {0: 4, 1: 4, 2: 4}
    done = plumbline("replay", capture, "--to", engine.url, "--where", "model=other", check=4)
    assert b"40 were not selected" in done.stdout


def test_a_target_down_or_with_another_model_is_refused_before_sending(start):
    engine, strict = start.engine(), start.engine("--model", "llama", "--strict-model")
    capture = traffic(start, engine, mixed(4))
    done = plumbline("replay", capture, "--to", "http://127.0.0.1:1", check=3)
    assert b"can't be reached" in done.stderr and b"nothing was sent" in done.stderr
    done = plumbline("replay", capture, "--to", strict.url, check=2)
    assert b"simulated" in done.stderr and b"It has: llama" in done.stderr
    assert turns(strict) == 0
    assert replay(capture, strict, "--model", "llama")[-1]["completed"] == 4
    done = plumbline("replay", capture, "--to", "nobody", check=2)
    assert b"no backend nobody is in" in done.stderr
    assert b"--capture" in plumbline("replay", lines(start.directory / "x.jsonl", []), "--to", engine.url, check=2).stderr


def test_a_backend_name_from_the_captures_settings_works(start):
    engine = start.engine()
    capture = traffic(start, engine, mixed(3))
    assert replay(capture, "primary")[-1]["completed"] == 3
    roles = Counter(leg["role"] for _, leg in legs_of(capture, "primary"))
    assert roles == {"primary": 3, "candidate": 3}
    # Also a name that an earlier replay gave to a URL.
    assert replay(capture, engine, "--name", "new")[-1]["completed"] == 3
    assert replay(capture, "new", "--concurrency", "1")[-1]["completed"] == 3
    assert Counter(leg["role"] for _, leg in legs_of(capture, "new")) == {"candidate": 6}


def sent(exchange, leg):
    """Return the request that the leg's backend got."""
    body = exchange["request"]["body"].encode()
    for edit in reversed(leg["edits"]):
        body = body[:edit["at"]] + edit["inserted"].encode() + body[edit["at"] + edit["removed"]:]
    return json.loads(body)


def test_a_name_from_the_capture_stands_for_all_that_was_set_for_it(start):
    """Otherwise the answers to a recipe's next step would be those to other requests."""
    engine = start.engine("--seed", "7")
    source = lines(start.directory / "in.jsonl", [{"messages": [{"role": "user", "content": f"Say {i}"}], "stop": ["never"], "max_tokens": 4} for i in range(3)])
    capture = start.directory / "new"
    plumbline("compare", f"a={engine.url}", f'b={engine.url},model=m,set.user="x",set.top_p=0.7', source, "--capture", capture, "--repeats", "1", "--any-model",
              "--thinking", "off")
    assert replay(capture, "b", "--name", "b-again", "--any-model")[-1]["completed"] == 3
    for _, first in zip(range(3), legs_of(capture, "b")):
        again = next(leg for e, leg in legs_of(capture, "b-again") if e["id"] == first[0]["id"])
        asked = sent(*first)
        assert asked["temperature"] == 0 and asked["top_p"] == 0.7 and asked["user"] == "x" and asked == sent(first[0], again)

    config = f"primary: {{name: prod, url: '{engine.url}'}}\nreferences: [{{name: trial, url: '{engine.url}', align: greedy, set: {{user: y}}, unset: [stop]}}]\n"
    proxy = start.proxy(None, config=config)
    assert post(proxy.port, "/v1/chat/completions", {**chat("Say it"), "stop": ["never"], "temperature": 1})[0] == 200
    proxy.settled()
    assert proxy.stop() == 0
    assert replay(proxy.capture, "trial", "--name", "trial-again")[-1]["completed"] == 1
    for name in ("trial", "trial-again"):
        [pair] = legs_of(proxy.capture, name)
        asked = sent(*pair)
        assert asked["temperature"] == 0 and asked["user"] == "y" and "stop" not in asked

    # What a recipe sets replaces what the configuration sets or removes.
    file, other = start.directory / "proxy.yaml", start.directory / "other"
    file.write_text(config)
    plumbline("compare", "prod", 'trial,set.user="z",set.stop=["other"]', source, "-c", file, "--capture", other, "--repeats", "1", "--any-model", check=4)
    assert replay(other, "trial", "--name", "trial-again", "--any-model")[-1]["completed"] == 3
    for name in ("trial", "trial-again"):
        asked = [sent(*pair) for pair in legs_of(other, name)]
        assert [(a["user"], a["stop"]) for a in asked] == 3 * [("z", ["other"])]


def test_a_replay_stops_on_errors_and_resumes(start):
    engine = start.engine("--fault", "429")
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}") for i in range(200)])
    end = replay(source, engine, "--capture", start.directory / "new", "--stop-on-errors", "5%", "--any-server", check=3)[-1]
    assert end["end"] == "errors" and end["left"] > 150 and end["failed"][0]["why"] == "status 429"

    engine = start.engine("--ttft", "40ms")
    source = lines(start.directory / "many.jsonl", [chat(f"Say {i}", max_tokens=2) for i in range(MANY)])
    flags = ["--capture", start.directory / "gone", "--name", "new", "--concurrency", "4"]
    process = begin(start, source, engine, *flags)
    wait_for("answers", lambda: turns(engine) > 20)
    engine.stop(signal.SIGKILL)
    assert process.wait(PATIENCE) == 3
    back = start.engine(port=engine.port)
    end = replay(source, back, *flags)[-1]
    assert end["end"] == "done" and end["before"] >= 16 and end["before"] + end["completed"] == MANY


def test_requests_without_a_connection_remain_unsent(start):
    engine = start.engine("--ttft", "1s")
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}", max_tokens=4) for i in range(8)])
    flags = ["--capture", start.directory / "new", "--name", "new", "--concurrency", "1"]
    process = begin(start, source, engine, *flags)
    wait_for("answers", lambda: turns(engine) >= 3)
    engine.stop(signal.SIGKILL)
    assert process.wait(PATIENCE) == 3
    end = json.loads(process.out.read_text().splitlines()[-1])
    sent = len(legs_of(start.directory / "new", "new"))
    assert end["left"] == 8 - sent > 0 and end["end"] == "done"
    again = replay(source, start.engine(port=engine.port), *flags)[-1]
    assert again["before"] == sent and again["completed"] == 8 - sent and again["left"] == 0


def test_no_figure_counts_the_warm_up(start):
    engine = start.engine()
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}", stream=True) for i in range(12)])
    end = replay(source, engine, "--capture", start.directory / "new", "--warm-up", "5")[-1]
    assert end["warm_up"] == 5 and end["completed"] == 7 and end["vllm"]["ttft_ms"]["n"] == 7
    assert turns(engine) == 12


def test_unary_answers_have_no_time_to_first_token(start):
    engine, limits, file = start.engine(), "ttft:60000,tpot:60000,e2el:60000", start.directory / "result.json"
    whole = lines(start.directory / "whole.jsonl", [chat(f"Say {i}") for i in range(6)])
    flags = ["--capture", start.directory / "whole", "--save-result", file]
    end = replay(whole, engine, *flags, "--goodput", limits)[-1]
    for figure in ("ttft_ms", "tpot_ms", "itl_ms"):
        assert end["vllm"][figure]["n"] == 0 and {end["vllm"][figure][q] for q in ("mean", "std", "min", "p50", "p99", "max")} == {None}
        assert json.loads(file.read_text())[f"mean_{figure}"] is json.loads(file.read_text())[f"p99_{figure}"] is None
    assert end["vllm"]["e2el_ms"]["p50"] > 0 and json.loads(file.read_text())["request_goodput"] == 0
    assert end["aiperf"]["goodput"] == 0 and end["aiperf"]["ungauged"] == 6 and end["same_bytes_p50"] is None
    end = replay(whole, engine, *flags, "--goodput", "e2el:60000", "--again")[-1]
    assert end["aiperf"]["good_request_fraction"] == 1 and end["aiperf"]["ungauged"] == 0

    done = plumbline("replay", whole, "--to", engine.url, *flags, "--goodput", limits, "--again", check=0).stdout.decode()
    rows = {line.split()[0]: line.split()[1:] for line in done.splitlines() if line.startswith("  ") and line.strip()}
    assert rows["TTFT"] == rows["ITL"] == rows["TPOT"] == ["-"] * 5 and "-" not in rows["E2E"]
    assert "no answer was streamed" in done and "6 of 6 answers lack a figure that --goodput limits" in done

    both = lines(start.directory / "both.jsonl", [chat(f"Say {i}", stream=i % 2 == 0) for i in range(6)])
    end = replay(both, engine, "--capture", start.directory / "both", "--goodput", limits)[-1]
    assert end["aiperf"]["ungauged"] == 3 and end["aiperf"]["good_request_fraction"] == 0.5
    end = replay(both, engine, "--capture", start.directory / "both", "--goodput", "tpot:60000", "--no-usage", "--again")[-1]
    assert end["without_usage"] == 3 and end["aiperf"]["ungauged"] == 6
    end = replay(whole, engine, "--capture", start.directory / "steps", "--rate", "20,30", "--step", "1s", "--goodput", limits)[-1]
    assert all(step["ungauged"] == step["completed"] > 0 and step["ttft_p99_ms"] is None for step in end["steps"])


def test_an_engine_without_complete_answers_is_reported_soon(start):
    engine = start.engine("--fault", "two-cl")
    source = lines(start.directory / "in.jsonl", [chat("hi")])
    began = time.monotonic()
    done = plumbline("replay", source, "--to", engine.url, "--capture", start.directory / "new", check=3)
    assert time.monotonic() - began < 30
    assert b"none of its answers is complete" in done.stderr and b"There is more than one Content-Length" in done.stderr and b"nothing was sent" in done.stderr
    began = time.monotonic()
    assert replay(source, engine, "--capture", start.directory / "new", "--any-server", check=3)[-1]["sent"] == 1
    assert time.monotonic() - began < 30


@pytest.mark.slow
def test_a_slow_engine_is_reported_during_the_wait(start):
    def answer(raw, seen):
        time.sleep(0.8)
        respond(raw, {"data": [{"id": "simulated", "owned_by": "vllm"}]} if seen.target.startswith("/v1/models") else {"detail": "no"})
    server = start.scripted(answer)
    source = lines(start.directory / "in.jsonl", [chat("hi")])
    done = plumbline("replay", source, "--to", server.url, "--capture", start.directory / "new")
    assert done.stderr.count(b"answers slowly; plumbline still asks which engine it is (GET /") == 1, done.stderr


def test_output_paths_are_checked_before_sending(start):
    engine = start.engine()
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}") for i in range(4)])
    new = start.directory / "new"
    for path in (start.directory, start.directory / "none" / "result.json", start.directory / "in.jsonl" / "result.json"):
        done = plumbline("replay", source, "--to", engine.url, "--capture", new, "--save-result", path, check=2)
        assert b"can't be written" in done.stderr
    assert turns(engine) == 0 and not new.exists()

    result = new / "result.json"  # in a directory that the call creates
    replay(source, engine, "--capture", new, "--save-result", result)
    assert json.loads(result.read_text())["completed"] == 4
    for flags in ((), ("--json",)):
        done = plumbline("replay", source, "--to", engine.url, "--capture", new, "--save-result", result, *flags, check=0)
        assert b"nothing was sent, so there are no figures and" in done.stderr
    assert json.loads(result.read_text())["completed"] == 4, "measurements of an earlier call stay"


def test_failures_during_warm_up_count(start):
    engine = start.engine("--fault", "500")
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}") for i in range(6)])
    for n in (3, 6, 50):
        end = replay(source, engine, "--capture", start.directory / f"new-{n}", "--warm-up", n, "--any-server", check=3)[-1]
        assert end["warm_up"] == min(n, 6) and end["completed"] == 0
        assert sum(r["n"] for r in end["warm_up_failed"]) == min(n, 6) and sum(r["n"] for r in end["failed"]) == 6 - min(n, 6)
    done = plumbline("replay", source, "--to", engine.url, "--capture", start.directory / "text", "--warm-up", "3", "--any-server", check=3)
    assert b"3 of these failed: status 500" in done.stdout
    replay(source, engine, "--capture", start.directory / "levels", "--warm-up", "3", "--concurrency", "1,2", "--any-server", check=3)
    end = replay(lines(start.directory / "long.jsonl", [chat(f"Say {i}") for i in range(60)]), engine, "--capture",
                 start.directory / "long", "--warm-up", "50", "--stop-on-errors", "0.5", "--concurrency", "1", "--any-server", check=3)[-1]
    assert end["end"] == "errors" and end["sent"] < 30


def test_a_warm_up_of_all_requests_is_reported(start):
    engine = start.engine()
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}") for i in range(6)])
    done = plumbline("replay", source, "--to", engine.url, "--capture", start.directory / "new", "--warm-up", "10", check=0)
    assert b"--warm-up 10 takes all 6 requests" in done.stderr and b"NOTHING WAS MEASURED" in done.stdout
    done = plumbline("replay", source, "--to", engine.url, "--capture", start.directory / "some", "--warm-up", "5", check=0)
    assert b"takes all" not in done.stderr and b"NOTHING" not in done.stdout
    events = replay(source, engine, "--capture", start.directory / "levels", "--warm-up", "8", "--concurrency", "1,2", "--repeats", "2")
    ends = [e for e in events if e["event"] == "end"]
    assert [(e["warm_up"], e["completed"]) for e in ends] == [(8, 4)] * 2, "the rest is sent in the next repeat"


def test_a_replay_ends_after_its_duration_and_resumes(start):
    engine = start.engine("--ttft", "50ms")
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}", max_tokens=2) for i in range(40)])
    flags = ["--capture", start.directory / "new", "--concurrency", "1"]
    end = replay(source, engine, *flags, "--duration", "500ms")[-1]
    assert end["end"] == "duration" and 1 <= end["completed"] <= 12
    rest = replay(source, engine, *flags)[-1]
    assert rest["before"] == end["completed"] and rest["end"] == "done" and turns(engine) == 40


def test_the_saved_result_has_vllms_members(start):
    engine = start.engine("--ttft", "20ms", "--itl", "10ms")
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}", max_tokens=10, ignore_eos=True, stream=True) for i in range(20)])
    file = start.directory / "result.json"
    end = replay(source, engine, "--capture", start.directory / "new", "--save-result", file, "--goodput", "ttft:10000,tpot:1000,e2el:1")[-1]
    result = json.loads(file.read_text())
    names = {f"{p}_{what}_ms" for p in ("mean", "median", "std", "p99") for what in ("ttft", "tpot", "itl", "e2el")}
    names |= {"date", "backend", "model_id", "tokenizer_id", "num_prompts", "request_rate", "burstiness", "max_concurrency", "duration", "completed",
              "total_input_tokens", "total_output_tokens", "request_throughput", "request_goodput", "output_throughput", "total_token_throughput",
              "max_output_tokens_per_s", "max_concurrent_requests", "rtfx"}
    assert names <= set(result)
    assert result["completed"] == 20 and result["total_output_tokens"] == 200 and result["failed"] == 0
    assert 15 < result["median_ttft_ms"] and 1 < result["mean_tpot_ms"] and result["median_e2el_ms"] > 30
    assert result["request_goodput"] == 0 and result["rtfx"] == 0
    # This takes a second or two: an event per token of 200, and two more per answer.
    assert 200 / (result["duration"] + 1) <= result["max_output_tokens_per_s"] <= 240
    assert abs(result["output_throughput"] - 200 / result["duration"]) < 0.01
    assert end["output_tokens"] == 200 and end["aiperf"]["good_request_fraction"] == 0


def test_the_saved_result_names_all_models(start):
    engine, file, to = start.engine(), start.directory / "result.json", ["--capture", start.directory / "new", "--any-model"]
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}", max_tokens=2, model=("a", "b", "c")[i % 3]) for i in range(9)])

    def named(*flags):
        replay(source, engine, *to, "--save-result", file, *flags)
        result = json.loads(file.read_text())
        assert result["model_id"] == result["tokenizer_id"] == ",".join(result["models"])
        return result["models"]

    assert named() == ["a", "b", "c"]
    assert named("--model", "simulated") == ["simulated"]
    assert named("--where", "model=b") == ["b"]
    config = start.directory / "proxy.yaml"
    config.write_text(f"primary: {{name: prod, url: {engine.url}}}\nreferences: [{{name: trial, url: {engine.url}, models: {{a: b, c: simulated}}}}]\n")
    end = plumbline("replay", source, "--to", "trial", "-c", config, *to, "--save-result", file, check=0)
    assert json.loads(file.read_text())["models"] == ["b", "simulated"], end.stderr
    source = start.directory / "own.jsonl"  # a suite names no model: the engine's own
    source.write_text(json.dumps({"id": "s/1", "category": "c", "messages": [{"role": "user", "content": "hi"}]}) + "\n")
    assert named() == ["simulated"]


def test_a_refused_injection_is_sent_again_unchanged(start):
    engine = start.engine("--fault", "400-on-logprobs")
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}") for i in range(6)])
    end = replay(source, engine, "--capture", start.directory / "new", "--name", "new", "--concurrency", "1")[-1]
    assert end["completed"] == 6 and 1 <= end["injection_refused"] <= 6
    assert all("injection_refused" in leg["marks"] or not leg["edits"] for _, leg in legs_of(start.directory / "new", "new"))


def test_a_new_capture_has_the_same_exchange_ids(start):
    engine = start.engine()
    capture = traffic(start, engine, mixed(5))
    assert replay(capture, engine, "--capture", start.directory / "else", "--name", "new")[-1]["completed"] == 5
    assert all(len(e["legs"]) == 1 for e in exported(capture))
    said = json.loads(plumbline("analyze", capture, start.directory / "else", "--base", "primary", "--test", "new", "--json", check=4).stdout)
    assert said["groups"][0]["pairs"] == 5 and said["figures"][0]["value"] == 0


def test_secrets_stay_out_of_the_record(start):
    engine = start.engine()
    source = lines(start.directory / "in.jsonl", [chat("hush")])
    replay(source, engine, "--capture", start.directory / "new", "--api-key-env", "HUSH", env={"HUSH": "sk-very-secret"})
    for file in os.listdir(start.directory / "new"):
        assert b"sk-very-secret" not in (start.directory / "new" / file).read_bytes()
    done = plumbline("replay", source, "--to", engine.url, "--capture", start.directory / "new", "--api-key-env", "NOT_SET_AT_ALL", check=2)
    assert b"is not set" in done.stderr


def test_a_config_backend_is_called_with_its_settings(start):
    engine, other = start.engine("--seed", "7"), start.engine("--seed", "7", "--model", "llama", "--strict-model")
    capture = traffic(start, engine, mixed(6, ignore_eos=True, seed=1) + [("/v1/chat/completions", {**chat("chance", seed=1), "temperature": 1})])
    file = start.directory / "proxy.yaml"
    file.write_text(f"""
primary:
  name: prod
  url: {engine.url}
references:
  - name: trial
    url: {other.url}
    role: candidate
    align: greedy
    models: {{simulated: llama}}
""")
    end = replay(capture, "trial", "-c", file)[-1]
    assert end["completed"] == 7 and end["backend"] == "trial" and end["align"] == "greedy"
    for e, leg in legs_of(capture, "trial"):
        assert leg["role"] == "candidate" and leg["align"] == "greedy" and leg["model"] == "llama"
        assert leg["manifest"], "the stack behind the answers is recorded"
    done = plumbline("replay", capture, "--to", "trail", "-c", file, check=2)
    assert b"which has: prod, trial" in done.stderr
    # The proxy's default port does not matter to a command that starts no proxy.
    file.write_text(file.read_text().replace(engine.url, "http://127.0.0.1:8080"))
    plumbline("replay", capture, "--to", "trial", "-c", file, check=0)


def test_a_replay_stops_on_a_full_disk_and_resumes(start):
    engine = start.engine("--ttft", "20ms")
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}", max_tokens=8) for i in range(300)])
    flags = ["--capture", start.directory / "new", "--name", "new", "--concurrency", "2"]
    process = begin(start, source, engine, *flags)
    wait_for("answers", lambda: turns(engine) >= 10)
    _, hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (4096, hard))
    assert process.wait(PATIENCE) == 3
    end = replay(source, engine, *flags)[-1]
    assert end["end"] == "done" and end["before"] + end["completed"] == 300
    legs = Counter(e["id"] for e, _ in legs_of(start.directory / "new", "new"))
    assert len(legs) == 300 and set(legs.values()) == {1}
    assert turns(engine) <= 300 + end["sent_again"] + 4


def test_a_terminal_gets_a_progress_line_and_a_pipe_plain_lines(start):
    engine = start.engine("--ttft", "100ms")
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}", max_tokens=4, stream=True) for i in range(12)])
    ours, theirs = pty.openpty()
    process = subprocess.Popen([BINARY, "replay", source, "--to", engine.url, "--capture", start.directory / "a", "--concurrency", "1"],
                               stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    seen = b""
    try:
        while piece := os.read(ours, 65536):
            seen += piece
    except OSError:  # the other end is closed
        pass
    assert process.wait(PATIENCE) == 0
    os.close(ours)
    assert b"\r\x1b[K" in seen and b" in progress" in seen and b" s left" in seen
    shown = [piece.splitlines()[0] for piece in seen.split(b"\r\x1b[K")[1:] if piece.strip()]
    assert all(len(line) < 80 for line in shown if line.startswith(b"[")), "parts that do not fit are omitted, never wrapped"
    assert b"12 of 12 requests answered" in process.stdout.read()
    done = plumbline("replay", source, "--to", engine.url, "--capture", start.directory / "b", check=0)
    assert b"\r" not in done.stderr and b"12 requests to" in done.stderr


def test_a_run_that_is_in_progress_is_refused(start):
    gate = Gate()
    engine = start.scripted(gate)
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}", model="m") for i in range(8)])
    flags = ["--capture", start.directory / "new", "--concurrency", "2"]
    process = begin(start, source, engine, *flags)
    wait_for("requests", lambda: gate.came == 2)
    done = plumbline("replay", source, "--to", engine.url, "--json", *flags, check=3)
    assert b"another running replay" in done.stderr
    gate.open(8)
    assert process.wait(PATIENCE) == 0
    assert gate.came == 8


def test_progress_comes_as_events(start):
    engine = start.engine("--ttft", "200ms")
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}", max_tokens=4, stream=True) for i in range(10)])
    events = replay(source, engine, "--capture", start.directory / "new", "--concurrency", "1")
    assert [e["event"] for e in events][0] == "start" and events[-1]["event"] == "end"
    progress = [e for e in events if e["event"] == "progress"]
    assert progress and all(e["in_flight"] <= 1 and e["left"] <= 10 for e in progress)
    assert events[0]["run"] == events[-1]["run"]


def test_several_targets_exit_with_the_worst_code(start):
    good, bad = start.engine("--seed", "7"), start.engine("--seed", "7", "--fault", "status=400")
    source, none = lines(start.directory / "r.jsonl", [chat("Tell me.")]), lines(start.directory / "none.jsonl", [])
    for name, code, where in (("bad", 3, ["--to", bad.url, "--concurrency", "1,2"]), ("both", 3, ["--to", good.url, "--to", bad.url]),
                              ("good", 0, ["--to", good.url, "--concurrency", "1,2"])):
        plumbline("replay", source, *where, "--any-server", "--capture", start.directory / name, check=code)
    alone = plumbline("replay", none, "--to", good.url, "--capture", start.directory / "alone").returncode
    assert plumbline("replay", none, "--to", good.url, "--concurrency", "1,2", "--capture", start.directory / "n").returncode == alone


def test_a_repeated_level_or_target_is_refused(start):
    source = lines(start.directory / "r.jsonl", [chat("Tell me.")])
    for flags, word in ((("--to", "http://127.0.0.1:1", "--concurrency", "4,4"), b"--concurrency has 4 twice"),
                        (("--to", "http://127.0.0.1:1", "--to", "http://127.0.0.1:1"), b"--to http://127.0.0.1:1 is given twice")):
        assert word in plumbline("replay", source, *flags, "--capture", start.directory / "c", check=2).stderr
    assert not (start.directory / "c").exists()


def test_each_level_and_target_is_a_run_with_all_requests(start):
    engines = [start.engine("--seed", "7", "--itl", "1ms") for _ in range(2)]
    source = lines(start.directory / "r.jsonl", [chat(f"Tell me about {i}.") for i in range(12)])
    capture = start.directory / "c"
    command = [source, engines[0], "--to", engines[1].url, "--capture", capture, "--concurrency", "1,4", "--repeats", "2"]
    said = replay(*command)
    assert [e["event"] for e in said[-4:]] == ["end"] * 4 and all(e["completed"] == 24 and e["end"] == "done" for e in said[-4:])
    assert sum(e["event"] == "pass" for e in said) == 2 * 2 * 2, "each level of each target, twice"
    assert [turns(engine) for engine in engines] == [48, 48]
    recorded = Counter((e["id"], leg["backend"], leg["run"], leg["repeat"]) for e in exported(capture) for leg in e["legs"])
    assert len(recorded) == 12 * 2 * 2 * 2 and set(recorded.values()) == {1}
    assert len({run for _, _, run, _ in recorded}) == 2, "a level is a run for every target"
    most = Counter()
    for e in exported(capture):
        for leg in e["legs"]:
            most[leg["run"]] = max(most[leg["run"]], leg["in_flight"])
    assert sorted(most.values()) == [1, 4], "each engine has as many in progress as the level"
    replay(*command)
    assert [turns(engine) for engine in engines] == [48, 48]
    assert b"applies to one backend" in plumbline("replay", source, "--to", "http://127.0.0.1:1", "--to", "http://127.0.0.1:2", "--name", "x", check=2).stderr
    assert b"say with --capture DIR" in plumbline("replay", source, "--to", engines[0].url, "--concurrency", "1,2", check=2).stderr
    assert b"lacks a number" in plumbline("replay", source, "--to", engines[0].url, "--concurrency", ",", check=2).stderr
