"""primary: {self: true}: the primary scores one in a hundred of its own answers, one at a time, and pauses while
clients wait."""
import json
import threading
import time

import pytest

from harness import balances, completion, exported, plumbline, post, respond, wait_for
from test_reload import reload

PATH = "/v1/completions"
SELF = "prod-self"


def settings(engine, dialect="plumbline", **more):
    return f"primary: {json.dumps({'name': 'prod', 'url': engine.url, 'dialect': dialect, **more})}\n"


def send(proxy, n, first=0):
    for i in range(first, first + n):
        assert post(proxy.port, PATH, completion(f"Tell me about {i}.", max_tokens=4, ignore_eos=True))[0] == 200


def test_one_in_a_hundred_is_scored_and_recorded_under_the_primarys_name(start):
    engine = start.engine("--seed", "7")
    proxy = start.proxy(None, config=settings(engine, self=True))
    send(proxy, 100)
    assert proxy.metrics()["plumbline_self_scoring"] == 1
    sent = 1000
    send(proxy, 900, 100)
    while not proxy.settled(sent, SELF)[SELF]["recorded"] and sent < 3000:
        send(proxy, 100, sent)  # in one run of 23,000, none of the first thousand is selected
        sent += 100
    book = proxy.settled(sent, SELF)[SELF]
    assert balances(book) and book["completed"] == sent
    assert book["excluded"]["not_sampled"] >= 960 and 1 <= book["recorded"] <= 40
    assert proxy.stop() == 0
    scored = [leg for row in exported(proxy.capture) for leg in row["legs"] if "scored" in leg["marks"]]
    assert len(scored) == book["recorded"]
    assert {(leg["backend"], leg["role"]) for leg in scored} == {("prod", "primary")}
    forced = json.loads(plumbline("analyze", proxy.capture, "--json").stdout)["teacher_forced"]
    assert [(f["scorer"], f["of"]) for f in forced] == [("prod", "prod")]
    assert "self" not in json.dumps(json.loads(plumbline("proxy", "-c", start.directory / f"proxy-{proxy.port}.yaml", "--capture", "c", "--check-config", check=0).stdout)["references"])


def test_it_is_off_by_default_and_a_reload_switches_it(start):
    engine = start.engine("--seed", "7")
    proxy = start.proxy(None, config=settings(engine))
    send(proxy, 3)
    assert SELF not in proxy.books() and "plumbline_self_scoring" not in proxy.metrics()
    reload(start, proxy, settings(engine, self=True))
    send(proxy, 3)
    assert proxy.settled(3, SELF)[SELF]["completed"] == 3
    reload(start, proxy, settings(engine))
    send(proxy, 3)
    assert proxy.settled(9)[SELF]["completed"] == 3


@pytest.mark.parametrize("slow", [True, False])
def test_self_scoring_stops_when_clients_wait(start, slow):
    """The test sets how long a score takes. Meanwhile a slow engine answers clients later, another one sooner."""
    scoring, may_end = [], threading.Event()

    def script(raw, seen):
        asked = json.loads(seen.body)
        if "prompt_logprobs" in asked:
            scoring.append(1)
            may_end.wait(60)
            scoring.pop()
            return respond(raw, {"error": {"message": "no"}}, "500 Internal Server Error")
        if bool(scoring) == slow:
            time.sleep(0.06 if slow else 0.03)
        lp = {"tokens": ["a"], "token_logprobs": [-0.5], "top_logprobs": [{"a": -0.5}], "text_offset": [0]} if asked.get("logprobs") else None
        ids = asked.get("return_token_ids")
        respond(raw, {"choices": [{"index": 0, "text": "a", "logprobs": lp, "finish_reason": "stop", "token_ids": [5] if ids else None,
                                   "prompt_token_ids": [1, 2] if ids else None}],
                      "usage": {"prompt_tokens": 2, "completion_tokens": 1, "total_tokens": 3}})
    engine = start.scripted(script)
    proxy = start.proxy(None, config=settings(engine, "vllm", self=True))
    for i in range(1500):
        send(proxy, 1, i)
        if scoring:
            break
    assert scoring, "no answer was scored"
    send(proxy, 60, 1500)
    assert len(scoring) == 1, "one at a time"
    may_end.set()
    wait_for("the score's end", lambda: not scoring)
    send(proxy, 60, 1600)       # at least 50 requests have no score
    if not slow:
        assert proxy.metrics()["plumbline_self_scoring"] == 1
        return
    assert proxy.metrics()["plumbline_self_scoring"] == 0
    wait_for("the warning", lambda: proxy.log().count("no longer scores its own answers") == 1)
    for i in range(2000, 4000, 100):
        send(proxy, 100, i)
        book = proxy.books()[SELF]
        if book["excluded"]["primary_slow"]:
            break
    assert balances(book) and book["excluded"]["primary_slow"] >= 1


@pytest.mark.parametrize("config, problem", [
    ("primary:\n  url: http://127.0.0.1:1\n  self: 1%\ncapture: c\n", ":3: primary.self: "),
    ("primary:\n  url: http://127.0.0.1:1\n  self: true\n", ":3: primary.self: has no effect without a capture"),
    ("primary:\n  url: http://127.0.0.1:1\n  self: true\ncapture: c\nreferences: [" + ", ".join(f"'http://127.0.0.1:{i}'" for i in range(2, 10)) + "]\n",
     ":3: primary.self: counts as a reference, and there are already 8")])
def test_a_config_error_has_its_line(tmp_path, config, problem):
    file = tmp_path / "proxy.yaml"
    file.write_text(config)
    assert problem in plumbline("proxy", "-c", file, "--check-config", check=2).stderr.decode()
