/* Connecting: several addresses, dead addresses, and the choice of the transport. */
#include "tests/unit/upstream_bench.h"

static bool listen_on_v6(struct server *s)
{
	struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
	socklen_t len = sizeof(address);
	s->fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s->fd < 0 || bind(s->fd, (struct sockaddr *)&address, len) < 0) {
		return false;
	}
	cr_assert_eq(listen(s->fd, 8), 0);
	cr_assert_eq(getsockname(s->fd, (struct sockaddr *)&address, &len), 0);
	s->port = ntohs(address.sin6_port);
	return true;
}

static void ask_url(struct server *s, struct talk *k, const char *url)
{
	struct bench b;
	cr_assert_eq(pthread_create(&s->thread, NULL, server_main, s), 0);
	bench_open_url(&b, &(struct upstream_target){.url = url, .connect_timeout = 20000 * MS});
	ask(k, &b, &get);
	bench_close(&b);
	server_stop(s);
}

Test(upstream_dial, speaks_to_an_ipv6_address)
{
	struct server s = {.serve = serve_canned};
	struct talk k = {0};
	char url[64], host[64];
	if (!listen_on_v6(&s)) {
		cr_skip_test("no IPv6 here");
	}
	canned = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
	snprintf(url, sizeof(url), "http://[::1]:%d/v1", s.port);
	snprintf(host, sizeof(host), "\r\nHost: [::1]:%d\r\n", s.port);
	ask_url(&s, &k, url);
	cr_assert_eq(k.end.reason, UPSTREAM_DONE, "%s", buf_cstr(&k.end_text));
	cr_assert_not_null(strstr(buf_cstr(&s.received), host));
	talk_finish(&k);
	buf_finish(&s.received);
}

/* localhost has both addresses; the server listens on only one of them. */
Test(upstream_dial, goes_on_to_the_next_address_of_a_name)
{
	for (int six = 0; six < 2; six++) {
		struct server s = {.serve = serve_canned};
		struct talk k = {0};
		char url[64];
		if (!six) {
			server_listen(&s);
		} else if (!listen_on_v6(&s)) {
			continue;
		}
		canned = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
		snprintf(url, sizeof(url), "http://localhost:%d", s.port);
		struct addrinfo *found, hints = {.ai_family = six ? AF_INET6 : AF_INET};
		if (getaddrinfo("localhost", NULL, &hints, &found) != 0) {
			close(s.fd);
			continue;
		}
		freeaddrinfo(found);
		ask_url(&s, &k, url);
		cr_assert_eq(k.end.reason, UPSTREAM_DONE, "%s", buf_cstr(&k.end_text));
		is(k.body, "ok");
		talk_finish(&k);
		buf_finish(&s.received);
	}
}

/* A listening socket whose queue is full leaves further connections without an answer. */
static void fill_queue(struct server *s, int *fds, size_t n)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	        .sin_port = htons((uint16_t)s->port),
	        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	for (size_t i = 0; i < n; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(fds[i], (struct sockaddr *)&address, sizeof(address));
	}
	poll(&(struct pollfd){.fd = s->fd, .events = POLLIN}, 1, -1);
}

Test(upstream_dial, gives_up_connecting_in_time)
{
	struct server s = {0};
	struct bench b;
	struct talk k = {0};
	int fds[4];
	char url[64];
	server_listen(&s);
	cr_assert_eq(listen(s.fd, 0), 0);
	fill_queue(&s, fds, ARRAY_LEN(fds));
	snprintf(url, sizeof(url), "http://127.0.0.1:%d", s.port);
	bench_open_url(&b, &(struct upstream_target){.url = url, .connect_timeout = 200 * MS});
	uint64_t start = clock_mono();
	ask(&k, &b, &get);
	uint64_t took = clock_mono() - start;
	cr_assert_eq(k.end.reason, UPSTREAM_TIMEOUT, "%s", buf_cstr(&k.end_text));
	cr_assert(took > 190 * MS && took < 20000 * MS);
	bench_close(&b);
	for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
		close(fds[i]);
	}
	close(s.fd);
	talk_finish(&k);
}

Test(upstream_dial, can_be_cancelled_while_its_name_is_looked_up)
{
	struct bench b;
	struct talk k = {0};
	bench_open_url(&b, &(struct upstream_target){.url = "http://no-such-host.invalid:81"});
	talk_start(&k, &b, &get);
	upstream_cancel(k.upstream);
	talk_wait(&k);
	cr_assert_eq(k.end.reason, UPSTREAM_CANCELLED);
	bench_close(&b);
	talk_finish(&k);
}

Test(upstream_dial, ends_as_refused_where_a_url_names_nobody)
{
	static const char *const urls[] = {"http://", "http://:80", "http://127.0.0.1:0",
	        "http://127.0.0.1:70000", "nonsense"};
	for (size_t i = 0; i < ARRAY_LEN(urls); i++) {
		struct bench b;
		struct talk k = {0};
		bench_open_url(&b,
		        &(struct upstream_target){.url = urls[i], .connect_timeout = 20000 * MS});
		ask(&k, &b, &get);
		cr_assert_eq(
		        k.end.reason, UPSTREAM_REFUSED, "%s: %s", urls[i], buf_cstr(&k.end_text));
		bench_close(&b);
		talk_finish(&k);
	}
}
