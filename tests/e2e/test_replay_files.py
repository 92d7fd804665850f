"""Replay of other tools' files: what the engine received, and when."""
import gzip
import json
import os
import time

import pytest

from harness import chat, exported, plumbline

MONKEYS = "\n\U0001f435\U0001f648\U0001f649\n"
MONDAY = 1700000000


def har(bodies):
    return json.dumps({"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": [
        {"startedDateTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(MONDAY + i)),
         "request": {"method": "POST", "url": "https://api.example/v1/chat/completions", "postData": {"text": json.dumps(body, indent=1)}}}
        for i, body in enumerate(bodies)]}}, indent=2)


def gor(bodies):
    def one(i, body):
        text = json.dumps(body)
        return (f"1 {i:040x} {(MONDAY + i) * 10**9} 0\nPOST /v1/chat/completions HTTP/1.1\r\nHost: api\r\n"
                f"Content-Length: {len(text.encode())}\r\n\r\n{text}")
    return MONKEYS.join([one(i, body) for i, body in enumerate(bodies)]) + MONKEYS


def sharegpt(bodies):
    return json.dumps([{"id": f"c{i}", "conversations": [{"from": "human", "value": body["messages"][0]["content"]},
                                                         {"from": "gpt", "value": "an answer"}]} for i, body in enumerate(bodies)])


def evalscope(bodies):
    return "".join(json.dumps({"body": body, "timestamp": i, "request_id": f"r{i}"}) + "\n" for i, body in enumerate(bodies))


def vllm(bodies):
    return "".join(json.dumps({"prompt": body["messages"][0]["content"], "output_tokens": 5}) + "\n" for body in bodies)


def suite(bodies):
    return "".join(json.dumps({"text": body["messages"][0]["content"], "category": "logic", "max_tokens": 5}) + "\n" for body in bodies)


def aiperf(bodies):
    return "".join(json.dumps({"timestamp": 1000 * i, "messages": body["messages"], "output_length": 5}) + "\n" for i, body in enumerate(bodies))


def otel(bodies):
    def span(i, body):
        parts = [{"role": m["role"], "parts": [{"type": "text", "content": m["content"]}]} for m in body["messages"]]
        return {"startTimeUnixNano": str((MONDAY + i) * 10**9), "attributes": [
            {"key": "gen_ai.request.model", "value": {"stringValue": body["model"]}},
            {"key": "gen_ai.request.max_tokens", "value": {"intValue": str(body["max_tokens"])}},
            {"key": "gen_ai.input.messages", "value": {"stringValue": json.dumps(parts)}}]}
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span(i, b) for i, b in enumerate(bodies)]}]}]})


# Format: (whether it keeps the whole body or only the messages, whether it keeps times).
FORMATS = {"har": (har, "body", True), "gor": (gor, "body", True), "evalscope": (evalscope, "body", True), "otel": (otel, "messages", True),
           "sharegpt": (sharegpt, "messages", False), "vllm": (vllm, "messages", False), "suite": (suite, "messages", False),
           "aiperf": (aiperf, "messages", True)}


def replay(source, engine, capture, *flags, check=0):
    done = plumbline("replay", source, "--to", engine.url, "--capture", capture, "--name", "new", "--json", *flags, check=check)
    return json.loads(done.stdout.splitlines()[-1]), done.stderr.decode()


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "marked"])
def test_requests_are_sent_unchanged(start, name, mark):
    write, kept, timed = FORMATS[name]
    bodies = [chat(f"Say \"{i}\"\né", max_tokens=5) for i in range(5)]
    source, capture, engine = start.directory / f"{name}.x", start.directory / "new", start.engine()
    source.write_text(write(bodies) if name == "gor" else mark + write(bodies), encoding="utf-8")
    flags = () if kept == "body" else ("--model", bodies[0]["model"])
    end, said = replay(source, engine, capture, *flags)
    assert end["completed"] == 5 and not end["unreplayable"] and f"{source} is read as" in said
    rows = exported(capture)
    for e, body in zip(rows, bodies):
        got = json.loads(e["request"]["body"])
        assert got == body if kept == "body" else got["messages"] == body["messages"]
        assert e["labels"]["suite"] == source.name
    gaps = [b["wall_ns"] - a["wall_ns"] for a, b in zip(rows, rows[1:])]
    if timed:
        assert gaps == [10**9] * 4
    if name == "suite":
        assert rows[0]["labels"]["category"] == "logic" and rows[0]["facts"]["temperature"] == 0
    # The same file gives the same exchange ids: nothing is left to send.
    assert "This run is complete: 5 requests" in plumbline("replay", source, "--to", engine.url, "--capture", capture, "--name", "new", *flags).stdout.decode()


