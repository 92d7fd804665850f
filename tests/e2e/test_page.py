"""The HTML report: it loads nothing else, hostile answers cannot change it, and every part of it works."""
import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

import schema
from harness import PATIENCE, chat, plumbline, post, respond

CHAT = "/v1/chat/completions"
HERE = pathlib.Path(__file__).parent
REASONING = HERE.parents[1] / "configs/suites/reasoning.jsonl"
SCHEMA = json.loads((HERE.parents[1] / "docs" / "analyze.schema.json").read_text())
TOOLS = pathlib.Path(os.environ.get("PLUMBLINE_PAGE", "build/page")).absolute()
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

HOSTILE = "</script><img src=x onerror=\"window.hurt=1\"><!--<script>window.hurt=2</script>"
UNSEEN = "left\u202eright\u200b \u2028 \u2029 \ufeff\x00\x1b[31m"

# The prompts in order, and the answer of each side.
ANSWERS = {
    "What is alike?": ({"content": "Just the same."}, {"content": "Just the same."}),    # the proxy adds logprobs from the second request on
    "How many ships are there?": ({"content": "There are 12 ships in the harbour."}, {"content": "There are 15 ships in the harbour."}),
    "Say something bad.": ({"content": "No."}, {"content": f"Sure: {HOSTILE}"}),
    "What is seen?": ({"content": f"this {UNSEEN} end"}, {"content": f"that {UNSEEN} end 日本語 Ω 👩‍👩‍👧"}),
    "Think of it.": ({"content": "It is so.", "reasoning_content": "thought-through well"}, {"content": "It is not so.", "reasoning_content": "thought-through well"}),
    "Where is it?": ({"content": None, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "lookup", "arguments": '{"city":"Oslo"}'}}]},
                     {"content": None, "tool_calls": [{"id": "b", "type": "function", "function": {"name": "lookup", "arguments": '{"city":"Rome"}'}}]}),
    "Name the boats.": ({"content": "Ada, Eve, Zoe"}, {"content": "Ada, Bea, Eve, Zoe"}),     # one token more; the others are equal
    "Which bytes?": ({"content": "The bytes: b'€'."}, {"content": r"The bytes: b'\xe2\x82\xac'.", "finish": "max_tokens"}),   # € is in two tokens
    "Tell all.": ({"content": "word " * 3000}, {"content": "word " * 2500 + "other " * 500}),
    HOSTILE: ({"content": "a prompt as bad"}, {"content": "a prompt as bad, or worse"}),
}


def tokens_of(text):
    """Split the text into pieces of five bytes, also within characters."""
    data = text.encode()
    return [data[i:i + 5] for i in range(0, len(data), 5)]


def logprobs(message):
    text = (message.get("reasoning_content") or "") + (message.get("content") or "")
    entry = lambda token, lp: {"token": token.decode(errors="replace"), "bytes": list(token), "logprob": lp}
    return {"content": [{**entry(token, -0.5), "top_logprobs": [entry(token, -0.5), entry(b"<b>", -1.25), entry(b"\xff\xfe", -2.0)]}
                        for token in tokens_of(text)]}


def engine(side):
    def script(raw, seen):
        if seen.method != "POST":
            return respond(raw, {"data": [{"id": "m"}]})
        asked = json.loads(seen.body)
        message = {"role": "assistant", **ANSWERS[asked["messages"][-1]["content"]][side]}
        choice = {"index": 0, "message": message, "finish_reason": message.pop("finish", "tool_calls" if "tool_calls" in message else "stop"),
                  "logprobs": logprobs(message) if asked.get("logprobs") else None}
        return respond(raw, {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice],
                             "usage": {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}})
    return script


@pytest.fixture
def capture(start):
    """Record both sides' answers to all of ANSWERS; the tested side is prod."""
    trusted, prod = (start.scripted(engine(side)) for side in (0, 1))
    proxy = start.proxy(None, config=f"primary: {{name: prod, url: '{prod.url}'}}\nreferences:\n  - {{name: trusted, url: '{trusted.url}'}}\n")
    for asked in ANSWERS:
        assert post(proxy.port, CHAT, chat(asked, temperature=0))[0] == 200
    proxy.settled(len(ANSWERS), "trusted")
    return proxy.capture


