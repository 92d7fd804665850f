"""Clients never see injected members, whatever form the engine gives them. If plumbline cannot cut an answer, it
stops injecting."""
import base64
import gzip
import hashlib
import json
import threading

import pytest

from harness import PATIENCE, Raw, chat, chunk, completion, exported, post, post_and_hear, request, respond, wait_for

CHAT, COMPLETION = "/v1/chat/completions", "/v1/completions"
LOGPROBS = {"content": [{"token": "a", "logprob": -0.5, "bytes": [97], "top_logprobs": []}]}
USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}


ABSENT = object()


def event(choices, end="\n", **more):
    body = {"id": "x", "object": "chat.completion", "model": "m", **({} if choices is ABSENT else {"choices": choices}), **more}
    return f"data: {json.dumps(body)}{end}{end}".encode()


ROLE = event([{"index": 0, "delta": {"role": "assistant"}}])


def chat_stream(asked, end, usage_event):
    """Two words and an end. With logprobs two more events, with usage one more."""
    lp = {"logprobs": LOGPROBS} if asked["logprobs"] else {}
    usage = {"usage": None} if asked["usage"] and usage_event == "null too" else {}
    yield f": ping{end}{end}".encode()
    yield f"id: 1{end}".encode() + event([{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}], end, **usage)
    if lp:
        yield event([{"index": 0, "delta": {}, **lp, "finish_reason": None}], end, **usage)
    yield f": note{end}event: message{end}".encode() + event([{"index": 0, "delta": {"content": "a"}, **lp}], end, **usage)
    if lp:
        yield event([{"index": 0, "delta": {"content": None, "reasoning_content": None}, **lp}], end, **usage)
    yield event([{"index": 0, "delta": {"content": "b"}, **lp, "finish_reason": "stop"}], end, **usage)
    if asked["usage"]:
        shapes = {"null too": [], "empty": [], "null": None, "none": ABSENT, "silent": [{"index": 0, "delta": {}, "finish_reason": None}]}
        yield event(shapes[usage_event], end, usage=USAGE)
    yield f"data: [DONE]{end}{end}".encode()


def completion_stream(asked, end, usage_event):
    lp = {"logprobs": {"tokens": ["a"], "token_logprobs": [-0.5]}} if asked["logprobs"] else {}
    for text in ("a", "b"):
        yield event([{"index": 0, "text": text, **lp, "finish_reason": None}], end)
        yield event([{"index": 0, "text": "", **lp, "finish_reason": None}], end)      # part of a character
        if lp:
            yield event([{"index": 0, "text": None, **lp, "finish_reason": None}], end)
    yield event([{"index": 0, "text": "", "finish_reason": "stop"}], end)
    if asked["usage"]:
        yield event([{"index": 0, "text": "", "finish_reason": None}], end, usage=USAGE)
    yield f"data: [DONE]{end}{end}".encode()


def wishes(seen):
    body = json.loads(seen.body)
    return {"logprobs": "logprobs" in body, "usage": bool((body.get("stream_options") or {}).get("include_usage"))}


@pytest.mark.parametrize("stream", [chat_stream, completion_stream])
@pytest.mark.parametrize("http", ["1.0", "1.1"])
@pytest.mark.parametrize("end, usage_event, kind", [
    ("\n", "empty", "text/event-stream"), ("\r\n", "silent", "text/event-stream; charset=utf-8"), ("\n", "null", None),
    ("\r\n", "none", "application/json"), ("\n", "null too", "text/plain")])
def test_added_members_are_cut_from_streams_of_every_form(start, stream, http, end, usage_event, kind):
    def script(raw, seen):
        raw.send(f"HTTP/{http} 200 OK\r\n" + (f"Content-Type: {kind}\r\n" if kind else "") + "Connection: close\r\n\r\n")
        for part in stream(wishes(seen), end, usage_event):
            raw.send(part)
        return False
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    plain = b"".join(stream({"logprobs": False, "usage": False}, end, usage_event))
    target, body = (CHAT, chat(stream=True)) if stream is chat_stream else (COMPLETION, completion(stream=True))
    for version in ("1.1", "1.1", "1.0", "1.1"):
        assert post(proxy.port, target, body, version=version)[2] == plain
    asked = [wishes(seen) for seen in engine.seen]
    assert asked[0] == {"logprobs": False, "usage": False} and asked[-1] == {"logprobs": True, "usage": True}
    assert proxy.metrics()["plumbline_uncut_total"] == 0


