"""Result files of other tools become captures. These tools' own code made the files under tests/imports."""
import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

import schema
from harness import BINARY, LONG, SANITIZED, exported, plumbline, wait_for

FILES = pathlib.Path(__file__).parent.parent / "imports"
INFER_CHECK, LM_EVAL = FILES / "infer-check-0.2.6", FILES / "lm-eval-0.4.13"
SCHEMA = json.loads((FILES.parent.parent / "docs" / "analyze.schema.json").read_text())
SUMS = "samples_sums_2026-04-19T12-00-00.250000.jsonl"


def imported(to, *files, check=0):
    return json.loads(plumbline("import", *files, "--to", to, "--json", check=check).stdout)


def analyzed(capture):
    document = json.loads(plumbline("analyze", capture, "--json").stdout)
    assert not schema.problems(document, SCHEMA)
    return document


def answers(capture):
    """Return {(prompt, category): {backend: [texts, by repeat]}}."""
    found = {}
    for e in exported(capture):
        body = json.loads(e["request"]["body"])
        prompt = body["messages"][-1]["content"] if "messages" in body else body["prompt"]
        by_backend = found.setdefault((prompt, e["labels"]["category"]), {})
        for leg in sorted(e["legs"], key=lambda leg: leg["repeat"]):
            by_backend.setdefault(leg["backend"], []).append(leg["reading"]["choices"][0]["text"])
    return found


def results(document):
    """Return every InferenceResult of an infer-check file."""
    if isinstance(document, list):
        return [r for each in document for r in results(each)]
    if not isinstance(document, dict):
        return []
    if "tokens" in document and "text" in document:
        return [document]
    return [r for value in document.values() for r in results(value)]


@pytest.mark.parametrize("name", ["sweep", "compare", "diff", "stress"])
def test_every_answer_of_infer_check_is_a_leg_with_its_scores(start, name):
    source, capture = INFER_CHECK / f"{name}.json", start.directory / "capture"
    end = imported(capture, source)
    told = {(r["metadata"]["prompt_text"], r["metadata"]["prompt_category"], r["timestamp"], r["backend_name"], r["quantization"], r["text"]): r
            for r in results(json.loads(source.read_text()))}
    legs = {}
    for e in exported(capture):
        assert e["endpoint"] == "chat" and e["labels"]["gold"] is None
        for leg in e["legs"]:
            body = json.loads(leg["body"])
            assert leg["marks"] == ["imported"] and body["imported"]["file"] == source.name
            result = body["imported"]["from"]
            assert json.loads(e["request"]["body"])["messages"] == [{"role": "user", "content": result["metadata"]["prompt_text"]}]
            legs[(result["metadata"]["prompt_text"], e["labels"]["category"], result["timestamp"], result["backend_name"],
                  result["quantization"], result["text"])] = (leg, result)
    assert end["answers"] == len(legs) == len(told) and set(legs) == set(told)
    for key, (leg, result) in legs.items():
        assert result == told[key]
        choice = leg["reading"]["choices"][0]
        assert choice["text"] == result["text"] and leg["end_us"] == result["latency_ms"] * 1000
        if result["logprobs"] is None:
            assert choice["columns"] is None
            continue
        assert choice["columns"]["tokens"] == result["tokens"]
        assert choice["columns"]["lp"] == [None if lp == -9999 else lp for lp in result["logprobs"]]
        for top, values, names in zip(choice["columns"]["top"], result["distributions"], result["distribution_metadata"]):
            ids = [names[f"id_{i}"] for i in range(len(values))]
            assert [id_ if isinstance(name, int) else token for (token, id_, _), name in zip(top, ids)] == ids
    assert plumbline("capture", "verify", capture).returncode == 0


def prompts_of(rows):
    """Return the requests without the model: an import keeps the model that answered."""
    return sorted(json.dumps([e["labels"], {k: v for k, v in json.loads(e["request"]["body"]).items() if k != "model"}], sort_keys=True) for e in rows)


