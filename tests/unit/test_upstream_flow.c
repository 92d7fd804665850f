/* Time: silence, pauses, cancelling, and many concurrent exchanges. */
#include "tests/unit/upstream_bench.h"

static void serve_reset_in_body(struct server *s)
{
	int fd = take(s);
	read_head(s, fd);
	say(fd, "HTTP/1.1 200 OK\r\n\r\nhalf");
	wait_stage(s, 1);
	reset(fd);
}

Test(upstream_flow, takes_a_reset_within_the_body_for_what_it_is)
{
	/* Even if the body ends with the connection, a reset is an error. */
	struct server s;
	struct bench b;
	struct talk k = {0};
	server_start(&s, serve_reset_in_body);
	bench_open(&b, s.port, 0);
	talk_start(&k, &b, &get);
	while (k.body.len < 4) {
		uv_run(&b.loop, UV_RUN_ONCE);
	}
	atomic_store(&s.stage, 1);
	talk_wait(&k);
	cr_assert_eq(k.end.reason, UPSTREAM_BROKEN);
	is(k.body, "half");
	bench_close(&b);
	server_stop(&s);
	talk_finish(&k);
	buf_finish(&s.received);
}

Test(upstream_flow, ends_a_silent_exchange)
{
	struct server s;
	struct bench b;
	struct talk k = {0};
	server_start(&s, serve_until_gone);
	bench_open(&b, s.port, 100 * MS);
	uint64_t start = clock_mono();
	ask(&k, &b, &get);
	uint64_t took = clock_mono() - start;
	cr_assert_eq(k.end.reason, UPSTREAM_TIMEOUT);
	cr_assert(took > 90 * MS && took < 20000 * MS);
	server_stop(&s);
	bench_close(&b);
	talk_finish(&k);
}

static void serve_half_and_hang(struct server *s)
{
	int fd = take(s);
	read_head(s, fd);
	say(fd, "HTTP/1.1 200 OK\r\n\r\nhalf");
	char c;
	while (recv(fd, &c, 1, 0) > 0) {
	}
	close(fd);
}

Test(upstream_flow, does_not_take_silence_for_the_end_of_a_body_that_runs_until_close)
{
	struct server s;
	struct bench b;
	struct talk k = {0};
	server_start(&s, serve_half_and_hang);
	bench_open(&b, s.port, PATIENCE * MS);
	ask(&k, &b, &get);
	is(k.body, "half");
	cr_assert_eq(k.end.reason, UPSTREAM_TIMEOUT);
	server_stop(&s);
	bench_close(&b);
	talk_finish(&k);
	buf_finish(&s.received);
}

