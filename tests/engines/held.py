"""Engines that the lab starts for a test, and stops unless another holds them too."""
import pathlib
import subprocess
import sys

import pytest

LAB = pathlib.Path(__file__).resolve().parent / "lab"


class Engine:
    """One that the lab holds for who asks; the test is skipped where it does not start."""

    def __init__(self, hold, name, precision=None, port=None):
        self.hold, self.name, self.precision = hold, name, precision
        more = (["--precision", precision] if precision else []) + (["--port", str(port)] if port else [])
        done = subprocess.run([sys.executable, LAB, "start", name, "--hold", hold, *more], capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"{name} does not start: {done.stdout}{done.stderr}")
        self.url, self.model = done.stdout.split()[-2:]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        more = ["--precision", self.precision] if self.precision else []
        subprocess.run([sys.executable, LAB, "stop", self.name, "--hold", self.hold, *more], capture_output=True)

    def target(self, label=None):
        return f"{label or self.name}={self.url},model={self.model}"
