"""The histograms of /metrics agree with what clients measured."""
import re
import time

import pytest

from harness import Raw, chat, post, request

PATH = "/v1/chat/completions"


def histograms(proxy):
    """Return {(name, backend): {"buckets": [(le, cumulative)], "sum", "count"}}."""
    found = {}
    for key, value in proxy.metrics().items():
        match = re.fullmatch(r"plumbline_(\w+_seconds)_(bucket|sum|count)(?:\{(.*)\})?", key)
        if not match:
            continue
        labels = dict(re.findall(r'(\w+)="([^"]*)"', match.group(3) or ""))
        one = found.setdefault((match.group(1), labels.get("backend")), {"buckets": []})
        if match.group(2) == "bucket":
            one["buckets"].append((float(labels["le"]), value))
        else:
            one[match.group(2)] = value
    return found


def assert_sound(found):
    assert found
    for name, one in found.items():
        bounds, counts = zip(*one["buckets"])
        assert list(bounds) == sorted(bounds) and bounds[-1] == float("inf") and 10 <= len(bounds) <= 19, name
        assert list(counts) == sorted(counts) and counts[-1] == one["count"], name
        # The sum is within the limits that the buckets allow.
        low = high = last = 0
        for i, (bound, count) in enumerate(one["buckets"]):
            low += (count - last) * (bounds[i - 1] if i else 0)
            high += (count - last) * bound if count > last else 0
            last = count
        assert low - 1e-3 <= one["sum"] <= high + 1e-3, (name, low, one["sum"], high)


def within(one, low, high):
    """Return the number of values in buckets that overlap [low, high]."""
    n = last = under = 0
    for bound, count in one["buckets"]:
        n += count - last if bound >= low and under <= high else 0
        last, under = count, bound
    return n


def timed(port, body):
    """Return (seconds to the head, to the first event, to the end, number of events)."""
    with Raw(port) as raw:
        begun = time.monotonic()
        raw.send(request("POST", PATH, body))
        raw.until(b"\r\n\r\n")
        head = time.monotonic() - begun
        raw.until(b"data:")
        first = time.monotonic() - begun
        raw.until(b"0\r\n\r\n")
        return head, first, time.monotonic() - begun


def test_streams(start):
    engine, reference = start.engine("--ttft", "120ms", "--itl", "30ms"), start.engine("--ttft", "250ms", "--itl", "45ms")
    proxy = start.proxy(None, config=f"primary: {{name: prod, url: '{engine.url}'}}\nreferences: [{{name: trusted, url: '{reference.url}'}}]\n")
    begun = time.monotonic()
    seen = [timed(proxy.port, chat(f"Tell me {i}.", stream=True, max_tokens=20, ignore_eos=True)) for i in range(6)]
    proxy.settled(6, copies=False)
    took = time.monotonic() - begun
    proxy.settled(6, "trusted")
    found = histograms(proxy)
    assert_sound(found)
    ttft, itl, e2e = (found[f"backend_{name}_seconds", "prod"] for name in ("ttft", "itl", "e2e"))
    assert ttft["count"] == e2e["count"] == found["exchange_seconds", None]["count"] == found["answer_head_seconds", None]["count"] == 6
    assert within(ttft, 0.12, max(first for _, first, _ in seen)) == 6
    # The engine's own times are the lower limits, those of the client the upper ones.
    assert 6 * 0.12 <= ttft["sum"] <= sum(first for _, first, _ in seen)
    # The client may see the end before the proxy records it, but then waits for that.
    assert 6 * (0.12 + 19 * 0.03) <= e2e["sum"] <= took
    # 20 tokens and a few other events, 30 ms apart. On a busy machine two may arrive together.
    assert 6 * 5 <= itl["count"] <= 6 * 30 and within(itl, 0.01, 0.2) >= 6 * 5
    assert 0.8 * (e2e["sum"] - ttft["sum"]) <= itl["sum"] <= e2e["sum"] - ttft["sum"] + 1e-3, "except for the end of the answer"
    copy = {name: found[f"backend_{name}_seconds", "trusted"] for name in ("ttft", "itl", "e2e")}
    assert copy["ttft"]["count"] == copy["e2e"]["count"] == 6 and copy["itl"]["count"] > 6 * 2
    # The copies' own times: their engine is slower.
    assert copy["ttft"]["sum"] >= 6 * 0.25 and copy["e2e"]["sum"] >= 6 * (0.25 + 19 * 0.045)


def test_unary_answers_and_added_latency(start):
    proxy = start.proxy(start.engine("--ttft", "80ms").url)
    begun = time.monotonic()
    for i in range(10):
        assert post(proxy.port, PATH, chat(f"Tell me {i}.", max_tokens=8))[0] == 200
    assert post(proxy.port, "/nowhere", {"x": 1})[0] == 404
    took = time.monotonic() - begun
    proxy.settled(11)
    in_all = time.monotonic() - begun
    found = histograms(proxy)
    assert_sound(found)
    e2e, added = found["backend_e2e_seconds", "primary"], found["added_latency_seconds", None]
    assert e2e["count"] == 10 and 10 * 0.08 <= e2e["sum"] <= took, "only 2xx answers"
    assert found["backend_ttft_seconds", "primary"]["count"] == found["backend_itl_seconds", "primary"]["count"] == 0
    assert added["count"] == found["exchange_seconds", None]["count"] == 11
    # One after the other, so that no two of these times overlap; the last end may come after the client has its answer.
    assert 0 < added["sum"] < in_all - e2e["sum"], "the time that the engine did not need"
    assert added["buckets"][0][0] == pytest.approx(50e-6)


def test_commits(start):
    proxy = start.proxy(start.engine().url)
    for i in range(5):
        assert post(proxy.port, PATH, chat(f"Tell me {i}.", max_tokens=2))[0] == 200
        proxy.settled(i + 1)
    found = histograms(proxy)
    assert_sound(found)
    assert found["recorder_commit_seconds", None]["count"] == proxy.metrics()["plumbline_recorder_commits_total"] >= 5


def test_the_number_of_series_is_bounded(start):
    """A backend adds its histograms. Clients add a series only with a new status on a known route."""
    engine = start.engine()
    proxy = start.proxy(engine.url)
    post(proxy.port, "/v1/first/chat/completions", chat(max_tokens=1))
    proxy.settled(1)
    before = len(proxy.metrics())
    for i in range(20):
        post(proxy.port, f"/v1/{i}/chat/completions", chat(f"{i}", model=f"model-{i}", max_tokens=1), [("x-client", str(i))])
    proxy.settled(21)
    assert len(proxy.metrics()) == before
