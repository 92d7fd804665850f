"""Full disks, in many sizes, so that each kind of file hits the limit once: no process dies, and all recorded data is
sound."""
import json
import shutil
import subprocess
from collections import Counter

import pytest

from harness import BINARY, LONG, PATIENCE, balances, chat, exported, plumbline, post

SIZES = [32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048][:: 1 if LONG else 2]    # KiB
REQUESTS = 300

PRIVATE = ("unshare", "-m", "sh", "-c")
MOUNT = 'mount -t tmpfs -o size="$1k" none "$2"'
MOUNTS = shutil.which("unshare") and subprocess.run([*PRIVATE, MOUNT, "sh", "64", "/mnt"], stderr=subprocess.DEVNULL).returncode == 0

pytestmark = pytest.mark.skipif(not MOUNTS, reason="no file system may be mounted here")


def small_disk(start):
    path = start.directory / "small"
    path.mkdir()
    return path


def body(i):
    return chat(f"Say {i}. " + "x" * 3000, model="simulated")


@pytest.mark.parametrize("kib", SIZES)
def test_a_replay_stops_cleanly_and_resumes_with_free_space(start, kib):
    engine, small, kept, source = start.engine("--canned"), small_disk(start), start.directory / "kept", start.directory / "in.jsonl"
    source.write_text("".join(json.dumps(body(i)) + "\n" for i in range(REQUESTS)))
    done = subprocess.run([*PRIVATE, f'{MOUNT}; "$0" replay "$3" --to "$4" --capture "$2/capture" --concurrency 8; code=$?; cp -a "$2" "$5"; exit $code',
                           BINARY, str(kib), small, source, engine.url, kept], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode in (0, 3), done.stderr
    assert (done.returncode == 0) == (not "space" in done.stderr), done.stderr
    capture = kept / "capture"
    if not (capture / "CAPTURE").exists():
        capture = start.directory / "anew"
    else:
        plumbline("capture", "verify", capture, check=0)
    plumbline("replay", source, "--to", engine.url, "--capture", capture, "--concurrency", 8, check=0)
    assert sorted(Counter(e["id"] for e in exported(capture) for leg in e["legs"]).values()) == [1] * REQUESTS


@pytest.mark.parametrize("kib", [size for size in SIZES if size >= 192])
def test_a_proxy_continues_and_counts_lost_records(start, kib):
    engine, small = start.engine("--canned"), small_disk(start)
    proxy = start.proxy(engine.url, capture=small / "capture", prefix=(*PRIVATE, f'{MOUNT}; shift 2; exec "$@"', "sh", str(kib), str(small)))
    for i in range(REQUESTS):
        assert post(proxy.port, "/v1/chat/completions", body(i))[0] == 200
    books = proxy.settled(REQUESTS)["exchanges"]
    assert balances(books)
    assert kib > 1024 or books["dropped"].get("disk")
    assert proxy.stop() == 0
