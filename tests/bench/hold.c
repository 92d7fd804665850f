/*
 * hold - engine and clients of many concurrent streams: how long does a proxy delay each event?
 *
 *	hold ENGINE-PORT PORT STREAMS RATE SECONDS
 *
 * It serves as the engine on ENGINE-PORT, and opens STREAMS connections to the proxy on PORT. Each
 * stream has RATE events a second; the streams send at different times. Each event contains its
 * send time, so the client can compute the delay. The engine answers copies of requests alike. One
 * thread does all this, and the delays include its own work. To measure that share, let PORT be
 * ENGINE-PORT.
 *
 * Prints one JSON object: sent and came: events sent to the clients' streams and received by them;
 * p50, p99, p999 and most: delays in microseconds, without those of the first second; cpu: share of
 * a processor that this program used; failed: answers other than 200.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PEERS 16384 /* descriptors */
#define READY 256
#define AT_ONCE 16 /* events sent between two reads */
#define WARM_UP_NS UINT64_C(1000000000)
#define GRACE_NS UINT64_C(5000000000)

enum kind { NOBODY, LISTENER, ENGINE, CLIENT };

struct peer {
	enum kind kind;
	bool ended;    /* client: the last chunk has arrived */
	uint64_t left; /* engine: events to send */
	size_t n;      /* in got */
	char got[8192];
};

static struct peer *peers[PEERS];
static uint64_t due
        [PEERS]; /* time of a stream's next event; 0: no stream. An own array, because it is scanned often */
static struct {
	uint64_t gap, end, begun;
	uint64_t events; /* per stream */
	uint64_t sent, came, failed, open, begun_streams;
	uint64_t under_way; /* running streams, including copies */
	double *took;
	size_t n, cap;
	int epoll, highest;
} run;

static void die(const char *what)
{
	perror(what);
	exit(3);
}

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void watch(int fd, enum kind kind)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};
	int on = 1;
	if (fd < 0 || fd >= PEERS || !(peers[fd] = calloc(1, sizeof(struct peer)))) {
		die("too many descriptors");
	}
	peers[fd]->kind = kind;
	run.highest = fd > run.highest ? fd : run.highest;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	if (epoll_ctl(run.epoll, EPOLL_CTL_ADD, fd, &e) < 0) {
		die("epoll_ctl");
	}
}

static void leave(int fd)
{
	run.open -= peers[fd]->kind == CLIENT;
	run.under_way -= peers[fd]->left > 0;
	free(peers[fd]);
	peers[fd] = NULL;
	due[fd] = 0;
	close(fd);
}

static struct sockaddr_in address(int port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return a;
}

static void listen_on(int port)
{
	struct sockaddr_in a = address(port);
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 4096) < 0) {
		die("listen");
	}
	watch(fd, LISTENER);
}

static void send_all(int fd, const char *data, size_t n)
{
	/* Events are small. A full socket would mean that the reader limits the result. */
	if (send(fd, data, n, MSG_NOSIGNAL) != (ssize_t)n) {
		leave(fd);
	}
}

static void ask(int port, unsigned number)
{
	static const char body[] = "{\"model\":\"m\",\"stream\":true,\"temperature\":0,"
	                           "\"messages\":[{\"role\":\"user\",\"content\":\"Stream %u.\"}]}";
	char text[256], request[512];
	struct sockaddr_in a = address(port);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0) {
		die("connect");
	}
	int len = snprintf(text, sizeof(text), body, number);
	int n = snprintf(request, sizeof(request),
	        "POST /v1/chat/completions HTTP/1.1\r\nHost: bench\r\nContent-Type: "
	        "application/json\r\nContent-Length: %d\r\n\r\n%s",
	        len, text);
	watch(fd, CLIENT);
	run.open++;
	send_all(fd, request, (size_t)n);
}

/* Answers a complete request: sends the head now, and schedules the stream's first event. */
static void begin_stream(int fd, struct peer *p)
{
	static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: "
	                           "text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
	uint64_t number = run.begun_streams++;
	p->n = 0;
	p->left = run.events;
	run.under_way++;
	due[fd] = now_ns() + run.gap + number * UINT64_C(7919) * 1000 % run.gap;
	send_all(fd, head, sizeof(head) - 1);
}

static void engine_read(int fd, struct peer *p)
{
	ssize_t n = read(fd, p->got + p->n, sizeof(p->got) - 1 - p->n);
	if (n <= 0) {
		leave(fd);
		return;
	}
	p->n += (size_t)n;
	p->got[p->n] = '\0';
	char *end = strstr(p->got, "\r\n\r\n"), *length = strcasestr(p->got, "\r\ncontent-length:");
	if (end && length && p->n >= (size_t)(end - p->got) + 4 + strtoul(length + 17, NULL, 10)) {
		begin_stream(fd, p);
	}
}

