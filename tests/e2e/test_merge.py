"""`capture merge` joins captures of several proxies: nothing is lost or doubled, and the result is complete or
absent."""
import json
import shutil

import pytest

from harness import chat, exported, plumbline, post

CHAT = "/v1/chat/completions"


@pytest.fixture
def two(start):
    engine = start.engine("--seed", "3")
    captures = []
    for k in range(2):
        proxy = start.proxy(engine.url, reference=engine.url, env={"FLEET": "ab" * 32}, config="capture:\n  hash_key_env: FLEET\n")
        for i in range(4):
            assert post(proxy.port, CHAT, chat(f"Number {i}"))[0] == 200
        proxy.settled(4, "reference")
        proxy.stop()
        captures.append(proxy.capture)
    return captures


def test_all_rows_are_there_once_with_their_runs(two, tmp_path):
    out, twin = tmp_path / "all", tmp_path / "twin"
    shutil.copytree(two[0], twin)
    told = json.loads(plumbline("capture", "merge", *two, twin, "--out", out, "--json", check=0).stdout)
    assert told == {"captures": 3, "segments": 2, "segments_twice": 1, "other_keys": 0}
    plumbline("capture", "verify", out, check=0)
    parts = [line for capture in two for line in exported(capture)]
    merged = exported(out)
    assert merged == sorted(parts, key=lambda line: line["id"]) and len(merged) == 8
    assert len({line["prompt_hash"] for line in merged}) == 4, "equal prompts of two proxies have equal hashes"
    runs = [[{**json.loads(line), "number": 0} for line in plumbline("capture", "ls", "--runs", "--json", capture, check=0).stdout.splitlines()]
            for capture in (out, *two)]
    assert sorted(map(str, runs[0])) == sorted(map(str, runs[1] + runs[2])) and runs[1] and runs[2]


def test_legs_of_another_directory_join_their_exchanges(two, start, tmp_path):
    engine, again, out = start.engine("--seed", "4"), tmp_path / "again", tmp_path / "all"
    plumbline("replay", two[0], "--to", engine.url, "--capture", again, check=0)
    plumbline("capture", "merge", two[0], again, "--out", out, check=0)
    assert [len(line["legs"]) for line in exported(out)] == [3] * 4 and not any(line["absent"] for line in exported(out))


def test_a_failed_merge_leaves_nothing(two, tmp_path):
    out, damaged = tmp_path / "all", tmp_path / "damaged"
    shutil.copytree(two[0], damaged)
    segment, = damaged.glob("*.seg")
    data = bytearray(segment.read_bytes())
    data[len(data) // 2] ^= 1
    segment.write_bytes(data)
    assert b"seal" in plumbline("capture", "merge", damaged, "--out", out, check=3).stderr
    assert not out.exists() and not (tmp_path / "all.unfinished").exists()
    plumbline("capture", "merge", two[0], tmp_path / "none", "--out", tmp_path / "b", check=2)
    assert not (tmp_path / "b").exists() and not (tmp_path / "b.unfinished").exists()
    assert b"exists already" in plumbline("capture", "merge", two[0], "--out", two[1], check=2).stderr


def test_different_hash_keys_are_reported(start, tmp_path):
    engine = start.engine()
    captures = []
    for k in range(2):
        proxy = start.proxy(engine.url)
        post(proxy.port, CHAT, chat("x"))
        proxy.settled(1)
        if k == 1:
            assert b"being written" in plumbline("capture", "merge", proxy.capture, "--out", tmp_path / "live", check=3).stderr
        proxy.stop()
        captures.append(proxy.capture)
    done = plumbline("capture", "merge", *captures, "--out", tmp_path / "all", check=0)
    assert b"another hash key" in done.stderr and len(exported(tmp_path / "all")) == 2
