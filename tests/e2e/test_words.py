"""Man pages and completions are made of --help: it must know each command, and each flag that the program takes."""
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
    """Each command and verb, with its help."""
    found = {}
    for command in names(said()):
        found[command,] = said(command)
        for verb in names(found[command,]) if command == "capture" else ():
            found[command, verb] = said(command, verb)
    return found


def test_each_flag_of_the_tables_is_in_a_help():
    helps = "\n".join(commands().values())
    there = set(re.findall(r"--([a-z][a-z0-9-]*)", helps))
    taken = {name for file in (ROOT / "commands").glob("*.c")
             for name in re.findall(r'\{"([a-z][a-z0-9-]*)",\s*(?:no|required|optional)_argument', file.read_text())}
    assert taken <= there, sorted(taken - there)


def test_each_limit_is_in_the_table_of_the_analyzer():
    page = (ROOT / "docs" / "analyze.md").read_text()
    source = "".join((ROOT / "analyzer" / "report" / f"document_{name}.c").read_text() for name in ("limits", "verdict"))
    keys = re.findall(r'add\w*\([a-z]+,\s*"([a-z0-9_]+)"', source) + re.findall(r'"((?:base|test)_[a-z_]+)"', source)
    assert len(keys) > 9 and {"ungraded", "stacks", "no_floor", "base_repeats"} <= set(keys)
    assert [key for key in keys if f"`{key}`" not in page] == []


def test_each_command_says_how_it_is_used():
    for command, text in commands().items():
        assert "usage: plumbline " + " ".join(command) in text.lower(), command
        assert command == ("capture",) or re.search(r"^ +plumbline .*" + command[-1], text, re.M), f"an example of {command}"


def test_bash_completes_each_command_and_the_flags_that_its_help_begins_lines_with():
    script = f'. {COMPLETION}; shift; _plumbline_words "$@"'
    for command, text in {(): said(), **commands()}.items():
        words = subprocess.run(["bash", "-c", script, "x", "x", BINARY, *command], capture_output=True, check=True).stdout.decode().split()
        flags = re.findall(r"^  (?:-[a-z], )?(--[a-z][a-z-]*)", text, re.M)
        assert set(flags) <= set(words) and set(names(text)) <= set(words), command
        assert command in ((), ("capture",)) or flags, command
