"""Known secrets in every place of requests and answers never appear in what plumbline writes: plain, escaped or as
numbers."""
import base64
import json
import pathlib
import urllib.parse

import pytest

from harness import SANITIZED, Proxy, chat, exported, plumbline, post, respond, wait_for
from read_capture import Segment, unwrap

CHAT, COMPLETIONS = "/v1/chat/completions", "/v1/completions"
MAIL, CARD, KEY, PHONE, IBAN, OWN = ("ann.lee@example.org", "4111 1111 1111 1111", "sk-proj-Ab12Cd34Ef56Gh", "+49 151 23456789",
                                     "DE89370400440532013000", "EMP-123456")
SECRETS = [MAIL, CARD, KEY, PHONE, IBAN, OWN]
SPACED = f"Mail {MAIL}, card {CARD}, key {KEY}, call {PHONE}, pay {IBAN}, I am {OWN}. Done."
# After a newline, a tab, a full stop, a quotation mark; percent-encoded; and all of it quoted again.
BEHIND = "\n".join(["Lines:", *SECRETS]) + "\n\t" + "\n\t".join(SECRETS) + "\n" + " ".join(f'No.{s} "{s}"' for s in SECRETS)
ENCODED = "https://example.net/?" + "&".join(f"x={urllib.parse.quote(s, safe='')}" for s in SECRETS)
TEXT = f"{SPACED} {BEHIND} {ENCODED} {json.dumps({'quoted': BEHIND})} All done."
TOKEN = 1533917204                  # the token id of a secret, with enough digits not to occur by chance in a time
CONFIG = r"""
capture:
  content: %s
"""
RULES = r"""  redact:
    patterns: ['EMP-\d{6}']
    members: [user, metadata.customer]
"""


def written(capture):
    """Return the content of a capture's files, raw and decompressed."""
    data = [path.read_bytes() for path in capture.iterdir() if path.is_file()]
    for path in capture.glob("*.seg"):
        segment = Segment(capture, path)
        for table in ("meta", "exchange", "leg", "part"):
            for key, value in segment.rows(table):
                data += [bytes(key), unwrap(value, value[1])]
    return b"\n".join(data)


def spellings(secret):
    yield secret.encode()
    yield json.dumps(secret)[1:-1].encode()
    yield "".join(f"\\u{ord(c):04x}" for c in secret).encode()
    yield urllib.parse.quote(secret, safe="").encode()
    yield urllib.parse.quote_plus(secret).encode()
    yield base64.b64encode(secret.encode())
    yield ",".join(str(b) for b in secret.encode()).encode()
    yield ", ".join(str(b) for b in secret.encode()).encode()


def expect_none(data, secrets):
    for secret in secrets:
        for spelling in spellings(secret):
            at = data.find(spelling)
            assert at < 0, f"{secret} occurs as {spelling}: ...{data[max(at - 80, 0):at + 80]}..."


def pieces(text, size):
    return [text[i:i + size] for i in range(0, len(text), size)]


def logprobs(text, size):
    return {"content": [{"token": t, "logprob": -0.5, "bytes": list(t.encode()),
                         "top_logprobs": [{"token": t, "logprob": -0.5, "bytes": list(t.encode())},
                                          {"token": t[::-1] + "~", "logprob": -2.5, "bytes": list((t[::-1] + "~").encode())}]}
                        for t in pieces(text, size)]}


def unary(text, size=3):
    return {"id": "x", "object": "chat.completion", "model": "m", "system_fingerprint": "fp", "usage": {"prompt_tokens": 3, "completion_tokens": 9},
            "choices": [{"index": 0, "finish_reason": "tool_calls", "logprobs": logprobs(text, size), "message": {
                "role": "assistant", "content": text, "reasoning_content": text, "refusal": None, "tool_calls": [
                    {"id": "c", "type": "function", "function": {"name": "f", "arguments": json.dumps({"mail": MAIL, text: [text]})}}]}}]}


