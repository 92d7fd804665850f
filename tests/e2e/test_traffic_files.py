"""Recorded traffic of other tools that holds keys, or bytes that would be another request: kept out of captures, exports and replays."""
import json

import pytest

from harness import chat, exported, plumbline, post, respond

CHAT = "/v1/chat/completions"
SECRET = "S3CR3T"
FORMS = ("jsonl", "batch", "batch-output", "raw", "evalscope", "vllm", "mooncake", "aiperf", "sharegpt", "har", "gor", "otel")
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
    """A key in each place of an entry that a tool writes."""
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
    for form in FORMS:
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


def test_a_url_that_would_be_another_request_is_left_out(start, tmp_path):
    capture, new = tmp_path / "capture", tmp_path / "new"
    file = har(tmp_path / "x.har", *(entry(url) for url in HOSTILE), entry(f"http://h{CHAT}", "Fine?", "application/json\rX-Evil: 1"))
    done = json.loads(plumbline("import", file, "--to", capture, "--json", check=0).stdout)
    assert done["answers"] == 1 and done["unfit"] == [{"n": 3, "why": "its url can't stand in a request"}]
    assert exported(capture)[0]["legs"][0]["content_type"] == "application/json"
    assert b"Evil" not in plumbline("capture", "export", "--as", "gor", capture, check=0).stdout
    for url in HOSTILE:
        output, *flags = batch(tmp_path, url.removeprefix("http://h"))
        assert b"its url can't stand in a request" in plumbline("import", output, *flags, "--to", tmp_path / "none", check=4).stdout
        engine = start.scripted(lambda raw, seen: respond(raw, ANSWER))
        plumbline("replay", flags[1], "--to", engine.url, "--capture", new)
        assert not any(seen.method == "POST" for seen in engine.seen)


def test_of_a_redacted_capture_no_form_has_what_was_replaced(start, tmp_path):
    proxy = start.proxy(start.engine().url)
    for i in range(2):
        post(proxy.port, CHAT, chat(f"Zanzibar number {i}, my dear Featherstonehaugh?", max_tokens=8))
    proxy.settled(2)
    proxy.stop()
    said = [leg["reading"]["choices"][0]["text"] for e in exported(proxy.capture) for leg in e["legs"]]
    scrubbed = tmp_path / "scrubbed"
    plumbline("capture", "scrub", proxy.capture, "--out", scrubbed, check=0)
    for form in FORMS:
        done = plumbline("capture", "export", "--as", form, scrubbed)
        assert not any(word.encode() in done.stdout for word in ("Zanzibar", "Featherstonehaugh", *said)), form
        if form not in ("jsonl", "batch-output"):
            assert done.returncode == 4 and done.stderr.startswith(b"plumbline capture export: 2 left out: "), (form, done)


def test_a_byte_order_mark_before_a_har_is_no_part_of_it(start, tmp_path):
    file = har(tmp_path / "x.har", entry(f"http://h{CHAT}"), mark=b"\xef\xbb\xbf")
    assert json.loads(plumbline("import", file, "--to", tmp_path / "capture", "--json", check=0).stdout)["answers"] == 1
    engine = start.scripted(lambda raw, seen: respond(raw, ANSWER))
    plumbline("replay", file, "--to", engine.url, "--capture", tmp_path / "new", check=0)
    assert any(seen.method == "POST" for seen in engine.seen)
