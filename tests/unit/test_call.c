#include "backends/transport/call.h"

#include "upstream_bench.h"

#define OK_HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

static struct call_line *line_to(const struct server *s)
{
	char *url = xasprintf("http://127.0.0.1:%d/base/", s->port), *error = NULL;
	struct call_line *c = call_line_create(
	        &(struct call_line_settings){.url = url, .api_key = "sesame"}, &error);
	cr_assert(c, "%s", error);
	free(url);
	return c;
}

static const char *text_of(struct buf *b)
{
	return buf_cstr(b);
}

/* Answers each connection's first request, then keeps it open until the client disconnects. */
static const char *speech;

static void serve_speech(struct server *s)
{
	int fd = take(s);
	read_head(s, fd);
	say(fd, speech);
	while (read_head(s, fd)) {
	}
	close(fd);
}

static void serve_speech_and_close(struct server *s)
{
	int fd = take(s);
	read_head(s, fd);
	say(fd, speech);
	close(fd);
}

static void serve_two(struct server *s)
{
	int fd = take(s);
	read_head(s, fd);
	say(fd, OK_HEAD "Content-Length: 3\r\n\r\none");
	if (read_head(s, fd)) {
		read_bytes(s, fd, 9);
		say(fd, OK_HEAD "Content-Length: 3\r\n\r\ntwo");
	}
	while (read_head(s, fd)) {
	}
	close(fd);
}

Test(call, keeps_its_connection_and_sends_key_and_body)
{
	struct server s;
	server_start(&s, serve_two);
	struct call_line *c = line_to(&s);
	struct call_answer a;
	call_do(c, &(struct call){.path = "v1/models"}, &a);
	cr_assert_eq(a.end, CALL_DONE, "%s", a.problem);
	cr_assert_eq(a.status, 200);
	cr_assert_eq(a.minor, 1);
	cr_assert_not(a.kept);
	cr_assert_null(a.problem);
	cr_assert_str_eq(text_of(&a.body), "one");
	cr_assert(span_is(call_header(&a, "content-type"), "application/json"));
	cr_assert_eq(call_header(&a, "server").len, 0);
	call_answer_finish(&a);
	call_do(c, &(struct call){.path = "/generate", .body = SPAN("{\"a\": 1} ")}, &a);
	cr_assert_str_eq(text_of(&a.body), "two");
	cr_assert(a.kept);
	cr_assert_leq(a.first_us, a.total_us);
	call_answer_finish(&a);
	call_line_destroy(c);
	server_stop(&s);
	const char *received = buf_cstr(&s.received);
	cr_assert(strstr(received, "GET /base/v1/models HTTP/1.1\r\n"), "%s", received);
	cr_assert(strstr(received, "POST /base/generate HTTP/1.1\r\n"), "%s", received);
	cr_assert(strstr(received, "Authorization: Bearer sesame\r\n"), "%s", received);
	cr_assert(strstr(received, "Content-Length: 9\r\n"), "%s", received);
	cr_assert_null(strstr(received, "Expect"));
	cr_assert_eq(atomic_load(&s.connections), 1);
	buf_finish(&s.received);
}

static struct call_answer call_once(
        void (*serve)(struct server *s), const char *says, struct call call)
{
	struct server s;
	speech = says;
	server_start(&s, serve);
	struct call_line *c = line_to(&s);
	struct call_answer a;
	call.path = "v1/models";
	call_do(c, &call, &a);
	call_line_destroy(c);
	server_stop(&s);
	buf_finish(&s.received);
	return a;
}

Test(call, reads_an_http_1_0_answer_to_the_end_of_its_connection)
{
	struct call_answer a = call_once(serve_speech_and_close,
	        "HTTP/1.0 200 OK\r\nServer: BaseHTTP/0.6\r\n\r\nall of it", (struct call){0});
	cr_assert_eq(a.end, CALL_DONE);
	cr_assert_eq(a.minor, 0);
	cr_assert_str_eq(text_of(&a.body), "all of it");
	call_answer_finish(&a);
}

Test(call, a_header_is_found_in_a_head_that_breaks_off)
{
	struct call_answer a = {0};
	buf_append_str(&a.head, "HTTP/1.1 200 OK\nserver: llama.cpp");
	cr_expect(span_is(call_header(&a, "server"), "llama.cpp"));
	cr_expect_null(call_header(&a, "link").data);
	call_answer_finish(&a);
}