@pytest.mark.parametrize("name", ["sweep", "compare", "diff", "stress", "lm-eval"])
def test_imported_requests_can_be_replayed(start, name):
    source = INFER_CHECK / f"{name}.json" if name != "lm-eval" else next(LM_EVAL.glob(f"*/{SUMS}"))
    imported(start.directory / "imported", source)
    done = plumbline("replay", source, "--to", start.engine().url, "--model", "simulated", "--capture", start.directory / "new", "--json", check=0)
    end = json.loads(done.stdout.splitlines()[-1])
    was, now = exported(start.directory / "imported"), exported(start.directory / "new")
    for e in now:  # infer-check's results have no suite, but a replayed file has
        e["labels"]["suite"] = None if name != "lm-eval" else e["labels"]["suite"]
    assert end["completed"] == len(now) and prompts_of(now) == prompts_of(was) and b"is read as" in done.stderr


def test_replaying_a_batch_output_says_what_to_do(start):
    source = start.directory / "out.jsonl"
    source.write_text(json.dumps({"id": "x", "custom_id": "a", "response": {"status_code": 200, "body": {}}, "error": None}) + "\n")
    done = plumbline("replay", source, "--to", start.engine().url, "--capture", start.directory / "new", check=2)
    assert done.stderr.count(b"\n") == 1 and b"replay the input of the batch, or import this file" in done.stderr


def test_an_error_in_many_lines_is_one_line(tmp_path):
    answer = {"response": {"status_code": 200, "body": {"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": "4"}}]}}}
    (tmp_path / "o.jsonl").write_text("".join(json.dumps({"id": f"b{i}", "custom_id": f"r{i}", **answer}) + "\n" for i in range(20)))
    said = plumbline("import", tmp_path / "o.jsonl", "--to", tmp_path / "c", check=4).stdout.decode()
    assert said.count("its request is not in the file") == 1 and "  20 can't be imported: " in said and f"(the first: {tmp_path / 'o.jsonl'}:1)" in said
    assert len(said.splitlines()) == 2


def test_a_batch_whose_request_failed_shows_its_error(start):
    requests, source = start.directory / "in.jsonl", start.directory / "out.jsonl"
    body = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
    requests.write_text("".join(json.dumps({"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": body}) + "\n" for name in "ab"))
    answer = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}]}
    source.write_text(json.dumps({"id": "1", "custom_id": "a", "response": {"status_code": 200, "body": answer}, "error": None}) + "\n" + json.dumps(
        {"id": "2", "custom_id": "b", "response": {"status_code": 500, "body": None}, "error": {"code": "server_error", "message": "it broke"}}) + "\n")
    done = plumbline("import", f"openai={source}", "--requests", requests, "--to", start.directory / "capture", "--json", check=0)
    assert json.loads(done.stdout)["unfit"] == [{"n": 1, "why": f"{source}:2: it has no answer: server_error: it broke: status 500"}]
    assert [len(e["legs"]) for e in exported(start.directory / "capture")] == [1]


def test_a_custom_id_of_two_requests_is_of_neither(tmp_path):
    body = {"messages": [{"role": "user", "content": "What?"}]}
    answer = {"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"}]}
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"custom_id": name, "url": "/v1/chat/completions", "body": body}) + "\n" for name in "aab"))
    (tmp_path / "out.jsonl").write_text("".join(json.dumps({"custom_id": name, "response": {"status_code": 200, "body": answer}}) + "\n" for name in ("a", "b", 7)))
    done = plumbline("import", tmp_path / "out.jsonl", "--requests", tmp_path / "in.jsonl", "--to", tmp_path / "capture", check=1)
    assert b"out.jsonl:1: the input of the batch has several requests with its custom_id" in b" ".join(done.stdout.split())
    assert b"out.jsonl:3: it has no custom_id that is a text" in done.stderr and b"1 answer to 1 new prompt" in done.stdout


def test_a_sweep_is_judged_with_the_floor_of_its_self_check(start):
    capture = start.directory / "capture"
    end = imported(capture, INFER_CHECK / "sweep.json")
    assert {b["name"].rsplit("/")[-1]: (b["role"], b["answers"]) for b in end["backends"]} == {
        "bf16": ("reference", 10), "q8": ("candidate", 5), "q2": ("candidate", 5)}
    groups = {(g["base"].rsplit("/")[-1], g["test"].rsplit("/")[-1]): g for g in analyzed(capture)["groups"]}
    assert set(groups) == {("bf16", "q8"), ("bf16", "q2"), ("bf16", "bf16")}
    # One of five answers differs from itself, one of five at q8, four of five at q2.
    differing = {pair: g["by_decoding"]["greedy"]["differ"]["count"] for pair, g in groups.items()}
    assert differing == {("bf16", "q8"): 1, ("bf16", "q2"): 4, ("bf16", "bf16"): 1}


