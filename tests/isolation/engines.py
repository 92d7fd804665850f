"""Engines and faulty references for the isolation tests.

  python3 engines.py MODE [PORT]    prints its port, then serves until it is killed

Each is a process, so a test can stop it, and it does not slow down the measuring client.
"""
import json
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

EVENTS = 20
CONNECTIONS = 256  # concurrent connections; others wait in the kernel's queue
REFUSED = {"500": "500 Internal Server Error", "429": "429 Too Many Requests"}
UNARY = json.dumps({"object": "chat.completion", "model": "m", "choices": [{
    "index": 0, "message": {"role": "assistant", "content": "It is what it is. " * 20}, "finish_reason": "stop"}]}).encode()


def event(i):
    delta = {"content": f"word {i} "} if i else {"role": "assistant"}
    return b"data: " + json.dumps({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}).encode() + b"\n\n"


STREAM = b"".join(event(i) for i in range(EVENTS)) + b"data: [DONE]\n\n"


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


class Engine:
    """A process of this module. A test can replace it by another one on the same port."""

    def __init__(self, mode="healthy"):
        self.process, self.port = None, None
        self.become(mode)
        self.url = f"http://127.0.0.1:{self.port}"

    def become(self, mode):
        self.stop()
        self.process = subprocess.Popen([sys.executable, __file__, mode, str(self.port or 0)], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())
        if mode == "stopped":
            self.process.send_signal(signal.SIGSTOP)

    def stop(self, how=signal.SIGKILL):
        if self.process:
            self.process.send_signal(how)
            self.process.wait()
            self.process.stdout.close()
            self.process = None


def slow_disk(directory):
    """Return the environment of a process with slow syncs (slow_sync.c)."""
    library = pathlib.Path(directory) / "slow_sync.so"
    source = pathlib.Path(__file__).with_name("slow_sync.c")
    subprocess.run(["cc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return {"LD_PRELOAD": str(library)}


class Connection:
    def __init__(self, sock):
        self.socket, self.got = sock, bytearray()

    def fill(self):
        data = self.socket.recv(1 << 18)
        if not data:
            raise EOFError
        self.got += data

    def request(self):
        """Whether the request is for a stream."""
        while (end := self.got.find(b"\r\n\r\n")) < 0:
            self.fill()
        head = bytes(self.got[:end + 4])
        del self.got[:end + 4]
        start = head.lower().find(b"content-length:")
        missing = int(head[start + 15:head.index(b"\r\n", start)]) if start >= 0 else 0
        beginning = b""
        while missing:
            if not self.got:
                self.fill()
            taken = self.got[:missing]
            beginning += bytes(taken[:400 - len(beginning)]) if len(beginning) < 400 else b""
            missing -= len(taken)
            del self.got[:len(taken)]
        return b'"stream": true' in beginning

    def send(self, *pieces):
        self.socket.sendall(b"".join(pieces))


def healthy(c, stream):
    if not stream:
        c.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(UNARY), UNARY)
        return
    c.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    for i in range(EVENTS):
        c.send(chunk(event(i)))
    c.send(chunk(b"data: [DONE]\n\n"), b"0\r\n\r\n")


def reset(c, stream):
    c.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{\"choices\":")
    c.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raise EOFError


def trickle(c, stream):
    for byte in b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{\"a\": 12}":
        c.send(bytes([byte]))
        time.sleep(1)


def endless(c, stream):
    c.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        c.send(chunk(event(1) * 10))   # 1,000 per second; above that the test would measure the competition for processors
        time.sleep(0.01)


def wrong_framing(c, stream):
    c.send(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nHTTP/1.1 200 OK\r\n\r\n")


def refusing(status):
    def answer(c, stream):
        c.send(f"HTTP/1.1 {REFUSED[status]}\r\nContent-Length: 2\r\n\r\n{{}}".encode())
    return answer


ANSWERS = {"healthy": healthy, "reset": reset, "trickle": trickle, "endless": endless, "wrong-framing": wrong_framing,
           "500": refusing("500"), "429": refusing("429"), "stopped": healthy}


def serve(sock, answer):
    c = Connection(sock)
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while True:
            answer(c, c.request())
    except (EOFError, OSError):
        sock.close()


def accept(listener, answer):
    while True:
        serve(listener.accept()[0], answer)


def main():
    mode = sys.argv[1]
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0))
    listener.listen(0 if mode == "never-accepts" else 512)
    port = listener.getsockname()[1]
    if mode == "refuses":
        listener.close()
    elif mode != "never-accepts":
        # All threads exist from the start, because creating one costs more time than a connection.
        for _ in range(CONNECTIONS):
            threading.Thread(target=accept, args=(listener, ANSWERS[mode]), daemon=True).start()
    print(port, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
