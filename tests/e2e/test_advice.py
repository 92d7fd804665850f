"""Every command that a report proposes can be pasted into a shell and does what the report says."""
import gzip
import html
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "truth"))
import truth
from harness import BINARY, chat, get, plumbline, post, respond

PLACEHOLDER = re.compile(r"\b(DIR|URL|NAME|FILE|EXCHANGE|ID|NEWDIR|OUTPUT|INPUT)\b")
CAPTURE = "it's a capture"   # must be quoted


@pytest.fixture
def shell(tmp_path):
    """Run a line as a user would paste it, in the directory with the capture."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "plumbline").symlink_to(pathlib.Path(BINARY).resolve())

    def run(line):
        env = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
        return subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=120, cwd=tmp_path, env=env)
    return run


def analysed(shell, capture, *more):
    """Return the analysis as a document; also write the other formats."""
    said = shell(shlex.join(["plumbline", "analyze", capture, *more, "--json", "--out", "r.md", "--out", "r.txt", "--out", "r.html"]))
    assert said.returncode in (0, 1, 4), said.stderr
    return json.loads(said.stdout)


def proposals(document):
    return {cause["key"]: cause["confirm"] for group in document["groups"] for cause in group["causes"]}


def try_out(shell, key, line):
    assert line and line.startswith("plumbline ") and not PLACEHOLDER.search(line), (key, line)
    said = shell(line)
    assert said.returncode in (0, 1, 4), (key, line, said.returncode, said.stdout[-500:], said.stderr[-2000:])
    return said


def made(tmp_path, scenario, pair):
    lines = list(truth.requests(scenario, 0, 1))
    for k, level in enumerate(scenario.levels):
        file = tmp_path / f"requests-{k}.jsonl"
        file.write_text("".join(lines[k * len(lines) // len(scenario.levels):(k + 1) * len(lines) // len(scenario.levels)]))
        for engine, name in zip(pair, ("prod", "trusted")):
            truth.replay(file, engine, name, tmp_path / CAPTURE, level, 1, *scenario.options())


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [pytest.param(s, marks=pytest.mark.long) if i % 3 else s for i, s in enumerate(truth.SCENARIOS)], ids=lambda s: s.name)
def test_each_cause_proposes_a_command_that_runs(tmp_path, shell, scenario):
    with truth.engines(scenario, 0, 7) as pair:
        made(tmp_path, scenario, pair)
        found = proposals(analysed(shell, CAPTURE, "--base", "trusted", "--test", "prod"))
        assert found
        for key, line in found.items():
            # A cause that is named by chance may be one that no command confirms.
            if line or key in {scenario.names} | scenario.also | truth.HARMLESS:
                try_out(shell, key, line)


def test_every_format_has_the_same_command_on_one_line(tmp_path, shell, start):
    engines = start.engine("--seed", "7"), start.engine("--seed", "7", "--repeat-penalty", "1.3")
    proxy = start.proxy(engines[1].url, reference=engines[0].url)
    for i in range(30):
        assert post(proxy.port, "/v1/chat/completions", chat(f"Tell me {i} stories.", max_tokens=40))[0] == 200
    proxy.settled()
    assert proxy.stop() == 0
    shutil.move(proxy.capture, tmp_path / CAPTURE)
    line = proposals(analysed(shell, CAPTURE))["repetition_penalty"]
    text = shell(f"plumbline analyze {shlex.quote(CAPTURE)} --full").stdout
    for form in (text, *(html.unescape((tmp_path / name).read_text()) for name in ("r.md", "r.txt"))):
        assert line in form, form
    # The last line is about the largest difference.
    show = re.search(r"\n +(plumbline capture show .*)", text)[1]
    assert try_out(shell, "show", show).stdout.startswith("exchange ")


def test_parameters_are_aligned_on_the_reference(tmp_path, shell, start):
    engines = start.engine("--seed", "7"), start.engine("--seed", "7", "--repeat-penalty", "1.1")
    proxy = start.proxy(None, config=f"""
