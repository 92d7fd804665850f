#!/usr/bin/env python3
"""Writes expected.jsonl: the content of all golden answers, read by an independent reader in Python.

    python3 tests/golden/expect.py            writes expected.jsonl
    python3 tests/golden/expect.py --check    exits with 1 if the committed file differs

Each answer in the directories next to this file, recorded or written by write.py, has a line. The reader shares no code
with plumbline, so the two readers check each other.
"""
import ast
import base64
import functools
import json
import math
import pathlib
import re
import struct
import sys

HERE = pathlib.Path(__file__).parent
READ = ("/chat/completions", "/completions", "/completion", "/responses", "/embeddings", "/messages", "/api/chat",
        "/api/generate", "/api/embed", "/generate", "/generate_stream")


# The HTTP message.

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


def offered(path):
    """Return the functions that the request offers."""
    body = path.with_suffix(".request").read_bytes().partition(b"\r\n\r\n")[2]
    try:
        tools = json.loads(body).get("tools") or []
    except (ValueError, AttributeError):
        return []
    return [t.get("function", t).get("name") for t in tools]


def load(path):
    raw = path.read_bytes()
    head, _, body = raw.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    fields = {k.lower(): v for k, v in (line.split(": ", 1) for line in lines[1:])}
    if fields.get("transfer-encoding") == "chunked":
        body = dechunk(body)
    return int(lines[0].split()[1]), fields.get("content-type", ""), body


def is_answer(path):
    request = path.with_suffix(".request").read_bytes().split(b"\r\n", 1)[0].decode("latin-1").split()
    return request[0] == "POST" and request[1].split("?")[0].endswith(READ) and path.stat().st_size > 0


# JSON: objects keep duplicates and their order.

class Pairs(list):
    def get(self, key, default=None):
        found = [v for k, v in self if k == key]
        return found[-1] if found else default

    def __contains__(self, key):
        return any(k == key for k, _ in self)


def parse(text):
    return json.loads(text, object_pairs_hook=Pairs)


# Tokens: (bytes, id, logprob, alternatives). An alternative is (bytes, id, logprob).

def usable(lp):
    return isinstance(lp, (int, float)) and math.isfinite(lp) and lp > -9999


class Unsaid(bytes):
    """The text of a token that has only an id."""


def said(token):
    """Return (bytes, id) of a token's text, which may name an id or have escaped bytes."""
    if not isinstance(token, str):
        return Unsaid(), None
    stand_in = re.fullmatch(r"token_id:(\d+)", token)
    if stand_in:
        return Unsaid(), int(stand_in[1])
    escaped = re.fullmatch(r"bytes:((\\x[0-9a-f]{2})+)|((\\x[89a-f][0-9a-f])+)", token)
    if escaped:
        return bytes.fromhex(token.removeprefix("bytes:").replace("\\x", "")), None
    return token.encode("utf-8", "replace"), None


def one(entry, is_row, sampled):
    token = next((entry.get(k) for k in ("token", "text", "tok_str", "content") if k in entry), None)
    data, stand_in = said(token)
    number = entry.get("id", -1) if stand_in is None else stand_in
    listed = entry.get("bytes")
    if listed and not (is_row and stand_in is not None):
        data = bytes(listed)
    lp = entry.get("logprob")
    if "prob" in entry:     # only llama.cpp's old form has those of the model, others those of the sampler
        lp = None if sampled else math.log(entry.get("prob")) if entry.get("prob") > 0 else -math.inf
    return data, number, lp


def entry_of(entry, tops=None):
    for name in ("top_logprobs", "top_probs", "probs"):
        tops = entry.get(name) or tops
    rows = [one(t, True, "top_probs" in entry) for t in tops or []]
    data, number, lp = one(entry, False, True)
    if "probs" in entry:
        lp = next((row[2] for row in rows if row[0] == data), None)
    return data, number, lp, rows


def entries_of(logprobs):
    if isinstance(logprobs, Pairs) and "tokens" in logprobs:
        tokens = logprobs.get("tokens")
        tops = logprobs.get("top_logprobs") or [None] * len(tokens)
        for token, lp, top in zip(tokens, logprobs.get("token_logprobs"), tops):
            data, number = said(token)
            rows = [(said(k)[0], -1 if said(k)[1] is None else said(k)[1], v) for k, v in top or []]
            yield data, -1 if number is None else number, lp, rows
        return
    if isinstance(logprobs, Pairs):
        logprobs = (logprobs.get("content") or []) + (logprobs.get("refusal") or [])
    for entry in logprobs:
        yield entry_of(entry)


