#!/usr/bin/python3
"""Prints a capture as `plumbline capture export --jsonl` does, with no knowledge of plumbline except docs/format.md.

usage: read_capture.py DIR...

Readings that are not stored are null.
"""
import base64
import datetime
import fcntl
import json
import math
import pathlib
import struct
import sys
import zlib

import lmdb
import msgpack
import zstandard

try:
    from xxhash import xxh3_64_intdigest as xxh3
except ImportError:
    import ctypes
    _library = ctypes.CDLL("libxxhash.so.0")
    _library.XXH3_64bits.restype = ctypes.c_uint64
    _library.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]

    def xxh3(data):
        return _library.XXH3_64bits(data, len(data))

EXCHANGE, LEG, PART, META, MANIFEST = 1, 2, 3, 4, 5
ENDPOINTS = ["other", "chat", "completion", "responses", "embedding", "messages", "native chat", "native generate"]
ROLES = {1: "primary", 2: "reference", 3: "candidate"}
CONTENTS = {1: "full", 2: "redacted", 3: "metadata"}
OUTCOMES = {1: "complete", 2: "client_gone", 3: "refused", 4: "timeout", 5: "broken", 6: "bad_answer", 7: "limit", 8: "stopped",
            9: "bad_request"}
EXCHANGE_MARKS = ["truncated", "body_cut"]
LEG_MARKS = ["injected_logprobs", "injected_usage", "injection_refused", "unread", "truncated", "retried", "uncut", "scored", "dropped", "imported",
             "judging", "grading", "written_out", "given_prompt", "prompt_differs", "injected_token_ids",
             "audited"]
READING_MARKS = ["not_json", "no_done", "cut", "tokens_misspell", "logprobs_missing", "non_finite", "error_body", "too_large", "encoded",
                 "lossy_tokens", "malformed_logprobs", "zero_logprobs", "not_read", "thought_open", "keyless_tokens", "bad_vector", "sampled_probs",
                 "positive_logprobs", "empty", "aborted", "unknown_finish",
                 "unknown_members", "contradictory_usage"]
SHAPES = ["unknown", "openai", "responses", "embedding", "ollama", "llama.cpp", "sglang", "tgi", "anthropic"]
PLACES = ["none", "field", "inline", "both", "hidden"]
PARAMETERS = ["temperature", "top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty", "repetition_penalty"]
USAGE = ["prompt_tokens", "completion_tokens", "total_tokens", "cached_tokens", "reasoning_tokens"]
TIMES = ["queued_us", "head_us", "first_body_us", "first_content_us", "end_us"]


def decoded(data, coding):
    """Return a request body without its content coding, or None if it cannot be decoded."""
    if not data or coding is None:
        return data
    try:
        return zlib.decompress(data, {"gzip": 31, "deflate": 15}[coding.decode()])
    except (KeyError, zlib.error):
        return None


def text_of(data):
    """Return text, or the bytes in base64 if they are not UTF-8."""
    if data is None:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def id_text(data):
    if not data or not any(data):
        return None
    h = data.hex()
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


def marks_of(bits, names):
    return [names[i] if i < len(names) else f"bit_{i}" for i in range(32) if bits >> i & 1]


def unwrap(value, kind):
    version, found, flags, length, checksum = struct.unpack_from("<BBHIQ", value)
    payload = value[16:]
    assert version == 1, f"format {version}"
    assert found == kind and len(payload) == length
    assert xxh3(value[:8] + payload) == checksum, "checksum"
    return zstandard.ZstdDecompressor().decompress(payload) if flags & 1 else payload


def unpack(payload):
    return msgpack.unpackb(payload, raw=True, strict_map_key=False)


def tree_pages(data):
    """Yield an LMDB file's meta pages, then the pages of its trees in the order of format.md."""
    size = struct.unpack_from("<I", data, 16 + 24)[0]
    page = lambda number: data[number * size:(number + 1) * size]
    yield from (page(0), page(1))
    newer = max(page(0), page(1), key=lambda meta: struct.unpack_from("<Q", meta, 16 + 128)[0])

    def walk(number, is_main):
        at = page(number)
        yield at
        flags, lower = struct.unpack_from("<HH", at, 10)
        for offset in struct.unpack_from(f"<{(lower - 16) // 2}H", at, 16):
            low, high, kind, key = struct.unpack_from("<4H", at, offset)
            if flags & 1:
                yield from walk(low | high << 16 | kind << 32, is_main)
            elif is_main:
                yield from tree(at, offset + 8 + key, False)

    def tree(at, offset, is_main):
        root = struct.unpack_from("<Q", at, offset + 40)[0]
        if root != 2 ** 64 - 1:
            yield from walk(root, is_main)

    yield from tree(newer, 16 + 24, False)
    yield from tree(newer, 16 + 24 + 48, True)


