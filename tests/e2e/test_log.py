"""The log: sentences and fields, targets that are down, repeated messages."""
import datetime
import json
import pathlib
import re
import time

from harness import chat, free_port, post, wait_for

ROOT = pathlib.Path(__file__).parents[2]
PATH = "/v1/chat/completions"
CONFIG = """
primary: {{name: alpha, url: 'http://127.0.0.1:{alpha}'}}
references: [{{name: beta, url: '{beta}'}}]
log: {{format: {format}, repeat_after: {repeat_after}}}
"""


def begin(start, beta="http://127.0.0.1:1", form="json", repeat_after="60s", poll="10m", **more):
    alpha = free_port()
    config = CONFIG.format(alpha=alpha, beta=beta, format=form, repeat_after=repeat_after)
    return alpha, start.proxy(None, config=config, poll=poll, capture=False, **more)


def lines(proxy, *parts):
    """Return the lines whose message has these parts."""
    found = [json.loads(line) for line in proxy.log().splitlines() if line.startswith("{")]
    return [line for line in found if all(part in line["message"] for part in parts)]


def test_targets_that_are_down_are_named_at_start(start):
    alpha, proxy = begin(start, beta="https://127.0.0.1:1")
    for name, url in (("alpha", f"http://127.0.0.1:{alpha}"), ("beta", "https://127.0.0.1:1")):
        line, = wait_for(name, lambda: lines(proxy, f"{name} does not answer at {url}: connection refused. Check that the engine runs"))
        assert (line["level"], line["backend"], line["url"], line["error"]) == ("warn", name, url, "connection refused")
    assert post(proxy.port, PATH, chat())[0] == 502, "the proxy still serves"


def test_an_outage_is_logged_once_per_period_and_at_its_end(start):
    alpha, proxy = begin(start, repeat_after="2s", poll="off")
    for _ in range(20):
        assert post(proxy.port, PATH, chat())[0] == 502
    first = lines(proxy, "alpha does not answer")[0]
    assert len(first["exchange"]) == 36 and "held_back" not in first
    time.sleep(2)
    assert post(proxy.port, PATH, chat())[0] == 502
    # On a busy machine the first 20 requests may take longer than a period.
    _, *later = said = lines(proxy, "alpha does not answer")
    times = [datetime.datetime.fromisoformat(line["time"]) for line in said]
    assert later and all((b - a).total_seconds() > 1.99 for a, b in zip(times, times[1:]))
    assert sum(line.get("held_back", 0) for line in later) == 21 - len(said) and later[-1]["exchange"] != first["exchange"]

    start.engine(port=alpha)
    for _ in range(3):
        assert post(proxy.port, PATH, chat(max_tokens=1))[0] == 200
    line, = lines(proxy, "alpha answers again after")
    assert line["level"] == "info" and 2 <= line["seconds"] < 60 and line["backend"] == "alpha"
    assert len(lines(proxy, "beta does not answer")) >= 1 and not lines(proxy, "beta answers again")


def test_a_recovered_target_is_noticed_without_traffic(start):
    alpha, proxy = begin(start)
    wait_for("the warning", lambda: lines(proxy, "alpha does not answer"))
    start.engine(port=alpha)
    wait_for("the end of it", lambda: lines(proxy, "alpha answers again after"))


def test_a_broken_answer_is_logged_with_its_cause(start):
    def broken(raw, seen):
        raw.send(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf")
        raw.close()
    reference = start.scripted(broken)
    alpha, proxy = begin(start, beta=reference.url, poll="off")
    for _ in range(5):
        post(proxy.port, PATH, chat())
    line, = wait_for("the warning", lambda: lines(proxy, "beta at ", "did not complete an answer: the connection was closed before the end of the answer"))
    assert line["backend"] == "beta" and line["url"] == reference.url and len(line["exchange"]) == 36


def test_a_text_line_has_the_sentence_and_the_other_fields(start):
    alpha, proxy = begin(start, form="text", poll="off")
    post(proxy.port, PATH, chat())
    text = wait_for("the warning", lambda: re.search(r"^\S+ warn backend: (alpha .*)$", proxy.log(), re.M)).group(1)
    assert re.fullmatch(rf"alpha does not answer at http://127\.0\.0\.1:{alpha}: connection refused\. Check that the engine runs and that "
                        r"the URL is right\. exchange=[0-9a-f-]{36}", text), text


def calls():
    """For each log call in the sources, yield the names in its sentence and the names of its fields."""
    for file in sorted(ROOT.glob("*/**/*.c")):
        if file.parts[len(ROOT.parts)] in ("tests", ".check", "build"):
            continue
        for call in re.findall(r"\blog_(?:error|warn|info|debug)\((.*?)\);\n", file.read_text(), re.S):
            texts = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', call.split("log_field(")[0]))
            yield file.name, set(re.findall(r"\{(\w+)\}", texts)), set(re.findall(r'log_field\(\s*"([^"]+)"', call))


def test_each_log_message_has_its_documented_fields():
    found = list(calls())
    assert len(found) > 50
    for file, named, fields in found:
        assert named <= fields, (file, named - fields)
    text = (ROOT / "docs" / "operations.md").read_text().split("## Log\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", text, re.M)
    documented = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    every = {"time", "level", "module", "message", "held_back"}
    assert sorted(documented) == sorted(every | set().union(*(fields for _, _, fields in found)))
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", name) for name in documented)