primary: {{name: prod, url: "{engines[0].url}", dialect: vllm}}
references: [{{name: trusted, url: "{engines[1].url}", dialect: llama-cpp-python}}]
""", capture=tmp_path / CAPTURE)
    for i in range(20):
        assert post(proxy.port, "/v1/chat/completions", chat(f"Tell me {i} stories.", max_tokens=40))[0] == 200
    proxy.settled()
    assert proxy.stop() == 0
    document = analysed(shell, CAPTURE)
    line = proposals(document)["unlike_parameters"]
    try_out(shell, "unlike_parameters", line)
    assert "--name trusted-again --align same" in line and "--base trusted-again --test prod" in line
    again = analysed(shell, CAPTURE, "--base", "trusted-again", "--test", "prod")
    assert "unlike_parameters" not in proposals(again)


def test_requests_with_replaced_text_are_not_sent_again(tmp_path, shell, start):
    engines = start.engine("--seed", "7"), start.engine("--seed", "7", "--repeat-penalty", "1.1")
    proxy = start.proxy(None, config=f"""
primary: {{name: prod, url: "{engines[0].url}", dialect: vllm}}
references: [{{name: trusted, url: "{engines[1].url}", dialect: llama-cpp-python}}]
capture: {{content: redacted}}
""", capture=tmp_path / CAPTURE)
    for i in range(20):
        assert post(proxy.port, "/v1/chat/completions", chat(f"Tell jane.doe@example.com {i} stories.", max_tokens=40))[0] == 200
    proxy.settled()
    assert proxy.stop() == 0
    document = analysed(shell, CAPTURE)
    assert "unlike_parameters" in proposals(document) and "plumbline replay" not in json.dumps(document)


def test_two_backends_without_a_baseline_are_compared_by_the_next_command(tmp_path, shell, start):
    suite = tmp_path / "mine.jsonl"
    suite.write_text("".join(json.dumps(chat(f"Tell me {i} stories.", max_tokens=8)) + "\n" for i in range(5)))
    for name in ("second letter", "another"):
        plumbline("replay", suite, "--to", start.engine("--seed", "7").url, "--name", name, "--capture", tmp_path / CAPTURE, "--any-server", "--top", "2", check=0)
    screen = shell(f"plumbline analyze {shlex.quote(CAPTURE)}").stdout
    line = re.search(r"\n +(plumbline analyze .*)", screen)[1]
    assert line.endswith(" --base 'second letter' --test another")
    assert "(--top)" in try_out(shell, "compare", line + " --full").stdout, "--align is an option of replay"


def test_a_finished_step_is_not_proposed_again(tmp_path, shell, start):
    engines = start.engine("--seed", "7"), start.engine("--seed", "7", "--quantise", "0.4")
    suite = tmp_path / "mine.jsonl"
    suite.write_text("".join(json.dumps(chat(f"Tell me {i} stories.", max_tokens=30)) + "\n" for i in range(40)))
    plumbline("compare", f"a={engines[0].url}", f"b={engines[1].url}", suite, "--capture", tmp_path / CAPTURE, check=1)
    line = proposals(analysed(shell, CAPTURE))["drift"]
    assert " score " in try_out(shell, "drift", line).args[-1] and not proposals(analysed(shell, CAPTURE))["drift"]
    plumbline("replay", suite, "--to", engines[1].url, "--name", "b-again", "--capture", tmp_path / CAPTURE, "--any-server", check=0)
    for document in analysed(shell, CAPTURE), analysed(shell, CAPTURE, "--base", "a", "--test", "b-again"):
        assert "-again-again" not in json.dumps(document) and " --name b-again " not in json.dumps(document["next"])


def test_the_proposed_command_shows_failed_requests(tmp_path, shell, start):
    engines = start.engine("--seed", "7"), start.engine("--seed", "7", "--fault", "500")
    for engine, name in zip(engines, ("trusted", "prod")):
        file = tmp_path / "requests.jsonl"
        file.write_text("".join(json.dumps(chat(f"Tell me {i} stories.")) + "\n" for i in range(5)))
        plumbline("replay", file, "--to", engine.url, "--name", name, "--capture", tmp_path / CAPTURE, "--any-server")
    line = proposals(analysed(shell, CAPTURE, "--base", "trusted", "--test", "prod"))["error"]
    said = try_out(shell, "errors", line).stdout
    assert "prod" in said and "500" in said


def test_proposed_commands_keep_the_targets_model(tmp_path, shell, start):
    """The engine knows only that model; the requests have another."""
    engines = [start.engine("--seed", "7", "--model", name, "--strict-model", *more) for name, more in (("full", ()), ("small", ("--quantise", "0.4")))]
    suite = tmp_path / "mine.jsonl"
    suite.write_text("".join(json.dumps({"model": "asked", "messages": [{"role": "user", "content": f"Tell me {i} stories."}], "max_tokens": 30}) + "\n"
                             for i in range(40)))
    plumbline("compare", f"a={engines[0].url},model=full", f"b={engines[1].url},model=small", suite, "--capture", tmp_path / CAPTURE, "--repeats", "1", "--align", "off")
    found = proposals(analysed(shell, CAPTURE))
    replays = [line for line in found.values() if " replay " in line]
    assert replays, found
    for key, line in found.items():
        try_out(shell, key, line)
    said = shell(f"plumbline repro {shlex.quote(CAPTURE)} worst --neighbours 30s --pack 'a pack.jsonl'")
    line = re.search(r"with their timing: (.*)$", said.stdout, re.M)[1]
    assert f" of {said.stdout.split()[0]} requests answered" in try_out(shell, "pack", line).stdout


def behind_a_key(start, engine, key):
    """Start a gateway that gives the engine's answers to requests with this key."""
    def gateway(raw, seen):
        if seen.low.get("authorization") != f"Bearer {key}":
            return respond(raw, {"error": "who are you?"}, "401 Unauthorized")
        status, _, body = post(engine.port, seen.target, seen.body) if seen.method == "POST" else get(engine.port, seen.target)
        return respond(raw, body, f"{status} .")
    return start.scripted(gateway)