def test_the_same_prompt_in_another_category_is_another_exchange(start):
    capture = start.directory / "capture"
    imported(capture, INFER_CHECK / "diff.json")
    found = answers(capture)
    assert found[("What is 17 + 25?", "arithmetic")]["vllm/org/model"] == ["17 + 25 = 42"]
    assert found[("What is 17 + 25?", "word_problem")]["vllm/org/model"] == ["42"]
    assert len(found) == 5


def test_import_skips_what_is_there_and_adds_other_files(start):
    capture = start.directory / "capture"
    first = imported(capture, INFER_CHECK / "diff.json")
    again = imported(capture, INFER_CHECK / "diff.json")
    assert first["answers"] == 15 and again["answers"] == again["exchanges"] == 0 and again["known"] == 20
    assert (first["known"], first["repeated"], again["repeated"]) == (5, 5, 0)
    said = plumbline("import", INFER_CHECK / "diff.json", "--to", capture).stdout.decode()
    assert "20 answers were in the capture already" in said
    other = imported(capture, INFER_CHECK / "stress.json")
    assert other["exchanges"] == 0 and other["answers"] == 10
    assert all(len(e["legs"]) == 5 for e in exported(capture))
    assert plumbline("capture", "verify", capture).returncode == 0


def test_lm_eval_models_are_joined_by_their_requests(start):
    capture = start.directory / "capture"
    files = sorted(LM_EVAL.glob("*/*.jsonl"))
    end = imported(capture, *files)
    assert (end["exchanges"], end["answers"], end["gold"]) == (8, 20, 8)
    assert end["unfit"] == [{"n": 2, "why": "a loglikelihood is not an answer"}]
    assert (end["known"], end["repeated"]) == (12, 12)
    said = plumbline("import", *files, "--to", start.directory / "again").stdout.decode()
    assert "12 lines or elements repeat an answer, for example" in said and "already" not in said
    text = plumbline("analyze", capture, "--full", check=4).stdout.decode()
    assert "of 0 answers" not in text and "Noise floor: org" not in text
    assert [(b["name"], b["role"]) for b in end["backends"]] == [("org__large", "reference"), ("org__small", "candidate")]
    rows = exported(capture)
    sums = [e for e in rows if e["labels"]["suite"] == "sums"]
    assert [e["labels"]["item"] for e in sums] == list("012345")
    assert sums[0]["labels"] == {"suite": "sums", "item": "0", "category": "small", "gold": "17 and 25 are 42.\n#### 42"}
    for e in sums:
        assert e["endpoint"] == "completion" and e["facts"]["temperature"] == 0 and e["facts"]["max_tokens"] == 256
        assert sorted(leg["backend"] for leg in e["legs"]) == ["org__large", "org__small"]
    chats = [e for e in rows if e["labels"]["suite"] == "chats"]
    assert json.loads(chats[1]["request"]["body"])["messages"][1]["content"] == "Name the capital of Perú."
    assert [sorted((leg["backend"], leg["repeat"]) for leg in e["legs"]) for e in chats] == 2 * [
        [("org__large", 0), ("org__large", 1), ("org__small", 0), ("org__small", 1)]]
    assert chats[0]["facts"]["temperature"] == 0.7
    assert answers(capture)[("Name the capital of Norway.", None)] == {"org__large": ["Oslo", "Oslo."], "org__small": ["It is Oslo", "Bergen"]}


