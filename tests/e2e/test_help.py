"""Man pages and completions follow --help, and the documentation describes the same options."""
import pathlib
import re
import subprocess

from harness import BINARY, plumbline

ROOT = pathlib.Path(__file__).parents[2]
COMPLETION = ROOT / "packaging" / "completion" / "plumbline.bash"


def said(*command):
    return plumbline(*command, "--help", check=0).stdout.decode()


def names(text):
    return re.findall(r"^  ([a-z][a-z-]*)  ", text, re.M)


def commands():
    """Return each command and verb with its help."""
    found = {}
    for command in names(said()):
        found[command,] = said(command)
        for verb in names(found[command,]) if command == "capture" else ():
            found[command, verb] = said(command, verb)
    return found


RECIPE_PAGES = ("recipes", "from-infer-check", "replay", "analyze")

# Pages that describe a verb's options, unless the page has the verb's name.
PAGES = {"runs": ("recipes",), **{verb: RECIPE_PAGES for verb in ("compare", "determinism", "diff", "sweep", "stress", "ablate")},
         "analyze": ("analyze", "sampled"), "baseline": ("policy",), "pairs": ("rows", "analyze"), "report": ("report", "policy"), "diff-report": ("report",), "repro": ("replay", "report"),
         "capture": ("operations", "export", "format", "privacy")}

EVERYWHERE = {"--help", "--json"}


def options(text):
    """Return the options at the start of the lines of a help."""
    return set(re.findall(r"^  (?:-[a-z], )?(--[a-z][a-z-]*)", text, re.M))


def page(name):
    return (ROOT / "docs" / f"{name}.md").read_text()


def test_no_help_has_an_option_twice():
    for command, text in commands().items():
        lines = re.findall(r"^  (?:-[a-z], )?(--[a-z][a-z-]*)", text, re.M)
        assert len(lines) == len(set(lines)), command


def test_each_option_is_in_the_documentation_of_its_verb():
    missing = {}
    for command, text in commands().items():
        pages = " ".join(page(name) for name in PAGES.get(command[0], command[:1]))
        described = set(re.findall(r"--[a-z][a-z-]*", pages))
        missing[command] = sorted(options(text) - EVERYWHERE - described)
    assert len(missing) > 25 and not any(missing.values()), {command: names for command, names in missing.items() if names}


def test_each_option_in_a_table_of_the_documentation_exists():
    taken = set.union(*(options(text) for text in commands().values()))
    rows = [row for file in (ROOT / "docs").glob("*.md") for row in re.findall(r"^\| (`-(?:[^|]|\\\|)*)\|", file.read_text(), re.M)]
    named = {name for row in rows for name in re.findall(r"--[a-z][a-z-]*", row)}
    assert len(named) > 90 and named <= taken, sorted(named - taken)


def test_where_accepts_each_documented_key(tmp_path):
    sentence = re.search(r"Keys of requests: ([^;]*); of answers: ([^.]*)\.", " ".join(said("analyze").split()))
    keys = re.findall(r"[a-z]+", f"{sentence[1]} {sentence[2]}")
    assert len(keys) > 9
    for key in [*keys, "nothing"]:
        done = plumbline("analyze", tmp_path / "none", "--where", f"{key}=yes", check=None)
        assert (b"--where has the keys" in done.stderr) == (key == "nothing"), done.stderr


def test_each_limit_is_documented_in_analyze():
    page = (ROOT / "docs" / "analyze.md").read_text()
    source = "".join((ROOT / "analyzer" / "report" / "document" / f"document_{name}.c").read_text() for name in ("limits", "verdict"))
    keys = re.findall(r'add\w*\([a-z]+,\s*"([a-z0-9_]+)"', source) + re.findall(r'"((?:base|test)_[a-z_]+)"', source)
    assert len(keys) > 9 and {"ungraded", "stacks", "no_floor", "base_repeats"} <= set(keys)
    assert [key for key in keys if f"`{key}`" not in page] == []


def test_each_help_fits_80_columns_and_has_all_parts():
    for command, text in {(): said(), **commands()}.items():
        assert [line for line in text.splitlines() if len(line) > 80] == [], command
        parts = [f"usage: plumbline {' '.join(command)}".strip(), *(["\nexamples:\n  "] if command else ()), "\nexit codes: "]
        assert [part for part in parts if part not in text.replace("Exit codes", "exit codes")] == [], command


def test_examples_of_a_help_use_its_command_with_options_that_exist():
    found = commands()
    for command, text in found.items():
        lines = re.search(r"\nexamples:\n(.*?)\n\n", text, re.S)[1].replace("\\\n", "").splitlines()
        own = [line for line in lines if re.search(" plumbline .*" + command[-1], line)]
        assert own, command
        for words in (line.split("|")[0].split() for line in lines if line.startswith("  plumbline ")):
            taken = found[tuple(words[1:3]) if words[1] == "capture" else (words[1],)]
            given = {word.split("=")[0] for word in words if word.startswith("--")}
            assert given <= options(taken) | {"--help"}, words


def test_help_takes_a_command_and_its_verb():
    for command, text in commands().items():
        assert plumbline("help", *command).stdout.decode() == text, command
    assert plumbline("help", "baseline", "accept").stdout.decode() == said("baseline")


def test_a_misspelt_command_or_verb_gets_the_nearest_one():
    for words, meant in {("analyse",): "analyze", ("help", "captur"): "capture", ("help", "capture", "verfy"): "verify", ("help", "baseline", "foo"): "accept",
                         ("capture", "lst", "x"): "ls"}.items():
        done = plumbline(*words, check=2)
        assert done.stderr.decode().endswith(f"; did you mean {meant}?\n"), done.stderr
    for words in (("xyzzy",), ("capture", "xyzzy"), ("baseline", "xyzzy"), ("help", "analyze", "xyzzy"), ("help", "capture", "ls", "xyzzy")):
        assert re.search("--help|the verbs are ls, show|only verb is accept|analyze has no verb|unexpected argument \"xyzzy\"", plumbline(*words, check=2).stderr.decode()), words


def test_bash_completes_commands_and_their_flags():
    script = f'. {COMPLETION}; shift; _plumbline_words "$@"'
    for command, text in {(): said(), **commands()}.items():
        words = subprocess.run(["bash", "-c", script, "x", "x", BINARY, *command], capture_output=True, check=True).stdout.decode().split()
        flags = re.findall(r"^  (?:-[a-z], )?(--[a-z][a-z-]*)", text, re.M)
        assert set(flags) <= set(words) and set(names(text)) <= set(words), command
        assert command in ((), ("capture",)) or flags, command
