"""Runs a program on inputs, each in a process of its own, and says what came of it: a line of JSON for each,
after one that says that it could be started.

It reads one JSON object: {"code", "function" (null: a program that reads its standard input), "inputs", "seconds", "bytes"}. What is
right it is not told, so that nothing that runs here can find out what it should have said.
"""
import json
import os
import select
import signal
import sys
import time
import traceback


READY = "ready"


def call(scope, name, text):
    function = scope.get(name)
    if function is None and "Solution" in scope:
        function = getattr(scope["Solution"](), name, None)
    if function is None:
        raise NameError(f"there is no function {name}")
    return json.dumps(function(*(json.loads(line) for line in text.split("\n") if line.strip())))


def work(task, text, out, err):
    """In a process that ends with this."""
    try:
        source = os.memfd_create("input")
        os.write(source, b"" if task["function"] else text.encode())
        os.lseek(source, 0, os.SEEK_SET)
        os.dup2(source, 0)
        os.dup2(os.open("/dev/null", os.O_WRONLY) if task["function"] else out, 1)
        os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
        sys.stdin = open(0, closefd=False)
        scope = {"__name__": "answer" if task["function"] else "__main__"}
        code = compile(task["code"], "answer.py", "exec")
        try:
            exec(code, scope)
        except SystemExit as end:
            if end.code not in (None, 0) or task["function"]:
                raise
        if task["function"]:
            os.write(out, call(scope, task["function"], text).encode())
        sys.stdout.flush()
        os._exit(0)
    except BaseException as e:
        os.write(err, traceback.format_exception_only(type(e), e)[-1].strip()[:300].encode(errors="replace"))
        os._exit(1)


def collect(pipes, limit, deadline):
    """What comes out of both pipes until they are closed; and why it did not come whole."""
    got = {pipe: b"" for pipe in pipes}
    waiting = set(pipes)
    while waiting:
        ready, _, _ = select.select(list(waiting), [], [], max(0, deadline - time.monotonic()))
        if not ready:
            return got, "timeout"
        for pipe in ready:
            piece = os.read(pipe, 65536)
            got[pipe] += piece
            if not piece:
                waiting.discard(pipe)
            if len(got[pipe]) > limit:
                return got, "too_much"
    return got, None


def run(task, text):
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        work(task, text, out_end, err_end)
    os.close(out_end)
    os.close(err_end)
    got, how = collect((out, err), task["bytes"], time.monotonic() + task["seconds"])
    # What it has started goes with it, but for what left its session: that ends with the sandbox.
    for kill, whom in ((os.killpg, child), (os.kill, child)):
        try:
            kill(whom, signal.SIGKILL)
        except OSError:
            pass
    _, status = os.waitpid(child, 0)
    os.close(out)
    os.close(err)
    if how is None:
        how = "returned" if status == 0 else "raised" if got[err] else "died"
    return {"how": how, "output": got[out].decode(errors="replace") if how == "returned" else "", "error": got[err].decode(errors="replace")}


def main():
    task = json.load(sys.stdin)
    print(READY, flush=True)    # from here on it is the program's doing if nothing more comes
    for text in task["inputs"]:
        print(json.dumps(run(task, text)), flush=True)


main()