def triples_of(triples, tops):
    def row(triple):
        text = triple[2] if len(triple) > 2 else None
        return said(text)[0], triple[1], triple[0]
    return [row(t) + ([row(x) for x in top or []],) for t, top in zip(triples, tops or [None] * len(triples))]


def prompt_of(scores):
    out = []
    for tokens in scores:
        rows = [(said(s.get("decoded_token"))[0], int(k), s.get("logprob")) for k, s in tokens or []]
        out.append(rows[0] + (rows,) if rows else (b"", -1, None, []))
    return out


def with_ids(entries, ids):
    return [(e[0], i, *e[2:]) for e, i in zip(entries, ids)] if len(entries) == len(ids) else entries


def ids_alone(ids):
    return [(b"", i, None, []) for i in ids]


# Pieces of a vocabulary, and tokens with another token's name.

@functools.cache
def byte_alphabet():
    own = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [b for b in range(256) if b not in own]
    return {chr(b): b for b in own} | {chr(256 + i): b for i, b in enumerate(rest)}


def sentence(piece):
    byte = re.fullmatch(rb"<0x([0-9A-Fa-f]{2})>", piece)
    return bytes.fromhex(byte[1].decode()) if byte else piece.replace("▁".encode(), b" ")


def byte_level(piece):
    table = byte_alphabet()
    return b"".join(bytes([table[c]]) if c in table else c.encode() for c in piece.decode("utf-8", "replace"))


def undo(entries, rule):
    return [(rule(e[0]) if e[0] else e[0], e[1], e[2], [(rule(t[0]), t[1], t[2]) for t in e[3]]) for e in entries]


def spells(choice, entries):
    """Whether the tokens spell the text. Reasoning parsers remove marks: then both texts must be in order. Some
    engines score only the answer's tokens."""
    joined = b"".join(e[0] for e in entries)
    text, reasoning = (choice[k].encode() for k in ("text", "reasoning"))
    text = text or choice["refusal"].encode()
    ended = choice["finish"] not in ("length", None)
    if reasoning:
        at = joined.find(reasoning)
        after = joined.rfind(text)
        if at >= 0 and after >= at + len(reasoning) and (ended or joined.endswith(text)):
            return True
    for start in (joined, joined.lstrip(b" ")):
        if start == text or (ended and start.startswith(text)):
            return True
    # Characters of the text that the tokens have only as U+FFFD.
    pattern = re.escape(joined.decode("utf-8", "replace")).replace("�", ".?")
    return bool(joined) and re.fullmatch(pattern, choice["text"], re.S) is not None


def renamed(entries, text):
    """Return for each token the alternative that continues the text, the most probable first, or None."""
    sys.setrecursionlimit(10000)

    @functools.cache
    def way(i, at):
        if at == len(text):
            return ()
        if i == len(entries):
            return None
        order = sorted(entries[i][3], key=lambda t: -(t[2] if usable(t[2]) else math.inf))
        for row in order:
            token = row[0].lstrip(b" ") if at == 0 and not text.startswith(b" ") else row[0]
            if token and text.startswith(token, at):
                rest = way(i + 1, at + len(token))
                if rest is not None:
                    return (row,) + rest
        return None

    found = way(0, 0)
    if not text or not found:
        return None
    return [row + (e[3],) for row, e in zip(found, entries)] + entries[len(found):]


def settle_tokens(choices):
    """Decide how to read the tokens of an answer; add "entries" and their peculiarities."""
    for rule in (None, sentence, byte_level):
        if any(c["entries"] is not None and not spells(c, undo(c["entries"], rule) if rule else c["entries"])
               for c in choices):
            continue
        if rule:
            for c in choices:
                c["entries"] = c["entries"] and undo(c["entries"], rule)
                c["prompt"] = c["prompt"] and undo(c["prompt"], rule)
        break
    for c in choices:
        c["misnamed"] = []
        if c["entries"] == [] and (c["text"] or c["reasoning"] or c["refusal"]):
            c["entries"] = None
        if c["entries"] is None or spells(c, c["entries"]):
            continue
        for rule in (lambda piece: piece, sentence, byte_level):
            undone = undo(c["entries"], rule)
            found = renamed(undone, (c["reasoning"] + c["text"]).encode())
            if found:
                c["misnamed"] = [i for i, (a, b) in enumerate(zip(undone, found)) if a[0] != b[0]]
                c["entries"] = found
                break


# Choices.

