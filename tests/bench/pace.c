/*
 * pace - measures the latency of one request at a time on a kept connection, for several ports.
 *
 *	pace REQUESTS BODY-FILE TARGET PORT...
 *
 * The ports take turns after 50 requests each, so that a drift of the machine affects all of them.
 * It prints one line per port: the port, then p50, p90, p99 of the time to the first body byte and
 * of the time to the end of the answer, in microseconds. It reads answers with Content-Length and
 * chunked ones. Any status but 200 ends the run.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 50
#define WARM_UP 50
#define PORTS 8

struct series {
	int port, fd;
	size_t n;
	double *first, *whole;
};

static void die(const char *what)
{
	perror(what);
	exit(3);
}

static double now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int dial(int port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0) {
		die("connect");
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

/* Reads one answer; *ret_first is the time when the first byte after the head arrived. */
static void read_answer(int fd, double *ret_first)
{
	static char got[1 << 20];
	size_t n = 0, body = 0, want = 0;
	int chunked = 0;
	*ret_first = 0;
	for (;;) {
		ssize_t r = read(fd, got + n, sizeof(got) - 1 - n);
		if (r <= 0) {
			die("the connection ended");
		}
		n += (size_t)r;
		got[n] = '\0';
		if (!body) {
			char *end = strstr(got, "\r\n\r\n");
			if (!end) {
				continue;
			}
			if (strncmp(got + 9, "200", 3) != 0) {
				fprintf(stderr, "%.200s\n", got);
				exit(3);
			}
			body = (size_t)(end - got) + 4;
			char *length = strcasestr(got, "\r\ncontent-length:");
			chunked = !length || length > end;
			want = chunked ? 0 : (size_t)atol(length + 17);
		}
		if (n > body && *ret_first == 0) {
			*ret_first = now_us();
		}
		if (chunked ? n >= body + 5 && memcmp(got + n - 5, "0\r\n\r\n", 5) == 0
		            : n >= body + want) {
			return;
		}
	}
}

static void one(struct series *s, const char *request, size_t len, int keep)
{
	double begun = now_us(), first;
	if (write(s->fd, request, len) != (ssize_t)len) {
		die("write");
	}
	read_answer(s->fd, &first);
	if (keep) {
		s->first[s->n] = first - begun;
		s->whole[s->n++] = now_us() - begun;
	}
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double percentile(double *values, size_t n, double p)
{
	qsort(values, n, sizeof(*values), ascending);
	return values[(size_t)(p * (double)(n - 1))];
}

int main(int argc, char **argv)
{
	if (argc < 5 || argc > 4 + PORTS) {
		fputs("usage: pace REQUESTS BODY-FILE TARGET PORT...\n", stderr);
		return 2;
	}
	size_t requests = (size_t)atol(argv[1]);
	static char body[1 << 20], request[(1 << 20) + 1024];
	FILE *f = fopen(argv[2], "rb");
	if (!f) {
		die(argv[2]);
	}
	size_t body_len = fread(body, 1, sizeof(body), f);
	fclose(f);
	int head = snprintf(request, sizeof(request),
	        "POST %s HTTP/1.1\r\nHost: bench\r\nContent-Type: "
	        "application/json\r\nContent-Length: %zu\r\n\r\n",
	        argv[3], body_len);
	memcpy(request + head, body, body_len);
	size_t len = (size_t)head + body_len;

	struct series series[PORTS];
	int n = argc - 4;
	for (int i = 0; i < n; i++) {
		series[i] =
		        (struct series){.port = atoi(argv[4 + i]), .fd = dial(atoi(argv[4 + i]))};
		series[i].first = calloc(requests + BLOCK, sizeof(double));
		series[i].whole = calloc(requests + BLOCK, sizeof(double));
		for (int w = 0; w < WARM_UP; w++) {
			one(&series[i], request, len, 0);
		}
	}
	while (series[0].n < requests) {
		for (int i = 0; i < n; i++) {
			for (int k = 0; k < BLOCK; k++) {
				one(&series[i], request, len, 1);
			}
		}
	}
	for (int i = 0; i < n; i++) {
		struct series *s = &series[i];
		printf("%d %.1f %.1f %.1f %.1f %.1f %.1f\n", s->port,
		        percentile(s->first, s->n, .5), percentile(s->first, s->n, .9),
		        percentile(s->first, s->n, .99), percentile(s->whole, s->n, .5),
		        percentile(s->whole, s->n, .9), percentile(s->whole, s->n, .99));
	}
	return 0;
}
