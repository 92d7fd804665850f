"""Backends with TLS and a certificate of a private authority."""
import pathlib
import shutil
import ssl
import subprocess
import time

import pytest

from harness import *


@pytest.fixture
def certificate(tmp_path):
    if not shutil.which("openssl"):
        pytest.skip("no openssl program here")
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-keyout", key, "-out", cert], check=True, capture_output=True)
    return key, cert


def secured(start, certificate, script):
    """A scripted engine with TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate[1], certificate[0])
    engine = start.scripted(script)
    serve = engine.serve

    def serve_tls(sock):
        try:
            sock = context.wrap_socket(sock, server_side=True)
        except OSError:
            sock.close()
            return
        serve(sock)

    engine.serve = serve_tls
    engine.url = engine.url.replace("http:", "https:")
    return engine


def echo(raw, seen):
    respond(raw, seen.body[::-1])


def test_primary_and_reference_over_tls(start, certificate):
    primary, reference = secured(start, certificate, echo), secured(start, certificate, echo)
    proxy = start.proxy(None, config=f"""
primary: {{name: prod, url: "{primary.url}", ca_file: {certificate[1]}}}
references:
  - name: trusted
    url: {reference.url}
    ca_file: {certificate[1]}
""")
    with Raw(proxy.port) as raw:
        for n in range(20):
            body = json.dumps(chat(f"turn {n}", pad="x" * (n * 4096))).encode()
            raw.send(request("POST", "/v1/chat/completions", body, [("content-type", "application/json")]))
            assert raw.answer()[2] == body[::-1]
    books = proxy.settled(completed=20, book="trusted")
    assert books["trusted"]["recorded"] == 20 and books["exchanges"]["recorded"] == 20, books
    assert primary.connections == 1, "a kept connection is used again"
    outcomes = [leg["outcome"] for row in exported(proxy.capture) for leg in row["legs"]]
    assert outcomes == ["complete"] * 40


def test_an_unknown_authority_is_refused_without_harming_others(start, certificate):
    untrusted = secured(start, certificate, echo)
    plain = start.scripted(echo)
    proxy = start.proxy(plain.url, reference=untrusted.url)
    assert post(proxy.port, "/v1/chat/completions", chat())[0] == 200
    books = proxy.settled(completed=1)
    assert not untrusted.seen, "the proxy sends nothing to an unverified engine"
    legs = exported(proxy.capture)[0]["legs"]
    assert {leg["role"]: leg["outcome"] for leg in legs} == {"primary": "complete", "reference": "refused"}
    assert all(balances(book) for book in books.values())

    proxy = start.proxy(untrusted.url)
    status, _, body = post(proxy.port, "/v1/chat/completions", chat())
    assert status == 502 and b"upstream_refused" in body, body


def test_a_body_without_a_length_ends_with_the_connection(start, certificate):
    def script(raw, seen):
        raw.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nhello")
        raw.socket.unwrap()
        return False
    engine = secured(start, certificate, script)
    proxy = start.proxy(None, config=f"primary: {{url: \"{engine.url}\", ca_file: {certificate[1]}}}\n")
    for _ in range(2):
        assert post(proxy.port, "/v1/chat/completions", chat())[2] == b"hello"
    proxy.settled(2)
    assert [leg["outcome"] for row in exported(proxy.capture) for leg in row["legs"]] == 2 * ["complete"] and engine.connections == 2


def test_a_client_that_reads_late_gets_a_long_answer_whole(start, certificate):
    long = bytes(range(256)) * 65536 + b"end"      # more than the sockets hold
    engine = secured(start, certificate, lambda raw, seen: respond(raw, long))
    proxy = start.proxy(None, config=f"primary: {{url: \"{engine.url}\", ca_file: {certificate[1]}}}\n")
    with Raw(proxy.port) as raw:
        for _ in range(2):
            raw.send(request("POST", "/v1/chat/completions", chat()))
            time.sleep(1)
            assert raw.answer()[2] == long
