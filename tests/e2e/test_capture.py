"""Nothing recorded is lost or wrong, and the ledger always balances."""
import concurrent.futures
import json
import os
import random
import re
import resource
import shutil
import signal
import threading
import time

import pytest

from harness import (BINARY, LONG, PATIENCE, SANITIZED, Raw, balances, chat, completion, exported, plumbline, post, request, respond,
                     wait_for)

PATH = "/v1/chat/completions"


def answer(raw, seen):
    respond(raw, {"choices": [{"index": 0, "message": {"content": "fine"}, "finish_reason": "stop"}]})


def test_the_record_equals_the_traffic(start):
    engine, reference = start.engine("--seed", "3"), start.engine("--seed", "4")
    proxy = start.proxy(engine.url, reference=reference.url)
    bodies = [chat("one"), chat("two", stream=True), chat("three é 日本 😀")]
    got = [post(proxy.port, PATH, body) for body in bodies]
    proxy.settled(3, "reference")
    rows = exported(proxy.capture)
    assert len(rows) == 3
    for row, body, answered in zip(rows, bodies, got):
        request_said = row["request"]["body"] if isinstance(row["request"]["body"], (dict, str)) else row["request"]
        said = json.loads(request_said) if isinstance(request_said, str) else request_said
        assert said["messages"] == body["messages"]
        texts = {leg["backend"]: leg["reading"]["choices"][0]["text"] for leg in row["legs"]}
        if not body.get("stream"):
            assert texts["primary"] == json.loads(answered[2])["choices"][0]["message"]["content"]
        else:
            pieces = [json.loads(line[6:]) for line in answered[2].decode().split("\n") if line.startswith("data: {")]
            assert texts["primary"] == "".join(p["choices"][0]["delta"].get("content") or "" for p in pieces if p["choices"])
        assert {leg["outcome"] for leg in row["legs"]} == {"complete"}


def test_non_json_bodies_are_recorded(start):
    proxy = start.proxy(start.scripted(answer).url)
    body = b'\xff\xfe not json {"a":'
    post(proxy.port, PATH, body, [("Content-Type", "application/json")])
    proxy.settled(1)
    done = plumbline("capture", "verify", proxy.capture, check=0)
    assert exported(proxy.capture)[0]["legs"][0]["outcome"] == "complete"


def test_the_ledger_balances_at_every_scrape(start):
    engine, reference = start.engine("--seed", "3"), start.engine("--seed", "3", "--ttft", "5ms", "--jitter", "1")
    proxy = start.proxy(engine.url, reference=reference.url)
    stop, wrong, scrapes = threading.Event(), [], [0]

    def watch():
        while not stop.is_set():
            for name, book in proxy.books().items():
                scrapes[0] += 1
                if not balances(book):
                    wrong.append((name, book))
    watcher = threading.Thread(target=watch)
    watcher.start()

    def client(k):
        for i in range(40):
            raw = Raw(proxy.port)
            raw.send(request("POST", PATH, chat(f"{k} {i}", stream=bool(i % 2))))
            if i % 10 == 9:
                raw.reset()
            else:
                raw.answer()
                raw.close()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(client, range(8)))
    books = proxy.settled(320)
    figures = proxy.metrics()
    for name, book in (("exchanges", "exchanges"), ("copies", "reference")):
        label = "" if name == "exchanges" else '{reference="reference"}'
        assert figures[f'plumbline_units_completed_total{{book="{book}"}}'] == figures[f"plumbline_{name}_completed_total{label}"] >= 300
    stop.set()
    watcher.join()
    assert not wrong and scrapes[0] > 10
    assert books["exchanges"]["completed"] == 320


