"""Compacting writes a capture again as one segment and adds missing readings. It changes nothing else."""
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import threading
import time

import lmdb
import msgpack
import pytest

import read_capture
from harness import BINARY, SANITIZED, chat, completion, exported, plumbline, post, wait_for

CHAT = "/v1/chat/completions"
UNREAD = 1 << 3
# Members of a leg's row that repeat its reading, and the place of the reading.
REPEATED, PART_READING, ROW_LEG = (17 - 1, 24, 25, 26, 27, 28, 29, 30, 31, 32), 6, 2


@pytest.fixture
def captured(start):
    """Three proxy processes with two backends write a capture; the second one is killed during an answer."""
    primary, reference = start.engine("--seed", "7"), start.engine("--seed", "7", "--noise", "0.6")
    slow = start.engine("--seed", "7", "--itl", "50ms")
    capture = start.directory / "capture"
    for life in range(3):
        proxy = start.proxy((slow if life == 1 else primary).url, reference=reference.url, capture=capture)
        for i in range(8 if life != 1 else 1):
            post(proxy.port, CHAT, chat(f"Question {i} of life {life}?", stream=i % 2 == 0, max_tokens=12, **({"logprobs": True, "top_logprobs": 3} if i % 3 else {})))
        post(proxy.port, "/v1/completions", completion("Once", max_tokens=6))
        proxy.settled(9 if life != 1 else 2)
        if life != 1:
            proxy.stop()
            continue
        threading.Thread(target=lambda: _quiet(post, proxy.port, CHAT, chat("A long one", stream=True, max_tokens=400, ignore_eos=True)), daemon=True).start()
        wait_for("the request to be written", lambda: segment_bytes_of(capture, b"A long one"))
        wait_for("it to be committed", lambda: verified(capture)["dangling"] >= 1)
        proxy.stop(signal.SIGKILL)
    return capture


def _quiet(f, *args):
    try:
        f(*args)
    except Exception:
        pass


def segment_bytes_of(capture, word):
    return any(word in file.read_bytes() for file in capture.glob("*.seg"))


def segments(capture):
    return sorted(p.name for p in pathlib.Path(capture).glob("*.seg"))


def verified(capture):
    return json.loads(plumbline("capture", "verify", "--json", capture, check=0).stdout)


def test_many_segments_become_one_with_the_same_content(captured):
    before, was = exported(captured), verified(captured)
    report = plumbline("analyze", "--json", captured).stdout
    (captured / "replay-1.sent").write_text("kept")
    marker = (captured / "CAPTURE").read_bytes()
    done = json.loads(plumbline("capture", "compact", captured, "--json", check=0).stdout)
    now = verified(captured)
    assert len(segments(captured)) == now["sealed"] == done["new_segments"] == 1 and done["segments"] == was["segments"] == 3
    # Of the interrupted exchange only the reference's answer is there.
    assert exported(captured) == before and len(before) - sum(e["absent"] for e in before) == done["exchanges"] == 20
    assert was["dangling"] >= 1, was
    assert now["dangling"] == 0 and done["dropped"] >= 1 and done["new_bytes"] < done["bytes"]
    figures = [json.loads(text)["groups"] for text in (report, plumbline("analyze", "--json", captured).stdout)]
    assert figures[0] == figures[1]
    assert (captured / "replay-1.sent").read_text() == "kept" and (captured / "CAPTURE").read_bytes() == marker
    assert not captured.with_name("capture.unfinished").exists()
    # docs/format.md still describes all of it.
    assert [e["id"] for e in read_capture.Capture([captured]).exchanges()] == [e["id"] for e in before]
    again = json.loads(plumbline("capture", "compact", captured, "--json", check=0).stdout)
    assert again["segments"] == again["new_segments"] == 1 and exported(captured) == before