LATE = {
    "a role": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}],
    "a finish reason": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
    "a flag": [{"index": 0, "delta": {"content": "", "done": True}}],
    "usage": [{"index": 0, "delta": {}, "usage": USAGE}],
    "logprobs": [{"index": 0, "delta": {}, "logprobs": LOGPROBS, "finish_reason": "stop"}],
    "no list": None,
}


@pytest.mark.parametrize("late", LATE)
def test_what_was_added_after_the_end_is_cut(start, late):
    """Without added members, the stream ends with the finish_reason."""
    def stream(asked):
        lp = {"logprobs": LOGPROBS} if asked["logprobs"] else {}
        yield event([{"index": 0, "delta": {"role": "assistant", "content": ""}}], node="n1")
        yield event([{"index": 0, "delta": {"content": "a"}, **lp}], node="n1")
        if lp:
            yield event([{"index": 0, "delta": {"role": "assistant"}, **lp}], node="n1")
        yield event([{"index": 0, "delta": {}, "finish_reason": "stop"}], node="n1")
        if asked["usage"]:
            yield event(LATE[late], usage=USAGE, node="n1", timings={"ms": 4})
        yield b"data: [DONE]\n\n"
    engine = start.scripted(lambda raw, seen: respond(raw, b"".join(stream(wishes(seen))), content_type="text/event-stream"))
    proxy = start.proxy(engine.url, workers="1")
    for _ in range(4):
        assert post(proxy.port, CHAT, chat(stream=True))[2] == b"".join(stream({"logprobs": False, "usage": False}))
    assert [wishes(seen) for seen in engine.seen[1:]] == 3 * [{"logprobs": True, "usage": True}]


def test_numbered_events_end_injection(start):
    """The numbers count the events that only injection causes."""
    def script(raw, seen):
        events = [event([{"index": 0, "delta": {"content": word}}]) for word in "ab"] + [event([{"index": 0, "delta": {}, "finish_reason": "stop"}])]
        events += [event([], usage=USAGE)] * wishes(seen)["usage"] + [b"data: [DONE]\n\n"]
        respond(raw, b"".join(b"id: %d\n%s" % numbered for numbered in enumerate(events)), content_type="text/event-stream")
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    answers = [post(proxy.port, CHAT, chat(stream=True))[2] for _ in range(4)]
    assert answers == 4 * [answers[0]]
    assert [wishes(seen)["usage"] for seen in engine.seen] == [False, True] + 3 * [False] and ended(proxy, "ids") == 1


@pytest.mark.parametrize("stream", [True, False])
def test_parameters_that_the_answer_repeats_end_injection(start, stream):
    """Only the engine knows their values without added members."""
    def script(raw, seen):
        asked = wishes(seen)["logprobs"]
        choice = {"index": 0, "delta" if stream else "message": {"content": "a"}, "finish_reason": "stop", **({"logprobs": LOGPROBS} if asked else {})}
        if stream:
            respond(raw, event([choice], parameters={"logprobs": asked}), content_type="text/event-stream")
        else:
            respond(raw, {"choices": [choice], "parameters": {"logprobs": asked}})
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    answers = [post(proxy.port, CHAT, chat(stream=stream))[2] for _ in range(4)]
    assert answers == 4 * [answers[0]] and b'"logprobs": false' in answers[0].replace(b":false", b": false")
    assert [wishes(seen)["logprobs"] for seen in engine.seen] == [False, True] + 3 * [False] and ended(proxy, "place") == 1


def test_usage_that_the_engine_adds_itself_stays(start):
    def script(raw, seen):
        more = {"usage": USAGE} if len(engine.seen) > 1 else {}     # another engine replaced it behind the address
        respond(raw, event([{"index": 0, "delta": {"content": "a"}}]) + event([{"index": 0, "delta": {"content": "b"}, "finish_reason": "stop"}], **more),
                content_type="text/event-stream")
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    post(proxy.port, CHAT, chat(stream=True))
    assert json.dumps({"usage": USAGE})[1:-1].encode() in post(proxy.port, CHAT, chat(stream=True))[2]


WHOLE = {"choices": [{"index": 0, "message": {"content": "words"}, "finish_reason": "stop"}]}


def answer_of(seen):
    return json.dumps({"choices": [{**WHOLE["choices"][0], **({"logprobs": LOGPROBS} if b'"logprobs"' in seen.body else {})}]}).encode()