def test_proposed_commands_name_the_variable_of_the_key(tmp_path, shell, start, monkeypatch):
    """One variable is in the target's word, the other in the configuration; a command of a saved capture has none."""
    monkeypatch.setenv("WORD_KEY", "sk-word")
    monkeypatch.setenv("FILE_KEY", "sk-file")
    engines = [behind_a_key(start, start.engine("--seed", "7", *more), key) for key, more in (("sk-word", ()), ("sk-file", ("--quantise", "0.4")))]
    suite, file = tmp_path / "mine.jsonl", tmp_path / "own.yaml"
    suite.write_text("".join(json.dumps(chat(f"Tell me {i} stories.", max_tokens=30)) + "\n" for i in range(40)))
    file.write_text(f"primary: {{name: b, url: '{engines[1].url}', api_key_env: FILE_KEY}}\n")
    plumbline("compare", f"a={engines[0].url},api-key-env=WORD_KEY", "b", "-c", file, suite, "--capture", tmp_path / CAPTURE, "--repeats", "1", "--align", "off",
              "--out", tmp_path / "r.json")
    found = proposals(json.loads((tmp_path / "r.json").read_text()))
    assert any("--api-key-env WORD_KEY" in line for line in found.values() if line), found
    for key, line in found.items():
        if line and "http" in line:
            try_out(shell, key, line)
            assert "--api-key-env" in line
    assert "--api-key-env" not in json.dumps(proposals(analysed(shell, CAPTURE)))


def test_stress_proposes_the_servers_url_with_its_model_and_key(tmp_path, shell, start, monkeypatch):
    """A name would be looked up in the capture, which could then choose who gets the key."""
    monkeypatch.setenv("SERVER_KEY", "sk-server")
    engine = start.engine("--seed", "7", "--ttft", "4ms", "--itl", "1ms", "--model", "my model", "--strict-model", "--fault", "crosstalk=1")
    suite = pathlib.Path(__file__).parents[2] / "configs/suites/determinism.jsonl"
    done = plumbline("stress", suite, f"{engine.url},api-key-env=SERVER_KEY", "--limit", "10", "--max-tokens", "24", "--concurrency", "1,8",
                     "--capture", tmp_path / CAPTURE, "--json", check=1)
    line = next(step["command"] for step in json.loads(done.stdout)["next"] if step["command"])
    assert f" --to {engine.url} --model 'my model' --api-key-env SERVER_KEY" in line
    assert "The answer alone is" in try_out(shell, "repro", line).stdout


