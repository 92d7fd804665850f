import itertools
import pathlib

import pytest

import harness


def pytest_collection_modifyitems(items):
    """Skip long tests unless PLUMBLINE_LONG is set. Start slow tests first, so that at the end no worker waits for one test.

    A worker gets two tests at the start, so slow and quick tests alternate.
    """
    for item in items:
        if item.get_closest_marker("long") and not harness.LONG:
            item.add_marker(pytest.mark.skip(reason="takes half a minute or more: ./check --long"))
    slow = [item for item in items if item.get_closest_marker("slow")]
    quick = [item for item in items if not item.get_closest_marker("slow")]
    items[:] = [item for pair in itertools.zip_longest(slow, quick) for item in pair if item]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Give each worker one test and the next one. In larger batches, one worker would get several slow tests."""
    from xdist.scheduler import LoadScheduling

    if config.getvalue("dist") != "load":
        return None

    class Singly(LoadScheduling):
        def _send_tests(self, node, num):
            super()._send_tests(node, min(num, 2 - len(self.node2pending[node])))

    return Singly(config, log)


@pytest.fixture(autouse=True, scope="session")
def state(tmp_path_factory):
    """Isolate the tests from the user's state directory and from the variable CI."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("CI", raising=False)
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture
def start(tmp_path):
    """start.engine(...), start.proxy(...), start.scripted(...) start programs, which end with the test.

    A plumbline process must end cleanly: exit code 0 after SIGTERM, no message of a sanitizer.
    """
    yield from starting(tmp_path)


@pytest.fixture(scope="session")
def start_once(tmp_path_factory):
    """Like `start`, for programs that many tests share and none changes; they end with the last test."""
    yield from starting(tmp_path_factory.mktemp("shared"))


@pytest.fixture(scope="session")
def compared(start_once):
    """Return (capture of a `compare` that found a difference, URL of its target old, URL of new)."""
    a, b = start_once.engine("--seed", "7"), start_once.engine("--seed", "7", "--repeat-penalty", "1.15")
    suite = pathlib.Path(__file__).parents[2] / "configs/suites/reasoning.jsonl"
    harness.plumbline("compare", f"old={a.url}", f"new={b.url}", suite, "--limit", "12", "--capture", start_once.directory / "compared", check=1)
    return start_once.directory / "compared", a.url, b.url


def starting(place):
    begun = []

    class Start:
        directory = place

        @staticmethod
        def engine(*args, **kw):
            begun.append(harness.Engine(place, *args, **kw))
            return begun[-1]

        @staticmethod
        def proxy(primary, *args, **kw):
            begun.append(harness.Proxy(place, primary, *args, **kw))
            return begun[-1]

        @staticmethod
        def scripted(*args, **kw):
            begun.append(harness.Scripted(*args, **kw))
            return begun[-1]

    yield Start
    problems = []
    for program in reversed(begun):
        running = isinstance(program, harness.Program) and program.process.poll() is None
        code = program.stop()
        if isinstance(program, harness.Program):
            log = program.log()
            if running and code != 0:
                problems.append(f"{program.log_path.name} ended with {code}:\n{log[-6000:]}")
            elif "Sanitizer" in log or "runtime error:" in log or "assertion failed" in log:
                problems.append(f"{program.log_path.name}:\n{log[-6000:]}")
    assert not problems, "\n".join(problems)