def ended(proxy, reason):
    return proxy.metrics()[f'plumbline_injection_ended_total{{reason="{reason}"}}']


@pytest.mark.parametrize("from_the_first", [True, False])
def test_unrequested_compression_ends_injection(start, from_the_first):
    def script(raw, seen):
        body = answer_of(seen)
        if from_the_first or len(engine.seen) > 1:
            return respond(raw, gzip.compress(body, mtime=0), fields=[("Content-Encoding", "gzip")])
        respond(raw, body)
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    for i in range(5):
        status, fields, body = post(proxy.port, CHAT, chat())
        assert status == 200 and json.loads(gzip.decompress(body) if ("Content-Encoding", "gzip") in fields else body) == WHOLE
    asked = [b'"logprobs"' in seen.body for seen in engine.seen]
    assert asked == [False] * 5 if from_the_first else [False, True, False, False, False, False]
    assert proxy.metrics()["plumbline_uncut_total"] == 0
    assert ended(proxy, "coding") == 1
    assert proxy.log().count('"reason":"it compresses its answers"') == 1
    # Tools or accepted codings do not make it another engine.
    post(proxy.port, CHAT, chat(tools=[{"type": "function", "function": {"name": "f"}}]))
    post(proxy.port, CHAT, chat(), [("Accept-Encoding", "gzip, br")])
    assert b'"logprobs"' not in engine.seen[-1].body and b'"logprobs"' not in engine.seen[-2].body
    assert ended(proxy, "coding") == 1


def test_each_client_gets_the_engines_content_coding(start):
    def script(raw, seen):
        body = answer_of(seen)
        if "gzip" in seen.low.get("accept-encoding", ""):
            return respond(raw, gzip.compress(body, mtime=0), fields=[("Content-Encoding", "gzip")])
        respond(raw, body)
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    for i in range(3):
        status, fields, body = post(proxy.port, CHAT, chat(), [("Accept-Encoding", "gzip, deflate")])
        assert ("Content-Encoding", "gzip") in fields and json.loads(gzip.decompress(body)) == WHOLE
        for accepts in ([], [("Accept-Encoding", "identity, gzip;q=0")]):
            fields = accepts and [("Accept-Encoding", "identity")] or []
            assert json.loads(post(proxy.port, CHAT, chat(), fields)[2]) == WHOLE
    assert {seen.low.get("accept-encoding") for seen in engine.seen} == {"gzip, deflate", "identity", None}
    assert [b'"logprobs"' in seen.body for seen in engine.seen] == [False, False, True, False, True, True, False, True, True]


@pytest.mark.parametrize("later", [True, False])
def test_an_uncuttable_stream_ends_injection(start, later):
    """Only the first events decide before the client has some of them."""
    def script(raw, seen):
        lp = ',"logprobs":{"content":[]}' if b'"logprobs"' in seen.body else ""
        apart = f'data: {{"choices":[\n: between\ndata: {{"index":0,"delta":{{"content":"a"}}{lp}}}]}}\n\n'.encode()
        raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        if later:
            raw.send(ROLE)
            assert heard.wait(PATIENCE)
        raw.send(apart)
        return False
    heard = threading.Event()
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    answers = [post_and_hear(proxy.port, CHAT, chat(stream=True), ROLE if later else b"", heard)[2] for _ in range(5)]
    assert [b"logprobs" in answer for answer in answers] == [False, later, False, False, False]
    figures = proxy.metrics()
    assert figures["plumbline_uncut_total"] == later and figures["plumbline_asked_again_total"] == (not later)
    assert ended(proxy, "lines") == 1
    assert proxy.log().count("no longer requests logprobs of") == 1 and "other lines between data" in proxy.log()


@pytest.mark.parametrize("framing", [b"Content-Length: 999", b"Connection: close"])     # the end of the connection may end the answer
def test_a_stream_broken_within_an_event_does_not_end_injection(start, framing):
    def script(raw, seen):
        if b"break" in seen.body and b'"logprobs"' in seen.body:
            raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + framing + b"\r\n\r\n" + event([{"index": 0, "text": "a"}]))
            raw.send(b'data: {"choices":[{"index":0,"text":"b","logprobs":{"tok')
            return False
        respond(raw, event([{"index": 0, "text": "a"}]) + event([{"index": 0, "text": "b"}]), content_type="text/event-stream")
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    post(proxy.port, COMPLETION, completion(stream=True))
    with Raw(proxy.port) as raw:
        raw.send(request("POST", COMPLETION, completion("break", stream=True), [("Connection", "close")]))
        assert b'"text": "a"' in raw.rest()
    post(proxy.port, COMPLETION, completion(stream=True))
    assert b'"logprobs"' in engine.seen[-1].body and ended(proxy, "text") == 0