def new_choice(index):
    return {"index": index, "text": "", "reasoning": "", "refusal": "", "finish": None, "calls": [], "entries": None,
            "prompt": None, "deltas": False}


def choice_of(choices, index):
    return choices.setdefault(index, new_choice(index))


def add_call(choice, piece, position):
    function = piece.get("function") or piece.get("custom") or Pairs()
    index = piece.get("index", function.get("index", position))
    arguments = function.get("arguments", function.get("input"))
    arguments = json.dumps(dict(arguments), separators=(",", ":")) if isinstance(arguments, Pairs) else arguments
    for call in choice["calls"]:
        if call["at"] == index:
            call["arguments"] += arguments or ""
            return
    choice["calls"].append({"at": index, "id": piece.get("id"), "name": function.get("name"),
                            "arguments": arguments or ""})


def parts_of(content):
    """Return (text, reasoning) of a content."""
    if not isinstance(content, list):
        return content or "", ""
    thoughts = [part for part in content if part.get("type") == "thinking"]
    return ("".join(part.get("text") or "" for part in content),
            "".join(said.get("text") for part in thoughts for said in part.get("thinking")))


def add_message(choice, message):
    details = message.get("reasoning_details") or []
    text, thought = parts_of(message.get("content"))
    sources = [message.get("reasoning_content"), message.get("reasoning"), message.get("thinking"),
               "".join(d.get("text") or d.get("summary") or "" for d in details), thought]
    choice["reasoning"] += next((s for s in sources if s), "")
    choice["text"] += text
    choice["refusal"] += message.get("refusal") or ""
    for at, piece in enumerate(message.get("tool_calls") or []):
        add_call(choice, piece, at)


# Unread content, by the names of its members. The list has the other members of golden answers.

SILENT = {
    "message.": {"role", "name", "content", "refusal", "reasoning", "reasoning_content", "reasoning_details", "thinking",
                 "thinking_blocks", "tool_calls", "function_call", "provider_specific_fields"},
    "choice.": {"index", "message", "delta", "text", "logprobs", "finish_reason", "native_finish_reason", "stop_reason",
                "matched_stop", "token_ids", "output_ids", "prompt_token_ids", "prompt_logprobs", "output_token_logprobs",
                "meta_info", "usage"},
    "": {"id", "object", "created", "model", "choices", "usage", "timings", "stats", "error", "system_fingerprint", "service_tier",
         "x_groq", "metadata", "obfuscation", "prompt_filter_results", "prompt_token_ids", "prompt_logprobs"},
    "content.": {"type", "text", "thinking", "closed", "logprobs", "refusal"},
}
PARTS = {"text", "thinking", "output_text", "refusal", "summary_text", "reasoning_text"}
ITEMS = {"message", "reasoning", "function_call", "custom_tool_call"}


def has_value(value):
    if isinstance(value, Pairs):
        return any(has_value(v) for _, v in value)
    return any(map(has_value, value)) if isinstance(value, list) else value not in ("", None, False)


def unknown_in(place, thing):
    return [place + k for k, v in thing if k not in SILENT[place] and has_value(v)
            and not (place == "choice." and isinstance(v, (int, float)))]


def unknown_parts(content):
    for part in content if isinstance(content, list) else []:
        yield from unknown_in("content.", part) if part.get("type") in PARTS else ["content." + part.get("type")]


def unknown_of(document):
    for choice in document.get("choices") or []:
        yield from unknown_in("choice.", choice)
        if choice.get("text") == "" and len(choice.get("token_ids") or []) > 1:
            yield "choice.token_ids"  # there is no other form of the answer
        for message in (choice.get("delta"), choice.get("message")):
            yield from unknown_in("message.", message or Pairs())
            yield from unknown_parts((message or Pairs()).get("content"))
    whole = document.get("response") if isinstance(document.get("response"), Pairs) else document
    output = whole.get("output") if isinstance(whole.get("output"), list) else []
    for item in output + ([document.get("item")] if "item" in document else []):
        yield from unknown_parts(item.get("content")) if item.get("type") in ITEMS else ["output." + item.get("type")]
    yield from unknown_in("", document) if "choices" in document else []


def add_entries(choice, entries):
    choice["entries"] = (choice["entries"] or []) + list(entries)


def finish_of(value):
    return value.get("type") if isinstance(value, Pairs) else value or None


# Calls and reasoning in a text. The request names the functions; a name leads to the arguments.

