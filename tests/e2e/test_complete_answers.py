"""Replay, traffic figures and comparison agree on which answers are complete."""
import contextlib
import http.server
import json
import threading

from harness import chat, plumbline

SSE, JSON = "text/event-stream", "application/json"


def stream(*events, done=True):
    return SSE, "".join(f"data: {json.dumps(e)}\n\n" for e in events) + "data: [DONE]\n\n" * done


def chunk(**choice):
    return {"id": "1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "four"}, **choice}]}


def message(**choice):
    return JSON, json.dumps({"id": "1", "object": "chat.completion", "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "four"}, **choice}]})


WHOLE = [
    stream(chunk(), chunk(finish_reason="stop")), stream(chunk(finish_reason="length"), done=False), message(finish_reason="eos_token"),
    message(finish_reason="content_filter"), message(),
]
FAILED = {
    'aborted by the engine: finish reason "abort"': [
        stream(chunk(finish_reason="abort")), message(finish_reason="abort"), message(finish_reason={"type": "abort", "message": "gone"})],
    'aborted by the engine: finish reason "insufficient_system_resource"': [message(finish_reason="insufficient_system_resource")],
    'unknown finish reason "tired"': [message(finish_reason="tired"), stream(chunk(), chunk(finish_reason="tired"))],
    "no finish reason": [stream(chunk()), stream(chunk(), done=False), message(finish_reason=None)],
    "an error in the answer": [stream(chunk(), {"error": {"message": "out of memory"}}), stream({"error": {"message": "busy"}}, done=False)],
    "an empty answer": [stream(), (SSE, ": ping\n\n"), (SSE, ""), (JSON, '{"id":"1","choices":[]}'), (JSON, "")],
    "malformed JSON": [(JSON, '{"choices":[{"index":0,"message":{"content":"fo'), (JSON, "<html>busy</html>")],
}


@contextlib.contextmanager
def engine(bodies):
    """An engine that answers request n with bodies[n]."""
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def say(self, kind, body):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def do_GET(self):
            self.say(JSON, '{"object":"list","data":[{"id":"simulated","object":"model"}]}')

        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.say(*bodies[int(asked["messages"][-1]["content"].split()[-1])])

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def replay(source, bodies, capture, name):
    with engine(bodies) as url:
        done = plumbline("replay", source, "--to", url, "--capture", capture, "--name", name, "--no-logprobs",
                         "--json", check=None)
        assert done.stdout, done.stderr.decode()
        end = json.loads(done.stdout.splitlines()[-1])
        return end["completed"], {reason["why"]: reason["n"] for reason in end["failed"]}


def test_replay_traffic_and_analyze_agree_on_which_answers_failed(tmp_path):
    failed = [(why, body) for why, bodies in FAILED.items() for body in bodies]
    bodies = WHOLE + [body for _, body in failed]
    requests = tmp_path / "requests.jsonl"
    requests.write_text("".join(json.dumps(chat(f"Say {n}", stream=body[0] == SSE, temperature=0)) + "\n" for n, body in enumerate(bodies)))
    counts = {why: len(bodies) for why, bodies in FAILED.items()}

    well = [stream(chunk(finish_reason="stop")) if b[0] == SSE else message(finish_reason="stop") for b in bodies]
    assert replay(requests, well, tmp_path / "capture", "good") == (len(bodies), {})
    assert replay(tmp_path / "capture", bodies, tmp_path / "capture", "odd") == (len(WHOLE), counts)

    report = json.loads(plumbline("analyze", tmp_path / "capture", "--base", "good", "--test", "odd", "--json", check=None).stdout)
    traffic = {b["backend"]: b for b in report["traffic"]["backends"]}
    assert (traffic["odd"]["complete"], traffic["odd"]["failures"]) == (len(WHOLE), counts)
    assert (traffic["good"]["complete"], traffic["good"]["failures"]) == (len(bodies), {})

    group = report["groups"][0]
    left = group["left_out"]
    assert (group["pairs"], left["pairs"], left["base_reasons"], left["test_reasons"]) == (len(bodies), len(failed), {}, counts)
    text = plumbline("analyze", tmp_path / "capture", "--base", "good", "--test", "odd", "--full", check=None).stdout.decode()
    for why, n in counts.items():
        assert f"{n} odd: {why}" in text
