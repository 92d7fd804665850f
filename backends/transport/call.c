#include "backends/transport/call.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <curl/curl.h>

#include "backends/transport/transport_curl.h"
#include "base/ascii.h"
#include "base/clock.h"
#include "base/http.h"
#include "base/mem.h"

#define CALL_MAGIC 0x63616c6c
#define DEFAULT_TIMEOUT_MS 2000
#define DEFAULT_LIMIT ((size_t)16 << 20)
#define SOCKETS_LIMIT 8 /* libcurl tries two addresses at a time at most */
#define LOOK_MS 100     /* how often a call in progress looks whether it is to stop */
#define BUSY_REPEATS 3
#define BUSY_PAUSE_MS 500u /* doubled each time */
#define SAID_LIMIT 200     /* bytes of an engine's own words */

struct call_line {
	uint32_t magic;
	CURL *easy;
	CURLM *multi;
	char *url;  /* as given, without a slash at its end */
	char *root; /* scheme, host and port */
	char *base; /* "" or "/base" */
	char *ca_file;
	char *authorization; /* the whole field, or NULL */
	uint64_t connect_timeout_ms;
	atomic_int stopped; /* a signal handler may set it */
	int sockets[SOCKETS_LIMIT];
	size_t n_sockets;
};

/* What libcurl's callbacks see of the call in progress. */
struct under_way {
	const struct call *call;
	struct call_answer *answer;
	uint64_t start; /* ns, clock_mono() */
	size_t limit;
	bool refused; /* on_data rejected more data */
	bool over;
	char error[CURL_ERROR_SIZE];
};

static uint64_t microseconds_since(uint64_t start)
{
	return (clock_mono() - start) / 1000;
}

static curl_socket_t on_open(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct call_line *c = CHECKED(struct call_line, arg, CALL_MAGIC);
	if (c->n_sockets == SOCKETS_LIMIT) {
		return CURL_SOCKET_BAD;
	}
	int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
	if (fd < 0) {
		return CURL_SOCKET_BAD;
	}
	c->sockets[c->n_sockets++] = fd;
	return fd;
}

static int on_close(void *arg, curl_socket_t fd)
{
	struct call_line *c = CHECKED(struct call_line, arg, CALL_MAGIC);
	for (size_t i = 0; i < c->n_sockets; i++) {
		if (c->sockets[i] == fd) {
			c->sockets[i] = c->sockets[--c->n_sockets];
			break;
		}
	}
	return close(fd);
}

/*
 * libcurl would read bytes waiting on an idle connection as the next call's answer. Also returns
 * true for a closed connection, which would be detected anyway, a little later.
 */
