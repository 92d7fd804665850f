"""The scheduling of the recorder's threads, as batch or idle: all exchanges are recorded in both."""
import os
import pathlib
import subprocess
import sys

import pytest

from harness import chat, exported, post, wait_for

PATH = "/v1/chat/completions"
ASKED = 20


def scheduled(pid):
    """Return the scheduling policy of each thread."""
    return [os.sched_getscheduler(int(task.name)) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()]


@pytest.mark.parametrize("word, policy", [("batch", os.SCHED_BATCH), ("idle", os.SCHED_IDLE)])
def test_the_recorders_scheduling_is_applied_and_loses_nothing(start, word, policy):
    engine = start.engine()
    proxy = start.proxy(None, config=f"primary: {engine.url}\ncapture: {{encoders: 2, scheduling: {word}}}\n")
    for i in range(ASKED):
        status, _, _ = post(proxy.port, PATH, chat(f"Question {i}", max_tokens=4))
        assert status == 200
    proxy.settled(ASKED)
    found = scheduled(proxy.pid)
    assert found.count(policy) == 3   # two encoders and the writer
    assert found.count(os.SCHED_OTHER) == len(found) - 3
    proxy.stop()
    assert len(exported(proxy.capture)) == ASKED


def tasks(pid):
    return [int(task.name) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()]


def test_the_default_scheduling_records_all_on_a_busy_processor(start):
    engine = start.engine()
    proxy = start.proxy(None, config=f"primary: {engine.url}\ncapture: {{encoders: 2}}\n")
    wait_for("the recorder's threads", lambda: scheduled(proxy.pid).count(os.SCHED_BATCH) == 3)
    processor = min(os.sched_getaffinity(0))
    for task in tasks(proxy.pid):
        os.sched_setaffinity(task, {processor})
    busy = subprocess.Popen([sys.executable, "-c", f"import os, time\nos.sched_setaffinity(0, {{{processor}}})\nend = time.monotonic() + 60\nwhile time.monotonic() < end: pass"])
    try:
        for i in range(ASKED):
            status, _, _ = post(proxy.port, PATH, chat(f"Question {i}", max_tokens=64))
            assert status == 200
        proxy.settled(ASKED)
    finally:
        busy.kill()
        busy.wait()
    proxy.stop()
    assert len(exported(proxy.capture)) == ASKED