/* Sends each piece a tenth of the idle timeout after the one before has come. */
static void serve_slowly(struct server *s)
{
	int fd = take(s);
	read_head(s, fd);
	say(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
	for (int i = 0; i < 12; i++) {
		wait_stage(s, i);
		usleep(PATIENCE * 100);
		say(fd, "1\r\nx\r\n");
	}
	say(fd, "0\r\n\r\n");
	close(fd);
}

Test(upstream_flow, lets_a_slow_exchange_live)
{
	struct server s;
	struct bench b;
	struct talk k = {0};
	server_start(&s, serve_slowly);
	bench_open(&b, s.port, PATIENCE * MS);
	talk_start(&k, &b, &get);
	while (!k.ended) {
		uv_run(&b.loop, UV_RUN_ONCE);
		atomic_store(&s.stage, (int)k.body.len);
	}
	talk_wait(&k);
	cr_assert_eq(k.end.reason, UPSTREAM_DONE);
	is(k.body, "xxxxxxxxxxxx");
	cr_assert_eq(k.body_calls, 12, "pieces come as they were sent");
	server_stop(&s);
	bench_close(&b);
	talk_finish(&k);
	buf_finish(&s.received);
}

static void serve_large(struct server *s)
{
	int fd = take(s);
	read_head(s, fd);
	char head[128];
	snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", LARGE);
	say(fd, head);
	char *block = xcalloc(1, 1 << 20);
	memset(block, 'x', (1 << 20) - 1);
	for (size_t sent = 0; sent < LARGE;) {
		ssize_t n = send(fd, block, MIN((size_t)1 << 20, LARGE - sent), 0);
		if (n <= 0) {
			break;
		}
		sent += (size_t)n;
		atomic_store(&s->stage, (int)sent);
	}
	free(block);
	close(fd);
}

static long resident_kib(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

static void on_resume(uv_timer_t *timer)
{
	struct talk *k = timer->data;
	if (k->paused && k->upstream) {
		k->paused = false;
		upstream_resume(k->upstream);
	}
}

Test(upstream_flow, holds_the_answer_back_while_the_caller_takes_nothing)
{
	struct server s;
	struct bench b;
	struct talk k = {.discard_body = true, .pause_every = 1 << 20};
	server_start(&s, serve_large);
	bench_open(&b, s.port, PATIENCE * MS);
	talk_start(&k, &b, &get);
	while (!k.paused) {
		uv_run(&b.loop, UV_RUN_ONCE);
	}
	long before = resident_kib();
	uint64_t until = clock_mono() + (PATIENCE + 500) * MS;
	while (clock_mono() < until) {
		uv_run(&b.loop, UV_RUN_NOWAIT);
		usleep(1000);
	}
	cr_assert_not(k.ended, "a pause is not silence");
	cr_assert_lt(k.body_bytes, (size_t)2 << 20);
	cr_assert_lt(resident_kib() - before, 8 << 10);
	cr_assert_lt(atomic_load(&s.stage), (int)(LARGE / 2), "the engine is held back");
	uv_timer_t resumer;
	uv_timer_init(&b.loop, &resumer);
	resumer.data = &k;
	uv_timer_start(&resumer, on_resume, 1, 1);
	talk_wait(&k);
	cr_assert_eq(k.end.reason, UPSTREAM_DONE);
	cr_assert_eq(k.body_bytes, LARGE);
	cr_assert_lt(resident_kib() - before, 16 << 10);
	uv_close((uv_handle_t *)&resumer, NULL);
	bench_close(&b);
	server_stop(&s);
	talk_finish(&k);
	buf_finish(&s.received);
}

/* Reads an upload slowly; reports whether each byte was at its place. */
static void serve_slow_upload(struct server *s)
{
	int fd = take(s);
	read_head(s, fd);
	char *got = xmalloc(1 << 20);
	size_t n = 0;
	bool right = true;
	wait_stage(s, 1);
	while (n < LARGE / 4) {
		ssize_t r = recv(fd, got, 1 << 20, 0);
		if (r <= 0) {
			break;
		}
		for (ssize_t i = 0; i < r; i++) {
			right &= got[i] == (char)((n + (size_t)i) * 31 >> 7);
		}
		n += (size_t)r;
	}
	free(got);
	say(fd, right && n == LARGE / 4 ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright"
	                                : "HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n");
	close(fd);
}

Test(upstream_flow, sends_a_large_body_whole_to_one_who_takes_it_slowly)
{
	struct server s;
	struct bench b;
	struct talk k = {0};
	char *body = xmalloc(LARGE / 4);
	for (size_t i = 0; i < LARGE / 4; i++) {
		body[i] = (char)(i * 31 >> 7);
	}
	struct upstream_request request = post(&k, "", false);
	k.send = body;
	k.send_len = LARGE / 4;
	request.body_length = (int64_t)(LARGE / 4);
	server_start(&s, serve_slow_upload);
	bench_open(&b, s.port, 0);
	talk_start(&k, &b, &request);
	uint64_t until = clock_mono() + 200 * MS;
	while (clock_mono() < until) {
		uv_run(&b.loop, UV_RUN_NOWAIT);
		usleep(1000);
	}
	cr_assert_lt(k.sent, LARGE / 4, "what nobody takes is not pulled");
	atomic_store(&s.stage, 1);
	talk_wait(&k);
	cr_assert_eq(k.end.reason, UPSTREAM_DONE, "%s", buf_cstr(&k.end_text));
	is(k.body, "right");
	bench_close(&b);
	server_stop(&s);
	free(body);
	talk_finish(&k);
	buf_finish(&s.received);
}

static void serve_many_chunks(struct server *s)
{
	int fd = take(s);
	read_head(s, fd);
	struct buf answer = {0};
	buf_append_str(&answer, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
	for (int i = 0; i < 1000; i++) {
		buf_printf(&answer, "4\r\n%04d\r\n", i);
	}
	buf_append_str(&answer, "0\r\n\r\n");
	say(fd, buf_cstr(&answer));
	buf_finish(&answer);
	char c;
	recv(fd, &c, 1, 0);
	close(fd);
}

Test(upstream_flow, loses_nothing_when_it_pauses_after_each_chunk)
{
	struct server s;
	struct bench b;
	struct talk k = {.pause_every = 1};
	server_start(&s, serve_many_chunks);
	bench_open(&b, s.port, 0);
	talk_start(&k, &b, &get);
	uv_timer_t resumer;
	uv_timer_init(&b.loop, &resumer);
	resumer.data = &k;
	uv_timer_start(&resumer, on_resume, 1, 1);
	talk_wait(&k);
	cr_assert_eq(k.end.reason, UPSTREAM_DONE);
	cr_assert_eq(k.body.len, 4000);
	for (int i = 0; i < 1000; i++) {
		char expected[12];
		snprintf(expected, sizeof(expected), "%04d", i);
		cr_assert_eq(memcmp(k.body.data + 4 * i, expected, 4), 0);
	}
	uv_close((uv_handle_t *)&resumer, NULL);
	bench_close(&b);
	server_stop(&s);
	talk_finish(&k);
	buf_finish(&s.received);
}

static void serve_endless(struct server *s)
{
	int fd = take(s);
	read_head(s, fd);
	say(fd, "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: "
	        "chunked\r\n\r\n4\r\ndata\r\n");
	char c;
	while (recv(fd, &c, 1, 0) > 0) {
	}
	atomic_store(&s->closed_at, clock_mono());
	close(fd);
}

static void cancel_and_check(struct talk *k, bool from_outside)
{
	struct server s;
	struct bench b;
	server_start(&s, serve_endless);
	bench_open(&b, s.port, 0);
	talk_start(k, &b, &get);
	uint64_t cancelled = clock_mono();
	if (from_outside) {
		while (k->body.len < 4) {
			uv_run(&b.loop, UV_RUN_ONCE);
		}
		cancelled = clock_mono();
		upstream_cancel(k->upstream);
		upstream_cancel(k->upstream);
		cr_assert_not(k->ended, "the end never comes from within");
	}
	talk_wait(k);
	cr_assert_eq(k->end.reason, UPSTREAM_CANCELLED);
	server_stop(&s);
	cr_assert_lt(atomic_load(&s.closed_at) - cancelled, 20000 * MS);
	bench_close(&b);
	talk_finish(k);
	buf_finish(&s.received);
}

Test(upstream_flow, cancel_closes_the_connection_at_once)
{
	struct talk k = {0};
	cancel_and_check(&k, true);
}

Test(upstream_flow, can_be_cancelled_from_within_each_callback)
{
	struct talk in_interim = {.cancel_in_interim = true};
	cancel_and_check(&in_interim, false);
	cr_assert_eq(in_interim.status, 0, "nothing is told after cancel");
	struct talk in_head = {.cancel_in_head = true};
	cancel_and_check(&in_head, false);
	cr_assert_eq(in_head.body_calls, 0, "nothing is told after cancel");
	struct talk in_body = {.cancel_in_body = true};
	cancel_and_check(&in_body, false);
	cr_assert_eq(in_body.body_calls, 1);
}

Test(upstream_flow, can_be_cancelled_while_paused_and_before_it_connects)
{
	struct talk paused = {.pause_every = 1};
	cancel_and_check(&paused, true);
	struct server s;
	struct bench b;
	struct talk k = {0};
	server_listen(&s);
	bench_open(&b, s.port, 0);
	talk_start(&k, &b, &get);
	upstream_cancel(k.upstream);
	cr_assert_not(k.ended);
	talk_wait(&k);
	cr_assert_eq(k.end.reason, UPSTREAM_CANCELLED);
	bench_close(&b);
	close(s.fd);
	talk_finish(&k);
}

static struct talk following;

static void start_another(struct talk *k)
{
	talk_start(&following, k->bench, &get);
}

Test(upstream_flow, can_be_started_from_within_the_end_of_another)
{
	struct server s;
	struct bench b;
	struct talk k = {.then = start_another, .destroy_in_end = true};
	server_start(&s, serve_keep_alive);
	bench_open(&b, s.port, 0);
	ask(&k, &b, &get);
	talk_wait(&following);
	is(following.body, "ok");
	bench_close(&b);
	server_stop(&s);
	talk_finish(&k);
	talk_finish(&following);
	buf_finish(&s.received);
}

static void serve_crowd(struct server *s)
{
	for (int i = 0; i < 32; i++) {
		int fd = take(s);
		read_head(s, fd);
		say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
		usleep(1000);
		say(fd, "ok");
		close(fd);
	}
}

Test(upstream_flow, carries_many_exchanges_side_by_side)
{
	struct server s;
	struct bench b;
	static struct talk talks[32];
	server_start(&s, serve_crowd);
	bench_open(&b, s.port, 20000 * MS);
	for (size_t i = 0; i < ARRAY_LEN(talks); i++) {
		talk_start(&talks[i], &b, &get);
	}
	for (size_t i = 0; i < ARRAY_LEN(talks); i++) {
		talk_wait(&talks[i]);
		cr_assert_eq(
		        talks[i].end.reason, UPSTREAM_DONE, "%s", buf_cstr(&talks[i].end_text));
		is(talks[i].body, "ok");
		talk_finish(&talks[i]);
	}
	bench_close(&b);
	server_stop(&s);
	buf_finish(&s.received);
}
