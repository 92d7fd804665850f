"""`plumbline engine --from` plays a capture back: the recorded bytes, at the recorded pace, several answers in turn."""
import json
import socket
import subprocess
import time
import urllib.error
import urllib.request

import pytest

from harness import PATIENCE, chat, completion, events, exported, plumbline, post
from test_sdk import CALLS, available, objects


def recorded(start, bodies, *flags, engine=("--seed", "7", "--ids", "random"), inject=True):
    """Record these requests; return the capture and the bodies that the client got."""
    proxy = start.proxy(start.engine(*engine).url, *flags)
    answers = []
    for path, body in bodies:
        answers.append(post(proxy.port, path, body))
    proxy.settled(len(bodies), "exchanges")
    assert proxy.stop() == 0
    return proxy.capture, answers


def ask(engine, path, body, fields={}):
    """Return status, fields and body of an answer."""
    request = urllib.request.Request(engine.url + path, json.dumps(body).encode(), {"Content-Type": "application/json", **fields})
    try:
        answer = urllib.request.urlopen(request, timeout=PATIENCE)
    except urllib.error.HTTPError as e:
        answer = e
    with answer:
        return answer.status, answer.headers, answer.read()


def timed(engine, path, body):
    """Return the arrival time of each event of a stream, in seconds since the request."""
    data = json.dumps(body).encode()
    with socket.create_connection(("127.0.0.1", engine.port), PATIENCE) as s:
        begun = time.monotonic()
        s.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
        times = []
        while piece := s.recv(65536):
            times += [time.monotonic() - begun] * piece.count(b"data: ")
    return times


SAID = [
    ("/v1/chat/completions", chat("Tell me about the sea.")),
    ("/v1/chat/completions", chat("Tell me about the sea.", stream=True)),
    ("/v1/completions", completion("Once upon a time")),
    ("/v1/completions", completion("Once upon a time", stream=True, stream_options={"include_usage": True})),
    ("/v1/chat/completions", chat("And with logprobs?", logprobs=True, top_logprobs=3)),
    ("/v1/chat/completions", chat("What went wrong?", max_tokens="many")),
]


def test_a_client_gets_the_recorded_bytes(start):
    capture, then = recorded(start, SAID)
    engine = start.engine("--from", capture, "--no-wait")
    for (path, body), (status, head, whole) in zip(SAID, then):
        again, fields, bytes_ = ask(engine, path, body)
        assert (again, bytes_) == (status, whole), body
        assert fields["x-plumbline-match"] == "exact"
        assert fields["content-type"] == {name.lower(): value for name, value in head}["content-type"]


def test_the_engines_own_bytes_are_played_without_injection(start):
    bodies = [("/v1/chat/completions", chat(f"Number {i}.", stream=i % 2 == 1, logprobs=True, stream_options={"include_usage": True}) if i % 2 else
               chat(f"Number {i}.", logprobs=True)) for i in range(4)]
    capture, _ = recorded(start, bodies)
    engine = start.engine("--from", capture, "--no-wait")
    out = start.directory / "bodies"
    for row, (path, body) in zip(exported(capture), bodies):
        done = subprocess.run(["curl", "-sS", engine.url + path, "-H", "Content-Type: application/json", "-d", json.dumps(body),
                               "-o", out, "-w", "%{http_code}"], capture_output=True, text=True, timeout=PATIENCE, check=True)
        leg, = row["legs"]
        assert done.stdout == str(leg["status"])
        assert out.read_bytes() == leg["body"].encode()


def test_several_answers_to_one_question_come_in_turn(start):
    body = chat("Say something new.", temperature=1.5)
    capture, then = recorded(start, [("/v1/chat/completions", body)] * 3)
    wholes = [whole for _, _, whole in then]
    assert len(set(wholes)) == 3
    engine = start.engine("--from", capture, "--no-wait")
    seen = [ask(engine, "/v1/chat/completions", body) for _ in range(6)]
    assert [whole for _, _, whole in seen] == wholes * 2
    assert [fields["x-plumbline-recorded"].split("; ")[1] for _, fields, _ in seen] == [f"take={i}/3" for i in (1, 2, 3)] * 2


