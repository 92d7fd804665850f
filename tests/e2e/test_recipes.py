"""Recipes on engines with known differences: each command must report them, and no difference of equal engines."""
import json
import math
import os
import re
import shutil
import signal
import subprocess
import urllib.request
from collections import Counter

import pytest

from harness import BINARY, PATIENCE, chat, exported, free_port, plumbline, post, wait_for
from schema import problems

SUITES = os.path.join(os.path.dirname(__file__), "../../configs/suites")
REASONING = f"{SUITES}/reasoning.jsonl"
SCHEMA = json.load(open(os.path.join(os.path.dirname(__file__), "../../docs/analyze.schema.json")))


def turns(engine):
    text = urllib.request.urlopen(engine.url + "/metrics", timeout=PATIENCE).read().decode()
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith("simulated_turns_total"))


def recipe(verb, *args, check=None):
    done = plumbline(verb, *args, "--json", check=check)
    document = json.loads(done.stdout)
    assert not problems(document, SCHEMA)
    return document


def trials(document):
    return {(g["base"], g["test"]): g for g in document["groups"] if not g["is_floor"]}


def answers(capture):
    """Count the recorded answers per exchange, backend and repeat."""
    return Counter((e["id"], leg["backend"], leg["run"], leg["repeat"]) for e in exported(capture) for leg in e["legs"])


def test_equal_engines_raise_no_alarm_and_get_each_request_once(start):
    a, b = start.engine("--seed", "7"), start.engine("--seed", "7")
    capture = start.directory / "c"
    said = recipe("compare", f"a={a.url}", f"b={b.url}", REASONING, "--limit", "20", "--capture", capture, check=4)
    assert turns(a) == turns(b) == 40
    assert said["greedy_compared"] == 40 and said["greedy_differing"] == 0
    group = trials(said)["a", "b"]
    assert group["noise_floor"]["floors"] == "both" and group["noise_floor"]["finding"] != "alarm"
    assert said["recipe"]["verb"] == "compare" and [t["name"] for t in said["recipe"]["targets"]] == ["a", "b"]
    recorded = answers(capture)
    assert len(recorded) == 80 and set(recorded.values()) == {1}
    runs = {run for _, _, run, _ in recorded}
    assert runs == {said["recipe"]["levels"][0]["run"]}
    again = json.loads(plumbline("analyze", capture, "--json", check=4).stdout)
    assert said["next"][0]["command"] == f"plumbline compare a={a.url} b={b.url} {REASONING} --capture {capture} --limit 150"
    assert [group.pop("next") for group in again["groups"]] and [group.pop("next") for group in said["groups"]]
    assert again["groups"] == said["groups"], "plumbline analyze gives the same figures later"


def test_a_penalty_is_found_above_the_floor(start):
    a, b = start.engine("--seed", "7"), start.engine("--seed", "7", "--repeat-penalty", "1.15")
    out, comment, short = (start.directory / f"r.{form}" for form in ("html", "md", "txt"))
    said = recipe("compare", f"a={a.url}", f"b={b.url}", REASONING, "--limit", "40", "--capture", start.directory / "c",
                  "--out", out, "--out", comment, "--out", short, check=1)
    explained = trials(said)["a", "b"]["causes"][0]["explained"]
    for text in (comment.read_text().replace("\\", ""), " ".join(short.read_text().split())):
        assert f"A repetition penalty (b, seen in its own answers), explains {explained['n']} of {explained['of']} differing greedy answers (" in text, text
        assert "To remove the cause: set repetition_penalty (repeat_penalty) to 1 in the engine, or in requests" in text and "To confirm the cause:" in text, text
    group = trials(said)["a", "b"]
    assert group["noise_floor"]["finding"] == "alarm" and group["noise_floor"]["floors"] == "both"
    assert group["causes"][0]["key"] == "repetition_penalty" and group["causes"][0]["side"] == "test"
    # The engine divides or multiplies logits by 1.15; lists before the penalty give a lower bound of the change.
    least = re.search(r"of at least (\d+(?:\.\d+)?) nats", group["causes"][0]["text"])
    assert least and 0.05 < float(least[1]) < 10
    assert "<html" in out.read_text()