def test_right_answers_give_scores_by_category(start):
    capture = start.directory / "capture"
    imported(capture, *sorted(LM_EVAL.glob("*/samples_sums*")))
    group = next(g for g in analyzed(capture)["groups"] if not g["is_floor"])
    gold = {name: group["by_decoding"]["greedy"]["gold"][name] for name in ("known", "judged", "both_right", "both_wrong", "broke", "fixed")}
    # Checked by hand: large is wrong on 5 + 6, small on 17 + 25 and 1200 + 34.
    assert gold == {"known": 6, "judged": 6, "both_right": 3, "both_wrong": 0, "broke": 2, "fixed": 1}
    gold = group["by_decoding"]["greedy"]["gold"]
    assert gold["mcnemar_p"] == 1 and abs(gold["score_shift"] + 100 / 6) < 1e-9
    figures = group["by_decoding"]["greedy"]["figures"]
    assert abs(figures["base_score"]["value"] - 5 / 6) < 1e-9 and abs(figures["test_score"]["value"] - 4 / 6) < 1e-9
    assert figures["score_shift"]["ci95"] == gold["score_shift_ci95"] and gold["score_shift_ci95"][0] < -16 < 0 < gold["score_shift_ci95"][1]
    slices = {s["value"]: s["gold"] for s in group["slices"]["category"]["values"]}
    assert {name: (s["judged"], s["broke"], s["fixed"]) for name, s in slices.items()} == {"small": (4, 1, 1), "large": (2, 1, 0)}
    assert [s["value"] for s in group["slices"]["suite"]["values"]] == ["sums"]
    ns = {s["value"]: [s[f]["n"] for f in ("differ", "answer_changed", "hazard")] for s in group["slices"]["category"]["values"]}
    assert ns == {"small": [4, 4, 0], "large": [2, 2, 0]}
    text = plumbline("analyze", capture, "--full").stdout.decode()
    assert "2 broke" in " ".join(text.split()) and "Right answers by category" in text


def test_names_on_the_command_line_win(start):
    capture = start.directory / "capture"
    files = [f"{name}={LM_EVAL / model / SUMS}" for name, model in (("vllm", "org__large"), ("ollama", "org__small"))]
    done = plumbline("import", *files, "--to", capture, "--base", "ollama", "--json", check=0)
    assert [(b["name"], b["role"]) for b in json.loads(done.stdout)["backends"]] == [("vllm", "candidate"), ("ollama", "reference")]
    group = analyzed(capture)["groups"][0]
    assert (group["base"], group["test"]) == ("ollama", "vllm")
    assert b"names the backends of its answers" in plumbline("import", f"x={INFER_CHECK / 'diff.json'}", "--to", capture, check=2).stderr


def test_damaged_lines_are_named_and_the_rest_imported(start):
    lines = (LM_EVAL / "org__large" / SUMS).read_text().splitlines()
    lines[2:2] = ["", "{\"doc_id\": 7", "nonsense"]
    source, capture = start.directory / "samples_sums.jsonl", start.directory / "capture"
    source.write_text("\n".join(lines) + "\n")
    done = plumbline("import", source, "--to", capture, check=1)
    assert done.stderr.decode().splitlines() == [f"{source}:4: it is not JSON", f"{source}:5: it is not a JSON object"]
    assert len(exported(capture)) == 6
    whole = (INFER_CHECK / "diff.json").read_text()
    cut = start.directory / "cut.json"
    cut.write_text(whole[:len(whole) // 2])
    done = plumbline("import", cut, "--to", capture, check=1)
    assert f"{cut}:".encode() in done.stderr and b"the document ends" in done.stderr
    assert len(exported(capture)) > 6


@pytest.mark.parametrize("damage", (b'"\xff": 1, ', b'"raw\x01": 1, ', b'"\\q": 1, ', b'"no_colon" 1, '))
def test_a_damaged_first_line_does_not_hide_the_format(start, damage):
    lines = (LM_EVAL / "org__large" / SUMS).read_bytes().splitlines(keepends=True)
    source, capture = start.directory / "samples_sums.jsonl", start.directory / "capture"
    source.write_bytes(b"{" + damage + lines[0][1:] + b"".join(lines[1:]))
    done = plumbline("import", source, "--to", capture, check=1)
    assert done.stderr.decode().startswith(f"{source}:1: ") and done.stderr.count(b"\n") == 1
    assert len(exported(capture)) == 6


def test_a_request_that_is_not_json_gets_replays_message(start):
    def entry(body):
        return {"startedDateTime": "2026-01-02T03:04:05Z", "time": 1,
                "request": {"method": "POST", "url": "http://h/v1/chat/completions", "postData": {"text": body}},
                "response": {"status": 200, "content": {"mimeType": "application/json", "text": json.dumps(
                    {"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"}]})}}}
    good = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hello"}]})
    source = start.directory / "cut.har"
    source.write_text(json.dumps({"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": [entry(good), entry(good[:-3])]}}))
    done = plumbline("import", source, "--to", start.directory / "capture", check=1)
    assert done.stderr.decode() == f"{source}:1: its body is not one JSON object, or is nested too deeply\n"