def decoded(text, at):
    """Return the JSON object that starts there, or None."""
    try:
        value, _ = json.JSONDecoder().raw_decode(text[at:])
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def typed(value):
    value = value.removeprefix("<![CDATA[").removesuffix("]]>").strip("\n")
    try:
        out = json.loads(value)
    except ValueError:
        return value
    return value if isinstance(out, str) else out


TAGGED = (r"<[\w:｜ ]*(?:parameter|param)(?: name)?=\"?([^\">]+)\"?[^>]*>(.*?)</[\w:｜ ]*param(?:eter)?>",
          r"<(?:[\w|]*)arg_key(?::\w+)?>(.*?)</[\w|]*arg_key(?::\w+)?>\s*<[\w|]*arg_value(?::\w+)?>(.*?)</[\w|]*arg_value(?::\w+)?>",
          r"argument key=\"(.*?)\"[^|]*<\|sep\|>(.*?)<\|close\|>",
          r"<\|tool_arg:start\|>(.*?)<\|tool_arg:value\|>(.*?)<\|tool_arg:end\|>",
          r"\[<(\w+)>(.*?)\]<\]minimax\[>\[</\1>",
          r"(\w+):(?:<escape>|<\|\"\|>)(.*?)(?:<escape>|<\|\"\|>)",
          r"(\w+):(\d+)[,}]")


def arguments_after(text, name):
    """Read the arguments after the name: an object that has them or is them, Python's syntax, or tags."""
    python = re.match(re.escape(name) + r"\(([^)]*)\)", text)
    if python:
        call = ast.parse(python[0], mode="eval").body
        return {k.arg: ast.literal_eval(k.value) for k in call.keywords}
    for brace in (m.start() for m in re.finditer(r"\{", text)):
        value = decoded(text, brace)
        if value is not None:
            return next((value[k] for k in ("arguments", "parameters", "args") if k in value), value)
    out = {}
    for pattern in TAGGED:
        out |= {k: typed(v) for k, v in re.findall(pattern, text, re.S) if k not in out}
    return out or None


def calls_in(text, offered):
    """Return the only call of a written answer as (name, arguments)."""
    for name in offered:
        at = text.find(name)
        if at >= 0:
            arguments = arguments_after(text[at:], name)
            if arguments is not None:
                yield {"id": None, "name": name, "arguments": json.dumps(arguments), "in_text": True}


MARKS = (r"<\|start\|>assistant<\|channel\|>analysis<\|message\|>", r"<\|channel\|>analysis<\|message\|>", r"^analysis(?=[A-Z])",
         r"<\|message_model\|><\|content_thinking\|>", r"<\|channel>thought", r"Here is my thought process:", r"Here are my reasoning steps:",
         r"^ to=self<\|message\|>", r"<\|begin_of_thought\|>",
         r"<\|inner_prefix\|>", r"<\|thought_start\|>", r"<\|START_THINKING\|>", r"<\|open\|>think<\|sep\|>", r"<\|plamo:begin_think:plamo\|>", r"<\|think:start\|>",
         r"\[unused16\]", r"\[THINK\]", r"◁think▷", r"<(?:\w+[:|_])?(?:think|thinking|thought)(?:_fast)?(?::\w+)?>")
ENDS = (r"<\|end\|>", r"assistantfinal", r"assistantcommentary", r"<\|end_message\|>", r"<channel\|>", r"Here is my response:", r"\[BEGIN FINAL RESPONSE\]", r"<\|eom\|>", r"<\|end_of_thought\|>",
        r"<\|inner_suffix\|>", r"<\|thought_end\|>", r"<\|END_THINKING\|>", r"<\|close\|>think<\|sep\|>", r"<\|plamo:end_think:plamo\|>", r"<\|think:end\|>",
        r"\[unused17\]", r"\[/THINK\]", r"◁/think▷", r"</(?:\w+[:|_])?(?:think|thinking|thought)(?:_fast)?(?::\w+)?>")
AROUND = (r"</?answer(?::\w+)?>", r"</?response>", r"<\|(?:START|END)_(?:TEXT|RESPONSE)\|>", r"<\|(?:begin|end)_of_solution\|>", r"<\|(?:open|close)\|>response<\|sep\|>",
          r"<\|message_model\|><\|content_text\|>", r"<\|end_message\|>", r"(?:<\|start\|>assistant)?<\|channel\|>(?:final|commentary)<\|message\|>",
          r"<\|start\|>assistant to=user<\|message\|>", r"\[END FINAL RESPONSE\]", r"<\|(?:end|return|eot)\|>")