Test(call, takes_the_last_head_and_undoes_chunks)
{
	struct call_answer a = call_once(serve_speech,
	        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" OK_HEAD
	        "Transfer-Encoding: chunked\r\nX-Empty:\r\n\r\n3\r\nfoo\r\n3\r\nbar\r\n0\r\n\r\n",
	        (struct call){0});
	cr_assert_eq(a.end, CALL_DONE);
	cr_assert_str_eq(text_of(&a.body), "foobar");
	cr_assert_eq(call_header(&a, "link").len, 0);
	cr_assert_eq(call_header(&a, "x-empty").len, 0);
	call_answer_finish(&a);
}

Test(call, an_engine_that_never_answers_ends_by_the_timeout)
{
	uint64_t start = clock_mono();
	struct call_answer a = call_once(serve_speech, "", (struct call){.timeout_ms = PATIENCE});
	cr_assert_eq(a.end, CALL_TIMEOUT);
	cr_assert_eq(a.status, 0);
	cr_assert_eq(a.minor, -1);
	cr_assert(strstr(a.problem, "4.0 s"), "%s", a.problem);
	cr_assert_lt(clock_mono() - start, 20000 * MS);
	call_answer_finish(&a);
}

Test(call, what_came_before_a_timeout_is_there)
{
	struct call_answer a = call_once(serve_speech, OK_HEAD "Content-Length: 100\r\n\r\nhalf",
	        (struct call){.timeout_ms = PATIENCE});
	cr_assert_eq(a.end, CALL_TIMEOUT);
	cr_assert_eq(a.status, 200);
	cr_assert_str_eq(text_of(&a.body), "half");
	call_answer_finish(&a);
}

Test(call, an_answer_that_breaks_off_is_broken)
{
	struct call_answer a = call_once(serve_speech_and_close,
	        OK_HEAD "Content-Length: 100\r\n\r\nhalf", (struct call){0});
	cr_assert_eq(a.end, CALL_BROKEN);
	cr_assert_str_eq(text_of(&a.body), "half");
	call_answer_finish(&a);
	a = call_once(serve_speech_and_close, "", (struct call){0});
	cr_assert_eq(a.end, CALL_BROKEN);
	cr_assert_eq(a.status, 0);
	call_answer_finish(&a);
	a = call_once(serve_speech_and_close, "SSH-2.0-OpenSSH_9.2\r\n", (struct call){0});
	cr_assert_neq(a.end, CALL_DONE);
	cr_assert_eq(a.status, 0);
	call_answer_finish(&a);
}

static void serve_endlessly(struct server *s)
{
	int fd = take(s);
	char block[4096];
	memset(block, 'x', sizeof(block));
	read_head(s, fd);
	say(fd, OK_HEAD "\r\n");
	while (send(fd, block, sizeof(block), 0) > 0) {
	}
	close(fd);
}

Test(call, an_endless_body_is_cut_at_the_limit)
{
	struct call_answer a = call_once(serve_endlessly, NULL, (struct call){.limit = 10000});
	cr_assert_eq(a.end, CALL_TOO_LARGE);
	cr_assert_eq(a.body.len, 10000);
	call_answer_finish(&a);
}

static bool enough(void *arg, uint64_t us, const char *data, size_t len)
{
	size_t *left = arg;
	*left -= MIN(*left, len);
	return *left > 0;
}

Test(call, whoever_listens_can_have_enough)
{
	size_t left = 50000;
	struct call_answer a =
	        call_once(serve_endlessly, NULL, (struct call){.on_data = enough, .arg = &left});
	cr_assert_eq(a.end, CALL_STOPPED);
	cr_assert_geq(a.body.len, 50000);
	call_answer_finish(&a);
}

struct stopping {
	struct server *server;
	struct call_line *line;
};

/* Stops the call once it has its connection. */
static void *stop_soon(void *arg)
{
	struct stopping *s = arg;
	while (atomic_load(&s->server->connections) == 0) {
		usleep(500);
	}
	usleep(100000);
	call_line_stop(s->line);
	return NULL;
}

Test(call, another_thread_stops_it_and_all_later_ones)
{
	struct server s;
	speech = "";
	server_start(&s, serve_speech);
	struct call_line *c = line_to(&s);
	pthread_t thread;
	struct stopping stopping = {&s, c};
	uint64_t start = clock_mono();
	cr_assert_eq(pthread_create(&thread, NULL, stop_soon, &stopping), 0);
	struct call_answer a;
	call_do(c, &(struct call){.path = "/", .timeout_ms = 60000}, &a);
	cr_assert_eq(a.end, CALL_STOPPED);
	cr_assert_lt(clock_mono() - start, 20000 * MS);
	call_answer_finish(&a);
	call_do(c, &(struct call){.path = "/"}, &a);
	cr_assert_eq(a.end, CALL_STOPPED);
	call_answer_finish(&a);
	pthread_join(thread, NULL);
	call_line_destroy(c);
	server_stop(&s);
	buf_finish(&s.received);
}

