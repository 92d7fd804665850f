"""Output of commands fits the terminal's width with whole words, and has colours only where they are wanted."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

import pytest

from harness import BINARY, PATIENCE, plumbline

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
SUITE = os.path.join(os.path.dirname(__file__), "../../configs/suites/reasoning.jsonl")
POLICY = os.path.join(os.path.dirname(__file__), "../../configs/policies/upgrade.yaml")
RECIPES = ("compare", "diff", "sweep", "determinism", "stress", "ablate")
OPINIONS = {"score", "grade", "judge"}  # they have no figures to show: analyze does
JUDGES = {*RECIPES, *OPINIONS, "analyze", "report", "diff-report", "replay", "probe"}


def screen(words, width, cwd, **env):
    """Return (exit code, standard output in a terminal of this width)."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    process = subprocess.Popen([os.path.abspath(BINARY), *map(str, words)], stdout=theirs, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                               cwd=cwd, env={**os.environ, **env})
    os.close(theirs)
    seen = b""
    try:
        while piece := os.read(ours, 65536):
            seen += piece
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode >= 0, errors
    return process.returncode, seen.decode().replace("\r\n", "\n")


def too_wide(text, width, whole=()):
    """Return lines that are too wide, except commands, absolute paths, single words and starts in `whole`."""
    lines = COLOUR.sub("", text).split("\n")
    return [line for line in lines if len(line) > width and not line.startswith(("    plumbline ", *whole)) and " /" not in line and len(line.removeprefix("  | ").split()) > 1]


@pytest.fixture(scope="module")
def screens(start_once, compared, tmp_path_factory):
    """Return each command, with a complete capture: a second call prints the same screen."""
    capture, old, new = compared
    where = tmp_path_factory.mktemp("screens")
    (where / "c").symlink_to(capture)
    (where / "p.yaml").symlink_to(os.path.abspath(POLICY))
    (where / "suite.jsonl").write_text("".join(open(SUITE).readlines()[:9]))
    loaded = start_once.engine("--seed", "7", "--fault", "load=0.3", "--fresh-noise", "--ttft", "5ms").url
    two = [f"a={old}", f"b={new}"]
    recipes = [["compare", *two], ["diff", *two, f"c={loaded}"], ["sweep", *two], ["determinism", loaded, "--repeats", "4"],
               ["stress", "--to", loaded, "--concurrency", "1,4"], ["ablate", loaded, "--concurrency", "1,4", "--pin"]]
    recipes = [[*words, "suite.jsonl", "--capture", words[0]] for words in recipes]
    for words in recipes:
        screen(words, 80, where)
    for name in "cd":
        plumbline("analyze", capture, "--out", where / f"{name}.json", check=1)
    return where, [
        *recipes, *([*words, "--full"] for words in recipes), ["analyze", "c"], ["analyze", "c", "--full"], ["analyze", "c", "--policy", "p.yaml"],
        ["report", "c.json"], ["diff-report", "c.json", "d.json"], ["diff-report", "c.json", "d.json", "--full"], ["probe", old], ["probe", old, "--deep"], ["probe", old, "--deep", "--full"], ["manifest", "c"], ["manifest", old],
        ["replay", "suite.jsonl", "--to", old, "--capture", "replayed", "--again"],
        ["replay", "suite.jsonl", "--to", old, "--capture", "replayed", "--again", "--rate", "saturate:20", "--step", "1s", "--duration", "2s"],
        ["score", "c", "--backend", "old", "--of", "new", "--capture", "scored"], ["grade", "c", "--capture", "graded"],
        ["judge", "c", "--url", old, "--limit", "3", "--capture", "judged"], ["judge", "c", "--url", old, "--check", "3", "--dry-run"],
        ["capture", "ls", "c"], ["capture", "ls", "--runs", "c"], ["capture", "show", "c", "worst"], ["capture", "verify", "c"],
        ["capture", "prune", "c", "--dry-run", "--max-size", "1GiB"], ["capture", "reread", "replayed"],
        ["runs"], ["suites"], ["baseline", "accept", "c", "--file", "f.json"],
        ["repro", "c", "worst", "--neighbours", "1s", "--to", new, "--times", "2", "--runs", "2"]]


@pytest.mark.slow
@pytest.mark.parametrize("width", [pytest.param(60, marks=pytest.mark.long), 80, pytest.param(160, marks=pytest.mark.long)])
def test_each_line_fits_the_width(screens, width):
    where, commands = screens
    for words in commands:
        code, text = screen(words, width, where)
        assert code in (0, 1, 4) and text, (words, code, text)
        assert too_wide(text, width) == [], words


def test_a_pipe_gets_80_columns_without_colours(screens):
    where, commands = screens
    for words in commands:
        done = subprocess.run([os.path.abspath(BINARY), *words], capture_output=True, cwd=where, timeout=PATIENCE, check=False)
        assert too_wide(done.stdout.decode(), 80, ["  | "]) == [] and b"\x1b" not in done.stdout + done.stderr, words


