"""Export of pairs as infer-check's comparisons: infer-check reads them, and plumbline imports them again."""
import collections
import json
import os
import pathlib
import re
import subprocess

import pytest

from harness import chat, complete, exported, plumbline, post, respond

CHAT = "/v1/chat/completions"
INFER_CHECK = pathlib.Path(os.environ.get("PLUMBLINE_SDKS", "/nonexistent")) / "infer-check" / "bin"
TIERS = ((0.8, "minor"), (0.5, "moderate"), (-1.0, "severe"))
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]


@pytest.fixture
def captured(start):
    """Record four questions with a noisy test side, and exchanges that the format cannot represent."""
    primary, reference = start.engine("--seed", "7"), start.engine("--seed", "7", "--noise", "0.6")
    proxy = start.proxy(primary.url, reference=reference.url)
    for i in range(4):
        scores = {"logprobs": True, "top_logprobs": 3} if i else {}
        asked = chat(f"Question {i}: why is \"salt\" salty?\né \U0001f642", max_tokens=40, stream=i == 2, **scores)
        post(proxy.port, CHAT, {**asked, **({"temperature": 0.5, "seed": 3} if i == 1 else {"temperature": 0} if i == 3 else {})})
    post(proxy.port, CHAT, {**chat(max_tokens=8), "messages": [{"role": "system", "content": "Short."}, {"role": "user", "content": "Salt?"}]})
    post(proxy.port, CHAT, chat("Use it.", max_tokens=8, tools=TOOLS))
    proxy.settled(6)
    proxy.stop()
    return proxy.capture


def export(capture, to, *flags, check=0):
    done = plumbline("capture", "export", "--as", "infer-check", capture, *flags, check=check)
    to.write_bytes(done.stdout)
    return json.loads(done.stdout), done.stderr.decode()


def shared_words(a, b):
    """Return the share of common words: 2 * common / all words."""
    word = r"[0-9]+(?:[.,][0-9]+)*|[a-z_\u0080-\U0010ffff](?:[a-z0-9_\u0080-\U0010ffff]|[-'](?=[a-z\u0080-\U0010ffff]))*"
    x, y = (collections.Counter(re.findall(word, text.lower())) for text in (a, b))
    return 2 * (x & y).total() / max((x + y).total(), 1)


def legs_of(e):
    return {leg["role"]: leg for leg in e["legs"]}


def scores_of(choice):
    """Return token, logprob and alternatives of each position; the file has U+FFFD for partial characters."""
    def text(token):
        return "\ufffd" if isinstance(token, dict) else token
    c = choice["columns"]
    return c and [(text(token), lp, [(text(t), at) for t, _, at in top]) for token, lp, top in zip(c["tokens"], c["lp"], c["top"])]


def questions(capture):
    return [e for e in exported(capture) if len(json.loads(e["request"]["body"])["messages"]) == 1 and "tools" not in json.loads(e["request"]["body"])]


def test_each_pair_is_a_comparison_with_the_texts_and_their_similarity(captured, tmp_path):
    comparisons, said = export(captured, tmp_path / "diff.json")
    rows = questions(captured)
    assert len(comparisons) == len(rows) == 4
    for c, e in zip(comparisons, rows):
        legs = legs_of(e)
        for side, role in (("baseline", "reference"), ("test", "primary")):
            choice = legs[role]["reading"]["choices"][0]
            assert c[side]["text"] == choice["text"] and c[side]["backend_name"] == role and c[side]["model_id"] == "simulated"
            assert c[side]["prompt_id"] == e["id"] and c[side]["metadata"]["prompt_text"] == json.loads(e["request"]["body"])["messages"][0]["content"]
            assert abs(c[side]["latency_ms"] - legs[role]["end_us"] / 1000) < 1e-6 
            if choice["columns"]:
                assert len(c[side]["tokens"]) == len(c[side]["logprobs"]) == len(c[side]["distributions"]) == len(choice["columns"]["tokens"])
            else:
                assert c[side]["tokens"] == choice["text"].split() and "logprobs" not in c[side]
        a, b = (c[side] for side in ("baseline", "test"))
        ratio = 1.0 if a["text"] == b["text"] else shared_words(a["text"], b["text"])
        assert c["text_similarity"] == pytest.approx(ratio, abs=1e-12) and c["is_failure"] == (ratio < 0.5)
        assert c["metadata"]["severity"] == ("identical" if a["text"] == b["text"] else next(name for least, name in TIERS if ratio >= least))
        mine, other = (side["tokens"] if ("logprobs" in a) == ("logprobs" in b) else side["text"].split() for side in (a, b))
        at = next((i for i, (x, y) in enumerate(zip(mine, other)) if x != y), None)
        if at is None and len(mine) != len(other):
            at = min(len(mine), len(other))
        assert c["token_divergence_index"] == at and c["kl_divergence"] is None
    assert any(c["text_similarity"] < 1 for c in comparisons)
    assert "1 left out: it is not a single message of a user" in said and "1 left out: it offers tools" in said
    assert "4 not in the file: requests' models or parameters" in said