def test_proposed_commands_use_only_known_facts(tmp_path, shell):
    """An imported capture has no URLs."""
    for name, answer in (("a", "one"), ("b", "two")):
        lines = [{"doc_id": i, "doc": {"question": f"What is {i}?"}, "target": "one", "arguments": {"gen_args_0": {"arg_0": f"What is {i}?", "arg_1": {"temperature": 0}}},
                  "resps": [[answer]], "filtered_resps": [answer], "exact_match": float(answer == "one"), "doc_hash": "0", "prompt_hash": "0", "target_hash": "0", "filter": "none",
                  "metrics": ["exact_match"]} for i in range(20)]
        (tmp_path / name).mkdir()
        (tmp_path / name / "samples_t_2026-11-28T06-00-00.0.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    said = shell(f"plumbline import a=a/*.jsonl b=b/*.jsonl --to {shlex.quote(CAPTURE)} --base a")
    assert said.returncode == 0, said.stderr
    document = analysed(shell, CAPTURE)
    for key, line in proposals(document).items():
        if line:
            try_out(shell, key, line)
    text = json.dumps(document) + shell(f"plumbline analyze {shlex.quote(CAPTURE)} --full").stdout + (tmp_path / "r.md").read_text() + (tmp_path / "r.txt").read_text()
    assert not re.search(r"plumbline [a-z-]+[^.;\n]*" + PLACEHOLDER.pattern, text)


def test_runs_proposes_to_analyze_the_newest(tmp_path, shell, start):
    suite = tmp_path / "mine.jsonl"
    suite.write_text("".join(json.dumps(chat(f"Tell me {i} stories.", max_tokens=8)) + "\n" for i in range(3)))
    url = start.engine("--seed", "7").url
    for name in ("older", CAPTURE):
        plumbline("compare", f"a={url}", f"b={url}", suite, "--capture", tmp_path / name)
    line = re.search(r"^To analyze the newest:\n  (.*)$", shell("plumbline runs").stdout, re.M)[1]
    assert CAPTURE in shlex.split(line)
    try_out(shell, "runs", line)


def test_the_next_probe_keeps_the_options_of_this_one(shell, start):
    url = start.engine("--seed", "7", "--model", "my model").url
    words = ["plumbline", "probe", url, "--model", "my model", "--api-key-env", "ENGINE_KEY"]
    line = re.search(r"^  next +(.*)$", shell("ENGINE_KEY=k " + shlex.join(words)).stdout, re.M)[1]
    assert shlex.split(line) == words[:3] + ["--deep"] + words[3:]


def test_a_compressed_file_is_unpacked_by_the_proposed_command(tmp_path, shell, start):
    (tmp_path / "my file.jsonl.gz").write_bytes(gzip.compress(json.dumps(chat("hi")).encode() + b"\n"))
    engine = start.engine("--seed", "7")
    said = shell(f"plumbline replay 'my file.jsonl.gz' --to {engine.url} --capture new")
    line = re.search(r"unpack it first, as with (.*)$", said.stderr, re.M)[1]
    assert shell(line).returncode == 0
    assert shell(f"plumbline replay 'my file.jsonl' --to {engine.url} --capture new").returncode == 0


def said(*words):
    return plumbline(*words).stdout.decode()


def commands():
    return re.findall(r"^  ([a-z-]+) ", said("--help"), re.M)


def help_of(line):
    words = line.split()[1:]
    return said(*words[:2 if words[0] == "capture" else 1], "--help")


def test_examples_of_help_name_options_that_exist():
    verbs = [["capture", verb] for verb in re.findall(r"^  ([a-z]+) ", said("capture", "--help"), re.M)]
    seen = 0
    for words in [[c] for c in commands() if c != "capture"] + verbs:
        text = re.sub(r" \\\n +", " ", said(*words, "--help"))
        for line in re.findall(r"^  (plumbline .*)$", text[text.lower().find("example"):], re.M):
            assert not re.search(r"\S {3,}\S", line), "a comment needs its own line, or the shell reads it as operands"
            for part in re.findall(r"plumbline [^|;&>]*", line):
                known = set(re.findall(r"--[a-z][a-z-]*", help_of(part).split("example")[0]))
                seen += 1
                assert set(re.findall(r"(?<= )--[a-z][a-z-]*", part)) <= known, (part, known)
    assert seen > 30