class Segment:
    def __init__(self, directory, path):
        self.directory, self.id = directory, path.stem
        seal, data = path.with_suffix(".seal"), path.read_bytes()
        lock = False
        if seal.exists():
            word, version, digest, size, trees = seal.read_text().split()
            assert (word, version) == ("plumbline-seal", "2")
            assert digest == f"{xxh3(data):016x}" and int(size) == len(data), f"{path}: the seal does not agree"
            assert trees == f"{xxh3(b''.join(tree_pages(data))):016x}", f"{path}: its trees do not agree with the seal"
        else:
            lock = self.is_live(path.with_suffix(".writer"))
        self.environment = lmdb.open(str(path), subdir=False, readonly=True, lock=lock, max_dbs=16)
        self.transaction = self.environment.begin()
        self.tables = {name: self.environment.open_db(name.encode(), self.transaction, create=False)
                       for name in ("meta", "exchange", "leg", "part", "log", "by_time", "by_backend", "by_model", "by_prompt")}

    @staticmethod
    def is_live(writer):
        try:
            with open(writer) as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except BlockingIOError:
            return True
        return False

    def rows(self, table, prefix=b""):
        cursor = self.transaction.cursor(self.tables[table])
        if not cursor.set_range(prefix):
            return
        for key, value in cursor:
            if not key.startswith(prefix):
                return
            yield key, value

    def check(self):
        """Check that log and indexes name every row, and no other."""
        log = list(self.rows("log"))
        assert [struct.unpack(">Q", key)[0] for key, value in log] == list(range(1, len(log) + 1))
        exchanges = {key: unpack(unwrap(value, EXCHANGE)) for key, value in self.rows("exchange")}
        legs = {key: unpack(unwrap(value, LEG)) for key, value in self.rows("leg")}
        assert sorted(value for key, value in log) == sorted([b"\1" + k for k in exchanges] + [b"\2" + k for k in legs])
        assert {k for k, v in self.rows("by_time")} == {struct.pack(">Q", e[2]) + k for k, e in exchanges.items()}
        assert {k for k, v in self.rows("by_backend")} == {leg[4][:400] + b"\0" + k for k, leg in legs.items()}
        assert {k for k, v in self.rows("by_model")} == {e[12][:400] + b"\0" + k for k, e in exchanges.items() if 12 in e}
        assert {k for k, v in self.rows("by_prompt")} == {e[14] + k for k, e in exchanges.items() if 14 in e}
        for key, value in self.rows("meta"):
            if key.startswith(b"manifest/"):
                row = unpack(unwrap(value, MANIFEST))
                assert key[9:].decode() == row[1].hex() and json.loads(row[8])["manifest"] == 1
            else:
                assert key == b"segment" and id_text(unpack(unwrap(value, META))[2]) == self.id


