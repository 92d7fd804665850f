"""Replays that distribute requests over several engines."""
import json
import signal
from collections import Counter

from harness import PATIENCE, chat, exported, plumbline, wait_for
from test_replay import begin, counters, lines, mixed, replay, traffic, turns


def pool(start, n, *flags, slow=()):
    """slow: the flags of the last engine."""
    engines = [start.engine("--seed", "7", *flags, *(slow if i == n - 1 else ())) for i in range(n)]
    return engines, [flag for engine in engines[1:] for flag in ("--to", engine.url)] + ["--spread", "round-robin"]


def who(capture, run=None):
    """Return {(exchange, repeat): backend}."""
    legs = [(e["id"], leg["repeat"], leg["backend"]) for e in exported(capture) for leg in e["legs"]
            if leg["backend"] != "primary" and run in (None, leg["run"])]
    assert len({leg[:2] for leg in legs}) == len(legs), "one leg each"
    return {leg[:2]: leg[2] for leg in legs}


def place(engine):
    return engine.url.split("//")[1]


def test_requests_go_to_the_targets_in_turn(start):
    engines, spread = pool(start, 3)
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}") for i in range(12)])
    capture = start.directory / "new"
    events = replay(source, engines[0], *spread, "--capture", capture)
    end = events[-1]
    assert [e["event"] for e in events if e["event"] in ("start", "end")] == ["start", "end"]
    assert end["completed"] == 12 and [turns(engine) for engine in engines] == [4, 4, 4]
    assert [(t["backend"], t["completed"], t["failed"]) for t in end["targets"]] == [(place(engine), 4, []) for engine in engines]
    assert end["backend"] is None and all(t["intended"]["e2el_ms"]["n"] == 4 for t in end["targets"])
    chosen = who(capture)
    assert [chosen[e["id"], 0] for e in exported(capture)] == [place(engines[i % 3]) for i in range(12)]
    assert len({leg["run"] for e in exported(capture) for leg in e["legs"]}) == 1
    said = plumbline("replay", source, "--to", engines[0].url, *spread, "--capture", start.directory / "words", check=0).stdout.decode()
    for engine in engines:
        assert f"{place(engine)}: 4 answered" in said, said


def test_a_session_stays_at_one_target_and_repeats_rotate(start):
    engines, spread = pool(start, 2)
    bodies = []
    for session in range(4):
        messages = []
        for turn in range(2):
            messages = messages + [{"role": "user", "content": f"{session}: question {turn}"}]
            bodies.append(("/v1/chat/completions", {**chat(), "messages": messages, "max_tokens": 4}))
            messages = messages + [{"role": "assistant", "content": f"answer {turn}"}]
    capture = traffic(start, engines[0], bodies)
    for order in ("captured", "shuffled"):
        end = replay(capture, engines[0], *spread, "--repeats", "2", "--order", order, "--concurrency", "4")[-1]
        assert end["completed"] == 16 and [t["completed"] for t in end["targets"]] == [8, 8]
        chosen, by_session = who(capture, end["run"]), {}
        for e in exported(capture):
            for repeat in range(2):
                by_session.setdefault((e["session_hash"], repeat), set()).add(chosen[e["id"], repeat])
        assert all(len(names) == 1 for names in by_session.values())
        assert Counter(next(iter(names)) for (_, repeat), names in by_session.items() if repeat == 0) == {place(e): 2 for e in engines}
        assert all(by_session[session, 0] != by_session[session, 1] for session, _ in by_session), "the next request goes to the next target"


def test_the_targets_share_the_concurrency(start):
    engines, spread = pool(start, 2, "--ttft", "30ms", "--itl", "1ms")
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}", max_tokens=8) for i in range(24)])
    end = replay(source, engines[0], *spread, "--capture", start.directory / "new", "--concurrency", "4")[-1]
    assert end["max_in_flight"] == 4 and all(1 <= counters(engine)["simulated_running_peak"] <= 4 for engine in engines)
    end = replay(source, engines[0], *spread, "--capture", start.directory / "new", "--rate", "100", "--arrivals", "constant")[-1]
    assert [t["completed"] for t in end["targets"]] == [12, 12]


