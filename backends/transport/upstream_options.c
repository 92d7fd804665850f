#include <stdlib.h>
#include <string.h>

#include "backends/transport/transport_curl.h"

/* Fields that libcurl adds by itself. They are removed unless the caller set them. */
static const char *const default_fields[] = {"Accept", "Content-Type", "User-Agent", "Expect"};

static bool has_field(const struct upstream_request *request, const char *name)
{
	for (size_t i = 0; i < request->n_fields; i++) {
		if (span_is_nocase(request->fields[i].name, name)) {
			return true;
		}
	}
	return false;
}

/* For libcurl, "Name;" is a field with an empty value, and "Name:" removes the field. */
static void add(struct curl_slist **list, struct buf *line, struct span name, const char *between,
        struct span value)
{
	buf_clear(line);
	buf_append_span(line, name);
	buf_append_str(line, between);
	buf_append_span(line, value);
	*list = curl_slist_append(*list, buf_cstr(line));
}

static struct curl_slist *fields_make(const struct upstream_request *request)
{
	struct curl_slist *list = NULL;
	struct buf line = {0};
	for (size_t i = 0; i < request->n_fields; i++) {
		const struct http_field *field = &request->fields[i];
		add(&list, &line, field->name, field->value.len ? ": " : ";", field->value);
	}
	for (size_t i = 0; i < ARRAY_LEN(default_fields); i++) {
		if (!has_field(request, default_fields[i])) {
			add(&list, &line, span_of(default_fields[i]), ":", SPAN(""));
		}
	}
	if (request->has_body && request->body_length < 0) {
		add(&list, &line, SPAN("Transfer-Encoding"), ": ", SPAN("chunked"));
	}
	buf_finish(&line);
	return list;
}

static curl_socket_t on_open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct curl_transport *t = CHECKED(struct curl_transport, arg, TRANSPORT_MAGIC);
	int fd = curl_pool_open(&t->pool, address->family, address->socktype, address->protocol);
	return fd < 0 ? CURL_SOCKET_BAD : fd;
}

static int on_close_socket(void *arg, curl_socket_t fd)
{
	struct curl_transport *t = CHECKED(struct curl_transport, arg, TRANSPORT_MAGIC);
	return curl_pool_close_socket(&t->pool, fd);
}

static long milliseconds(uint64_t ns)
{
	return (long)MAX(ns / 1000000, (uint64_t)1);
}

static void set_connection_options(struct curl_upstream *u)
{
	struct curl_transport *t = u->transport;
	CURL *easy = u->easy;
	curl_easy_setopt(easy, CURLOPT_URL, t->url);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_PROXY, "");
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	/* Without this, abandoning a transfer blocks the loop until its name lookup ends. */
	curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	if (t->connect_timeout) {
		curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(t->connect_timeout));
	}
	if (t->max_idle_age == UPSTREAM_NONE_KEPT) {
		curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
	} else if (t->max_idle_age) {
		/* libcurl counts whole seconds and compares with ">": 3 means less than 4. */
		long seconds = MAX(milliseconds(t->max_idle_age) / 1000, 1L);
		curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, seconds - 1);
	}
	if (t->ca_file) {
		curl_easy_setopt(easy, CURLOPT_CAINFO, t->ca_file);
		curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
	}
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
	curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, t);
	curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close_socket);
	curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, t);
}

static void set_message_options(struct curl_upstream *u, const struct upstream_request *request)
{
	CURL *easy = u->easy;
	char *target = span_dup(request->target);
	char *method = span_dup(request->method);
	curl_easy_setopt(easy, CURLOPT_REQUEST_TARGET, target);
	if (request->has_body) {
		curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)request->body_length);
	} else if (u->is_head) {
		/* With CUSTOMREQUEST alone, libcurl would wait for a body. */
		curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
	}
	if (strcmp(method, "GET") != 0 || request->has_body) {
		curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
	}
	free(target);
	free(method);
	u->fields = fields_make(request);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, u->fields);
	/* Delivers raw bytes with chunk framing: our own parser is stricter. */
	curl_easy_setopt(easy, CURLOPT_HTTP_TRANSFER_DECODING, 0L);
	curl_easy_setopt(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, u->error);
	curl_easy_setopt(easy, CURLOPT_PRIVATE, u);
}

void upstream_set_options(struct curl_upstream *u, const struct upstream_request *request)
{
	u->easy = curl_easy_init();
	expect(u->easy);
	set_connection_options(u);
	set_message_options(u, request);
}

enum upstream_reason upstream_reason_of(CURLcode code)
{
	switch (code) {
	case CURLE_OPERATION_TIMEDOUT:
		return UPSTREAM_TIMEOUT;
	case CURLE_UNSUPPORTED_PROTOCOL: /* also HTTP/0.9 */
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_OUT_OF_MEMORY: /* a head over 100 KB */
		return UPSTREAM_BAD_ANSWER;
	case CURLE_URL_MALFORMAT:
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_COULDNT_CONNECT:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_INVALIDCERTSTATUS:
		return UPSTREAM_REFUSED;
	default:
		return UPSTREAM_BROKEN;
	}
}

const char *upstream_cause_of(const struct curl_upstream *u)
{
	long error = 0;
	if (u->code == CURLE_OPERATION_TIMEDOUT) {
		return "no connection in time";
	}
	if (u->code == CURLE_COULDNT_CONNECT) {
		curl_easy_getinfo(u->easy, CURLINFO_OS_ERRNO, &error);
		return error ? uv_strerror(-(int)error) : curl_easy_strerror(u->code);
	}
	if (strstr(u->error, "wrong version number")) {
		return "the server does not speak TLS; its URL begins with http://";
	}
	return u->error[0] ? u->error : curl_easy_strerror(u->code);
}
