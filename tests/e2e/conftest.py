import pytest

import harness


@pytest.fixture
def start(tmp_path):
    """start.engine(...), start.proxy(...), start.scripted(...): whatever is started ends with the test, and a proxy
    must end cleanly: exit code 0 after SIGTERM, nothing from a sanitizer."""
    begun = []

    class Start:
        directory = tmp_path

        @staticmethod
        def engine(*args, **kw):
            begun.append(harness.Engine(tmp_path, *args, **kw))
            return begun[-1]

        @staticmethod
        def proxy(primary, *args, **kw):
            begun.append(harness.Proxy(tmp_path, primary, *args, **kw))
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
            elif "Sanitizer" in log or "runtime error:" in log or "broken promise" in log:
                problems.append(f"{program.log_path.name}:\n{log[-6000:]}")
    assert not problems, "\n".join(problems)
