#include "base/http.h"

#include <dirent.h>

#include "tests/unit/http_story.h"

static void expect_story(enum http_parser_kind kind, const char *bytes, const char *expected)
{
	struct story s = {0};
	parse_in_pieces(&s, kind, span_of(bytes), SIZE_MAX);
	cr_expect_str_eq(buf_cstr(&s.text), expected);
	buf_finish(&s.text);
}

Test(http, tells_a_request_as_it_stands)
{
	expect_story(HTTP_REQUEST,
	        "POST /v1/x?a=b HTTP/1.1\r\nHost: a\r\nX-A:  1 2 \t\r\ncontent-LENGTH: "
	        "5\r\n\r\nhello",
	        "raw=POST /v1/x?a=b HTTP/1.1\r\nHost: a\r\nX-A:  1 2 \t\r\ncontent-LENGTH: "
	        "5\r\n\r\n\n"
	        "method=POST\ntarget=/v1/x?a=b\nreason=\n"
	        "status=0 minor=1 framing=1 length=5 keep=1 expects=0 upgrade=0\n"
	        "name=Host\nvalue=a\nname=X-A\nvalue=1 2\nname=content-LENGTH\nvalue=5\n"
	        "body=hello\ncomplete\n\neof=0\n");
}

Test(http, tells_a_response_as_it_stands)
{
	expect_story(HTTP_RESPONSE, "HTTP/1.0 404 Not  Found\r\nServer: BaseHTTP/0.6\r\n\r\nno",
	        "raw=HTTP/1.0 404 Not  Found\r\nServer: BaseHTTP/0.6\r\n\r\n\n"
	        "method=\ntarget=\nreason=Not  Found\n"
	        "status=404 minor=0 framing=3 length=-1 keep=0 expects=0 upgrade=0\n"
	        "name=Server\nvalue=BaseHTTP/0.6\nbody=no\ncomplete\n\neof=0\n");
}

Test(http, stops_right_after_each_message)
{
	static const char first[] =
	        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
	        "1\r\nx\r\n0\r\nT: 1\r\n\r\n";
	static const char second[] = "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n";
	char both[sizeof(first) + sizeof(second)];
	snprintf(both, sizeof(both), "%s%s", first, second);
	struct story s = {0};
	struct http_parser *p = http_parser_create(HTTP_REQUEST, &events, &s);
	cr_assert(http_parser_idle(p));
	cr_assert_eq(http_parser_feed(p, both, strlen(both)), (ssize_t)strlen(first));
	cr_assert_eq(s.completes, 1);
	cr_assert_eq(http_parser_feed(p, second, strlen(second)), 0, "not before next");
	http_parser_next(p);
	cr_assert(http_parser_idle(p));
	cr_assert_eq(http_parser_feed(p, second, 5), 5);
	cr_assert_not(http_parser_idle(p));
	cr_assert_eq(http_parser_eof(p), -ECONNRESET);
	cr_assert_eq(
	        http_parser_feed(p, second + 5, strlen(second) - 5), (ssize_t)strlen(second) - 5);
	cr_assert_eq(s.completes, 2);
	cr_assert_eq(http_parser_eof(p), 0);
	http_parser_destroy(p);
	buf_finish(&s.text);
}

Test(http, goes_on_by_itself_after_interim_answers)
{
	struct story s = {0};
	struct span bytes = SPAN(
	        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nContent-Length: 7\r\n\r\n"
	        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
	cr_assert_eq(parse_in_pieces(&s, HTTP_RESPONSE, bytes, SIZE_MAX), 0);
	cr_assert_eq(s.completes, 1);
	cr_assert_eq(s.bodies, 2);
	buf_finish(&s.text);
}

Test(http, has_enough_of_interim_answers_at_last)
{
	struct story s = {0};
	struct buf bytes = {0};
	for (int i = 0; i < 1000; i++) {
		buf_append_str(&bytes, "HTTP/1.1 102 Processing\r\n\r\n");
	}
	cr_assert_neq(parse_in_pieces(&s, HTTP_RESPONSE, buf_span(&bytes), 1000), 0);
	buf_finish(&bytes);
	buf_finish(&s.text);
}

Test(http, an_answer_to_HEAD_ends_with_its_head)
{
	static const char *const answers[] = {
	        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
	        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
	        "HTTP/1.1 200 OK\r\n\r\n",
	};
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		struct story s = {.head_request = true};
		cr_assert_eq(parse_in_pieces(&s, HTTP_RESPONSE, span_of(answers[i]), SIZE_MAX), 0);
		cr_assert_eq(s.completes, 1);
		cr_assert_eq(s.bodies, 0);
		buf_finish(&s.text);
	}
}