class Capture:
    def __init__(self, directories):
        self.segments = []
        for directory in map(pathlib.Path, directories):
            marker = json.loads((directory / "CAPTURE").read_text())
            assert marker["plumbline_capture"] == 1 and len(bytes.fromhex(marker["hash_key"])) == 32
            self.segments += [Segment(directory, path) for path in sorted(directory.glob("*.seg")) if path.stat().st_size]

    def part(self, home, owner, kind):
        """Return all values of a part, or None."""
        values = []
        for segment in self.segments:
            if segment.directory == home.directory and segment.id <= home.id:
                values += [unwrap(value, PART) for key, value in segment.rows("part", owner + bytes([kind]))]
        return b"".join(values) if values else None

    def manifests(self):
        """Return {id: manifest} of all segments. Copies of a manifest must be equal."""
        found = {}
        for segment in self.segments:
            for key, value in segment.rows("meta", b"manifest/"):
                row = unpack(unwrap(value, MANIFEST))
                manifest = {"id": id_text(row[1]), "backend": row.get(2, b"").decode(), "url": row.get(3, b"").decode(),
                            "role": row[4], "wall_ns": row[5], "dialect": row[6].decode(), "digest": row[7].hex(),
                            "facts": {f["name"]: f["value"] for f in json.loads(row[8])["facts"]}}
                assert found.setdefault(manifest["id"], manifest) == manifest
        return found

    def body(self, home, owner, kind, size):
        data = self.part(home, owner, kind)
        return b"" if data is None and size == 0 else data

    def exchanges(self):
        ids = {key[:16] for segment in self.segments for table in ("exchange", "leg") for key, _ in segment.rows(table)}
        for id_ in sorted(ids):
            row, legs = None, {}
            for segment in self.segments:
                for _, value in segment.rows("exchange", id_):
                    row = row or (segment, unpack(unwrap(value, EXCHANGE)))
                for key, value in segment.rows("leg", id_):
                    legs.setdefault(key[16:], (segment, unpack(unwrap(value, LEG))))
            yield self.exchange(id_, row, [legs[key] for key in sorted(legs)])

    def exchange(self, id_, row, legs):
        if row is None:
            return {"id": id_text(id_), "absent": True, "legs": [self.leg(*leg) for leg in legs]}
        home, e = row
        wall = e.get(2, 0)
        moment = datetime.datetime.fromtimestamp(wall // 10**9, datetime.timezone.utc)
        hashes = {name: e[key].hex() if key in e else None
                  for key, name in ((14, "prompt_hash"), (15, "parent_hash"), (16, "session_hash"), (17, "chain_hash"))}
        facts = {"is_json": e.get(32, False), "stream": e.get(34, False), "has_logprobs": e.get(35, False),
                 "top_logprobs": e.get(36), "include_usage": e.get(38, False), "has_tools": e.get(39, False),
                 "stateful": e.get(40, False), **{name: e.get(41 + i) for i, name in enumerate(PARAMETERS)},
                 "seed": e.get(48, 0) if e.get(49) else None, "n": e.get(50, 1), "max_tokens": e.get(51),
                 "n_messages": e.get(52, 0)}
        size = e.get(9, 0)
        return {"id": id_text(id_), "absent": False, "time": f"{moment:%Y-%m-%dT%H:%M:%S}.{wall % 10**9 // 10**6:03}Z",
                "wall_ns": wall, "endpoint": ENDPOINTS[e.get(5, 0)], "model": text_of(e.get(12)), "streamed": e.get(11, False),
                "outcome": OUTCOMES[e[6]], "content": CONTENTS.get(e.get(7)), "redactions": e.get(53, 0), "marks": marks_of(e.get(8, 0), EXCHANGE_MARKS),
                "in_flight": e.get(10, 0), "client": text_of(e.get(13)), **hashes, "facts": facts,
                "labels": {name: text_of(e.get(key)) for key, name in ((18, "suite"), (19, "item"), (20, "category"), (21, "gold"))},
                "request": {"method": text_of(e.get(3)), "target": text_of(e.get(4)), "body_bytes": size,
                            "content_encoding": text_of(e.get(54)),
                            "head": text_of(self.part(home, id_, 1)), "body": text_of(decoded(self.body(home, id_, 2, size), e.get(54)))},
                "legs": [self.leg(*leg) for leg in legs]}

    def leg(self, home, row):
        arrivals = self.part(home, row[1], 5)
        size = row.get(18, 0)
        reading = None if row.get(9, 0) & 8 else self.part(home, row[1], 6)
        return {"id": id_text(row[1]), "run": id_text(row.get(3)), "backend": text_of(row.get(4)), "url": text_of(row.get(5)),
                "role": ROLES[row[6]], "repeat": row.get(7, 0), "outcome": OUTCOMES[row[8]],
                "marks": marks_of(row.get(9, 0), LEG_MARKS), "status": row.get(10, 0), "start_ns": row.get(12, 0),
                **{name: row.get(13 + i) for i, name in enumerate(TIMES)}, "body_bytes": size, "in_flight": row.get(20, 0),
                "error": text_of(row.get(21)), "content_type": text_of(row.get(22)), "content_encoding": text_of(row.get(23)),
                "model": text_of(row.get(30)), "fingerprint": text_of(row.get(31)), "finish": text_of(row.get(32)),
                "dialect": text_of(row.get(33)), "manifest": id_text(row[34]) if 34 in row else None,
                "replica": text_of(row.get(35)), "align": ["off", "greedy", "same"][row.get(36, 0)],
                "score_of": id_text(row[37]) if 37 in row else None, "score_at": row.get(38, 0) if 37 in row else None,
                "judged_against": id_text(row[39]) if 39 in row else None,
                "content": CONTENTS[row.get(40, 1)], "redactions": row.get(41, 0),
                "answer_hash": row[42].hex() if 42 in row else None, "answer_bytes": row.get(43, 0), "reasoning_bytes": row.get(44, 0),
                "usage": {name: row.get(25 + i) for i, name in enumerate(USAGE)},
                "edits": [{"at": edit.get(1, 0), "removed": edit.get(2, 0), "inserted": text_of(edit.get(3, b""))}
                          for edit in row.get(11, [])],
                "head": text_of(self.part(home, row[1], 3)), "body": text_of(self.body(home, row[1], 4, size)),
                "arrivals": None if arrivals is None else [list(pair) for pair in struct.iter_unpack("<II", arrivals)],
                "reading": None if reading is None else read(unpack(reading))}


def read(r):
    assert r[1] == 7
    return {"marks": marks_of(r.get(2, 0), READING_MARKS), "shape": SHAPES[r.get(15, 0)], "model": text_of(r.get(3)), "response_id": text_of(r.get(4)),
            "fingerprint": text_of(r.get(5)), "error": text_of(r.get(6)),
            "unknown_members": (text_of(r.get(17)) or "").split(),
            "usage": {name: r.get(7 + i) for i, name in enumerate(USAGE)}, "n_events": r.get(12, 0),
            "first_content_at": r.get(13, 0), "choices": [choice(c) for c in r.get(14, [])],
            "embeddings": [embedding(e) for e in r.get(16, [])]}


def choice(c):
    return {"index": c.get(1, 0), "text": text_of(c.get(2, b"")), "reasoning": text_of(c.get(3, b"")),
            "refusal": text_of(c.get(4, b"")),
            "tool_calls": [{"id": text_of(call.get(1)), "name": text_of(call.get(2)), "arguments": text_of(call.get(3)),
                            "in_text": call.get(4, False)} for call in c.get(5, [])],
            "finish": text_of(c.get(6)), "reasoning_place": PLACES[c.get(9, 0)],
            "thoughts": [list(thought) for thought in struct.iter_unpack("<IIII", c.get(8, b""))],
            "columns": columns(c[7], c.get(2, b"")) if 7 in c else None, "prompt": columns(c[10], b"") if 10 in c else None}


def embedding(e):
    values = words(e[2], "f")
    return {"index": e.get(1, 0), "n": len(values), "head": [logprob(value) for value in values[:8]]}


def words(data, letter):
    return [word for word, in struct.iter_unpack("<" + letter, data)]


def split(lengths, data):
    at, pieces = 0, []
    for length in lengths:
        pieces.append(data[at:at + length])
        at += length
    assert at == len(data)
    return pieces


def logprob(value):
    return None if math.isnan(value) else value


def octets(data, n):
    return list(data) * n if len(data) == 1 else list(data)


def lengths(data, n):
    return octets(data, n) if len(data) in (1, n) else words(data, "I")


def columns(c, text):
    n = len(c[4]) // 4
    tokens = split(lengths(c[1], n), c.get(2, text))
    counts = lengths(c[6], n) if 6 in c else [0] * n
    rows = []
    if 6 in c:
        top = split(lengths(c[7], len(c[10]) // 4), c[8])
        ids = words(c[9], "i") if 9 in c else [-1] * len(top)
        rows = [[text_of(token), id_, logprob(lp)] for token, id_, lp in zip(top, ids, words(c[10], "f"), strict=True)]
    return {"tokens": [text_of(token) for token in tokens], "ids": words(c[3], "i") if 3 in c else [-1] * len(tokens),
            "lp": [logprob(lp) for lp in words(c[4], "f")], "flags": octets(c[5], n), "top": split(counts, rows)}


if __name__ == "__main__":
    capture = Capture(sys.argv[1:])
    for segment in capture.segments:
        segment.check()
    for exchange in capture.exchanges():
        print(json.dumps(exchange, ensure_ascii=False))