def test_a_first_screen_has_at_most_15_lines_of_80_columns(screens):
    where, commands = screens
    seen = set()
    for words in (words for words in commands if words[0] in JUDGES and "--full" not in words):
        text = screen(words, 80, where)[1]
        assert (1 if words[0] in OPINIONS else 4) <= len(text.splitlines()) <= 15, text
        seen.add(words[0])
    assert seen == JUDGES


NOUNS = "request answer pair prompt exchange segment file row token capture seed step line target figure rule part text score grade set finding position difference".split()
MANY = re.compile(rf"(?<!of )(?<![\w.,])1 (more |new |greedy |selected |unreadable )?({'|'.join(noun + 's' for noun in NOUNS)}|replies|are|were|have)\b")


def test_a_count_of_one_has_a_singular_noun(compared, tmp_path):
    _, old, new = compared
    (tmp_path / "one.jsonl").write_text(open(SUITE).readline())
    (tmp_path / "chat.json").write_text('[{"id": "a", "conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]}]')
    commands = [
        ["compare", f"a={old}", f"b={new}", "one.jsonl", "--capture", "c", "--out", "c.json"], ["replay", "one.jsonl", "--to", old, "--capture", "r"],
        ["stress", "--to", old, "--concurrency", "1,2", "one.jsonl", "--capture", "s", "--full"], ["determinism", old, "--repeats", "2", "one.jsonl", "--capture", "d", "--full"],
        ["analyze", "c", "--full"], ["analyze", "c", "r", "--full"], ["report", "c.json", "--full"], ["diff-report", "c.json", "c.json", "--full"], ["manifest", "c"], ["runs"],
        ["score", "r", "--backend", "old", "--of", "target", "--url", old], ["score", "c", "--backend", "x", "--url", old, "--of", "b"], ["analyze", "c", "--full"],
        ["judge", "c", "--url", old, "--check", "1", "--dry-run"], ["judge", "c", "--url", old, "--check", "1"], ["grade", "c"], ["baseline", "accept", "c", "--file", "f.json"],
        ["import", "chat.json", "--to", "i"], ["import", "chat.json", "--to", "i"], ["capture", "ls", "r"], ["capture", "ls", "--runs", "r"], ["capture", "verify", "r"],
        ["capture", "show", "r", "last"], ["capture", "compact", "r"], ["capture", "scrub", "i", "--out", "x"], ["capture", "merge", "r", "i", "--out", "m"],
        ["capture", "prune", "i", "--dry-run", "--max-size", "0"], ["pairs", "c", "--out", "p.ndjson"], ["analyze", "--from-pairs", "p.ndjson"]]
    wrong = []
    for words in commands:
        done = subprocess.run([os.path.abspath(BINARY), *words], capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE, check=False)
        text = re.sub(r"\n(    )?(?=\w)", " ", done.stdout + done.stderr)  # rows of tables stay lines
        assert done.returncode in (0, 1, 4), done
        wrong += [(words[:3], text[max(m.start() - 40, 0):m.end() + 40]) for m in MANY.finditer(text)]
    assert not wrong, wrong


def test_a_first_screen_can_have_colours(screens):
    where, commands = screens
    for words in (words for words in commands if words[0] in RECIPES and "--full" not in words):
        text = screen(words, 80, where)[1]
        assert COLOUR.search(text) and not COLOUR.search(screen(words, 80, where, NO_COLOR="1")[1]), words


def test_a_repeat_with_the_same_difference_is_one_line(screens):
    where, _ = screens
    text = screen(["capture", "show", "c", "worst"], 80, where)[1]
    # The target whose answer began first comes first.
    assert len(re.findall(r"(?:new and old|old and new): texts differ", text)) == 1
    assert re.search(r"The same holds for (?:old|new) \(repeated\)\.", text)
    assert re.search(r"(?:new and new|old and old) \(repeated\): the texts are equal", text)
    assert "old (repeated) 200 " in screen(["capture", "ls", "c"], 80, where)[1]


def test_a_replay_prints_its_speed_and_the_next_command(screens):
    where, commands = screens
    steady, search = (screen(words, 80, where)[1] for words in commands if words[0] == "replay")
    assert steady.count("in progress") == 1 and re.search(r" in (\d+ ms|[1-9][\d.]* s), 4 in progress\.", " ".join(steady.split()))
    assert steady.endswith("See the figures: plumbline analyze replayed\n") and "9 of 9 requests answered" in " ".join(steady.split())
    # A machine that stalls for most of a step does not offer its rate.
    assert re.search(r"^    rate .*verdict$", search, re.M)
    assert re.search(r"No further step was made: --duration leaves no time for one\.|THE RATE \d+ WAS NOT OFFERED: ", " ".join(search.split())), search
