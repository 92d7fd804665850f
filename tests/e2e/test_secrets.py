"""Credentials in every place where a client, an engine or the configuration can put one never appear in what the
proxy writes, prints or sends, except to the primary. Each place has its own secret, so a leak names its place."""
import base64
import json
import socket
from urllib.parse import unquote_to_bytes

from harness import Raw, chat, chunk, get, plumbline, post, request, respond, wait_for

CHAT = "/v1/chat/completions"
PLAIN = "leak-{}-4f7d1c"        # recognised only by its place
KEY = "sk-leak-{}-4f7d1c"      # recognised by its form in every place

USERS = ["user", "\xfcser"]    # for Basic; the second is not UTF-8

FIELDS = ["Authorization", "Proxy-Authorization", "Cookie", "api-key", "x-api-key", "X-API-KEY2", "x-goog-api-key", "X-Auth-Token",
          "X-Access-Token", "X-Amz-Security-Token", "Ocp-Apim-Subscription-Key", "OpenAI-Organization", "OpenAI-Project",
          "Sec-WebSocket-Protocol", "X-Company-Secret", "X-Forwarded-Authorization", "Authentication", "X-Litellm-Api-Key",
          "Cookie2", "X-Jwt-Assertion", "X-Amzn-Oidc-Data", "X-Bearer", "X-Pwd", "X-Pass", "X-Otp", "X-Sid",
          "X-Forwarded-Cookie", "Set-Cookie2"]
ADDRESSES = ["Referer", "X-Original-URI", "X-Forwarded-Uri", "X-Rewrite-Url"]
PARAMETERS = ["api_key", "key", "api-key", "access_token", "token", "auth", "X-Amz-Signature", "password", "client_secret", "sig", "jwt", "pwd",
              "bearer", "sid", "hmac", "session", "session_id", "cookie", "ASP.NET_SessionId"]
# Values of fields whose names are recorded and copied.
VALUES = ["api_key={}", "tenant=7, api_key = {}", '{{"tenant": 7, "api_key": "{}"}}', '{{\\"api_key\\":\\"{}\\"}}', "Bearer {}", "a=b;token={}",
          "%7B%22api_key%22%3A%22{}%22%7D", '{{"password": "#{}"}}', "password: &{}", "password=;{}", "a=Token {}", '{{"a": "Bearer {}"}}',
          "https://app/chat?a=Token%20{}", "https://app/chat;jsessionid={}"]
TARGETS = {"an escaped key in the path": "/v1/{}/chat/completions", "an escaped key in a query": CHAT + "?q={}",
           "a key for a parameter's name": CHAT + "?{}=1"}
PATHS = {"a parameter of the path": "/v1;api_key={}/chat/completions", "the last parameter of the path": "/v1/x;a=b;token={}",
         "an escaped parameter of the path": "/v1/x%3Bapi_key%3D{}/chat/completions", "a URL in the path": "/v1/http://me:{}@h/chat/completions",
         "the session of a path": "/v1/x;jsessionid={}", "behind a question mark": CHAT + "?password=?{}",
         "behind a semicolon in a value": CHAT + "?password=ab;{}", "a password with a semicolon": CHAT + "?u=https://me:ab;{}@h/",
         "a document with a semicolon": CHAT + "?q=%7B%22a%22:1,%22api_key%22:%22ab;{}%22%7D", "an authorization in a query": CHAT + "?a=Token%20{}",
         "an authorization in the path": "/v1/Bearer%20{}/chat/completions", "a name that is parted from it by a colon": CHAT + "?api_key:{}=1",
         "behind a semicolon in a parameter of the path": "/v1;token=ab;{}/chat/completions",
         "a URL with a semicolon in the path": "/v1/http://me:ab;{}@h/chat/completions",
         "a document with a slash in the path": "/v1/%7B%22api_key%22:%22ab/{}%22%7D/chat/completions",
         "a document with an escaped quotation mark in the path": "/v1/%7B%22a%22:%22x%5C%22y%22,%22api_key%22:%22ab/{}%22%7D/x",
         "a document in the path that is escaped twice": "/v1/%257B%2522a%2522:%2522x%255C%2522y%2522,%2522pin%2522:%2522ab/{}%2522%257D/x",
         "a document with a question mark in the path": "/v1/%7B%22api_key%22:%22ab?{}%22%7D/x"}


def escaped(key):
    """Percent-encode some characters, to hide the form."""
    return f"%{ord(key[0]):02x}{key[1:5]}%{ord(key[5]):02X}{key[6:]}"


class Places:
    """Secrets by the place where they were put."""

    def __init__(self):
        self.by_place = {}

    def put(self, place, form=PLAIN):
        secret = form.format(len(self.by_place))
        self.by_place[place] = secret
        return secret

    def found_in(self, text):
        """Return the places whose secret is in the data: plain, percent-encoded or in Basic's base64."""
        data = text if isinstance(text, bytes) else text.encode()
        data += unquote_to_bytes(data)
        return [place for place, secret in self.by_place.items()
                if secret.encode() in data or any(base64.b64encode(f"{user}:{secret}".encode("latin1")) in data for user in USERS)]