def test_a_capture_that_cannot_be_compacted_is_unchanged(captured, start, tmp_path):
    before, names = exported(captured), segments(captured)
    out = tmp_path / "new"
    plumbline("capture", "compact", captured, "--out", out, check=0)
    assert exported(out) == before and segments(captured) == names and len(segments(out)) == 1
    assert b"exists already" in plumbline("capture", "compact", captured, "--out", out, check=2).stderr
    captured.with_name("capture.unfinished").mkdir()
    assert b"left over from an earlier attempt" in plumbline("capture", "compact", captured, check=2).stderr
    captured.with_name("capture.unfinished").rmdir()
    proxy = start.proxy(start.engine().url, capture=captured)
    post(proxy.port, CHAT, chat("More"))
    proxy.settled(1)
    assert b"being written" in plumbline("capture", "compact", captured, check=2).stderr
    proxy.stop()
    damaged = tmp_path / "damaged"
    shutil.copytree(captured, damaged)
    file = sorted(damaged.glob("*.seg"))[0]
    raw = bytearray(file.read_bytes())
    raw[len(raw) // 2] ^= 1
    file.write_bytes(raw)
    assert b"damaged" in plumbline("capture", "compact", damaged, check=2).stderr
    assert file.read_bytes() == raw and not damaged.with_name("damaged.unfinished").exists()
    assert b"128MiB" in plumbline("capture", "compact", captured, "--segment-size", "1MiB", check=2).stderr


def unread(capture):
    """Remove all readings and what rows repeat of them, as if the recorder had been overloaded."""
    for file in capture.glob("*.seg"):
        env = lmdb.open(str(file), subdir=False, max_dbs=16, lock=False, map_size=1 << 30)
        legs, parts = env.open_db(b"leg", create=False), env.open_db(b"part", create=False)
        with env.begin(write=True) as txn:
            for key, value in list(txn.cursor(parts)):
                if key[16] == PART_READING:
                    txn.delete(key, db=parts)
            for key, value in list(txn.cursor(legs)):
                row = msgpack.unpackb(read_capture.unwrap(value, ROW_LEG), strict_map_key=False, raw=True)
                row = {k: v for k, v in row.items() if k not in REPEATED}
                row[9] = row.get(9, 0) | UNREAD
                payload = msgpack.packb(row, use_bin_type=True)
                # Texts are equal, because both are read from the raw answers.
                payload = msgpack.packb({k: v.decode() if k in (4, 5, 21, 22, 23, 33, 35) else v for k, v in row.items()}, use_bin_type=True)
                head = struct.pack("<BBHI", 1, ROW_LEG, 0, len(payload))
                txn.put(key, head + struct.pack("<Q", read_capture.xxh3(head + payload)) + payload, db=legs)
        env.close()
        file.with_suffix(".seal").unlink(missing_ok=True)
        file.with_name(file.name + "-lock").unlink(missing_ok=True)


def test_compact_reads_a_raw_capture(start, tmp_path):
    primary, reference = start.engine("--seed", "7"), start.engine("--seed", "7", "--noise", "0.6")
    proxy = start.proxy(primary.url, reference=reference.url)
    for i in range(24):
        post(proxy.port, CHAT, chat(f"Question {i}?", stream=i % 2 == 0, max_tokens=12))
    proxy.settled(24, "reference")
    proxy.stop()
    whole, raw = proxy.capture, tmp_path / "raw"
    shutil.copytree(whole, raw)
    unread(raw)
    rows = exported(raw)
    assert all("unread" in leg["marks"] and leg["usage"]["completion_tokens"] is None for e in rows for leg in e["legs"])
    kept = json.loads(plumbline("capture", "compact", raw, "--json", check=0).stdout)
    assert kept["unread"] == kept["answers"] == 48 and kept["reread"] == 0
    done = json.loads(plumbline("capture", "reread", raw, "--json", check=0).stdout)
    assert done["reread"] == 48 and done["unread"] == 0
    assert exported(raw) == exported(whole)
    # Proposed commands contain the capture's path.
    figures = [json.loads(plumbline("analyze", "--json", c).stdout.decode().replace(str(c), "CAPTURE"))["groups"] for c in (whole, raw)]
    assert figures[0] == figures[1] and figures[0]
    verified(raw)
    assert json.loads(plumbline("capture", "reread", raw, "--json", check=0).stdout)["reread"] == 0
    assert json.loads(plumbline("capture", "reread", raw, "--all", "--json", check=0).stdout)["reread"] == 48
    assert exported(raw) == exported(whole)
    assert b"--all is not a known option" in plumbline("capture", "compact", raw, "--all", check=2).stderr


def test_a_symlink_to_a_capture_leads_to_the_new_one(captured):
    before, link = exported(captured), captured.with_name("link")
    link.symlink_to("capture")
    for verb in ("compact", "reread"):
        plumbline("capture", verb, link)
        assert link.is_symlink() and not captured.is_symlink()
        assert exported(captured) == exported(link) == before and len(segments(captured)) == 1
        assert sorted(p.name for p in captured.parent.glob("*.unfinished")) == []


# The process kills itself during the swap, and while it deletes the old capture.
KILLER = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void at(const char *moment)
{
	const char *wanted = getenv("KILL_AT");
	if (wanted && strcmp(wanted, moment) == 0) {
		raise(SIGKILL);
	}
}

int renameat2(int from, const char *a, int to, const char *b, unsigned flags)
{
	at("before");
	int r = (int)syscall(SYS_renameat2, from, a, to, b, flags);
	at("after");
	return r;
}

int unlinkat(int dir, const char *name, int flags)
{
	int r = (int)syscall(SYS_unlinkat, dir, name, flags);
	if (r == 0) {
		at("deleting");
	}
	return r;
}
"""


@pytest.mark.skipif(bool(SANITIZED), reason="a sanitizer's runtime must be the first library")
@pytest.mark.parametrize("moment, n", [("before", 3), ("after", 1), ("deleting", 1)])
def test_a_kill_during_the_swap_leaves_a_complete_capture(captured, tmp_path, moment, n):
    (tmp_path / "killer.c").write_text(KILLER)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "killer.so", tmp_path / "killer.c"], check=True)
    before, beside = exported(captured), captured.with_name("capture.unfinished")
    done = subprocess.run([BINARY, "capture", "compact", captured], capture_output=True,
                          env={**os.environ, "LD_PRELOAD": str(tmp_path / "killer.so"), "KILL_AT": moment})
    assert done.returncode == -signal.SIGKILL, done
    assert exported(captured) == before and len(segments(captured)) == n and beside.is_dir()
    assert b"left over from an earlier attempt" in plumbline("capture", "compact", captured, check=2).stderr
    shutil.rmtree(beside)
    plumbline("capture", "compact", captured)
    assert exported(captured) == before and len(segments(captured)) == 1 and not beside.exists()


def test_a_kill_at_any_moment_leaves_a_complete_capture(captured):
    before, beside = exported(captured), captured.with_name("capture.unfinished")
    for delay in (0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2):
        process = subprocess.Popen([BINARY, "capture", "compact", captured], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.kill()
        process.wait()
        verified(captured)
        assert exported(captured) == before
        shutil.rmtree(beside, ignore_errors=True)