def test_a_unary_answer_over_the_limit_ends_injection(start):
    def script(raw, seen):
        body = json.loads(answer_of(seen))
        if b'"logprobs"' in seen.body:
            body["choices"][0]["logprobs"]["content"] *= 60
        respond(raw, body)
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1", config="logprobs: {limit: 1KiB}\n")
    answers = [json.loads(post(proxy.port, CHAT, chat())[2])["choices"][0] for _ in range(4)]
    assert not any("logprobs" in answer for answer in answers)
    assert [b'"logprobs"' in seen.body for seen in engine.seen] == [False, True] + 3 * [False]
    assert proxy.metrics()["plumbline_uncut_total"] == 0 and ended(proxy, "long") == 1 and "is too long to be cut" in proxy.log()


@pytest.mark.parametrize("second", [True, False])
def test_a_whole_answer_that_cannot_be_cut_is_requested_again(start, second):
    def script(raw, seen):
        asked = b'"logprobs"' in seen.body
        if len(engine.seen) == 3 and not second:
            return respond(raw, {"error": {"message": "busy"}}, "429 Too Many Requests")
        respond(raw, {"choices": [{"index": 0, "message": {"content": "a", **({"logprobs": [1]} if asked else {})}, "finish_reason": "stop"}]})
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    answers = [post(proxy.port, CHAT, chat()) for _ in range(4)]
    assert [answer[0] for answer in answers] == 4 * [200]
    assert [b"logprobs" in answer[2] for answer in answers] == [False, not second, False, False], "the first answer is better than an error"
    assert [b'"logprobs"' in seen.body for seen in engine.seen] == [False, True] + 3 * [False]
    assert proxy.metrics()["plumbline_uncut_total"] == (not second) and ended(proxy, "place") == 1
    proxy.settled(4)
    assert not any("injection_refused" in leg["marks"] for row in exported(proxy.capture) for leg in row["legs"]), "it gave logprobs"


@pytest.mark.parametrize("unasked", [True, False])
def test_a_digest_of_the_answer_ends_injection(start, unasked):
    """It would not fit the cut body."""
    def script(raw, seen):
        body = answer_of(seen)
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        respond(raw, body, fields=[("Content-Digest", f"sha-256=:{digest}:")] if unasked or b'"logprobs"' in seen.body else [])
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    for _ in range(4):
        _, fields, body = post(proxy.port, CHAT, chat())
        digest = dict(fields).get("Content-Digest", "")
        assert json.loads(body) == WHOLE and (not unasked or base64.b64decode(digest[9:-1]) == hashlib.sha256(body).digest())
    assert [b'"logprobs"' in seen.body for seen in engine.seen] == ([False] * 4 if unasked else [False, True, False, False, False])
    assert ended(proxy, "digest") == 1 and "has a digest" not in proxy.log() and "its answers have a digest of their body" in proxy.log()


UNASKED = {"null": ',"logprobs":null', "absent": "", "empty": ',"logprobs":{"content":[]}'}


@pytest.mark.parametrize("first, then", [("null", "absent"), ("absent", "null"), ("empty", "empty")])
@pytest.mark.parametrize("stream", [True, False])
def test_plain_answers_of_various_forms_end_injection(start, stream, first, then):
    """The proxy cannot know what an answer would look like without its members."""
    def script(raw, seen):
        choice = '{"index":0,"%s":{"content":"a"}%s,"finish_reason":"stop"}'
        if stream:
            body = "".join(f'data: {{"choices":[{choice % ("delta", UNASKED[form])}]}}\n\n' for form in (first, then))
        else:
            body = '{"choices":[%s]}' % ",".join(choice % ("message", UNASKED[form]) for form in (first, then))
        respond(raw, body.encode(), content_type="text/event-stream" if stream else "application/json")
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    for _ in range(5):
        post(proxy.port, CHAT, chat(stream=stream))
    assert not any(b'"logprobs"' in seen.body for seen in engine.seen)
    assert ended(proxy, "mixed") == 1 and proxy.log().count("requests no logprobs of") == 1
    assert wishes(engine.seen[-1])["usage"] == stream, "usage can be cut"