def test_an_unrecorded_request_gets_a_clear_error(start):
    capture, _ = recorded(start, SAID)
    engine = start.engine("--from", capture, "--no-wait")
    cases = [
        ("/v1/chat/completions", chat("Never heard."), "is not one of the"),
        ("/v1/completions", completion("Never heard."), "is not one of the"),
        ("/v1/chat/completions", chat("And with logprobs?", stream=True), "only without"),
        ("/v1/audio/speech", {"input": "x"}, "no prompt"),
        ("/v1/chat/completions", [1, 2], "no prompt"),
    ]
    for path, body, words in cases:
        status, fields, whole = ask(engine, path, body)
        error = json.loads(whole)["error"]
        assert status == 404 and words in error["message"] and error["type"] == "not_found_error", (path, body, whole)
    status, _, _ = ask(engine, "/v1/chat/completions", chat("Tell me about the sea.", model="other"))
    assert status == 200
    strict = start.engine("--from", capture, "--no-wait", "--strict-model")
    status, _, whole = ask(strict, "/v1/chat/completions", chat("Tell me about the sea.", model="other"))
    assert status == 404 and "not recorded with the model" in json.loads(whole)["error"]["message"]


def test_other_parameters_get_the_prompts_answer_with_a_warning(start):
    capture, then = recorded(start, SAID)
    engine = start.engine("--from", capture, "--no-wait")
    status, fields, whole = ask(engine, "/v1/chat/completions", chat("Tell me about the sea.", max_tokens=3, temperature=0.2))
    assert (status, fields["x-plumbline-match"], whole) == (200, "prompt", then[0][2])


def test_nearest_mode_gives_a_marked_similar_answer(start):
    system = {"role": "system", "content": "You are helpful, kind, and say no more than what is asked for. " * 20}
    texts = ["How high is the tower in the old town?", "Which river flows through the valley?", "Who wrote the book of songs?"]
    bodies = [("/v1/chat/completions", chat("") | {"messages": [system, {"role": "user", "content": text}]}) for text in texts]
    capture, then = recorded(start, bodies)
    engine = start.engine("--from", capture, "--no-wait", "--unknown", "nearest")
    for (path, body), (_, _, whole) in zip(bodies, then):
        asked = body["messages"][1]["content"].replace("the", "that").replace("?", ", please?")
        status, fields, again = ask(engine, path, body | {"messages": [system, {"role": "user", "content": asked}]})
        assert (status, again) == (200, whole)
        how, similarity = fields["x-plumbline-match"].split("; similarity=")
        assert how == "nearest" and 0.3 < float(similarity) < 1


def test_models_are_those_of_the_recorded_requests(start):
    capture, _ = recorded(start, SAID + [("/v1/completions", completion("Another", model="second"))])
    engine = start.engine("--from", capture, "--no-wait")
    listed = json.load(urllib.request.urlopen(engine.url + "/v1/models", timeout=PATIENCE))
    assert sorted(m["id"] for m in listed["data"]) == ["second", "simulated"]


def test_a_request_that_named_no_model_adds_none(start):
    nameless = {"messages": [{"role": "user", "content": "Who are you?"}], "max_tokens": 4}
    capture, then = recorded(start, [*SAID[:1], ("/v1/chat/completions", nameless)])
    engine = start.engine("--from", capture, "--no-wait")
    models = json.loads(urllib.request.urlopen(f"{engine.url}/v1/models", timeout=PATIENCE).read())["data"]
    assert [m["id"] for m in models] == ["simulated"]
    assert [ask(engine, path, body)[2] for path, body in [*SAID[:1], ("/v1/chat/completions", nameless)]] == [answer[2] for answer in then]
    strict = start.engine("--from", capture, "--no-wait", "--strict-model")
    assert ask(strict, "/v1/chat/completions", nameless)[2] == then[1][2]
    assert ask(strict, "/v1/chat/completions", {**nameless, "model": "other"})[0] == 404


def test_playback_is_never_faster_and_hardly_slower(start):
    """A busy machine delays events. So no event may be early, but only one of ten tries must be in time."""
    body = chat("Slowly, please.", stream=True, max_tokens=20)
    capture, _ = recorded(start, [("/v1/chat/completions", body)], engine=("--seed", "7", "--ttft", "200ms", "--itl", "20ms"))
    leg, = exported(capture)[0]["legs"]
    first, whole = leg["first_content_us"] / 1e6, leg["end_us"] / 1e6
    assert first > 0.19 and whole > 0.5
    for flags, speed in (((), 1), (("--speed", "4x"), 4)):
        engine = start.engine("--from", capture, *flags)
        for _ in range(10):
            times = timed(engine, "/v1/chat/completions", body)
            assert times[0] >= 0.19 / speed and times[-1] >= whole / speed - 0.02
            # The pauses are between the pieces, too, not all before the first.
            if times[-1] < whole / speed + 0.3 and times[-1] - times[0] > (whole - first) / speed * 0.6:
                break
        else:
            raise AssertionError("every try was late")
    engine = start.engine("--from", capture, "--no-wait")
    assert any(timed(engine, "/v1/chat/completions", body)[-1] < 0.19 for _ in range(10))