Test(http, knows_an_end_from_a_break)
{
	static const struct {
		const char *bytes;
		int eof;
	} cases[] = {
	        {"", 0},
	        {"HTTP/1.1 200 OK\r\n\r\n", 0},
	        {"HTTP/1.1 200 OK\r\n\r\nx", 0},
	        {"HTTP/1.1 204 No Content\r\n\r\n", 0},
	        {"HTTP/1.1 200", -ECONNRESET},
	        {"HTTP/1.1 100 Continue\r\n\r\n", -ECONNRESET},
	        {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx", -ECONNRESET},
	        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", -ECONNRESET},
	        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n",
	                -ECONNRESET},
	        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nT: 1\r\n",
	                -ECONNRESET},
	        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", 0},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct story s = {0};
		struct http_parser *p = http_parser_create(HTTP_RESPONSE, &events, &s);
		size_t len = strlen(cases[i].bytes);
		cr_assert_eq(http_parser_feed(p, cases[i].bytes, len), (ssize_t)len);
		cr_expect_eq(http_parser_eof(p), cases[i].eof, "case %zu", i);
		http_parser_destroy(p);
		buf_finish(&s.text);
	}
}

/* A valid request except for its size. */
static int sized(size_t target, size_t fields, size_t value, size_t step)
{
	struct buf b = {0};
	buf_append_str(&b, "GET /");
	for (size_t i = 0; i < target; i++) {
		buf_append_char(&b, 'a');
	}
	buf_append_str(&b, " HTTP/1.1\r\nHost: a\r\n");
	for (size_t i = 0; i < fields; i++) {
		buf_printf(&b, "X-%zu: ", i);
		for (size_t k = 0; k < value; k++) {
			buf_append_char(&b, 'v');
		}
		buf_append_str(&b, "\r\n");
	}
	buf_append_str(&b, "\r\n");
	struct story s = {0};
	int status = parse_in_pieces(&s, HTTP_REQUEST, buf_span(&b), step);
	buf_finish(&s.text);
	buf_finish(&b);
	return status;
}

Test(http, limits_the_head)
{
	static const size_t steps[] = {SIZE_MAX, 4096, 1000, 61};
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		cr_expect_eq(sized(0, 255, 1, steps[i]), 0);
		cr_expect_eq(sized(0, 256, 1, steps[i]), 431);
		cr_expect_eq(sized(60000, 0, 0, steps[i]), 0);
		cr_expect_eq(sized(66000, 0, 0, steps[i]), 414);
		cr_expect_eq(sized(0, 1, 60000, steps[i]), 0);
		cr_expect_eq(sized(0, 1, 66000, steps[i]), 431);
		cr_expect_eq(sized(0, 200, 1000, steps[i]), 431);
	}
}

