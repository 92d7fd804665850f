"""The engines of the lab: how each is started, asked whether it is ready, and what it calls the model.

All serve the same weights, at a precision of the ladder; those that cannot read GGUF get its numbers in float32.
"""
import json
import os
import subprocess

from places import HERE, PRECISIONS, LabError, Unknown
from services import call

QUIET = {"HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1", "TOKENIZERS_PARALLELISM": "false",
         # Threads sleep at a barrier: where they spin, engines side by side take each other's processors.
         "OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0"}


class Engine:
    name = version = ""
    health = "/health"
    limit = 240       # seconds to become ready in
    venv = None       # the Python environment it lives in
    form = "hf"       # of the weights that it reads: hf or gguf
    record_flags = ("--chat", "--completions", "--cut", "--routes")

    def service_name(self, precision):
        return self.name if precision == PRECISIONS[0] else f"{self.name}-{precision}"

    def steps(self, precision=PRECISIONS[0]):
        """Names of the installation steps without which it does not start at this precision."""
        found = [f"env-{self.venv}"] if self.venv else []
        found += ["env-llama", f"gguf-{precision}"]
        if self.form == "hf":
            found += ["env-vllm", f"hf-{precision}"]
        return found

    def weights(self, places, precision):
        return (places.gguf if self.form == "gguf" else places.hf)(precision)

    def model(self, precision):
        """What a request has to name."""
        return "g"

    def launch(self, places, precision, port):
        """(command, environment, working directory)"""
        environment = {**QUIET, **self.environment(places, port)}
        if self.venv:
            environment["PATH"] = f"{places.venv(self.venv) / 'bin'}:{os.environ.get('PATH', '')}"
        return self.command(places, self.weights(places, precision).name, port), environment, places.weights

    def environment(self, places, port):
        return {}

    def command(self, places, weights, port):
        raise NotImplementedError

    def prepare(self, places, service):
        """Called once it listens, before its first request."""


class LlamaCppPython(Engine):
    name, version, venv, form = "llama-cpp-python", "0.3.36", "llama", "gguf"
    health = "/v1/models"

    def model(self, precision):
        return "gemma.gguf" if precision == PRECISIONS[0] else f"gemma-{precision}.gguf"

    def command(self, places, weights, port):
        return [places.python(self.venv), "-m", "llama_cpp.server", "--model", weights, "--host", "127.0.0.1",
                "--port", port, "--n_ctx", 4096, "--logits_all", "true", "--chat_format", "gemma"]


class Ollama(Engine):
    name, version, form = "ollama", "0.17.4", "gguf"
    health = "/api/version"

    def steps(self, precision=PRECISIONS[0]):
        return ["ollama", *super().steps(precision)]

    def model(self, precision):
        return "g" if precision == PRECISIONS[0] else f"g-{precision}"

    def environment(self, places, port):
        # A relative path, since /api/show tells it: answers recorded here must not depend on where the lab lies.
        models = os.path.relpath(places.ollama_models, places.weights)
        return {"OLLAMA_HOST": f"127.0.0.1:{port}", "OLLAMA_MODELS": models, "OLLAMA_NOPRUNE": "1", "OLLAMA_KEEP_ALIVE": "-1"}

    def command(self, places, weights, port):
        return [places.ollama, "serve"]

    def prepare(self, places, service):
        """The model is registered in the lab's own store, once."""
        status, body = call(service.port, "GET", "/api/tags")
        names = [m["name"] for m in json.loads(body).get("models") or []]
        if f"{service.model}:latest" in names:
            return
        recipe = places.run / f"{service.model}.Modelfile"
        recipe.write_text(f"FROM {places.gguf(service.precision)}\n")
        done = subprocess.run([places.ollama, "create", service.model, "-f", recipe], capture_output=True, text=True,
                              env={**os.environ, **self.environment(places, service.port)})
        if done.returncode:
            raise LabError(f"ollama create {service.model}: {done.stderr.strip()[-500:]}")


class Vllm(Engine):
    name, version, venv, limit = "vllm", "0.32.0", "vllm", 600

    def environment(self, places, port):
        return {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1"}

    def command(self, places, weights, port):
        return [places.venv(self.venv) / "bin" / "vllm", "serve", weights, "--served-model-name", "g", "--max-model-len", 2048,
                "--dtype", "float32", "--chat-template", HERE / "gemma.jinja", "--reasoning-parser", "granite",
                "--enable-auto-tool-choice", "--tool-call-parser", "hermes", "--host", "127.0.0.1", "--port", port]


class Transformers(Engine):
    name, version, venv = "transformers", "5.19.0", "vllm"

    def model(self, precision):
        return "gemma-hf" if precision == PRECISIONS[0] else f"gemma-{precision}-hf"

    def command(self, places, weights, port):
        return [places.venv(self.venv) / "bin" / "transformers", "serve", weights, "--host", "127.0.0.1", "--port", port,
                "--dtype", "float32", "--device", "cpu"]


class MlxLm(Engine):
    name, version, venv = "mlx-lm", "0.32.2", "mlx"
    model = Transformers.model

    def command(self, places, weights, port):
        return [places.python(self.venv), "-m", "mlx_lm", "server", "--model", weights, "--host", "127.0.0.1", "--port", port]


class Scorer(Engine):
    name, version, venv = "scorer", "1", "vllm"

    def command(self, places, weights, port):
        return [places.python(self.venv), HERE / "scorer", weights, "--model-name", "g", "--port", port,
                "--chat-template", HERE / "gemma.jinja"]


ENGINES = {engine.name: engine for engine in (LlamaCppPython(), Ollama(), Vllm(), Transformers(), MlxLm(), Scorer())}
REAL = [name for name in ENGINES if name != "scorer"]


def engine_of(name):
    if name not in ENGINES:
        raise Unknown(f"there is no engine {name!r}; the lab knows {', '.join(ENGINES)}")
    return ENGINES[name]
