#!/usr/bin/env python3
"""Writes expected.jsonl: what the recorded answers beside this file say, read with Python's own json.

One line an answer. It shares no code with plumbline, so that the two readers check each other:

    python3 tests/golden/expect.py            writes expected.jsonl
    python3 tests/golden/expect.py --check    fails if the committed file says something else
"""
import json
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
NAMES = ("chat", "completion", "cut-", "bad-", "no-messages")


def dechunk(body):
    out = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        n = int(size.split(b";")[0], 16)
        if n == 0:
            break
        out += body[:n]
        body = body[n + 2:]
    return out


def load(path):
    raw = path.read_bytes()
    head, _, body = raw.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    fields = {k.lower(): v for k, v in (line.split(": ", 1) for line in lines[1:])}
    if fields.get("transfer-encoding") == "chunked":
        body = dechunk(body)
    return int(lines[0].split()[1]), fields.get("content-type", ""), body


class Pairs(list):
    """A JSON object with its members in order, duplicates included."""

    def get(self, key, default=None):
        found = [v for k, v in self if k == key]
        return found[-1] if found else default

    def __contains__(self, key):
        return any(k == key for k, _ in self)


def parse(text):
    return json.loads(text, object_pairs_hook=Pairs)


def usable(lp):
    return isinstance(lp, (int, float)) and math.isfinite(lp) and lp > -9999


def token_bytes(entry):
    listed = entry.get("bytes")
    return bytes(listed) if listed else (entry.get("token") or "").encode()


def entries_of(logprobs):
    """(bytes, id, logprob, [(bytes, id, logprob), ...]) of each token, from either form."""
    if "tokens" in logprobs:
        tokens = logprobs.get("tokens")
        lps = logprobs.get("token_logprobs")
        tops = logprobs.get("top_logprobs") or [None] * len(tokens)
        for token, lp, top in zip(tokens, lps, tops):
            yield token.encode(), -1, lp, [(k.encode(), -1, v) for k, v in top or []]
        return
    for entry in logprobs.get("content") or []:
        tops = [(token_bytes(t), t.get("id", -1), t.get("logprob")) for t in entry.get("top_logprobs") or []]
        yield token_bytes(entry), entry.get("id", -1), entry.get("logprob"), tops


def new_choice(index):
    return {"index": index, "text": "", "reasoning": "", "finish": None, "calls": [], "legacy": None,
            "entries": None}


def add_call(choice, piece, position):
    function = piece.get("function") or Pairs()
    index = piece.get("index", position)
    for call in choice["calls"]:
        if call["at"] == index:
            call["arguments"] += function.get("arguments") or ""
            return
    choice["calls"].append({"at": index, "id": piece.get("id"), "name": function.get("name"),
                            "arguments": function.get("arguments") or ""})


def add(choices, document):
    for position, said in enumerate(document.get("choices") or []):
        index = said.get("index", position)
        choice = choices.setdefault(index, new_choice(index))
        message = said.get("message") or said.get("delta") or Pairs()
        choice["text"] += said.get("text") or message.get("content") or ""
        choice["reasoning"] += message.get("reasoning") or message.get("reasoning_content") or ""
        choice["finish"] = said.get("finish_reason") or choice["finish"]
        for at, piece in enumerate(message.get("tool_calls") or []):
            add_call(choice, piece, at)
        if said.get("logprobs") is not None:
            choice["entries"] = (choice["entries"] or []) + list(entries_of(said.get("logprobs")))


def spells(choice):
    """Do the tokens say the text? Reasoning parsers take their markers away: then both texts must be in order."""
    joined = b"".join(e[0] for e in choice["entries"])
    text, reasoning = choice["text"].encode(), choice["reasoning"].encode()
    if reasoning:
        at = joined.find(reasoning)
        return at >= 0 and joined.endswith(text) and joined.rfind(text) >= at + len(reasoning)
    return joined == text or (choice["finish"] == "stop" and joined.startswith(text))


def summary(choice):
    out = {k: choice[k] for k in ("index", "text", "reasoning", "finish")}
    out["calls"] = [{k: c[k] for k in ("id", "name", "arguments")} for c in choice["calls"]]
    out["tokens"] = None
    entries = choice["entries"]
    if entries is None:
        return out
    out["tokens"] = [e[0].hex() for e in entries]
    out["ids"] = [e[1] for e in entries]
    out["missing"] = [i for i, e in enumerate(entries) if not usable(e[2])]
    out["logprob_sum"] = math.fsum(e[2] for e in entries if usable(e[2]))
    out["tops"] = [len(e[3]) for e in entries]
    out["top_sum"] = math.fsum(t[2] for e in entries for t in e[3] if usable(t[2]))
    out["top_bytes"] = sum(len(t[0]) for e in entries for t in e[3])
    out["not_top"] = [i for i, e in enumerate(entries)
                      if usable(e[2]) and any(usable(t[2]) and t[2] > e[2] for t in e[3])]
    out["unlisted"] = [i for i, e in enumerate(entries)
                       if e[3] and not any(t[0] == e[0] and t[1] == e[1] for t in e[3])]
    out["spells"] = spells(choice)
    return out


def error_of(document, status):
    error = document.get("error")
    if isinstance(error, Pairs):
        return error.get("message")
    if error:
        return error
    detail = document.get("detail")
    if detail:
        return detail if isinstance(detail, str) else detail[0].get("msg")
    return document.get("message") if status >= 400 else None


def usage_of(documents):
    out = [None] * 3
    for document in documents:
        if document.get("usage"):
            out = [document.get("usage").get(k) for k in ("prompt_tokens", "completion_tokens", "total_tokens")]
    return out


def first(documents, key):
    return next((d.get(key) for d in documents if d.get(key)), None)


def read(path):
    status, content_type, body = load(path)
    stream = content_type.startswith("text/event-stream")
    out = {"file": str(path.relative_to(HERE)), "status": status, "stream": stream, "json": True,
           "events": 0, "done": False}
    try:
        if stream:
            datas = [line[5:].strip() for line in body.decode().splitlines() if line.startswith("data:")]
            out["events"], out["done"] = len(datas), "[DONE]" in datas
            documents = [parse(d) for d in datas if d != "[DONE]"]
        else:
            documents = [parse(body)]
    except ValueError:
        out["json"] = False
        out["error"] = body.decode()
        return out
    choices = {}
    for document in documents:
        add(choices, document)
    out["error"] = next((e for e in (error_of(d, status) for d in documents) if e), None)
    out["model"], out["id"] = first(documents, "model"), first(documents, "id")
    out["fingerprint"] = first(documents, "system_fingerprint")
    out["usage"] = usage_of(documents)
    out["choices"] = [summary(choices[i]) for i in sorted(choices)]
    return out


def main():
    paths = sorted(p for p in HERE.glob("*/*.response") if p.name.startswith(NAMES) and p.stat().st_size)
    lines = "".join(json.dumps(read(p), ensure_ascii=True, separators=(",", ":")) + "\n" for p in paths)
    target = HERE / "expected.jsonl"
    if "--check" in sys.argv[1:]:
        return 0 if target.read_text() == lines else 1
    target.write_text(lines)
    print(f"{target}: {len(paths)} answers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