def test_a_resumed_replay_keeps_the_distribution(start):
    engines, spread = pool(start, 2, slow=("--ttft", "1s"))
    capture = traffic(start, engines[0], mixed(40))
    before = turns(engines[0])
    process = begin(start, capture, engines[0], *spread, "--concurrency", "3")
    wait_for("some answers", lambda: turns(engines[1]) >= 5)
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE) == 3
    went = turns(engines[1])
    engines[1].stop()
    engines[1] = start.engine("--seed", "7", port=engines[1].port)
    end = replay(capture, engines[0], *spread, "--concurrency", "3")[-1]
    assert end["resumed"] and 0 < end["before"] < 40 and end["before"] + end["completed"] == 40 and end["sent_again"] == 0
    assert (turns(engines[0]) - before, went + turns(engines[1])) == (20, 20)
    chosen = who(capture, end["run"])
    assert [chosen[e["id"], 0] for e in sorted(exported(capture), key=lambda e: e["wall_ns"])] == [place(engines[i % 2]) for i in range(40)]
    # With --spread all it is another run.
    assert "--spread" in spread
    both = replay(capture, engines[0], *spread[:-2], "--limit", "2")
    assert sum(e["completed"] for e in both if e["event"] == "end") == 4


def test_histories_of_new_answers_are_resumed(start):
    engines, spread = pool(start, 2)
    source, messages = start.directory / "in.jsonl", []
    bodies = []
    for session in range(2):
        first = [{"role": "user", "content": f"{session}: first"}]
        bodies += [{**chat(), "messages": first, "max_tokens": 4},
                   {**chat(), "messages": first + [{"role": "assistant", "content": "x"}, {"role": "user", "content": "then"}], "max_tokens": 4}]
    lines(source, bodies)
    end = replay(source, engines[0], *spread, "--capture", start.directory / "new", "--history", "answered")[-1]
    assert end["completed"] == 4 and [t["completed"] for t in end["targets"]] == [2, 2] and not end["unfit"]


def test_a_dead_target_stops_the_replay(start):
    engines, spread = pool(start, 2, slow=("--ttft", "50ms"))
    source = lines(start.directory / "in.jsonl", [chat(f"Say {i}", max_tokens=4) for i in range(400)])
    flags = [*spread, "--capture", start.directory / "new", "--concurrency", "2"]
    process = begin(start, source, engines[0], *flags)
    wait_for("some answers", lambda: turns(engines[1]) >= 5)
    engines[1].stop()
    assert process.wait(PATIENCE) == 3
    said = json.loads(process.out.read_text().splitlines()[-1])
    assert said["end"] == "gone" and said["left"] > 100
    start.engine("--seed", "7", port=engines[1].port)
    end = replay(source, engines[0], *flags)[-1]
    assert end["end"] == "done" and end["before"] + end["completed"] == 400
    assert Counter(who(start.directory / "new").values()) == {place(engine): 200 for engine in engines}


def test_conflicting_spread_options_are_refused(start):
    source = lines(start.directory / "in.jsonl", [chat("Say")])
    two = ["--to", "http://127.0.0.1:1", "--to", "http://127.0.0.1:2"]
    for flags, word in ((["--to", "http://127.0.0.1:1", "--spread", "round-robin"], b"--spread round-robin needs several --to"),
                        ([*two, "--spread", "some"], b"--spread is all or round-robin, not some"),
                        ([*two, "--spread", "round-robin", "--concurrency", "1,2"], b"one --concurrency"),
                        (["--to", "http://127.0.0.1:1/a", "--to", "http://127.0.0.1:1/b", "--spread", "round-robin"], b"two targets have the name 127.0.0.1:1")):
        assert word in plumbline("replay", source, *flags, "--capture", start.directory / "c", check=2).stderr