def test_a_changed_stack_is_named_by_backend_engine_and_time(start):
    files = []
    for day in ("monday", "tuesday"):
        a, b = start.engine("--seed", "7"), start.engine("--seed", "7")
        files.append(start.directory / f"{day}.json")
        recipe("compare", f"a={a.url}", f"b={b.url}", REASONING, "--limit", "3", "--capture", start.directory / day, "--out", files[-1])
    stacks = [[s["name"] for s in trials(json.loads(f.read_text()))["a", "b"]["slices"]["stack"]["values"]] for f in files]
    assert all(re.fullmatch(r"b: \S+.*, from \d{4}-\d\d-\d\d \d\d:\d\d UTC", name) for names in stacks for name in names) and all(stacks), stacks
    done = plumbline("diff-report", *files, "--full", "--out", start.directory / "c.md")
    text = " ".join(done.stdout.decode().split())
    assert f"new stack: {stacks[1][0]}" in text and f"stack that is gone: {stacks[0][0]}" in text
    assert "**new stack:** b: " in (start.directory / "c.md").read_text().replace("\\", "")


def test_noise_of_both_sides_is_no_alarm(start):
    # One request at a time, so that the noise is the same in every test run: 1 of 100 raises an alarm.
    engines = [start.engine("--seed", "7", "--random-seed", n, "--noise", "0.05", "--fresh-noise") for n in ("1", "2")]
    said = recipe("compare", f"a={engines[0].url}", f"b={engines[1].url}", REASONING, "--limit", "60", "--concurrency", "1", "--capture", start.directory / "c")
    group = trials(said)["a", "b"]
    assert said["greedy_differing"] > 0 and group["noise_floor"]["finding"] != "alarm"
    assert said["verdict"]["word"] in ("SAME", "UNCLEAR")


def test_labels_tell_models_and_settings_apart(start):
    engine = start.engine("--seed", "7")
    said = recipe("compare", f"plain={engine.url}", f"other={engine.url},model=other,set.user=\"me\"", REASONING, "--limit", "10", "--any-model",
                  "--capture", start.directory / "c", check=4)
    assert trials(said)["plain", "other"]["noise_floor"]["floors"] == "both"
    assert {g["test"] for g in said["groups"] if g["is_floor"]} == {"plain", "other"}
    assert [t["model"] for t in said["recipe"]["targets"]] == ["simulated", "other"]
    done = plumbline("compare", engine.url, engine.url, REASONING, check=2)
    assert b"give them different labels" in done.stderr
    assert turns(engine) == 40, "nothing more was sent"


def test_a_target_without_the_model_is_refused_before_sending(start):
    a = start.engine("--seed", "7")
    for other, code, why in ((f"b=http://127.0.0.1:{free_port()}", 3, b"can't be reached"), (f"b={a.url},model=other", 2, b"It has: simulated")):
        done = plumbline("compare", f"a={a.url}", other, REASONING, "--capture", start.directory / "c", check=code)
        assert why in done.stderr and b"nothing was sent" in done.stderr
    assert turns(a) == 0


def test_report_errors_are_found_before_sending(start):
    a = start.engine("--seed", "7")
    typo = start.directory / "typo.yaml"
    typo.write_text("rulez: []\n")
    capture = start.directory / "c"
    for flags, why in ((("--policy", "nope.yaml"), b"nope.yaml"), (("--policy", typo), b"typo.yaml"), (("--out", "/nonexistent/x.html"), b"/nonexistent/x.html"),
                       ((REASONING,), b"given twice"), (("--concurrency", "2,2"), b"has 2 twice"), (("--seeds", "3"), b"needs --temperature")):
        done = plumbline("compare", f"a={a.url}", f"b={a.url}", REASONING, "--limit", "2", "--capture", capture, *flags, check=2)
        assert why in done.stderr
    assert turns(a) == 0 and not capture.exists()
    recipe("compare", f"a={a.url}", f"b={a.url}", REASONING, "--limit", "2", "--capture", capture, "--out", capture / "r.html", check=4)
    assert (capture / "r.html").exists(), "the capture's directory exists already"