def saved(capture, directory, name="report.html", *flags):
    path = pathlib.Path(directory) / name
    assert plumbline("analyze", capture, "--out", path, *flags).returncode in (1, 4)
    return path


def document_of(page):
    return json.loads(re.search(r'<script type="application/json" id="document">(.*?)</script>', page, re.S)[1])


def test_the_page_has_only_the_documents_content(capture, tmp_path):
    page = saved(capture, tmp_path).read_text()
    document = document_of(page)
    assert document == json.loads(saved(capture, tmp_path, "report.json").read_text())
    assert schema.problems(document, SCHEMA) == []
    assert page.count("<script") == 2 and "<img" not in page and page.count("<!--") == 0
    assert not set("\u2028\u2029") & set(page)
    texts = [e["test"]["text"] for e in document["exhibits"]["items"]]
    assert any(HOSTILE in text for text in texts) and any(UNSEEN.replace("\x00", "\\x00") in text for text in texts)


def test_the_page_loads_no_other_file(capture, tmp_path):
    page = saved(capture, tmp_path).read_text()
    shell = re.sub(r'(<script type="application/json" id="document">).*?(</script>)', r"\1\2", page, flags=re.S)
    assert not re.search(r"""(src|href)=["']?http|url\(\W*http|@import""", shell)
    shell = re.sub(r"<main.*?</main>", "", shell, count=1, flags=re.S)  # its commands name URLs
    assert re.findall(r"https?://[^\s'\"]+", shell) == ["http://www.w3.org/2000/svg"]
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', shell)[1]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    for tag, source in (("style", "style-src"), ('script type="module"', "script-src")):
        text = re.search(rf"<{tag}>(.*?)</{tag.split()[0]}>", shell, re.S)[1]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{source} 'sha256-{digest}'" in policy
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", shell)


def test_content_is_exported_only_with_the_option(capture, tmp_path):
    bare = saved(capture, tmp_path, "bare.html", "--exhibits", "0").read_text()
    assert document_of(bare)["exhibits"] is None and "harbour" not in bare.split('id="document"')[0]
    document = json.loads(plumbline("analyze", capture, "--json").stdout)
    assert "exhibits" in document and document["exhibits"] is None
    said = json.loads(plumbline("analyze", capture, "--json", "--exhibits", "3").stdout)["exhibits"]
    assert len(said["items"]) == 3 and said["worst"] == 2 and said["random"] == said["lot"] == 1 and said["left_out"] == len(ANSWERS) - 3
    assert plumbline("analyze", capture, "--exhibits", "some").returncode == 2


def test_exhibits_are_sorted_and_show_the_whole_pair(capture, tmp_path):
    document = json.loads(saved(capture, tmp_path, "report.json").read_text())
    items = document["exhibits"]["items"]
    worst = [e for e in items if e["by"] == "worst"]
    order = {"none": 0, "minor": 1, "moderate": 2, "severe": 3}
    ranks = [order[e["meaning"]["severity"]] for e in worst]
    assert ranks == sorted(ranks, reverse=True) and all(e["differ"] for e in worst)
    assert [e["prompt"][-1]["text"] for e in items if not e["differ"]] == ["What is alike?"]
    ships = next(e for e in items if "ships" in e["prompt"][-1]["text"])
    assert ships["meaning"]["class"] == "answer_changed" and (ships["meaning"]["base_value"], ships["meaning"]["test_value"]) == ("There are 12 ships in the harbour", "There are 15 ships in the harbour")
    assert ships["first_difference"]["token"] == 2 and ships["base"]["pieces"]["unit"] == "token"
    assert ships["base"]["pieces"]["top"][0][:4] == ["There", -0.5, "<b>", -1.25] and "\\xff\\xfe" in ships["base"]["pieces"]["top"][0]
    assert ships["alignment"][0] == [0, 0, 2, 2, True]
    which = next(e for e in items if e["prompt"][-1]["text"] == "Which bytes?")
    assert which["base"]["pieces"]["texts"][2:] == [r" b'\xe2\x82", r"\xac'."]
    assert (which["base"]["pieces"]["escaped"], which["test"]["pieces"]["escaped"]) == ([2, 3], [])
    for exhibit in items:
        spans = [exhibit[side]["pieces"]["texts"] for side in ("base", "test")]
        a = b = 0
        for first_a, first_b, n_a, n_b, equal in exhibit["alignment"]:
            assert (first_a, first_b) == (a, b) and (not equal or spans[0][a:a + n_a] == spans[1][b:b + n_b])
            a, b = a + n_a, b + n_b
        assert (a, b) == tuple(map(len, spans))
    long = next(e for e in items if e["prompt"][-1]["text"] == "Tell all.")
    pieces = long["test"]["pieces"]
    assert pieces["from"] + len(pieces["texts"]) < pieces["of"] or pieces["from"] > 0
    assert pieces["from"] <= long["first_difference"]["token"] < pieces["from"] + len(pieces["texts"])