def test_an_exported_batch_can_be_replayed(start):
    engine = start.engine()
    labels = {"suite": "sums", "item": "7", "category": "arithmetic", "gold": "four\n#### 4"}
    lines = [{"custom_id": "x", "method": "POST", "url": "/v1/chat/completions", "wall_ns": MONDAY * 10**9 + 5, "labels": labels, "body": chat("a\né")},
             {"custom_id": "y", "method": "POST", "url": "/v1/completions", "body": {"prompt": "b", "max_tokens": 2}}]
    source, first, second = start.directory / "in.jsonl", start.directory / "first", start.directory / "second"
    source.write_text("\ufeff" + "".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    replay(source, engine, first)
    out = plumbline("capture", "export", "--batch", first, check=0).stdout.decode()
    written = [json.loads(line) for line in out.splitlines()]
    assert [w["body"] for w in written] == [line["body"] for line in lines]
    assert written[0]["labels"] == labels and written[0]["wall_ns"] == MONDAY * 10**9 + 5
    (start.directory / "out.jsonl").write_text(out)
    assert replay(start.directory / "out.jsonl", engine, second)[0]["completed"] == 2
    mine = [(e["request"]["body"], e["labels"]["gold"], e["wall_ns"]) for e in exported(first)]
    assert mine == [(e["request"]["body"], e["labels"]["gold"], e["wall_ns"]) for e in exported(second)]
    for flags in ((), ("--batch", "--jsonl")):
        plumbline("capture", "export", *flags, first, check=2)


def test_turns_of_a_conversation_wait_for_one_another(start):
    source, capture, engine = start.directory / "talk.json", start.directory / "new", start.engine()
    turns = [{"from": "human" if i % 2 == 0 else "gpt", "value": f"turn {i}"} for i in range(6)]
    source.write_text(json.dumps([{"id": "a", "conversations": turns}]))
    end, _ = replay(source, engine, capture, "--concurrency", "8", "--model", chat()["model"])
    assert end["completed"] == 3
    legs = [e["legs"][0] for e in exported(capture)]
    assert all(b["start_ns"] >= a["start_ns"] + a["end_us"] * 1000 - 10**6 for a, b in zip(legs, legs[1:]))
    assert len({e["session_hash"] for e in exported(capture)}) == 1 and {e["labels"]["item"] for e in exported(capture)} == {"a"}


def test_aiperf_sessions_have_waits_and_history(start):
    source, engine = start.directory / "aip.jsonl", start.engine("--ttft", "20ms")

    def write(delay_a, delay_b):
        rows = [{"timestamp": 0, "session_id": "a", "input_length": 30, "output_length": 4},
                {"session_id": "a", "delay": delay_a, "input_length": 40, "output_length": 4},
                {"timestamp": 100, "session_id": "b", "messages": [{"role": "user", "content": "hello"}], "output_length": 4},
                {"session_id": "b", "delay": delay_b, "message_mode": "delta", "messages": [{"role": "user", "content": "again"}], "output_length": 4},
                {"timestamp": 120, "session_id": "c", "messages": [{"role": "user", "content": "hello"}], "output_length": 4},
                {"session_id": "c", "text_input": "and more", "output_length": 4}]
        source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    # Of --think only the upper limit can show that it replaces the delays of the file, so these are long.
    for name, flags, delays, pauses in (("told", (), (500, 300), {"a": 0.5, "b": 0.3, "c": 0}),
                                        ("ours", ("--think", "100ms"), (600_000, 300_000), {"a": 0.1, "b": 0.1, "c": 0.1}),
                                        ("timed", ("--timing", "original"), (500, 300), {"a": 0.5, "b": 0.3, "c": 0})):
        write(*delays)
        end, _ = replay(source, engine, start.directory / name, "--model", "simulated", "--concurrency", "8", *flags)
        assert end["completed"] == 6 and not end["unreplayable"]
        sessions = {}
        for e in exported(start.directory / name):
            sessions.setdefault(e["labels"]["item"], []).append((e, e["legs"][0]))
        assert {k: len(v) for k, v in sessions.items()} == {"a": 2, "b": 2, "c": 2} and len({e["session_hash"] for v in sessions.values() for e, _ in v}) == 3
        for session, ((_, first), (later, second)) in sessions.items():
            gap = (second["start_ns"] - second["queued_us"] * 1000 - first["start_ns"]) / 1e9 - first["end_us"] / 1e6
            assert pauses[session] - 0.01 <= gap < pauses[session] + 30, (name, session, gap)
            if session != "a":
                sent = json.loads(second["edits"][0]["inserted"]) if second["edits"] else None
                messages = sent["messages"] if isinstance(sent, dict) else json.loads(later["request"]["body"])["messages"]
                assert [m["role"] for m in messages] == ["user", "assistant", "user"]
                assert first["reading"]["choices"][0]["text"] in json.dumps(second["edits"], ensure_ascii=False)


def test_a_turn_with_an_incomplete_history_is_not_sent(start):
    source, engine = start.directory / "holes.jsonl", start.engine()
    rows = [{"session_id": "a", "text_input": "one"}, {"session_id": "a", "text_input": "two", "delay": "soon"}, {"session_id": "a", "text_input": "three"}]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    end, _ = replay(source, engine, start.directory / "new", "--model", "simulated")
    assert end["completed"] == 1 and sorted(r["why"] for r in end["unreplayable"])[0] == f"{source}:2: its delay is not a number of milliseconds"
    assert any("no answer to the turn before" in r["why"] for r in end["unfit"])


def test_lengths_are_sent_at_the_times_of_the_trace(start):
    source, capture, engine = start.directory / "azure.csv", start.directory / "new", start.engine()
    source.write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n" + "".join(
        f"2023-11-14 22:13:2{i}.0000000,{10 * (i + 1)},4\n" for i in range(3)) + "oops,1,1\n")
    end, said = replay(source, engine, capture, "--timing", "original", "--speed", "4x", "--model", chat()["model"])
    assert end["completed"] == 3 and [r["why"] for r in end["unreplayable"]] == [f"{source}:5: its timestamp is not a time"]
    assert "plumbline makes prompts of these lengths" in said
    rows = exported(capture)
    assert [len(json.loads(e["request"]["body"])["prompt"].split()) for e in rows] == [10, 20, 30]
    meant = [e["legs"][0]["start_ns"] - e["legs"][0]["queued_us"] * 1000 for e in rows]
    assert all(0.2 < (b - a) / 10**9 < 0.3 for a, b in zip(meant, meant[1:])), "one second at four times the speed; lag is reported separately"
    # A file without times has no original timing.
    other = start.directory / "in.jsonl"
    other.write_text(json.dumps(chat("x")) + "\n")
    done = plumbline("replay", other, "--to", engine.url, "--capture", start.directory / "more", "--timing", "original", check=2)
    assert b"has no times of its requests" in done.stderr


