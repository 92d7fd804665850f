/* Kept connections: clean ones are used again, others never. */
#include "tests/unit/upstream_bench.h"

Test(upstream_kept, keeps_its_connection)
{
	struct server s;
	struct bench b;
	server_start(&s, serve_keep_alive);
	bench_open(&b, s.port, 0);
	for (int i = 0; i < 5; i++) {
		struct talk k = {.destroy_in_end = i % 2};
		ask(&k, &b, &get);
		is(k.body, "ok");
		cr_assert_eq(k.end.connect_us > 0, i == 0);
		cr_assert_not(k.end.retried);
		talk_finish(&k);
	}
	bench_close(&b);
	server_stop(&s);
	cr_assert_eq(atomic_load(&s.connections), 1);
	buf_finish(&s.received);
}

static void serve_late_second(struct server *s)
{
	int fd = take(s);
	read_head(s, fd);
	say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
	wait_stage(s, 1);
	say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL");
	atomic_store(&s->stage, 2);
	int second = take(s);
	read_head(s, second);
	say(second, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood");
	close(second);
	close(fd);
}

Test(upstream_kept, never_takes_a_late_second_answer_for_its_own)
{
	struct server s;
	struct bench b;
	server_start(&s, serve_late_second);
	bench_open(&b, s.port, 0);
	struct talk first = {0}, second = {0};
	ask(&first, &b, &get);
	is(first.body, "ok");
	atomic_store(&s.stage, 1);
	wait_stage(&s, 2);
	wait_arrived(&s);
	struct upstream_request request = post(&second, "x", false);
	ask(&second, &b, &request);
	is(second.body, "good");
	cr_assert_eq(second.end.reason, UPSTREAM_DONE);
	cr_assert_not(second.end.retried, "nothing was sent twice");
	cr_assert_eq(second.rewinds, 0);
	bench_close(&b);
	server_stop(&s);
	talk_finish(&first);
	talk_finish(&second);
	buf_finish(&s.received);
}

static const char *excess;

static void serve_excess(struct server *s)
{
	int fd = take(s);
	read_head(s, fd);
	say(fd, excess);
	int second = take(s);
	read_head(s, second);
	say(second, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood");
	close(second);
	close(fd);
}

Test(upstream_kept, closes_a_connection_on_which_more_came_than_the_answer)
{
	static const char *const answers[] = {
	        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: "
	        "4\r\n\r\nEVIL",
	        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
	        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL",
	};
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		struct server s;
		struct bench b;
		excess = answers[i];
		server_start(&s, serve_excess);
		bench_open(&b, s.port, 0);
		struct talk first = {0}, second = {0};
		ask(&first, &b, &get);
		is(first.body, "ok");
		cr_assert_eq(first.end.reason, UPSTREAM_DONE);
		ask(&second, &b, &get);
		is(second.body, "good");
		bench_close(&b);
		server_stop(&s);
		talk_finish(&first);
		talk_finish(&second);
		buf_finish(&s.received);
	}
}

/* A kept connection whose peer closes it as soon as the second request arrives: the race that every
 * pool has. A third request shows whether the second was sent again. */
static void serve_close_on_second(struct server *s)
{
	int fd = take(s);
	read_head(s, fd);
	say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
	read_head(s, fd);
	if (strstr(buf_cstr(&s->received), "Content-Length: 5")) {
		read_bytes(s, fd, 5);
	}
	buf_clear(&s->received);
	reset(fd);
	fd = take(s);
	if (read_head(s, fd)) {
		if (strstr(buf_cstr(&s->received), "Content-Length: 5")) {
			read_bytes(s, fd, 5);
		}
		say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nagain");
	}
	close(fd);
}

/* Makes the connection that the server still waits for. */
static void knock(const struct server *s)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in address = {.sin_family = AF_INET,
	        .sin_port = htons((uint16_t)s->port),
	        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	cr_assert_eq(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
}

/* Asks a second time. A request is sent again only if its connection ends within a second. False:
 * this process stood still for so long that the answer says nothing. */
static bool ask_in_a_race(struct talk *k, struct bench *b, const struct upstream_request *request)
{
	uint64_t start = clock_mono();
	ask(k, b, request);
	return k->end.retried || clock_mono() - start < 900 * MS;
}

static void replay(
        bool with_body, bool replayable, const char *method, struct talk *second, struct server *s)
{
	struct bench b;
	struct talk first = {0};
	server_start(s, serve_close_on_second);
	bench_open(&b, s->port, 0);
	ask(&first, &b, &get);
	is(first.body, "ok");
	struct upstream_request request = get;
	if (with_body) {
		request = post(second, "hello", false);
	}
	request.method = span_of(method);
	request.replayable = replayable;
	bool in_time = ask_in_a_race(second, &b, &request);
	bench_close(&b);
	if (second->end.reason != UPSTREAM_DONE) {
		knock(s);
	}
	server_stop(s);
	talk_finish(&first);
	if (!in_time) {
		talk_finish(second);
		buf_finish(&s->received);
		cr_skip_test("this process stood still");
	}
}

Test(upstream_kept, sends_a_replayable_body_again_on_a_fresh_connection)
{
	struct server s;
	struct talk k = {0};
	replay(true, true, "POST", &k, &s);
	cr_assert_eq(k.end.reason, UPSTREAM_DONE, "%s", buf_cstr(&k.end_text));
	is(k.body, "again");
	cr_assert(k.end.retried);
	cr_assert_eq(k.rewinds, 1, "%d rewinds", k.rewinds);
	cr_assert_not_null(strstr(buf_cstr(&s.received), "\r\n\r\nhello"));
	talk_finish(&k);
	buf_finish(&s.received);
}

Test(upstream_kept, sends_a_body_in_memory_again_on_a_fresh_connection)
{
	struct server s;
	struct talk k = {.in_memory = true};
	replay(true, true, "POST", &k, &s);
	cr_assert_eq(k.end.reason, UPSTREAM_DONE, "%s", buf_cstr(&k.end_text));
	is(k.body, "again");
	cr_assert(k.end.retried);
	cr_assert_not_null(strstr(buf_cstr(&s.received), "Content-Length: 5\r\n\r\nhello"));
	talk_finish(&k);
	buf_finish(&s.received);
}

Test(upstream_kept, never_sends_a_body_again_that_cannot_be_rewound)
{
	struct server s;
	struct talk k = {0};
	replay(true, false, "POST", &k, &s);
	cr_assert_eq(k.end.reason, UPSTREAM_BROKEN);
	cr_assert_eq(k.rewinds, 0);
	cr_assert_eq(s.received.len, 0);
	talk_finish(&k);
	buf_finish(&s.received);
}

Test(upstream_kept, sends_a_GET_again)
{
	struct server s;
	struct talk k = {0};
	replay(false, false, "GET", &k, &s);
	cr_assert_eq(k.end.reason, UPSTREAM_DONE);
	cr_assert(k.end.retried);
	talk_finish(&k);
	buf_finish(&s.received);
}

Test(upstream_kept, does_not_send_an_unsafe_method_again_unless_told_so)
{
	struct server s;
	struct talk k = {0};
	replay(false, false, "DELETE", &k, &s);
	cr_assert_eq(k.end.reason, UPSTREAM_BROKEN);
	cr_assert_eq(s.received.len, 0);
	talk_finish(&k);
	buf_finish(&s.received);
}

static void serve_close_twice(struct server *s)
{
	int fd = take(s);
	read_head(s, fd);
	say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
	read_head(s, fd);
	reset(fd);
	fd = take(s);
	read_head(s, fd);
	close(fd);
}

Test(upstream_kept, sends_again_once_and_no_more)
{
	struct server s;
	struct bench b;
	struct talk first = {0}, second = {0};
	server_start(&s, serve_close_twice);
	bench_open(&b, s.port, 0);
	ask(&first, &b, &get);
	bool in_time = ask_in_a_race(&second, &b, &get);
	if (!second.end.retried) {
		knock(&s);
	}
	bench_close(&b);
	server_stop(&s);
	talk_finish(&first);
	talk_finish(&second);
	buf_finish(&s.received);
	if (!in_time) {
		cr_skip_test("this process stood still");
	}
	cr_assert_eq(second.end.reason, UPSTREAM_BROKEN);
	cr_assert(second.end.retried);
	cr_assert_eq(atomic_load(&s.connections), 2);
}

static void serve_two_connections(struct server *s)
{
	for (int i = 0; i < 2; i++) {
		int fd = take(s);
		while (read_head(s, fd)) {
			say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
		}
		close(fd);
	}
}

Test(upstream_kept, leaves_a_connection_that_was_idle_for_too_long)
{
	struct server s;
	struct bench b;
	char url[64];
	server_start(&s, serve_two_connections);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d", s.port);
	uint64_t age = 100 * MS;
	bench_open_url(&b, &(struct upstream_target){.url = url, .max_idle_age = age});
	for (int i = 0; i < 2; i++) {
		struct talk k = {0};
		ask(&k, &b, &get);
		is(k.body, "ok");
		cr_assert_gt(k.end.connect_us, 0, "a fresh connection");
		talk_finish(&k);
		usleep((useconds_t)(age / 1000 + 200000));
	}
	bench_close(&b);
	server_stop(&s);
	cr_assert_eq(atomic_load(&s.connections), 2);
	buf_finish(&s.received);
}

static void serve_close_when_idle(struct server *s)
{
	int fd = take(s);
	read_head(s, fd);
	say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
	wait_stage(s, 1);
	atomic_load(&s->closed_at) ? reset(fd) : (void)close(fd);
	atomic_store(&s->stage, 2);
	fd = take(s);
	read_head(s, fd);
	read_bytes(s, fd, 5);
	say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfresh");
	close(fd);
}

Test(upstream_kept, notices_that_a_kept_connection_was_closed)
{
	for (uint64_t by_reset = 0; by_reset < 2; by_reset++) {
		struct server s;
		struct bench b;
		struct talk first = {0}, second = {0};
		server_start(&s, serve_close_when_idle);
		atomic_store(&s.closed_at, by_reset);
		bench_open(&b, s.port, 0);
		ask(&first, &b, &get);
		atomic_store(&s.stage, 1);
		wait_stage(&s, 2);
		wait_arrived(&s);
		struct upstream_request request = post(&second, "hello", false);
		ask(&second, &b, &request);
		is(second.body, "fresh");
		cr_assert_not(second.end.retried);
		bench_close(&b);
		server_stop(&s);
		talk_finish(&first);
		talk_finish(&second);
		buf_finish(&s.received);
	}
}

/* A TLS server whose plain text side is a pair of pipes, for decrypted data and data to send. */
struct tls {
	char directory[64];
	char certificate[128];
	struct server holder; /* of the port, until openssl listens there and after that */
	pid_t pid;
	FILE *to;
	FILE *from;
};

static void tls_start(struct tls *t)
{
	*t = (struct tls){0};
	server_bind(&t->holder);
	snprintf(t->directory, sizeof(t->directory), "/tmp/test_upstream.XXXXXX");
	cr_assert_not_null(mkdtemp(t->directory));
	snprintf(t->certificate, sizeof(t->certificate), "%s/cert.pem", t->directory);
	char command[512], key[128], accepts[32];
	snprintf(key, sizeof(key), "%s/key.pem", t->directory);
	snprintf(command, sizeof(command),
	        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 "
	        "-subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout %s -out %s "
	        "2>/dev/null",
	        key, t->certificate);
	if (system(command) != 0) {
		rmdir(t->directory);
		cr_skip_test("no openssl program here");
	}
	snprintf(accepts, sizeof(accepts), "127.0.0.1:%d", t->holder.port);
	int in[2], out[2];
	cr_assert(pipe(in) == 0 && pipe(out) == 0);
	t->pid = fork();
	if (t->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[1]);
		close(out[0]);
		close(2);
		execlp("openssl", "openssl", "s_server", "-quiet", "-accept", accepts, "-cert",
		        t->certificate, "-key", key, (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	t->to = fdopen(in[1], "w");
	t->from = fdopen(out[0], "r");
	for (int i = 0; i < 3000; i++) {
		struct sockaddr_in address = {.sin_family = AF_INET,
		        .sin_port = htons((uint16_t)t->holder.port),
		        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		int r = connect(fd, (struct sockaddr *)&address, sizeof(address));
		close(fd);
		if (r == 0) {
			return;
		}
		usleep(10000);
	}
	cr_assert_fail("openssl s_server does not listen");
}

static void tls_stop(struct tls *t, pthread_t answering)
{
	kill(t->pid, SIGKILL);
	waitpid(t->pid, NULL, 0);
	pthread_join(answering, NULL); /* its stream has ended with the server */
	fclose(t->to);
	fclose(t->from);
	close(t->holder.fd);
	char path[128];
	snprintf(path, sizeof(path), "%s/key.pem", t->directory);
	unlink(path);
	unlink(t->certificate);
	rmdir(t->directory);
}

static void *tls_answer(void *arg)
{
	struct tls *t = arg;
	char line[1024];
	while (fgets(line, sizeof(line), t->from)) {
		if (strcmp(line, "\r\n") == 0) {
			fputs("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret", t->to);
			fflush(t->to);
		}
	}
	return NULL;
}

Test(upstream_kept, speaks_https_to_whom_the_named_CA_vouches_for)
{
	struct tls t;
	struct bench b;
	pthread_t thread;
	signal(SIGPIPE, SIG_IGN);
	tls_start(&t);
	cr_assert_eq(pthread_create(&thread, NULL, tls_answer, &t), 0);
	char url[64];
	snprintf(url, sizeof(url), "https://127.0.0.1:%d", t.holder.port);
	struct upstream_target target = {.url = url, .connect_timeout = 20000 * MS};
	bench_open_url(&b, &target);
	struct talk stranger = {0};
	ask(&stranger, &b, &get);
	cr_assert_eq(stranger.end.reason, UPSTREAM_REFUSED, "%s", buf_cstr(&stranger.end_text));
	bench_close(&b);
	target.ca_file = t.certificate;
	bench_open_url(&b, &target);
	for (int i = 0; i < 3; i++) {
		struct talk k = {0};
		ask(&k, &b, &get);
		cr_assert_eq(k.end.reason, UPSTREAM_DONE, "%s", buf_cstr(&k.end_text));
		is(k.body, "secret");
		cr_assert_eq(k.end.connect_us > 0, i == 0, "the connection is kept");
		talk_finish(&k);
	}
	bench_close(&b);
	tls_stop(&t, thread);
	talk_finish(&stranger);
}