def send_whole_requests(port, places):
    """Send requests that are answered, copied and recorded."""
    fields = [(name, f"Bearer {places.put(name)}" if "uth" in name else places.put(name)) for name in FIELDS]
    basic = base64.b64encode(f"user:{places.put('Basic')}".encode()).decode()
    assert post(port, CHAT, chat("one"), fields)[0] == 200
    assert post(port, CHAT, chat("two"), [("Authorization", f"Basic {basic}")])[0] == 200
    query = "&".join(f"{name}={places.put('query ' + name)}" for name in PARAMETERS)
    assert post(port, f"{CHAT}?{query}", chat("three"))[0] == 200
    assert post(port, f"{CHAT}?KEY={places.put('query KEY')}&a=b", chat("four"))[0] == 200
    assert post(port, f"{CHAT}?a=b;api_key={places.put('behind a semicolon')};c=d", chat("four"))[0] == 200
    addresses = [(name, f"https://app/chat?page=1&api_key={places.put('query in ' + name)}") for name in ADDRESSES]
    assert post(port, CHAT, chat("two"), addresses)[0] == 200
    inner = f"http%3A%2F%2Fh%2F%3Fapi_key%3D{places.put('query in a query')}"
    assert post(port, f"{CHAT}?u={inner}", chat("four"))[0] == 200
    for place, target in TARGETS.items():
        post(port, target.format(escaped(places.put(place, KEY))), chat("four"))    # the engine does not have some of these paths
    for place, target in PATHS.items():
        post(port, target.format(places.put(place)), chat("four"))
    values = [(f"X-Note-{i}", value.format(places.put(value))) for i, value in enumerate(VALUES)]
    basics = [base64.b64encode(f"{user}:{places.put(f'Basic of another name and {user}')}".encode("latin1")).decode() for user in USERS]
    values += [(f"X-Note-Basic-{i}", f"Basic {basic}") for i, basic in enumerate(basics)]
    assert post(port, CHAT, chat("two"), [("X-Note", "open"), *values])[0] == 200
    hop = places.put("a field that Connection names")
    assert post(port, CHAT, chat("five", stream=True), [("Connection", "X-Hop"), ("X-Hop", hop)])[0] == 200
    with Raw(port) as raw:
        body = json.dumps(chat("six")).encode()
        raw.send(request("POST", CHAT, b"", [("Transfer-Encoding", "chunked"), ("Content-Type", "application/json")])
                 + b"%x;a=%s\r\n%s\r\n" % (len(body), places.put("a chunk's extension").encode(), body)
                 + b"0\r\nAuthorization: %s\r\n\r\n" % places.put("a trailer").encode())
        assert raw.answer()[0] == 200
    assert get(port, f"/v1/models?api_key={places.put('query of another route')}", [("Authorization", places.put("of another route"))])[0] == 200


def send_broken_requests(port, places):
    """Send requests that are refused or incomplete; return all answers."""
    def head(target, *fields, version="1.1"):
        return f"GET {target} HTTP/{version}\r\nHost: t\r\n" + "".join(f"{f}\r\n" for f in fields) + "\r\n"
    broken = [
        head(f"http://user:{places.put('user of an absolute target')}@t/x"),
        head(f"//user:{places.put('user of a target with two slashes')}@t/x?key=1", "X : y"),
        head("/x", f"Authorization: Bearer {places.put('before a bad field')}", "X : y"),
        head("/x", f"Authorization : Bearer {places.put('a bad field itself')}"),
        head("/x", f"Authorization: Bearer {places.put('folded')}", " more"),
        head("/x", f"Authorization: {places.put('with a control byte')}\x01"),
        head(f"/x?api_key={places.put('query of a bad request')}#"),
        head(f"/x?api_key={places.put('query of another version')}", version="3.0"),
        f"GET /x HTTP/1.1\r\nHost: user:{places.put('user of Host')}@t\r\n\r\n",
        head("/x", "Connection: upgrade", "Upgrade: websocket",
             f"Sec-WebSocket-Protocol: realtime, openai-insecure-api-key.{places.put('websocket protocol')}"),
        head("/x", f"Expect: {places.put('Expect')}"),
        head("/x", f"Transfer-Encoding: {places.put('a coding')}"),
        f"{places.put('a method')}: /x HTTP/1.1\r\nHost: t\r\n\r\n",
        f"CONNECT user:{places.put('user of CONNECT')}@t:1 HTTP/1.1\r\nHost: t\r\n\r\n",
        head("/x", f"Authorization: {places.put('of a head that is too long')}", "X: " + "b" * 70000),
    ]
    said = b""
    for text in broken:
        with Raw(port) as raw:
            raw.send(text.encode("latin1"))
            raw.socket.shutdown(socket.SHUT_WR)
            said += raw.rest()
    with Raw(port) as raw:      # half a head, then a disconnect
        raw.send(f"GET /x HTTP/1.1\r\nHost: t\r\nAuthorization: {places.put('of half a head')}\r\n")
    with Raw(port) as raw:      # half a body, then a disconnect
        raw.send(f"POST {CHAT} HTTP/1.1\r\nHost: t\r\nAuthorization: {places.put('of half a body')}\r\nContent-Length: 9\r\n\r\n{{")
    assert said.count(b'"type":"proxy_error"') == len(broken)
    return said


