"""A scrubbed capture has none of the words, but gives the same figures about lengths, tokens and first differences."""
import json

import pytest

from harness import chat, completion, exported, plumbline, post, respond
from test_redaction import expect_none, written

CHAT = "/v1/chat/completions"


@pytest.fixture
def captured(start):
    primary, reference = start.engine("--seed", "7"), start.engine("--seed", "7", "--noise", "0.5")
    proxy = start.proxy(primary.url, reference=reference.url)
    for i in range(12):
        status, _, _ = post(proxy.port, CHAT, chat(f"Zanzibar number {i // 2}, my dear Featherstonehaugh?", stream=i % 3 == 0, max_tokens=24))
        assert status == 200
    post(proxy.port, "/v1/completions", completion("Featherstonehaugh said"))
    proxy.settled(13, "reference")
    proxy.stop()
    return proxy.capture


def test_no_word_is_left_and_the_figures_are_the_same(captured, tmp_path):
    out = tmp_path / "scrubbed"
    done = json.loads(plumbline("capture", "scrub", captured, "--out", out, "--json", check=0).stdout)
    assert done == {"exchanges": 13, "answers": 26, "judging_left_out": 0, "without_text": 0}
    plumbline("capture", "verify", out, check=0)
    before, after = exported(captured), exported(out)
    said = [leg["reading"]["choices"][0]["text"] for e in before for leg in e["legs"]]
    expect_none(written(out), ["Zanzibar", "Featherstonehaugh"] + [text for text in said if len(text) > 20])
    for old, new in zip(before, after):
        assert new["id"] == old["id"] and new["content"] == "redacted" and new["facts"] == old["facts"] and new["wall_ns"] == old["wall_ns"]
        assert len(new["request"]["body"]) == len(old["request"]["body"])
        for was, now in zip(old["legs"], new["legs"]):
            a, b = was["reading"]["choices"][0], now["reading"]["choices"][0]
            assert len(a["text"].encode()) == len(b["text"].encode()) and a["finish"] == b["finish"]
            assert now["reading"]["marks"] == was["reading"]["marks"] and now["usage"] == was["usage"]
            assert [now[k] for k in ("start_ns", "head_us", "first_content_us", "end_us", "arrivals", "model", "run")] == \
                   [was[k] for k in ("start_ns", "head_us", "first_content_us", "end_us", "arrivals", "model", "run")]
            if a["columns"]:
                assert b["columns"]["lp"] == a["columns"]["lp"] and b["columns"]["flags"] == a["columns"]["flags"]
                assert [[t[2] for t in top] for top in b["columns"]["top"]] == [[t[2] for t in top] for top in a["columns"]["top"]]
    for key in (lambda e: e["prompt_hash"], lambda e: json.loads(e["request"]["body"]).get("messages", [{}])[0].get("content")):
        pairs = {(key(old), key(new)) for old, new in zip(before, after)}
        assert len(pairs) == len({a for a, b in pairs}) == len({b for a, b in pairs}) == 7 and all(a != b or a is None for a, b in pairs)


def test_first_differences_keep_their_position(captured, tmp_path):
    out = tmp_path / "scrubbed"
    plumbline("capture", "scrub", captured, "--out", out, check=0)

    def figures(capture):
        group, = json.loads(plumbline("analyze", "--json", capture).stdout)["groups"]
        return group["by_decoding"]["greedy"]
    was, now = figures(captured), figures(out)
    for key in ("pairs", "length_tokens", "length_bytes"):
        assert now[key] == was[key]
    # The copy has other cluster keys and adds them in another order: the last digits differ.
    assert now["finish_agreement"]["ci95"] == pytest.approx(was["finish_agreement"]["ci95"])
    assert now["finish_agreement"]["rate"] == was["finish_agreement"]["rate"]
    # Two characters can have the same placeholder: then the first difference is the next character.
    assert was["differ"]["count"] - 1 <= now["differ"]["count"] <= was["differ"]["count"]
    assert 0 <= now["first_differing_byte"]["mean"] - was["first_differing_byte"]["mean"] <= 2
    assert abs(now["comparable_positions"] - was["comparable_positions"]) <= 6


def test_the_copy_is_complete_or_absent(captured, tmp_path):
    out = tmp_path / "scrubbed"
    out.mkdir()
    assert b"exists already" in plumbline("capture", "scrub", captured, "--out", out, check=2).stderr
    assert b"--out" in plumbline("capture", "scrub", captured, check=2).stderr
    plumbline("capture", "scrub", tmp_path / "nothing", "--out", tmp_path / "x", check=2)
    assert not (tmp_path / "x").exists() and not (tmp_path / "x.unfinished").exists()


