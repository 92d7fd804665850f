"""logprobs.audit: a share of the exchanges gets the longest lists that the engine gives; metrics and analysis show
the cost."""
import json
import math
import time

import pytest

from harness import chat, exported, plumbline, post, respond
from test_logprobs import PATHS, plain
from test_reload import reload

N = 60


def settings(engine, audit, dialect="vllm", more=""):
    return f"primary: {{name: prod, url: '{engine.url}', dialect: {dialect}}}\nlogprobs: {{top: 3, audit: {json.dumps(audit)}}}\n{more}"


def answers(raw, seen):
    """The engine needs 60 ms for a long list and 2 ms for a short one."""
    asked = json.loads(seen.body).get("top_logprobs", 0)
    time.sleep(0.06 if asked > 3 else 0.002)
    entry = {"token": "a", "logprob": -0.5, "bytes": [97], "top_logprobs": []}
    respond(raw, {"choices": [{"index": 0, "message": {"content": "a"}, "finish_reason": "stop",
                               **({"logprobs": {"content": [entry]}} if asked else {})}],
                  "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}})


def tops(engine):
    return [json.loads(seen.body).get("top_logprobs") for seen in engine.seen]


def send(proxy, n):
    return {post(proxy.port, PATHS["chat"], chat(f"{i}"))[2] for i in range(n)}


def test_a_share_gets_longer_lists_without_clients_seeing_them(start):
    engine, reference = start.scripted(answers), start.scripted(answers)
    more = f"references: [{{name: trusted, url: '{reference.url}', dialect: vllm}}]\n"
    proxy = start.proxy(None, config=settings(engine, {"share": "30%", "top": 17}, more=more), workers="1")
    begun = time.monotonic()
    assert len(send(proxy, N)) == 1
    proxy.settled(N, "trusted")
    took = time.monotonic() - begun
    audited = tops(engine).count(17)
    assert 1 < audited < 40 and tops(engine).count(3) == N - 1 - audited      # six standard deviations around 18
    assert tops(reference).count(17) - audited in (0, 1), "the first request is plain, but its copy has lists"
    figures = proxy.metrics()

    def figure(what):
        return [figures[f'plumbline_list_{what}_total{{lists="{lists}"}}'] for lists in ("none", "ordinary", "audit")]
    assert figure("answers") == [1, N - 1 - audited, audited]
    plain = figure("bytes")[0]
    assert figure("bytes") == [plain, plain * (N - 1 - audited), plain * audited]
    # A busy machine delays answers, but each second counts once.
    assert figure("seconds")[2] > 0.0599 * audited and min(figure("seconds")) > 0.0019 and sum(figure("seconds")) < took


def test_an_analysis_shows_what_longer_lists_cost(start):
    engine = start.scripted(answers)
    proxy = start.proxy(None, config=settings(engine, {"share": "50%", "top": 17}), workers="1")
    send(proxy, 2 * N)
    proxy.settled(2 * N)
    proxy.stop()
    lists = json.loads(plumbline("analyze", proxy.capture, "--json").stdout)["traffic"]["lists"]
    audited = tops(engine).count(17)
    taken = {"none": [], "ordinary": [], "audit": []}
    for leg in (leg for row in exported(proxy.capture) for leg in row["legs"]):
        taken["none" if "injected_logprobs" not in leg["marks"] else "audit" if "audited" in leg["marks"] else "ordinary"].append(leg["end_us"] / 1000)
    assert [lists[name]["n"] for name in taken] == [len(ms) for ms in taken.values()] == [1, 2 * N - 1 - audited, audited]
    means = {name: math.exp(sum(map(math.log, ms)) / len(ms)) for name, ms in taken.items()}
    assert {name: lists[name]["milliseconds_per_token"] for name in taken} == pytest.approx(means) and means["audit"] >= 60
    ratio = lists["audit_to_ordinary"]
    assert ratio["value"] == pytest.approx(means["audit"] / means["ordinary"]) and ratio["ci95"][0] < ratio["value"] < ratio["ci95"][1]
    said = " ".join(plumbline("analyze", proxy.capture, "--full").stdout.decode().split())
    assert f"answers with ordinary lists; answers compared: {audited} and {2 * N - 1 - audited}" in said and "answers with no lists" not in said


@pytest.mark.parametrize("dialect, most", [("tgi", 5), ("vllm", 20), ("sglang", 40)])
def test_requests_stay_within_the_engines_list_limit(start, dialect, most):
    engine = start.scripted(answers)
    proxy = start.proxy(None, config=settings(engine, {"share": 1, "top": 40}, dialect), workers="1")
    send(proxy, 3)
    assert tops(engine) == [None, most, most]


def test_simulated_answers_are_cut_for_every_list_length(start):
    engine = start.engine("--seed", "3")
    proxy = start.proxy(None, config=settings(engine, {"share": 0.5, "top": 20}, "plumbline"))
    for i in range(12):
        body = chat(f"{i}", stream=i % 2 == 1)
        assert plain(post(proxy.port, PATHS["chat"], body)[2]) == plain(post(engine.port, PATHS["chat"], body)[2])


def test_a_reload_switches_it_on(start):
    engine = start.scripted(answers)
    proxy = start.proxy(None, config=settings(engine, {}), workers="1")
    send(proxy, 3)
    assert tops(engine) == [None, 3, 3]
    reload(start, proxy, settings(engine, {"share": 1}))
    send(proxy, 2)
    assert tops(engine)[3:] == [20, 20]


@pytest.mark.parametrize("line, problem", [
    ("{share: 5%, topp: 3}", "logprobs.audit.topp: is not a known key; did you mean top?"), ("{top: 0}", "logprobs.audit.top: must be"),
    ("{share: 120%}", "logprobs.audit.share: ")])
def test_a_config_error_has_its_line(tmp_path, line, problem):
    file = tmp_path / "proxy.yaml"
    file.write_text(f"primary: http://127.0.0.1:1\nlogprobs:\n  audit: {line}\n")
    done = plumbline("proxy", "-c", file, "--check-config", check=2)
    assert f"proxy.yaml:3: {problem}" in done.stderr.decode()
