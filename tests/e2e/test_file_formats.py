"""Every file format that plumbline reads or writes is in the table, --help and the docs. Damage in a file is named by
line, and the rest of the file is used."""
import json
import pathlib
import re

import pytest

from harness import chat, export_forms, exported, listed_in_help, plumbline

ROOT = pathlib.Path(__file__).parent.parent.parent
DOCS = {name: (ROOT / "docs" / f"{name}.md").read_text() for name in ("import", "replay", "export")}
MONKEYS = "\n\U0001f435\U0001f648\U0001f649\n"
NOW = 1700000000 * 10**9
ANSWER = {"object": "chat.completion", "model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}]}
CUT = '{"begun": [{"and": "never'


def lines(*elements):
    return "".join(e + "\n" for e in elements)


def listed(begin, end):
    """Write a document with one element per line."""
    return lambda *elements: begin + "\n" + ",\n".join(elements) + "\n" + end + "\n"


def har_entry(i):
    return json.dumps({"startedDateTime": "2026-01-02T03:04:05Z", "time": 5, "request": {
        "method": "POST", "url": "http://h/v1/chat/completions", "postData": {"text": json.dumps(chat(f"q{i}"))}},
        "response": {"status": 200, "content": {"mimeType": "application/json", "text": json.dumps(ANSWER)}}})


def gor_records(i):
    asked, said = json.dumps(chat(f"q{i}")), json.dumps(ANSWER)
    return (f"1 {i:040x} {NOW + i} 0\nPOST /v1/chat/completions HTTP/1.1\r\nHost: h\r\nContent-Length: {len(asked)}\r\n\r\n{asked}{MONKEYS}"
            f"2 {i:040x} {NOW + i + 10**6} 10\nHTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(said)}\r\n\r\n{said}")


def span(i):
    return json.dumps({"spanId": f"{i:016x}", "startTimeUnixNano": str(NOW + i), "attributes": [
        {"key": k, "value": {"stringValue": v}} for k, v in (("gen_ai.prompt", f"q{i}"), ("gen_ai.completion", "Yes."))]})


def talk(i):
    return json.dumps({"id": f"c{i}", "conversations": [{"from": "human", "value": f"q{i}"}, {"from": "gpt", "value": "Yes."}]})


def result(i):
    side = {"prompt_id": f"p{i}", "model_id": "m", "text": "Yes.", "latency_ms": 5.0, "metadata": {"prompt_text": f"q{i}", "prompt_category": "c"}}
    return json.dumps({"baseline": {**side, "backend_name": "a"}, "test": {**side, "backend_name": "b"}})


def sample(i):
    return json.dumps({"doc_id": i, "target": "Yes.", "arguments": {"gen_args_0": {"arg_0": f"q{i}", "arg_1": {"until": []}}}, "resps": [["Yes."]],
                       "doc": {}, "filtered_resps": ["Yes."]})


def batched(i):
    return json.dumps({"id": f"b{i}", "custom_id": f"r{i}", "response": {"status_code": 200, "body": ANSWER}, "error": None})


def batch_input(i):
    return json.dumps({"custom_id": f"r{i}", "method": "POST", "url": "/v1/chat/completions", "body": chat(f"q{i}")})


SPANS = listed('{"resourceSpans": [{"scopeSpans": [{"spans": [', "]}]}]}")
HAR = listed('{"log": {"version": "1.2", "creator": {}, "entries": [', "]}}")

# What `import` reads, by the names of --format: the whole file of elements, one of them, its lines; what is told of damage instead of one.
ANSWERS = {
    "infer-check": (listed("[", "]"), result, CUT, "a string does not end on its line"),
    "lm-eval": (lines, sample, CUT, "it is not JSON"),
    "har": (HAR, har_entry, CUT, "a string does not end on its line"),
    "sharegpt": (listed("[", "]"), talk, CUT, "a string does not end on its line"),
    "batch-output": (lines, batched, CUT, "it is not a JSON object"),
    "gor": (lambda *e: MONKEYS.join(e) + MONKEYS, gor_records, "nonsense", "a record does not begin with its kind, id and time"),
    "otel": (SPANS, span, CUT, "a string does not end on its line"),
}

# The formats that `replay` reads, by their names in --help and docs.
REQUESTS = {
    "request bodies": (lines, lambda i: json.dumps(chat(f"q{i}")), CUT, "neither a JSON object with messages or a prompt, nor a batch request"),
    "OpenAI's\nbatch": (lines, batch_input, CUT, "neither a JSON object with messages or a prompt, nor a batch request"),
    "ShareGPT": ANSWERS["sharegpt"],
    "HAR": ANSWERS["har"],
    "GoReplay": ANSWERS["gor"],
    "evalscope": (lines, lambda i: json.dumps({"body": chat(f"q{i}"), "timestamp": i}), CUT, "it is not a JSON object"),
    "vLLM's\ncustom": (lines, lambda i: json.dumps({"prompt": f"q{i}", "output_tokens": 5}), CUT, "it is not a JSON object"),
    "infer-check's suites": (lines, lambda i: json.dumps({"text": f"q{i}", "category": "c", "max_tokens": 5}), CUT, "it is not a JSON object"),
    "OpenTelemetry's spans": ANSWERS["otel"],
    "Mooncake": (lines, lambda i: json.dumps({"timestamp": i, "input_length": 10 + i, "output_length": 3, "hash_ids": [i]}), CUT, "it is not a JSON object"),
    "AIPerf": (lines, lambda i: json.dumps({"timestamp": i, "messages": chat(f"q{i}")["messages"], "output_length": 3}), CUT, "it is not a JSON object"),
    "BurstGPT": (lambda *e: lines("Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type", *e),
                 lambda i: f"{i},ChatGPT,{10 + i},3,{13 + i},Conversation log", "x,ChatGPT,1,1,2,x", "its timestamp is not a number of seconds"),
    "Azure": (lambda *e: lines("TIMESTAMP,ContextTokens,GeneratedTokens", *e), lambda i: f"2023-11-14 22:13:2{i}.0000000,{10 + i},3", "oops,1,1",
              "its timestamp is not a time"),
}
LENGTHS = ("Mooncake", "AIPerf", "BurstGPT", "Azure")  # named before sending

# The formats that `capture export` writes, with the reader for each; None: only scripts read it.
FORMS = {"jsonl": None, "batch": "OpenAI's\nbatch", "batch-output": "batch-output", "raw": "request bodies", "evalscope": "evalscope", "aiperf": "AIPerf",
         "mooncake": "Mooncake", "vllm": "vLLM's\ncustom", "sharegpt": "sharegpt", "har": "har", "gor": "gor", "otel": "otel", "burstgpt": "BurstGPT", "azure": "Azure",
         "infer-check": "infer-check", "infer-check-suite": "infer-check's suites"}


def words(text):
    return re.sub(r"\s+", " ", text)


def test_the_table_the_help_and_the_pages_name_the_same(tmp_path):
    of_replay = words(plumbline("replay", "--help", check=0).stdout.decode())
    assert listed_in_help("import", under="formats:") == list(ANSWERS)
    assert sorted(export_forms()) == sorted(FORMS)
    for name in REQUESTS:
        assert words(name) in of_replay, name
    for name in FORMS:
        assert f"| `{name}` |" in DOCS["export"], name
    table = DOCS["export"].split("\n## ")[0]
    assert sorted(re.findall(r"^\| `([a-z][a-z-]*)` \|", table, re.M)) == sorted(FORMS)
    for word in ("infer-check", "lm-evaluation-harness", "HAR", "ShareGPT", "OpenAI's batches", "GoReplay", "Spans of generative AI"):
        assert f"\n## {word}\n" in DOCS["import"], word
    table = DOCS["replay"][DOCS["replay"].index("| file | becomes | time |"):]
    for word in ("OpenAI batch input", "bodies, one a line", "ShareGPT", "HAR", "GoReplay", "evalscope", "vLLM", "infer-check", "OpenTelemetry", "Mooncake", "AIPerf",
                 "BurstGPT", "Azure"):
        assert word in table[:table.index("\n\n")], word
    assert {f for f in FORMS.values() if f} <= set(ANSWERS) | set(REQUESTS)


def damaged(table, name, path):
    """Return three elements, the middle one damaged, and its line."""
    join, element, bad, why = table[name]
    whole = join(element(1), bad, element(3))
    path.write_bytes(whole.encode())
    line = whole[:whole.index(bad)].count("\n") + 1
    return f"{path}:{line}: {why}"


@pytest.mark.parametrize("name", ANSWERS)
def test_damaged_answers_are_named_by_line_and_the_rest_imported(tmp_path, name):
    file, capture = tmp_path / "samples_x.jsonl", tmp_path / "capture"
    told, flags = damaged(ANSWERS, name, file), ()
    if name == "batch-output":
        (tmp_path / "in.jsonl").write_text(lines(batch_input(1), batch_input(3)))
        flags = ("--requests", tmp_path / "in.jsonl")
    done = plumbline("import", file, "--to", capture, "--json", *flags, check=1)
    assert done.stderr.decode().splitlines() == [told]
    assert json.loads(done.stdout)["damaged"] == 1
    asked = [re.search(r"q[0-9]", e["request"]["body"])[0] for e in exported(capture)]
    assert sorted(asked) == ["q1", "q3"] and all(leg["reading"]["choices"][0]["text"] == "Yes." for e in exported(capture) for leg in e["legs"])


# A whole document on one line. In the last two formats only its closing bracket ends an element.
COMPACT = {"har": ('{"log": {"version": "1.2", "creator": {}, "entries": [%s]}}', har_entry), "otel": ('{"resourceSpans": [{"scopeSpans": [{"spans": [%s]}]}]}', span),
           "sharegpt": ("[%s]", talk), "infer-check": ("[%s]", result)}
WITHIN = {"a line's end": lambda text: text.replace("q2", "q\n2"), "another bracket": lambda text: text[:-1] + "]"}


@pytest.mark.parametrize(("name", "damage"), [(n, d) for n in COMPACT for d in WITHIN if n in ("har", "otel") or d == "a line's end"])
def test_a_damaged_element_of_a_one_line_document_loses_only_itself(tmp_path, name, damage):
    form, element = COMPACT[name]
    second = WITHIN[damage](element(2))
    (tmp_path / "x.json").write_text(form.replace("%s", ", ".join((element(1), second, element(3)))))
    done = json.loads(plumbline("import", tmp_path / "x.json", "--to", tmp_path / "capture", "--json", check=1).stdout)
    asked = [re.search(r"q[0-9]", e["request"]["body"])[0] for e in exported(tmp_path / "capture")]
    assert done["damaged"] == 1 and sorted(asked) == ["q1", "q3"]


@pytest.mark.parametrize("name", REQUESTS)
def test_damaged_requests_are_named_by_line_and_the_rest_sent(start, name):
    file, capture, engine = start.directory / "file", start.directory / "capture", start.engine()
    told = damaged(REQUESTS, name, file)
    done = plumbline("replay", file, "--to", engine.url, "--capture", capture, "--model", "simulated", "--json", check=0)
    end = json.loads(done.stdout.splitlines()[-1])
    assert end["completed"] == 2 and [r["why"] for r in end["unreplayable"]] == [told]
    assert len(exported(capture)) == 2 and (b"plumbline makes prompts of these lengths" in done.stderr) == (name in LENGTHS)
