"""Recorded traffic of other tools: credentials and ambiguous URLs stay out of captures, exports and replays."""
import gzip
import json

import pytest

from harness import chat, export_forms, exported, plumbline, post, respond

CHAT = "/v1/chat/completions"
SECRET = "S3CR3T"
ANSWER = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "usage": {"prompt_tokens": 2, "completion_tokens": 1, "total_tokens": 3},
          "choices": [{"index": 0, "message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}]}


def entry(url, text="Is it?", content_type="application/json", **request):
    return {"startedDateTime": "2026-01-02T03:04:05.678Z", "time": 5.5,
            "request": {"method": "POST", "url": url, "postData": {"mimeType": "application/json", "text": json.dumps(chat(text, max_tokens=1))}, **request},
            "response": {"status": 200, "content": {"mimeType": content_type, "text": json.dumps(ANSWER)}}}


def har(path, *entries, mark=b""):
    path.write_bytes(mark + json.dumps({"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": entries}}).encode())
    return path


def with_keys(tmp_path):
    """Return an entry with a key in each place that a tool writes."""
    fields = [{"name": "Authorization", "value": f"Bearer {SECRET}"}, {"name": "Cookie", "value": f"a={SECRET}"}, {"name": "x-api-key", "value": SECRET}]
    e = entry(f"http://user:{SECRET}@host{CHAT}?api_key={SECRET}&a=b#{SECRET}", headers=fields, cookies=[{"name": "a", "value": SECRET}],
              queryString=[{"name": "api_key", "value": SECRET}])
    e["response"] |= {"headers": [{"name": "Set-Cookie", "value": SECRET}], "cookies": [{"name": "a", "value": SECRET}]}
    return har(tmp_path / "keys.har", e)


def batch(tmp_path, url):
    (tmp_path / "in.jsonl").write_text(json.dumps({"custom_id": "one", "method": "POST", "url": url, "body": chat("Is it?", max_tokens=1)}) + "\n")
    (tmp_path / "out.jsonl").write_text(json.dumps({"id": "x", "custom_id": "one", "response": {"status_code": 200, "body": ANSWER}, "error": None}) + "\n")
    return tmp_path / "out.jsonl", "--requests", tmp_path / "in.jsonl"


def holds_secret(capture):
    return [p.name for p in capture.iterdir() if SECRET.encode() in p.read_bytes()]


@pytest.mark.parametrize("kind", ["har", "batch"])
def test_no_key_of_recorded_traffic_is_kept_or_exported(tmp_path, kind):
    source = (with_keys(tmp_path),) if kind == "har" else batch(tmp_path, f"{CHAT}?api_key={SECRET}&a=b#{SECRET}")
    capture = tmp_path / "capture"
    plumbline("import", *source, "--to", capture, check=0)
    assert [e["request"]["target"] for e in exported(capture)] == [f"{CHAT}?api_key=...&a=b"] and not holds_secret(capture)
    for form in export_forms():
        assert SECRET.encode() not in plumbline("capture", "export", "--as", form, capture).stdout, form


@pytest.mark.parametrize("kind", ["har", "batch", "capture"])
def test_no_key_of_recorded_traffic_is_sent_to_another_backend(start, tmp_path, kind):
    file, new = with_keys(tmp_path), tmp_path / "new"
    if kind == "batch":
        file = batch(tmp_path, f"{CHAT}?api_key={SECRET}&a=b#{SECRET}")[2]
    elif kind == "capture":
        plumbline("import", file, "--to", tmp_path / "capture", check=0)
        file = tmp_path / "capture"
    engine = start.scripted(lambda raw, seen: respond(raw, ANSWER))
    plumbline("replay", file, "--to", engine.url, "--capture", new, check=0)
    sent = [seen for seen in engine.seen if seen.method == "POST"]
    assert sent and all(seen.target == f"{CHAT}?a=b" for seen in sent)
    assert not any(SECRET in f"{seen.target} {seen.fields} {seen.body}" for seen in engine.seen) and not holds_secret(new)


HOSTILE = [f"http://h{CHAT}?a=b c\r\nX-Evil: y", f"http://h{CHAT}?a=b\rX-Evil: y", f"http://h{CHAT}?a b"]


def test_an_ambiguous_url_is_left_out(start, tmp_path):
    capture, new = tmp_path / "capture", tmp_path / "new"
    file = har(tmp_path / "x.har", *(entry(url) for url in HOSTILE), entry(f"http://h{CHAT}", "Fine?", "application/json\rX-Evil: 1"))
    done = json.loads(plumbline("import", file, "--to", capture, "--json", check=0).stdout)
    assert done["answers"] == 1 and done["unfit"] == [{"n": 3, "why": "its url is not valid in a request"}]
    assert exported(capture)[0]["legs"][0]["content_type"] == "application/json"
    assert b"Evil" not in plumbline("capture", "export", "--as", "gor", capture, check=0).stdout
    for url in HOSTILE:
        output, *flags = batch(tmp_path, url.removeprefix("http://h"))
        assert b"its url is not valid in a request" in plumbline("import", output, *flags, "--to", tmp_path / "none", check=4).stdout
        engine = start.scripted(lambda raw, seen: respond(raw, ANSWER))
        plumbline("replay", flags[1], "--to", engine.url, "--capture", new)
        assert not any(seen.method == "POST" for seen in engine.seen)


def test_no_export_of_a_redacted_capture_has_replaced_text(start, tmp_path):
    proxy = start.proxy(start.engine().url)
    for i in range(2):
        post(proxy.port, CHAT, chat(f"Zanzibar number {i}, my dear Featherstonehaugh?", max_tokens=8))
    proxy.settled(2)
    proxy.stop()
    said = [leg["reading"]["choices"][0]["text"] for e in exported(proxy.capture) for leg in e["legs"]]
    scrubbed = tmp_path / "scrubbed"
    plumbline("capture", "scrub", proxy.capture, "--out", scrubbed, check=0)
    for form in export_forms():
        done = plumbline("capture", "export", "--as", form, scrubbed)
        assert not any(word.encode() in done.stdout for word in ("Zanzibar", "Featherstonehaugh", *said)), form
        if form != "jsonl":
            assert done.returncode == 4 and done.stderr.startswith(b"plumbline capture export: 2 left out: "), (form, done)


def test_a_har_file_may_have_a_byte_order_mark(start, tmp_path):
    file = har(tmp_path / "x.har", entry(f"http://h{CHAT}"), mark=b"\xef\xbb\xbf")
    assert json.loads(plumbline("import", file, "--to", tmp_path / "capture", "--json", check=0).stdout)["answers"] == 1
    engine = start.scripted(lambda raw, seen: respond(raw, ANSWER))
    plumbline("replay", file, "--to", engine.url, "--capture", tmp_path / "new", check=0)
    assert any(seen.method == "POST" for seen in engine.seen)


STREAM = "".join(f"data: {json.dumps({'id': 'x', 'object': 'chat.completion.chunk', 'choices': [{'index': 0, 'delta': {'content': part}, 'finish_reason': end}]})}\n\n"
                 for part, end in (("Yes", None), (".", "stop")))
WHOLE = json.dumps(ANSWER)
# Answer, its type, other members of the file, expected outcome.
ENDS = {
    "whole": (WHOLE, "application/json", {}, "complete"),
    "half a document": (WHOLE[:-20], "application/json", {}, "broken"),
    "nothing": ("", "application/json", {}, "broken"),
    "a stream": (STREAM + "data: [DONE]\n\n", "text/event-stream", {}, "complete"),
    "a stream that ends with a reason": (STREAM, "text/event-stream", {}, "complete"),
    "a stream that breaks off": (STREAM.split("\n\n")[0] + "\n\n", "text/event-stream", {}, "broken"),
    "a stream that breaks off, without a time": (STREAM.split("\n\n")[0], "text/event-stream", {"time": None}, "broken"),
    "an error in a browser": (WHOLE, "application/json", {"_error": "net::ERR_CONTENT_LENGTH_MISMATCH"}, "broken"),
    "no error in a browser": (WHOLE, "application/json", {"_error": None}, "complete"),
    "an error page": ("<h1>Bad gateway</h1>", "text/html", {"status": 502}, "complete"),
}


@pytest.mark.parametrize("name", ENDS)
def test_an_imported_answer_keeps_its_outcome(tmp_path, name):
    text, kind, more, outcome = ENDS[name]
    e = entry(f"http://me:{SECRET}@Host.example:8000{CHAT}", content_type=kind)
    e["response"] |= {"status": more.get("status", 200), **{k: v for k, v in more.items() if k == "_error"}}
    e["response"]["content"]["text"] = text
    if "time" in more:
        del e["time"]
    capture, second = tmp_path / "capture", tmp_path / "second"
    plumbline("import", f"b={har(tmp_path / 'x.har', e)}", "--to", capture, check=0)
    leg = exported(capture)[0]["legs"][0]
    assert leg["outcome"] == outcome and leg["url"] == "http://Host.example:8000" and leg["body"] == text
    (tmp_path / "y.har").write_bytes(plumbline("capture", "export", "--as", "har", capture, check=0).stdout)
    plumbline("import", f"b={tmp_path / 'y.har'}", "--to", second, check=0)
    again = exported(second)[0]["legs"][0]
    assert [again[k] for k in ("outcome", "url", "body", "status")] == [leg[k] for k in ("outcome", "url", "body", "status")]


def test_truncated_answers_are_no_difference(tmp_path):
    capture = tmp_path / "capture"
    whole, cut = entry(f"http://h{CHAT}"), entry(f"http://h{CHAT}")
    cut["response"]["content"]["text"] = WHOLE[:-60]
    plumbline("import", f"a={har(tmp_path / 'a.har', whole)}", f"b={har(tmp_path / 'b.har', cut)}", "--to", capture, check=0)
    group = json.loads(plumbline("analyze", capture, "--json").stdout)["groups"][0]
    assert (group["base"], group["test"], group["is_floor"]) == ("a", "b", False)
    assert group["left_out"]["pairs"] == 1 and group["left_out"]["test_cut"] == {"broken": 1} and group["left_out"]["base_cut"] == {}


MONKEYS = "\n\U0001f435\U0001f648\U0001f649\n".encode()
ASKED = 1767323045 * 10**9


def gor_request(number, text="Is it?", target=CHAT, fields=b"Host: h:8000\r\n"):
    body = json.dumps(chat(text, max_tokens=1)).encode()
    return b"1 %040x %d 0\nPOST %s HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n%s" % (number, ASKED, target.encode(), fields, len(body), body)


def gor_answer(number, body=WHOLE.encode(), kind=2, fields=None, at=ASKED + 10**9, took=5 * 10**8, status=b"HTTP/1.1 200 OK"):
    fields = b"Content-Length: %d\r\n" % len(body) if fields is None else fields
    return b"%d %040x %d %d\n%s\r\nContent-Type: application/json\r\n%s\r\n%s" % (kind, number, at, took, status, fields, body)


def chunked(body, last=True):
    middle = len(body) // 2
    return b"".join(b"%X\r\n%s\r\n" % (len(part), part) for part in (body[:middle], body[middle:])) + (b"0\r\n\r\n" if last else b"")


def gored(tmp_path, *records, check=0):
    file, capture = tmp_path / "x.gor", tmp_path / "capture"
    file.write_bytes(b"".join(r + MONKEYS for r in records))
    done = plumbline("import", f"b={file}", "--to", capture, "--json", check=check)
    return json.loads(done.stdout), done.stderr.decode(), exported(capture) if capture.exists() else []


def test_answers_that_goreplay_recorded_are_joined_by_their_ids(tmp_path):
    gzipped = gzip.compress(WHOLE.encode())
    coded = b"Content-Encoding: gzip\r\nContent-Length: %d\r\n" % len(gzipped)
    done, _, rows = gored(
        tmp_path, gor_answer(2), gor_request(1, "One"), gor_request(2, "Two"), gor_request(3, "Three"), gor_request(4, "Four"), gor_request(5, "Five"),
        gor_answer(3, chunked(WHOLE.encode()), fields=b"Transfer-Encoding: chunked\r\n"), gor_answer(1), gor_answer(4, gzipped, fields=coded),
        gor_answer(1, kind=3, at=ASKED, took=7 * 10**8), gor_answer(77))
    assert done["answers"] == 5 and done["damaged"] == 0
    assert sorted((u["n"], u["why"]) for u in done["unfit"]) == [(1, "an answer whose request is not in the file"), (1, "it has no answer")]
    legs = {json.loads(e["request"]["body"])["messages"][0]["content"]: {leg["backend"]: leg for leg in e["legs"]} for e in rows}
    assert {said: sorted(by) for said, by in legs.items()} == {"One": ["b", "b/replayed"], "Two": ["b"], "Three": ["b"], "Four": ["b"]}
    for by in legs.values():
        assert all(leg["reading"]["choices"][0]["text"] == "Yes." and leg["outcome"] == "complete" for leg in by.values())
        assert (by["b"]["head_us"], by["b"]["end_us"], by["b"]["url"]) == (10**6, 15 * 10**5, "http://h:8000")
    assert legs["One"]["b/replayed"]["end_us"] == 7 * 10**5 and legs["One"]["b/replayed"]["url"] is None


def test_a_gor_file_error_has_its_line(tmp_path):
    records = [gor_request(1), gor_answer(1, WHOLE.encode()[:-9], fields=b"Content-Length: 999\r\n"), b"nonsense", gor_request(2, "Two"), gor_request(3, "Three"),
               gor_answer(2, chunked(WHOLE.encode(), last=False), fields=b"Transfer-Encoding: chunked\r\n"), gor_answer(3, status=b"HTTP/1.1 OK"),
               gor_request(4, "Four", target=f"{CHAT}?api_key={SECRET}"), gor_answer(4), b"2 ff 1 1\nHTTP/1.1 200 OK",
               b"1 %040x 1 0\nPOST %s HTTP/1.1\r\n\r\n" % (5, CHAT.encode()), gor_answer(5)]
    lines = [1 + sum((r + MONKEYS).count(b"\n") for r in records[:i]) for i in range(len(records))]
    done, said, rows = gored(tmp_path, *records, check=1)
    file = tmp_path / "x.gor"
    assert said.splitlines() == [f"{file}:{lines[2]}: a record does not begin with its kind, id and time",
                                 f"{file}:{lines[9]}: the head of an answer has no end",
                                 f"{file}:{lines[6]}: an answer has no status line", f"{file}:{lines[11]}: its request has no body"]
    assert done["answers"] == 3 and [leg["outcome"] for e in rows for leg in e["legs"]] == ["broken", "broken", "complete"]
    assert rows[2]["request"]["target"] == f"{CHAT}?api_key=..." and not holds_secret(tmp_path / "capture")


@pytest.mark.parametrize("coding", [b"chunked", b"Chunked", b"gzip, CHUNKED "])
def test_chunks_are_joined_for_every_spelling_of_the_coding(tmp_path, coding):
    done, _, rows = gored(tmp_path, gor_request(1), gor_answer(1, chunked(WHOLE.encode()), fields=b"Transfer-Encoding: %s\r\n" % coding))
    assert done["answers"] == 1 and rows[0]["legs"][0]["body"] == WHOLE


def test_the_answer_follows_100_continue(tmp_path):
    interim = b"HTTP/1.1 100 Continue\r\n\r\n"
    records = [gor_request(1), gor_answer(1, status=interim + b"HTTP/1.1 200 OK"), gor_request(2, "Two"), b"2 %040x 1 1\n%s" % (2, interim),
               gor_request(3, "Three"), gor_answer(3, status=b"HTTP/1.1 999 No")]
    done, said, rows = gored(tmp_path, *records, check=1)
    leg, = (leg for e in rows for leg in e["legs"])
    assert (leg["status"], leg["outcome"], leg["body"]) == (200, "complete", WHOLE)
    assert [line.split(": ", 1)[1] for line in said.splitlines()] == ['an answer has only "100 Continue" or a similar status', "an answer has no status line"]
    assert done["unfit"] == [{"n": 1, "why": "it has no answer"}]


def test_requests_that_share_an_id_get_no_answer(tmp_path):
    done, _, rows = gored(tmp_path, gor_request(1, "One"), gor_answer(1), gor_request(1, "Two"), gor_answer(1), gor_request(2, "Three"), gor_answer(2))
    assert done["answers"] == 1 and done["unfit"] == [{"n": 2, "why": "another request has the same id"}]
    assert json.loads(rows[0]["request"]["body"])["messages"][0]["content"] == "Three"


def test_the_record_after_a_too_long_one_is_read(tmp_path):
    records = [gor_request(1), gor_answer(1), gor_request(2, "Two"), gor_answer(2, b"x\n" * (33 << 20)), gor_request(3, "Three"), gor_answer(3), b"nonsense"]
    done, said, rows = gored(tmp_path, *records, check=1)
    lines = [1 + sum((r + MONKEYS).count(b"\n") for r in records[:i]) for i in range(len(records))]
    assert said.splitlines() == [f"{tmp_path / 'x.gor'}:{lines[3]}: a record is longer than 64 MiB",
                                 f"{tmp_path / 'x.gor'}:{lines[6]}: a record does not begin with its kind, id and time"]
    assert done["answers"] == 2 and [leg["outcome"] for e in rows for leg in e["legs"]] == ["complete"] * 2


@pytest.mark.parametrize("form", ["har", "gor"])
def test_an_unknown_address_stays_unknown(tmp_path, form):
    output, *flags = batch(tmp_path, CHAT)
    plumbline("import", f"b={output}", *flags, "--to", tmp_path / "capture", check=0)
    (tmp_path / "x").write_bytes(plumbline("capture", "export", "--as", form, tmp_path / "capture", check=0).stdout)
    plumbline("import", f"b={tmp_path / 'x'}", "--to", tmp_path / "second", check=0)
    assert [leg["url"] for c in ("capture", "second") for e in exported(tmp_path / c) for leg in e["legs"]] == [None, None]
