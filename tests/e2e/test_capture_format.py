"""docs/format.md is complete: a reader written from it alone reads the same as plumbline."""
import json
import pathlib
import subprocess

from harness import chat, completion, exported, plumbline, post, respond

READER = pathlib.Path(__file__).parent / "read_capture.py"
GOLDEN = READER.parent.parent / "golden"


def read_independently(*captures):
    done = subprocess.run(["/usr/bin/python3", READER, *captures], capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def shadow(start):
    engine, reference = start.engine("--seed", "3"), start.engine("--seed", "4")
    proxy = start.proxy(engine.url, reference=reference.url)
    for i in range(4):
        post(proxy.port, "/v1/chat/completions", chat(f"n {i} é 日本", stream=bool(i % 2)))
        post(proxy.port, "/v1/completions", completion(f"n {i}", stream=bool(i % 2)))
    first = {"role": "user", "content": "first"}
    for messages in ([first], [first, {"role": "assistant", "content": "said"}, {"role": "user", "content": "next"}]):
        post(proxy.port, "/v1/chat/completions", {**chat("?"), "messages": messages})
    post(proxy.port, "/v1/chat/completions", b'\xff\xfe not json', [("Content-Type", "application/json")])
    post(proxy.port, "/v1/chat/completions", chat("x" * 300000))
    proxy.settled(12, "reference")
    return proxy


def compare(theirs, ours):
    """Compare the two readers. Export makes missing readings; the other reader has null."""
    assert [row["id"] for row in theirs] == [row["id"] for row in ours]
    for a, b in zip(theirs, ours):
        for x, y in zip(a["legs"], b["legs"]):
            if x["reading"] is None:
                y["reading"] = None
        assert a == b, a["id"]


def test_another_program_reads_what_export_writes(start):
    proxy = shadow(start)
    live = read_independently(proxy.capture)
    compare(live, exported(proxy.capture))
    assert sum(leg["reading"] is not None for row in live for leg in row["legs"]) >= 16
    proxy.stop()
    compare(read_independently(proxy.capture), exported(proxy.capture))


# Together they have every field of a reading.
ANSWERS = ["openai-written/chat-refusal", "openai-written/chat-tools-stream", "openai-written/chat-hidden-reasoning",
           "openai-written/chat-error", "openai-written/chat-logprobs", "openai-written/embeddings-base64",
           "openai-written/embeddings-floats", "openai-written/responses", "openai-written/responses-stream",
           "openai-written/responses-cut-stream", "openai-written/chat-audio", "xai-written/chat", "openrouter-written/chat-stream", "vllm-written/chat-logits",
           "vllm-0.32.0/chat-thinktag", "vllm-0.32.0/chat-n2", "sglang-written/generate-scored", "lmdeploy-written/chat-zeros",
           "ollama-written/chat-thinking-tools", "tgi-written/generate-prefill", "llama.cpp-written/completion-stream"]


def golden(start):
    """Record the golden answers, and one with a tool call in the text."""
    kept = {}
    for name in ANSWERS:
        head, _, body = (GOLDEN / f"{name}.request").read_bytes().partition(b"\r\n\r\n")
        kept[name] = (head.split(b" ")[1].decode(), body, (GOLDEN / f"{name}.response").read_bytes())
    text = '<think>Hm.</think><tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
    said = {"id": "x", "choices": [{"index": 0, "message": {"content": text, "reasoning": "Hm."}, "finish_reason": "stop"}]}
    current = None

    def script(raw, seen):
        if current is None:
            return respond(raw, said)
        raw.send(current)
        return False        # "Connection: close"

    proxy = start.proxy(start.scripted(script).url)
    for target, body, current in kept.values():
        post(proxy.port, target, body, [("Content-Type", "application/json")])
    current = None
    post(proxy.port, "/v1/chat/completions", {**chat("?"), "tools": [{"type": "function", "function": {"name": "f"}}]})
    proxy.settled(len(kept) + 1)
    return proxy


def leaves(value, path=()):
    """Yield (path without numbers, value) of all leaves of a document."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from leaves(inner, path + (key,) if isinstance(key, str) else path)
    if not isinstance(value, (dict, list)):
        yield ".".join(path), value


def test_every_field_of_a_reading_is_as_the_document_says(start):
    proxy = golden(start)
    proxy.stop()
    read = read_independently(proxy.capture)
    compare(read, exported(proxy.capture))
    readings = [leg["reading"] for row in read for leg in row["legs"] if leg["reading"]]
    assert len(readings) == len(ANSWERS) + 1
    said = {path.removesuffix(".base64") for reading in readings for path, value in leaves(reading) if value not in (None, "", 0, -1, False)}
    columns = {f"choices.{of}.{name}" for of in ("columns", "prompt") for name in ("tokens", "ids", "lp", "flags", "top")}
    assert said == columns | {
        "marks", "shape", "model", "response_id", "fingerprint", "error", "unknown_members", "n_events", "first_content_at", "usage.prompt_tokens",
        "usage.completion_tokens", "usage.total_tokens", "usage.cached_tokens", "usage.reasoning_tokens", "choices.index",
        "choices.text", "choices.reasoning", "choices.refusal", "choices.tool_calls.id", "choices.tool_calls.name",
        "choices.tool_calls.arguments", "choices.tool_calls.in_text", "choices.finish", "choices.reasoning_place",
        "choices.thoughts", "embeddings.index", "embeddings.n", "embeddings.head"}
    places = {choice["reasoning_place"] for reading in readings for choice in reading["choices"]}
    assert places == {"none", "field", "inline", "both", "hidden"}
    assert {reading["shape"] for reading in readings} >= {"openai", "responses", "embedding", "ollama", "llama.cpp", "sglang", "tgi"}
    marks = {mark for reading in readings for mark in reading["marks"]}
    assert marks >= {"unknown_members", "contradictory_usage", "cut", "no_done", "error_body", "zero_logprobs", "positive_logprobs"}


def test_scored_legs_are_as_the_document_says(start):
    engine, other = start.engine("--seed", "3"), start.engine("--seed", "4")
    proxy = start.proxy(engine.url, reference=other.url)
    for i in range(2):
        post(proxy.port, "/v1/chat/completions", chat(f"n {i} 日本", max_tokens=8, logprobs=True, top_logprobs=3))
    proxy.settled(2, "reference")
    proxy.stop()
    plumbline("score", proxy.capture, "--backend", "reference", check=0)
    read = read_independently(proxy.capture)
    compare(read, exported(proxy.capture))
    scored = [leg for row in read for leg in row["legs"] if "scored" in leg["marks"]]
    assert len(scored) == 2 and all(leg["score_of"] and leg["score_at"] > 0 for leg in scored)
    for leg in scored:
        prompt = leg["reading"]["choices"][0]["prompt"]
        assert len(prompt["tokens"]) == len(prompt["lp"]) > leg["score_at"] and any(prompt["top"])


def test_judging_legs_are_as_the_document_says(start):
    def says(text):
        message = {"model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}
        return start.scripted(lambda raw, seen: respond(raw, message) if seen.method == "POST" else respond(raw, {}, "404 Not Found"))
    primary, reference = says("It is busy in the morning."), says("Mornings see much activity.")
    proxy = start.proxy(primary.url, reference=reference.url)
    post(proxy.port, "/v1/chat/completions", chat("When?", top_p=1))
    proxy.settled(1, "reference")
    proxy.stop()
    plumbline("judge", proxy.capture, "--url", says("same").url, "--model", "m", check=0)
    read = read_independently(proxy.capture)
    compare(read, exported(proxy.capture))
    judging = [leg for row in read for leg in row["legs"] if "judging" in leg["marks"]]
    assert len(judging) == 2 and all("scored" in leg["marks"] and leg["score_at"] == 0 for leg in judging)
    assert {leg["score_of"] for leg in judging} == {leg["judged_against"] for leg in judging}


def test_session_hashes_link_turns(start):
    proxy = shadow(start)
    rows = [row for row in exported(proxy.capture) if row["request"]["body"] and '"first"' in str(row["request"]["body"])]
    assert len(rows) == 2
    one, two = rows
    assert one["parent_hash"] is None and one["chain_hash"] == two["parent_hash"] != two["chain_hash"]
    assert one["session_hash"] == two["session_hash"] and one["prompt_hash"] != two["prompt_hash"]
    shown = plumbline("capture", "show", two["id"], proxy.capture, check=0).stdout.decode()
    for name in ("prompt", "session", "chain", "parent"):
        assert f"{name} hash".ljust(13) + two[f"{name}_hash"] in shown
    compare(read_independently(proxy.capture), exported(proxy.capture))


def test_salvaged_records_have_the_same_format(start, tmp_path):
    proxy = shadow(start)
    proxy.stop()
    plumbline("capture", "verify", "--salvage", tmp_path / "out", proxy.capture, check=0)
    saved = read_independently(tmp_path / "out")
    compare(saved, exported(proxy.capture))


def test_show_json_is_the_export_of_one(start):
    proxy = shadow(start)
    rows = exported(proxy.capture)
    shown = plumbline("capture", "show", "--json", rows[3]["id"], proxy.capture, check=0)
    assert json.loads(shown.stdout) == rows[3]
    listed = [json.loads(line) for line in plumbline("capture", "ls", "--json", proxy.capture, check=0).stdout.splitlines()]
    assert [row["id"] for row in listed] == [row["id"] for row in rows]


def test_unknown_ids_and_empty_captures_are_one_sentence_errors(start, tmp_path):
    proxy = start.proxy(start.engine("--seed", "3").url)
    for verb in (["ls"], ["export", "--jsonl"], ["show", "0192f1c4"]):
        done = plumbline("capture", *verb, proxy.capture, check=4)
        assert done.stderr.count(b"\n") == 1
    plumbline("capture", "verify", proxy.capture, check=0)
    (tmp_path / "other").mkdir()
    for verb in (["ls"], ["export", "--jsonl"], ["show", "0192f1c4"], ["verify"]):
        done = plumbline("capture", *verb, tmp_path / "other", check=2)
        assert b"is not a capture" in done.stderr
    (tmp_path / "other" / "CAPTURE").write_text('{"plumbline_capture": 99}')
    done = plumbline("capture", "ls", tmp_path / "other", check=2)
    assert b"format" in done.stderr
