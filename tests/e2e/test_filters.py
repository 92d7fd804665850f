"""Selecting a part of a capture: by time, by filters, by run."""
import json
import pathlib
import time

import schema
from harness import chat, completion, plumbline, post
from test_replay import mixed, replay, traffic

SCHEMA = json.loads((pathlib.Path(__file__).parents[2] / "docs" / "analyze.schema.json").read_text())


def analyzed(capture, *flags, check=None):
    done = plumbline("analyze", capture, "--json", *flags, check=check)
    said = json.loads(done.stdout)
    assert schema.problems(said, SCHEMA) == []
    return said


def refused(capture, *flags, code=2):
    done = plumbline("analyze", capture, *flags, check=code)
    return " ".join((done.stdout + done.stderr).decode().split())


def shadowed(start, n=24):
    """Record chats and completions, a quarter streamed, with two models; the reference has a penalty."""
    primary, reference = start.engine("--seed", "7"), start.engine("--seed", "7", "--repeat-penalty", "1.3")
    proxy = start.proxy(primary.url, reference=reference.url)
    for i in range(n):
        make, path = (completion, "/v1/completions") if i % 2 else (chat, "/v1/chat/completions")
        assert post(proxy.port, path, make(f"Tell me about {i} ships.", stream=i % 4 == 0, max_tokens=24))[0] == 200
    proxy.settled(n, "reference")
    return proxy.capture


def test_filters_count_the_exchanges_they_leave_out(start):
    capture = shadowed(start)
    assert analyzed(capture)["selection"] is None
    said = analyzed(capture, "--where", "endpoint=chat")
    assert said["exchanges"] == 12 and said["selection"]["left_out"] == {"before": 0, "after": 0, "where": 12, "answers": 0}
    assert said["selection"]["where"] == ["endpoint=chat"]
    said = analyzed(capture, "--where", "endpoint=chat", "--where", "stream!=yes")
    assert said["exchanges"] == 6 and said["groups"][0]["pairs"] == 6
    text = plumbline("analyze", capture, "--full", "--where", "streamed=yes").stdout.decode()
    assert "Left out: 18 exchanges by --where." in " ".join(text.split())
    # The same filters with two threads.
    one = plumbline("analyze", capture, "--json", "--where", "endpoint=chat").stdout
    assert plumbline("analyze", capture, "--json", "--where", "endpoint=chat", "--jobs", "2").stdout == one


def test_filters_by_category_and_outcome(start):
    capture = shadowed(start, 8)
    said = analyzed(capture, "--where", "category=open")
    assert said["exchanges"] + said["selection"]["left_out"]["where"] == 8
    categories = {v["value"] for v in said["groups"][0]["slices"]["category"]["values"]}
    assert categories <= {"open"}
    said = analyzed(capture, "--where", "backend!=reference", check=4)
    assert said["selection"]["left_out"]["answers"] == 8 and said["groups"] == []
    assert "it excludes 8 answers" in refused(capture, "--where", "backend!=reference", code=4)
    assert analyzed(capture, "--where", "status=2??", "--where", "outcome=complete")["groups"][0]["pairs"] == 8


def test_a_window_in_time(start):
    primary, reference = start.engine("--seed", "7"), start.engine("--seed", "7")
    proxy = start.proxy(primary.url, reference=reference.url)
    for i in range(6):
        if i == 4:
            time.sleep(1.1)
            middle = time.time()
        assert post(proxy.port, "/v1/completions", completion(f"Number {i} is"))[0] == 200
    proxy.settled(6, "reference")
    at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(middle)) + f".{int(middle % 1 * 1000):03}Z"
    said = analyzed(proxy.capture, "--since", at, check=4)
    assert said["exchanges"] == 2 and said["selection"]["left_out"]["before"] == 4
    said = analyzed(proxy.capture, "--until", at, check=4)
    assert said["exchanges"] == 4 and said["selection"]["left_out"]["after"] == 2
    assert analyzed(proxy.capture, "--since", "1h", check=4)["exchanges"] == 6
    assert "6 after --until" in refused(proxy.capture, "--until", "2020-01-01", code=4)


def test_a_replayed_upgrade_is_compared_with_the_run_before(start):
    old = start.engine("--seed", "7")
    capture = traffic(start, old, mixed(24))
    replay(capture, start.engine("--seed", "7"), "--name", "new")
    replay(capture, start.engine("--seed", "7", "--repeat-penalty", "1.3"), "--name", "new")
    listed = plumbline("capture", "ls", "--runs", capture, check=0).stdout.decode().splitlines()
    assert len(listed) == 12 and "primary (primary) 24" in listed[5] and "new" in listed[11] and max(map(len, listed)) <= 60
    runs = [json.loads(line) for line in plumbline("capture", "ls", "--runs", "--json", capture, check=0).stdout.splitlines()]
    assert [r["number"] for r in runs] == [1, 2, 3] and [r["answers"] for r in runs] == [24, 24, 24]
    assert analyzed(capture, "--base", "primary", "--test", "new@2", check=4)["greedy_compared"] == 24
    said = analyzed(capture, "--base", "new@first", "--test", "new@last", check=1)
    [group] = said["groups"]
    assert (group["base"], group["test"], group["is_floor"]) == ("new@first", "new@last", False)
    assert group["pairs"] == 24 and said["greedy_differing"] > 0
    # The start of an id, also as a filter.
    assert analyzed(capture, "--base", "primary@1", "--test", f"new@{runs[2]['run']}", check=1)["greedy_differing"] > 0
    said = analyzed(capture, "--base", "primary", "--test", "new", "--where", "run!=3", check=4)
    assert said["selection"]["left_out"]["answers"] == 24


def test_an_unknown_name_error_lists_the_known_ones(start):
    capture = shadowed(start, 4)
    assert "did you mean reference?" in refused(capture, "--base", "primary", "--test", "refrence")
    said = refused(capture, "--base", "primary@7", "--test", "reference")
    assert "7 is no run of primary; there are 1 (" in said
    assert "did you mean model?" in refused(capture, "--where", "modle=x")
    assert "needs a time like" in refused(capture, "--since", "yesterday")
    assert "--since is not before --until" in refused(capture, "--since", "2h", "--until", "3h")
    assert "need each other" in refused(capture, "--base", "primary")
    assert "exclude each other" in refused(capture, "--base", "primary@1", "--test", "reference", "--by", "stack")
    assert "did you mean --where?" in refused(capture, "--were", "x=y")
    said = refused(capture, "--where", "model=nothing", code=4)
    assert "4 excluded by --where" in said and "The models there are:" in said
