/* One exchange with a backend: request, answer, and how it ends. */
#include "tests/unit/upstream_bench.h"

Test(upstream, sends_target_and_fields_as_they_are)
{
	struct server s;
	struct bench b;
	struct talk k = {0};
	struct http_field fields[] = {
	        {SPAN("X-B"), SPAN("2")},
	        {SPAN("accept"), SPAN("text/plain")},
	        {SPAN("X-Empty"), SPAN("")},
	        {SPAN("x-b"), SPAN("1")},
	        {SPAN("Authorization"), SPAN("Bearer k")},
	};
	struct upstream_request request = {
	        .method = SPAN("QUERY"),
	        .target = SPAN("/v1//a/../b?x=%7e{}\\|\""),
	        .fields = fields,
	        .n_fields = ARRAY_LEN(fields),
	};
	canned = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
	server_start(&s, serve_canned);
	bench_open(&b, s.port, 0);
	ask(&k, &b, &request);
	bench_close(&b);
	server_stop(&s);
	char expected[256];
	snprintf(expected, sizeof(expected),
	        "QUERY /v1//a/../b?x=%%7e{}\\|\" HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX-B: 2\r\n"
	        "accept: text/plain\r\nX-Empty:\r\nx-b: 1\r\nAuthorization: Bearer k\r\n\r\n",
	        s.port);
	is(s.received, expected);
	is(k.heads, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
	is(k.body, "ok");
	cr_assert_eq(k.end.reason, UPSTREAM_DONE);
	cr_assert(k.end.has_head);
	cr_assert_gt(k.end.connect_us, 0);
	talk_finish(&k);
	buf_finish(&s.received);
}

Test(upstream, refuses_fields_that_would_forge_others)
{
	struct server s;
	struct bench b;
	server_start(&s, serve_canned);
	canned = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
	bench_open(&b, s.port, 0);
	struct http_field bad[] = {
	        {SPAN("X"), SPAN("a\r\nEvil: 1")},
	        {SPAN("X"), SPAN("a\nEvil: 1")},
	        {SPAN("X"), SPAN("a\0b")},
	        {SPAN("X: y\r\nZ"), SPAN("a")},
	        {SPAN("X:Y"), SPAN("a")},
	        {SPAN(""), SPAN("a")},
	        {SPAN("content-length"), SPAN("5")},
	        {SPAN("Transfer-Encoding"), SPAN("chunked")},
	};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct talk k = {0};
		struct upstream_request request = get;
		request.fields = &bad[i];
		request.n_fields = 1;
		struct upstream *u = upstream_create(b.transport, &events, &k);
		cr_assert_eq(upstream_start(u, &request), -EINVAL);
		upstream_destroy(u);
	}
	struct upstream_request request = get;
	request.target = SPAN("/a HTTP/1.1\r\nX: y");
	struct talk k = {0};
	struct upstream *u = upstream_create(b.transport, &events, &k);
	cr_assert_eq(upstream_start(u, &request), -EINVAL);
	upstream_destroy(u);
	ask(&k, &b, &get);
	cr_assert_eq(k.end.reason, UPSTREAM_DONE);
	bench_close(&b);
	server_stop(&s);
	talk_finish(&k);
	buf_finish(&s.received);
}

static void serve_post(struct server *s)
{
	int fd = take(s);
	read_head(s, fd);
	if (strstr(buf_cstr(&s->received), "chunked")) {
		size_t start = s->received.len;
		while (!strstr(buf_cstr(&s->received) + start, "0\r\n\r\n")) {
			read_bytes(s, fd, 1);
		}
	} else {
		read_bytes(s, fd, 11);
	}
	say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
	close(fd);
}

static void upload(bool chunked, const char *tail, size_t piece)
{
	struct server s;
	struct bench b;
	struct talk k = {.piece = piece};
	struct http_field type = {SPAN("Content-Type"), SPAN("application/json")};
	struct upstream_request request = post(&k, "hello world", chunked);
	request.fields = &type;
	request.n_fields = 1;
	server_start(&s, serve_post);
	bench_open(&b, s.port, 0);
	ask(&k, &b, &request);
	bench_close(&b);
	server_stop(&s);
	char expected[256];
	snprintf(expected, sizeof(expected),
	        "POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: "
	        "application/json\r\n%s",
	        s.port, tail);
	is(s.received, expected);
	cr_assert_eq(k.end.reason, UPSTREAM_DONE);
	talk_finish(&k);
	buf_finish(&s.received);
}

