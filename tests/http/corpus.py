"""Reads the rows of corpus/*.jsonl.

A text in a row means bytes (Latin-1); in a list, [TEXT, N] means TEXT N times. "{n}" is the row's number, so every
received byte shows its row.
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
    """Return [(number, row)] of corpus/NAME.jsonl."""
    lines = (HERE / f"{name}.jsonl").read_text().splitlines()
    return [(number, json.loads(line)) for number, line in enumerate(lines)]


def named(numbered):
    number, row = numbered
    return f"{row['family']}: {row['is']}"