def stream(text, size=1):
    def event(delta, **more):
        return b"data: " + json.dumps({"id": "x", "object": "chat.completion.chunk", "model": "m", "choices": [
            {"index": 0, "delta": delta, "finish_reason": None, **more}]}).encode() + b"\n\n"
    yield event({"role": "assistant", "content": ""})
    for piece in pieces(text, size):
        yield event({"content": piece}, logprobs=logprobs(piece, size))
        yield event({"reasoning_content": piece})
    for piece in pieces(json.dumps({"x": text}), 3):
        yield event({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
    yield b'data: {"id": "x", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'
    yield b": a comment for " + MAIL.encode() + b"\n\n"
    yield b"data: [DONE]\n\n"


def engine(raw, seen):
    """An engine that repeats the request in every part of its answer."""
    try:
        body = json.loads(seen.body)
    except ValueError:
        body = {"model": "fails"}
    if body["model"] == "fails":
        respond(raw, {"error": {"message": f"Incorrect key {KEY} of {MAIL}", "type": MAIL, "param": None}}, "400 Bad Request")
    elif body["model"] == "breaks":
        respond(raw, f"<html>Sorry, {TEXT}</html>".encode(), "502 Bad Gateway", content_type="text/html")
    elif body.get("stream"):
        data = b"".join(stream(TEXT))
        raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\nX-Request-Id: %s\r\n\r\n" % (len(data), MAIL.encode()))
        for piece in pieces(data, 4096):
            raw.send(piece)
    else:
        respond(raw, unary(TEXT), fields=[("X-Request-Id", MAIL)])


def ask_everything(port):
    tools = [{"type": "function", "function": {"name": "f", "description": TEXT, "parameters": {"type": "object", "properties": {MAIL: {}}}}}]
    history = [{"role": "system", "content": TEXT}, {"role": "user", "content": [{"type": "text", "text": TEXT}]},
               {"role": "assistant", "content": None, "tool_calls": [
                   {"id": "c", "type": "function", "function": {"name": "f", "arguments": json.dumps({"a": TEXT})}}]},
               {"role": "tool", "tool_call_id": "c", "content": TEXT},
               {"role": "tool", "tool_call_id": "d", "content": json.dumps({"rows": [BEHIND, {"again": json.dumps(BEHIND)}]})}]
    body = {**chat(TEXT), "messages": history, "tools": tools, "user": "Zebedee", "metadata": {"customer": "Zebedee", "x": TEXT, MAIL: "1"},
            "logit_bias": {}, "stop": [MAIL], "number": 4111111111111111}
    for more in ({}, {"stream": True}, {"model": "fails"}, {"model": "breaks"}, {"model": KEY}):
        post(port, f"{CHAT}?user={MAIL}&mail={urllib.parse.quote(MAIL)}&card={urllib.parse.quote_plus(CARD)}", {**body, **more}, [("X-Request-Id", MAIL)])
    escaped = json.dumps(body).replace("@", "\\u0040").replace("4111", "\\u0034111").encode()
    post(port, CHAT, escaped)
    post(port, COMPLETIONS, {"model": "m", "prompt": [TEXT, TEXT]})
    post(port, COMPLETIONS, {"model": "m", "prompt": [TOKEN, 1917, 77777]})
    post(port, CHAT, b'{"model": "m", "messages": [' + json.dumps(TEXT).encode())
    post(port, COMPLETIONS, urllib.parse.urlencode({"mail": MAIL, "all": SPACED, "phone": PHONE}).encode(),
         [("Content-Type", "application/x-www-form-urlencoded")])
    return 10


@pytest.mark.parametrize("content", ["redacted", "metadata"])
def test_no_secret_reaches_the_capture(start, content):
    primary, reference = start.scripted(engine), start.scripted(engine)
    proxy = start.proxy(primary.url, reference=reference.url, config=CONFIG % content + (RULES if content == "redacted" else ""))
    n = ask_everything(proxy.port)
    proxy.settled(n)
    metrics = proxy.metrics()
    proxy.stop()
    data = written(proxy.capture)
    expect_none(data, SECRETS + ["Zebedee"] + (["done.", str(TOKEN)] if content == "metadata" else []))
    expect_none(proxy.log().encode(), SECRETS)
    plumbline("capture", "verify", proxy.capture, check=0)
    lines = exported(proxy.capture)
    assert len(lines) == n and all(line["content"] == content for line in lines)
    if content == "redacted":
        assert metrics['plumbline_redactions_total{kind="email"}'] > 10 and metrics['plumbline_redactions_total{kind="pattern"}'] > 5
        assert all(line["redactions"] for line in lines if "Mail" in str(line["request"]["body"]))
        expect_none(str(lines).encode(), ["Zebedee", str(TOKEN)])
    else:
        assert not any("?" in line["request"]["target"] for line in lines), "a query is user content"
        assert all(not line["request"]["body"] and not leg["body"] and not leg["reading"] for line in lines for leg in line["legs"])


def test_redaction_does_not_change_the_traffic(start):
    primary, reference = start.scripted(engine), start.scripted(engine)
    proxy = start.proxy(primary.url, reference=reference.url, config=CONFIG % "redacted")
    status, _, body = post(proxy.port, CHAT, chat(TEXT))
    assert status == 200 and TEXT in json.loads(body)["choices"][0]["message"]["content"]
    proxy.settled(1, "reference")
    assert all(TEXT in json.loads(e.seen[-1].body)["messages"][0]["content"] for e in (primary, reference))


@pytest.mark.parametrize("streamed", [False, True])
def test_redaction_makes_no_difference(start, streamed):
    primary, reference = start.scripted(engine), start.scripted(engine)
    proxy = start.proxy(primary.url, reference=reference.url, config=CONFIG % "redacted" + RULES)
    for i in range(3):
        assert post(proxy.port, CHAT, chat(f"{i} {TEXT}", stream=streamed, logprobs=True, top_logprobs=2))[0] == 200
    proxy.settled(3, "reference")
    proxy.stop()
    for line in exported(proxy.capture):
        whole = json.loads(line["request"]["body"])["messages"][0]["content"]
        assert len(whole) == len(TEXT) + 2 and whole[1:7] == " Mail " and whole.endswith(" All done.")
        texts = {leg["reading"]["choices"][0]["text"] for leg in line["legs"]}
        assert len(texts) == 1 and len(texts.pop().encode()) == len(TEXT)
        for leg in line["legs"]:
            choice = leg["reading"]["choices"][0]
            assert "tokens_misspell" not in leg["reading"]["marks"]
            assert "".join(choice["columns"]["tokens"]) == choice["text"]
            assert leg["content"] == "redacted" and leg["redactions"] >= 6
            assert all(flags & 12 == 0 for flags in choice["columns"]["flags"]), "a token is not the first of its list any more"
    document = json.loads(plumbline("analyze", "--json", proxy.capture).stdout)
    group, = document["groups"]
    assert group["kept"]["redacted"] == 3 and group["kept"]["metadata"] == 0
    assert group["by_decoding"]["greedy"]["differ"]["count"] == 0 and group["by_decoding"]["greedy"]["pairs"] == 3


def test_show_marks_what_was_redacted(start):
    primary = start.scripted(lambda raw, seen: respond(raw, unary("No secret here.")))
    proxy = start.proxy(primary.url, "--inject", "off", config=CONFIG % "redacted")
    assert post(proxy.port, CHAT, chat(f"Write to {MAIL}."))[0] == 200
    proxy.settled(1)
    proxy.stop()
    shown = plumbline("capture", "show", exported(proxy.capture)[0]["id"], proxy.capture, check=0).stdout.decode()
    request, answer = shown.split("\n\n", 1)
    assert "redacted     in the request, about 1 secret or list of token ids was replaced" in request and MAIL not in shown
    assert "redacted     in the answer, about 1 secret or list of token ids was replaced" in answer


def test_a_report_marks_the_pairs_that_were_redacted(start):
    primary, reference = (start.scripted(lambda raw, seen, text=text: respond(raw, unary(text))) for text in (f"Yes, to {MAIL}.", "No."))
    proxy = start.proxy(primary.url, "--inject", "off", reference=reference.url, config=CONFIG % "redacted")
    assert post(proxy.port, CHAT, chat(f"Write to {MAIL} or {MAIL}?", temperature=0))[0] == 200
    proxy.settled(1, "reference")
    pair, = json.loads(plumbline("analyze", proxy.capture, "--json", "--exhibits", "1").stdout)["exhibits"]["items"]
    row, = exported(proxy.capture)
    counts = {leg["backend"]: leg["redactions"] for leg in row["legs"]}
    assert (pair["redactions"], pair["test"]["redactions"], pair["base"]["redactions"]) == (row["redactions"], counts["primary"], counts["reference"])
    assert row["redactions"] == 2 and counts["primary"] > counts["reference"] and MAIL not in json.dumps(pair)


def test_metadata_has_lengths_finish_and_equality(start):
    def other(raw, seen):
        respond(raw, {**unary("Another answer."), "model": "m"})
    primary = start.scripted(lambda raw, seen: respond(raw, unary("The same.")))
    same, different = start.scripted(lambda raw, seen: respond(raw, unary("The same.", 2))), start.scripted(other)
    proxy = start.proxy(primary.url, reference=[same.url, different.url], config=CONFIG % "metadata")
    assert post(proxy.port, CHAT, chat("Say."))[0] == 200
    proxy.settled(1, "reference-2")
    proxy.stop()
    groups = {(g["base"], g["test"]): g for g in json.loads(plumbline("analyze", "--json", proxy.capture, check=4).stdout)["groups"]}
    for base, differ in (("reference", 0), ("reference-2", 1)):
        group = groups[base, "primary"]
        assert group["left_out"]["metadata"] == 1 and group["left_out"]["unreadable"] == 0
        assert group["kept"]["greedy_differs"]["n"] == 1 and group["kept"]["greedy_differs"]["count"] == differ
        assert group["kept"]["finish_differs"]["count"] == 0 and group["kept"]["redacted"] == 0
    text = plumbline("analyze", proxy.capture, "--full", check=4).stdout.decode()
    assert "1 of 1 answers requested at temperature 0 differ, by their hashes, 100.0 %" in " ".join(text.split()), "one prompt has no interval"
    assert group["kept"]["greedy_differs"]["ci95"] is None
    legs = {leg["backend"]: leg for leg in exported(proxy.capture)[0]["legs"]}
    hashes = {name: leg["answer_hash"] for name, leg in legs.items()}
    assert hashes["primary"] == hashes["reference"] != hashes["reference-2"]
    assert legs["primary"]["answer_bytes"] == 9 and legs["primary"]["usage"]["completion_tokens"] == 9
    assert all(leg["finish"] == "tool_calls" and leg["model"] == "m" and leg["content"] == "metadata" for leg in legs.values())


def test_a_coded_answer_is_kept_as_redacted_text(start):
    import gzip

    def script(raw, seen):
        coded = gzip.compress(json.dumps(unary(TEXT)).encode())
        respond(raw, coded, fields=[("Content-Encoding", "gzip")])
    primary = start.scripted(script)
    proxy = start.proxy(primary.url, "--inject", "off", config=CONFIG % "redacted")
    assert post(proxy.port, CHAT, chat("Say."))[0] == 200
    assert post(proxy.port, "/v1/audio/speech", b"\x1f\x8b\0\xff" + MAIL.encode())[0] == 200
    proxy.settled(2)
    assert proxy.metrics()['plumbline_redact_refused_total{cause="form"}'] == 1
    proxy.stop()
    expect_none(written(proxy.capture), SECRETS[:5])
    first, second = exported(proxy.capture)
    assert first["legs"][0]["content_encoding"] is None and "All done." in first["legs"][0]["body"]
    assert second["content"] == "metadata" and second["request"]["body"] is None
    plumbline("capture", "verify", proxy.capture, check=0)


def test_redaction_stays_within_the_memory_limit(start):
    import zlib
    coder = zlib.compressobj(9, wbits=31)
    bomb = b"".join(coder.compress(bytes(1 << 20)) for _ in range(48)) + coder.flush()
    primary = start.scripted(lambda raw, seen: respond(raw, bomb, fields=[("Content-Encoding", "gzip")]))
    proxy = start.proxy(primary.url, "--inject", "off", config="memory_limit: 4MiB\n" + CONFIG % "redacted")
    before = proxy.rss()
    tree = b'{"model":"m","messages":[' + b"[]," * 200000 + b"{}]}"
    assert post(proxy.port, CHAT, tree)[2] == bomb
    proxy.settled(1)
    metrics = proxy.metrics()
    assert metrics['plumbline_redact_refused_total{cause="memory"}'] == 2, "the tree and the large body"
    assert metrics['plumbline_redact_refused_total{cause="form"}'] == 0
    wait_for("all memory for traffic to be freed", lambda: proxy.metrics()["plumbline_memory_bytes"] == 0)
    grown = proxy.rss() - before
    assert grown < 16 << 20 or SANITIZED, f"{grown >> 20} MiB"
    proxy.stop()
    row = exported(proxy.capture)[0]
    assert row["content"] == row["legs"][0]["content"] == "metadata" and row["request"]["body"] is None


@pytest.mark.parametrize("text, line, said", [
    ("capture:\n  content: some\n", 2, "content"),
    ("capture:\n  redact:\n    secrets: [email]\n", 3, "content: redacted"),
    ("capture:\n  content: redacted\n  redact:\n    secrets: [emial]\n", 4, "email"),
    ("capture:\n  content: redacted\n  redact:\n    patterns: ['(a']\n", 4, "regular expression"),
    ("capture:\n  content: redacted\n  redact:\n    patterns: ['']\n", 4, "empty text"),
    ("capture:\n  content: redacted\n  redact:\n    patterns:\n      - 'EMP-\\d+'\n      - '\\d*'\n", 6, "empty text"),
    ("capture:\n  content: redacted\n  redact:\n    members: [a..b]\n", 4, "names"),
    ("capture:\n  content: redacted\n  redact:\n    members: ['']\n", 4, "names"),
    ("capture:\n  content: redacted\n  redact:\n    memers: [a]\n", 4, "members"),
])
def test_a_pattern_error_has_its_line(tmp_path, text, line, said):
    file = tmp_path / "proxy.yaml"
    file.write_text(text)
    done = plumbline("proxy", "-c", file, "--primary", "http://127.0.0.1:1", "--capture", tmp_path / "c", "--check-config", check=2)
    assert f"proxy.yaml:{line}:" in done.stderr.decode() and said in done.stderr.decode(), done.stderr


def test_the_documented_example_works():
    example = pathlib.Path(__file__).parents[2] / "configs" / "private.yaml"
    shown = json.loads(plumbline("proxy", "-c", example, "--check-config", check=0).stdout)
    assert shown["capture"]["content"] == "redacted" and shown["capture"]["redact"]["patterns"] == 2


def test_redacted_requests_are_replayed_only_with_the_option(start):
    proxy = start.proxy(start.engine("--seed", "7").url, config=CONFIG % "redacted")
    texts = ["Tell me about the sea.", f"My address is {MAIL}.", "Tell me about the hills."]
    for text in texts:
        assert post(proxy.port, CHAT, chat(text))[0] == 200
    proxy.settled(3)
    assert proxy.stop() == 0
    rows = exported(proxy.capture)
    assert [row["redactions"] for row in rows] == [0, 1, 0]
    why = "private text in it was replaced"

    def asked(*flags):
        engine = start.scripted(lambda raw, seen: respond(raw, {"object": "chat.completion", "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}]}))
        done = plumbline("replay", proxy.capture, "--to", engine.url, "--capture", start.directory / f"new-{len(flags)}", "--json", *flags, check=0)
        said = [json.loads(s.body)["messages"][0]["content"] for s in engine.seen if s.target == CHAT]
        return json.loads(done.stdout.splitlines()[-1]), sorted(said), engine
    end, said, engine = asked()
    assert said == sorted([texts[0], texts[2]]) and end["completed"] == 2, "text without a placeholder is unchanged"
    assert end["unreplayable"] == [{"n": 1, "why": why}] and end["redacted"] == 0
    end, said, _ = asked("--redacted")
    assert len(said) == end["completed"] == 3 and end["redacted"] == 1 and end["unreplayable"] == [] and texts[1] not in said
    words = plumbline("replay", proxy.capture, "--to", engine.url, "--capture", start.directory / "words", "--redacted", check=0).stdout.decode()
    assert "1 request contained placeholders for private text" in words
    # Exports, a repro script, and an engine that plays answers back.
    done = plumbline("capture", "export", "--as", "batch", proxy.capture, check=0)
    assert len(done.stdout.splitlines()) == 2 and f"1 left out: {why}".encode() in done.stderr
    done = plumbline("repro", proxy.capture, rows[1]["id"], check=4)
    assert why.encode() in done.stderr and b"--redacted" in done.stderr and not done.stdout
    assert b"# The proxy replaced private text" in plumbline("repro", proxy.capture, rows[1]["id"], "--redacted", check=0).stdout
    assert b"private" not in plumbline("repro", proxy.capture, rows[0]["id"], check=0).stdout
    done = plumbline("repro", proxy.capture, rows[1]["id"], "--neighbours", "30s", "--to", engine.url, check=4)
    assert why.encode() in done.stderr
    again = start.engine("--from", proxy.capture)
    assert f"1 left out: {why}" in again.log()
    assert post(again.port, CHAT, chat(texts[0]))[2] == rows[0]["legs"][0]["body"].encode()