static int extended(size_t chunks, size_t extension, size_t step)
{
	struct buf b = {0};
	buf_append_str(&b, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
	for (size_t i = 0; i < chunks; i++) {
		buf_append_str(&b, "1;");
		for (size_t k = 0; k < extension; k++) {
			buf_append_char(&b, 'e');
		}
		buf_append_str(&b, "\r\nx\r\n");
	}
	buf_append_str(&b, "0\r\n\r\n");
	struct story s = {0};
	int status = parse_in_pieces(&s, HTTP_REQUEST, buf_span(&b), step);
	buf_finish(&s.text);
	buf_finish(&b);
	return status;
}

Test(http, limits_chunk_extensions_for_the_message_as_a_whole)
{
	cr_expect_eq(extended(1, 4096, SIZE_MAX), 0);
	cr_expect_eq(extended(1, 4097, SIZE_MAX), 400);
	cr_expect_eq(extended(1, 4097, 3), 400);
	cr_expect_eq(extended(64, 64, SIZE_MAX), 0);
	cr_expect_eq(extended(65, 64, 17), 400);
	cr_expect_eq(extended(5000, 1, SIZE_MAX), 400);
}

Test(http, limits_trailers)
{
	struct buf b = {0};
	buf_append_str(&b, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n");
	for (int i = 0; i < 257; i++) {
		buf_append_str(&b, "X: y\r\n");
	}
	buf_append_str(&b, "\r\n");
	cr_expect_eq(verdict(HTTP_REQUEST, buf_span(&b)), 431);
	buf_finish(&b);
}

Test(http, lets_connection_options_name_what_goes_no_further)
{
	struct http_field fields[] = {
	        {SPAN("Connection"), SPAN("close, X-Mine ,,")},
	        {SPAN("Host"), SPAN("a")},
	        {SPAN("connection"), SPAN("x-other")},
	};
	struct http_head head = {.fields = fields, .n_fields = 3, .n_connection = 2};
	static const char *const hops[] = {"connection", "Keep-Alive", "Proxy-Authorization",
	        "proxy-connection", "TE", "Trailer", "transfer-encoding", "Upgrade", "x-mine",
	        "X-Other"};
	for (size_t i = 0; i < ARRAY_LEN(hops); i++) {
		cr_expect(http_is_hop_by_hop(&head, span_of(hops[i])), "%s", hops[i]);
	}
	static const char *const ends[] = {
	        "Host", "Content-Type", "X-Min", "Trailers", "Proxy", ""};
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		cr_expect_not(http_is_hop_by_hop(&head, span_of(ends[i])), "%s", ends[i]);
	}
	cr_assert(span_is(http_field(&head, "HOST"), "a"));
	cr_assert_null(http_field(&head, "X-Mine").data);
}

Test(http, says_what_the_message_says_about_the_connection)
{
	static const struct {
		const char *bytes;
		bool keep, expects, upgrade;
	} cases[] = {
	        {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", true, false, false},
	        {"GET / HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n", false, false, false},
	        {"GET / HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, close\r\n\r\n", false, false,
	                false},
	        {"GET / HTTP/1.0\r\n\r\n", false, false, false},
	        {"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true, false, false},
	        {"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", true,
	                false, true},
	        {"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\n\r\n", true, false, false},
	        {"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 0\r\n\r\n",
	                true, true, false},
	        {"POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n", false,
	                false, false},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct story s = {0};
		cr_assert_eq(
		        parse_in_pieces(&s, HTTP_REQUEST, span_of(cases[i].bytes), SIZE_MAX), 0);
		cr_expect_eq(s.last.keep_alive, cases[i].keep, "case %zu", i);
		cr_expect_eq(s.last.expects_continue, cases[i].expects, "case %zu", i);
		cr_expect_eq(s.last.upgrade, cases[i].upgrade, "case %zu", i);
		buf_finish(&s.text);
	}
}

static void read_whole(const char *path, struct buf *to)
{
	FILE *f = fopen(path, "rb");
	cr_assert_not_null(f, "%s", path);
	size_t n;
	while ((n = fread(buf_reserve(to, 65536), 1, 65536, f)) > 0) {
		to->len += n;
	}
	fclose(f);
}

static size_t golden_file(const char *directory, const char *name)
{
	bool response = strstr(name, ".response") != NULL;
	if (!response && !strstr(name, ".request")) {
		return 0;
	}
	char path[1024];
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	struct buf bytes = {0};
	struct story whole = {0}, pieces = {0};
	read_whole(path, &bytes);
	enum http_parser_kind kind = response ? HTTP_RESPONSE : HTTP_REQUEST;
	cr_expect_eq(parse_in_pieces(&whole, kind, buf_span(&bytes), SIZE_MAX), 0, "%s", path);
	/* Some requests got no answer at all. */
	cr_expect_eq(whole.completes, bytes.len > 0, "%s", path);
	parse_in_pieces(&pieces, kind, buf_span(&bytes), 13);
	cr_expect_str_eq(buf_cstr(&pieces.text), buf_cstr(&whole.text), "%s", path);
	buf_finish(&bytes);
	buf_finish(&whole.text);
	buf_finish(&pieces.text);
	return 1;
}

static size_t golden_directory(const char *path)
{
	size_t n = 0;
	DIR *dir = opendir(path);
	cr_assert_not_null(dir, "%s", path);
	for (struct dirent *entry; (entry = readdir(dir));) {
		n += golden_file(path, entry->d_name);
	}
	closedir(dir);
	return n;
}

Test(http, reads_what_real_engines_and_clients_sent)
{
	const char *root = getenv("GOLDEN_DIR");
	cr_assert_not_null(root, "GOLDEN_DIR is not set");
	size_t n = 0;
	DIR *dir = opendir(root);
	cr_assert_not_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));) {
		char path[768];
		snprintf(path, sizeof(path), "%s/%s", root, entry->d_name);
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.') {
			n += golden_directory(path);
		}
	}
	closedir(dir);
	cr_assert_gt(n, 400);
}
