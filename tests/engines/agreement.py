"""Compares plumbline's reading of an answer with that of an independent reader in Python, tests/golden/expect.py."""
import base64
import importlib.util
import math

from places import ROOT

USAGE = ("prompt_tokens", "completion_tokens", "total_tokens", "cached_tokens", "reasoning_tokens")

_spec = importlib.util.spec_from_file_location("expect", ROOT / "tests" / "golden" / "expect.py")
expect = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(expect)


def as_bytes(value):
    """Return the bytes of a text in the export: a string, or base64 if it is not UTF-8."""
    if isinstance(value, dict):
        return base64.b64decode(value["base64"])
    return (value or "").encode()


def said(leg):
    return expect.answer(leg["status"] or 0, leg["content_type"] or "", as_bytes(leg["body"]))


def disagreements(leg):
    """Return a line for each member that plumbline read wrong."""
    reading, want = leg["reading"], said(leg)
    if reading is None:
        return ["no reading"]
    out = []

    def compare(what, got, wanted):
        if got != wanted:
            out.append(f"{what}: read {str(got)[:120]!r}, said {str(wanted)[:120]!r}")

    for ours, theirs in (("model", "model"), ("response_id", "id"), ("fingerprint", "fingerprint"), ("error", "error")):
        compare(ours, reading[ours], want.get(theirs))
    if "choices" not in want:
        return out
    usage = reading["usage"] or {}
    compare("usage", [usage.get(k) for k in USAGE], want["usage"] + want["usage_details"])
    compare("choices", len(reading["choices"]), len(want["choices"]))
    for got, wanted in zip(reading["choices"], want["choices"]):
        name = f"choice {wanted['index']} "
        compare(name + "index", got["index"], wanted["index"])
        for field in ("text", "reasoning", "refusal"):
            compare(name + field, as_bytes(got[field]), wanted[field].encode())
        compare(name + "finish", got["finish"], wanted["finish"])
        compare(name + "calls", [{k: c[k] for k in ("id", "name", "arguments")} for c in got["tool_calls"]], wanted["calls"])
        columns(name, got["columns"], wanted if wanted["tokens"] is not None else None, compare)
    return out


def columns(name, got, want, compare):
    compare(name + "has token columns", got is not None, want is not None)
    if got is None or want is None:
        return
    compare(name + "tokens", [as_bytes(t).hex() for t in got["tokens"]], want["tokens"])
    compare(name + "ids", got["ids"], want["ids"])
    compare(name + "alternatives", [len(top) for top in got["top"]], want["tops"])
    compare(name + "bytes of alternatives", sum(len(as_bytes(t[0])) for top in got["top"] for t in top), want["top_bytes"])
    compare(name + "tokens without logprob", [i for i, lp in enumerate(got["lp"]) if lp is None], want["missing"])
    # Columns are float32.
    for what, values, wanted in (("logprob sum", got["lp"], want["logprob_sum"]),
                                 ("alternatives' sum", [t[2] for top in got["top"] for t in top], want["top_sum"])):
        total = math.fsum(v for v in values if v is not None)
        if not math.isclose(total, wanted, rel_tol=1e-6, abs_tol=1e-4):
            compare(name + what, total, wanted)