static void serve_late_answer(struct server *s)
{
	int fd = take(s);
	read_head(s, fd);
	say(fd, OK_HEAD "Content-Length: 2\r\n\r\nok");
	say(fd, OK_HEAD "Content-Length: 4\r\n\r\nEVIL");
	atomic_store(&s->stage, 1);
	int second = take(s);
	read_head(s, second);
	say(second, OK_HEAD "Content-Length: 4\r\n\r\nmine");
	close(second);
	close(fd);
}

Test(call, bytes_that_nobody_asked_for_are_not_the_next_answer)
{
	struct server s;
	server_start(&s, serve_late_answer);
	struct call_line *c = line_to(&s);
	struct call_answer a;
	call_do(c, &(struct call){.path = "/"}, &a);
	call_answer_finish(&a);
	wait_stage(&s, 1);
	wait_arrived(&s);
	call_do(c, &(struct call){.path = "/"}, &a);
	cr_assert_str_eq(text_of(&a.body), "mine");
	call_answer_finish(&a);
	call_line_destroy(c);
	server_stop(&s);
	buf_finish(&s.received);
}

static void serve_fresh(struct server *s)
{
	for (int i = 0; i < 2; i++) {
		int fd = take(s);
		read_head(s, fd);
		say(fd, OK_HEAD "Content-Length: 2\r\n\r\nok");
		while (read_head(s, fd)) {
			say(fd, OK_HEAD "Content-Length: 2\r\n\r\nno");
		}
		close(fd);
	}
}

Test(call, a_fresh_call_has_a_connection_of_its_own)
{
	struct server s;
	server_start(&s, serve_fresh);
	struct call_line *c = line_to(&s);
	for (int i = 0; i < 2; i++) {
		struct call_answer a;
		call_do(c, &(struct call){.path = "/", .fresh = true}, &a);
		cr_assert_eq(a.end, CALL_DONE);
		cr_assert_not(a.kept);
		cr_assert_str_eq(text_of(&a.body), "ok");
		call_answer_finish(&a);
	}
	call_line_destroy(c);
	server_stop(&s);
	buf_finish(&s.received);
}

Test(call, nobody_there_is_refused_in_a_sentence)
{
	struct server s = {0};
	server_bind(&s);
	struct call_line *c = line_to(&s);
	struct call_answer a;
	call_do(c, &(struct call){.path = "/"}, &a);
	cr_assert_eq(a.end, CALL_REFUSED);
	cr_assert(strstr(a.problem, "connection refused"), "%s", a.problem);
	call_answer_finish(&a);
	call_line_destroy(c);
	close(s.fd);
}

Test(call, a_redirect_is_not_followed)
{
	struct call_answer a = call_once(serve_speech,
	        "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/x\r\nContent-Length: 0\r\n\r\n",
	        (struct call){0});
	cr_assert_eq(a.end, CALL_DONE);
	cr_assert_eq(a.status, 302);
	call_answer_finish(&a);
}

Test(call, an_oversize_head_does_not_get_through)
{
	struct buf head = {0};
	buf_append_str(&head, OK_HEAD);
	for (int i = 0; i < 40000; i++) {
		buf_printf(&head, "X-%d: some words that nobody reads\r\n", i);
	}
	buf_append_str(&head, "\r\n");
	struct call_answer a = call_once(serve_speech_and_close, buf_cstr(&head), (struct call){0});
	cr_assert_eq(a.end, CALL_BROKEN);
	cr_assert_lt(a.head.len, 1 << 20);
	call_answer_finish(&a);
	buf_finish(&head);
}

Test(call, what_is_no_url_is_said_to_be_none)
{
	static const char *const wrong[] = {"", "localhost:80", "ftp://host/", "http://",
	        "http://user:secret@host/", "http://host/?a=b", "http://host/#a", "http://ho st/",
	        "file:///etc/passwd"};
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		char *error = NULL;
		struct call_line *c =
		        call_line_create(&(struct call_line_settings){.url = wrong[i]}, &error);
		cr_assert_null(c, "%s", wrong[i]);
		cr_assert_not_null(error);
		cr_assert_null(strstr(error, "secret"));
		free(error);
	}
	char *error = NULL;
	cr_assert_null(call_line_create(
	        &(struct call_line_settings){.url = "http://host", .api_key = "a\r\nEvil: 1"},
	        &error));
	cr_assert_null(strstr(error, "Evil"));
	free(error);
	call_line_destroy(NULL);
}
