"""Where things lie in a lab's directory, and what the weights are called."""
import os
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PRECISIONS = ("q4_k_m", "f16", "q8_0", "q3_k_s", "q2_k")


class LabError(Exception):
    """What went wrong, in a sentence for the person who asked."""
    status = 3


class Unknown(LabError):
    """What was asked for does not exist: a mistake of the command line."""
    status = 2


class Places:
    def __init__(self, directory=None):
        given = directory or os.environ.get("PLUMBLINE_LAB") or pathlib.Path.home() / ".cache" / "plumbline-lab"
        self.root = pathlib.Path(given).expanduser().absolute()
        self.weights = self.root / "weights"
        self.stamps = self.root / "stamps"
        self.run = self.root / "run"
        self.log = self.root / "log"
        self.results = self.root / "results"
        self.ollama_models = self.root / "ollama" / "models"
        self.ollama = self.root / "bin" / "ollama"

    def make(self):
        for path in (self.weights, self.stamps, self.run, self.log, self.results, self.ollama_models, self.ollama.parent):
            path.mkdir(parents=True, exist_ok=True)
        return self

    def venv(self, name):
        return self.root / "env" / name

    def python(self, name):
        return self.venv(name) / "bin" / "python"

    def gguf(self, precision):
        return self.weights / ("gemma.gguf" if precision == "q4_k_m" else f"gemma-{precision}.gguf")

    def hf(self, precision):
        """The same numbers as gguf(precision), in float32 and in the form that Hugging Face's loaders read."""
        return self.weights / ("gemma-hf" if precision == "q4_k_m" else f"gemma-{precision}-hf")