def test_a_broken_answer_breaks_again(start):
    body = chat("Broken.", stream=True)
    proxy = start.proxy(start.engine("--seed", "7", "--fault", "cut").url)
    subprocess.run(["curl", "-sS", f"http://127.0.0.1:{proxy.port}/v1/chat/completions", "-d", json.dumps(body)], capture_output=True, timeout=PATIENCE)
    proxy.settled(1, "exchanges")
    assert proxy.stop() == 0
    leg, = exported(proxy.capture)[0]["legs"]
    assert leg["outcome"] == "broken"
    engine = start.engine("--from", proxy.capture)
    done = subprocess.run(["curl", "-sS", engine.url + "/v1/chat/completions", "-d", json.dumps(body)], capture_output=True, timeout=PATIENCE)
    assert done.returncode == 18 and len(done.stdout) == leg["body_bytes"]


def test_no_credential_is_played_back(start):
    capture, _ = recorded(start, SAID)
    engine = start.engine("--from", capture, "--no-wait")
    _, fields, _ = ask(engine, *SAID[0], fields={"Authorization": "Bearer sk-secret", "Cookie": "a=b"})
    assert not any(word in str(fields).lower() for word in ("secret", "authorization", "cookie"))


def test_playback_supports_only_the_fault_down(start):
    capture, then = recorded(start, SAID)
    engine = start.engine("--from", capture, "--no-wait")
    for number in (0, 1):
        path, body = SAID[number]
        assert ask(engine, path, body, {"x-plumbline-fault": "429"})[0] == 429
        status, fields, whole = ask(engine, path, body, {"x-plumbline-fault": "gzip;http10;two-cl;cut"})
        assert (status, whole) == (200, then[number][2]) and "content-encoding" not in fields


def test_an_empty_capture_and_wrong_usage_are_errors(start):
    proxy = start.proxy(start.engine().url)
    assert proxy.stop() == 0
    assert b"can be served again" in plumbline("engine", "--from", proxy.capture, check=4).stderr
    assert plumbline("engine", "--from", start.directory / "none", check=2).stderr
    assert b"add --from DIR" in plumbline("engine", "--speed", "2x", check=2).stderr
    for flag, value, why in (("--speed", "0x1", b"factor"), ("--speed", "-1", b"factor"), ("--speed", "", b"empty value"), ("--noise", "0x1", b"a number"),
                             ("--noise", "1e-3", b"a number"), ("--fault", "cut=0x1p-1", b"is not a valid value"), ("--workers", "0", b"from 1 to 64"),
                             ("--seed", " 1", b"needs a number"), ("--listen", "8101", b"HOST:PORT"), ("--listen", ":x", b"HOST:PORT"),
                             ("--listen", "a:65536", b"HOST:PORT"), ("--ids", "both", b"--ids"), ("--ttft", "5", b"a time"), ("--jitter", "x", b"share")):
        assert why in plumbline("engine", flag, value, check=2).stderr, (flag, value)
    assert b"unexpected argument" in plumbline("engine", "capture", check=2).stderr
    # The command line is right in every spelling; only the capture does not exist.
    for zero in ("0", "0.0"):
        assert b"--speed" not in plumbline("engine", "--from", start.directory / "none", "--speed", zero, check=2).stderr


@pytest.mark.slow
@pytest.mark.parametrize("language", CALLS)
def test_sdks_make_the_same_objects_again(start, language):
    if not available(language):
        pytest.skip(f"the {language} SDK is not installed")
    proxy = start.proxy(start.engine("--seed", "7").url)
    then = objects(language, f"http://127.0.0.1:{proxy.port}")
    proxy.settled()
    assert proxy.stop() == 0
    engine = start.engine("--from", proxy.capture, "--no-wait")
    again = objects(language, engine.url)
    # The engine makes the list of models itself. A route without a prompt has another error text.
    told = {name for name in then if not name.startswith("models") and "no such route" not in name}
    assert len(told) > 20
    for name in told:
        assert again[name] == then[name], name
