"""When the recorder's threads have a processor: behind the loops, or only in idle time. And that they record all the same."""
import os
import pathlib

import pytest

from harness import chat, exported, post

PATH = "/v1/chat/completions"
ASKED = 20


def scheduled(pid):
    """Of each thread, how."""
    return [os.sched_getscheduler(int(task.name)) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()]


@pytest.mark.parametrize("word, policy", [("batch", os.SCHED_BATCH), ("idle", os.SCHED_IDLE)])
def test_the_recorders_threads_stand_back_as_they_are_told_and_record_all(start, word, policy):
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
