"""Exports to the formats of other tools, and imports of these files. Exports count what the format cannot represent."""
import json
import os
import re
import time

import pytest

from harness import chat, completion, exported, plumbline, post

CHAT, COMPLETION = "/v1/chat/completions", "/v1/completions"
TURNS = [{"role": "system", "content": "Short."}, {"role": "user", "content": "Why is \"salt\" salty?\né"}]


@pytest.fixture
def captured(start):
    """Record chats, a later turn, a completion, a chat with tools and a refused one, all with a second backend."""
    primary, reference = start.engine("--seed", "7"), start.engine("--seed", "7", "--noise", "0.5")
    proxy = start.proxy(primary.url, reference=reference.url)
    first = json.loads(post(proxy.port, CHAT, {**chat(max_tokens=8, temperature=0.5, seed=3), "messages": TURNS})[2])["choices"][0]["message"]
    first = {"role": "assistant", "content": first["content"]}
    post(proxy.port, CHAT, {**chat(max_tokens=8), "messages": [*TURNS, first, {"role": "user", "content": "And sugar?"}]})
    post(proxy.port, CHAT, chat("Alone \U0001f642", stream=True, max_tokens=8))
    post(proxy.port, COMPLETION, completion("Once more", max_tokens=8))
    post(proxy.port, CHAT, chat("Use it.", max_tokens=8, tools=[{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]))
    post(proxy.port, "/v1/embeddings", {"model": "simulated", "input": "a vector"})
    proxy.settled(6)
    proxy.stop()
    return proxy.capture


def export(capture, form, to, *flags, check=0):
    done = plumbline("capture", "export", "--as", form, capture, *flags, check=check)
    if to:
        to.write_bytes(done.stdout)
    return done.stdout.decode(), done.stderr.decode()


def body_of(e):
    return json.loads(e["request"]["body"])


def openai(captured):
    return [e for e in exported(captured) if e["endpoint"] in ("chat", "completion")]


# Format: (what an import gives for an exchange, which exchanges fit the format, whether times do).
PLAIN = ("chat", lambda e: e["endpoint"] == "chat" and "tools" not in body_of(e))
FORMS = {
    "batch": (body_of, lambda e: True, True),
    "raw": (body_of, lambda e: True, False),
    "evalscope": (body_of, lambda e: True, True),
    "aiperf": (body_of, lambda e: True, True),
    "har": (body_of, lambda e: True, True),
    "gor": (body_of, lambda e: True, True),
    "otel": (lambda e: {k: body_of(e).get(k) for k in ("model", "messages", "max_tokens", "temperature", "seed", "tools")}, lambda e: e["endpoint"] == "chat", True),
    "sharegpt": (lambda e: body_of(e)["messages"], PLAIN[1], False),
    "vllm": (lambda e: (body_of(e)["messages"], body_of(e)["max_tokens"]), lambda e: PLAIN[1](e) and len(body_of(e)["messages"]) == 1, False),
    "infer-check-suite": (lambda e: (body_of(e)["messages"], body_of(e)["max_tokens"]), lambda e: PLAIN[1](e) and len(body_of(e)["messages"]) == 1, False),
}


@pytest.mark.parametrize("form", FORMS)
def test_exported_requests_can_be_imported(captured, start, tmp_path, form):
    kept, fits, timed = FORMS[form]
    file, capture, engine = tmp_path / f"{form}.x", tmp_path / "new", start.engine()
    _, said = export(captured, form, file)
    flags = ("--model", "simulated") if form in ("sharegpt", "vllm", "infer-check-suite") else ()
    done = plumbline("replay", file, "--to", engine.url, "--capture", capture, "--timing", "original", "--speed", "100x", "--json", *flags, check=0) \
        if timed else plumbline("replay", file, "--to", engine.url, "--capture", capture, "--json", *flags, check=0)
    before, after = [e for e in openai(captured) if fits(e)], exported(capture)
    assert json.loads(done.stdout.splitlines()[-1])["completed"] == len(before) == len(after) > 0
    assert sorted(map(json.dumps, map(kept, after))) == sorted(map(json.dumps, map(kept, before)))
    if timed:
        gaps = [[b["wall_ns"] - a["wall_ns"] for a, b in zip(rows, rows[1:])] for rows in (before, after)]
        assert all(abs(a - b) <= 1000 for a, b in zip(*gaps))  # AIPerf's timestamps are in microseconds
    # Each exchange and each answer is in the file or counted.
    lost = {why: int(n) for n, why in re.findall(r"export: (\d+) not in the file: (.*)", said)}
    left = sum(int(n) for n in re.findall(r"export: (\d+) left out", said))
    held = 6 if form in ("har", "gor") else len(before)
    held -= form == "sharegpt"  # the later turn contains the earlier one
    assert left == 6 - held
    answers = "answers of other backends, or repeats" if form in ("har", "gor", "otel", "sharegpt") else "texts of answers"
    legs = [len(e["legs"]) for e in exported(captured)]
    assert lost[answers] > 0 and ("times" in lost) == (not timed)
    if form == "raw":
        assert lost[answers] == sum(legs[:5])


def test_a_suite_of_infer_checks_keeps_items_categories_and_limits(start, tmp_path):
    rows = [{"id": "p1", "text": "Two plus two? \"é\"", "category": "sums", "max_tokens": 7}, {"id": "p2", "text": "Salt?", "category": "general", "max_tokens": 9}]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    plumbline("replay", tmp_path / "in.jsonl", "--to", start.engine().url, "--capture", tmp_path / "c", "--model", "simulated", check=0)
    written, said = export(tmp_path / "c", "infer-check-suite", None)
    assert [json.loads(line) for line in written.splitlines()] == rows
    assert "2 not in the file: requests' models or parameters" in said and "2 not in the file: labels" in said


def test_a_mooncake_trace_has_lengths_and_shared_prefixes(start, tmp_path):
    engine = start.engine()
    proxy = start.proxy(engine.url)
    long = "A long beginning that several share, word for word. " * 120
    texts = [long + "One.", long + "Two is another end." + " And more of it." * 200, "Short."]
    for text in texts:
        post(proxy.port, CHAT, chat(text, max_tokens=6))
    proxy.settled(3)
    proxy.stop()
    written, said = export(proxy.capture, "mooncake", tmp_path / "trace.jsonl")
    lines = [json.loads(line) for line in written.splitlines()]
    rows = exported(proxy.capture)
    for line, e in zip(lines, rows):
        usage = e["legs"][0]["usage"]
        assert line["input_length"] == usage["prompt_tokens"] and line["output_length"] == usage["completion_tokens"]
        assert len(line["hash_ids"]) == -(-line["input_length"] // 512)
        assert line["timestamp"] == (e["wall_ns"] - rows[0]["wall_ns"]) // 10**6
    one, two, short = (line["hash_ids"] for line in lines)
    shared = [a == b for a, b in zip(one, two)]
    assert shared[0] and not all(shared) and not set(short) & {*one, *two}
    assert "requests' models or parameters" in said
    # The import has the same lengths and shared prefixes.
    capture = tmp_path / "new"
    plumbline("replay", tmp_path / "trace.jsonl", "--to", engine.url, "--capture", capture, "--model", "simulated", check=0)
    again = [body_of(e) for e in exported(capture)]
    assert [len(b["prompt"].split()) for b in again] == [line["input_length"] for line in lines]
    assert [b["max_tokens"] for b in again] == [line["output_length"] for line in lines]
    n = 512 * sum(shared)
    assert again[0]["prompt"].split()[:n] == again[1]["prompt"].split()[:n]


TABLES = {"burstgpt": "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type", "azure": "TIMESTAMP,ContextTokens,GeneratedTokens"}


@pytest.mark.parametrize("form", TABLES)
def test_a_table_of_times_and_lengths_can_be_imported_again(captured, start, tmp_path, form):
    written, said = export(captured, form, tmp_path / "trace.csv")
    header, *lines = written.splitlines()
    rows = [e for e in openai(captured) if primary_of(e)["usage"]["prompt_tokens"] is not None]
    usages = [primary_of(e)["usage"] for e in rows]
    lengths = [(u["prompt_tokens"], u["completion_tokens"]) for u in usages]
    cells = [line.split(",") for line in lines]
    assert header == TABLES[form] and len(lines) == len(rows) == 4
    if form == "burstgpt":
        assert [(int(c[2]), int(c[3])) for c in cells] == lengths and all(c[1] == "simulated" and int(c[4]) == int(c[2]) + int(c[3]) for c in cells)
        assert [round(float(c[0]) * 10**9) for c in cells] == [e["wall_ns"] - rows[0]["wall_ns"] for e in rows]
    else:
        assert [(int(c[1]), int(c[2])) for c in cells] == lengths
        assert [re.sub(r"\D", "", c[0]) for c in cells] == [time.strftime("%Y%m%d%H%M%S", time.gmtime(e["wall_ns"] // 10**9)) + f"{e['wall_ns'] % 10**9 // 100:07}" for e in rows]
    assert "4 not in the file: requests' models or parameters" in said and "1 left out: none of its answers has a token count" in said
    engine, capture = start.engine(), tmp_path / "new"
    plumbline("replay", tmp_path / "trace.csv", "--to", engine.url, "--capture", capture, "--model", "simulated", "--timing", "original", "--speed", "100x", check=0)
    again = exported(capture)
    assert [(len(body_of(e)["prompt"].split()), body_of(e)["max_tokens"]) for e in again] == lengths
    gaps = [[b["wall_ns"] - a["wall_ns"] for a, b in zip(found, found[1:])] for found in (rows, again)]
    assert all(abs(a - b) <= 1000 for a, b in zip(*gaps))


def test_a_table_omits_a_model_name_that_needs_two_cells(start):
    proxy = start.proxy(start.engine().url)
    post(proxy.port, CHAT, chat("Salt?", max_tokens=4, model="a,b"))
    proxy.settled(1)
    proxy.stop()
    assert "the name of its model has a comma" in export(proxy.capture, "burstgpt", None, check=4)[1]
    assert len(export(proxy.capture, "azure", None)[0].splitlines()) == 2


def test_a_har_file_is_valid(captured, tmp_path):
    log = json.loads(export(captured, "har", None)[0])["log"]
    assert log["version"] == "1.2" and log["creator"]["name"] == "plumbline" and len(log["entries"]) == 6
    rows = exported(captured)
    for entry, e in zip(log["entries"], rows):
        leg = next(leg for leg in e["legs"] if leg["role"] == "primary")
        request, response = entry["request"], entry["response"]
        assert {"startedDateTime", "time", "request", "response", "cache", "timings"} <= entry.keys()
        assert {"method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"} <= request.keys()
        assert {"status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize", "bodySize"} <= response.keys()
        assert request["url"] == leg["url"] + e["request"]["target"] and request["postData"]["text"] == e["request"]["body"]
        assert response["status"] == leg["status"] and response["content"]["text"] == leg["body"]
        assert response["content"]["mimeType"] == leg["content_type"] and abs(entry["time"] - leg["end_us"] / 1000) < 0.001


def test_the_chosen_backends_answers_are_exported(captured):
    primary, reference = (export(captured, "batch-output", None, *flags)[0] for flags in ((), ("--backend", "reference")))
    lines = [[json.loads(line) for line in text.splitlines()] for text in (primary, reference)]
    by_id = {e["id"]: {leg["role"]: leg for leg in e["legs"]} for e in exported(captured)}
    for role, written in zip(("primary", "reference"), lines):
        assert len(written) >= 4
        for line in written:
            assert line["response"]["body"] == json.loads(by_id[line["custom_id"]][role]["body"])
    assert b"there is no form zip; the forms are: jsonl, batch" in plumbline("capture", "export", "--as", "zip", captured, check=2).stderr
    assert b"give only one form" in plumbline("capture", "export", "--as", "har", "--batch", captured, check=2).stderr


def test_an_unknown_backend_is_refused_before_writing(captured):
    for form in ("har", "batch-output"):
        done = plumbline("capture", "export", "--as", form, "--backend", "refrence", captured, check=2)
        assert not done.stdout
        assert b"no answer is of a backend refrence; the backends are: primary, reference\n" in done.stderr


def test_an_export_that_holds_nothing_says_so(start):
    proxy = start.proxy(start.engine().url)
    post(proxy.port, "/v1/embeddings", {"model": "simulated", "input": "a vector"})
    proxy.settled(1)
    proxy.stop()
    assert "1 left out: neither a chat nor a completion" in export(proxy.capture, "batch", None, check=4)[1]


ANSWER = {"role": "assistant", "content": "It is."}
SECOND = [*TURNS, ANSWER, {"role": "user", "content": "And?"}]
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
PICTURE = [{"type": "image_url", "image_url": {"url": "data:,"}}]


@pytest.mark.parametrize("last", [{"content": "Use it.", "tools": TOOLS}, {"content": PICTURE}], ids=["tools", "picture"])
def test_a_conversation_is_exported_up_to_its_last_representable_turn(start, last):
    proxy = start.proxy(start.engine().url)
    third = {"messages": [*SECOND, ANSWER, {"role": "user", "content": last["content"]}], **{k: v for k, v in last.items() if k == "tools"}}
    for turn in ({"messages": TURNS}, {"messages": SECOND}, third):
        post(proxy.port, CHAT, {**chat(max_tokens=4), **turn})
    proxy.settled(3)
    proxy.stop()
    written, said = export(proxy.capture, "sharegpt", None)
    assert [[t["value"] for t in c["conversations"]][:-1] for c in json.loads(written)] == [[m["content"] for m in SECOND]]
    assert "1 left out: a later turn of the same conversation contains it" in said and len(re.findall("left out", said)) == 2


def test_spans_export_names_members_without_an_attribute(start, tmp_path):
    proxy = start.proxy(start.engine().url)
    post(proxy.port, CHAT, chat("One", max_tokens=4, temperature=0.5, seed=1))
    stops = {"Two": ["\n\n\n", "\"END\" \u00e9"], "Three": "###", "Four": None}
    for text, stop in stops.items():
        post(proxy.port, CHAT, chat(text, max_tokens=4, stop=stop))
    post(proxy.port, CHAT, chat("Five", max_tokens=4, user="me"))
    proxy.settled(5)
    proxy.stop()
    _, said = export(proxy.capture, "otel", tmp_path / "x.json")
    assert "1 not in the file: requests' further members" in said and "models or parameters" not in said
    _, rows, _ = imported(tmp_path, tmp_path / "x.json")
    assert {b["messages"][0]["content"]: b.get("stop") for b in map(body_of, rows)} == {**stops, "One": None, "Three": ["###"], "Five": None}


def test_spans_export_counts_what_it_omits(start, tmp_path):
    proxy = start.proxy(start.engine().url)
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{\"x\": NaN}"}}
    called = [{"role": "user", "content": "One"}, {"role": "assistant", "content": "", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "c", "content": "1"}]
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    post(proxy.port, CHAT, {**chat(max_tokens=4), "messages": called, "tools": []})
    post(proxy.port, CHAT, {**chat(max_tokens=4), "messages": [{"role": "user", "name": "me", "content": "Two"}]})
    post(proxy.port, CHAT, chat("Three", max_tokens=4, tools=[{**tool, "cache_control": {}}]))
    post(proxy.port, CHAT, chat("Four", max_tokens=4, n=2, top_k=3, min_p=0.1))
    proxy.settled(4)
    proxy.stop()
    _, said = export(proxy.capture, "otel", tmp_path / "x.json")
    for what in ("messages' further members", "tools' further members", "choices after the first", "requests' further members"):
        assert f"1 not in the file: {what}" in said, said
    _, rows, _ = imported(tmp_path, tmp_path / "x.json")
    assert [(body_of(row).get("n"), body_of(row).get("top_k")) for row in rows] == [(None, None)] * 3 + [(2, 3)]
    assert len(rows) == 4 and body_of(rows[0])["messages"] == called and body_of(rows[0])["tools"] == []


def imported(tmp_path, file, *flags):
    capture = tmp_path / f"of-{file.name}"
    done = plumbline("import", f"primary={file}", "--to", capture, "--json", *flags)
    return json.loads(done.stdout), exported(capture), capture


def primary_of(e):
    return next(leg for leg in e["legs"] if leg["role"] == "primary")


def test_a_har_file_can_be_imported_again(captured, tmp_path):
    export(captured, "har", tmp_path / "x.har")
    done, rows, capture = imported(tmp_path, tmp_path / "x.har")
    before = openai(captured)
    assert done["answers"] == len(rows) == len(before) == 5 and done["unfit"] == [{"n": 1, "why": "neither a chat nor a completion"}]
    for was, now in zip(before, rows):
        a, b = primary_of(was), now["legs"][0]
        assert now["request"]["body"] == was["request"]["body"] and now["request"]["target"] == was["request"]["target"]
        assert now["wall_ns"] == was["wall_ns"] and b["body"] == a["body"] and b["status"] == a["status"] and b["marks"] == ["imported"]
        assert b["reading"]["choices"] == a["reading"]["choices"] and b["usage"] == a["usage"] and b["backend"] == "primary"
        assert b["content_type"] == a["content_type"] and b["end_us"] == a["end_us"] and b["head_us"] == a["head_us"] and not b["edits"]
        assert b["url"] == a["url"] and b["outcome"] == "complete"
    assert plumbline("capture", "verify", capture).returncode == 0
    # The second import finds everything present.
    again = json.loads(plumbline("import", f"primary={tmp_path / 'x.har'}", "--to", capture, "--json", check=0).stdout)
    assert again["answers"] == 0 and again["known"] == 5


def test_a_gor_file_can_be_imported_again(captured, tmp_path):
    export(captured, "gor", tmp_path / "x.gor")
    done, rows, capture = imported(tmp_path, tmp_path / "x.gor")
    before = openai(captured)
    assert done["answers"] == len(rows) == len(before) == 5 and done["unfit"] == [{"n": 1, "why": "neither a chat nor a completion"}]
    for was, now in zip(before, rows):
        a, b = primary_of(was), now["legs"][0]
        assert now["request"]["body"] == was["request"]["body"] and now["request"]["target"] == was["request"]["target"]
        assert now["wall_ns"] == was["wall_ns"] and b["body"] == a["body"] and b["status"] == a["status"] and b["url"] == a["url"]
        assert b["reading"]["choices"] == a["reading"]["choices"] and b["usage"] == a["usage"] and b["backend"] == "primary"
        assert b["content_type"] == a["content_type"] and b["end_us"] == a["end_us"] and b["head_us"] == a["head_us"] and b["outcome"] == "complete"
    again = json.loads(plumbline("import", f"primary={tmp_path / 'x.gor'}", "--to", capture, "--json", check=0).stdout)
    assert again["answers"] == 0 and again["known"] == 5


def test_exported_spans_can_be_imported_with_answers(captured, tmp_path):
    export(captured, "otel", tmp_path / "x.json")
    done, rows, _ = imported(tmp_path, tmp_path / "x.json")
    before = [e for e in exported(captured) if e["endpoint"] == "chat"]
    assert done["answers"] == len(rows) == len(before) == 4 and not done["unfit"] and not done["damaged"]
    for was, now in zip(before, rows):
        a, b = primary_of(was), now["legs"][0]
        assert FORMS["otel"][0](now) == FORMS["otel"][0](was) and now["wall_ns"] == was["wall_ns"] and b["end_us"] == a["end_us"]
        assert b["reading"]["choices"][0]["text"] == a["reading"]["choices"][0]["text"] and b["finish"] == a["finish"] and b["model"] == a["model"]
        assert [b["usage"][k] for k in ("prompt_tokens", "completion_tokens")] == [a["usage"][k] for k in ("prompt_tokens", "completion_tokens")]
        assert b["outcome"] == "complete" and b["backend"] == "primary" and b["marks"] == ["imported"]


def test_a_batchs_output_is_joined_to_its_input(captured, tmp_path):
    export(captured, "batch", tmp_path / "in.jsonl")
    export(captured, "batch-output", tmp_path / "out.jsonl")
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    failed = json.dumps({"id": "x", "custom_id": "y", "response": None, "error": {"code": "expired"}})
    (tmp_path / "out.jsonl").write_text("\n".join([*lines, "{broken", failed]) + "\n")
    done, rows, _ = imported(tmp_path, tmp_path / "out.jsonl", "--requests", tmp_path / "in.jsonl")
    before = [e for e in openai(captured) if not e["streamed"]]
    assert done["answers"] == len(rows) == len(before) == 4 and done["damaged"] == 1
    assert f"{tmp_path / 'out.jsonl'}:{len(lines) + 2}: it has no answer: expired" in {u["why"] for u in done["unfit"]}
    by_item = {e["labels"]["item"]: e for e in rows}
    for was in before:
        now = by_item[was["id"]]
        assert now["wall_ns"] == was["wall_ns"] and json.loads(now["request"]["body"]) == body_of(was) and json.loads(now["legs"][0]["body"]) == json.loads(primary_of(was)["body"])
        assert now["legs"][0]["reading"]["choices"] == primary_of(was)["reading"]["choices"]
    alone = plumbline("import", tmp_path / "out.jsonl", "--to", tmp_path / "alone", check=4)
    assert b"give the input of the batch with --requests" in alone.stdout


def test_the_batch_input_is_checked_before_writing(captured, tmp_path):
    export(captured, "batch", tmp_path / "in.jsonl")
    export(captured, "batch-output", tmp_path / "out.jsonl")
    export(captured, "har", tmp_path / "x.har")
    os.mkfifo(tmp_path / "pipe")
    feeding = os.open(tmp_path / "pipe", os.O_RDWR)
    for no_file in (tmp_path, tmp_path / "pipe"):
        done = plumbline("import", tmp_path / "out.jsonl", "--requests", no_file, "--to", tmp_path / "none", check=3)
        assert f"{no_file} can't be read: it is ".encode() in done.stderr
    os.close(feeding)
    done = plumbline("import", tmp_path / "x.har", "--requests", tmp_path / "in.jsonl", "--to", tmp_path / "none", check=2)
    assert b"needs a file of a batch's output" in done.stderr and not (tmp_path / "none").exists()


def test_sharegpt_counts_refusals_and_further_choices(tmp_path):
    messages = {"refused": [{"content": None, "refusal": "I can't."}], "two": [{"content": "Yes."}, {"content": "No."}]}
    entries = [{"startedDateTime": f"2026-01-02T03:04:0{i}Z", "time": 5,
                "request": {"method": "POST", "url": f"http://h{CHAT}", "postData": {"text": json.dumps(chat(question))}},
                "response": {"status": 200, "content": {"mimeType": "application/json", "text": json.dumps({
                    "object": "chat.completion", "model": "m", "choices": [
                        {"index": n, "message": {"role": "assistant", **said}, "finish_reason": "stop"} for n, said in enumerate(answers)]})}}}
               for i, (question, answers) in enumerate(messages.items())]
    (tmp_path / "x.har").write_text(json.dumps({"log": {"version": "1.2", "creator": {}, "entries": entries}}))
    plumbline("import", tmp_path / "x.har", "--to", tmp_path / "capture", check=0)
    written, said = export(tmp_path / "capture", "sharegpt", None)
    assert [[turn["value"] for turn in c["conversations"]] for c in json.loads(written)] == [["refused"], ["two", "Yes."]]
    assert "1 not in the file: choices after the first" in said
    assert "1 not in the file: answers that are errors, interrupted, refusals, or call tools" in said


def test_exported_conversations_can_be_imported(captured, tmp_path):
    export(captured, "sharegpt", tmp_path / "x.json")
    done, rows, _ = imported(tmp_path, tmp_path / "x.json")
    before = [e for e in exported(captured) if PLAIN[1](e)]
    said = {json.dumps(body_of(e)["messages"]): primary_of(e)["reading"]["choices"][0]["text"] for e in before}
    assert done["answers"] == len(rows) == len(before) == 3
    assert {json.dumps(body_of(e)["messages"]): e["legs"][0]["reading"]["choices"][0]["text"] for e in rows} == said
