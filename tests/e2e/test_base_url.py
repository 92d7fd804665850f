"""An engine's URL may end in /v1, as SDKs write it, wherever plumbline takes one. Impossible URLs are refused."""
import json
import re
import urllib.request

import pytest

from harness import PATIENCE, Raw, chat, exported, get, plumbline, post, request, respond

BASE = "/openai"


def gateway(start, *flags):
    """The simulated engine below a base path. Other paths, and /v1/v1, get no answer."""
    engine = start.engine("--seed", "7", *flags)

    def script(raw, seen):
        if not seen.target.startswith(BASE + "/") or "/v1/v1" in seen.target:
            return respond(raw, {"error": {"message": f"nothing at {seen.target}"}}, "404 Not Found")
        passed = [(n, v) for n, v in seen.fields if n.lower() not in ("host", "content-length", "transfer-encoding", "connection")]
        with Raw(engine.port) as to:
            to.send(request(seen.method, seen.target[len(BASE):], seen.body, passed))
            status, fields, body = to.answer()
        low = {n.lower(): v for n, v in fields}
        respond(raw, body, f"{status} As It Says", content_type=low.get("content-type", "text/plain"))
    return start.scripted(script)


def targets(engine):
    return [seen.target for seen in engine.seen]


def are_right(engine):
    return all(target.startswith(BASE + "/") and "/v1/v1" not in target for target in targets(engine))


@pytest.mark.parametrize("end", ["/v1", "/v1/", "//v1//"])
def test_the_proxy_prepends_the_base_path(start, end):
    primary, reference, candidate = gateway(start), gateway(start), gateway(start)
    proxy = start.proxy(f"{primary.url}{BASE}{end}", "--candidate", f"{candidate.url}{BASE}{end}",
                        config=f"references: [{{url: '{reference.url}{BASE}{end}'}}]\n")
    for target in ("/v1/chat/completions", "/v1/chat/completions?user=a%20b"):
        assert post(proxy.port, target, chat())[0] == 200
    assert get(proxy.port, "/v1/models")[0] == 200
    get(proxy.port, "/health?x=1")
    proxy.settled(2, book="reference")
    proxy.settled(2, book="candidate")
    assert targets(primary) == [BASE + "/v1/chat/completions", BASE + "/v1/chat/completions?user=a%20b", BASE + "/v1/models", BASE + "/health?x=1"]
    assert sorted(targets(reference)) == sorted(targets(candidate)) == targets(primary)[:2]    # copies may overtake each other
    for name, engine in (("primary", primary), ("reference", reference), ("candidate", candidate)):
        assert proxy.log().count(f"{name}: {engine.url}{BASE}/v1: plumbline uses {engine.url}{BASE}, because the paths of requests begin with /v1") == 1
    legs = {leg["backend"]: leg["url"] for row in exported(proxy.capture) for leg in row["legs"]}
    assert legs == {"primary": primary.url + BASE, "reference": reference.url + BASE, "candidate": candidate.url + BASE}


