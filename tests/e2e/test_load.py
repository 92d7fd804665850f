"""Open loops with rising rates: ramps, steps, and the search for the highest rate that an engine of known capacity
sustains."""
import json
import re
import socket
import subprocess
import time
import urllib.request

import pytest

from harness import BINARY, PATIENCE, chat, complete, exported, plumbline, respond
from test_replay import counters, lines, mixed, replay, traffic


YES = {"id": "1", "object": "chat.completion", "created": 1, "model": "simulated", "choices": [
    {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Yes."}}]}


def prompts(start, n, **more):
    return lines(start.directory / "in.jsonl", [chat(f"Say {i}", stream=True, max_tokens=10, ignore_eos=True, **more) for i in range(n)])


def sends(capture):
    """Return the intended send time of each leg, in seconds since the first. queued_us has the delay."""
    at = sorted(leg["start_ns"] - leg["queued_us"] * 1000 for e in exported(capture) for leg in e["legs"])
    return [(t - at[0]) / 1e9 for t in at]


def test_a_ramp_sends_more_each_second(start):
    source = prompts(start, 150)
    # From 10 to 50 per second over 5 s: 150 requests, in each second 14, 22, 30, 38, 46.
    end = replay(source, start.engine(), "--capture", start.directory / "c", "--rate", "10..50", "--over", "5s", "--arrivals", "constant")[-1]
    assert end["completed"] == 150 and (end["rate"], end["shape"], end["ramp_to"], end["ramp_seconds"]) == (10, "ramp", 50, 5)
    at = sends(start.directory / "c")
    for second, n in enumerate((14, 22, 30, 38, 46)):
        assert abs(sum(second <= t < second + 1 for t in at) - n) <= 2


@pytest.mark.slow
def test_steps_are_measured_separately_and_repeat_a_small_source(start):
    # Two concurrent requests of 0.1 s each: at most 20 per second.
    engine = start.engine("--max-batch", "2", "--itl", "10ms")
    source = prompts(start, 7)
    events = replay(source, engine, "--capture", start.directory / "c", "--rate", "5,60,10", "--step", "3s", "--arrivals", "constant")
    end = events[-1]
    assert [e["step"]["rate"] for e in events if e["event"] == "step"] == [5, 60, 10]
    five, sixty, ten = end["steps"]
    # A step does not send overdue requests after its end, and a busy machine may notice the end late.
    assert all(0 < s["sent"] <= 1.1 * n + 1 for s, n in zip(end["steps"], (15, 180, 30))), end["steps"]
    assert end["completed"] == end["sent"] == end["requests"] == counters(engine)["simulated_turns_total"] and end["left"] == 0
    if sixty["lag_p99_ms"] < 100:   # else this process stood still and read the answers of a longer time
        assert sixty["answered"] < 24, "two concurrent requests of 0.1 s"
    if sixty["sent"] >= 178:
        # 178 answers take 8.9 s, and the last was sent within three.
        assert sixty["verdict"] in ("behind", "unsent") and sixty["e2el_p99_ms"] > 5000
    for step in (five, ten):
        # Answers come this early, so the number of running requests cannot grow by three.
        if step["e2el_p99_ms"] < 1500 / step["rate"]:
            assert step["verdict"] in ("few", "unsent"), "no step has the backlog of another"
    if [s["verdict"] for s in end["steps"]] == ["few", "behind", "few"]:
        assert end["knee"] is None and end["not_held"]["rate"] == 60 and end["search"] == "done"
    assert len({(e["id"], leg["repeat"]) for e in exported(start.directory / "c") for leg in e["legs"]}) == end["sent"]


def test_each_step_has_reproducible_arrivals(start):
    engine = start.engine()
    at = {}
    for name, seed in (("one", "5"), ("again", "5"), ("other", "6")):
        end = replay(prompts(start, 7), engine, "--capture", start.directory / name, "--rate", "40,40", "--step", "1s", "--seed", seed)[-1]
        all_of, first = sends(start.directory / name), end["steps"][0]["sent"]
        at[name] = [all_of[:first][:20], all_of[first:][:20]]

    def alike(a, b):
        # Compare gaps. A busy machine may record some times late, which changes two gaps each.
        return sum(abs((a[i + 1] - a[i]) - (b[i + 1] - b[i])) < 0.002 for i in range(min(len(a), len(b)) - 1))

    for step in (0, 1):
        assert alike(at["one"][step], at["again"][step]) >= 8, "the same seed gives the same arrivals"
    assert alike(*at["one"]) < 8, "a burst of one step is not in all others"
    assert alike(at["one"][0], at["other"][0]) < 8


def talks(start, n, turns):
    """Write conversations with recorded histories. Their turns still wait for each other."""
    file = start.directory / "talks.json"
    file.write_text(json.dumps([{"id": f"talk {i}", "conversations": [
        {"from": who, "value": f"{who} {i} {turn}"} for turn in range(turns) for who in ("human", "gpt")]} for i in range(n)]))
    return file


def test_a_rate_that_sessions_prevent_is_not_sustained(start):
    # Eight turns in sequence, each answered after 300 ms: a session takes 2.4 s, longer than a step.
    engine = start.engine("--ttft", "300ms")
    source = talks(start, 3, 8)
    end = replay(source, engine, "--capture", start.directory / "c", "--rate", "20,40", "--step", "2s", "--arrivals", "constant")[-1]
    for step, due in zip(end["steps"], (40, 80)):
        assert step["verdict"] in ("unoffered", "unsent") and 0 < step["sent"] < 0.9 * step["due"], step
        assert abs(step["due"] - due) <= 2 and step["due"] == step["sent"] + step["waiting"] and step["unfit"] == 0
        assert 0 < step["offered"] <= 1.01 * step["sent"] / 2, "the end of a step may be noticed late"
    assert end["knee"] is None and end["not_held"] is None
    words = plumbline("replay", source, "--to", engine.url, "--capture", start.directory / "w", "--rate", "saturate:20", "--step", "2s", "--arrivals", "constant").stdout.decode()
    assert "No rate was sustained" in words and "THE RATE 20 WAS NOT OFFERED" in words and "sessions limit the load" in words


def test_a_step_in_which_nothing_was_sent_is_empty(start):
    # The first answer is an error, so no later turn has a history. One of them is due in each step.
    source = talks(start, 1, 12)
    end = replay(source, start.engine("--fault", "500"), "--capture", start.directory / "c", "--rate", "1,0.9,0.8", "--step", "1s", "--repeats", "1",
                 "--history", "answered", "--arrivals", "constant", "--any-server", check=3)[-1]
    first, *others = end["steps"]
    assert first["verdict"] in ("errors", "unsent") and first["sent"] == 1
    assert len(others) == 2 and all((s["verdict"], s["sent"], s["waiting"]) == ("empty", 0, 0) and s["unfit"] == s["due"] >= 1 for s in others), others
    assert end["knee"] is None


def adds_up(end):
    """Check that each request is counted once: before, sent, unfit or left."""
    return end["requests"] == end["before"] + end["sent"] - end["undone"] + sum(u["n"] for u in end["unfit"]) + end["left"]


def sessions(start, n, turns):
    """Write a trace whose turns extend the history: each is sent with the answers of this run."""
    file = start.directory / "trace.jsonl"
    file.write_text("".join(json.dumps({"session_id": f"s{i}", "timestamp": turn, "text_input": f"Question {i} {turn}", "output_length": 4}) + "\n"
                            for i in range(n) for turn in range(turns)))
    return file


@pytest.mark.slow
def test_unsent_turns_of_a_step_are_sent_in_the_next(start):
    engine = start.engine("--ttft", "300ms")
    source = sessions(start, 2, 12)
    flags = ("--rate", "10,10,10", "--step", "1s", "--arrivals", "constant", "--model", "simulated")
    end = replay(source, engine, "--capture", start.directory / "c", *flags, "--repeats", "1")[-1]
    # Each step sends some turns of each session, with the answers of the step before in their histories.
    assert end["unfit"] == [] and end["failed"] == [] and end["end"] == "done"
    assert end["requests"] == 24 and adds_up(end) and 0 < end["completed"] == end["sent"] < 24 and end["undone"] == 0
    assert len({s["sent"] for s in end["steps"]} - {0}) >= 1 and sum(s["sent"] for s in end["steps"]) == end["sent"]
    assert all(s["due"] == s["sent"] + s["waiting"] + s["unfit"] for s in end["steps"])
    assert 0 < end["left_due"] <= end["left"] and end["left_due"] == end["steps"][-1]["waiting"], end
    assert counters(engine)["simulated_turns_total"] == end["sent"]
    # Steps may repeat requests. The repeats that were due count.
    end = replay(source, engine, "--capture", start.directory / "more", *flags)[-1]
    assert adds_up(end) and end["unfit"] == [] and end["requests"] >= 24
    words = plumbline("replay", source, "--to", engine.url, "--capture", start.directory / "w", *flags, "--repeats", "3").stdout.decode()
    assert "were due but not sent" in words and "were never due" in words and "history" not in words


def test_think_time_continues_in_the_next_step(start):
    times = []

    def answer(raw, seen):
        times.append(time.monotonic())
        respond(raw, YES)
    replay(sessions(start, 1, 3), start.scripted(lambda raw, seen: complete(raw, seen, answer, "simulated")), "--capture", start.directory / "c", "--model", "simulated", "--any-server", "--think", "1500ms",
           "--rate", "5,5,5,5,5", "--step", "1s", "--arrivals", "constant", "--repeats", "1")
    assert len(times) >= 2 and all(b - a > 1.49 for a, b in zip(times, times[1:])), times


def test_turns_after_a_failed_connection_remain_unsent(start):
    def answer(raw, seen):
        going.listener.shutdown(socket.SHUT_RDWR)  # from here on no connection succeeds
        respond(raw, YES, fields=[("Connection", "close")])
        return False
    going = start.scripted(lambda raw, seen: complete(raw, seen, answer, "simulated"))
    source = sessions(start, 1, 4)
    flags = ("--capture", start.directory / "c", "--model", "simulated", "--any-server", "--name", "new")
    end = replay(source, going, *flags, check=3)[-1]
    assert end["completed"] == 1 and end["undone"] == 1 and end["unfit"] == [] and end["left"] == 3 and adds_up(end), (end["completed"], end["undone"], end["unfit"], end["left"], end["failed"])
    end = replay(source, start.engine(port=going.port), *flags)[-1]
    assert end["before"] == 1 and end["completed"] == 3 and end["unfit"] == [] and end["left"] == 0 and adds_up(end)


@pytest.mark.slow
@pytest.mark.long
def test_waiting_turns_are_not_reported_as_a_slow_machine(start):
    # Requests after a thousand waiting turns are late because of these, not because of the sender.
    engine, source, verdicts = start.engine("--ttft", "500ms"), talks(start, 3, 400), []
    while "unoffered" not in verdicts:
        assert len(verdicts) < 10, "a busy machine sends late, too, but not each time"
        capture = start.directory / f"c{len(verdicts)}"
        for step in replay(source, engine, "--capture", capture, "--rate", "1000,1000", "--step", "1s", "--arrivals", "constant")[-1]["steps"]:
            verdicts.append(step["verdict"])
            assert step["verdict"] in ("unoffered", "unsent"), step
            assert step["due"] >= 900 and step["sent"] + step["waiting"] == step["due"], step


def test_a_sender_out_of_connections_falls_behind(start):
    # 16 concurrent requests of 0.1 s each: 160 per second. All places stay in use.
    engine = start.engine("--ttft", "100ms")
    flags = ["--to", engine.url, "--json", "--capture", start.directory / "c", "--rate", "500,500,500", "--step", "2s", "--arrivals", "constant"]
    done = subprocess.run(["prlimit", "--nofile=256:256", BINARY, "replay", prompts(start, 20), *flags], capture_output=True, timeout=PATIENCE)
    end = json.loads(done.stdout.splitlines()[-1])
    verdicts = {s["verdict"] for s in end["steps"]}
    # A pause of this machine in the second half of a step hides how the requests pile up, but not in each step.
    assert verdicts <= {"behind", "unsent", "unoffered"} and verdicts != {"unoffered"} and min(s["answered"] for s in end["steps"]) < 200, end["steps"]
    assert all(s["max_in_flight"] <= 16 for s in end["steps"]), end["steps"]


@pytest.mark.slow
def test_the_knee_step_has_enough_answers(start):
    # Four concurrent requests of 0.1 s each: at most 40 per second. At a rate of 36, 3 s have 108 requests.
    engine = start.engine("--max-batch", "4", "--itl", "10ms")
    source = prompts(start, 20)
    end = replay(source, engine, "--capture", start.directory / "c", "--rate", "36,120", "--step", "3s", "--arrivals", "constant")[-1]
    enough, over = end["steps"]
    assert all(abs(s["within"] - 1.96 / s["completed"] ** 0.5) < 0.001 for s in end["steps"])
    assert enough["verdict"] != "few" or enough["completed"] < 100 or enough["e2el_p50_ms"] > 350, "a busy machine"
    if [s["verdict"] for s in end["steps"]] == ["held", "behind"]:
        assert end["knee"]["rate"] == 36 and end["not_held"]["rate"] == 120
    words = plumbline("replay", source, "--to", engine.url, "--capture", start.directory / "w", "--rate", "36,37", "--step", "1s", "--arrivals", "constant").stdout.decode()
    if len(re.findall("  too few$", words, re.M)) == 2:     # the verdicts in the table, unless the machine was busy
        words = " ".join(words.split())
        assert "It is not known whether 37 requests/s are too many" in words and "--step 4s gives enough" in words


@pytest.mark.long
def test_the_knee_of_an_engine_of_known_capacity_is_found(start):
    engine = start.engine("--max-batch", "4", "--itl", "10ms")
    source = prompts(start, 50)
    end = replay(source, engine, "--capture", start.directory / "c", "--rate", "saturate:16", "--step", "4s", "--arrivals", "constant",
                 patience=3 * PATIENCE)[-1]
    assert end["shape"] == "saturate" and end["search"] in ("knee", "machine", "short", "few")
    # 43.8 plus the error of short steps. A busy machine reaches less, or does not offer the step's rate.
    assert all(s["rate"] <= 50 or s["sent"] < 0.9 * 4 * s["rate"] for s in end["steps"] if s["verdict"] == "held"), [(s["rate"], s["verdict"], s["sent"], s["answered"], s["completed"], s["max_in_flight"], s["e2el_p99_ms"], s["lag_p99_ms"]) for s in end["steps"]]
    if end["search"] == "knee" and end["knee"]:
        assert end["not_held"]["verdict"] == "behind" and end["not_held"]["rate"] <= 1.11 * end["knee"]["rate"]
    words = plumbline("replay", source, "--to", engine.url, "--capture", start.directory / "w", "--rate", "saturate:32", "--step", "2s", check=0,
                      patience=3 * PATIENCE).stdout.decode()
    assert "Saturation point (knee): " in words or "which are too few" in words or "THIS MACHINE" in words or "sustained no rate" in words


def test_a_limit_of_goodput_is_the_knee_where_it_comes_first(start):
    # Eight concurrent requests could sustain 60 per second, but the time between tokens exceeds the limit.
    engine = start.engine("--max-batch", "8", "--ttft", "30ms", "--itl", "10ms")
    end = replay(prompts(start, 50), engine, "--capture", start.directory / "c", "--rate", "saturate:8", "--step", "2s", "--goodput", "ttft:10")[-1]
    assert end["knee"] is None and {s["verdict"] for s in end["steps"]} <= {"slow", "unsent", "behind"}


def test_a_search_that_runs_out_of_requests_says_so(start):
    end = replay(prompts(start, 20), start.engine(), "--capture", start.directory / "c", "--rate", "saturate:8", "--step", "2s", "--repeats", "1")[-1]
    if end["search"] != "machine":
        assert end["completed"] == 20 and end["search"] == "cut" and end["steps"][-1]["verdict"] == "cut"


def test_conflicting_options_are_refused(start):
    for flags, why in ((("--rate", "10..20"), b"ramp needs --over"), (("--rate", "5", "--over", "3s"), b"--over needs"), (("--rate", "5", "--step", "3s"), b"--step needs"),
                       (("--rate", "5,x"), b"--rate needs"), (("--rate", "saturate", "--concurrency", "4"), b"exclude --concurrency"),
                       (("--rate", "1,2", "--step", "10ms"), b"a second or more"), (("--rate", "1,2", "--save-result", "x"), b"exclude --concurrency"),
                       (("--rate", "5", "--timing", "original"), b"--rate and --timing exclude each other"),
                       (("--timing", "original", "--rate", "saturate"), b"--rate and --timing exclude each other"),
                       (("--rate", "5", "--speed", "2x"), b"--rate and --speed exclude each other"),
                       (("--arrivals", "constant"), b"--arrivals needs"), (("--timing", "original", "--arrivals", "constant"), b"--arrivals needs"),
                       (("--by", "session"), b"--by needs --sample")):
        assert why in plumbline("replay", "x", "--to", "http://127.0.0.1:1", *flags, check=2).stderr


@pytest.mark.slow
def test_several_targets_report_progress_events(start):
    engines = [start.engine("--ttft", "40ms", "--itl", "1ms") for _ in range(2)]
    source = prompts(start, 60)
    events = replay(source, engines[0], "--to", engines[1].url, "--capture", start.directory / "c", "--concurrency", "1", "--repeats", "2")
    passes = [e for e in events if e["event"] == "pass"]
    assert sorted((e["backend"], e["repeat"]) for e in passes) == sorted((e.url.removeprefix("http://"), r) for e in engines for r in (0, 1))
    progress = [e for e in events if e["event"] == "progress"]
    assert progress and all(0 <= e["rate_now"] < 100 for e in progress), "each pass has its own rates"
    assert [e["event"] for e in events[-2:]] == ["end", "end"]


def test_a_resumed_target_keeps_its_run_in_another_order(start):
    one, two = start.engine(), start.engine()
    source = prompts(start, 6)
    capture = start.directory / "c"
    # The second call has the targets in the other order.
    for targets, sent in (([two, one], 12), ([one, two], 0)):
        flags = [flag for t in targets[1:] for flag in ("--to", t.url)]
        ends = [e for e in replay(source, targets[0], *flags, "--capture", capture, "--align", "greedy") if e["event"] == "end"]
        assert sum(e["sent"] for e in ends) == sent
    # One state file is missing. The other one identifies the run, and nothing is sent again.
    gone = next(f for f in sorted(capture.glob("replay-*.sent")))
    gone.unlink()
    before = counters(one)["simulated_turns_total"] + counters(two)["simulated_turns_total"]
    ends = [e for e in replay(source, one, "--to", two.url, "--capture", capture, "--align", "greedy") if e["event"] == "end"]
    assert sum(e["before"] for e in ends) == 12 and counters(one)["simulated_turns_total"] + counters(two)["simulated_turns_total"] == before


def test_recorded_tokens_are_forced_and_analyze_has_the_figures(start):
    old, new = start.engine("--seed", "7"), start.engine("--seed", "7", "--noise", "0.05")
    capture = traffic(start, old, mixed(12))
    done = plumbline("replay", capture, "--to", new.url, "--name", "new", "--force-tokens", "--concurrency", "2", "--json", check=0)
    assert json.loads(done.stdout)
    assert all(any(leg["backend"] == "new" for leg in e["legs"]) for e in exported(capture))
    assert json.loads(plumbline("analyze", capture, "--json").stdout)["teacher_forced"]


def test_force_tokens_refuses_options_about_generating(start):
    url = "http://127.0.0.1:1"
    for flags in (("--rate", "5"), ("--seed", "7"), ("--order", "longest"), ("--any-model",), ("--stop-on-errors", "0.5"), ("--goodput", "ttft:5"), ("--no-logprobs",),
                  ("--no-usage",), ("--no-compare",), ("--by", "session"), ("--speed", "2"), ("--where", "model=x"), ("--align", "greedy"), ("--redacted",), ("--arrivals", "constant")):
        assert b"plumbline replay: --force-tokens excludes " + flags[0].encode() + b"\n" == \
            plumbline("replay", "x", "--to", url, "--force-tokens", *flags, check=2).stderr
    assert b"several levels of --concurrency" in plumbline("replay", "x", "--to", url, "--force-tokens", "--concurrency", "1,2", check=2).stderr
    assert b"several --to" in plumbline("replay", "x", "--to", url, "--to", url + "/v1", "--force-tokens", check=2).stderr
    assert plumbline("replay", start.directory / "none", "--to", url, "--force-tokens", check=2).stderr.startswith(b"plumbline replay: ")
