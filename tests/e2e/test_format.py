"""docs/format.md says enough: a reader written from it alone sees what plumbline sees."""
import json
import pathlib
import subprocess

from harness import chat, completion, exported, plumbline, post

READER = pathlib.Path(__file__).parent / "read_capture.py"


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
    """Readings that are not stored are made on export; the other reader has none."""
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


def test_the_hashes_of_a_session_are_recorded_and_lead_from_turn_to_turn(start):
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


def test_what_was_salvaged_is_in_the_same_format(start, tmp_path):
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


def test_unknown_ids_and_empty_captures_are_said_in_a_sentence(start, tmp_path):
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