static void send_event(int fd, struct peer *p, uint64_t now)
{
	char event[512], chunk[600];
	int len = snprintf(event, sizeof(event),
	        "data: "
	        "{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":"
	        "1795233216,\"model\":\"m\",\"choices\":[{\"index\":0,"
	        "\"delta\":{\"content\":\" x\"},\"finish_reason\":%s}],\"sent\":%" PRIu64 "}\n\n",
	        p->left == 1 ? "\"stop\"" : "null", now);
	int n = snprintf(chunk, sizeof(chunk), "%x\r\n%s\r\n", (unsigned)len, event);
	run.sent++;
	due[fd] += run.gap;
	if (--p->left == 0) {
		static const char last[] = "e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n";
		memcpy(chunk + n, last, sizeof(last) - 1);
		n += (int)sizeof(last) - 1;
		due[fd] = 0;
		run.under_way--;
	}
	send_all(fd, chunk, (size_t)n);
}

static void keep(uint64_t now, uint64_t sent)
{
	run.came++;
	if (run.begun && sent >= run.begun + WARM_UP_NS && run.n < run.cap) {
		run.took[run.n++] = (double)(now - sent) / 1e3;
	}
}

/* Reads all complete events and keeps the rest of the buffer. */
static void take_events(struct peer *p, uint64_t now)
{
	static const char mark[] = "\"sent\":", last[] = "\r\n0\r\n\r\n";
	char *at = p->got, *found, *end;
	while ((found = strstr(at, mark)) && (end = strchr(found, '}'))) {
		keep(now, strtoull(found + sizeof(mark) - 1, NULL, 10));
		at = end;
	}
	p->ended |= strstr(at, last) != NULL;
	p->n -= (size_t)(at - p->got);
	memmove(p->got, at, p->n + 1);
}

static void client_read(int fd, struct peer *p)
{
	ssize_t n = read(fd, p->got + p->n, sizeof(p->got) - 1 - p->n);
	if (n <= 0) {
		leave(fd);
		return;
	}
	p->n += (size_t)n;
	p->got[p->n] = '\0';
	if (strncmp(p->got, "HTTP/1.1 ", 9) == 0 && p->n > 12 &&
	        memcmp(p->got + 9, "200", 3) != 0) {
		run.failed++;
		leave(fd);
		return;
	}
	take_events(p, now_ns());
	if (p->ended) {
		leave(fd);
	}
}

static void react(int fd, struct peer *p)
{
	if (p->kind == LISTENER) {
		int new = accept(fd, NULL, NULL);
		if (new >= 0) {
			watch(new, ENGINE);
		}
	} else if (p->kind == ENGINE) {
		engine_read(fd, p);
	} else {
		client_read(fd, p);
	}
}

/* Sends at most AT_ONCE due events, so that reading is not delayed; returns the time of the next. */
static uint64_t send_due(uint64_t now)
{
	static int at;
	uint64_t next = now + 1000000;
	for (int i = 0, sent = 0; i <= run.highest && sent < AT_ONCE; i++) {
		int fd = at = at < run.highest ? at + 1 : 0;
		if (due[fd] && due[fd] <= now) {
			send_event(fd, peers[fd], now_ns());
			sent++;
		}
		if (due[fd] && due[fd] < next) {
			next = due[fd];
		}
	}
	return next;
}

static void turn(void)
{
	struct epoll_event ready[READY];
	uint64_t now = now_ns(), next = send_due(now);
	now = now_ns();
	struct timespec nap = {.tv_nsec = next > now ? (long)(next - now) : 0};
	int n = epoll_pwait2(run.epoll, ready, READY, &nap, NULL);
	for (int i = 0; i < n; i++) {
		struct peer *p = peers[ready[i].data.fd];
		if (p) {
			react(ready[i].data.fd, p);
		}
	}
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double took(double p)
{
	return run.n ? run.took[(size_t)(p * (double)(run.n - 1))] : 0;
}

/* CPU seconds of this process so far. */
static double spent(void)
{
	struct rusage used;
	getrusage(RUSAGE_SELF, &used);
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static void print(double elapsed, double cpu)
{
	qsort(run.took, run.n, sizeof(*run.took), ascending);
	printf("{\"sent\": %" PRIu64 ", \"came\": %" PRIu64 ", \"failed\": %" PRIu64
	       ", \"p50\": %.1f, \"p99\": %.1f, \"p999\": %.1f, \"most\": %.1f, \"cpu\": %.3f}\n",
	        run.sent, run.came, run.failed, took(0.5), took(0.99), took(0.999), took(1),
	        cpu / elapsed);
}

int main(int argc, char **argv)
{
	if (argc != 6) {
		fputs("usage: hold ENGINE-PORT PORT STREAMS RATE SECONDS\n", stderr);
		return 2;
	}
	unsigned streams = (unsigned)atoi(argv[3]);
	uint64_t rate = strtoul(argv[4], NULL, 10), seconds = strtoul(argv[5], NULL, 10);
	run.epoll = epoll_create1(0);
	run.gap = UINT64_C(1000000000) / rate;
	run.events = rate * seconds;
	run.cap = streams * run.events;
	run.took = calloc(run.cap, sizeof(*run.took));
	listen_on(atoi(argv[1]));
	for (unsigned i = 0; i < streams; i++) {
		ask(atoi(argv[2]), i);
		turn();
	}
	double before = spent();
	run.begun = now_ns();
	run.end = run.begun + seconds * UINT64_C(1000000000) + GRACE_NS;
	while ((run.open || run.under_way) && now_ns() < run.end) {
		turn();
	}
	print((double)(now_ns() - run.begun) / 1e9, spent() - before);
	return 0;
}
