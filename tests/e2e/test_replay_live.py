"""The display of a running replay, the live comparison with recorded answers, and requests aborted on purpose."""
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios

import pytest

from harness import BINARY, PATIENCE, chat, completion, exported, plumbline, wait_for
from test_replay import counters, legs_of, lines, mixed, replay, traffic


def test_answers_that_differ_from_the_record_are_counted_live(start):
    bodies = mixed(24)
    capture = traffic(start, start.engine("--seed", "7"), bodies)
    same = replay(capture, start.engine("--seed", "7"), "--name", "same")[-1]
    assert (same["completed"], same["compared"], same["differing"]) == (24, 24, 0)
    other = replay(capture, start.engine("--seed", "8"), "--name", "other")[-1]
    assert (other["compared"], other["differing"]) == (24, 24)
    # The analyzer, which reads both answers from the disk, gives the same figure.
    texts = {}
    for row in exported(capture):
        texts[row["id"]] = {leg["backend"]: leg["reading"]["choices"][0]["text"] for leg in row["legs"]}
    common = sorted(len(os.path.commonprefix([t["primary"].encode(), t["other"].encode()])) for t in texts.values())
    assert all(t["primary"] == t["same"] for t in texts.values()) and other["same_bytes_p50"] in common[11:13]
    off = replay(capture, start.engine("--seed", "8"), "--name", "off", "--no-compare")[-1]
    assert (off["compared"], off["differing"]) == (0, 0)


def test_a_request_without_a_recorded_answer_is_not_compared(start):
    source = lines(start.directory / "prompts.jsonl", [completion(f"Line {i}") for i in range(4)])
    end = replay(source, start.engine(), "--capture", start.directory / "new")[-1]
    assert (end["completed"], end["compared"]) == (4, 0)


def test_events_have_rate_errors_and_differences(start):
    capture = traffic(start, start.engine("--seed", "7"), mixed(30))
    slow = start.engine("--seed", "8", "--ttft", "120ms", "--itl", "1ms")
    events = replay(capture, slow, "--concurrency", "1")
    progress = [e for e in events if e["event"] == "progress"]
    assert len(progress) >= 2
    for p in progress:
        assert p["errors"] == [] and p["cancelled"] == 0 and p["differing"] <= p["compared"] <= 30
        assert 0 <= p["rate"] < 12 and 0 <= p["rate_now"] < 12
    assert progress[-1]["rate"] > 0 and progress[-1]["rate_now"] > 0
    failing = start.engine("--fault", "status=503", "--ttft", "200ms")
    done = plumbline("replay", capture, "--to", failing.url, "--json", "--any-model", "--any-server", "--name", "f", "--rate", "8", "--arrivals", "constant", check=3)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    errors = [e["errors"] for e in told if e["event"] == "progress"]
    assert errors and errors[-1][0]["why"] == "status 503" and errors[-1][0]["n"] > 0


def test_a_terminal_shows_a_line_and_a_pipe_gets_none_for_a_short_run(start):
    capture = traffic(start, start.engine("--seed", "7"), mixed(12))
    engine = start.engine("--seed", "8", "--ttft", "80ms", "--itl", "2ms")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 160, 0, 0))
    done = subprocess.run([BINARY, "replay", str(capture), "--to", engine.url, "--concurrency", "2"], stdout=subprocess.PIPE, stderr=theirs, timeout=PATIENCE)
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:
        pass
    os.close(ours)
    assert done.returncode == 0 and b"12 of 12 texts differ from the recorded ones" in done.stdout
    assert b"in progress" in shown and re.search(rb"\[#+-*\] \d+ %, \d+ of 12, [\d.]+/s, \d+ s left", shown) and b"differ from the recorded ones" in shown and b"TTFT" in shown
    piped = plumbline("replay", capture, "--to", engine.url, "--again", check=0)
    assert b"in progress, " not in piped.stderr


def streams(n, tokens, whole_tokens):
    """Return requests of which every second one is streamed."""
    return [("/v1/chat/completions", chat(f"Tell me {i}.", stream=i % 2 == 0, max_tokens=whole_tokens if i % 2 else tokens, ignore_eos=True)) for i in range(n)]


# Even on a busy machine, an answer that is to be aborted is not at its end by then, and no other one takes a second.
@pytest.mark.parametrize("how, itl, whole_tokens, wholes", [("100%@tokens:5", "200ms", 4, False), ("100%@after:150ms", "200ms", 60, True), ("100%", "10ms", 2, False)])
def test_aborted_requests_close_the_connection(start, how, itl, whole_tokens, wholes):
    capture = traffic(start, start.engine("--seed", "7"), streams(40, 60, whole_tokens))
    engine = start.engine("--seed", "7", "--itl", itl)
    end = replay(capture, engine, "--concurrency", "10", "--cancel", how, "--name", "other")[-1]
    found = legs_of(capture, "other")
    left = [leg for _, leg in found if leg["outcome"] == "client_gone"]
    given_up = 20 + 20 * wholes
    if how == "100%":  # other answers are aborted after a second, which may pass while the machine stands still
        given_up += sum(not e["facts"]["stream"] and leg["end_us"] >= 10**6 for e, leg in found if leg in left)
    assert len(left) == given_up and all(leg["outcome"] in ("complete", "client_gone") for _, leg in found)
    assert (end["cancelled"], end["completed"], end["failed"]) == (given_up, 40 - given_up, [])
    # Aborted requests are in no figure; they disconnected while the engine answered.
    assert end["vllm"]["e2el_ms"]["n"] == 40 - given_up and end["compared"] == 40 - given_up and end["differing"] == 0
    # On a busy machine the engine may finish an answer before it notices the disconnect.
    wait_for("the engine to notice", lambda: counters(engine)["simulated_cancelled_total"] >= given_up // 4)
    assert counters(engine)["simulated_cancelled_total"] <= given_up
    if "tokens" in how:
        assert all(leg["body"].count('"content":"') >= 5 for leg in left) and all(leg["body"].count("data:") < 30 for leg in left)
    # Aborted requests count as sent: the same command sends nothing.
    assert replay(capture, engine, "--concurrency", "10", "--cancel", how, "--name", "other")[-1]["before"] == 40


def test_a_seeded_share_of_requests_is_aborted_and_censored(start):
    capture = traffic(start, start.engine("--seed", "7"), streams(40, 60, 60))
    engine = start.engine("--seed", "7", "--itl", "5ms")
    ends = [replay(capture, engine, "--concurrency", "8", "--cancel", "40%@after:100ms", "--seed", seed, "--name", f"s{seed}")[-1] for seed in (1, 2)]
    assert all(4 <= end["cancelled"] <= 28 for end in ends)
    report = plumbline("analyze", capture, "--base", "primary", "--test", "s1", "--json").stdout
    assert b"disagree" in report
    assert json.loads(report), "an analysis of the remaining answers"


def test_a_wrong_share_is_refused(start):
    assert b"--cancel needs a share" in plumbline("replay", "x", "--to", "http://127.0.0.1:1", "--cancel", "5%@later", check=2).stderr
