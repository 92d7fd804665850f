"""The engines of the lab: how to start each one, how to check that it is ready, and its name for the model.

All serve the same weights, a model at a precision. Engines that cannot read GGUF get the same numbers in float32.
"""
import json
import os
import subprocess

from models import Weights
from places import HERE, LabError, Unknown
from services import call

QUIET = {"HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1", "TOKENIZERS_PARALLELISM": "false",
         # Threads sleep at a barrier. If they spun, concurrent engines would slow each other down.
         "OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0"}


class Engine:
    name = version = ""
    health = "/health"
    limit = 240       # seconds until it must be ready
    venv = None       # its Python environment
    form = "hf"       # the format of its weights: hf or gguf
    record_flags = ("--chat", "--completions", "--cut", "--routes")

    def service_name(self, weights):
        return self.name + weights.label

    def steps(self, weights=Weights()):
        """Return the names of the installation steps that it needs to serve these weights."""
        found = [f"env-{self.venv}"] if self.venv else []
        found += ["env-llama", f"gguf-{Weights(weights.model).stem}", f"gguf-{weights.stem}"]
        if self.form == "hf":
            found += ["env-vllm", f"hf-{weights.stem}"]
        return list(dict.fromkeys(found))

    def model(self, weights):
        """Return the name of the model in requests."""
        return weights.model.served

    def launch(self, places, weights, port):
        """Return (command, environment, working directory)."""
        environment = {**QUIET, **self.environment(places, port)}
        if self.venv:
            environment["PATH"] = f"{places.venv(self.venv) / 'bin'}:{os.environ.get('PATH', '')}"
        return self.command(places, weights, port), environment, places.weights

    def environment(self, places, port):
        return {}

    def command(self, places, weights, port):
        raise NotImplementedError

    def prepare(self, places, weights, service):
        """Prepare the engine, after it listens and before its first request."""


def template_of(weights):
    """Return the arguments for the chat template, if the model's own files have none."""
    template = weights.model.template_file()
    return ["--chat-template", template] if template else []


class LlamaCppPython(Engine):
    name, version, venv, form = "llama-cpp-python", "0.3.36", "llama", "gguf"
    health = "/v1/models"

    def model(self, weights):
        return weights.gguf

    def command(self, places, weights, port):
        return [places.python(self.venv), "-m", "llama_cpp.server", "--model", weights.gguf, "--host", "127.0.0.1",
                "--port", port, "--n_ctx", 4096, "--logits_all", "true", *weights.model.llama]


class Ollama(Engine):
    name, version, form = "ollama", "0.17.4", "gguf"
    health = "/api/version"
    parameters = None   # a file with more of the Modelfile

    def steps(self, weights=Weights()):
        return ["ollama", *super().steps(weights)]

    def model(self, weights):
        return weights.served

    def environment(self, places, port):
        # A relative path, because /api/show contains it and recorded answers must not depend on the lab's directory.
        models = os.path.relpath(places.ollama_models, places.weights)
        return {"OLLAMA_HOST": f"127.0.0.1:{port}", "OLLAMA_MODELS": models, "OLLAMA_NOPRUNE": "1", "OLLAMA_KEEP_ALIVE": "-1"}

    def command(self, places, weights, port):
        return [places.ollama, "serve"]

    def prepare(self, places, weights, service):
        """Register the model in the lab's own store, unless it is there."""
        status, body = call(service.port, "GET", "/api/tags")
        names = [m["name"] for m in json.loads(body).get("models") or []]
        if f"{service.model}:latest" in names:
            return
        recipe = places.run / f"{service.model}.Modelfile"
        parts = filter(None, (weights.model.modelfile, self.parameters))
        recipe.write_text(f"FROM {places.gguf(weights)}\n" + "\n".join((HERE / part).read_text() for part in parts))
        done = subprocess.run([places.ollama, "create", service.model, "-f", recipe], capture_output=True, text=True,
                              env={**os.environ, **self.environment(places, service.port)})
        if done.returncode:
            raise LabError(f"ollama create {service.model}: {done.stderr.strip()[-500:]}")


class OllamaUnasked(Ollama):
    """Ollama whose Modelfile sets the sampling. OpenAI routes use only its top-k, native routes also the temperature."""
    name, parameters = "ollama-unasked", "unasked/parameters.modelfile"

    def model(self, weights):
        return f"{weights.served}-unasked"


class Vllm(Engine):
    name, version, venv, limit = "vllm", "0.32.0", "vllm", 1200    # it compiles for ten minutes on two busy processors

    def environment(self, places, port):
        return {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1"}

    def command(self, places, weights, port):
        return [places.venv(self.venv) / "bin" / "vllm", "serve", weights.hf, "--served-model-name", weights.model.served,
                "--max-model-len", 2048, "--dtype", "float32", *template_of(weights), *weights.model.vllm,
                "--enable-auto-tool-choice", "--tool-call-parser", "hermes", "--host", "127.0.0.1", "--port", port]


class VllmUnasked(Vllm):
    """vLLM with a generation_config.json that sets the sampling."""
    name = "vllm-unasked"

    def command(self, places, weights, port):
        return [*super().command(places, weights, port), "--generation-config", HERE / "unasked"]


class Transformers(Engine):
    name, version, venv = "transformers", "5.19.0", "vllm"

    def model(self, weights):
        return weights.hf

    def command(self, places, weights, port):
        return [places.venv(self.venv) / "bin" / "transformers", "serve", weights.hf, "--host", "127.0.0.1", "--port", port,
                "--dtype", "float32", "--device", "cpu"]


class MlxLm(Engine):
    name, version, venv = "mlx-lm", "0.32.2", "mlx"
    model = Transformers.model

    def command(self, places, weights, port):
        return [places.python(self.venv), "-m", "mlx_lm", "server", "--model", weights.hf, "--host", "127.0.0.1", "--port", port]


class Scorer(Engine):
    name, version, venv = "scorer", "1", "vllm"

    def command(self, places, weights, port):
        return [places.python(self.venv), HERE / "scorer", weights.hf, "--model-name", weights.model.served, "--port", port,
                *template_of(weights)]


ENGINES = {engine.name: engine for engine in
           (LlamaCppPython(), Ollama(), Vllm(), Transformers(), MlxLm(), Scorer(), VllmUnasked(), OllamaUnasked())}
REAL = ["llama-cpp-python", "ollama", "vllm", "transformers", "mlx-lm"]


def engine_of(name):
    if name not in ENGINES:
        raise Unknown(f"there is no engine {name!r}; the lab knows {', '.join(ENGINES)}")
    return ENGINES[name]
