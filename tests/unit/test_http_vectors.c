/* Hostile and unusual messages that parsers are known to disagree about, each with its result here:
 * smuggling by length, coding, line ends, folds, chunk framing and start lines. */
#include "tests/unit/http_story.h"

struct vector {
	const char *what;
	int status; /* 0: accepted */
	struct span bytes;
};

#define V(what, status, bytes)                                                                     \
	{                                                                                          \
		what, status,                                                                      \
		{                                                                                  \
			bytes, sizeof(bytes) - 1                                                   \
		}                                                                                  \
	}
#define H "Host: a\r\n"

static const struct vector requests[] = {
        /* what all clients send */
        V("plain GET", 0, "GET / HTTP/1.1\r\n" H "\r\n"),
        V("body of known length", 0, "POST / HTTP/1.1\r\n" H "Content-Length: 5\r\n\r\nhello"),
        V("empty body", 0, "POST / HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n"),
        V("chunks", 0,
                "POST / HTTP/1.1\r\n" H
                "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        V("chunk extension", 0,
                "POST / HTTP/1.1\r\n" H
                "Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\n\r\n"),
        V("trailers", 0,
                "POST / HTTP/1.1\r\n" H
                "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n"),
        V("any method", 0, "QUERY / HTTP/1.1\r\n" H "\r\n"),
        V("odd method with a body", 0,
                "X-!#$%&'*+-.^_`|~9 / HTTP/1.1\r\n" H "Content-Length: 1\r\n\r\nx"),
        V("OPTIONS *", 0, "OPTIONS * HTTP/1.1\r\n" H "\r\n"),
        V("HTTP/1.0 without Host", 0, "GET / HTTP/1.0\r\n\r\n"),
        V("odd bytes in the target", 0, "GET /v1//a/../b?x=%7e{}\\|\"<>^` HTTP/1.1\r\n" H "\r\n"),
        V("target with two slashes", 0, "GET //a HTTP/1.1\r\n" H "\r\n"),
        V("UTF-8 in a value", 0, "GET / HTTP/1.1\r\n" H "X: \xc3\xa9\r\n\r\n"),
        V("tab in a value", 0, "GET / HTTP/1.1\r\n" H "X: a\tb\r\n\r\n"),
        V("empty value", 0, "GET / HTTP/1.1\r\n" H "X:\r\n\r\n"),
        V("no space after the colon", 0, "GET / HTTP/1.1\r\nHost:a\r\n\r\n"),
        V("empty Host", 0, "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
        V("IPv6 host", 0, "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n"),
        V("empty line before the request", 0, "\r\n\r\nGET / HTTP/1.1\r\n" H "\r\n"),
        V("Expect", 0,
                "POST / HTTP/1.1\r\n" H "Expect: 100-continue\r\nContent-Length: 1\r\n\r\nx"),
        V("Upgrade", 0, "GET / HTTP/1.1\r\n" H "Connection: upgrade\r\nUpgrade: websocket\r\n\r\n"),
        V("Upgrade with a body", 0,
                "POST / HTTP/1.1\r\n" H
                "Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 1\r\n\r\nx"),
        V("coding in another case", 0,
                "POST / HTTP/1.1\r\n" H "Transfer-Encoding: Chunked\r\n\r\n0\r\n\r\n"),
        V("upper-case chunk size", 0,
                "POST / HTTP/1.1\r\n" H
                "Transfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\n0\r\n\r\n"),

        /* length and coding */
        V("CL and TE", 400,
                "POST / HTTP/1.1\r\n" H
                "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        V("TE and CL", 400,
                "POST / HTTP/1.1\r\n" H
                "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n"),
        V("TE and CL 0", 400,
                "POST / HTTP/1.1\r\n" H
                "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n"),
        V("two unlike lengths", 400,
                "POST / HTTP/1.1\r\n" H "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"),
        V("two like lengths", 400,
                "POST / HTTP/1.1\r\n" H "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"),
        V("list of lengths", 400, "POST / HTTP/1.1\r\n" H "Content-Length: 5, 5\r\n\r\nhello"),
        V("signed length", 400, "POST / HTTP/1.1\r\n" H "Content-Length: +5\r\n\r\nhello"),
        V("negative length", 400, "POST / HTTP/1.1\r\n" H "Content-Length: -5\r\n\r\nhello"),
        V("hexadecimal length", 400, "POST / HTTP/1.1\r\n" H "Content-Length: 0x5\r\n\r\nhello"),
        V("space within the length", 400,
                "POST / HTTP/1.1\r\n" H "Content-Length: 5 6\r\n\r\nhello"),
        V("letter after the length", 400,
                "POST / HTTP/1.1\r\n" H "Content-Length: 5x\r\n\r\nhello"),
        V("fraction of a length", 400, "POST / HTTP/1.1\r\n" H "Content-Length: 5.0\r\n\r\nhello"),
        V("underscore in a length", 400,
                "POST / HTTP/1.1\r\n" H "Content-Length: 1_0\r\n\r\nhello"),
        V("quoted length", 400, "POST / HTTP/1.1\r\n" H "Content-Length: \"5\"\r\n\r\nhello"),
        V("empty length", 400, "POST / HTTP/1.1\r\n" H "Content-Length:\r\n\r\n"),
        V("length of 2^63", 413,
                "POST / HTTP/1.1\r\n" H "Content-Length: 9223372036854775808\r\n\r\n"),
        V("length of 2^64", 413,
                "POST / HTTP/1.1\r\n" H "Content-Length: 18446744073709551616\r\n\r\n"),
        V("length of 2^64 + 5", 413,
                "POST / HTTP/1.1\r\n" H "Content-Length: 18446744073709551621\r\n\r\n"),
        V("TE twice", 400,
                "POST / HTTP/1.1\r\n" H
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        V("TE twice, one unknown", 400,
                "POST / HTTP/1.1\r\n" H
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n"),
        V("chunked not last", 400,
                "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"),
        V("chunked twice in a list", 400,
                "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"),
        V("empty coding", 400, "POST / HTTP/1.1\r\n" H "Transfer-Encoding:\r\n\r\n0\r\n\r\n"),
        V("comma before chunked", 400,
                "POST / HTTP/1.1\r\n" H "Transfer-Encoding: , chunked\r\n\r\n0\r\n\r\n"),
        V("comma after chunked", 400,
                "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked,\r\n\r\n0\r\n\r\n"),
        V("coding with a parameter", 400,
                "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked;a=b\r\n\r\n0\r\n\r\n"),
        V("quoted coding", 400,
                "POST / HTTP/1.1\r\n" H "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n"),
        V("vertical tab before chunked", 400,
                "POST / HTTP/1.1\r\n" H "Transfer-Encoding: \vchunked\r\n\r\n0\r\n\r\n"),
        V("vertical tab after chunked", 400,
                "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\v\r\n\r\n0\r\n\r\n"),
        V("no-break space after chunked", 400,
                "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\xa0\r\n\r\n0\r\n\r\n"),
        V("identity before chunked", 501,
                "POST / HTTP/1.1\r\n" H "Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n"),
        V("gzip before chunked", 501,
                "POST / HTTP/1.1\r\n" H "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        V("unknown coding", 501,
                "POST / HTTP/1.1\r\n" H "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
        V("identity", 501, "POST / HTTP/1.1\r\n" H "Transfer-Encoding: identity\r\n\r\n"),
        V("TE on HTTP/1.0", 400,
                "POST / HTTP/1.0\r\n" H "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),

        /* lines and fields */
        V("bare LF after a field", 400, "GET / HTTP/1.1\r\nHost: a\n\r\n"),
        V("bare LF after the request line", 400, "GET / HTTP/1.1\n" H "\r\n"),
        V("only bare LFs", 400, "GET / HTTP/1.1\nHost: a\n\n"),
        V("head ended by CR LF LF", 400, "GET / HTTP/1.1\r\n" H "\n"),
        V("head ended by CR LF CR X", 400, "GET / HTTP/1.1\r\n" H "\rX: y\r\n\r\n"),
        V("bare CR in a value", 400,
                "GET / HTTP/1.1\r\n" H "X-Abc:\rxTransfer-Encoding: chunked\r\n\r\n"),
        V("two CRs before LF", 400, "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n"),
        V("bare CR as the line end", 400, "GET / HTTP/1.1\r" H "\r\n\r\n"),
        V("NUL in a value", 400, "GET / HTTP/1.1\r\n" H "X: a\0b\r\n\r\n"),
        V("NUL in a name", 400, "GET / HTTP/1.1\r\n" H "X\0: a\r\n\r\n"),
        V("DEL in a value", 400, "GET / HTTP/1.1\r\n" H "X: a\x7f\r\n\r\n"),
        V("escape in a value of 16 bytes and more", 400,
                "GET / HTTP/1.1\r\n" H "X: 0123456789\x1b"
                "0123456789\r\n\r\n"),
        V("folded value", 400, "GET / HTTP/1.1\r\n" H "X: a\r\n b\r\n\r\n"),
        V("folded length", 400, "POST / HTTP/1.1\r\n" H "X: a\r\n Content-Length: 5\r\n\r\nhello"),
        V("folded coding", 400,
                "POST / HTTP/1.1\r\n" H "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n"),
        V("folded with a tab", 400, "GET / HTTP/1.1\r\n" H "X: a\r\n\tb\r\n\r\n"),
        V("first field begins with space", 400, "GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
        V("space before the colon", 400, "POST / HTTP/1.1\r\n" H "Content-Length : 5\r\n\r\nhello"),
        V("tab before the colon", 400,
                "POST / HTTP/1.1\r\n" H "Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n"),
        V("empty name", 400, "GET / HTTP/1.1\r\n" H ": v\r\n\r\n"),
        V("no colon", 400, "GET / HTTP/1.1\r\n" H "nonsense\r\n\r\n"),
        V("bracket in a name", 400, "GET / HTTP/1.1\r\n" H "X[]: v\r\n\r\n"),
        V("UTF-8 in a name", 400, "GET / HTTP/1.1\r\n" H "\xc3\xa9: v\r\n\r\n"),
        V("no Host", 400, "GET / HTTP/1.1\r\n\r\n"),
        V("two Hosts", 400, "GET / HTTP/1.1\r\n" H "Host: b\r\n\r\n"),
        V("two Hosts in HTTP/1.0", 400, "GET / HTTP/1.0\r\n" H "Host: b\r\n\r\n"),
        V("Host with a path", 400, "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
        V("Host with user", 400, "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"),
        V("Host with a space", 400, "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"),
        V("unknown expectation", 417, "POST / HTTP/1.1\r\n" H "Expect: 200-ok\r\n\r\n"),

        /* the request line */
        V("HTTP/0.9", 400, "GET /a\r\n\r\n"),
        V("HTTP/2.0", 505, "GET / HTTP/2.0\r\n" H "\r\n"),
        V("HTTP/1.2", 505, "GET / HTTP/1.2\r\n" H "\r\n"),
        V("HTTP/0.9 with a version", 505, "GET / HTTP/0.9\r\n" H "\r\n"),
        V("HTTP/2 preface", 505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        V("HTTP/1.10", 400, "GET / HTTP/1.10\r\n" H "\r\n"),
        V("lower-case version", 400, "GET / http/1.1\r\n" H "\r\n"),
        V("HTTP/11", 400, "GET / HTTP/1,1\r\n" H "\r\n"),
        V("RTSP", 400, "DESCRIBE /a RTSP/1.0\r\n\r\n"),
        V("two spaces before the target", 400, "GET  / HTTP/1.1\r\n" H "\r\n"),
        V("two spaces after the target", 400, "GET /  HTTP/1.1\r\n" H "\r\n"),
        V("space after the version", 400, "GET / HTTP/1.1 \r\n" H "\r\n"),
        V("space within the target", 400, "GET /a b HTTP/1.1\r\n" H "\r\n"),
        V("tab instead of a space", 400, "GET\t/ HTTP/1.1\r\n" H "\r\n"),
        V("tab in the target", 400, "GET /a\tb HTTP/1.1\r\n" H "\r\n"),
        V("NUL in the target", 400, "GET /a\0b HTTP/1.1\r\n" H "\r\n"),
        V("UTF-8 in the target", 400, "GET /\xc3\xa9 HTTP/1.1\r\n" H "\r\n"),
        V("fragment", 400, "GET /a#b HTTP/1.1\r\n" H "\r\n"),
        V("leading space", 400, " GET / HTTP/1.1\r\n" H "\r\n"),
        V("bracket in the method", 400, "G[T / HTTP/1.1\r\n" H "\r\n"),
        V("absolute target", 400, "GET http://a/ HTTP/1.1\r\n" H "\r\n"),
        V("star without OPTIONS", 400, "GET * HTTP/1.1\r\n" H "\r\n"),
        V("relative target", 400, "GET a HTTP/1.1\r\n" H "\r\n"),
        V("CONNECT", 501, "CONNECT a:80 HTTP/1.1\r\n" H "\r\n"),
        V("method longer than any", 501,
                "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA / HTTP/1.1\r\n" H
                "\r\n"),
        V("TLS hello", 400, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n"),
        V("bare LF before the request", 400, "\nGET / HTTP/1.1\r\n" H "\r\n"),

#define C "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"
        /* chunks */
        V("signed size", 400, C "+5\r\nhello\r\n0\r\n\r\n"),
        V("negative size", 400, C "-5\r\nhello\r\n0\r\n\r\n"),
        V("size with 0x", 400, C "0x5\r\nhello\r\n0\r\n\r\n"),
        V("empty size", 400, C "\r\nhello\r\n0\r\n\r\n"),
        V("size with underscore", 400, C "1_0\r\nhello\r\n0\r\n\r\n"),
        V("letter after the size", 400, C "5x\r\nhello\r\n0\r\n\r\n"),
        V("space before the size", 400, C " 5\r\nhello\r\n0\r\n\r\n"),
        V("space after the size", 400, C "5 \r\nhello\r\n0\r\n\r\n"),
        V("tab after the size", 400, C "5\t\r\nhello\r\n0\r\n\r\n"),
        V("size of 2^64", 400, C "10000000000000000\r\nhello\r\n0\r\n\r\n"),
        V("size of 2^64 + 5", 400, C "10000000000000005\r\nhello\r\n0\r\n\r\n"),
        V("LF alone after the size", 400, C "5\nhello\r\n0\r\n\r\n"),
        V("CR and a byte after the size", 400, C "5\rXhello\r\n0\r\n\r\n"),
        V("LF alone after the data", 400, C "5\r\nhello\n0\r\n\r\n"),
        V("nothing after the data", 400, C "5\r\nhello0\r\n\r\n"),
        V("data longer than its size", 400, C "4\r\nhello\r\n0\r\n\r\n"),
        V("CR and a byte after the data", 400, C "5\r\nhello\rX0\r\n\r\n"),
        V("LF alone within an extension", 400, C "5;a\nhello\r\n0\r\n\r\n"),
        V("CR alone within an extension", 400, C "5;a\rb\r\nhello\r\n0\r\n\r\n"),
        V("NUL within an extension", 400, C "5;a\0b\r\nhello\r\n0\r\n\r\n"),
        V("LF alone within a quoted extension", 400, C "5;a=\"\n\"\r\nhello\r\n0\r\n\r\n"),
        V("LF alone after an extension's value", 400, C "5;a=b\nhello\r\n0\r\n\r\n"),
        V("LF alone after the last chunk", 400, C "0\n\r\n"),
        V("LF alone ends the trailers", 400, C "0\r\n\n"),
        V("CR and a byte end the trailers", 400, C "0\r\n\rX\r\n\r\n"),
        V("trailer with LF alone", 400, C "0\r\nX: y\n\r\n"),
        V("folded trailer", 400, C "0\r\nX: y\r\n z\r\n\r\n"),
        V("trailer without colon", 400, C "0\r\nnonsense\r\n\r\n"),
        V("trailer that begins with space", 400, C "0\r\n X: y\r\n\r\n"),
        V("trailer that frames", 400, C "0\r\nContent-Length: 5\r\n\r\n"),
        V("trailer that codes", 400, C "0\r\nTransfer-Encoding: chunked\r\n\r\n"),
        V("NUL in a trailer", 400, C "0\r\nX: \0\r\n\r\n"),
#undef C
};

/* 0: accepted, 1: refused. A client never sees the status of a refused answer. */
#define K "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
static const struct vector responses[] = {
        V("known length", 0, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
        V("no reason", 0, "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok"),
        V("no reason and no space", 0, "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok"),
        V("UTF-8 in the reason", 0, "HTTP/1.1 200 \xc3\xa9\r\nContent-Length: 0\r\n\r\n"),
        V("odd status", 0, "HTTP/1.1 799 Odd\r\nContent-Length: 0\r\n\r\n"),
        V("chunks", 0, K "2\r\nok\r\n0\r\n\r\n"),
        V("trailers", 0, K "2\r\nok\r\n0\r\nServer-Timing: a\r\n\r\n"),
        V("until close", 0, "HTTP/1.1 200 OK\r\n\r\nall of it"),
        V("HTTP/1.0", 0, "HTTP/1.0 200 OK\r\n\r\nall of it"),
        V("HTTP/1.0 with keep-alive", 0,
                "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok"),
        V("204", 0, "HTTP/1.1 204 No Content\r\n\r\n"),
        V("204 with a length", 0, "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n"),
        V("304 with a length", 0, "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"),
        V("interim", 0,
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 "
                "200 OK\r\nContent-Length: 2\r\n\r\nok"),
        V("Upgrade offered", 0,
                "HTTP/1.1 200 OK\r\nUpgrade: h2\r\nConnection: upgrade\r\nContent-Length: "
                "2\r\n\r\nok"),
        V("CL and TE", 1,
                "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: "
                "chunked\r\n\r\n0\r\n\r\n"),
        V("two unlike lengths", 1,
                "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nhello"),
        V("two like lengths", 1,
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello"),
        V("list of lengths", 1, "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello"),
        V("letter after the length", 1, "HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nhello"),
        V("negative length", 1, "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
        V("bare CR", 1, "HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 2\r\n\r\nok"),
        V("bare LF", 1, "HTTP/1.1 200 OK\nContent-Length: 2\n\nok"),
        V("NUL in a value", 1, "HTTP/1.1 200 OK\r\nX: \0\r\nContent-Length: 2\r\n\r\nok"),
        V("NUL in the reason", 1, "HTTP/1.1 200 O\0\r\nContent-Length: 2\r\n\r\nok"),
        V("folded value", 1, "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 2\r\n\r\nok"),
        V("space before the colon", 1, "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok"),
        V("TE on HTTP/1.0", 1, "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        V("unknown coding", 1, "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"),
        V("gzip before chunked", 1,
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        V("bad chunk size", 1, K "2x\r\nok\r\n0\r\n\r\n"),
        V("bad chunk end", 1, K "2\r\nokX\r\n0\r\n\r\n"),
        V("LF alone after the size", 1, K "2\nok\r\n0\r\n\r\n"),
        V("101", 1,
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
        V("HTTP/2 in the status line", 1, "HTTP/2 200\r\n\r\n"),
        V("HTTP/1.2", 1, "HTTP/1.2 200 OK\r\n\r\n"),
        V("status of two digits", 1, "HTTP/1.1 20 OK\r\n\r\n"),
        V("status of four digits", 1, "HTTP/1.1 2000 OK\r\n\r\n"),
        V("status below 100", 1, "HTTP/1.1 099 OK\r\n\r\n"),
        V("signed status", 1, "HTTP/1.1 +20 OK\r\n\r\n"),
        V("two spaces before the status", 1, "HTTP/1.1  200 OK\r\n\r\n"),
        V("empty line first", 1, "\r\nHTTP/1.1 200 OK\r\n\r\n"),
        V("ICY", 1, "ICY 200 OK\r\n\r\n"),
        V("no HTTP at all", 1, "220 mail.example ESMTP\r\n\r\n"),
};
#undef K

Test(http_vectors, requests_are_judged_as_written_here)
{
	for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
		int status = verdict(HTTP_REQUEST, requests[i].bytes);
		cr_expect_eq(status, requests[i].status, "%s: %d, not %d", requests[i].what, status,
		        requests[i].status);
	}
}

Test(http_vectors, responses_are_judged_as_written_here)
{
	for (size_t i = 0; i < ARRAY_LEN(responses); i++) {
		int refused = verdict(HTTP_RESPONSE, responses[i].bytes) != 0;
		cr_expect_eq(refused, responses[i].status, "%s", responses[i].what);
	}
}

static void same_in_pieces(enum http_parser_kind kind, const struct vector *v)
{
	struct story whole = {0};
	parse_in_pieces(&whole, kind, v->bytes, SIZE_MAX);
	for (size_t step = 1; step < 24; step++) {
		struct story pieces = {0};
		parse_in_pieces(&pieces, kind, v->bytes, step);
		cr_expect_str_eq(buf_cstr(&pieces.text), buf_cstr(&whole.text),
		        "%s, %zu bytes at a time", v->what, step);
		buf_finish(&pieces.text);
	}
	buf_finish(&whole.text);
}

Test(http_vectors, pieces_of_any_size_tell_the_same_story)
{
	for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
		same_in_pieces(HTTP_REQUEST, &requests[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(responses); i++) {
		same_in_pieces(HTTP_RESPONSE, &responses[i]);
	}
}

Test(http_vectors, two_accepted_messages_in_a_row_are_two_messages)
{
	for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
		if (requests[i].status) {
			continue;
		}
		struct story s = {0};
		struct buf twice = {0};
		buf_append_span(&twice, requests[i].bytes);
		buf_append_span(&twice, requests[i].bytes);
		parse_in_pieces(&s, HTTP_REQUEST, buf_span(&twice), SIZE_MAX);
		cr_expect_eq(s.completes, 2, "%s", requests[i].what);
		buf_finish(&s.text);
		buf_finish(&twice);
	}
}
