"""Commands accept ids as people type them: the end of an id, "last", "worst", or a number of the last printed list."""
import json
import re
import shlex
import subprocess

import pytest

from harness import BINARY, chat, exported, plumbline, post


@pytest.fixture
def lists(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "plumbline" / "lists"


@pytest.fixture
def capture(tmp_path, start, lists):
    """Record six exchanges within a second; some pairs differ."""
    engines = start.engine("--seed", "7"), start.engine("--seed", "7", "--repeat-penalty", "1.3")
    proxy = start.proxy(engines[1].url, reference=engines[0].url, capture=tmp_path / "capture")
    for i in range(6):
        assert post(proxy.port, "/v1/chat/completions", chat(f"Tell me {i} stories.", max_tokens=40))[0] == 200
    proxy.settled()
    assert proxy.stop() == 0
    return tmp_path / "capture"


@pytest.fixture
def ids(capture):
    return [e["id"] for e in exported(capture)]


def shown(*words, **more):
    done = plumbline("capture", "show", *words, **{"check": 0, **more})
    return re.search(r"exchange ([0-9a-f-]{36})", done.stdout.decode())[1]


def rows(capture):
    return [line.split() for line in plumbline("capture", "ls", capture, check=0).stdout.decode().splitlines() if line.startswith("@")]


def test_the_list_shows_a_number_and_the_end_of_the_id(capture, ids):
    listed = rows(capture)
    assert [(row[0], row[1]) for row in listed] == [(f"@{i + 1}", id[-8:]) for i, id in enumerate(ids)]
    for number, end, *_ in listed:
        assert shown(capture, number) == shown(capture, end) and shown(end, capture).endswith(end)


def test_a_whole_or_partial_id_is_accepted(capture, ids):
    first = ids[0]
    unique = next(first[:n] for n in range(9, 37) if sum(id.startswith(first[:n]) for id in ids) == 1)
    for text in (first, first.replace("-", ""), first.upper(), unique, first[-6:], first[-12:]):
        assert shown(capture, text) == shown(text, capture) == first, text
        script = plumbline("repro", capture, text, check=0).stdout
        assert first.encode() in script and script == plumbline("repro", text, capture, check=0).stdout
    assert shown(capture, "last") == ids[-1]


def test_directories_and_ids_are_told_apart(capture, ids, tmp_path):
    (tmp_path / "last").symlink_to(capture)
    assert shown(tmp_path / "last", ids[2][-8:]) == ids[2]
    assert shown(capture, ids[2][-8:], tmp_path / "last") == ids[2]
    done = plumbline("capture", "show", "last", tmp_path / "nowhere")
    assert done.returncode == 2 and b"nowhere" in done.stderr


def test_worst_is_what_analyze_calls_the_widest_difference(capture):
    steps = json.loads(plumbline("analyze", capture, "--json").stdout)["next"]
    command = next(step["command"] for step in steps if "largest difference" in step["text"])
    assert shown(capture, "worst").endswith(command.split()[-1])


def test_without_pairs_analyze_says_which_backend_failed(tmp_path, start):
    proxy = start.proxy("http://127.0.0.1:1", capture=tmp_path / "capture")
    assert post(proxy.port, "/v1/chat/completions", chat())[0] == 502
    proxy.settled()
    assert proxy.stop() == 0
    done = plumbline("analyze", tmp_path / "capture", check=4)
    assert "UNCLEAR: No exchange has two answers to compare: all 1 requests to primary failed" in " ".join(done.stdout.decode().split()), done


def test_without_pairs_there_is_no_worst(tmp_path, start, lists):
    proxy = start.proxy(start.engine("--seed", "7").url, capture=tmp_path / "capture")
    assert post(proxy.port, "/v1/chat/completions", chat())[0] == 200
    proxy.settled()
    assert proxy.stop() == 0
    done = plumbline("capture", "show", tmp_path / "capture", "worst", check=4)
    assert b"no exchange has two answers to compare" in done.stderr


def test_an_ambiguous_id_lists_the_matches(capture, ids):
    done = plumbline("capture", "show", capture, ids[0][:4], check=2)
    text = done.stderr.decode()
    found = re.findall(r"^  (@\d+) +([0-9a-f]{8})  (\S+)  simulated  chat", text, re.M)
    assert "6 exchanges have ids that begin or end with" in text and [end for _, end, _ in found] == [id[-8:] for id in ids]
    assert shown(capture, "@2") == ids[1]
    assert plumbline("repro", capture, ids[0][:4]).stderr.decode().count("\n  @") == 6


def test_numbers_refer_to_the_last_printed_list(capture, ids, lists):
    rows(capture)
    assert plumbline("capture", "ls", capture, "--limit", "2", check=0)
    done = plumbline("capture", "show", capture, "@3", check=4)
    assert b"has 2 numbered lines" in done.stderr
    for wrong in ("@0", "@x", "@", "@1001", "@-1"):
        assert plumbline("capture", "show", capture, wrong).returncode == 2, wrong
    files = list(lists.iterdir())
    assert len(files) == 1 and files[0].stat().st_mode & 0o777 == 0o600
    files[0].write_text("nonsense\n")
    assert plumbline("capture", "show", capture, "@1").returncode == 4
    files[0].unlink()
    done = plumbline("capture", "show", capture, "@1", check=4)
    assert f"plumbline capture ls {capture}" in done.stderr.decode()


def test_commands_work_without_a_state_directory(capture, ids):
    for home in ({"XDG_STATE_HOME": "/proc/none", "HOME": "/proc/none"}, {"XDG_STATE_HOME": "", "HOME": ""}):
        assert len(re.findall(rb"^@", plumbline("capture", "ls", capture, check=0, env=home).stdout, re.M)) == 6
        assert plumbline("capture", "show", capture, ids[1][-8:], check=0, env=home)
        assert plumbline("capture", "show", capture, "@1", env=home).returncode == 4


def test_a_closed_pipe_is_no_error(tmp_path, lists):
    asked = {"messages": [{"role": "user", "content": "Hi"}], "model": "m" * 40}
    answer = {"choices": [{"index": 0, "message": {"content": "Ho"}, "finish_reason": "stop"}]}
    for name, lines in (
        ("in", ({"custom_id": str(i), "method": "POST", "url": "/v1/chat/completions", "body": asked} for i in range(2000))),
        ("out", ({"custom_id": str(i), "response": {"status_code": 200, "body": answer}} for i in range(2000))),
    ):
        (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    plumbline("import", tmp_path / "out", "--requests", tmp_path / "in", "--to", tmp_path / "capture", check=0)
    command = shlex.join([str(BINARY), "capture", "ls", str(tmp_path / "capture")]) + " | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60, check=True)
    assert done.stdout.startswith(b"NO ") and done.stderr == b""


def test_an_invalid_id_is_refused(capture):
    done = plumbline("capture", "show", capture, "wurst", check=2)
    assert b"wurst is neither a directory nor an id" in done.stderr
    done = plumbline("capture", "show", capture, "0000000000", check=4)
    assert f"plumbline capture ls {capture}" in done.stderr.decode()
    assert plumbline("capture", "show", capture).returncode == 2


def test_a_filter_accepts_the_end_of_an_id(capture, ids, start, tmp_path):
    document = json.loads(plumbline("analyze", capture, "--where", f"id={ids[3][-8:]}", "--json").stdout)
    assert document["exchanges"] == 1
