"""Rows of the data files, spelled out.

A text in a row stands for bytes (Latin-1); in a list, [TEXT, N] is TEXT N times. "{n}" stands for the row's own number,
so that whatever arrives anywhere can be told to be of that row.
"""
import json
import pathlib

HERE = pathlib.Path(__file__).parent / "corpus"


def spelled(text, number):
    if isinstance(text, list):
        if len(text) == 2 and isinstance(text[0], str) and isinstance(text[1], int):
            return spelled(text[0], number) * text[1]
        return b"".join(spelled(part, number) for part in text)
    return text.replace("{n}", f"{number:03}").encode("latin1")


def rows(name):
    """[(number, row)] of corpus/NAME.jsonl."""
    lines = (HERE / f"{name}.jsonl").read_text().splitlines()
    return [(number, json.loads(line)) for number, line in enumerate(lines)]


def named(numbered):
    number, row = numbered
    return f"{row['family']}: {row['is']}"