def test_an_unknown_file_is_refused_before_writing(start):
    capture, other = start.directory / "capture", start.directory / "other.json"
    other.write_text("{\"hello\": 1}")
    for files, code, word in (([other], 2, b"is not recognised"), ([start.directory / "none"], 3, b"can't be read"),
                              ([start.directory], 3, b"it is a directory, not a file"), ([INFER_CHECK / "diff.json", other], 2, b"is not recognised")):
        assert word in plumbline("import", *files, "--to", capture, check=code).stderr
        assert not capture.exists()
    assert b"there is no format" in plumbline("import", other, "--to", capture, "--format", "x", check=2).stderr
    assert b"--to" in plumbline("import", other, check=2).stderr
    assert b"at least one" in plumbline("import", "--to", capture, check=2).stderr
    assert imported(capture, INFER_CHECK / "determinism.json", check=4)["unfit"][0]["n"] == 5
    assert b"infer-check" in plumbline("import", "--help", check=0).stdout


def many(path, n):
    line = json.loads((LM_EVAL / "org__large" / SUMS).read_text().splitlines()[0])
    with open(path, "w", encoding="utf-8") as file:
        for i in range(n):
            line["doc_id"] = i
            line["arguments"]["gen_args_0"]["arg_0"] = f"Question {i}"
            file.write(json.dumps(line) + "\n")


@pytest.mark.skipif(bool(SANITIZED) or not LONG, reason="memory is measured, of much: ./check --long")
def test_a_long_file_is_read_completely(start):
    source, capture = start.directory / "samples_many.jsonl", start.directory / "capture"
    many(source, 60000)
    process = subprocess.Popen([BINARY, "import", source, "--to", capture, "--json"], stdout=subprocess.PIPE)
    most = 0
    while process.poll() is None:  # without the mapped pages of the capture
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        most = max([most, *(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon"))])
        time.sleep(0.02)
    end = json.loads(process.communicate()[0])
    assert end["answers"] == end["exchanges"] == 60000
    assert 0 < most < 80 << 10, f"{most} kB"


def test_an_interrupted_import_resumes(start):
    source, capture = start.directory / "samples_many.jsonl", start.directory / "capture"
    lines = 20000 if LONG and not SANITIZED else 6000
    many(source, lines)
    process = subprocess.Popen([BINARY, "import", source, "--to", capture, "--json"], stdout=subprocess.PIPE, env=os.environ)
    wait_for("the first segment", lambda: capture.exists() and any(capture.iterdir()))
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    # A busy machine may deliver the signal when all is imported, to a process that is about to end.
    first = json.loads(out) if process.returncode != -signal.SIGINT else {"answers": lines, "stopped": False}
    second = imported(capture, source)
    assert process.returncode in (0, 3, -signal.SIGINT) and first["stopped"] == (process.returncode == 3)
    assert first["answers"] + second["answers"] == lines and second["known"] == first["answers"]
    assert len(exported(capture)) == lines


def test_a_backend_name_with_a_nul_is_left_out(start):
    results_of = json.loads((INFER_CHECK / "stress.json").read_text())
    few = results(results_of)[:3]
    assert len(few) == 3
    victim, others = few[0]["backend_name"], len(results(results_of))
    text = json.dumps(results_of)
    first = json.dumps(few[0])
    assert text.count(first) == 1
    spoilt = start.directory / "stress.json"
    spoilt.write_text(text.replace(first, json.dumps(few[0] | {"backend_name": victim + "\0x"})))
    done = plumbline("import", spoilt, "--to", start.directory / "capture", check=None)
    assert "its backend's name holds a NUL" in (done.stdout + done.stderr).decode()
    legs = [leg for e in exported(start.directory / "capture") for leg in e["legs"]]
    assert len(legs) == others - 1


def test_a_pattern_after_a_name_is_a_shell_pattern(tmp_path):
    """The shell does not expand NAME=DIR/*.jsonl, which docs and --help have as an example."""
    named = imported(tmp_path / "capture", f"small={LM_EVAL}/org__small/samples_*.jsonl")
    assert named == {**imported(tmp_path / "each", *(f"small={file}" for file in sorted((LM_EVAL / "org__small").glob("samples_*.jsonl")))), "capture": str(tmp_path / "capture")}
    done = plumbline("import", f"a={tmp_path}/none-*.jsonl", "--to", tmp_path / "other")
    assert done.returncode == 3 and b"none-*.jsonl can't be read" in done.stderr
