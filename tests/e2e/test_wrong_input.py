"""Wrong input: a command refuses it with one message that says what is wrong, where, and what to do, and it changes no file."""
import pathlib
import shutil
import subprocess

import pytest

from harness import BINARY, PATIENCE, free_port, respond

SUITE = b'{"id": "a", "prompt": "What is 2+2?", "answer": "4"}\n'
BOM = b"\xef\xbb\xbf"
CONFIG = b"primary: http://127.0.0.1:1\n"

# In the directory where each command runs, with copies of a capture that are damaged in one way each, and analyses of it.
FILES = {
    "empty": b"",
    "note.txt": b"hello\n",
    "table.csv": b"prompt,answer\nWhat is 2+2?,4\n",
    "array.json": b"[1, 2]\n",
    "other.json": b'{"a": 1}\n',
    "two.jsonl": SUITE + SUITE,
    "suite.jsonl": SUITE,
    "broken.jsonl": b'{"id": "b", "prom\n',
    "nul.jsonl": b'{"id": "b", "prompt": "a\0b"}\n',
    "tab.yaml": b"primary: {url: http://127.0.0.1:1}\ncapture:\n\tpath: c\n",
    "quote.yaml": b'primary: "http://127.0.0.1:1\n',
    "unknown.yaml": CONFIG + b"primray: x\n",
    "double.yaml": CONFIG + CONFIG,
    "off.yaml": CONFIG + b"capture: no\n",
    "unit.yaml": CONFIG + b"capture: {path: c, max_size: 20 gigs}\n",
    "names.yaml": b"primary: {name: gemma-b, url: http://127.0.0.1:1}\nreferences: [{name: b, url: http://127.0.0.1:2}]\n",
    "binary.yaml": b"\x89PNG\r\n\x1a\n\0",
    "rules.yaml": b"rules:\n  - {metric: difer, max: 5%}\n",
    "limit.yaml": b"rules:\n  - {metric: differ, max: 5 percent}\n",
}