@pytest.mark.slow
def test_a_killed_recipe_resumes_and_records_each_answer_once(start):
    engines = [start.engine("--seed", "7", "--itl", "2ms") for _ in range(2)]
    capture = start.directory / "c"
    command = ["compare", *(f"{name}={e.url}" for name, e in zip("ab", engines)), REASONING, "--limit", "40", "--capture", capture,
               "--concurrency", "2,4", "--json"]
    for how in (signal.SIGKILL, signal.SIGINT):
        process = subprocess.Popen([BINARY, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        before = sum(map(turns, engines))
        wait_for("some answers", lambda: sum(map(turns, engines)) > before + 30)
        process.send_signal(how)
        assert process.wait(PATIENCE) == (-signal.SIGKILL if how == signal.SIGKILL else 3)
    done = plumbline(*command)
    assert done.returncode == 4
    said = json.loads(done.stdout)
    recorded = answers(capture)
    assert len(recorded) == 40 * 2 * 2 * 2 and set(recorded.values()) == {1}
    assert len({run for _, _, run, _ in recorded}) == 2
    lost = sum(map(turns, engines)) - len(recorded)
    assert 0 <= lost <= 60, "only requests of the killed run's last commit window are sent again"
    assert said["greedy_compared"] == 160
    sent = sum(map(turns, engines))
    plumbline(*command, check=4)
    assert sum(map(turns, engines)) == sent, "everything is recorded: nothing is sent, and the report is written again"


def test_a_finished_recipe_says_that_it_reuses_the_answers(start):
    engine = start.engine("--seed", "7")
    command = ("compare", f"a={engine.url}", f"b={engine.url},set.user=\"me\"", REASONING, "--limit", "3", "--repeats", "1", "--thinking", "as-is", "--capture", start.directory / "c")
    first = plumbline(*command, check=None).stderr
    assert b"requests sent" not in first and b"--thinking as-is is the old name of as_asked" in first
    again = " ".join(plumbline(*command, check=None).stderr.decode().split())
    assert f"0 requests sent: {start.directory / 'c'} has the results of all of them, from 20" in again and "--again sends them again" in again
    assert turns(engine) == 6
    shown = plumbline("manifest", start.directory / "c", check=0).stdout.decode()
    assert shown.count("repetition_penalty: 1; in 3 of 3") == 2, "as the engine got it, though no client set it"
    plumbline(*command, "--again", check=None)
    assert turns(engine) == 12


def test_more_repeats_extend_a_capture(start):
    a, b = start.engine("--seed", "7"), start.engine("--seed", "7")
    command = ["compare", f"a={a.url}", f"b={b.url}", REASONING, "--limit", "5", "--capture", start.directory / "c"]
    recipe(*command)
    recipe(*command, "--repeats", "4")
    assert turns(a) == turns(b) == 20
    recipe(*command, "--repeats", "4", "--again")
    assert turns(a) == 40


def test_a_capture_is_a_suite_too_and_stays_as_it_was(start):
    engine, other = start.engine("--seed", "7"), start.engine("--seed", "8")
    proxy = start.proxy(engine.url)
    for i in range(6):
        assert post(proxy.port, "/v1/chat/completions", chat(f"Tell me about {i}."))[0] == 200
    proxy.settled(6, "exchanges")
    assert proxy.stop() == 0
    before = exported(proxy.capture)
    said = recipe("compare", f"a={engine.url}", f"b={other.url}", proxy.capture, "--capture", start.directory / "c", check=1)
    assert trials(said)["a", "b"] and said["greedy_compared"] == 12
    assert not any("primary" in (g["base"], g["test"]) for g in said["groups"]), "it does not contain the recorded answers"
    assert exported(proxy.capture) == before


def test_a_sweep_compares_precisions_and_finds_the_cliff(start):
    made = {"q2": "2", "f16": None, "q8": "0.02", "q6": "0.05"}
    engines = {name: start.engine("--seed", "7", *(["--quantise", q] if q else [])) for name, q in made.items()}
    out = start.directory / "s.md"
    said = recipe("sweep", f"{SUITES}/determinism.jsonl", "--limit", "40", *(f"{name}={engines[name].url}" for name in ("q2", "f16", "q8", "q6")),
                  "--base", "f16", "--capture", start.directory / "c", "--out", out, check=1)
    standings = said["standings"]
    assert standings["base"] == "f16" and [row["target"] for row in standings["rows"]] == ["q2", "q8", "q6"]
    value = {row["target"]: {name: f["value"] for name, f in row["figures"].items()} for row in standings["rows"]}
    assert value["q8"]["top1_logprob_rmse"] < value["q6"]["top1_logprob_rmse"] < value["q2"]["top1_logprob_rmse"]
    assert value["q2"]["jaccard_5"] < value["q6"]["jaccard_5"] <= 1
    assert all(row["floor"]["text_differs"]["value"] == row["base_floor"]["text_differs"]["value"] == 0 for row in standings["rows"])
    assert standings["cliff"]["target"] == "q2" and standings["cliff"]["before"] is None, "the worst one comes first here"
    assert "our reading of the captions" in standings["definitions"]
    worst = next(row for row in standings["rows"] if row["target"] == "q2")
    assert worst["suites"][0]["suite"] == "determinism" and worst["suites"][0]["divergence_index"]["value"] == value["q2"]["divergence_index"]
    assert {stack["backend"] for stack in said["manifest"]["stacks"]} == set(made)
    text = out.read_text()
    assert "Targets against f16" in text and "paper's Figure 3" in text and "paper's Figure 10" in text
    assert "0 to 100 %" not in text, "only a terminal shows the curve"
    screen = plumbline("report", start.directory / "c", check=1).stdout.decode()
    assert re.search(r"^  q2 .* 80 #+[+]+$", screen, re.M), screen
    assert "Targets against f16" in plumbline("report", start.directory / "c", "--full", check=1).stdout.decode()
    assert all(f"\n| {name} | " in text for name in ("q2", "q8", "q6")) and "divergence index" in text and " | itself |" in text
    assert all(f"\n* **{row['target']}:** " + (row["causes"][0]["title"] if row["causes"] else "no cause found") in text for row in standings["rows"])
    assert "The reporting checklist of each stack" in text and "\n**f16**" in text and len(text) < 65536
    assert b"no target has this label" in plumbline("sweep", REASONING, "a=http://127.0.0.1:1", "b=http://127.0.0.1:2", "--base", "c", check=2).stderr


def test_a_diff_over_equal_backends_raises_no_alarm_and_draws_all_figures(start):
    engines = [start.engine("--seed", "7") for _ in range(3)]
    html, saved = start.directory / "d.html", start.directory / "d.json"
    said = recipe("diff", REASONING, f"{SUITES}/determinism.jsonl", "--limit", "10", *(f"{n}={e.url}" for n, e in zip("abc", engines)), "--capture", start.directory / "c",
                  "--out", html, "--out", saved, check=4)
    assert set(trials(said)) == {("a", "b"), ("a", "c")} and said["greedy_compared"] == 80
    for row in said["standings"]["rows"]:
        assert row["finding"] != "alarm" and row["figures"]["text_differs"]["value"] == 0 and row["figures"]["divergence_index"]["value"] == 1
        assert {suite["suite"] for suite in row["suites"]} == {"reasoning", "determinism"}
    assert said["standings"]["cliff"] is None
    text = plumbline("report", saved, "--full", check=4).stdout.decode()
    assert "Targets against a" in text and "divergence index" in text, "a saved analysis gives the same"


def test_seeds_are_equal_across_targets_and_differ_by_repeat(start):
    a, b = start.engine("--seed", "7"), start.engine("--seed", "7")
    capture = start.directory / "c"
    recipe("diff", REASONING, f"a={a.url}", f"b={b.url}", "--limit", "6", "--temperature", "0.8", "--seeds", "4", "--seed", "100", "--capture", capture)
    seeds = Counter()
    for e in exported(capture):
        for leg in e["legs"]:
            sent = "".join(edit["inserted"] for edit in leg["edits"])
            assert "0.8" in sent, "the suite's temperature is 0"
            seeds[leg["backend"], leg["repeat"], int(re.search(r'"seed":(\d+)', sent)[1])] += 1
    assert seeds == {(name, repeat, 100 + repeat): 6 for name in "ab" for repeat in range(4)}


def test_sampled_intervals_are_over_prompts_and_seeds(start):
    a, b = start.engine("--seed", "7"), start.engine("--seed", "7", "--noise", "0.3")
    flags = [REASONING, f"a={a.url}", f"b={b.url}", "--limit", "8", "--temperature", "0.7", "--max-tokens", "16", "--capture", start.directory / "c"]
    few = trials(recipe("diff", *flags, "--seeds", "4"))["a", "b"]["by_decoding"]["sampled"]["figures"]
    assert all("crossed_with_seeds" not in f for f in few.values()), "four seeds say too little about other seeds"
    saved = start.directory / "d.json"
    said = recipe("diff", *flags, "--seeds", "6", "--out", saved, check=4)
    assert said["recipe"]["sampled"] and "were sampled: in 48 pairs over 8 prompts, with the same 6 seeds on both sides," in said["verdict"]["sentence"]
    assert "would decide" not in said["verdict"]["sentence"], "no score is comparable with logprobs that may be after temperature 0.7"
    assert said["next"][0]["text"].startswith("To get a verdict, have b return the model's own logprobs, or request temperature 1, ") and {row["floor_over"] for row in said["standings"]["rows"]} == {"other_seeds"}
    done = plumbline("diff", *flags, "--seeds", "6", "--full", check=4)
    assert done.stderr == b"" or b"no verdict" not in done.stderr
    assert '"itself" is no floor here' in " ".join(done.stdout.decode().split()) and "itself, other seeds" in done.stdout.decode()
    done = plumbline("analyze", start.directory / "c", "--full", check=4)
    assert b"48 of 48 answers were not decoded greedily on both sides" in b" ".join(done.stdout.split()), "sampled traffic alone gives no verdict"
    figures = trials(said)["a", "b"]["by_decoding"]["sampled"]["figures"]
    for name in ("differ", "length_bias", "hazard", "top1_logprob_rmse"):
        crossed = figures[name]["crossed_with_seeds"]
        assert crossed["n"] == 6 and figures[name]["n"] > 0 and crossed["error_of_prompts"] > 0, name
    bias = figures["length_bias"]
    error = math.hypot(bias["crossed_with_seeds"]["error_of_prompts"], bias["crossed_with_seeds"]["error_of_seeds"])
    assert bias["ci95"][1] - bias["ci95"][0] > 2 * 1.96 * error
    text = plumbline("report", saved, "--full", check=4).stdout.decode()
    assert "Intervals are over prompts and 6 seeds." in " ".join(text.split()) and "by prompts" in text


def test_the_divergence_index_per_suite_ignores_other_suites(start):
    a, b = start.engine("--seed", "7"), start.engine("--seed", "7", "--noise", "0.3")
    saved = start.directory / "d.json"
    flags = [f"a={a.url}", f"b={b.url}", "--limit", "8", "--temperature", "0.7", "--seeds", "6", "--max-tokens", "16"]
    said = recipe("diff", REASONING, f"{SUITES}/determinism.jsonl", *flags, "--capture", start.directory / "both", "--out", saved)
    suites = said["standings"]["rows"][0]["suites"]
    assert [s["suite"] for s in suites] == ["determinism", "reasoning"] and said["standings"]["rows"][0]["decoding"] == "sampled"
    told = {s["value"]: s for s in trials(said)["a", "b"]["by_decoding"]["sampled"]["suites"]["values"]}
    for suite in suites:
        assert suite["pairs"] == 48 and told[suite["suite"]]["seeds"] == 6 and 0 < suite["divergence_index"]["value"] < 1
        alone = recipe("diff", f"{SUITES}/{suite['suite']}.jsonl", *flags, "--capture", start.directory / suite["suite"])
        figures = trials(alone)["a", "b"]["by_decoding"]["sampled"]["figures"]
        for name in ("divergence_index", "differ", "answer_changed", "hazard"):
            assert suite.get(name, told[suite["suite"]][name])["value"] == pytest.approx(figures[name]["value"], abs=1e-9), name
            assert told[suite["suite"]][name]["ci95"] == pytest.approx(figures[name]["ci95"], abs=1e-9), name
    text = " ".join(plumbline("report", saved, "--full").stdout.decode().split())
    assert "suite divergence index answers" in text and re.search(r"reasoning [\d.]+ .*?48", text)


def test_a_deterministic_engine_scores_one_with_an_interval(start):
    engine = start.engine("--seed", "7")
    said = recipe("determinism", f"e={engine.url}", f"{SUITES}/determinism.jsonl", "--limit", "15", "--runs", "6", "--capture", start.directory / "c", check=4)
    assert turns(engine) == 90
    every = said["reruns"]["all"]
    assert (every["prompts"], every["answers"], every["failed"]) == (15, 90, 0)
    for figure in ("all_alike", "determinism_score", "output_consistency", "as_the_first"):
        assert every[figure]["value"] == 1 and every[figure]["ci95"][0] > 0.7
    assert said["reruns"]["worst"] == [] and said["reruns"]["distinct"] == 15
    # The noise floor is the result in every format.
    floor, = said["figures"]
    assert floor["value"] == 0 and floor["ci95"][1] < 0.3 and floor["least_effect"] == 0.02
    assert said["verdict"]["sentence"].startswith("e differs from itself in 0.0 %") and said["cause"] is None and said["limits"] == []
    assert [{part: group[part] for part in ("verdict", "figures", "next")} for group in said["groups"]] == [{part: said[part] for part in ("verdict", "figures", "next")}]
    assert "prompts" in said["next"][0]["text"]


def test_determinism_finds_an_effect_of_load_but_not_of_the_cache(start):
    engine = start.engine("--seed", "7", "--fault", "load=0.05", "--fresh-noise", "--itl", "1ms", "--prefix-cache")
    out = start.directory / "d.html"
    said = recipe("determinism", f"e={engine.url}", f"{SUITES}/determinism.jsonl", "--limit", "20", "--runs", "8", "--concurrency", "1,8",
                  "--capture", start.directory / "c", "--out", out, check=1)
    r = said["reruns"]
    one, eight = r["levels"]
    assert (one["concurrency"], eight["concurrency"]) == (1, 8)
    assert one["all_alike"]["value"] == 1 and eight["all_alike"]["value"] < 0.8
    assert eight["determinism_score"]["value"] >= eight["output_consistency"]["value"]
    assert r["pairs"]["gap_of_level"]["ci95"][0] > 0, "concurrency has an effect"
    gap = r["pairs"]["gap_of_cached"]["ci95"]
    assert gap is None or gap[0] < 0.1, "the cache has no effect; one interval in twenty misses the true value"
    kept = json.loads((start.directory / "c/report.json").read_text())["reruns"]["worst"]
    assert any(p["mode_token"] for p in r["worst"]) and not any(p["mode_token"] or p["other_token"] for p in kept), "a saved report quotes no answer"
    texts = Counter()
    for e in exported(start.directory / "c"):
        texts[e["labels"]["item"]] = Counter(leg["reading"]["choices"][0]["text"] for leg in e["legs"]) if "reading" in e["legs"][0] else None
    for p in r["worst"]:
        seen = texts[p["item"]]
        assert (p["answers"], p["distinct"], p["of_mode"]) == (sum(seen.values()), len(seen), max(seen.values()))
    assert r["distinct"] == sum(map(len, texts.values()))
    assert said["verdict"]["sentence"].startswith("e differs from itself in") and "got the same answer every time" in out.read_text()
    assert said["figures"][0]["value"] == 1 - r["all"]["output_consistency"]["value"]
    assert said["cause"] is None or said["cause"]["key"] in ("load", "unstable"), "one engine has one model: no quantisation"


def test_infer_checks_own_words_are_understood(start):
    a = start.engine("--seed", "7")
    said = recipe("compare", "gguf:simulated", "gguf:simulated", "--prompts", REASONING, "--base-url", a.url, "--label-a", "x", "--label-b", "y",
                  "--num-prompts", "4", "--disable-thinking", "--chat", "--max-tokens", "20", "--no-report", "--output", start.directory / "c", check=4)
    assert ("x", "y") in trials(said) and turns(a) == 16
    more = next(step["command"] for step in said["next"] if "plumbline compare" in (step["command"] or ""))
    assert re.search(r" --num-prompts \d+$", more) and more.count("--num-prompts") == 1 and "--limit" not in more
    for e in exported(start.directory / "c"):
        assert all(leg["usage"]["completion_tokens"] <= 20 for leg in e["legs"])
    swept = recipe("sweep", f"bf16={a.url}", f"q4={a.url}", "--baseline", "q4", "--prompts", REASONING, "--num-prompts", "2", "--output", start.directory / "s", check=4)
    assert swept["standings"]["base"] == "q4"
    assert b"--no-chat needs --template" in plumbline("compare", a.url, a.url, REASONING, "--no-chat", check=2).stderr


def test_infer_checks_own_lines_name_the_targets(start):
    a, b = start.engine("--seed", "7"), start.engine("--seed", "7")
    few = "--prompts", REASONING, "--num-prompts", "2", "--max-tokens", "8", "--output"
    swept = recipe("sweep", "--models", "bf16=simulated,q4=simulated", "--backend", "openai-compat", "--base-url", a.url, "--baseline", "q4",
                   *few, start.directory / "sweep", check=4)
    assert swept["standings"]["base"] == "q4" and ("q4", "bf16") in trials(swept)
    two = recipe("diff", "--model", "simulated", "--backends", "openai-compat,vllm-mlx", "--base-urls", f"{a.url},{b.url}", *few, start.directory / "diff", check=4)
    assert ("openai-compat", "vllm-mlx") in trials(two)
    before = turns(b)
    recipe("determinism", "--model", "simulated", "--backend", "openai-compat", "--base-url", b.url, "--runs", "3", *few, start.directory / "alone", check=4)
    assert turns(b) == before + 6


@pytest.mark.parametrize("line, told", [
    (("sweep", "--models", "a=x,b=y"), b"--base-url"),
    (("sweep", "--models", "a,b", "--base-url", "http://127.0.0.1:1"), b"LABEL=MODEL"),
    (("diff", "--backends", "a,b", "--base-urls", "http://127.0.0.1:1"), b"different numbers of entries"),
    (("diff", "--base-urls", "http://127.0.0.1:1,http://127.0.0.1:2"), b"need each other"),
    (("determinism", "--backend", "mlx-lm", "--base-url", "http://127.0.0.1:1"), b"mlx_lm.server"),
    (("compare", "--base-url", "http://127.0.0.1:1"), b"give 2 targets"),
], ids=lambda x: x[0] if isinstance(x, tuple) else None)
def test_an_incomplete_infer_check_command_names_what_is_missing(line, told):
    assert told in plumbline(*line, "--prompts", REASONING, check=2).stderr


def test_a_limit_takes_prompts_from_all_categories(start):
    engine = start.engine("--seed", "7")
    capture = start.directory / "c"
    plumbline("determinism", engine.url, REASONING, "--num-prompts", "24", "--runs", "2", "--capture", capture, check=4)
    asked = Counter(e["labels"]["category"] for e in exported(capture))
    of_all = Counter(json.loads(line)["category"] for line in open(REASONING))
    assert sum(asked.values()) == 24 and set(asked) == set(of_all)
    assert max(asked.values()) - min(asked.values()) <= 1


def test_a_probe_hint_names_a_shared_engine_once(start):
    engine = start.engine("--seed", "7")
    capture = start.directory / "c"
    # One side's answers are cut. Each cause that a probe can confirm names the engine once.
    said = recipe("compare", f"a={engine.url}", f"b={engine.url},set.max_tokens=8", REASONING, "--limit", "20", "--capture", capture)
    confirm = [cause["confirm"] for cause in trials(said)["a", "b"]["causes"] if "plumbline probe" in cause["confirm"]]
    assert confirm and all(words.count(engine.url) == 1 for words in confirm)


@pytest.mark.parametrize("verb, repeats, levels", [("compare", 2, "4"), ("stress", 2, "1,2,4,8,16"), ("determinism", 20, "4"), ("ablate", 3, "4")])
def test_each_help_has_its_own_defaults_and_options(verb, repeats, levels):
    said = plumbline(verb, "--help", check=0).stdout.decode()
    assert f"--repeats {repeats} --concurrency {levels})" in " ".join(said.split())
    targets = [f"{name}=http://127.0.0.1:1" for name in ("a", "b")[:1 if verb in ("stress", "determinism", "ablate") else 2]]
    refused = b"--temperature is not a known option" in plumbline(verb, *targets, REASONING, "--pin" if verb == "ablate" else "--top=1", "--temperature", "1").stderr
    assert ("--temperature" in said) == ("--seeds" in said) == (not refused)


def test_the_legend_has_the_bases_whole_name(start):
    a, b, name = start.engine("--seed", "7"), start.engine("--seed", "7"), "a-base-with-a-long-name"
    done = plumbline("compare", f"{name}={a.url}", f"b={b.url}", REASONING, "--limit", "4", "--max-tokens", "8", "--capture", start.directory / "c", check=4)
    assert name in done.stdout.decode()


def test_examples_name_the_configurations_backends():
    root = os.path.join(os.path.dirname(__file__), "../..")
    known = set(re.findall(r"name: (\w+)", open(os.path.join(root, "configs/proxy.yaml")).read()))
    for verb in ("replay", "compare", "diff", "stress"):
        lines = [line.split() for line in plumbline(verb, "--help", check=0).stdout.decode().splitlines() if "-c configs/proxy.yaml" in line and line.startswith("  plumbline")]
        assert lines
        for words in lines:
            targets = {w for w in words[2:words.index("-c")] if w.isalnum()} - {"capture"}
            assert targets and targets <= known, words


def test_determinism_of_a_single_answer_is_refused(start):
    engine = start.engine()
    done = plumbline("determinism", engine.url, REASONING, "--runs", "1", check=2)
    assert b"needs --repeats 2 or more" in done.stderr and turns(engine) == 0


def test_a_misspelt_suite_name_gets_a_suggestion():
    done = plumbline("compare", "a=http://127.0.0.1:1", "b=http://127.0.0.1:2", "reasonning", check=2)
    assert b"did you mean reasoning?" in done.stderr
    listed = plumbline("suites", check=0).stdout.decode()
    assert re.search(r"^  reasoning +121$", listed, re.M) and len(listed.splitlines()) >= 11


def test_a_missing_suite_directory_lists_the_searched_places(tmp_path):
    moved = shutil.copy(BINARY, tmp_path / "plumbline")
    done = subprocess.run([moved, "suites"], cwd=tmp_path, capture_output=True, timeout=PATIENCE)
    assert done.returncode == 0 if done.stdout else b"there are no suites in configs/suites, " in done.stderr and done.returncode == 4


@pytest.mark.parametrize("verb", ["compare", "stress"])
def test_a_recipe_that_sent_nothing_leaves_no_directory(start, tmp_path, verb):
    gone = f"http://127.0.0.1:{free_port()}"
    targets = [f"a={start.engine().url}", f"b={gone}"] if verb == "compare" else ["--to", gone]
    done = subprocess.run([BINARY, verb, os.path.abspath(REASONING), *targets, "--limit", "2"], cwd=tmp_path, capture_output=True, timeout=PATIENCE)
    assert done.returncode == 3 and b"nothing was sent" in done.stderr and not [p for p in tmp_path.iterdir() if p.is_dir()]


def test_a_directory_is_named_after_its_targets(start, tmp_path):
    a, b = start.engine("--seed", "7"), start.engine("--seed", "7")
    line = [BINARY, "compare", os.path.abspath(REASONING), f"old={a.url}", f"new={b.url}", "--limit", "3", "--out", "r.html", "--out", "r.xml"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, timeout=PATIENCE)
    said = done.stderr.decode()
    assert re.search(r"wrote r\.html \([\d.]+ kB, quotes prompts and answers\)", said) and re.search(r"wrote r\.xml \([\d.]+ kB, no prompts or answers\)", said)
    directory, = (p.name for p in tmp_path.iterdir() if p.is_dir())
    assert re.fullmatch(r"plumbline-compare-old-new-[0-9a-f]{8}", directory)
    done = plumbline("analyze", tmp_path / directory, "--out", tmp_path / "nowhere/r.html", check=2)
    assert b"can't be written" in done.stderr and done.stdout == b"", "before any work"


def test_analyze_agrees_with_a_recipe_about_two_names_of_one_server(start):
    url = start.engine("--seed", "7").url
    directory = start.directory / "c"
    targets = f"old={url}", f"new={url},set.temperature=0"
    recipe = json.loads(plumbline("compare", *targets, REASONING, "--limit", "5", "--max-tokens", "8", "--capture", directory, "--json", check=4).stdout)
    analysis = json.loads(plumbline("analyze", directory, "--json", check=4).stdout)
    assert analysis["verdict"] == recipe["verdict"]
    assert [(g["base"], g["test"]) for g in analysis["groups"] if not g["is_floor"]] == [("old", "new")]