def test_a_trace_of_chats_keeps_times_and_order(start):
    source, capture, engine = start.directory / "bailian.jsonl", start.directory / "new", start.engine("--ttft", "700ms")
    rows = [{"chat_id": n, "parent_chat_id": parent, "timestamp": at, "input_length": 20, "output_length": 2, "type": "text", "turn": 1, "hash_ids": [n, 90 + n]}
            for n, parent, at in ((1, -1, 0.0), (2, -1, 0.25), (3, 1, 0.5))]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    end, said = replay(source, engine, capture, "--timing", "original", "--model", chat()["model"])
    assert end["completed"] == 3 and "Bailian" in said
    legs = [e["legs"][0] for e in exported(capture)]
    meant = [leg["start_ns"] - leg["queued_us"] * 1000 for leg in legs]
    assert all(0.2 < (b - a) / 10**9 < 0.3 for a, b in zip(meant, meant[1:]))
    assert legs[2]["start_ns"] >= legs[0]["start_ns"] + legs[0]["end_us"] * 1000 - 10**6
    assert len({e["session_hash"] for e in exported(capture)}) == 2


def test_a_trace_without_a_time_unit_needs_the_option(start):
    source, engine = start.directory / "trace.jsonl", start.engine()
    source.write_text("".join(json.dumps({"timestamp": 0.25 * i, "input_length": 9, "output_length": 2}) + "\n" for i in range(3)))
    words = ["replay", source, "--to", engine.url, "--timing", "original", "--model", chat()["model"], "--capture"]
    told = plumbline(*words, start.directory / "none", check=4).stdout.decode()
    assert f"{source}:2: its timestamp has a fraction" in told and "--time-unit s" in told
    for unit, least, most in (("s", 0.2, 0.3), ("ms", -0.05, 0.05)):
        end, _ = replay(source, engine, start.directory / unit, "--timing", "original", "--model", chat()["model"], "--time-unit", unit)
        assert end["completed"] == 3
        meant = [e["legs"][0]["start_ns"] - e["legs"][0]["queued_us"] * 1000 for e in exported(start.directory / unit)]
        assert all(least < (b - a) / 10**9 < most for a, b in zip(meant, meant[1:]))
    done = plumbline("replay", start.directory / "s", "--to", engine.url, "--time-unit", "s", check=2)
    assert b"is a capture" in done.stderr
    done = plumbline("replay", source, "--to", engine.url, "--time-unit", "min", "--capture", start.directory / "none", check=2)
    assert b"--time-unit is s, ms, us or ns, not min" in done.stderr