# Command, exit code, the message. CAPTURE is sound, OLD, NEW and the other words in capitals are URLs.
REFUSED = [
    # of any command
    ("analyse CAPTURE", 2, 'no command is called "analyse"; did you mean analyze?'),
    ("analyze CAPTURE --jsn", 2, "--jsn is not a known option; did you mean --json? See plumbline analyze --help"),
    ("analyze CAPTURE --rate 5/s", 2, "--rate is not a known option; see plumbline analyze --help"),
    ("analyze CAPTURE --out", 2, "--out needs a value: FILE|DIR/"),
    ("analyze CAPTURE --json=yes", 2, "--json takes no value"),
    ("analyze CAPTURE --jobs 2 --jobs 3", 2, "--jobs is given twice"),
    ("analyze CAPTURE --jobs -3", 2, "--jobs needs a number from 1 to 64, not -3"),
    ("analyze ''", 2, "an argument is empty; is a variable of the shell not set?"),
    ("judge CAPTURE --url OLD --model ''", 2, "--model has an empty value; is a variable of the shell not set?"),
    ("replay CAPTURE --to OLD --duration 10", 2, "--duration needs a time like 30s, 2h or 7d, not 10"),
    ("grade CAPTURE --memory-limit 1GB", 2, "--memory-limit needs a number from 64 to 1048576, not 1GB"),
    # something else than a capture
    ("analyze", 2, "no capture is given: name its directory"),
    ("analyze missing", 3, "missing cannot be read: No such file or directory"),
    ("analyze note.txt", 3, "note.txt is not a capture: it is a file, and a capture is a directory"),
    ("analyze directory", 3, "directory is not a capture: it has no file CAPTURE"),
    ("analyze OLD", 3, "OLD cannot be read: it is a URL, and a capture is a directory"),
    ("analyze newer", 3, "newer/CAPTURE: the capture is of format 2; this program knows formats up to 1"),
    ("analyze unmarked", 3, "unmarked/CAPTURE is damaged, or is not the marker file of a capture"),
    ("capture show missing 1", 2, "missing cannot be read: No such file or directory"),
    ("manifest missing", 2, "plumbline manifest: missing cannot be read: No such file or directory"),
    ("repro missing last", 2, "plumbline repro: missing cannot be read: No such file or directory"),
    ("manifest localhost:1", 2, 'the URL "localhost:1" must begin with http:// or https://, as in http://localhost:1'),
    # a damaged capture: never "it is empty"
    ("analyze cut", 3, "in cut is left out: one of its two meta pages is damaged. `plumbline capture verify cut` lists the damage"),
    ("pairs cut", 3, "in cut is left out"),
    ("baseline accept cut --file new.json", 4, "in cut is left out"),
    ("capture ls cut", 3, "in cut is left out"),
    ("capture scrub cut --out new", 3, "in cut is left out"),
    ("engine --from cut", 4, "in cut is left out"),
    ("grade cut", 4, "in cut is left out"),
    ("judge cut --url OLD --model simulated", 4, "in cut is left out"),
    ("replay cut --to OLD --capture new", 4, "in cut is left out"),
    # files
    ("proxy -c missing.yaml", 2, "missing.yaml: can't be read: No such file or directory"),
    ("proxy -c directory", 2, "directory: can't be read: Is a directory"),
    ("proxy -c empty", 2, "empty: there is no primary; give the engine's URL with --primary"),
    ("proxy -c tab.yaml", 2, "tab.yaml:3: is not YAML: found character that cannot start any token; indent with spaces instead of tabs"),
    ("proxy -c quote.yaml", 2, "quote.yaml:2: is not YAML: found unexpected end of stream"),
    ("proxy -c binary.yaml", 2, "binary.yaml:1: is not YAML"),
    ("proxy -c unknown.yaml", 2, "unknown.yaml:2: primray: is not a known key; did you mean primary?"),
    ("proxy -c double.yaml", 2, "double.yaml:2: primary: was already given in line 1"),
    ("proxy -c off.yaml", 2, 'off.yaml:2: capture: "no" is no directory; to record nothing, leave capture out (./no is a directory of this name)'),
    ("proxy -c unit.yaml", 2, 'unit.yaml:2: capture.max_size: must be a size like 64KiB, 20GiB or 10MB, not "20 gigs"'),
    ("analyze CAPTURE --policy rules.yaml", 2, 'rules.yaml:2: rules[1].metric: "difer" is not a known metric; did you mean differ?'),
    ("analyze CAPTURE --policy limit.yaml", 2, 'limit.yaml:2: rules[1].max: must be a number like 0.5, -3 or 20%, not "5 percent"'),
    ("analyze CAPTURE --policy empty", 2, "empty:1: rules must be a list of at least one rule"),
    ("analyze CAPTURE --accepted saved.json", 2, "saved.json: plumbline_accepted: is not 1"),
    ("analyze --from-pairs CAPTURE", 3, "CAPTURE can't be read: it is a directory, and --from-pairs takes files that plumbline pairs wrote"),
    ("analyze --from-pairs empty", 3, "the files of --from-pairs hold no row"),
    ("analyze --from-pairs suite.jsonl", 3, 'suite.jsonl:1: not a row: the first member is not "row"'),
    ("analyze --from-pairs table.csv", 3, "table.csv:1: not a JSON object: --from-pairs takes files that plumbline pairs --out FILE.ndjson wrote, and no CSV"),
    ("analyze --from-pairs half.jsonl", 3, "half.jsonl:13: damaged JSON"),
    ("report empty", 3, "empty: is empty"),
    ("report half.json", 3, "half.json:1: is not JSON, or was cut"),
    ("report other.json", 3, "other.json: is not an analysis: plumbline analyze writes one, with --out"),
    ("report unreported", 3, "unreported has no report.json, which a recipe (compare, stress, …) writes. If it is a capture: plumbline analyze unreported"),
    ("import directory --to new", 3, "directory can't be read: it is a directory, not a file"),
    ("import other.json --to new --format har", 4, "No answer was imported."),
    ("import table.csv --to new", 2, "the format of table.csv is not recognised; --help lists the formats"),
    ("replay broken.jsonl --to OLD --capture new", 4, "broken.jsonl:1: neither a JSON object with messages or a prompt, nor a batch request"),
    ("replay nul.jsonl --to OLD --capture new", 4, "nul.jsonl:1: neither a JSON object with messages or a prompt, nor a batch request"),
    ("replay saved.json --to OLD --capture new", 4, "saved.json:1: neither a JSON object with messages or a prompt, nor a batch request"),
    ("compare OLD NEW table.csv", 4, "table.csv:1: neither a JSON object with messages or a prompt, nor a batch request"),
    ("compare OLD,model= NEW suite.jsonl", 2, "model= of a target has an empty value; is a variable of the shell not set?"),
    ("compare OLD NEW two.jsonl two.jsonl", 2, "the suite two.jsonl is given twice"),
    # engines
    ("probe localhost", 2, 'the URL "localhost" must begin with http:// or https://, as in http://localhost'),
    ("probe ftp://x", 2, 'the URL "ftp://x" must begin with http:// or https://'),
    ("probe user:secret@host", 2, 'the URL "***@host" must begin with http:// or https://'),
    ("probe http://127.0.0.1:99999", 2, "has a port that is not a number from 1 to 65535"),
    ("probe OLD/v1/chat/completions", 2, "is the address of one endpoint; give that of the engine, OLD"),
    ("probe DEAD", 3, "nothing answers at DEAD: connection refused"),
    ("probe SECURE", 3, "the server does not speak TLS; its URL begins with http://"),
    ("probe OLD --api-key-env PLUMBLINE_NONE", 2, "the environment variable PLUMBLINE_NONE is not set"),
    ("probe OLD --api-key-env sk-proj-hushhushhushhush", 2, "the environment variable is not set; its name is not shown"),
    ("manifest OLD --api-key-env PLUMBLINE_NONE", 2, "the environment variable PLUMBLINE_NONE is not set"),
    ("replay CAPTURE --to OLD --api-key-env PLUMBLINE_NONE", 2, "the environment variable PLUMBLINE_NONE is not set"),
    ("judge CAPTURE --url OLD --model m --api-key-env PLUMBLINE_NONE", 2, "the environment variable PLUMBLINE_NONE is not set"),
    ("replay CAPTURE --to OLD --dialect vlm", 2, "no dialect is called vlm; there are vllm, "),
    ("judge CAPTURE --url OLD --model m --dialect vlm", 2, "no dialect is called vlm; there are vllm, "),
    ("compare OLD DEAD suite.jsonl", 3, "can't be reached at DEAD: connection refused; nothing was sent"),
    ("compare OLD WEB suite.jsonl", 3, "does not look like an inference engine: GET /v1/models gives 404"),
    ("compare OLD LOCKED suite.jsonl", 3, "answers GET /v1/models with 401: it requires an API key; name the variable that holds it: --api-key-env NAME"),
    ("compare OLD NEW suite.jsonl --model none", 2, "It has: simulated. Give OLD,model=simulated, or --any-model"),
    ("compare OLD OLD suite.jsonl", 2, "two targets have the name"),
    ("compare OLD suite.jsonl", 2, "give 2 targets, not 1: a target is [LABEL=]URL"),
    ("compare OLD localhost:8000 suite.jsonl", 2, "there is no suite, file or capture localhost:8000. Do you mean http://localhost:8000? See plumbline compare --help"),
    ("compare OLD NEW reasonign", 2, "there is no suite, file or capture reasonign; did you mean reasoning?"),
    ("stress suite.jsonl --to OLD --to NEW", 2, "--to is given twice"),
    ("score CAPTURE --backend x --url OLD --capture new", 4, "There is no answer of the primary to score"),
    ("score CAPTURE --backend x -c names.yaml", 2, "no backend x is in names.yaml (which has: gemma-b, b); give its URL (--url)"),
    ("score CAPTURE --backend x --url OLD", 4, "There is no answer of the primary to score. Give --of NAME"),
    # addresses to listen at
    ("engine --listen 8101", 2, 'with an IP address or localhost as host and a port of at most 65535, not "8101"'),
    ("engine --listen nohost:1", 2, 'not "nohost:1"'),
    ("engine --listen 127.0.0.1:99999", 2, 'not "127.0.0.1:99999"'),
    ("proxy --primary OLD --listen 127.0.0.1:99999", 2, 'not "127.0.0.1:99999"'),
    ("proxy --primary 127.0.0.1:8000", 2, '"127.0.0.1:8000" must begin with http:// or https://, as in http://127.0.0.1:8000'),
    # what would be lost
    ("replay suite.jsonl --to OLD --capture new --save-result directory/../suite.jsonl", 2, "--save-result directory/../suite.jsonl would replace the file that is read"),
    ("compare OLD NEW saved.json --out saved.json", 2, "--out saved.json would replace the file that is read"),
    ("report saved.json --out saved.json", 2, "--out saved.json would replace the file that is read"),
    ("diff-report saved.json saved.json --out saved.json", 2, "--out saved.json would replace the file that is read"),
    ("capture prune CAPTURE --max-size 1", 2, "--max-size is 0, or at least 1MiB: a number without a unit means bytes"),
    ("capture merge CAPTURE CAPTURE --out directory", 2, "directory exists already"),
    ("judge CAPTURE --with math-verify --python /bin/true", 3, "bubblewrap can't run /bin/true: it prints nothing; is it a Python?"),
]