MARK = "PRIVATEWORD"
MEMBERS = {name: f"{MARK} {name}" for name in (
    "role", "type", "object", "model", "status", "finish_reason", "stop_reason", "done_reason", "effort", "reasoning_effort", "service_tier",
    "system_fingerprint", "created_at", "tool_choice", "encoding_format", "user", "id", "name", MARK)}
DEEP = {**MEMBERS, "number": 987654321, "deep": {MARK: {MARK: [MARK, {MARK: 987654321, "seed": 987654321}], **MEMBERS}}}
TOOL = {"type": "function", "function": {"name": MARK, "description": MARK, "parameters": {
    "type": "object", "$defs": {MARK: {"enum": [MARK]}}, "required": [MARK], "properties": {"a": {"properties": {MARK: {"title": MARK, "maximum": 987654321}}}}}}}
BODIES = [
    {**DEEP, "model": f"a {MARK} model"},
    {**chat("Hello"), "metadata": DEEP, "chat_template_kwargs": DEEP, "tools": [TOOL], "salary": 987654321, MARK: MARK, "response_format": {
        "type": "json_schema", "json_schema": {"name": MARK, "schema": TOOL["function"]["parameters"]}}, "user": 987654321},
    {**chat("Hello"), "messages": [{**MEMBERS, "content": [{**DEEP, "type": "tool_use", "input": DEEP}]}, {
        "role": "assistant", "content": None, "tool_calls": [{"type": MARK, "function": {"name": MARK, "arguments": json.dumps(DEEP)}}]}]},
]
RAW = [f'{{"model": "m"}} {MARK} trailing', f"[1, 987654321] {MARK} words", f"[{MARK}]", f'"{MARK}"', MARK,
       f"data: {MARK} hello\n\ndata: more {MARK}\n\n", f"event: {MARK}\nid: {MARK}\nretry: {MARK}\n: {MARK}\ndata: {{}}\n\n{MARK}: x\n\n",
       f'{{"m\\u0065tadata": {{"{MARK}": {{"P\\u0052IVATEWORD": 987654321}}}}}}', f'{{"model" {MARK}: "m" {MARK} ] }} "{MARK}', f"error: {MARK}\n\n",
       f'{{"choices": [{{"message": {{"content": "{MARK}\n\ndata: {{"{MARK}": 1}}\n\n']


def test_a_word_is_removed_from_every_place(start, tmp_path):
    answers = [json.dumps(body) for body in BODIES] + RAW + [json.dumps(
        {**DEEP, "object": "chat.completion", "choices": [{**DEEP, "index": 0, "message": {**DEEP, "role": "assistant", "content": MARK}}]})]
    primary = start.scripted(lambda raw, seen: respond(
        raw, answers[int(seen.target.rpartition("=")[2])].encode(), content_type=f"text/plain; of={MARK}", fields=[("X-Request-Id", MARK)]))
    proxy = start.proxy(primary.url)
    for i, _ in enumerate(answers):
        body = (BODIES + RAW)[i % len(BODIES + RAW)]
        post(proxy.port, f"{CHAT}?{MARK}={i}", body if isinstance(body, dict) else body.encode(), [("X-Request-Id", MARK)])
    proxy.settled(len(answers))
    proxy.stop()
    out = tmp_path / "scrubbed"
    plumbline("capture", "scrub", proxy.capture, "--out", out, check=0)
    assert MARK.encode() in written(proxy.capture) and b"987654321" in written(proxy.capture)
    expect_none(written(out), [MARK, "987654321", "trailing"])
    assert b"IVATEWORD" not in written(out)


@pytest.mark.parametrize("content", ["full", "metadata"])
def test_two_copies_share_no_hash(start, tmp_path, content):
    primary = start.engine("--seed", "7")
    proxy = start.proxy(primary.url, config=f"capture:\n  content: {content}\n")
    for text in ("One.", "Two.", "One."):
        assert post(proxy.port, CHAT, chat(text))[0] == 200
    proxy.settled(3)
    proxy.stop()
    rows = {}
    for name in ("a", "b"):
        plumbline("capture", "scrub", proxy.capture, "--out", tmp_path / name, check=0)
        rows[name] = exported(tmp_path / name)
    rows["original"] = exported(proxy.capture)

    def hashes(row):
        return {row["client"]} | {each[key] for each in (row, *row["legs"]) for key in each if key.endswith("_hash") and each[key]}
    for x, y in (("a", "b"), ("a", "original"), ("b", "original")):
        for one, other in zip(rows[x], rows[y]):
            assert one["id"] == other["id"] and len(hashes(one)) >= 2 and not hashes(one) & hashes(other)
    for name in ("a", "b"):
        assert len({row["client"] for row in rows[name]}) == 1 and len({row["prompt_hash"] for row in rows[name]}) == 2