Test(upstream, uploads_a_body_of_known_length)
{
	upload(false, "Content-Length: 11\r\n\r\nhello world", 0);
}

Test(upstream, uploads_a_body_of_unknown_length_in_chunks)
{
	upload(true,
	        "Transfer-Encoding: chunked\r\n\r\n4\r\nhell\r\n4\r\no wo\r\n3\r\nrld\r\n0\r\n\r\n",
	        4);
}

static void on_feed_body(uv_timer_t *timer)
{
	struct talk *k = timer->data;
	k->no_data = false;
	upstream_body_ready(k->upstream);
	uv_close((uv_handle_t *)timer, NULL);
}

Test(upstream, waits_for_a_body_that_comes_late)
{
	struct server s;
	struct bench b;
	struct talk k = {.no_data = true};
	struct upstream_request request = post(&k, "hello world", true);
	server_start(&s, serve_post);
	bench_open(&b, s.port, 0);
	talk_start(&k, &b, &request);
	uv_timer_t later;
	uv_timer_init(&b.loop, &later);
	later.data = &k;
	uv_timer_start(&later, on_feed_body, 50, 0);
	talk_wait(&k);
	bench_close(&b);
	server_stop(&s);
	cr_assert_not_null(strstr(buf_cstr(&s.received), "b\r\nhello world\r\n0\r\n\r\n"));
	cr_assert_eq(k.end.reason, UPSTREAM_DONE);
	talk_finish(&k);
	buf_finish(&s.received);
}

Test(upstream, gives_up_when_the_body_source_fails)
{
	struct server s;
	struct bench b;
	struct talk k = {.pull_error = -EIO};
	struct upstream_request request = post(&k, "hello world", false);
	server_start(&s, serve_until_gone);
	bench_open(&b, s.port, 0);
	ask(&k, &b, &request);
	cr_assert_eq(k.end.reason, UPSTREAM_BODY_FAILED);
	server_stop(&s);
	bench_close(&b);
	talk_finish(&k);
}

Test(upstream, gives_up_when_the_body_is_shorter_than_said)
{
	struct server s;
	struct bench b;
	struct talk k = {0};
	struct upstream_request request = post(&k, "hello world", false);
	request.body_length = 12;
	server_start(&s, serve_until_gone);
	bench_open(&b, s.port, 0);
	ask(&k, &b, &request);
	cr_assert_eq(k.end.reason, UPSTREAM_BODY_FAILED);
	server_stop(&s);
	bench_close(&b);
	talk_finish(&k);
}