def damaged(capture, name, change):
    copy = shutil.copytree(capture, capture.parent / name)
    change(copy)


def cut(capture):
    segment, = capture.glob("*.seg")
    segment.write_bytes(segment.read_bytes()[:100])


@pytest.fixture(scope="module")
def place(compared, start_once, tmp_path_factory):
    """(directory with the files, a URL for each word in capitals)"""
    directory = tmp_path_factory.mktemp("wrong")
    for name, content in FILES.items():
        (directory / name).write_bytes(content)
    (directory / "directory").mkdir()
    sound = shutil.copytree(compared[0], directory / "CAPTURE")
    damaged(sound, "cut", cut)
    damaged(sound, "newer", lambda c: (c / "CAPTURE").write_text((c / "CAPTURE").read_text().replace('"plumbline_capture": 1', '"plumbline_capture": 2')))
    damaged(sound, "unreported", lambda c: (c / "report.json").unlink())
    damaged(sound, "unmarked", lambda c: (c / "CAPTURE").write_text("x"))
    run(directory, "analyze", "CAPTURE", "--out", "saved.json")
    run(directory, "pairs", "CAPTURE", "--out", "rows.jsonl")
    (directory / "half.json").write_bytes((directory / "saved.json").read_bytes()[:2000])
    rows = (directory / "rows.jsonl").read_bytes().splitlines()
    (directory / "half.jsonl").write_bytes(b"\n".join([*rows[:12], rows[12][:len(rows[12]) // 2]]))
    web = start_once.scripted(lambda raw, seen: respond(raw, b"<html>", "404 Not Found", content_type="text/html"))
    locked = start_once.scripted(lambda raw, seen: respond(raw, {"error": {"message": "no key"}}, "401 Unauthorized"))
    urls = {"OLD": compared[1], "NEW": compared[2], "WEB": web.url, "LOCKED": locked.url, "DEAD": f"http://127.0.0.1:{free_port()}", "SECURE": compared[1].replace("http:", "https:")}
    return directory, urls


def run(directory, *words, **kw):
    return subprocess.run([BINARY, *words], cwd=directory, capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL, **kw)


def listing(directory):
    return {path.relative_to(directory): (path.stat().st_size, path.stat().st_mtime_ns) for path in directory.rglob("*") if path.suffix not in (".seg-lock", ".writer")}


def in_words(text, urls):
    for word, url in urls.items():
        text = text.replace(word, url)
    return text


@pytest.mark.parametrize("command, code, message", REFUSED, ids=[row[0] for row in REFUSED])
def test_wrong_input_is_refused_with_one_message(place, command, code, message):
    directory, urls = place
    before = listing(directory)
    done = run(directory, *(in_words(word, urls).strip("'") for word in command.split()))
    said = " ".join((done.stderr or done.stdout).split())
    assert done.returncode == code and in_words(message, urls) in said, done
    assert said.count(in_words(message, urls)) == 1 and "ssertion" not in said and "hush" not in said
    assert listing(directory).keys() == before.keys()


@pytest.mark.parametrize("name, change", [("bom", lambda b: BOM + b), ("crlf", lambda b: b.replace(b"\n", b"\r\n"))])
def test_marks_and_line_ends_of_windows_change_nothing(place, name, change):
    directory, urls = place
    config = f"primary: {urls['OLD']}\nlisten: 127.0.0.1:0\n".encode()
    (directory / f"{name}.yaml").write_bytes(change(config))
    assert run(directory, "proxy", "-c", f"{name}.yaml", "--check-config").returncode == 0
    for file, command in [("saved.json", ["report"]), ("rows.jsonl", ["analyze", "--from-pairs"])]:
        (directory / f"{name}-{file}").write_bytes(change((directory / file).read_bytes()))
        assert run(directory, *command, f"{name}-{file}").stdout == run(directory, *command, file).stdout


def test_a_file_that_cannot_be_written_whole_stays_as_it_was(place, tmp_path):
    directory, _ = place
    written = tmp_path / "x.jsonl"
    written.write_text("yesterday's")
    limit = ["prlimit", "--fsize=60000", BINARY, "pairs", "CAPTURE", "--out", str(written)]
    done = subprocess.run(limit, cwd=directory, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 3 and f"{written} can't be written: File too large" in done.stderr, done
    assert written.read_text() == "yesterday's" and list(tmp_path.iterdir()) == [written]


def test_a_capture_that_cannot_be_begun_leaves_no_directory(place, tmp_path):
    source = tmp_path / "chats.json"
    source.write_text('[{"id": "a", "conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]}]')
    new = tmp_path / "new"
    done = subprocess.run(["prlimit", "--fsize=1000", BINARY, "import", str(source), "--to", str(new)], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 3 and f"{new}: no segment can be made: File too large" in done.stderr and not new.exists(), done