def test_blanks_before_an_answer_reach_the_client_at_once(start):
    """Some engines send them so that clients do not give up on a slow answer."""
    heard = threading.Event()

    def script(raw, seen):
        raw.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode() + chunk(b"\n"))
        assert heard.wait(30)
        raw.send(chunk(b"\n") + chunk(answer_of(seen)) + chunk(b"\n") + b"0\r\n\r\n")
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    for _ in range(3):
        heard.clear()
        with Raw(proxy.port) as raw:
            raw.send(request("POST", CHAT, chat()))
            assert b"chunked" in raw.until(b"\r\n\r\n").lower()
            raw.until(b"\n\r\n")
            heard.set()
            body = raw.chunked()
        assert body.startswith(b"\n") and body.endswith(b"\n") and json.loads(body) == WHOLE
    assert [b'"logprobs"' in seen.body for seen in engine.seen] == [False, True, True]


def test_an_engine_that_breaks_off_on_added_members_is_asked_again_without_them(start):
    def script(raw, seen):
        if b'"logprobs"' not in seen.body:
            respond(raw, answer_of(seen), fields=[("Connection", "close")])
        return False
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    for _ in range(20):
        assert json.loads(post(proxy.port, CHAT, chat())[2]) == WHOLE
    assert [b'"logprobs"' in seen.body for seen in engine.seen] == [False] + 16 * [True, False] + 3 * [False]
    figures = proxy.metrics()
    assert figures["plumbline_asked_again_total"] == 16 and figures["plumbline_upstream_failures_total"] == 0
    assert ended(proxy, "strange") == 1 and proxy.log().count("requests no logprobs of") == 1


def test_an_engine_that_breaks_off_every_answer_does_not_end_injection(start):
    """An engine that restarts loses all requests, with added members or without."""
    restarts = threading.Event()

    def script(raw, seen):
        if not restarts.is_set():
            respond(raw, answer_of(seen), fields=[("Connection", "close")])
        return False
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    assert json.loads(post(proxy.port, CHAT, chat())[2]) == WHOLE
    restarts.set()
    assert [post(proxy.port, CHAT, chat())[0] for _ in range(20)] == 20 * [502]
    restarts.clear()
    assert json.loads(post(proxy.port, CHAT, chat())[2]) == WHOLE
    assert b'"logprobs"' in engine.seen[-1].body
    assert ended(proxy, "strange") == 0


PLACES = {"delta": {"delta": {"content": "a", "logprobs": LOGPROBS}}, "choice": {"delta": {"content": "a"}, "top_logprobs": [[1]]}}


@pytest.mark.parametrize("place", [*PLACES, "top"])
def test_members_in_unusual_places_end_injection(start, place):
    def script(raw, seen):
        asked = b'"logprobs"' in seen.body
        choice = {"index": 0, **(PLACES.get(place, {"delta": {"content": "a"}}) if asked else {"delta": {"content": "a"}})}
        first = event([{"index": 0, "delta": {"role": "assistant", "content": ""}}])
        respond(raw, first + event([choice], **({"logprobs": LOGPROBS} if asked and place == "top" else {})), content_type="text/event-stream")
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    answers = [post(proxy.port, CHAT, chat(stream=True))[2] for _ in range(4)]
    assert answers == 4 * [answers[0]]
    assert [b'"logprobs"' in seen.body for seen in engine.seen] == [False, True] + 3 * [False]
    assert ended(proxy, "place") == 1 and proxy.log().count("no longer requests logprobs of") == 1


@pytest.mark.parametrize("stream", [True, False])
def test_members_that_plain_answers_have_too_do_not_end_injection(start, stream):
    """Some engines repeat the request's parameters in the answer."""
    def script(raw, seen):
        lp = {"logprobs": LOGPROBS} if wishes(seen)["logprobs"] else {}
        more = {"logprobs": False, "params": {"top_logprobs": 0}}
        if stream:
            respond(raw, event([{"index": 0, "delta": {"content": "a"}, **lp}], **more)
                    + event([{"index": 0, "delta": {"content": "b"}, **lp, "finish_reason": "stop"}], **more), content_type="text/event-stream")
        else:
            respond(raw, {**json.loads(answer_of(seen)), **more})
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    answers = [post(proxy.port, CHAT, chat(stream=stream))[2] for _ in range(4)]
    assert answers == 4 * [answers[0]]
    assert [wishes(seen)["logprobs"] for seen in engine.seen] == [False, True, True, True]
    assert ended(proxy, "place") == 0 and proxy.metrics()["plumbline_uncut_total"] == 0


