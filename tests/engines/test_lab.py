"""The laboratory without its engines: arguments, stamps, services by pid and start time, holds. Takes seconds."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

import agreement
import services as services_module
from engines import ENGINES, Engine, engine_of
from installation import Installation, Step
from places import PRECISIONS, LabError, Places
from services import Service, Services, birth, free_port
from workload import exchanges

FAKE = """
import http.server, sys
class H(http.server.BaseHTTPRequestHandler):
    def answer(self):
        self.send_response(int(sys.argv[2])); self.end_headers(); self.wfile.write(b"{}")
    do_GET = answer
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"])); self.answer()
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), H).serve_forever()
"""


class Fake(Engine):
    """An engine of three lines."""
    name, limit = "fake", 15

    def __init__(self, program=FAKE, status=200):
        self.program, self.status = program, status

    def launch(self, places, precision, port):
        return [sys.executable, "-c", self.program, port, self.status], {}, places.root


@pytest.fixture
def places(tmp_path):
    return Places(tmp_path).make()


@pytest.fixture
def services(places):
    made = Services(places)
    yield made
    for service in made.all():
        made.stop(service.name, force=True)


def lab(*arguments, directory):
    done = subprocess.run([HERE / "lab", *arguments], capture_output=True, text=True, env={**os.environ, "PLUMBLINE_LAB": str(directory)})
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("verb", [[], ["install"], ["start"], ["stop"], ["status"], ["run"], ["record"], ["probe"]])
def test_every_verb_has_help_with_an_example(verb, tmp_path):
    status, out, _ = lab(*verb, "--help", directory=tmp_path)
    assert status == 0 and "example" in out and "  lab " in out


@pytest.mark.parametrize("arguments, status, told", [
    (["dance"], 2, "invalid choice"),
    (["start", "vlm"], 2, "no engine 'vlm'"),
    (["start", "vllm", "--precision", "q9"], 2, "invalid choice"),
    (["install", "vlm"], 2, "no engine 'vlm'"),
    (["stop", "vlm"], 2, "no engine 'vlm'"),
    (["run", "--plumbline", "/bin/true", "--reference", "ollama:q9"], 2, "no precision 'q9'"),
    (["run", "--plumbline", "/nowhere"], 2, "not a program"),
    (["run", "--exchanges", "0"], 2, "not a number from 1"),
    (["start", "vllm"], 3, "lab install vllm"),
    (["run", "--plumbline", "/bin/true"], 3, "lab install vllm"),
])
def test_what_cannot_be_done_is_said_in_a_sentence(arguments, status, told, tmp_path):
    ended, out, err = lab(*arguments, directory=tmp_path)
    assert ended == status and told in err and "Traceback" not in err and out == ""


def test_status_of_an_empty_lab(tmp_path):
    status, out, _ = lab("status", "--json", directory=tmp_path)
    assert status == 0 and json.loads(out) == {"directory": str(tmp_path), "installed": [], "running": []}


def test_the_directory_is_chosen_by_option_then_environment_then_home(tmp_path, monkeypatch):
    monkeypatch.setenv("PLUMBLINE_LAB", str(tmp_path / "a"))
    assert Places("b").root == pathlib.Path("b").absolute()
    assert Places().root == tmp_path / "a"
    monkeypatch.delenv("PLUMBLINE_LAB")
    assert Places().root == pathlib.Path.home() / ".cache" / "plumbline-lab"


def test_every_step_that_an_engine_needs_exists(places):
    steps = Installation(places).steps
    for engine in ENGINES.values():
        for precision in PRECISIONS:
            assert set(engine.steps(precision)) <= set(steps)
            command, environment, _ = engine.launch(places, precision, 12345)
            assert any("12345" in str(part) for part in [*command, *environment.values()])


def installation_of(places, whole, do, recipe="one"):
    made = Installation(places, say=lambda line: None)
    made.steps = {"step": Step("step", recipe, whole, do)}
    return made


def test_a_step_is_done_once_and_again_when_its_recipe_changes(places):
    done = []
    for recipe in ("one", "one", "two", "two"):
        installation_of(places, lambda: done[-1:] == [recipe], lambda: done.append(recipe), recipe).install(["step"])
    assert done == ["one", "two"]


def test_a_step_that_broke_off_is_done_again(places):
    done = []

    def break_off():
        done.append("begun")
        raise LabError("no network")

    with pytest.raises(LabError):
        installation_of(places, lambda: False, break_off).install(["step"])
    assert not (places.stamps / "step").exists()
    installation_of(places, lambda: len(done) == 2, lambda: done.append("whole")).install(["step"])
    assert done == ["begun", "whole"]


def test_what_is_found_whole_is_stamped_and_not_done(places):
    made = installation_of(places, lambda: True, lambda: pytest.fail("done again"))
    made.install(["step"])
    assert made.stamped("step") and json.loads((places.stamps / "step").read_text())["found"] is True


def test_a_step_whose_result_does_not_work_is_no_success(places):
    with pytest.raises(LabError, match="does not work"):
        installation_of(places, lambda: False, lambda: None).install(["step"])
    assert not (places.stamps / "step").exists()


def test_a_torn_stamp_counts_as_none(places):
    (places.stamps / "step").write_text("{")
    done = []
    installation_of(places, lambda: bool(done), lambda: done.append(1)).install(["step"])
    assert done == [1]


def test_weights_that_are_half_made_are_not_taken_for_whole(places):
    target = places.gguf("q2_k")
    target.with_name(target.name + ".part").write_bytes(b"half")
    assert not Installation(places).steps["gguf-q2_k"].whole()


def test_an_engine_is_started_found_and_stopped(services):
    engine = Fake()
    service = services.start(engine, "q4_k_m")
    assert service.ready and service.alive() and service.url == f"http://127.0.0.1:{service.port}"
    again = services.start(engine, "q4_k_m")
    assert (again.pid, again.port) == (service.pid, service.port)
    assert services.stop("fake") == "stopped"
    assert birth(service.pid) is None and services.all() == []
    assert services.stop("fake") == "not running"


def test_precisions_are_services_of_their_own(services):
    one, two = (services.start(Fake(), p) for p in ("q4_k_m", "f16"))
    assert (one.name, two.name) == ("fake", "fake-f16") and one.pid != two.pid


def test_a_port_can_be_chosen_but_not_changed(services):
    port = free_port()
    assert services.start(Fake(), "q4_k_m", port).port == port
    with pytest.raises(LabError, match="runs already"):
        services.start(Fake(), "q4_k_m", free_port())


def test_who_ends_while_starting_is_told_with_its_last_words(services):
    with pytest.raises(LabError, match="(?s)ended before it was ready.*no such weights"):
        services.start(Fake("import sys; sys.exit('no such weights')"), "q4_k_m")
    assert services.all() == []


def test_who_is_never_ready_is_stopped(services):
    engine = Fake("import time; time.sleep(100)")
    engine.limit = 1
    with pytest.raises(LabError, match="not ready within 1 s"):
        services.start(engine, "q4_k_m")
    assert services.all() == []


def test_who_refuses_its_first_request_is_stopped(services, monkeypatch):
    monkeypatch.setattr(services_module, "call", lambda port, method, *a, **k: (200, b"") if method == "GET" else (500, b"oh"))
    with pytest.raises(LabError, match="answers 500"):
        services.start(Fake(), "q4_k_m")
    assert services.all() == []


def test_a_pid_that_belongs_to_somebody_else_is_left_alone(services):
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"], start_new_session=True)
    try:
        services._write(Service("fake", "fake", "q4_k_m", other.pid, "another boot:1", 1, "m", os.devnull, time.time(), True))
        assert not services.find("fake").alive()
        assert services.stop("fake").startswith("had ended by itself")
        time.sleep(0.1)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_a_service_that_died_is_started_anew(services):
    first = services.start(Fake(), "q4_k_m")
    os.kill(first.pid, signal.SIGKILL)
    os.waitpid(first.pid, 0)
    assert not services.find("fake").alive()
    assert services.start(Fake(), "q4_k_m").pid != first.pid


def test_a_service_takes_its_children_along(services):
    program = "import subprocess, sys; c = subprocess.Popen(['sleep', '100']); print(c.pid, flush=True)\n" + FAKE
    service = services.start(Fake(program), "q4_k_m")
    child = int(pathlib.Path(service.log).read_text().split()[0])
    assert birth(child)
    services.stop("fake")
    assert birth(child) is None


def test_a_held_service_is_stopped_by_its_last_holder(services):
    services.start(Fake(), "q4_k_m", who="anna")
    services.start(Fake(), "q4_k_m", who="ben")
    with pytest.raises(LabError, match="held by anna, ben"):
        services.stop("fake")
    assert services.stop("fake", who="anna") == "left running for ben"
    assert services.find("fake").alive()
    assert services.stop("fake", who="ben") == "stopped"


def test_force_stops_what_is_held(services):
    services.start(Fake(), "q4_k_m", who="anna")
    assert services.stop("fake", force=True) == "stopped" and services.holders("fake") == []


def test_two_that_start_at_once_get_one_service(services):
    got = []
    threads = [threading.Thread(target=lambda: got.append(services.start(Fake(), "q4_k_m"))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({s.pid for s in got}) == 1 and len(got) == 3


def test_a_broken_record_is_named(places, services):
    (places.run / "fake.json").write_text("{}")
    with pytest.raises(LabError, match="fake.json"):
        services.find("fake")
    (places.run / "fake.json").unlink()


def test_the_workload_is_half_chat_half_streamed_and_never_repeats():
    made = list(exchanges(60, "m", 16))
    assert len({json.dumps(said, sort_keys=True) for said in made}) == 60
    assert sum(path.endswith("chat/completions") for path, _ in made) == 30
    for kind in (True, False):
        assert sum(body.get("stream", False) for path, body in made if path.endswith("chat/completions") == kind) == 15
    assert all(body["model"] == "m" and body["temperature"] == 0 and body["max_tokens"] == 16 for _, body in made)


def leg_of(text, read):
    body = json.dumps({"id": "a", "model": "m", "choices": [{"index": 0, "text": text, "finish_reason": "stop", "logprobs": {
        "tokens": [text], "token_logprobs": [-0.5], "top_logprobs": [{text: -0.5}], "text_offset": [0]}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}})
    return {"status": 200, "content_type": "application/json", "body": body, "reading": {
        "model": "m", "response_id": "a", "fingerprint": None, "error": None,
        "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3, "cached_tokens": None, "reasoning_tokens": None},
        "choices": [{"index": 0, "text": read, "reasoning": "", "refusal": "", "tool_calls": [], "finish": "stop", "columns": {
            "tokens": [read], "ids": [-1], "lp": [-0.5], "flags": [0], "top": [[[read, -1, -0.5]]]}}]}}


def test_a_right_reading_agrees_and_a_wrong_one_is_told():
    assert agreement.disagreements(leg_of("four", "four")) == []
    wrong = leg_of("four", "five")
    wrong["reading"]["choices"][0]["columns"]["lp"] = [-0.6]
    wrong["reading"]["usage"]["total_tokens"] = 4
    told = "\n".join(agreement.disagreements(wrong))
    for what in ("text", "tokens", "logprob sum", "usage"):
        assert f"{what}: read" in told


def test_bytes_that_are_no_text_are_compared_as_bytes():
    assert agreement.as_bytes({"base64": "8J8="}) == b"\xf0\x9f" and agreement.as_bytes("é") == "é".encode()
    assert agreement.as_bytes(None) == b""


def test_an_unknown_engine_is_refused_with_those_there_are():
    with pytest.raises(LabError, match="llama-cpp-python, ollama, vllm"):
        engine_of("nothing")