def test_a_request_as_curl_sends_it_is_answered(start):
    proxy = start.proxy(start.engine("--seed", "7").url + "/v1/")
    asked = urllib.request.Request(proxy.url + "/v1/chat/completions", json.dumps(chat()).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
        assert json.load(answer)["choices"]


@pytest.fixture
def suite(start):
    path = start.directory / "s.jsonl"
    path.write_text("".join(json.dumps({"custom_id": f"s/{i}", "method": "POST", "url": "/v1/chat/completions", "body": chat(f"Say {i}.")}) + "\n" for i in range(3)))
    return path


def told(done, engine):
    return done.stderr.decode().count(f"{engine.url}{BASE}/v1: plumbline uses {engine.url}{BASE}, because the paths of requests begin with /v1")


RECIPES = {
    "compare": lambda a, b: ["compare", f"a={a}", f"b={b}"],
    "diff": lambda a, b: ["diff", f"a={a}", f"b={b}"],
    "sweep": lambda a, b: ["sweep", f"a={a}", f"b={b}"],
    "determinism": lambda a, b: ["determinism", f"a={a},model=simulated"],
    "stress": lambda a, b: ["stress", f"a={a}"],
    "ablate": lambda a, b: ["ablate", a, "--concurrency", "1,2"],
    "base-url": lambda a, b: ["determinism", "--base-url", a, "--model", "simulated"],
}


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_accept_a_v1_url(start, suite, name):
    a, b = gateway(start), gateway(start)
    words = RECIPES[name](f"{a.url}{BASE}/v1", f"{b.url}{BASE}/v1/")
    done = plumbline(*words, suite, "--capture", start.directory / "c", "--any-model", patience=60)
    assert done.returncode in (0, 1, 4), done.stderr
    assert told(done, a) == 1 and told(done, b) == (1 if len(b.seen) else 0)
    for engine in (a, b):
        assert are_right(engine), targets(engine)
    assert BASE + "/v1/chat/completions" in targets(a)
    rows = exported(start.directory / "c")
    statuses = {leg["status"] for row in rows for leg in row["legs"]}
    assert 200 in statuses and 404 not in statuses


def recorded(start, *flags):
    """Record one prompt and one answer by a proxy in front of the gateway."""
    engine = gateway(start, *flags)
    proxy = start.proxy(f"{engine.url}{BASE}/v1", capture=start.directory / "c")
    post(proxy.port, "/v1/chat/completions", chat())
    post(proxy.port, "/v1/chat/completions", chat())
    proxy.settled(2)
    proxy.stop()
    return engine, proxy.capture


def test_verbs_accept_a_v1_url(start):
    engine, capture = recorded(start)
    url = f"{engine.url}{BASE}/v1/"
    item = exported(capture)[0]["id"]
    verbs = [
        ["probe", url],
        ["probe", url, "--deep", "--timeout", "20s"],
        ["manifest", url],
        ["replay", capture, "--to", url, "--capture", start.directory / "r"],
        ["replay", capture, "--to", url, "--force-tokens"],
        ["score", capture, "--backend", "other", "--url", url],
        ["judge", capture, "--url", url, "--model", "simulated", "--check", "1"],
        ["repro", capture, item, "--neighbours", "30s", "--to", url, "--times", "1", "--shows", "error"],
    ]
    for words in verbs:
        del engine.seen[:]
        done = plumbline(*words, patience=60)
        assert done.returncode in (0, 1, 4), (words, done.stdout, done.stderr)
        assert told(done, engine) == 1, (words, done.stderr)
        assert engine.seen and are_right(engine), (words, targets(engine))


def test_config_backends_accept_a_v1_url(start):
    engine, capture = recorded(start)
    config = start.directory / "p.yaml"
    config.write_text(f"primary: http://127.0.0.1:1/v1\nreferences: [{{name: ref, url: '{engine.url}{BASE}/v1'}}]\n")
    for words in (["replay", capture, "--to", "ref", "-c", config, "--capture", start.directory / "r"], ["score", capture, "--backend", "ref", "-c", config]):
        done = plumbline(*words, patience=60)
        assert done.returncode in (0, 4) and told(done, engine) == 1 and are_right(engine), (words, done.stdout, done.stderr)
        assert not re.search(rb"127\.0\.0\.1:1\b", done.stderr)
    said = plumbline("proxy", "-c", config, "--check-config", check=0)
    assert json.loads(said.stdout)["primary"]["url"] == "http://127.0.0.1:1" and told(said, engine) == 1


WRONG = {
    "http://h/v1/chat/completions": "is the address of one endpoint; give that of the engine, http://h",
    "http://h/openai/v1/completions/": "is the address of one endpoint; give that of the engine, http://h/openai",
    "http://user:hush@h/v1": "must not have a user name or password",
    "http://h/v1?key=hush": "must not hold a query or a fragment",
    "http://h/v1#part": "must not hold a query or a fragment",
}


@pytest.mark.parametrize("url", WRONG)
def test_every_verb_refuses_an_impossible_url(start, suite, url):
    _, capture = recorded(start)
    item = exported(capture)[0]["id"]
    config = start.directory / "p.yaml"
    config.write_text(f"primary: '{url}'\n")
    for words in (["proxy", "--primary", url], ["proxy", "--primary", "http://h", "--reference", url], ["proxy", "-c", config],
                  ["replay", capture, "--to", url], ["probe", url], ["manifest", url], ["score", capture, "--backend", "x", "--url", url],
                  ["judge", capture, "--url", url, "--model", "m"], ["repro", capture, item, "--neighbours", "30s", "--to", url],
                  ["compare", f"a={url}", "b=http://h", suite, "--capture", start.directory / "n"],
                  ["diff", url, "http://h", suite, "--capture", start.directory / "n"], ["determinism", url, suite, "--capture", start.directory / "n"]):
        done = plumbline(*words, check=2)
        assert WRONG[url].encode() in done.stderr and b"hush" not in done.stderr, (words, done.stderr)
        assert done.stderr.count(b"\n") == 1, done.stderr


def test_only_one_v1_is_removed(start):
    engine = start.scripted(lambda raw, seen: respond(raw, {}, "404 Not Found"))
    done = plumbline("probe", f"{engine.url}/v1/v1", "--json")
    assert json.loads(done.stdout)["url"] == f"{engine.url}/v1" and all(target.startswith("/v1/") for target in targets(engine))


def test_the_scheme_is_case_insensitive(start):
    engine = start.engine("--seed", "7")
    url = engine.url.replace("http", "HTTP", 1) + "/v1"
    for words in (["probe", url], ["manifest", url]):
        assert plumbline(*words).returncode == 0
    proxy = start.proxy(url)
    assert post(proxy.port, "/v1/chat/completions", chat())[0] == 200
    proxy.settled(1)
    assert plumbline("replay", proxy.capture, "--to", url, "--capture", start.directory / "r").returncode == 0
