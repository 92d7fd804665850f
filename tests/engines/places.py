"""The paths in the lab's directory, and locks for them."""
import contextlib
import fcntl
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PRECISIONS = ("q4_k_m", "f16", "q8_0", "q3_k_s", "q2_k")


class LabError(Exception):
    """An error with a sentence for the user."""
    status = 3


class Unknown(LabError):
    """A wrong name on the command line."""
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

    def gguf(self, weights):
        return self.weights / weights.gguf

    def hf(self, weights):
        return self.weights / weights.hf

    @contextlib.contextmanager
    def locked(self, name, say):
        """Hold the lock of that name. If another process has it, print which one, and wait."""
        with open(self.run / f"{name}.lock", "a+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.seek(0)
                say(f"{name}: waiting for {lock.read().strip() or 'another process'}")
                fcntl.flock(lock, fcntl.LOCK_EX)
            lock.truncate(0)
            lock.write(f"pid {os.getpid()} ({' '.join(sys.argv)})")
            lock.flush()
            try:
                yield
            finally:
                lock.truncate(0)