def test_kill_9_loses_at_most_the_last_commit_window(start):
    engine = start.engine("--seed", "3")
    rng = random.Random(5)
    for attempt in range(3 if LONG else 1):      # tests/isolation/crash does this hundreds of times
        proxy = start.proxy(engine.url, reference=engine.url)
        answered, stop = [], threading.Event()

        def client():
            while not stop.is_set():
                try:
                    with Raw(proxy.port) as raw:
                        raw.send(request("POST", PATH, chat(f"{len(answered)}")))
                        raw.answer()
                        answered.append(time.monotonic())
                except OSError:
                    return
                except EOFError:
                    return
        threads = [threading.Thread(target=client) for _ in range(4)]
        [t.start() for t in threads]
        time.sleep(0.5 + rng.random())
        wait_for("a commit", lambda: proxy.books()["exchanges"]["recorded"])
        committed = proxy.books()["exchanges"]["recorded"]
        proxy.process.send_signal(signal.SIGKILL)
        proxy.process.wait()
        stop.set()
        [t.join() for t in threads]
        assert plumbline("capture", "verify", proxy.capture).returncode in (0,), "a record is damaged"
        rows = exported(proxy.capture)
        assert len(rows) >= committed > 0
        again = start.proxy(engine.url, capture=proxy.capture)     # the next proxy continues the capture
        post(again.port, PATH, chat("afterwards"))
        again.settled(1)
        assert len(exported(proxy.capture)) == len(rows) + 1


def test_a_full_disk_loses_only_records(start):
    """A file size limit simulates a full disk: every write of the recorder fails."""
    engine = start.scripted(answer)
    proxy = start.proxy(engine.url)
    post(proxy.port, PATH, chat("before"))
    proxy.settled(1)
    soft, hard = resource.prlimit(proxy.pid, resource.RLIMIT_FSIZE)
    size = max(f.stat().st_size for f in proxy.capture.iterdir())
    resource.prlimit(proxy.pid, resource.RLIMIT_FSIZE, (4096, hard))
    for i in range(50):
        assert post(proxy.port, PATH, chat("x" * 20000 + str(i)))[0] == 200
    books = proxy.settled(51)
    assert books["exchanges"]["dropped"]["disk"] > 0 and balances(books["exchanges"])
    resource.prlimit(proxy.pid, resource.RLIMIT_FSIZE, (soft, hard))
    def resumed():
        before = proxy.books()["exchanges"]
        post(proxy.port, PATH, chat("after"))
        return proxy.settled(before["completed"] + 1)["exchanges"]["recorded"] > before["recorded"]
    wait_for("recording to resume", resumed, pause=0.5)
    rows = exported(proxy.capture)
    assert len(rows) == proxy.books()["exchanges"]["recorded"]


def test_a_deleted_directory_is_created_again(start):
    go_on = threading.Event()

    def script(raw, seen):
        if b"long" not in seen.body:
            return answer(raw, seen)
        raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 600000\r\n\r\n" + b"x" * 500_000)
        go_on.wait(PATIENCE)
        raw.send(b"y" * 100_000)

    proxy = start.proxy(start.scripted(script).url, "--inject", "off")
    assert post(proxy.port, PATH, chat("Before."))[0] == 200
    proxy.settled(1)
    # Pieces of a running answer are on the disk. A reader could mistake the rest for the beginning.
    raw = Raw(proxy.port).send(request("POST", PATH, chat("long")))
    wait_for("a piece to be written", lambda: proxy.metrics()["plumbline_recorder_parts_total"] >= 8 and not proxy.metrics()["plumbline_recorder_queued_bytes"])
    shutil.rmtree(proxy.capture)
    for i in range(5):
        assert post(proxy.port, PATH, chat(f"After {i}."))[0] == 200
    proxy.settled(6)
    go_on.set()
    assert raw.answer()[2] == b"x" * 500_000 + b"y" * 100_000
    books = proxy.settled(7)["exchanges"]
    assert balances(books) and books["recorded"] == 7 and not proxy.metrics()["plumbline_recorder_failing"]
    assert proxy.log().count("deleted or moved away") == 1
    assert proxy.capture.stat().st_mode & 0o777 == 0o700
    assert proxy.stop() == 0
    plumbline("capture", "verify", proxy.capture, check=0)
    rows = exported(proxy.capture)
    assert [("truncated" in row["marks"], "truncated" in row["legs"][0]["marks"]) for row in rows] == [(True, True)] + [(False, False)] * 5


def test_two_proxies_on_one_directory(start):
    engine = start.engine("--seed", "3")
    one = start.proxy(engine.url)
    two = start.proxy(engine.url, capture=one.capture)
    for proxy in (one, two):
        for i in range(10):
            post(proxy.port, PATH, chat(f"{i}"))
        proxy.settled(10)
    rows = exported(one.capture)
    assert len(rows) == 20
    assert len({row["prompt_hash"] for row in rows if "prompt_hash" in row}) in (0, 10)
    plumbline("capture", "verify", one.capture, check=0)