def test_an_exhibit_has_the_number_of_the_tests_repeat(start, tmp_path):
    (tmp_path / "p.jsonl").write_text(json.dumps(chat("Why?", max_tokens=16)) + "\n")
    engines = (f"{name}={start.engine(*flags).url}" for name, *flags in (("a",), ("b", "--quantise", "0.4")))
    plumbline("diff", tmp_path / "p.jsonl", *engines, "--capture", tmp_path / "capture", "--repeats", "2", "--model", "simulated")
    document = json.loads(saved(tmp_path / "capture", tmp_path, "report.json").read_text())
    exhibits = [e for e in document["exhibits"]["items"] if e["base"]["backend"] != e["test"]["backend"]]
    assert sorted(e["repeat"] for e in exhibits) == [1, 2]


def test_a_cause_names_the_pairs_that_it_counts(tmp_path):
    """The report has room for all pairs of the recorded capture."""
    document = json.loads(saved(HERE.parents[1] / "configs/demo/capture", tmp_path, "report.json").read_text())
    group = document["groups"][0]
    causes = group["causes"]
    assert [cause["key"] for cause in causes] == ["repetition_penalty", "tie", "unlike_parameters"]
    for cause in causes:
        shown = [e for e in document["exhibits"]["items"] if cause["key"] in e["causes"]]
        explained = cause["explained"]
        assert explained["of_greedy"] == any(e["decoding"] == "greedy" for e in shown)
        assert explained["n"] == len([e for e in shown if e["decoding"] == "greedy" or not explained["of_greedy"]])
        assert not explained["of_greedy"] or explained["of"] == group["by_decoding"]["greedy"]["differ"]["count"]
        assert set(cause["exchanges"]) <= {e["exchange"] for e in shown} and len(cause["exchanges"]) == min(8, len(shown))
        assert cause["key"] != "tie" or {e["first_difference"]["verdict"] for e in shown} == {"tie"}


def test_a_saved_analysis_gives_the_same_page(capture, tmp_path):
    whole = saved(capture, tmp_path).read_text()
    again = tmp_path / "again.html"
    plumbline("report", saved(capture, tmp_path, "saved.json"), "--out", again, check=1)
    is_equal = again.read_text() == whole  # pytest would take minutes to show how two pages differ
    assert is_equal


def test_the_number_of_threads_changes_no_byte(capture, tmp_path):
    alone = saved(capture, tmp_path, "a.json").read_bytes()
    assert alone == saved(capture, tmp_path, "b.json", "--jobs", "3").read_bytes()


def in_browser(program, *args):
    """Run a program of page/, check that each step succeeded, and return the names of the steps."""
    if os.environ.get("PLUMBLINE_SANITIZER"):
        pytest.skip("the browser is not under test")
    if not CHROMIUM or not shutil.which("node") or not (TOOLS / "node_modules/axe-core").is_dir():
        pytest.skip("chromium, node, playwright-core or axe-core is not installed")
    for module in (HERE / "page").glob("*.mjs"):
        shutil.copy(module, TOOLS)     # imports are looked up beside the file
    done = subprocess.run(["node", TOOLS / program, *args], capture_output=True, timeout=PATIENCE * 10)
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    results = json.loads(done.stdout)
    assert {name: wrong for name, wrong in results.items() if wrong} == {}
    return list(results)


