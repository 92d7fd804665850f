"""plumbline repro: a script that reproduces one exchange."""
import json
import os
import subprocess

from harness import PATIENCE, chat, completion, exported, plumbline, post, respond

CHAT = "/v1/chat/completions"


def run(script, **env):
    done = subprocess.run(["sh", script], capture_output=True, timeout=PATIENCE, env={**os.environ, **env})
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def texts(output):
    """Return the texts of the script's output, from bodies and streams, in order."""
    found = []
    for line in output.splitlines():
        if line.startswith("{"):
            choice = json.loads(line)["choices"][0]
            found.append(choice["message"]["content"] if "message" in choice else choice["text"])
        elif line.startswith("data: {"):
            said = json.loads(line[6:])
            if said["choices"] and said["choices"][0].get("delta", {}).get("role"):
                found.append("")
            for choice in said["choices"]:
                found[-1] += choice["delta"].get("content") or ""
    return found


def test_the_script_reproduces_the_recorded_answers(start, tmp_path):
    primary, reference = start.engine("--seed", "7", "--repeat-penalty", "1.3"), start.engine("--seed", "7")
    proxy = start.proxy(primary.url, reference=reference.url)
    bodies = [(CHAT, chat("It's $HOME, `date` and \"more\"\n\n'quoted'?", max_tokens=40)), (CHAT, chat("Stream it.", max_tokens=40, stream=True)),
              (CHAT, chat("Zwölf 日本 👩‍👩‍👧?", max_tokens=40)), ("/v1/completions", completion("The old house", max_tokens=40))]
    for target, body in bodies:
        assert post(proxy.port, target, body)[0] == 200
    proxy.settled(len(bodies), "reference")
    for exchange in exported(proxy.capture):
        script = tmp_path / f"{exchange['id']}.sh"
        plumbline("repro", proxy.capture, exchange["id"], "--out", script, check=0)
        assert script.stat().st_mode & 0o777 == 0o700, "it contains content"
        recorded = [leg["reading"]["choices"][0]["text"] for leg in exchange["legs"]]
        assert texts(run(script)) == recorded and recorded[0] != recorded[1]
        assert plumbline("repro", proxy.capture, exchange["id"], check=0).stdout == script.read_bytes()


def test_the_script_reads_keys_from_the_environment(start, tmp_path):
    def script(raw, seen):
        opened = "open" if seen.low.get("authorization") == "Bearer sesame" else "shut"
        return respond(raw, {"choices": [{"index": 0, "message": {"content": opened}, "finish_reason": "stop"}]})
    engine = start.scripted(script)
    proxy = start.proxy(None, config=f"primary: {{name: our-prod, url: '{engine.url}'}}\n")
    assert post(proxy.port, CHAT, chat("Hello."), [("Authorization", "Bearer of-the-client")])[0] == 200
    proxy.settled(1)
    exchange = exported(proxy.capture)[0]["id"]
    path = tmp_path / "repro.sh"
    plumbline("repro", proxy.capture, exchange[:13], "--out", path, check=0)
    assert "of-the-client" not in path.read_text() and "$OUR_PROD_API_KEY" in path.read_text()
    assert texts(run(path)) == ["shut"]
    assert texts(run(path, OUR_PROD_API_KEY="sesame")) == ["open"]


def test_an_unreproducible_exchange_is_refused(start, tmp_path):
    engine = start.engine("--seed", "7")
    proxy = start.proxy(engine.url)
    assert post(proxy.port, CHAT, chat("Hello.", max_tokens=3))[0] == 200
    proxy.settled(1)
    exchange = exported(proxy.capture)[0]["id"]
    assert plumbline("repro", "--help", check=0).stdout.startswith(b"usage: plumbline repro")
    for args, code, said in [
        ((proxy.capture,), 2, b"give the directory of a capture"), ((proxy.capture, "no-id"), 2, b"no-id is neither a directory nor an id"), ((proxy.capture, "ffffffff"), 4, b"no exchange has an id"),
        ((tmp_path / "absent", exchange), 2, b"absent"), ((proxy.capture, exchange, "--out", "/absent/x"), 2, b"/absent/x"),
        ((proxy.capture, exchange, "--outt", "x"), 2, b"--out"),
    ]:
        done = plumbline("repro", *args)
        assert (done.returncode, said in done.stderr) == (code, True), (args, done)
