"""An engine that returns the request, and parses HTTP strictly.

It shares no code with the proxy. It accepts only requests with unambiguous framing. .unclean lists what a proxy that
rebuilds requests must not forward.
"""
import re
import socket
import threading

TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
LINE = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+) (/[\x21-\x7e]*|\*) HTTP/1\.1")
HOPS = {b"connection", b"keep-alive", b"te", b"trailer", b"upgrade", b"expect"}


class Request:
    def __init__(self, method, target, fields, body):
        self.method, self.target, self.fields, self.body = method, target, fields, body

    def values(self, name):
        return [value for key, value in self.fields if key.lower() == name.lower()]


class Stream:
    """Reads lines and counted bytes from a connection."""

    def __init__(self, sock):
        self.socket, self.got = sock, b""

    def more(self):
        data = self.socket.recv(1 << 18)
        if not data:
            raise EOFError
        self.got += data

    def until(self, mark):
        while mark not in self.got:
            self.more()
        taken, _, self.got = self.got.partition(mark)
        return taken

    def exactly(self, n):
        while len(self.got) < n:
            self.more()
        taken, self.got = self.got[:n], self.got[n:]
        return taken


class Echo:
    """Answers each request with its own body; X-Target says which target and X-Method which method it had.

    answer(connection, request), if given, is asked first; it returns None to leave the answer to the echo, else whether
    the connection is kept.
    """

    def __init__(self, answer=None):
        self.answer = answer
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.whole, self.unclean = [], []       # completely read requests, in order of their ends
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(sock,), daemon=True).start()

    def serve(self, sock):
        stream = Stream(sock)
        try:
            while True:
                request = self.read(stream)
                self.whole.append(request)
                kept = self.answer(stream, request) if self.answer else None
                if kept is None:
                    sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nX-Target: %s\r\nX-Method: %s\r\n\r\n%s" % (
                        len(request.body), request.target, request.method,
                        b"" if request.method == b"HEAD" else request.body))
                elif not kept:
                    break
        except (EOFError, OSError):
            pass
        finally:
            sock.close()

    def complain(self, what, head):
        self.unclean.append((what, head[:400]))

    def read(self, stream):
        head = stream.until(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        if b"\n" in b"".join(lines) or b"\r" in b"".join(lines) or b"\0" in head:
            self.complain("a line ends in an unusual way", head)
        first = LINE.fullmatch(lines[0])
        if not first:
            self.complain("the request line", head)
            raise EOFError
        fields = []
        # A request for a websocket has the two fields that the proxy writes.
        asks = {b"Connection: Upgrade", b"Upgrade: websocket"} if b"Upgrade: websocket" in lines else set()
        for line in lines[1:]:
            name, colon, value = line.partition(b":")
            if not colon or not TOKEN.fullmatch(name):
                self.complain("a field", head)
            if line not in asks and name.lower() in HOPS or name.lower().startswith(b"proxy-"):
                self.complain("a field of another hop", head)
            fields.append((name, value.strip(b" \t")))
        request = Request(first[1], first[2], fields, b"")
        request.body = self.body(stream, request, head)
        return request

    def body(self, stream, request, head):
        lengths, codings = request.values(b"content-length"), request.values(b"transfer-encoding")
        if len(request.values(b"host")) != 1:
            self.complain("the host", head)
        if len(lengths) + len(codings) > 1:
            self.complain("framed in two ways", head)
            raise EOFError
        if lengths:
            if not lengths[0].isdigit():
                self.complain("the length", head)
                raise EOFError
            return stream.exactly(int(lengths[0]))
        if codings and codings[0].lower() != b"chunked":
            self.complain("the transfer coding", head)
        return self.chunks(stream, head) if codings else b""

    def chunks(self, stream, head):
        body = b""
        while True:
            line = stream.until(b"\r\n")
            if not re.fullmatch(rb"[0-9a-fA-F]{1,8}", line):
                self.complain("a chunk's size", head + b" " + line)
                raise EOFError
            if int(line, 16) == 0:
                if stream.until(b"\r\n"):
                    self.complain("a trailer", head)
                return body
            body += stream.exactly(int(line, 16))
            if stream.exactly(2) != b"\r\n":
                self.complain("a chunk's end", head)
                raise EOFError

    def stop(self):
        self.listener.close()