def test_live_captures_can_be_read(start):
    engine = start.engine("--seed", "3")
    proxy = start.proxy(engine.url)
    for i in range(5):
        post(proxy.port, PATH, chat(f"{i}"))
        proxy.settled(i + 1)
        assert len(exported(proxy.capture)) == i + 1
        plumbline("capture", "ls", proxy.capture, check=0)
    one = exported(proxy.capture)[0]["id"]
    shown = plumbline("capture", "show", one, proxy.capture, check=0).stdout.decode()
    assert one[:8] in shown


def test_list_and_show_have_outcomes_and_first_differences(start):
    engine = start.engine("--seed", "7")
    proxy = start.proxy(engine.url, reference=[start.engine("--seed", "8").url, engine.url])
    post(proxy.port, PATH, {**chat("tea"), "max_tokens": 12})
    post(proxy.port, PATH, b'{broken', [("Content-Type", "application/json")])
    for book in ("exchanges", "reference", "reference-2"):
        proxy.settled(2, book)
    rows = exported(proxy.capture)
    listed = plumbline("capture", "ls", proxy.capture, check=0).stdout.decode()
    *lines, hint = listed.splitlines()
    assert max(map(len, lines)) <= 80 and plumbline(*hint.split()[3:], check=0).stdout
    first, second = (part.splitlines() for part in re.split(r"^@\d", listed, flags=re.M)[1:])
    usage = rows[0]["legs"][0]["usage"]
    assert f'primary 200 {rows[0]["legs"][0]["finish"]} {usage["prompt_tokens"]} in, {usage["completion_tokens"]} out, ' in first[1]
    assert first[1].index("primary 200") == second[1].index("primary 400") == listed.splitlines()[1].index("BACKEND:")
    shown = plumbline("capture", "show", rows[0]["id"], proxy.capture, check=0).stdout.decode()
    texts = [leg["reading"]["choices"][0]["text"] for leg in rows[0]["legs"]]
    same = len(os.path.commonprefix(texts[:1] + [t for t in texts if t != texts[0]]).encode())
    assert f"texts differ (⟂) from byte {same + 1}" in shown
    assert ": the texts are equal" in shown and "asked for    " in shown and "max_tokens 12" in shown
    broken = plumbline("capture", "show", rows[1]["id"], proxy.capture, check=0).stdout.decode()
    assert "not JSON" in broken and "answer       400, complete" in broken and "body         {broken\n" in broken
    raw = plumbline("capture", "show", "--raw", rows[1]["id"], proxy.capture, check=0).stdout.decode()
    assert "--- body of the request, 7 bytes\n{broken\n" in raw


def test_files_are_private(start):
    proxy = start.proxy(start.scripted(answer).url)
    post(proxy.port, PATH, chat())
    proxy.settled(1)
    for file in proxy.capture, *proxy.capture.iterdir():
        assert file.stat().st_mode & 0o077 == 0, file


def test_an_open_directory_is_made_private_with_a_log_line(start):
    wide = start.directory / "wide"
    wide.mkdir(mode=0o755)
    proxy = start.proxy(start.scripted(answer).url, capture=wide)
    assert wide.stat().st_mode & 0o777 == 0o700
    assert "was open to other users (mode 0755)" in proxy.log()


@pytest.mark.slow
def test_a_flipped_bit_anywhere_never_kills_a_command(start, tmp_path):
    engine = start.engine("--seed", "3")
    proxy = start.proxy(engine.url, reference=engine.url)
    for i in range(6):
        post(proxy.port, PATH, chat(f"{i}", stream=bool(i % 2)))
    proxy.settled(6, "reference")
    sound = len(exported(proxy.capture))
    proxy.stop()
    segment = next(proxy.capture.glob("*.seg"))
    whole = segment.read_bytes()
    seal = next(proxy.capture.glob("*.seal"))
    rng = random.Random(11)
    for sealed in (True, False):
        if not sealed:
            seal.unlink()
        for trial in range(12 if SANITIZED else 40):
            at, bit = rng.randrange(len(whole)), rng.randrange(8)
            segment.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1:])
            for command in (["ls"], ["verify"], ["export", "--jsonl"]):
                done = plumbline("capture", *command, proxy.capture)
                assert done.returncode in (0, 1, 2, 3, 4)
            if sealed:
                assert plumbline("capture", "verify", proxy.capture).returncode == 1
            assert plumbline("analyze", proxy.capture).returncode in (0, 1, 3, 4)
    segment.write_bytes(whole)
    # Salvage restores all but the damaged row.
    at = whole.index(b"\x82\xa7") if b"\x82\xa7" in whole else len(whole) // 2
    segment.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
    out = tmp_path / "salvaged"
    plumbline("capture", "verify", "--salvage", out, proxy.capture)
    assert len(exported(out)) >= sound - 1


