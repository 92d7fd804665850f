"""Running engines ("services"): starts each once, finds it again in later calls, and stops it.

A service is recorded as NAME.json in the lab's run directory, with its pid and start time: the system may give the pid
to another process later. A process that needs a service holds it by a file in NAME.hold/.
"""
import contextlib
import dataclasses
import http.client
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import time

from models import Weights
from places import LabError

STOP_LIMIT = 20


@dataclasses.dataclass
class Service:
    name: str
    engine: str
    weights: str      # the name of a model of models.py
    precision: str
    pid: int
    born: str
    port: int
    model: str
    log: str
    since: float
    ready: bool = False

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def alive(self):
        return birth(self.pid) == self.born


def birth(pid):
    """Return what distinguishes this process from others with the same pid, or None if there is no process."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    state, *fields = stat.rpartition(")")[2].split()
    if state == "Z":
        return None
    return pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip() + ":" + fields[18]


def processor_seconds(group):
    """Return the processor time of all processes of a process group, whose leader has this pid."""
    total = 0
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()
            if int(fields[2]) == group:
                total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def free_port():
    """Return a free port outside of the kernel's range for outgoing connections, so it stays free until a server uses it."""
    while True:
        port = random.randrange(10000, 32000)
        with contextlib.suppress(OSError), socket.socket() as s:
            s.bind(("127.0.0.1", port))
            return port


def call(port, method, path, body=None, limit=60):
    """Send a request to a local engine; return (status, bytes). Raises OSError or HTTPException without an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=limit)
    try:
        data = None if body is None else json.dumps(body)
        connection.request(method, path, data, {"Content-Type": "application/json"} if data else {})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


class Services:
    def __init__(self, places):
        self.places = places

    def _file(self, name):
        return self.places.run / f"{name}.json"

    def _write(self, service):
        part = self._file(service.name).with_suffix(".part")
        part.write_text(json.dumps(dataclasses.asdict(service), indent=1) + "\n")
        part.rename(self._file(service.name))

    def _forget(self, name):
        self._file(name).unlink(missing_ok=True)

    def find(self, name):
        """Return the service of that name, alive or not, or None if there is no record of it."""
        try:
            return Service(**json.loads(self._file(name).read_text()))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError):
            raise LabError(f"{self._file(name)} is not a service's record; remove it when nothing of it runs") from None

    def all(self):
        return [self.find(path.stem) for path in sorted(self.places.run.glob("*.json"))]

    def holders(self, name):
        return sorted(path.name for path in (self.places.run / f"{name}.hold").glob("*"))

    def hold(self, name, who):
        holds = self.places.run / f"{name}.hold"
        holds.mkdir(exist_ok=True)
        (holds / who).touch()

    def release(self, name, who):
        (self.places.run / f"{name}.hold" / who).unlink(missing_ok=True)

    def start(self, engine, weights=Weights(), port=None, who=None, say=lambda line: None):
        """Return the running service. Start it and wait until it is ready, unless it runs already."""
        name = engine.service_name(weights)
        with self.places.locked(name, say):
            service = self.find(name)
            if service is None or not service.alive():
                service = self._launch(engine, name, weights, port or free_port(), say)
            elif port and port != service.port:
                raise LabError(f"{name} runs already, on port {service.port}; stop it first")
            try:
                if not service.ready:
                    self._await(engine, weights, service, say)
                    service.ready = True
                    self._write(service)
            except BaseException:
                self._end(service)
                raise
            if who:
                self.hold(name, who)
        return service

    def _launch(self, engine, name, weights, port, say):
        command, environment, directory = engine.launch(self.places, weights, port)
        log = self.places.log / f"{name}.log"
        with open(log, "wb") as out:
            process = subprocess.Popen(["nice", "-n", "5", *map(str, command)], cwd=directory, stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=subprocess.STDOUT, start_new_session=True,
                                       env={**os.environ, **environment})
        service = Service(name, engine.name, weights.model.name, weights.precision, process.pid, birth(process.pid) or "gone",
                          port, engine.model(weights), str(log), time.time())
        self._write(service)
        say(f"{name}: pid {process.pid}, port {port}, log {log}")
        return service

    def _await(self, engine, weights, service, say):
        begun = time.monotonic()
        stages = [f"GET {engine.health}", "a first answer"]

        def step(stage):
            if stage == 0:
                return call(service.port, "GET", engine.health, limit=5)[0] == 200
            engine.prepare(self.places, weights, service)
            status, body = call(service.port, "POST", "/v1/completions",
                                {"model": service.model, "prompt": "One two", "max_tokens": 1}, limit=engine.limit)
            if status != 200:
                raise LabError(f"{service.name} answers {status} to a plain completion: {body[:300]!r}")
            return True

        for stage, what in enumerate(stages):
            while True:
                with contextlib.suppress(OSError, http.client.HTTPException):
                    if step(stage):
                        break
                if not service.alive():
                    raise LabError(f"{service.name} ended before it was ready:\n{tail(service.log)}")
                if time.monotonic() - begun > engine.limit:
                    raise LabError(f"{service.name} was not ready within {engine.limit} s ({what}):\n{tail(service.log)}")
                time.sleep(0.5)
        say(f"{service.name}: ready after {time.monotonic() - begun:.0f} s")

    def stop(self, name, who=None, force=False, say=lambda line: None):
        """Stop the service; return what happened. Raises LabError if another process holds it."""
        with self.places.locked(name, say):
            service = self.find(name)
            if who:
                self.release(name, who)
            holders = self.holders(name)
            if holders and not force:
                if who:
                    return f"left running for {', '.join(holders)}"
                raise LabError(f"{name} is held by {', '.join(holders)}; --force stops it all the same")
            for holder in holders:
                self.release(name, holder)
            if service is None:
                return "not running"
            was_alive = service.alive()
            self._end(service)
            return "stopped" if was_alive else f"had ended by itself; see {service.log}"

    def _end(self, service):
        """End the service and its children, if the pid still belongs to it."""
        if service.alive():
            for how in (signal.SIGTERM, signal.SIGKILL):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(service.pid, how)
                if gone(service.pid, STOP_LIMIT):
                    break
            else:
                raise LabError(f"{service.name} (pid {service.pid}) does not end")
        self._forget(service.name)


def gone(group, limit):
    """Wait until the process group has no process left; return whether that happened within the limit."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(group, os.WNOHANG)
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def tail(path, lines=15):
    text = pathlib.Path(path).read_text(errors="replace").splitlines()
    return "\n".join(f"    {line}" for line in text[-lines:])
