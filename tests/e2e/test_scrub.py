"""A capture's copy without its words: nothing of them is left, and every figure that rests on lengths, tokens and where answers part is."""
import json

import pytest

from harness import chat, completion, exported, plumbline, post
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


def test_answers_part_where_they_did(captured, tmp_path):
    out = tmp_path / "scrubbed"
    plumbline("capture", "scrub", captured, "--out", out, check=0)

    def figures(capture):
        group, = json.loads(plumbline("analyze", "--json", capture).stdout)["groups"]
        return group["by_decoding"]["greedy"]
    was, now = figures(captured), figures(out)
    for key in ("pairs", "length_tokens", "length_bytes", "finish_agreement"):
        assert now[key] == was[key]
    # A character and another can have the same placeholder: then two texts part at the next one.
    assert was["differ"]["count"] - 1 <= now["differ"]["count"] <= was["differ"]["count"]
    assert 0 <= now["first_differing_byte"]["mean"] - was["first_differing_byte"]["mean"] <= 2
    assert abs(now["comparable_positions"] - was["comparable_positions"]) <= 6


def test_the_copy_is_there_whole_or_not_at_all(captured, tmp_path):
    out = tmp_path / "scrubbed"
    out.mkdir()
    assert b"exists already" in plumbline("capture", "scrub", captured, "--out", out, check=2).stderr
    assert b"--out" in plumbline("capture", "scrub", captured, check=2).stderr
    plumbline("capture", "scrub", tmp_path / "nothing", "--out", tmp_path / "x", check=2)
    assert not (tmp_path / "x").exists() and not (tmp_path / "x.unfinished").exists()
