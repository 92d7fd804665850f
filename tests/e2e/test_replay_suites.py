"""Replays of suites: tasks with known right answers, recorded with their labels."""
import csv
import json
import pathlib
import signal

import pytest

from harness import PATIENCE, exported, plumbline, wait_for
from test_replay import begin, legs_of, lines, replay, turns

CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "configs"
SUITES = sorted(p.stem for p in (CONFIGS / "suites").glob("*.jsonl"))


def items(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def text_of(gold):
    return gold if isinstance(gold, str) or gold is None else json.dumps(gold, ensure_ascii=False)


def sent_body(exchange, leg):
    """Return the request that the leg sent."""
    body, at, out = exchange["request"]["body"].encode(), 0, b""
    for edit in leg["edits"]:
        out += body[at:edit["at"]] + edit["inserted"].encode()
        at = edit["at"] + edit["removed"]
    return json.loads(out + body[at:])


def test_a_suite_sent_to_two_engines_is_aligned_and_compared(start):
    """Neither engine answered a client. Requests are aligned with the first; the user names the baseline."""
    first, second, capture = start.engine(), start.engine("--seed", "1"), start.directory / "new"
    replay(CONFIGS / "suites" / "reasoning.jsonl", first, "--capture", capture, "--name", "first", "--dialect", "llama-cpp-python", "--limit", "4")
    replay(capture, second, "--name", "second", "--dialect", "vllm", "--align", "same")
    second_sent = [sent_body(e, leg) for e in exported(capture) for leg in e["legs"] if leg["backend"] == "second"]
    assert [body["repetition_penalty"] for body in second_sent] == [1.1] * 4
    done = plumbline("analyze", capture, check=4)
    assert b"UNCLEAR: This capture has no reference and no primary" in done.stdout and b"--base first --test second" in done.stdout
    done = plumbline("analyze", capture, "--base", "first", "--test", "second", check=None)
    assert done.returncode in (0, 1, 4) and b"baseline" not in done.stderr
    replay(capture, second, "--name", "third", "--dialect", "vllm")
    document = json.loads(plumbline("analyze", capture, "--base", "first", "--test", "third", "--json", check=None).stdout)
    assert document["cause"]["key"] == "unlike_parameters" and "different parameters" in document["verdict"]["sentence"]
    assert document["limits"][0]["key"] == "unlike_parameters"
    assert any("--align same" in (step["command"] or "") for step in document["next"])
    assert not any("temperature 0" in step["text"] for step in document["next"])
    done = plumbline("judge", capture, "--base", "first", "--test", "third", "--url", first.url, "--dry-run", "--json", check=None)
    assert json.loads(done.stdout)["left_out"]["not_greedy"] == 4, "the default penalties differ"


@pytest.mark.parametrize("suite", SUITES)
def test_each_suite_is_recorded_with_its_labels(start, suite):
    engine, capture = start.engine(), start.directory / "new"
    some = ["--limit", "8"] if suite == "long-context" else ["--sample", "20%", "--by", "session"]
    end = replay(CONFIGS / "suites" / f"{suite}.jsonl", engine, "--capture", capture, "--name", "new", *some)[-1]
    assert end["end"] == "done" and end["completed"] == end["sent"] > 5 and not end["failed"] and not end["unreplayable"]
    known = {item["id"]: item for item in items(CONFIGS / "suites" / f"{suite}.jsonl")}
    for e in exported(capture):
        labels = e["labels"]
        item = known[labels["item"].split(":")[0]]
        body = json.loads(e["request"]["body"])
        assert labels["suite"] == suite and labels["category"] == item["category"]
        assert body["temperature"] == 0 and "model" not in body and "gold" not in body and "id" not in body
        assert sent_body(e, e["legs"][0])["model"] == "simulated"
        if "turns" in item:
            turn = int(labels["item"].split(":")[1])
            assert body["messages"][-1]["content"] == item["turns"][turn - 1]["content"]
            assert labels["gold"] is None or json.loads(json.dumps(text_of(item["turns"][turn - 1]["gold"]))) == labels["gold"]
        elif "tests" in item:
            right = json.loads(labels["gold"])
            assert right["tests"] == item["tests"] and right.get("function") == item.get("function")
        else:
            assert (labels["gold"] is None) == ("gold" not in item)
            assert labels["gold"] in (item.get("gold"), text_of(item.get("gold")))
        for member in ("tools", "tool_choice", "response_format", "max_tokens", "prompt"):
            assert body.get(member) == item.get(member)
    plumbline("capture", "verify", capture, check=0)


def test_a_long_text_has_its_needles_at_their_depths(start):
    engine, capture = start.engine(), start.directory / "new"
    source = CONFIGS / "suites" / "long-context.jsonl"
    replay(source, engine, "--capture", capture, "--name", "new", "--limit", "6")
    known = {item["id"]: item for item in items(source)}
    for e in exported(capture):
        item = known[e["labels"]["item"]]
        asked = json.loads(e["request"]["body"])["messages"][-1]["content"]
        assert "{{" not in asked
        assert item["haystack"]["style"] == "prose"
        assert 5 * item["haystack"]["tokens"] <= len(asked) <= 5 * item["haystack"]["tokens"] + 1500
        for needle in item["haystack"]["needles"]:
            assert asked.count(needle["text"]) == 1
            assert abs(asked.index(needle["text"]) / len(asked) - needle["at"]) < 0.03


def test_two_engines_answer_the_same_exchanges_of_a_suite(start):
    capture = start.directory / "new"
    source = CONFIGS / "suites" / "reasoning.jsonl"
    for name in ("a", "b"):
        replay(source, start.engine("--seed", "7"), "--capture", capture, "--name", name, "--limit", "12")
    exchanges = exported(capture)
    assert len(exchanges) == 12 and all(sorted(leg["backend"] for leg in e["legs"]) == ["a", "b"] for e in exchanges)
    said = json.loads(plumbline("analyze", capture, "--base", "a", "--test", "b", "--json", check=4).stdout)
    assert said["groups"][0]["test"] == "b"
    # All are equal, but twelve are too few for SAME.
    assert (said["figures"][0]["n"], said["figures"][0]["value"], said["verdict"]["word"]) == (12, 0, "UNCLEAR")
    assert " 12 greedy answers; about " in said["verdict"]["sentence"] and said["verdict"]["sentence"].count("answers would show whether") == 1


def test_a_suite_uses_the_engines_own_model(start):
    strict = start.engine("--model", "llama", "--strict-model")
    source = CONFIGS / "suites" / "determinism.jsonl"
    end = replay(source, strict, "--capture", start.directory / "new", "--limit", "5")[-1]
    assert end["completed"] == 5
    end = replay(source, strict, "--capture", start.directory / "other", "--limit", "5", "--model", "qwen", "--any-model", check=3)[-1]
    assert end["failed"][0]["why"] == "status 404"


def session_lines(n):
    return [{"id": f"talk/{i}", "category": "talk", "max_tokens": 6, "turns": [
        {"content": f"{i}: first", "answer": "so it was"}, {"content": f"{i}: second"}, {"content": f"{i}: third", "gold": "3"}]} for i in range(n)]


def goes_on_with_what_was_said(capture, name, n):
    """Check that each turn's sent history has this run's answers to the turns before."""
    said = {}
    legs = {}
    for e, leg in legs_of(capture, name):
        item = e["labels"]["item"]
        assert item not in legs, "each is recorded once"
        said[item] = leg["reading"]["choices"][0]["text"]
        legs[item] = (e, leg)
    assert len(legs) == 3 * n
    for item, (e, leg) in legs.items():
        talk, turn = item.split(":")
        messages = sent_body(e, leg)["messages"]
        assert len(messages) == 2 * int(turn) - 1
        for before in range(1, int(turn)):
            assert messages[2 * before - 1] == {"role": "assistant", "content": said[f"{talk}:{before}"]}


def test_later_turns_continue_with_the_new_answers(start):
    engine, capture = start.engine("--reasoning", "tags"), start.directory / "new"
    source = lines(start.directory / "talk.jsonl", [{**line, "max_tokens": 80} for line in session_lines(6)])
    end = replay(source, engine, "--capture", capture, "--name", "new", "--concurrency", "8", "--order", "shuffled", "--repeats", "1")[-1]
    assert end["completed"] == 18 and not end["unreplayable"]
    said = {e["labels"]["item"]: leg["reading"]["choices"][0] for e, leg in legs_of(capture, "new")}
    for e, leg in legs_of(capture, "new"):
        if e["labels"]["item"].endswith(":2"):
            history = sent_body(e, leg)["messages"][1]["content"]
            before = said[e["labels"]["item"][:-1] + "1"]["text"]
            assert history and "<think>" not in history and before.endswith(history), "a history has no reasoning"


def test_each_repeat_continues_with_its_own_answers(start):
    engine, capture = start.engine("--noise", "3", "--fresh-noise"), start.directory / "new"
    source = lines(start.directory / "talk.jsonl", session_lines(2))
    replay(source, engine, "--capture", capture, "--name", "new", "--repeats", "3", "--order", "shuffled")
    said = {(e["labels"]["item"], leg["repeat"]): leg["reading"]["choices"][0]["text"] for e, leg in legs_of(capture, "new")}
    # Both sessions would be equal three times by chance once in millions of runs.
    assert len(said) == 18 and len({v for (item, _), v in said.items() if item.endswith(":1")}) > 2
    for e, leg in legs_of(capture, "new"):
        if e["labels"]["item"].endswith(":2"):
            assert sent_body(e, leg)["messages"][1]["content"] == said[e["labels"]["item"][:-1] + "1", leg["repeat"]]


@pytest.mark.parametrize("how", ["interrupt", "kill"])
def test_an_interrupted_session_resumes_with_its_history(start, how):
    engine, capture, n = start.engine("--ttft", "30ms"), start.directory / "new", 120
    source = lines(start.directory / "talk.jsonl", session_lines(n))
    flags = ["--capture", capture, "--name", "new", "--concurrency", "2"]
    process = begin(start, source, engine, *flags)
    wait_for("some turns", lambda: turns(engine) >= 14)
    if how == "interrupt":
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 3
    else:
        wait_for("a recorded one", lambda: plumbline("capture", "ls", capture).returncode == 0)
        process.kill()
        process.wait()
    engine.stop()
    quick = start.engine(port=engine.port)
    end = replay(source, quick, *flags)[-1]
    assert 0 < end["before"] < 3 * n and end["before"] + end["completed"] == 3 * n and end["left"] == 0
    goes_on_with_what_was_said(capture, "new", n)


def test_recorded_histories_give_every_engine_the_same_requests(start):
    engine, capture = start.engine(), start.directory / "new"
    source = lines(start.directory / "talk.jsonl", session_lines(4))
    end = replay(source, engine, "--capture", capture, "--name", "new", "--history", "recorded")[-1]
    assert end["completed"] == 8 and end["left"] == 0
    for e, leg in legs_of(capture, "new"):
        item = e["labels"]["item"]
        assert not item.endswith(":3")
        assert item.endswith(":1") or sent_body(e, leg)["messages"][1]["content"] == "so it was"
    said = plumbline("replay", source, "--to", engine.url, "--capture", start.directory / "told", "--history", "recorded", check=0).stdout.decode()
    assert "4 " in said and "its source has no answer to the turn before" in said


def test_a_turn_after_one_that_failed_is_not_sent(start):
    engine, capture = start.engine("--fault", "500"), start.directory / "new"
    source = lines(start.directory / "talk.jsonl", session_lines(3))
    end = replay(source, engine, "--capture", capture, "--name", "new", "--model", "simulated", "--any-server", check=3)[-1]
    assert end["sent"] == 3 and end["failed"] == [{"why": "status 500", "n": 3}]
    assert {e["labels"]["item"][-1] for e in exported(capture)} == {"1"}


def test_captured_sessions_can_continue_with_new_answers(start):
    old, new = start.engine("--seed", "1"), start.engine("--seed", "2")
    source, capture = lines(start.directory / "talk.jsonl", session_lines(3)), start.directory / "new"
    replay(source, old, "--capture", capture, "--name", "old")
    for history, own in (("recorded", False), ("answered", True)):
        replay(capture, new, "--name", history, "--history", history)
        said = {e["labels"]["item"]: leg["reading"]["choices"][0]["text"] for e, leg in legs_of(capture, history)}
        seconds = [(e, leg) for e, leg in legs_of(capture, history) if e["labels"]["item"].endswith(":2")]
        assert len(seconds) == 3
        for e, leg in seconds:
            history_said = sent_body(e, leg)["messages"][1]["content"]
            assert (history_said == said[e["labels"]["item"][:-1] + "1"]) == own


def asked(name, engine, capture, *flags):
    end = replay(CONFIGS / "benchmarks" / name, engine, "--capture", capture, "--name", "new", *flags)[-1]
    assert end["completed"] == 20 and not end["failed"] and not end["unreplayable"]
    return {e["labels"]["item"]: (e["labels"], json.loads(e["request"]["body"])["messages"][0]["content"], e["id"]) for e in exported(capture)}


def test_benchmark_files_are_read_in_their_own_format(start):
    engine = start.engine()
    found = asked("gsm8k-form.jsonl", engine, start.directory / "gsm8k")
    for n, row in enumerate(items(CONFIGS / "benchmarks" / "gsm8k-form.jsonl"), 1):
        labels, question, _ = found[f"gsm8k/{n}"]
        assert question.startswith(row["question"]) and labels["gold"] == row["answer"].split("#### ")[1].replace(",", "")
        assert row["answer"].split("\n")[0] not in question
    with open(CONFIGS / "benchmarks" / "simpleqa-form.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    found = asked("simpleqa-form.csv", engine, start.directory / "simpleqa")
    for n, row in enumerate(rows, 1):
        labels, question, _ = found[f"simpleqa/{n}"]
        assert question.startswith(row["problem"]) and labels["gold"] == row["answer"] and labels["category"] in row["metadata"]
    found = asked("livecodebench-form.jsonl", engine, start.directory / "livecodebench")
    for row in items(CONFIGS / "benchmarks" / "livecodebench-form.jsonl"):
        labels, question, _ = found[row["question_id"]]
        assert question.startswith(row["question_content"]) and row["starter_code"] in question and labels["category"] == row["difficulty"]
        assert json.loads(labels["gold"])["tests"] == json.loads(row["public_test_cases"])


def test_the_choices_of_gpqa_are_drawn_by_the_seed(start):
    engine = start.engine()
    with open(CONFIGS / "benchmarks" / "gpqa-form.csv", newline="") as file:
        rows = {row["Record ID"]: row for row in csv.DictReader(file)}
    runs = [asked("gpqa-form.csv", engine, start.directory / f"gpqa{i}", "--seed", seed) for i, seed in enumerate(("1", "1", "2"))]
    for id_, (labels, question, _) in runs[0].items():
        assert f"\n{labels['gold']}) {rows[id_]['Correct Answer']}\n" in question + "\n"
        assert question.startswith(rows[id_]["Question"])
    assert runs[0] == runs[1]
    assert {labels["gold"] for labels, _, _ in runs[0].values()} == set("ABCD")
    assert not {id_ for _, _, id_ in runs[0].values()} & {id_ for _, _, id_ in runs[2].values()}


def test_invalid_records_are_named_by_line(start):
    engine = start.engine()
    source = start.directory / "own.jsonl"
    good = {"id": "s/1", "category": "c", "messages": [{"role": "user", "content": "hi"}]}
    source.write_text("\ufeff" + "\n".join([json.dumps(good), "", "{", json.dumps({**good, "id": ""}), json.dumps({**good, "id": "s/2"})]) + "\n")
    end = replay(source, engine, "--capture", start.directory / "a", "--name", "new")[-1]
    assert end["completed"] == 2
    assert [r["why"].rsplit(":", 2)[1] for r in end["unreplayable"]] == ["3", "4"]
    table = start.directory / "own.csv"
    table.write_text('\ufeffmetadata,problem,answer\r\n{},"Two\r\nlines?",yes\r\n{},short\r\n{},Last?,"no"\r\n')
    end = replay(table, engine, "--capture", start.directory / "b", "--name", "new")[-1]
    assert end["completed"] == 2
    assert [r["why"].rsplit(":", 2)[1] for r in end["unreplayable"]] == ["4"]
    assert [e["labels"]["gold"] for e in exported(start.directory / "b")] == ["yes", "no"]


def test_items_with_an_empty_question_or_answer_are_skipped(start):
    engine, here = start.engine(), start.directory
    tables = {
        "simpleqa.csv": ('metadata,problem,answer\n{},Who?,Me\n,,\n{},Who?,\n{}," ",Me\n', ["3", "4", "5"]),
        "gpqa.csv": ("Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2,Incorrect Answer 3\nq,a,b,c,d\n,a,b,c,d\n,,,,\nq,a, ,c,d\n",
                     ["3", "4", "5"]),
        "gsm8k.jsonl": ("".join(json.dumps({"question": q, "answer": a}) + "\n" for q, a in (("q", "#### 4"), (" ", "#### 4"), ("q", "#### "))), ["2", "3"]),
        "livecodebench.jsonl": ("".join(json.dumps({"question_content": q, "public_test_cases": "[]", "question_id": "1", "difficulty": "easy",
                                                    "starter_code": "", "platform": "x", "private_test_cases": ""}) + "\n" for q in ("q", " ")), ["2"]),
    }
    for name, (text, bad) in tables.items():
        (here / name).write_text(text)
        end = replay(here / name, engine, "--capture", here / f"of-{name}", "--name", "new")[-1]
        assert end["completed"] == end["sent"] == 1, name
        assert [r["why"].rsplit(":", 2)[1] for r in end["unreplayable"]] == bad, name


def test_a_too_long_record_is_named_and_the_rest_sent(start):
    engine, table = start.engine(), start.directory / "long.csv"
    with table.open("w") as file:
        file.write('metadata,problem,answer\n{},"one,\ntwo",yes\n{},"')
        for _ in range(65):
            file.write("long " * (1 << 18) + "\n")
        file.write('",no\n{},three,no\n')
    end = replay(table, engine, "--capture", start.directory / "new", "--name", "new")[-1]
    assert end["sent"] == end["completed"] == 2
    (bad,) = end["unreplayable"]
    assert bad["n"] == 1 and "long.csv:4: a record of more than 64 MiB" in bad["why"]