def thought_in(text):
    """Return (reasoning, answer) of a text that starts with reasoning, or has marks around the answer."""
    begin = re.match("|".join(MARKS), text)
    end = re.search("|".join(ENDS), text[begin.end() if begin else 0:])
    thought = ""
    if begin or (end and not text.startswith("<|")):
        from_, to = (begin.end() if begin else 0), end.start() + (begin.end() if begin else 0)
        thought, text = text[from_:to], text[to + len(end[0]):]
    return thought, re.sub("|".join(AROUND), "", text).strip()


# Documents of each form.

def add_scores(choice, holder):
    meta = holder.get("meta_info") or Pairs()
    if meta.get("input_token_logprobs"):
        choice["prompt"] = triples_of(meta.get("input_token_logprobs"), meta.get("input_top_logprobs"))
    if holder.get("prompt_logprobs"):
        choice["prompt"] = prompt_of(holder.get("prompt_logprobs"))
    if holder.get("prompt_token_ids"):
        ids = holder.get("prompt_token_ids")
        choice["prompt"] = with_ids(choice["prompt"] or ids_alone(ids), ids)


def add_openai(answer, document):
    choices = answer["choices"]
    for position, said_choice in enumerate(document.get("choices") or []):
        choice = choice_of(choices, said_choice.get("index", position))
        choice["text"] += "" if said_choice.get("delta") else said_choice.get("text") or ""
        message, delta = (said_choice.get(name) for name in ("message", "delta"))
        repeats = delta is not None or choice["deltas"]
        choice["deltas"] = repeats
        add_message(choice, (delta if repeats else message) or Pairs())
        choice["finish"] = finish_of(said_choice.get("finish_reason")) or choice["finish"]
        meta = said_choice.get("meta_info") or Pairs()
        triples = said_choice.get("output_token_logprobs") or meta.get("output_token_logprobs")
        entries = None
        if said_choice.get("logprobs") is not None:
            entries = list(entries_of(said_choice.get("logprobs")))
        elif triples:
            entries = triples_of(triples, meta.get("output_top_logprobs"))
        for ids in (triples and [t[1] for t in triples], said_choice.get("token_ids"), said_choice.get("output_ids")):
            entries = with_ids(entries, ids) if entries and ids else entries
        if entries is not None:
            add_entries(choice, entries)
        add_scores(choice, said_choice)
    if choices:
        add_scores(choices[min(choices)], document)
    holders = [document, *(v for _, v in document if isinstance(v, Pairs)), *(document.get("choices") or [])]
    for usage in [h.get("usage") for h in holders if h.get("usage")]:
        cached = (usage.get("prompt_tokens_details") or Pairs()).get("cached_tokens", usage.get("cached_tokens"))
        cached = usage.get("prompt_cache_hit_tokens") if cached is None else cached
        thought = (usage.get("completion_tokens_details") or Pairs()).get("reasoning_tokens",
                                                                          usage.get("reasoning_tokens"))
        new = [usage.get("prompt_tokens"), usage.get("completion_tokens"), usage.get("total_tokens"), cached, thought]
        answer["usage"] = [a if a is not None else b for a, b in zip(new, answer["usage"])]
    timings = document.get("timings")
    if timings:
        cached, read, usage = timings.get("cache_n"), timings.get("prompt_n"), answer["usage"]
        timed = [cached + read if cached is not None else None, timings.get("predicted_n"), None, cached, None]
        answer["usage"] = [a if a is not None else b for a, b in zip(usage, timed)]


def add_ollama(answer, document):
    choice = choice_of(answer["choices"], 0)
    message = document.get("message") or Pairs([("thinking", document.get("thinking")),
                                                ("content", document.get("response"))])
    add_message(choice, message)
    if document.get("logprobs"):
        add_entries(choice, entries_of(document.get("logprobs")))
    if document.get("done"):
        choice["finish"] = document.get("done_reason") or "done"
        answer["done"] = True
    answer["usage"][0] = document.get("prompt_eval_count", answer["usage"][0])
    answer["usage"][1] = document.get("eval_count", answer["usage"][1])