static void serve_early_401(struct server *s)
{
	int fd = take(s);
	read_head(s, fd);
	buf_clear(&s->received);
	say(fd, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 6\r\n\r\ndenied");
	char c[65536];
	ssize_t n;
	while ((n = recv(fd, c, sizeof(c), 0)) > 0) {
		atomic_fetch_add(&s->stage, (int)n);
	}
	close(fd);
}

Test(upstream, takes_an_early_answer_and_stops_the_upload)
{
	struct server s;
	struct bench b;
	struct talk k = {0};
	char *body = xcalloc(1, LARGE);
	struct upstream_request request = post(&k, "", false);
	k.send = body;
	k.send_len = LARGE;
	request.body_length = (int64_t)LARGE;
	server_start(&s, serve_early_401);
	bench_open(&b, s.port, 0);
	ask(&k, &b, &request);
	bench_close(&b);
	server_stop(&s);
	cr_assert_eq(k.status, 401);
	is(k.body, "denied");
	cr_assert_eq(k.end.reason, UPSTREAM_DONE);
	cr_assert_lt(atomic_load(&s.stage), (int)(LARGE / 2));
	free(body);
	talk_finish(&k);
	buf_finish(&s.received);
}

Test(upstream, passes_interim_answers_on)
{
	struct talk k = {0};
	ask_canned(&k,
	        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
	        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
	        &get);
	cr_assert_eq(k.interims, 1);
	cr_assert_eq(k.status, 200);
	is(k.heads, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
	            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
	cr_assert_eq(k.end.reason, UPSTREAM_DONE);
	talk_finish(&k);
}

Test(upstream, lets_go_of_interim_answers_that_nobody_wants_to_hear_of)
{
	static const struct upstream_events deaf = {NULL, on_head, on_body, on_end};
	struct server s;
	struct bench b;
	struct talk k = {.bench = &b};
	canned = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
	         "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
	server_start(&s, serve_canned);
	bench_open(&b, s.port, 0);
	k.upstream = upstream_create(b.transport, &deaf, &k);
	cr_assert_eq(upstream_start(k.upstream, &get), 0);
	talk_wait(&k);
	is(k.body, "ok");
	cr_assert_eq(k.end.reason, UPSTREAM_DONE);
	bench_close(&b);
	server_stop(&s);
	talk_finish(&k);
	buf_finish(&s.received);
}

Test(upstream, ends_a_HEAD_answer_at_its_head)
{
	struct talk k = {0};
	struct upstream_request request = get;
	request.method = SPAN("HEAD");
	canned_keeps = true;
	ask_canned(&k, "HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n", &request);
	cr_assert_eq(k.status, 200);
	cr_assert_eq(k.body.len, 0);
	cr_assert_eq(k.end.reason, UPSTREAM_DONE);
	talk_finish(&k);
}

Test(upstream, ends_204_and_304_at_their_heads)
{
	static const char *const answers[] = {
	        "HTTP/1.1 204 No Content\r\n\r\n",
	        "HTTP/1.1 304 Not Modified\r\nContent-Length: 12\r\nETag: \"a\"\r\n\r\n",
	};
	canned_keeps = true;
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		struct talk k = {0};
		ask_canned(&k, answers[i], &get);
		is(k.heads, answers[i]);
		cr_assert_eq(k.body.len, 0);
		cr_assert_eq(k.end.reason, UPSTREAM_DONE);
		talk_finish(&k);
	}
}

Test(upstream, undoes_chunks_and_drops_trailers)
{
	struct talk k = {0};
	canned_keeps = true;
	ask_canned(&k,
	        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	        "5;x=y\r\nhello\r\n6\r\n world\r\n0\r\nX-Sum: 1\r\n\r\n",
	        &get);
	is(k.body, "hello world");
	cr_assert_eq(k.end.reason, UPSTREAM_DONE);
	talk_finish(&k);
}

Test(upstream, leaves_encoded_bodies_as_they_are)
{
	struct talk k = {0};
	ask_canned(&k,
	        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b!",
	        &get);
	is(k.body, "\x1f\x8b!");
	cr_assert_eq(k.end.reason, UPSTREAM_DONE);
	talk_finish(&k);
}

Test(upstream, reads_until_the_connection_closes)
{
	struct talk k = {0};
	ask_canned(&k, "HTTP/1.1 200 OK\r\n\r\nall there is", &get);
	is(k.body, "all there is");
	cr_assert_eq(k.framing, HTTP_UNTIL_CLOSE);
	cr_assert_eq(k.end.reason, UPSTREAM_DONE);
	talk_finish(&k);
}

Test(upstream, reads_an_http_1_0_answer)
{
	struct talk k = {0};
	ask_canned(&k, "HTTP/1.0 200 OK\r\nServer: BaseHTTP/0.6\r\n\r\nall there is", &get);
	is(k.body, "all there is");
	cr_assert_eq(k.end.reason, UPSTREAM_DONE);
	talk_finish(&k);
}

static void serve_old_keep_alive(struct server *s)
{
	int fd = take(s);
	read_head(s, fd);
	say(fd, "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok");
	int second = take(s);
	read_head(s, second);
	read_bytes(s, second, strlen("b\r\nhello world\r\n0\r\n\r\n"));
	say(second, "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nfresh");
	close(second);
	close(fd);
}

Test(upstream, speaks_1_1_again_after_an_http_1_0_answer)
{
	struct server s;
	struct bench b;
	struct talk first = {0}, second = {0};
	server_start(&s, serve_old_keep_alive);
	bench_open(&b, s.port, 0);
	ask(&first, &b, &get);
	is(first.body, "ok");
	struct upstream_request request = post(&second, "hello world", true);
	ask(&second, &b, &request);
	cr_assert_eq(second.end.reason, UPSTREAM_DONE, "%s", buf_cstr(&second.end_text));
	is(second.body, "fresh");
	cr_assert_not_null(strstr(buf_cstr(&s.received), "POST /v1/completions HTTP/1.1\r\n"));
	bench_close(&b);
	server_stop(&s);
	talk_finish(&first);
	talk_finish(&second);
	buf_finish(&s.received);
}

Test(upstream, says_when_an_answer_breaks_off)
{
	static const char *const answers[] = {
	        "",
	        "HTTP/1.1 200 OK\r\nContent-Le",
	        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhell",
	        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
	        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
	        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
	        "HTTP/1.1 100 Continue\r\n\r\n",
	};
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		struct talk k = {0};
		ask_canned(&k, answers[i], &get);
		cr_assert_eq(k.end.reason, UPSTREAM_BROKEN, "answer %zu: reason %d, %s", i,
		        k.end.reason, buf_cstr(&k.end_text));
		cr_assert_eq(k.end.has_head, k.status != 0);
		talk_finish(&k);
	}
}