def send_usage_with_text(raw, seen, heard=None):
    """heard: an event; the text follows when the client has got the event with the role."""
    asked = wishes(seen)
    lp, usage = {"logprobs": LOGPROBS} if asked["logprobs"] else {}, {"usage": USAGE} if asked["usage"] else {}
    raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    if heard:
        raw.send(chunk(ROLE))
        assert heard.wait(PATIENCE)
    raw.send(chunk(event([{"index": 0, "delta": {"content": "a"}, **lp}]) + event([{"index": 0, "delta": {"content": "b"}, **lp, "finish_reason": "stop"}], **usage))
             + chunk(b""))


@pytest.mark.parametrize("later", [True, False])
def test_usage_in_an_event_with_text_ends_the_request_for_usage(start, later):
    heard = threading.Event()
    engine = start.scripted(lambda raw, seen: send_usage_with_text(raw, seen, heard if later else None))
    proxy = start.proxy(engine.url, workers="1")
    answers = [post_and_hear(proxy.port, CHAT, chat(stream=True), ROLE if later else b"", heard)[2] for _ in range(5)]
    assert [b'"usage"' in answer for answer in answers] == [False, later, False, False, False]
    again = [] if later else [(False, False)]
    assert [tuple(wishes(seen).values()) for seen in engine.seen] == [(False, False), (True, True)] + again + 3 * [(True, False)]
    assert proxy.log().count("together with text") == 1 and proxy.metrics()["plumbline_uncut_total"] == 0


def test_streams_under_way_when_the_request_for_usage_ends_do_not_end_injection(start):
    slow, answers = 20, []
    going = threading.Event()

    def script(raw, seen):
        assert b"slow" not in seen.body or going.wait(30)
        send_usage_with_text(raw, seen)

    def ask_slow():
        answers.append(post(proxy.port, CHAT, chat("slow", stream=True))[2])
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    plain = post(proxy.port, CHAT, chat(stream=True))[2]
    threads = [threading.Thread(target=ask_slow) for _ in range(slow)]
    for thread in threads:
        thread.start()
    wait_for("the slow requests", lambda: len(engine.seen) == 1 + slow)
    assert post(proxy.port, CHAT, chat(stream=True))[2] == plain
    going.set()
    for thread in threads:
        thread.join()
    assert answers == slow * [plain]
    assert post(proxy.port, CHAT, chat(stream=True))[2] == plain
    assert wishes(engine.seen[-1]) == {"logprobs": True, "usage": False}
    assert ended(proxy, "strange") == 0 and "unknown form" not in proxy.log()


def test_an_event_of_figures_at_the_end_is_not_taken_for_the_usage_event(start):
    def script(raw, seen):
        usage = {"usage": USAGE} if wishes(seen)["usage"] else {}
        lp = {"logprobs": LOGPROBS} if wishes(seen)["logprobs"] else {}
        respond(raw, event([{"index": 0, "delta": {"content": "a"}, **lp}]) + event([{"index": 0, "delta": {}, "finish_reason": "stop"}])
                + event([], stats={"ms": 4}, **usage), content_type="text/event-stream")
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    answers = [post(proxy.port, CHAT, chat(stream=True))[2] for _ in range(3)]
    assert answers == 3 * [answers[0]] and b'"stats"' in answers[0]
    assert [wishes(seen)["logprobs"] for seen in engine.seen] == [False, True, True]


def test_a_long_plain_stream_does_not_show_what_its_end_has(start):
    """The proxy keeps 1 MiB of it."""
    def script(raw, seen):
        usage = {"usage": USAGE} if wishes(seen)["usage"] else {}
        respond(raw, 30 * event([{"index": 0, "delta": {"content": 50_000 * "a"}}]) + event([{"index": 0, "delta": {}, "finish_reason": "stop"}])
                + event([], stats={"text": 300_000 * "b"}, **usage), content_type="text/event-stream")
    engine = start.scripted(script)
    proxy = start.proxy(engine.url, workers="1")
    answers = [post(proxy.port, CHAT, chat(stream=True))[2] for _ in range(3)]
    assert answers == 3 * [answers[0]]
    assert [wishes(seen) for seen in engine.seen[1:]] == 2 * [{"logprobs": True, "usage": False}]