def add_llama(answer, document):
    choice = choice_of(answer["choices"], document.get("index", answer["position"]))
    choice["text"] += document.get("content") or ""
    if document.get("completion_probabilities") is not None:
        entries = list(entries_of(document.get("completion_probabilities")))
        add_entries(choice, with_ids(entries, document.get("tokens") or []))
    if document.get("stop"):
        answer["done"] = True
        limit = document.get("stop_type") == "limit" or document.get("stopped_limit")
        choice["finish"] = "length" if limit else "stop"
    usage = answer["usage"]
    usage[0] = document.get("tokens_evaluated", usage[0])
    usage[1] = document.get("tokens_predicted", usage[1])
    if document.get("timings"):
        usage[3] = document.get("timings").get("cache_n", usage[3])
    elif (document.get("tokens_cached") or 0) <= (usage[0] or -1):
        usage[3] = document.get("tokens_cached")


def add_sglang(answer, document):
    """An event's lists and text have all content so far, or only the new part (then they are shorter)."""
    choice = choice_of(answer["choices"], document.get("index", answer["position"]))
    meta = document.get("meta_info")
    ids, triples = document.get("output_ids") or [], meta.get("output_token_logprobs") or []
    text = document.get("text") or ""
    whole = len(triples or ids) == meta.get("completion_tokens")
    if triples:
        entries = triples_of(triples, meta.get("output_top_logprobs"))
        choice["entries"] = entries if whole else (choice["entries"] or []) + entries
    choice["text"] = text if whole else choice["text"] + text
    add_scores(choice, document)
    choice["finish"] = finish_of(meta.get("finish_reason")) or choice["finish"]
    answer["done"] |= choice["finish"] is not None
    answer["id"] = answer["id"] or meta.get("id")
    for at, name in enumerate(("prompt_tokens", "completion_tokens", None, "cached_tokens", "reasoning_tokens")):
        answer["usage"][at] = meta.get(name, answer["usage"][at])


def add_tgi(answer, document):
    choice = choice_of(answer["choices"], answer["position"])
    token, details = document.get("token"), document.get("details") or Pairs()
    if token:
        add_entries(choice, [entry_of(token, document.get("top_tokens"))])
        choice["text"] += "" if token.get("special") else token.get("text")
    else:
        choice["text"] += document.get("generated_text") or ""
    tokens, tops = details.get("tokens"), details.get("top_tokens")
    if tokens:
        add_entries(choice, [entry_of(t, top) for t, top in zip(tokens, tops or [None] * len(tokens))])
    if details.get("prefill"):
        choice["prompt"] = [entry_of(t) for t in details.get("prefill")]
    choice["finish"] = details.get("finish_reason") or choice["finish"]
    for i, other in enumerate(details.get("best_of_sequences") or [], 1):
        further = choice_of(answer["choices"], i)
        further["text"], further["finish"] = other.get("generated_text"), other.get("finish_reason")
        tokens, tops = other.get("tokens"), other.get("top_tokens")
        add_entries(further, [entry_of(t, top) for t, top in zip(tokens, tops or [None] * len(tokens))])
    answer["done"] |= document.get("generated_text") is not None
    answer["usage"][1] = details.get("generated_tokens", answer["usage"][1])
    answer["usage"][0] = details.get("input_length", len(choice["prompt"] or []) or answer["usage"][0])


def add_responses(answer, document):
    kind = document.get("type") or ""
    whole = document.get("response") if kind else document
    choice = choice_of(answer["choices"], 0)
    if kind == "response.output_text.delta":
        choice["text"] += document.get("delta")
        if document.get("logprobs"):
            add_entries(choice, entries_of(document.get("logprobs")))
    elif kind in ("response.reasoning_summary_text.delta", "response.reasoning_text.delta"):
        choice["reasoning"] += document.get("delta")
    elif kind == "response.output_item.added" and document.get("item").get("type") == "function_call":
        item = document.get("item")
        choice["calls"].append({"at": document.get("output_index"), "id": item.get("call_id"),
                                "name": item.get("name"), "arguments": ""})
    elif kind == "response.function_call_arguments.delta":
        choice["calls"][-1]["arguments"] += document.get("delta")
    for item in (whole.get("output") or []) if whole and not kind else []:
        for part in item.get("content") or item.get("summary") or []:
            place = "reasoning" if item.get("type") == "reasoning" else "text"
            choice[place] += part.get("text")
            if part.get("logprobs"):
                add_entries(choice, entries_of(part.get("logprobs")))
        if item.get("type") in ("function_call", "custom_tool_call"):
            choice["calls"].append({"at": 0, "id": item.get("call_id"), "name": item.get("name"),
                                    "arguments": item.get("arguments", item.get("input"))})
    if not whole:
        return
    answer["id"] = answer["id"] or whole.get("id")
    answer["model"] = answer["model"] or whole.get("model")
    if whole.get("status") in ("completed", "incomplete"):
        reason = (whole.get("incomplete_details") or Pairs()).get("reason")
        choice["finish"] = "length" if reason == "max_output_tokens" else reason or "stop"
        answer["done"] = True
    usage = whole.get("usage")
    if usage:
        answer["usage"] = [usage.get("input_tokens"), usage.get("output_tokens"), usage.get("total_tokens"),
                           (usage.get("input_tokens_details") or Pairs()).get("cached_tokens"),
                           (usage.get("output_tokens_details") or Pairs()).get("reasoning_tokens")]