def test_ten_thousand_exchanges_with_a_dying_reference_and_disconnects(start):
    """Concurrency 64; the reference is killed and restarted; one client in ten disconnects early."""
    total = 10_000 if not SANITIZED else 600
    engine = start.engine("--seed", "3")
    reference = start.engine("--seed", "3")
    port = reference.port
    proxy = start.proxy(engine.url, reference=reference.url)
    left, lock = [total], threading.Lock()
    seen = {"whole": 0, "aborted": 0}

    def client(k):
        raw = Raw(proxy.port)
        while True:
            with lock:
                if left[0] == 0:
                    raw.close()
                    return
                left[0] -= 1
                i = left[0]
            raw.send(request("POST", PATH if i % 2 else "/v1/completions",
                             chat(f"{i}", stream=bool(i % 4 < 2), max_tokens=8) if i % 2 else completion(f"{i}", stream=bool(i % 4 < 2), max_tokens=8)))
            if i % 10 == 0:
                raw.more()
                raw.reset()
                raw = Raw(proxy.port)
                with lock:
                    seen["aborted"] += 1
            else:
                assert raw.answer()[0] == 200
                with lock:
                    seen["whole"] += 1

    def trouble():
        while left[0] > total * 2 // 3:
            time.sleep(0.01)
        reference.stop(signal.SIGKILL)
        while left[0] > total // 3:
            time.sleep(0.01)
        start.engine("--seed", "3", port=port)
    troubler = threading.Thread(target=trouble)
    troubler.start()
    with concurrent.futures.ThreadPoolExecutor(64) as pool:
        list(pool.map(client, range(64)))
    troubler.join()
    books = proxy.settled(total)
    for name, book in books.items():
        assert balances(book), (name, book)
        assert book["completed"] == total, (name, book)
    assert books["exchanges"]["recorded"] == total
    done = plumbline("capture", "verify", proxy.capture, patience=120)
    assert done.returncode == 0, done.stdout.decode()[-2000:]
    assert seen["whole"] + seen["aborted"] == total


def test_prune_deletes_only_closed_segments(start, tmp_path):
    engine = start.engine()
    capture = tmp_path / "capture"
    lives = []
    for _ in range(3):
        proxy = start.proxy(engine.url, capture=capture)
        assert post(proxy.port, "/v1/chat/completions", chat(max_tokens=2))[0] == 200
        proxy.settled(1)
        lives.append(proxy)
        if len(lives) < 3:
            assert proxy.stop() == 0
    segments = sorted(capture.glob("*.seg"))
    old = time.time() - 3600
    for segment in segments[:1] + segments[2:]:
        os.utime(segment, (old, old))

    def prune(*flags):
        return json.loads(plumbline("capture", "prune", "--json", *flags, capture, check=0).stdout)
    would = prune("--older-than", "30m", "--dry-run")
    assert (would["deleted"], would["kept"], would["being_written"]) == (1, 2, 1)
    assert sorted(capture.glob("*.seg")) == segments
    assert prune("--older-than", "30m")["deleted"] == 1
    assert sorted(capture.glob("*.seg")) == segments[1:]
    assert prune("--max-size", "0")["deleted"] == 1
    assert sorted(capture.glob("*.seg")) == segments[2:] and not list(capture.glob(f"{segments[0].stem}*"))
    assert lives[2].stop() == 0
    assert len(plumbline("capture", "export", "--jsonl", capture, check=0).stdout.splitlines()) == 1
    assert plumbline("capture", "prune", capture).returncode == 2
    assert b"or 7d" in plumbline("capture", "prune", "--older-than", "old", capture).stderr