Test(upstream, refuses_answers_that_can_be_read_in_two_ways)
{
	static const char *const answers[] = {
	        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nTransfer-Encoding: "
	        "chunked\r\n\r\n0\r\n\r\n",
	        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nhello",
	        "HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nhello",
	        "HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 5\r\n\r\nhello",
	        "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello",
	        "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 5\r\n\r\nhello",
	        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello",
	        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5x\r\nhello\r\n0\r\n\r\n",
	        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
	        "HTTP/2 200\r\nContent-Length: 5\r\n\r\nhello",
	        "hello\n",
	};
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		struct talk k = {0};
		ask_canned(&k, answers[i], &get);
		cr_assert_eq(k.end.reason, UPSTREAM_BAD_ANSWER, "answer %zu: reason %d, %s", i,
		        k.end.reason, buf_cstr(&k.end_text));
		talk_finish(&k);
	}
}

Test(upstream, refuses_a_head_without_end)
{
	struct talk k = {0};
	struct buf head = {0};
	buf_append_str(&head, "HTTP/1.1 200 OK\r\n");
	for (int i = 0; i < 3000; i++) {
		buf_printf(&head, "X-%d: 0123456789012345678901234567890123456789\r\n", i);
	}
	ask_canned(&k, buf_cstr(&head), &get);
	cr_assert_eq(k.end.reason, UPSTREAM_BAD_ANSWER);
	buf_finish(&head);
	talk_finish(&k);
}

Test(upstream, says_when_nobody_listens)
{
	struct server s = {0};
	struct bench b;
	struct talk k = {0};
	server_bind(&s);
	bench_open(&b, s.port, 0);
	ask(&k, &b, &get);
	cr_assert_eq(k.end.reason, UPSTREAM_REFUSED);
	cr_assert_not(k.end.has_head);
	cr_assert_str_eq(buf_cstr(&k.end_text), "connection refused");
	bench_close(&b);
	close(s.fd);
	talk_finish(&k);
}

Test(upstream, says_when_a_name_is_unknown_and_keeps_its_password)
{
	struct bench b;
	struct talk k = {0};
	bench_open_url(&b,
	        &(struct upstream_target){.url = "http://user:hush@no-such-host.invalid:81/v1"});
	ask(&k, &b, &get);
	cr_assert_eq(k.end.reason, UPSTREAM_REFUSED);
	cr_assert_not_null(strstr(buf_cstr(&k.end_text), "host"), "%s", buf_cstr(&k.end_text));
	cr_assert_null(strstr(buf_cstr(&k.end_text), "hush"));
	bench_close(&b);
	talk_finish(&k);
}