def test_exported_comparisons_can_be_imported(captured, tmp_path):
    export(captured, tmp_path / "diff.json")
    done = json.loads(plumbline("import", tmp_path / "diff.json", "--to", tmp_path / "new", "--json", check=0).stdout)
    before, after = questions(captured), exported(tmp_path / "new")
    assert done["answers"] == 8 and len(after) == 4 and not done["unfit"] and not done["damaged"]
    for was, now in zip(before, after):
        asked, asks = (json.loads(e["request"]["body"]) for e in (was, now))
        assert asks["messages"] == asked["messages"] and asks.get("temperature") == asked.get("temperature")
        old, new = legs_of(was), {leg["backend"]: leg for leg in now["legs"]}
        for role in ("reference", "primary"):
            leg, choice = new[f"{role}/simulated"], old[role]["reading"]["choices"][0]
            assert leg["role"] == ("reference" if role == "reference" else "candidate")
            again = leg["reading"]["choices"][0]
            assert again["text"] == choice["text"] and scores_of(again) == scores_of(choice)
            assert abs(leg["end_us"] - old[role]["end_us"]) <= 1 and abs(leg["start_ns"] - old[role]["start_ns"]) <= 2000


def test_backend_names_the_tested_side(start, tmp_path):
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(chat(f"Why {i}?", max_tokens=6)) + "\n" for i in range(2)))
    engines = [f"{name}={start.engine('--seed', str(i)).url}" for i, name in enumerate(("a", "b", "c"))]
    plumbline("diff", tmp_path / "p.jsonl", *engines, "--capture", tmp_path / "capture", "--repeats", "2", "--model", "simulated")
    all_of, said = export(tmp_path / "capture", tmp_path / "x.json")
    assert len(all_of) == 8 and {c["baseline"]["backend_name"] for c in all_of} == {"a"} and "held against no other" not in said
    of_b, said = export(tmp_path / "capture", tmp_path / "x.json", "--backend", "b")
    assert len(of_b) == 4 and {c["test"]["backend_name"] for c in of_b} == {"b"}
    assert "4 not in the file: answers that have no other answer to compare with" in said
    # The import keeps repeats of both sides.
    export(tmp_path / "capture", tmp_path / "x.json")
    plumbline("import", tmp_path / "x.json", "--to", tmp_path / "new", check=0)
    assert sorted(leg["backend"] for e in exported(tmp_path / "new") for leg in e["legs"]) == sorted(f"{n}/simulated" for n in "abc" * 4)


def test_every_number_of_repeats_is_compared(start, tmp_path):
    (tmp_path / "p.jsonl").write_text(json.dumps(chat("Why?", max_tokens=4)) + "\n")
    engines = [f"{name}={start.engine('--seed', str(i)).url}" for i, name in enumerate(("a", "b", "c"))]
    plumbline("diff", tmp_path / "p.jsonl", *engines, "--capture", tmp_path / "capture", "--repeats", "50", "--model", "simulated")
    told = json.loads(plumbline("analyze", tmp_path / "capture", "--json").stdout)
    assert sorted((g["base"], g["test"], g["pairs"]) for g in told["groups"]) == [("a", "a", 49), ("a", "b", 50), ("a", "c", 50), ("b", "b", 49), ("c", "c", 49)]
    all_of, said = export(tmp_path / "capture", tmp_path / "x.json")
    assert len(all_of) == 100 and "held against no other" not in said
    of_c, said = export(tmp_path / "capture", tmp_path / "x.json", "--backend", "c")
    assert len(of_c) == 50 and "50 not in the file: answers that have no other answer to compare with" in said