@pytest.mark.slow
def test_a_browser_can_use_every_part_of_the_page(capture, tmp_path):
    document = json.loads(saved(capture, tmp_path, "report.json").read_text())
    for exhibit in document["exhibits"]["items"]:
        exhibit["redactions"], exhibit["test"]["redactions"] = 2, 1
    del document["exhibits"]["items"][-1]["category"]   # as of another program
    (tmp_path / "redacted.json").write_text(json.dumps(document))
    page = tmp_path / "report.html"
    plumbline("report", tmp_path / "redacted.json", "--out", page, check=1)
    assert len(in_browser("clicks.mjs", page, CHROMIUM)) >= 20


RECIPES = {
    "compare": ("full={0}", "penalty={3}", "--limit", "16"),
    "sweep": ("full={0}", "q8={1}", "q4={2}", "--limit", "16"),
    "diff": ("full={0}", "penalty={3}", "q4={2}", "--limit", "16"),
    "stress": ("--to", "engine={1}", "--limit", "8", "--concurrency", "1,2,4"),
    "determinism": ("engine={1}", "--limit", "8", "--runs", "4", "--concurrency", "1,4"),
}


@pytest.mark.long
@pytest.mark.slow
def test_the_pages_of_recipes_show_their_result(start, tmp_path):
    noise = ["--noise", "0.05", "--fresh-noise"]
    engines = [start.engine(*flags) for flags in ([], [*noise, "--quantise", "0.05"], [*noise, "--quantise", "0.4"], ["--repeat-penalty", "1.1"])]
    for verb, words in RECIPES.items():
        args = [word.format(*(engine.url for engine in engines)) for word in words]
        plumbline(verb, *args, REASONING, "--max-tokens", "48", "--capture", start.directory / verb, "--out", tmp_path / f"{verb}.html")
    assert len(in_browser("looks.mjs", CHROMIUM, *(tmp_path / f"{verb}.html" for verb in RECIPES))) == 9 * len(RECIPES)


def test_exhibits_over_the_limit_are_counted(start, tmp_path):
    """Twelve pairs of maximum length, with ten escaped alternatives per token, exceed the limit."""
    def script(side):
        def answer(raw, seen):
            if seen.method != "POST":
                return respond(raw, {"data": [{"id": "m"}]})
            asked = json.loads(seen.body)
            i = int(asked["messages"][-1]["content"].split()[1])
            words = [f" {'<' * 8}{side if k > 900 else ''}{(i * k) % 1000}" for k in range(1000)]
            entries = [{"token": w, "bytes": list(w.encode()), "logprob": -0.25,
                        "top_logprobs": [{"token": f"{w}{'<' * 8}{t}", "bytes": None, "logprob": -1.0 - t} for t in range(10)]} for w in words]
            message = {"role": "assistant", "content": "".join(words)}
            return respond(raw, {"choices": [{"index": 0, "message": message, "finish_reason": "stop",
                                              "logprobs": {"content": entries} if asked.get("logprobs") else None}]})
        return answer
    trusted, prod = start.scripted(script("a")), start.scripted(script("b"))
    proxy = start.proxy(prod.url, reference=trusted.url)
    for i in range(12):
        assert post(proxy.port, CHAT, chat(f"Number {i}", temperature=0))[0] == 200
    proxy.settled(12, "reference")
    page = saved(proxy.capture, tmp_path, "report.html", "--exhibits", "1000")
    exhibits = document_of(page.read_text())["exhibits"]
    assert 8_000_000 < page.stat().st_size < 15_000_000
    assert exhibits["left_out"] == 12 - len(exhibits["items"]) > 0 and exhibits["worst"] + exhibits["random"] == len(exhibits["items"]) > 3