def vector(value):
    if isinstance(value, str):
        data = base64.b64decode(value)
        return list(struct.unpack(f"<{len(data) // 4}f", data))
    return value


def add_embedding(answer, document):
    for position, item in enumerate(document.get("data") or []):
        answer["embeddings"][item.get("index", position)] = vector(item.get("embedding"))
    for position, value in enumerate(document.get("embeddings") or []):
        answer["embeddings"][position] = value
    usage = document.get("usage") or Pairs()
    answer["usage"][0] = usage.get("prompt_tokens", document.get("prompt_eval_count"))
    answer["usage"][2] = usage.get("total_tokens")


def shape_of(document):
    kind = document.get("type") or ""
    if "choices" in document:
        return "openai"
    if kind.startswith("response.") or document.get("object") == "response":
        return "responses"
    if kind == "message" or kind.startswith(("message_", "content_block_")):
        return "anthropic"
    data = document.get("data") or [Pairs()]
    if "embeddings" in document or "embedding" in data[0]:
        return "embedding"
    if "done" in document:
        return "ollama"
    if "completion_probabilities" in document or "tokens_predicted" in document or "stop" in document:
        return "llama.cpp"
    if "meta_info" in document:
        return "sglang"
    if "generated_text" in document or "token" in document:
        return "tgi"
    return "unknown"


READERS = {"openai": add_openai, "responses": add_responses, "embedding": add_embedding, "ollama": add_ollama,
           "llama.cpp": add_llama, "sglang": add_sglang, "tgi": add_tgi}


# The answer.

def close(lp, other):
    return usable(lp) and usable(other) and other > lp


def listed(entry):
    return any(t[1] == entry[1] if t[1] >= 0 and entry[1] >= 0 else t[0] == entry[0] for t in entry[3])


def columns_of(entries, kept):
    """kept: the entries with usable logprobs."""
    return {
        "tokens": [e[0].hex() for e in entries],
        "ids": [e[1] for e in entries],
        "missing": [i for i, e in enumerate(kept) if not usable(e[2])],
        "logprob_sum": math.fsum(e[2] for e in kept if usable(e[2])),
        "tops": [len(e[3]) for e in entries],
        "top_sum": math.fsum(t[2] for e in kept for t in e[3] if usable(t[2])),
        "top_ids": sum(t[1] for e in entries for t in e[3]),
        "top_bytes": sum(len(t[0]) for e in entries for t in e[3]),
        "not_top": [i for i, e in enumerate(entries) if any(close(e[2], t[2]) for t in e[3])],
        "unlisted": [i for i, e in enumerate(entries) if e[3] and not listed(e)],
    }


def is_bare(entry):
    return not entry[3] or (entry[2] == 0 and sum(usable(t[2]) and t[2] > -10 for t in entry[3]) > 1)


def zeros(entries):
    """Whether most tokens without a confirming alternative have a logprob of exactly 0.0."""
    bare = [e for e in entries if is_bare(e)]
    return len(bare) >= 8 and sum(e[2] == 0 for e in bare) > len(bare) // 2


def without(entry):
    """Return the token without logprobs."""
    return entry[0], entry[1], None, [(t[0], t[1], None) for t in entry[3]]


def are_logits(entries):
    return any(usable(lp) and lp > 1e-3 for e in entries for lp in (e[2], *(t[2] for t in e[3])))


def no_logits(entries):
    return [without(e) for e in entries] if are_logits(entries) else entries


def no_zeros(entries):
    return [without(e) if e[2] == 0 and is_bare(e) else e for e in entries] if zeros(entries) else entries