def test_tokens_are_not_compared_with_words(start, tmp_path):
    """One side has tokens, the other only a text with the same words."""
    rows = [
        {"id": "1", "logprobs": {"content": [{"token": t, "logprob": 0.00001, "bytes": None, "top_logprobs": [{"token": t, "logprob": 0.00001, "bytes": None}]} for t in ("Sa", "lt ", "is.")]}},
        {"id": "2", "logprobs": None},
    ]
    def answering(row):
        def answer(raw, seen):
            return respond(raw, {"id": row["id"], "object": "chat.completion", "created": 1, "model": "m", "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Salt is."}, "logprobs": row["logprobs"]}]})
        return lambda raw, seen: complete(raw, seen, answer)
    tokens, again, words = (f"{name}={start.scripted(answering(row)).url}" for name, row in (("tokens", rows[0]), ("again", rows[0]), ("words", rows[1])))
    (tmp_path / "p.jsonl").write_text(json.dumps(chat("Why?", model="m", max_tokens=4, logprobs=True, top_logprobs=1)) + "\n")
    plumbline("diff", tmp_path / "p.jsonl", tokens, again, words, "--capture", tmp_path / "capture", "--model", "m")
    both, _ = export(tmp_path / "capture", tmp_path / "x.json")
    by_name = {c["test"]["backend_name"]: c for c in both}
    assert by_name["words"]["token_divergence_index"] is None and by_name["words"]["baseline"]["tokens"] == ["Sa", "lt ", "is."]
    # A logprob that an engine rounded to above 0 is no probability.
    for side in ("baseline", "test"):
        assert by_name["again"][side]["logprobs"] == [0, 0, 0] and by_name["again"][side]["distributions"] == [[0], [0], [0]]


def test_a_capture_without_pairs_is_refused(start, tmp_path):
    proxy = start.proxy(start.engine().url)
    post(proxy.port, CHAT, chat("Alone", max_tokens=4))
    proxy.settled(1)
    proxy.stop()
    _, said = export(proxy.capture, tmp_path / "x.json", check=4)
    assert "1 left out: there is no second answer to compare the first with" in said


@pytest.mark.skipif(not (INFER_CHECK / "infer-check").exists(), reason="infer-check is not installed")
def test_infer_checks_own_classes_and_report_read_the_file(captured, tmp_path):
    (tmp_path / "results").mkdir()
    comparisons, _ = export(captured, tmp_path / "results" / "diff.json")
    read = ("import json, sys; from infer_check.types import ComparisonResult; from infer_check.runner import TestRunner\n"
            "r = TestRunner(sys.argv[2])\n"
            "for c in map(ComparisonResult.model_validate, json.load(open(sys.argv[1]))):\n"
            "    own = r._compare(c.baseline, c.test)\n"
            "    print(json.dumps(own.token_divergence_index))")
    done = subprocess.run([INFER_CHECK / "python", "-c", read, tmp_path / "results" / "diff.json", tmp_path / "cache"], capture_output=True, text=True, check=True)
    own = [json.loads(line) for line in done.stdout.splitlines()]
    # infer-check compares tokens with words if only one side has tokens; plumbline does not.
    alike = [("logprobs" in c["baseline"]) == ("logprobs" in c["test"]) for c in comparisons]
    assert sum(alike) >= 2 and all(c["token_divergence_index"] == index for c, index, same in zip(comparisons, own, alike) if same)
    subprocess.run([INFER_CHECK / "infer-check", "report", tmp_path / "results", "--format", "json", "--output", tmp_path / "all.json"], capture_output=True, check=True)
    document = json.loads((tmp_path / "all.json").read_text())
    assert document["summary"]["diff_batches"] == 1 and len(document["diff"][0]) == 4
    html = ("import sys, pathlib; from infer_check.reporting.html import generate_report\n"
            "generate_report(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))")
    subprocess.run([INFER_CHECK / "python", "-c", html, tmp_path / "results", tmp_path / "report.html"], capture_output=True, check=True)
    page = (tmp_path / "report.html").read_text()
    assert all(f"{c['text_similarity'] * 100:.1f}" in page for c in comparisons)