static bool something_waits(const struct call_line *c)
{
	for (size_t i = 0; i < c->n_sockets; i++) {
		char byte;
		if (recv(c->sockets[i], &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0) {
			return true;
		}
	}
	return false;
}

static size_t on_header(char *data, size_t size, size_t n, void *arg)
{
	struct under_way *u = arg;
	struct call_answer *a = u->answer;
	struct span line = {data, size * n};
	if (line.len >= 5 && memcmp(line.data, "HTTP/", 5) == 0) {
		/* The previous head was an interim one. */
		buf_clear(&a->head);
		a->minor = line.len > 7 && line.data[7] == '0' ? 0 : 1;
		return line.len;
	}
	while (line.len && strchr("\r\n \t", line.data[line.len - 1])) {
		line.len--;
	}
	if (line.len) {
		buf_append_span(&a->head, line);
		buf_append_char(&a->head, '\n');
	}
	return size * n;
}

static size_t on_write(char *data, size_t size, size_t n, void *arg)
{
	struct under_way *u = arg;
	struct call_answer *a = u->answer;
	uint64_t now = microseconds_since(u->start);
	if (!a->first_us) {
		a->first_us = MAX(now, (uint64_t)1);
	}
	size_t kept = MIN(n, u->limit - a->body.len);
	buf_append(&a->body, data, kept);
	if (u->call->on_data && kept && !u->call->on_data(u->call->arg, now, data, kept)) {
		u->refused = true;
		return 0;
	}
	u->over = kept < n;
	return kept; /* less than n ends the transfer */
}

static void set_connection_options(struct call_line *c, const struct call *call)
{
	curl_easy_setopt(c->easy, CURLOPT_URL, c->root);
	curl_easy_setopt(c->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c->easy, CURLOPT_PROXY, "");
	curl_easy_setopt(c->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(c->easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c->easy, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(c->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)c->connect_timeout_ms);
	curl_easy_setopt(c->easy, CURLOPT_TIMEOUT_MS,
	        (long)(call->timeout_ms ? call->timeout_ms : DEFAULT_TIMEOUT_MS));
	curl_easy_setopt(c->easy, CURLOPT_MAXAGE_CONN, 3L); /* uvicorn ends idle ones after 5 s */
	if (c->ca_file) {
		curl_easy_setopt(c->easy, CURLOPT_CAINFO, c->ca_file);
		curl_easy_setopt(c->easy, CURLOPT_CAPATH, NULL);
	}
	bool fresh = call->fresh || something_waits(c);
	curl_easy_setopt(c->easy, CURLOPT_FRESH_CONNECT, (long)fresh);
	curl_easy_setopt(c->easy, CURLOPT_FORBID_REUSE, (long)call->fresh);
	curl_easy_setopt(c->easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
	curl_easy_setopt(c->easy, CURLOPT_OPENSOCKETDATA, c);
	curl_easy_setopt(c->easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
	curl_easy_setopt(c->easy, CURLOPT_CLOSESOCKETDATA, c);
}

/* The list that libcurl reads until the transfer is over. */
static struct curl_slist *set_message_options(
        struct call_line *c, const struct call *call, struct under_way *u)
{
	const char *slash = call->path[0] == '/' ? "" : "/";
	char *target = xasprintf("%s%s%s", c->base, slash, call->path);
	curl_easy_setopt(c->easy, CURLOPT_REQUEST_TARGET, target);
	free(target);
	struct curl_slist *fields = curl_slist_append(NULL, "Expect:");
	if (call->body.len) {
		fields = curl_slist_append(fields, "Content-Type: application/json");
		curl_easy_setopt(c->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body.len);
		curl_easy_setopt(c->easy, CURLOPT_POSTFIELDS, call->body.data);
	}
	if (c->authorization) {
		fields = curl_slist_append(fields, c->authorization);
	}
	if (call->method) {
		curl_easy_setopt(c->easy, CURLOPT_CUSTOMREQUEST, call->method);
	}
	curl_easy_setopt(c->easy, CURLOPT_HTTPHEADER, fields);
	curl_easy_setopt(c->easy, CURLOPT_USERAGENT, "plumbline/" PLUMBLINE_VERSION);
	curl_easy_setopt(c->easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(c->easy, CURLOPT_HEADERDATA, u);
	curl_easy_setopt(c->easy, CURLOPT_WRITEFUNCTION, on_write);
	curl_easy_setopt(c->easy, CURLOPT_WRITEDATA, u);
	curl_easy_setopt(c->easy, CURLOPT_ERRORBUFFER, u->error);
	return fields;
}

/* libcurl's blocking call checks for a stop at most once a second; a call must stop sooner. */
static CURLcode transfer(struct call_line *c)
{
	CURLcode code = CURLE_ABORTED_BY_CALLBACK;
	int running = 1;
	curl_multi_add_handle(c->multi, c->easy);
	while (!c->stopped) {
		if (curl_multi_perform(c->multi, &running) != CURLM_OK) {
			code = CURLE_OUT_OF_MEMORY;
			break;
		}
		if (!running) {
			int left;
			CURLMsg *message = curl_multi_info_read(c->multi, &left);
			code = message ? message->data.result : CURLE_GOT_NOTHING;
			break;
		}
		curl_multi_poll(c->multi, NULL, 0, LOOK_MS, NULL);
	}
	curl_multi_remove_handle(c->multi, c->easy);
	return code;
}

static bool connection_stood(const struct call_line *c)
{
	curl_off_t connected = 0, sent = 0;
	curl_easy_getinfo(c->easy, CURLINFO_PRETRANSFER_TIME_T, &connected);
	curl_easy_getinfo(c->easy, CURLINFO_REQUEST_SIZE, &sent);
	return connected > 0 || sent > 0;
}

static enum call_end end_of(
        const struct call_line *c, const struct under_way *u, CURLcode code, char **ret_problem)
{
	const char *cause = transport_curl_cause(c->easy, code, u->error);
	if (code == CURLE_OK) {
		return CALL_DONE;
	}
	if (u->refused || c->stopped) {
		*ret_problem = xstrdup("stopped by us");
		return CALL_STOPPED;
	}
	if (u->over) {
		*ret_problem = xasprintf(
		        "the answer is longer than %zu bytes, the rest was not taken", u->limit);
		return CALL_TOO_LARGE;
	}
	if (!connection_stood(c)) {
		*ret_problem = xstrdup(cause);
		return CALL_REFUSED;
	}
	if (code == CURLE_OPERATION_TIMEDOUT) {
		*ret_problem = xasprintf("no complete answer within %.1f s",
		        (double)(u->call->timeout_ms ? u->call->timeout_ms : DEFAULT_TIMEOUT_MS) /
		                1000);
		return CALL_TIMEOUT;
	}
	*ret_problem = xasprintf("the answer broke off: %s", cause);
	return CALL_BROKEN;
}

void call_do(struct call_line *c, const struct call *call, struct call_answer *ret)
{
	CHECKED(struct call_line, c, CALL_MAGIC);
	*ret = (struct call_answer){.minor = -1};
	struct under_way u = {
	        .call = call,
	        .answer = ret,
	        .start = clock_mono(),
	        .limit = call->limit ? call->limit : DEFAULT_LIMIT,
	};
	curl_easy_reset(c->easy);
	set_connection_options(c, call);
	struct curl_slist *fields = set_message_options(c, call, &u);
	CURLcode code = transfer(c);
	ret->total_us = microseconds_since(u.start);
	ret->end = end_of(c, &u, code, &ret->problem);
	long status = 0, connects = 0;
	curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(c->easy, CURLINFO_NUM_CONNECTS, &connects);
	ret->status = ret->minor < 0 ? 0 : (int)status;
	ret->kept = ret->minor >= 0 && connects == 0;
	curl_easy_reset(c->easy); /* it points to fields and u */
	curl_slist_free_all(fields);
}

/* Sleeps in short steps, so that a stop is noticed soon. */
static void pause_ms(const struct call_line *c, unsigned ms)
{
	const struct timespec nap = {.tv_nsec = 50000000};
	for (unsigned slept = 0; slept < ms && !call_line_stopped(c); slept += 50) {
		nanosleep(&nap, NULL);
	}
}

void call_do_patiently(struct call_line *c, const struct call *call, struct call_answer *ret)
{
	call_do(c, call, ret);
	for (unsigned pause = BUSY_PAUSE_MS; pause < BUSY_PAUSE_MS << BUSY_REPEATS; pause *= 2) {
		if (ret->end != CALL_DONE || (ret->status != 429 && ret->status != 503)) {
			return;
		}
		call_answer_finish(ret);
		pause_ms(c, pause);
		call_do(c, call, ret);
	}
}

char *call_failure(const struct call_answer *a, const char *said)
{
	size_t n = 0;
	if (a->end == CALL_STOPPED) {
		return xstrdup("stopped");
	}
	if (a->end != CALL_DONE) {
		return xstrdup(
		        a->end == CALL_TIMEOUT ? "the engine did not answer in time" : a->problem);
	}
	while (said && n < SAID_LIMIT && (unsigned char)said[n] >= ' ') {
		n++;
	}
	return xasprintf(
	        "the engine answered %d%s%.*s", a->status, n ? ": " : "", (int)n, said ? said : "");
}

void call_answer_finish(struct call_answer *a)
{
	free(a->problem);
	buf_finish(&a->head);
	buf_finish(&a->body);
	*a = (struct call_answer){.minor = -1};
}

struct span call_header(const struct call_answer *a, const char *name)
{
	return http_lines_field(buf_span(&a->head), name);
}

static void init_curl(void)
{
	expect(curl_global_init_mem(CURL_GLOBAL_ALL, xmalloc, free, xrealloc, xstrdup, xcalloc) ==
	        CURLE_OK);
}

void call_init_curl(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, init_curl);
}

/* NULL, or why the URL will not do; static. */
static const char *split_url(struct call_line *c)
{
	const char *wrong = NULL;
	char *scheme = NULL, *host = NULL, *port = NULL, *path = NULL, *other = NULL;
	CURLU *parts = curl_url();
	expect(parts);
	if (curl_url_set(parts, CURLUPART_URL, c->url, 0) != CURLUE_OK ||
	        curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
	        curl_url_get(parts, CURLUPART_HOST, &host, 0) != CURLUE_OK ||
	        curl_url_get(parts, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) != CURLUE_OK ||
	        curl_url_get(parts, CURLUPART_PATH, &path, 0) != CURLUE_OK) {
		wrong = "it is not of the form http://host[:port][/base]";
	} else if (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0) {
		wrong = "only http and https are spoken";
	} else if (curl_url_get(parts, CURLUPART_QUERY, &other, 0) == CURLUE_OK ||
	           curl_url_get(parts, CURLUPART_FRAGMENT, &other, 0) == CURLUE_OK) {
		wrong = "a base URL has no query and no fragment";
	} else if (curl_url_get(parts, CURLUPART_USER, &other, 0) == CURLUE_OK) {
		wrong = "credentials do not belong into a URL";
	} else {
		c->root = xasprintf("%s://%s:%s/", scheme, host, port);
		c->base = xstrdup(strcmp(path, "/") == 0 ? "" : path);
	}
	curl_free(scheme);
	curl_free(host);
	curl_free(port);
	curl_free(path);
	curl_free(other);
	curl_url_cleanup(parts);
	return wrong;
}

static bool has_control(const char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s < 0x20 || *s == 0x7f) {
			return true;
		}
	}
	return false;
}

struct call_line *call_line_create(const struct call_line_settings *s, char **ret_error)
{
	call_init_curl();
	struct call_line *c = xmalloc(sizeof(*c));
	*c = (struct call_line){
	        .magic = CALL_MAGIC,
	        .easy = curl_easy_init(),
	        .multi = curl_multi_init(),
	        .url = xstrdup(s->url),
	        .ca_file = s->ca_file ? xstrdup(s->ca_file) : NULL,
	        .connect_timeout_ms =
	                s->connect_timeout_ms ? s->connect_timeout_ms : DEFAULT_TIMEOUT_MS,
	};
	expect(c->easy && c->multi);
	curl_multi_setopt(c->multi, CURLMOPT_MAXCONNECTS, 1L);
	for (size_t n = strlen(c->url); n && c->url[n - 1] == '/'; n--) {
		c->url[n - 1] = '\0';
	}
	const char *wrong = strstr(c->url, "://") ? split_url(c) : "it lacks http:// or https://";
	if (!wrong && s->api_key && has_control(s->api_key)) {
		wrong = "its API key holds a control character, a line end perhaps";
	}
	if (wrong) {
		*ret_error = xasprintf("the engine's URL is not valid: %s", wrong);
		call_line_destroy(c);
		return NULL;
	}
	if (s->api_key) {
		c->authorization = xasprintf("Authorization: Bearer %s", s->api_key);
	}
	return c;
}

void call_line_destroy(struct call_line *c)
{
	if (!c) {
		return;
	}
	CHECKED(struct call_line, c, CALL_MAGIC);
	curl_easy_cleanup(c->easy);
	curl_multi_cleanup(c->multi); /* closes its connections by on_close() */
	if (c->authorization) {
		explicit_bzero(c->authorization, strlen(c->authorization));
	}
	free(c->authorization);
	free(c->url);
	free(c->root);
	free(c->base);
	free(c->ca_file);
	c->magic = 0;
	free(c);
}

const char *call_line_url(const struct call_line *c)
{
	return c->url;
}

void call_line_stop(struct call_line *c)
{
	c->stopped = 1;
}

bool call_line_stopped(const struct call_line *c)
{
	return c->stopped;
}