def engine_with_secrets(places):
    """A primary whose answers have secrets in their heads."""
    cookie, challenge, key = (places.put(f"the engine's {name}") for name in ("Set-Cookie", "WWW-Authenticate", "X-Api-Key"))

    def script(raw, seen):
        fields = [("Set-Cookie", f"session={cookie}"), ("WWW-Authenticate", f"Bearer token={challenge}"), ("X-Api-Key", key)]
        if '"stream": true' in seen.body.decode("latin1"):
            raw.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                     + chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
        elif seen.target.startswith(CHAT) or seen.target.startswith("/v1/models"):
            respond(raw, {"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": "x"}}]}, fields=fields)
        else:
            respond(raw, {"error": "no"}, "404 Not Found", fields)
    return script


def test_secrets_reach_only_the_primary(start):
    places = Places()
    primary = start.scripted(engine_with_secrets(places))
    reference = start.scripted(lambda raw, seen: respond(raw, {"error": "no"}, "400 Bad Request"))
    own, prod = places.put("the reference's own key"), places.put("the primary's own key")
    proxy = start.proxy(None, "--log-level", "debug", env={"REFERENCE_KEY": own, "PRIMARY_KEY": prod}, config=f"""
primary: {{name: prod, url: '{primary.url}', api_key_env: PRIMARY_KEY}}
references:
  - {{name: trusted, url: '{reference.url}', api_key_env: REFERENCE_KEY}}
  - {{name: dead, url: 'http://127.0.0.1:1'}}
capture: {{path: '{start.directory}/kept', headers: [x-request-id, x-note*]}}
""", capture=None)
    send_whole_requests(proxy.port, places)
    said = send_broken_requests(proxy.port, places)
    wait_for("the copies", lambda: len(reference.seen) >= 6)
    proxy.settled()

    # The test works: the client's secrets reached the primary, the reference's own key the reference.
    received = b"".join(s.raw_head + s.body for s in primary.seen)
    reached = places.found_in(received)
    assert {"Authorization", "Cookie", "Basic", "query api_key", "x-api-key", *TARGETS, *PATHS, *VALUES} <= set(reached)
    mirrored = b"".join(s.raw_head + s.body for s in reference.seen)
    assert places.found_in(mirrored) == ["the reference's own key"]
    assert b"X-Note: open" in mirrored

    assert places.found_in(said) == []
    for page in ("/metrics", "/healthz", "/readyz"):
        assert places.found_in(proxy.admin(page)) == []
    proxy.stop()
    assert places.found_in(proxy.log()) == []
    check_capture(start.directory / "kept", places)


def check_capture(directory, places):
    """Check a capture's raw files and the commands' output (bodies are compressed)."""
    assert directory.stat().st_mode & 0o777 == 0o700
    files = [file for file in directory.rglob("*") if file.is_file()]
    assert files
    for file in files:
        assert places.found_in(file.read_bytes()) == [], file
        assert file.stat().st_mode & 0o777 == 0o600, file
    exported = plumbline("capture", "export", "--jsonl", directory, check=0).stdout
    assert exported.count(b"\n") >= 6 and places.found_in(exported) == [] and b"X-Note: open" in exported
    ids = [json.loads(line)["id"] for line in exported.splitlines()][:8]
    for command in (["capture", "ls", directory], ["analyze", directory], ["manifest", directory],
                    *(["capture", "show", directory, name] for name in ids)):
        done = plumbline(*command)
        assert places.found_in(done.stdout + done.stderr) == [], command


def test_an_unreachable_primary_leaks_no_secret(start):
    places = Places()
    proxy = start.proxy("http://127.0.0.1:1", "--log-level", "debug")
    status, fields, body = post(proxy.port, f"{CHAT}?api_key={places.put('query')}", chat(), [("Authorization", places.put("field"))])
    assert status == 502 and places.found_in(body + str(fields).encode()) == []
    proxy.settled(1)
    proxy.stop()
    assert places.found_in(proxy.log()) == []
    assert all(places.found_in(f.read_bytes()) == [] for f in proxy.capture.rglob("*") if f.is_file())