MEDIA = {"body": {"prompt": "What is it?", "image_files": ["a.png"]}, "chat": {**chat("What is it?"), "images": ["a.png"]},
         "batch": {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": chat("x"), "audio": "a.wav"},
         "suite": {"id": "s/1", "category": "c", "messages": chat("What is it?")["messages"], "image": "a.png"},
         "gsm8k": {"question": "How many?", "answer": "#### 2", "image": "a.png"},
         "sharegpt": {"conversations": [{"from": "human", "value": "What is it?"}], "image": "a.png"},
         "anthropic": {**chat("Who?"), "system": "You are a pirate."}}


@pytest.mark.parametrize("name", MEDIA)
def test_unsendable_requests_are_named_by_line(start, name):
    good = {key: value for key, value in MEDIA[name].items() if key not in ("image", "images", "image_files", "audio", "system")}
    source, engine = start.directory / "lines.jsonl", start.engine()
    source.write_text(json.dumps(good) + "\n" + json.dumps(MEDIA[name]) + "\n")
    end, _ = replay(source, engine, start.directory / "new", "--model", chat()["model"])
    member = next(key for key in ("image_files", "images", "image", "audio", "system") if key in MEDIA[name])
    assert end["completed"] == 1 and [r["why"] for r in end["unreplayable"]] == [f"{source}:2: its {member} can't be sent"]


def test_a_system_message_and_tools_beside_a_conversation_are_sent(start):
    source, engine = start.directory / "chats.json", start.engine()
    tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
    source.write_text(json.dumps([{"conversations": [{"from": "human", "value": "a"}, {"from": "gpt", "value": "b"}, {"from": "human", "value": "c"}],
                                   "system": "Be brief.", "tools": json.dumps([t["function"] for t in tools])}]))
    end, _ = replay(source, engine, start.directory / "new", "--model", chat()["model"])
    assert end["completed"] == 2
    bodies = [json.loads(e["request"]["body"]) for e in exported(start.directory / "new")]
    assert [[m["role"] for m in body["messages"]] for body in bodies] == [["system", "user"], ["system", "user", "assistant", "user"]]
    assert all(body["messages"][0]["content"] == "Be brief." and body["tools"] == tools for body in bodies)


def test_damaged_elements_are_named_by_file_and_line(start):
    source, capture, engine = start.directory / "w.jsonl", start.directory / "new", start.engine()
    good = json.dumps({"body": chat("a", max_tokens=2), "timestamp": 0})
    source.write_text(f"{good}\n\n{{\"body\": 5, \"timestamp\": 1}}\n{good}\n" + json.dumps({"body": {**chat("b"), "store": True}, "timestamp": 2}) + "\n")
    end, _ = replay(source, engine, capture)
    assert end["completed"] == 2
    assert sorted(r["why"] for r in end["unreplayable"]) == [f"{source}:3: its body is not a JSON object",
                                                             f"{source}:5: it refers to a state that the engine had stored"]


def test_a_too_long_line_is_named_and_the_rest_sent(start):
    file, engine = start.directory / "long.jsonl", start.engine()
    with file.open("w") as to:
        for text in ("one", "x" * (65 << 20), "three"):
            to.write(json.dumps({"messages": [{"role": "user", "content": text}], "max_tokens": 4}) + "\n")
    end, _ = replay(file, engine, start.directory / "new")
    assert end["sent"] == end["completed"] == 2
    assert end["unreplayable"] == [{"n": 1, "why": f"{file}:2: a line of more than 64 MiB"}]


def test_a_pipe_is_refused(start):
    pipe, engine = start.directory / "pipe", start.engine()
    os.mkfifo(pipe)
    done = plumbline("replay", pipe, "--to", engine.url, "--capture", start.directory / "new", check=2)
    assert f"{pipe} can't be read: it is not a regular file" in done.stderr.decode()


def test_a_file_without_a_request_is_an_error(start):
    empty, odd, engine = start.directory / "empty.jsonl", start.directory / "odd.jsonl", start.engine()
    empty.write_text("")
    odd.write_text("{\"x\": 1}\n" * 40)
    told = [plumbline("replay", source, "--to", engine.url, "--capture", start.directory / "new", check=4).stdout.decode()
            for source in (empty, odd)]
    assert told[0] == f"Nothing to send: {empty} has no request.\n"
    assert told[1].startswith("Nothing to send: no request of ")


def test_many_damaged_lines_are_summarised(start):
    source, engine = start.directory / "w.jsonl", start.engine()
    good = json.dumps({"messages": [{"role": "user", "content": "a"}], "max_tokens": 2})
    elsewhere = json.dumps({"url": "/v1/embeddings", "body": {"input": "a"}})
    source.write_text("{\n" * 60 + f"{elsewhere}\n" * 3 + good + "\n")
    end, _ = replay(source, engine, start.directory / "new")
    told = {r["why"]: r["n"] for r in end["unreplayable"]}
    line = "neither a JSON object with messages or a prompt, nor a batch request"
    assert [told[f"{source}:{i}: {line}"] for i in range(1, 17)] == [1] * 16 and len(told) == 18
    assert told[f"{source}, further lines: {line}"] == 44
    assert told[f"{source}, further lines: its url is neither of a chat nor of a completion"] == 3


def test_batch_lines_that_are_no_chats_are_named(start):
    source, body = start.directory / "batch.jsonl", chat("hi", max_tokens=2)
    rows = [{"method": "GET", "url": "/v1/models"}, {"method": "GET", "url": "/v1/chat/completions", "body": body},
            {"method": "POST", "url": "/v1/embeddings", "body": {"input": "x"}}, {"method": "POST", "url": "/v1/chat/completions"},
            {"method": "POST", "url": "/v1/chat/completions", "body": body}, {"url": "/v1/chat/completions", "body": body}]
    source.write_text("".join(json.dumps({"custom_id": str(i), **row}) + "\n" for i, row in enumerate(rows)))
    end = json.loads(plumbline("replay", source, "--to", start.engine().url, "--capture", start.directory / "new", "--json", check=0).stdout.splitlines()[-1])
    assert end["completed"] == end["sent"] == 2
    said = [r["why"].rsplit(".jsonl:", 1)[1] for r in end["unreplayable"]]
    assert said == ["1: its method is not POST", "2: its method is not POST", "3: its url is neither of a chat nor of a completion",
                    "4: a batch request without a body"]


def test_urls_of_batch_lines_lead_to_the_engine(start):
    source, engine = start.directory / "batch.jsonl", start.engine()
    urls = ["/chat/completions", "https://api.example.com/v1/chat/completions", "/v1/chat/completions"]
    source.write_text("".join(json.dumps({"custom_id": str(i), "method": "POST", "url": url, "body": chat(f"hi {i}", max_tokens=2)}) + "\n" for i, url in enumerate(urls)))
    end, _ = replay(source, engine, start.directory / "new")
    assert end["completed"] == 3 and {e["legs"][0]["status"] for e in exported(start.directory / "new")} == {200}
    assert {e["request"]["target"] for e in exported(start.directory / "new")} == {"/v1/chat/completions"}


def test_the_limits_of_a_guidellm_data_set_are_sent(start):
    source, engine = start.directory / "data.jsonl", start.engine()
    source.write_text(json.dumps({"prompt": "hi", "prompt_tokens_count": 1, "output_tokens_count": 5}) + "\n")
    end, _ = replay(source, engine, start.directory / "new", "--model", chat()["model"])
    assert end["completed"] == 1 and json.loads(exported(start.directory / "new")[0]["request"]["body"])["max_tokens"] == 5


def test_an_unreadable_file_is_an_error(start):
    engine, plain = start.engine(), json.dumps(chat("hi")).encode() + b"\n"
    here = start.directory
    (here / "in.jsonl.gz").write_bytes(gzip.compress(plain))
    (here / "in.jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd" + plain)
    for name, said in (("in.jsonl.gz", b"it is compressed (gzip); unpack it first"), ("in.jsonl.zst", b"it is compressed (Zstandard)"),
                       ("nowhere", b"there is neither a file nor a capture")):
        for flags in ((), ("--concurrency", "1,2")):
            done = plumbline("replay", here / name, "--to", engine.url, *flags, "--capture", here / "new", check=2)
            assert said in done.stderr and b"Traceback" not in done.stderr
        assert said in plumbline("import", here / name, "--to", here / "new").stderr or name == "nowhere"
    done = plumbline("replay", here / "nowhere", "--to", engine.url, check=2)
    assert b"there is neither a file nor a capture" in done.stderr and b"--capture" not in done.stderr


def test_an_empty_selection_lists_the_choices(start):
    engine = start.engine()
    source = start.directory / "in.jsonl"
    source.write_text("".join(json.dumps(chat(f"Say {i}", model="simulated" if i else "other")) + "\n" for i in range(5)))
    where = ["--where", "model=llama*", "--where", "stream=yes"]
    for flags in ([], ["--json"], ["--concurrency", "1,2"]):
        done = plumbline("replay", source, "--to", engine.url, "--capture", start.directory / "new", "--any-model", *where, *flags, check=4)
        said = (done.stderr if "--json" in flags else done.stdout).decode()
        assert "of 5 requests of " in said and ", 5 were not selected" in said
        assert "--where model=llama*: the values are other (1), simulated (4)" in said and "--where stream=yes: the values are no (5)" in said
        assert "answered" not in said


def test_an_invalid_target_gets_a_suggestion(start):
    source = start.directory / "in.jsonl"
    source.write_text(json.dumps(chat("hi")) + "\n")
    for to, said in (("localhost:8000/v1", b"Do you mean http://localhost:8000/v1?"), ("mlx:some/model", b"mlx_lm.server --model some/model")):
        assert said in plumbline("replay", source, "--to", to, "--capture", start.directory / "new", check=2).stderr
    assert b"plumbline loads no model" in plumbline("compare", "mlx:a", "mlx:b", source, check=2).stderr


@pytest.mark.parametrize("url", ["https://openrouter.ai/api/v1/chat/completions", "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=1",
                                 "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions"])
def test_the_path_of_the_recorded_server_is_not_that_of_another(start, url):
    engine = start.engine()
    answer = {"object": "chat.completion", "model": "simulated", "choices": [{"index": 0, "message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"}]}
    entry = {"startedDateTime": "2025-01-01T00:00:00Z", "time": 1, "request": {"method": "POST", "url": url, "postData": {"text": json.dumps(chat("Say 1"))}},
             "response": {"status": 200, "content": {"mimeType": "application/json", "text": json.dumps(answer)}}}
    (start.directory / "x.har").write_text(json.dumps({"log": {"entries": [entry]}}))
    (start.directory / "x.jsonl").write_text(json.dumps({"custom_id": "1", "method": "POST", "url": url, "body": chat("Say 1")}) + "\n")
    imported = start.directory / "imported"
    plumbline("import", start.directory / "x.har", "--to", imported, check=0)
    path = "/v1/chat/completions" + url[len(url.split("?")[0]):]
    for source, more in (("x.har", ["--capture", start.directory / "a"]), ("x.jsonl", ["--capture", start.directory / "b"]), ("imported", [])):
        done = plumbline("replay", start.directory / source, "--to", engine.url + "/v1", "--name", "new", "--json", *more, check=0)
        assert json.loads(done.stdout.splitlines()[-1])["completed"] == 1
        script = plumbline("repro", more[1] if more else imported, "last", check=0).stdout.decode()
        assert f"'{engine.url}{path}'" in script and (more or f"'{url}'" in script), "each request again, where it was sent"


@pytest.mark.parametrize("option, text, why", [
    ("--time-unit=s", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,48,10\n", "no times whose unit --time-unit could state"),
    ("--time-unit=s", json.dumps(chat("Say 1")) + "\n", "no times whose unit --time-unit could state"),
    ("--time-unit=s", '{"id": "a", "prompt": "Say 1", "gold": "1"}\n', "no times whose unit --time-unit could state"),
    ("--block-tokens=16", "Timestamp,Model,Request tokens,Response tokens\n5,m,10,3\n", "no hash_ids whose size --block-tokens could state"),
])
def test_a_unit_that_the_file_does_not_have_is_refused(start, option, text, why):
    source, engine = start.directory / "x", start.engine()
    source.write_text(text)
    done = plumbline("replay", source, "--to", engine.url, "--any-model", "--capture", start.directory / "new", option, check=2)
    assert f"{source} has {why}: leave the option out" in done.stderr.decode()
    plumbline("replay", source, "--to", engine.url, "--any-model", "--capture", start.directory / "new", check=0)
