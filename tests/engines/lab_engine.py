"""An engine of the lab for the time of a test. The lab stops it afterwards, unless another process uses it too."""
import pathlib
import subprocess
import sys

import pytest

from models import Weights

LAB = pathlib.Path(__file__).resolve().parent / "lab"


class Engine:
    """A running engine, held under the name `hold`. If it does not start, pytest skips the test."""

    def __init__(self, hold, name, weights=Weights(), port=None):
        self.name, self.weights = name, weights
        self.more = ["--hold", hold, "--model", weights.model.name, "--precision", weights.precision]
        done = subprocess.run([sys.executable, LAB, "start", name, *self.more, *(["--port", str(port)] if port else [])],
                              capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"{name} does not start: {done.stdout}{done.stderr}")
        self.url, self.model = done.stdout.split()[-2:]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run([sys.executable, LAB, "stop", self.name, *self.more], capture_output=True)

    def target(self, label=None):
        return f"{label or self.name}={self.url},model={self.model}"
