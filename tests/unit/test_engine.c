/* Tests the simulated engine over its socket: it runs in a child process, and the requests are
 * written by hand. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "backends/engine/engine.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/inflate.h"
#include "base/json.h"

static pid_t child;
static uint16_t port;

/* Runs an engine in a child process; its first line has the port. */
static void start(const struct engine_options *options)
{
	int out[2];
	char line[128] = {0};
	cr_assert_eq(pipe(out), 0);
	child = fork();
	if (child == 0) {
		/* The engine must end with the test, even if the test fails. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(out[1], STDOUT_FILENO);
		close(out[0]);
		_exit(engine_run(options) ? 1 : 0);
	}
	close(out[1]);
	FILE *f = fdopen(out[0], "r");
	cr_assert(fgets(line, sizeof(line), f) != NULL);
	port = (uint16_t)atoi(strrchr(line, ':') + 1);
	fclose(f);
}

static void start_plain(void)
{
	static struct engine_options options;
	engine_options_init(&options);
	options.port = 0;
	options.seed = 7;
	start(&options);
}

static void stop(void)
{
	int status;
	kill(child, SIGTERM);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	        "the engine ends cleanly on SIGTERM");
}

static int dial(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
	        .sin_port = htons(port),
	        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	cr_assert_eq(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

#define CHAT                                                                                       \
	"{\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}],\"max_tokens\":8,"              \
	"\"temperature\":0,\"ignore_eos\":true"

static void put_request(struct buf *to, const char *path, const char *fields, const char *body)
{
	buf_printf(to, "POST %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %zu\r\n\r\n%s", path,
	        fields, strlen(body), body);
}

static void send_all(int fd, struct span data)
{
	cr_assert_eq(send(fd, data.data, data.len, MSG_NOSIGNAL), (ssize_t)data.len);
}

/* Returns when the engine has answered on another connection. */
static void hear_engine(void)
{
	char data[512];
	int fd = dial();
	send_all(fd, SPAN("GET /health HTTP/1.1\r\nHost: x\r\n\r\n"));
	cr_assert_gt(recv(fd, data, sizeof(data), 0), 0);
	close(fd);
}

/* Reads until the end, or until nothing arrives for silence_ms although the engine runs: on a busy
 * machine it may have to wait for a processor. Returns 0 at the end, 1 at silence, -errno. */
static int read_until(int fd, int silence_ms, struct buf *to)
{
	bool runs = false;
	for (;;) {
		struct pollfd p = {fd, POLLIN, 0};
		if (poll(&p, 1, runs ? 50 : silence_ms) == 0) {
			if (runs) {
				return 1;
			}
			hear_engine();
			runs = true;
			continue;
		}
		runs = false;
		char *room = buf_reserve(to, 65536);
		ssize_t n = recv(fd, room, 65536, 0);
		if (n <= 0) {
			return n == 0 ? 0 : -errno;
		}
		to->len += (size_t)n;
	}
}

/* Sends one chat request to an engine with a fault; *to: the raw answer. */
static int ask_with_fault(const char *fault, bool stream, struct buf *answer)
{
	struct buf request = {0};
	char fields[128] = "";
	int fd = dial();
	if (fault) {
		snprintf(fields, sizeof(fields), FAULT_HEADER ": %s\r\n", fault);
	}
	put_request(&request, "/v1/chat/completions", fields,
	        stream ? CHAT ",\"stream\":true}" : CHAT "}");
	send_all(fd, buf_span(&request));
	buf_finish(&request);
	int r = read_until(fd, 200, answer);
	close(fd);
	(void)buf_cstr(answer);
	return r;
}

static int count(const char *text, const char *what)
{
	int n = 0;
	for (const char *p = text; (p = strstr(p, what)) != NULL; p += strlen(what)) {
		n++;
	}
	return n;
}

static const char *body_of(const struct buf *answer)
{
	const char *end = strstr(answer->data, "\r\n\r\n");
	cr_assert(end);
	return end + 4;
}

Test(engine, unary_answers_have_exactly_their_length)
{
	struct buf answer = {0};
	start_plain();
	cr_assert_eq(ask_with_fault(NULL, false, &answer), 1, "kept alive");
	const char *length = strstr(answer.data, "Content-Length: ");
	cr_assert(length && strtoul(length + 16, NULL, 10) == strlen(body_of(&answer)));
	cr_assert(strstr(answer.data, "Server: plumbline-engine (simulated)"));
	cr_assert(strstr(answer.data, "\"system_fingerprint\":\"simulated-7\""));
	buf_finish(&answer);
	stop();
}

Test(engine, streams_have_an_event_a_token_and_end_with_done)
{
	struct buf answer = {0};
	start_plain();
	cr_assert_eq(ask_with_fault(NULL, true, &answer), 1);
	cr_assert_eq(count(answer.data, "data: {"), 1 + 8 + 1, "role, tokens, end");
	cr_assert_eq(count(answer.data, "data: [DONE]\n\n\r\n0\r\n\r\n"), 1);
	buf_finish(&answer);
	stop();
}

Test(engine, pipelined_requests_are_answered_in_order)
{
	struct buf request = {0}, answer = {0};
	start_plain();
	int fd = dial();
	put_request(&request, "/v1/chat/completions", "", CHAT ",\"model\":\"first\"}");
	put_request(&request, "/v1/chat/completions", "",
	        CHAT ",\"model\":\"second\",\"stream\":true}");
	put_request(&request, "/v1/completions", "", "{\"prompt\":\"x\",\"model\":\"third\"}");
	send_all(fd, buf_span(&request));
	cr_assert_eq(read_until(fd, 200, &answer), 1);
	(void)buf_cstr(&answer);
	const char *first = strstr(answer.data, "\"first\""),
	           *second = strstr(answer.data, "\"second\"");
	const char *third = strstr(answer.data, "\"third\"");
	cr_assert(first && second && third && first < second && second < third);
	cr_assert_eq(count(answer.data, "HTTP/1.1 200 OK"), 3);
	close(fd);
	buf_finish(&request);
	buf_finish(&answer);
	stop();
}

Test(engine, http_1_0_is_answered_until_close)
{
	struct buf answer = {0};
	start_plain();
	int fd = dial();
	struct buf request = {0};
	const char *body = CHAT ",\"stream\":true}";
	buf_printf(&request, "POST /v1/chat/completions HTTP/1.0\r\nContent-Length: %zu\r\n\r\n%s",
	        strlen(body), body);
	send_all(fd, buf_span(&request));
	cr_assert_eq(read_until(fd, 1000, &answer), 0, "closed at the end");
	(void)buf_cstr(&answer);
	cr_assert(!strstr(answer.data, "Transfer-Encoding"));
	cr_assert(strstr(answer.data, "data: [DONE]\n\n"));
	close(fd);
	buf_finish(&request);
	buf_finish(&answer);
	stop();
}

Test(engine, faults_of_status_and_silence)
{
	struct buf answer = {0};
	start_plain();
	cr_assert_eq(ask_with_fault("500", false, &answer), 1);
	cr_assert(strstr(answer.data, "HTTP/1.1 500 Internal Server Error") &&
	          strstr(answer.data, "\"server_error\""));
	buf_clear(&answer);
	cr_assert_eq(ask_with_fault("429", true, &answer), 1);
	cr_assert(strstr(answer.data, "HTTP/1.1 429 ") && strstr(answer.data, "Retry-After: 1"));
	buf_clear(&answer);
	cr_assert_eq(ask_with_fault("hang", false, &answer), 1);
	cr_assert_eq(answer.len, 0);
	cr_assert_eq(ask_with_fault("refuse", false, &answer), 0);
	cr_assert_eq(answer.len, 0);
	cr_assert_eq(ask_with_fault("no-such-fault", false, &answer), 1);
	cr_assert(strstr(answer.data, "HTTP/1.1 400 "));
	buf_finish(&answer);
	stop();
}

#define UNSEEDED                                                                                   \
	"{\"messages\":[{\"role\":\"user\",\"content\":\"%s\"}],\"max_tokens\":30,"                \
	"\"ignore_eos\":true}"

/* Returns the text of an answer to a request without a seed. */
static char *sampled(const char *fault, const char *prompt)
{
	struct buf request = {0}, answer = {0};
	char fields[128], body[256];
	int fd = dial();
	snprintf(fields, sizeof(fields), FAULT_HEADER ": %s\r\n", fault);
	snprintf(body, sizeof(body), UNSEEDED, prompt);
	put_request(&request, "/v1/chat/completions", fields, body);
	send_all(fd, buf_span(&request));
	cr_assert_eq(read_until(fd, 200, &answer), 1);
	(void)buf_cstr(&answer);
	const char *text = strstr(answer.data, "\"content\":\"");
	cr_assert(text, "%s", answer.data);
	const char *end = strstr(text, "\"finish_reason\"");
	cr_assert(end, "%s", answer.data);
	char *copy = strndup(text, (size_t)(end - text));
	close(fd);
	buf_finish(&request);
	buf_finish(&answer);
	return copy;
}

static bool answers_alike(const char *fault)
{
	char *a = sampled(fault, "Hello"), *b = sampled(fault, "Hello");
	bool alike = strcmp(a, b) == 0;
	free(a);
	free(b);
	return alike;
}

Test(engine, repeated_requests_are_drawn_anew_unless_a_cache_or_a_seed_answers)
{
	start_plain();
	cr_assert_not(answers_alike(""));
	cr_assert(answers_alike("answer-cache"));
	cr_assert(answers_alike("fixed-seed"));
	cr_assert(answers_alike("temperature=0"));
	stop();
}

Test(engine, with_a_random_seed_the_same_requests_in_the_same_order_are_answered_alike)
{
	static struct engine_options options;
	char *texts[4];
	engine_options_init(&options);
	options.port = 0;
	options.random_seed = 5;
	for (size_t i = 0; i < 4; i += 2) {
		start(&options);
		texts[i] = sampled("", "Hello");
		texts[i + 1] = sampled("", "Hello");
		stop();
	}
	cr_expect_str_eq(texts[0], texts[2]);
	cr_expect_str_eq(texts[1], texts[3]);
	cr_expect_str_neq(texts[0], texts[1]);
	for (size_t i = 0; i < 4; i++) {
		free(texts[i]);
	}
}

Test(engine, replicas_have_a_fingerprint_each_and_the_first_alone_has_faults)
{
	struct buf answer = {0};
	bool from[4] = {false};
	char fingerprint[64];
	start_plain();
	for (int i = 0; i < 60 && !(from[0] && from[2] && from[3]); i++) {
		buf_clear(&answer);
		cr_assert_eq(ask_with_fault("replicas=3;500", false, &answer), 1);
		bool failed = strstr(answer.data, "HTTP/1.1 500 ") != NULL;
		from[0] |= failed;
		for (int k = 1; k <= 3; k++) {
			snprintf(fingerprint, sizeof(fingerprint),
			        "\"system_fingerprint\":\"simulated-7-%d\"", k);
			from[k] |= strstr(answer.data, fingerprint) != NULL;
		}
	}
	cr_assert(from[0] && !from[1] && from[2] && from[3]);
	buf_finish(&answer);
	stop();
}

Test(engine, logprobs_can_be_refused)
{
	struct buf request = {0}, answer = {0};
	start_plain();
	int fd = dial();
	put_request(&request, "/v1/chat/completions", FAULT_HEADER ": 400-on-logprobs\r\n",
	        CHAT ",\"logprobs\":true}");
	put_request(
	        &request, "/v1/chat/completions", FAULT_HEADER ": 400-on-logprobs\r\n", CHAT "}");
	send_all(fd, buf_span(&request));
	cr_assert_eq(read_until(fd, 200, &answer), 1);
	(void)buf_cstr(&answer);
	cr_assert_eq(count(answer.data, "HTTP/1.1 400 "), 1);
	cr_assert_eq(count(answer.data, "HTTP/1.1 200 OK"), 1);
	close(fd);
	buf_finish(&request);
	buf_finish(&answer);
	stop();
}

Test(engine, faults_that_break_off)
{
	struct buf answer = {0};
	start_plain();
	cr_assert_eq(ask_with_fault("reset=4", true, &answer), -ECONNRESET);
	cr_assert_eq(count(answer.data, "data: {"), 4);
	buf_clear(&answer);
	cr_assert_eq(ask_with_fault("reset", false, &answer), -ECONNRESET);
	buf_clear(&answer);
	cr_assert_eq(ask_with_fault("cut", true, &answer), 0);
	cr_assert(!strstr(answer.data, "\r\n0\r\n\r\n"), "never ended properly");
	buf_clear(&answer);
	cr_assert_eq(ask_with_fault("cut=0.25", false, &answer), 0);
	size_t length = strtoul(strstr(answer.data, "Content-Length: ") + 16, NULL, 10);
	cr_assert_eq(strlen(body_of(&answer)), length / 4);
	buf_clear(&answer);
	cr_assert_eq(ask_with_fault("error=2", true, &answer), 1);
	cr_assert(strstr(answer.data, "data: {\"error\":"));
	cr_assert(!strstr(answer.data, "[DONE]"));
	buf_finish(&answer);
	stop();
}

Test(engine, faults_of_framing)
{
	struct buf answer = {0};
	start_plain();
	cr_assert_eq(ask_with_fault("te-and-cl", false, &answer), 1);
	cr_assert(strstr(answer.data, "Transfer-Encoding: chunked\r\n") &&
	          strstr(answer.data, "Content-Length: "));
	buf_clear(&answer);
	cr_assert_eq(ask_with_fault("two-cl", false, &answer), 1);
	cr_assert_eq(count(answer.data, "Content-Length: "), 2);
	buf_clear(&answer);
	cr_assert_eq(ask_with_fault("http10", true, &answer), 0);
	cr_assert(strncmp(answer.data, "HTTP/1.0 200 OK\r\n", 17) == 0);
	cr_assert(strstr(answer.data, "\r\n\r\ndata: {"));
	buf_clear(&answer);
	cr_assert_eq(ask_with_fault("103", false, &answer), 1);
	cr_assert(strncmp(answer.data, "HTTP/1.1 103 Early Hints\r\n", 26) == 0);
	cr_assert(strstr(answer.data, "\r\n\r\nHTTP/1.1 200 OK\r\n"));
	buf_finish(&answer);
	stop();
}

Test(engine, gzip_bodies_decode_to_the_answer)
{
	struct buf answer = {0}, plain = {0};
	start_plain();
	cr_assert_eq(ask_with_fault("gzip", false, &answer), 1);
	cr_assert(strstr(answer.data, "Content-Encoding: gzip\r\n"));
	const char *body = body_of(&answer);
	struct span packed = {body, answer.len - (size_t)(body - answer.data)};
	cr_assert_eq(inflate_body(SPAN("gzip"), packed, 1 << 20, &plain), 0);
	(void)buf_cstr(&plain);
	cr_assert(strstr(plain.data, "\"chat.completion\""));
	buf_finish(&plain);
	buf_finish(&answer);
	stop();
}

Test(engine, faults_of_events)
{
	struct buf answer = {0};
	start_plain();
	cr_assert_eq(ask_with_fault("no-done", true, &answer), 1);
	cr_assert(!strstr(answer.data, "[DONE]") && strstr(answer.data, "\r\n0\r\n\r\n"));
	buf_clear(&answer);
	cr_assert_eq(ask_with_fault("comments", true, &answer), 1);
	cr_assert_eq(count(answer.data, ": keepalive "), 11);
	buf_clear(&answer);
	cr_assert_eq(ask_with_fault("crlf", true, &answer), 1);
	cr_assert_eq(count(answer.data, "}\r\n\r\n"), 10);
	buf_finish(&answer);
	stop();
}

Test(engine, a_late_second_response_comes_on_the_idle_connection)
{
	struct buf answer = {0};
	start_plain();
	cr_assert_eq(ask_with_fault("late-second-response=30ms", false, &answer), 1);
	cr_assert_eq(count(answer.data, "HTTP/1.1 200 OK"), 2);
	cr_assert(strstr(answer.data, "{\"object\":\"late\""));
	buf_finish(&answer);
	stop();
}

Test(engine, faults_of_time_and_size)
{
	struct buf answer = {0};
	start_plain();
	uint64_t from = clock_mono();
	cr_assert_eq(ask_with_fault("stall=150ms", true, &answer), 1);
	cr_assert(clock_mono() - from >= 350000000u, "150 ms, and 200 of silence at the end");
	cr_assert(strstr(answer.data, "[DONE]"));
	buf_clear(&answer);
	cr_assert_eq(ask_with_fault("flood=3MiB", true, &answer), 1);
	cr_assert(answer.len > 3 << 20 && strstr(answer.data, "[DONE]"));
	buf_clear(&answer);
	cr_assert_eq(ask_with_fault("flood=3MiB", false, &answer), 1);
	cr_assert(answer.len > 3 << 20);
	buf_clear(&answer);
	from = clock_mono();
	cr_assert_eq(ask_with_fault("slow", false, &answer), 1);
	cr_assert(clock_mono() - from >= answer.len * 1000000, "a byte a millisecond");
	buf_finish(&answer);
	stop();
}

Test(engine, requests_that_are_not_http_are_refused_and_closed)
{
	struct buf answer = {0};
	start_plain();
	int fd = dial();
	send_all(fd, SPAN("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: "
	                  "chunked\r\n\r\n"));
	cr_assert_eq(read_until(fd, 1000, &answer), 0);
	(void)buf_cstr(&answer);
	cr_assert(strncmp(answer.data, "HTTP/1.1 400 ", 13) == 0, "%s", answer.data);
	close(fd);
	buf_finish(&answer);
	stop();
}

Test(engine, a_caller_that_goes_away_frees_its_place)
{
	static struct engine_options options;
	struct buf request = {0}, answer = {0};
	engine_options_init(&options);
	options.port = 0;
	options.itl_ns = 20000000;
	options.max_batch = 1;
	start(&options);
	int gone = dial(), waits = dial();
	put_request(&request, "/v1/chat/completions", "",
	        "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],\"max_tokens\":10000,"
	        "\"ignore_eos\":true,\"stream\":true}");
	send_all(gone, buf_span(&request));
	buf_clear(&request);
	cr_assert_eq(poll(&(struct pollfd){gone, POLLIN, 0}, 1, 40000), 1, "it is answered");
	put_request(&request, "/v1/chat/completions", "", CHAT "}");
	send_all(waits, buf_span(&request));
	cr_assert_eq(read_until(waits, 300, &answer), 1);
	cr_assert_eq(answer.len, 0, "the batch is full");
	close(gone);
	cr_assert_eq(read_until(waits, 500, &answer), 1);
	cr_assert(strncmp(answer.data, "HTTP/1.1 200 OK", 15) == 0);
	close(waits);
	buf_finish(&request);
	buf_finish(&answer);
	stop();
}

Test(engine, canned_answers_are_like_the_ordinary_ones)
{
	static struct engine_options options;
	struct buf answer = {0};
	engine_options_init(&options);
	options.port = 0;
	options.canned = true;
	options.workers = 2;
	start(&options);
	cr_assert_eq(ask_with_fault(NULL, true, &answer), 1);
	cr_assert_eq(count(answer.data, "data: {"), 34);
	cr_assert_eq(count(answer.data, "data: [DONE]\n\n\r\n0\r\n\r\n"), 1);
	buf_clear(&answer);
	cr_assert_eq(ask_with_fault(NULL, false, &answer), 1);
	cr_assert_eq(strtoul(strstr(answer.data, "Content-Length: ") + 16, NULL, 10),
	        strlen(body_of(&answer)));
	buf_clear(&answer);
	cr_assert_eq(ask_with_fault("500", false, &answer), 1);
	cr_assert(strstr(answer.data, "HTTP/1.1 500"), "faults work");
	buf_finish(&answer);
	stop();
}