def summary(choice):
    out = {k: choice[k] for k in ("index", "text", "reasoning", "refusal", "finish")}
    out["calls"] = [{k: c[k] for k in ("id", "name", "arguments")} for c in choice["calls"]]
    out["tokens"] = out["prompt"] = None
    if choice["entries"] is not None:
        out |= columns_of(choice["entries"], no_zeros(no_logits(choice["entries"]))) | {"misnamed": choice["misnamed"]}
        out["spells"] = spells(choice, choice["entries"])
        out["zeros"] = zeros(choice["entries"])
        out["positive"] = are_logits(choice["entries"])
        out["keyless"] = [i for i, e in enumerate(choice["entries"]) if isinstance(e[0], Unsaid)]
    if choice["prompt"] is not None:
        out["prompt"] = columns_of(choice["prompt"], no_logits(choice["prompt"]))
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
    told = status >= 400 or document.get("object") == "error"
    return document.get("message") if told else None


def documents_of(content_type, body):
    """Return (whether it is a stream, documents including "[DONE]")."""
    text = body.decode()
    if content_type.startswith("text/event-stream"):
        lines = [line.partition(":") for line in text.splitlines() if line.startswith(("data:", "error:"))]
        return True, [value.strip() if value.strip() == "[DONE]" else
                      parse(value) if field == "data" else Pairs([("error", parse(value))])
                      for field, _, value in lines]
    if content_type.startswith("application/x-ndjson"):
        return True, [parse(line) for line in text.splitlines() if line.strip()]
    document = parse(text)
    return False, document if isinstance(document, list) and not isinstance(document, Pairs) else [document]


def first(documents, key):
    return next((d.get(key) for d in documents if isinstance(d.get(key), str) and d.get(key)), None)


def contradicts(prompt, completion, total, cached, thought):
    return (None not in (prompt, completion, total) and prompt + completion != total
            or None not in (completion, thought) and thought > completion
            or None not in (prompt, cached) and cached > prompt)


def answer(status, content_type, body, functions=(), thoughts=False):
    """Return the content of an answer. status and content type are from its head; the body has no framing."""
    stream = content_type.startswith(("text/event-stream", "application/x-ndjson"))
    out = {"status": status, "stream": stream, "json": True, "shape": "unknown", "events": 0, "done": False}
    try:
        stream, documents = documents_of(content_type, body)
    except ValueError:
        out["json"] = False
        out["error"] = body.decode()
        return out
    out["events"] = len(documents) if stream else 0
    state = {"choices": {}, "usage": [None] * 5, "done": "[DONE]" in documents, "position": 0, "embeddings": {},
             "id": None, "model": None}
    documents = [d for d in documents if d != "[DONE]"]
    for position, document in enumerate(documents):
        shape = shape_of(document)
        state["position"] = 0 if stream else position
        out["shape"] = out["shape"] if shape == "unknown" else shape
        if shape in READERS:
            READERS[shape](state, document)
    out["done"] = state["done"] or out["shape"] == "anthropic"
    out["unknown"] = " ".join(dict.fromkeys(name for d in documents for name in unknown_of(d))) or None
    out["error"] = next((e for e in (error_of(d, status) for d in documents) if e), None)
    if out["shape"] == "anthropic":
        return out
    out["model"] = state["model"] or first(documents, "model")
    out["id"] = state["id"] or (first(documents, "id") if out["shape"] in ("openai", "unknown") else None)
    out["fingerprint"] = first(documents, "system_fingerprint")
    choices = [state["choices"][i] for i in sorted(state["choices"])]
    settle_tokens(choices)
    out["contradictory"] = contradicts(*state["usage"])
    if out["contradictory"] and choices and all(c["entries"] for c in choices):
        state["usage"][1] = sum(len(c["entries"]) for c in choices)
    out["usage"], out["usage_details"] = state["usage"][:3], state["usage"][3:]
    out["choices"] = [summary(c) for c in choices]
    for c, said_choice in zip(choices, out["choices"]):
        if functions and not said_choice["calls"]:
            said_choice["calls"] = list(calls_in(c["text"], functions))
        if thoughts:
            said_choice["thought"], said_choice["answer"] = thought_in(c["text"])
    out["embeddings"] = [[i, len(v), math.fsum(v)] for i, v in sorted(state["embeddings"].items())]
    return out


def read(path):
    return {"file": str(path.relative_to(HERE)), **answer(*load(path), offered(path), path.parent.name == "text-thoughts-written")}


def main():
    paths = sorted(p for p in HERE.glob("*/*.response") if is_answer(p))
    lines = "".join(json.dumps(read(p), ensure_ascii=True, separators=(",", ":")) + "\n" for p in paths)
    target = HERE / "expected.jsonl"
    if "--check" in sys.argv[1:]:
        return 0 if target.read_text() == lines else 1
    target.write_text(lines)
    print(f"{target}: {len(paths)} answers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
