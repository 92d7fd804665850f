#include "backends/engine/delivery.h"

#include <string.h>

#include "backends/engine/gzip.h"

#define LATE_BODY "{\"object\":\"late\",\"simulated\":true}"

static bool closes(const struct http_request *r)
{
	return fault_on(&r->faults, FAULT_HTTP10) || !r->keep_alive;
}

static bool is_http_10(const struct http_request *r)
{
	return fault_on(&r->faults, FAULT_HTTP10) || r->minor == 0;
}

static void put_head(struct engine_client *c, int status, const char *type)
{
	const struct http_request *r = &c->request;
	struct buf *to = &c->out;
	if (fault_on(&r->faults, FAULT_INTERIM) && !is_http_10(r)) {
		buf_append_str(
		        to, "HTTP/1.1 103 Early Hints\r\nLink: </simulated>; rel=preload\r\n\r\n");
	}
	buf_append_str(to, fault_on(&r->faults, FAULT_HTTP10) ? "HTTP/1.0 " : "HTTP/1.1 ");
	if (status == 200) {
		buf_append_str(to, "200 OK\r\n");
	} else {
		buf_printf(to, "%d %s\r\n", status, http_reason(status));
	}
	buf_append_str(to, engine_client_date(c->worker));
	buf_append_str(to, "Server: plumbline-engine (simulated)\r\nContent-Type: ");
	buf_append_str(to, type);
	buf_append_str(to, "\r\n");
	if (status == 429) {
		buf_append_str(to, "Retry-After: 1\r\n");
	}
	if (fault_on(&r->faults, FAULT_GZIP)) {
		buf_append_str(to, "Content-Encoding: gzip\r\n");
	}
	if (closes(r)) {
		buf_append_str(to, "Connection: close\r\n");
	} else if (r->minor == 0) {
		buf_append_str(to, "Connection: keep-alive\r\n");
	}
}

static void put_length(struct buf *to, size_t n)
{
	buf_append_str(to, "Content-Length: ");
	buf_append_number(to, n);
	buf_append_str(to, "\r\n");
}

static void answered(struct engine_client *c, bool must_close)
{
	const struct http_request *r = &c->request;
	if (fault_on(&r->faults, FAULT_LATE)) {
		buf_clear(&c->late);
		buf_printf(&c->late,
		        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
		        "%zu\r\n\r\n%s",
		        strlen(LATE_BODY), LATE_BODY);
	}
	engine_client_answered(
	        c, must_close || closes(r) ? ENGINE_CLIENT_CLOSE : ENGINE_CLIENT_KEEP);
}

static void put_chunk(struct buf *to, struct span data)
{
	char size[BUF_HEX_SIZE];
	buf_append(to, size, buf_put_hex(size, data.len));
	buf_append_str(to, "\r\n");
	buf_append_span(to, data);
	buf_append(to, "\r\n", 2);
}

/* Sends a complete answer with wrong framing or truncated. False: no such fault is configured. */
static bool deliver_wrongly(struct engine_client *c, int status, const char *type, struct span body)
{
	const struct fault_set *faults = &c->request.faults;
	if (fault_on(faults, FAULT_HTTP10)) {
		put_head(c, status, type);
		buf_append_str(&c->out, "\r\n");
		buf_append_span(&c->out, body);
		answered(c, true);
		return true;
	}
	if (fault_on(faults, FAULT_TE_AND_CL) || fault_on(faults, FAULT_TWO_CL)) {
		bool chunked = fault_on(faults, FAULT_TE_AND_CL);
		put_head(c, status, type);
		put_length(&c->out, body.len);
		if (chunked) {
			buf_append_str(&c->out, "Transfer-Encoding: chunked\r\n\r\n");
			put_chunk(&c->out, body);
			buf_append_str(&c->out, "0\r\n\r\n");
		} else {
			put_length(&c->out, body.len + 1);
			buf_append_str(&c->out, "\r\n");
			buf_append_span(&c->out, body);
		}
		answered(c, false);
		return true;
	}
	if (fault_on(faults, FAULT_CUT) || fault_on(faults, FAULT_RESET)) {
		double share = MIN(fault_value(faults, FAULT_CUT, 0.5), 1);
		put_head(c, status, type);
		put_length(&c->out, body.len);
		buf_append_str(&c->out, "\r\n");
		buf_append(&c->out, body.data, (size_t)((double)body.len * share));
		engine_client_answered(c,
		        fault_on(faults, FAULT_RESET) ? ENGINE_CLIENT_RESET : ENGINE_CLIENT_CLOSE);
		return true;
	}
	return false;
}

void delivery_whole(struct engine_client *c, int status, const char *type, struct span body)
{
	struct buf packed = {0};
	if (fault_on(&c->request.faults, FAULT_GZIP)) {
		gzip_whole(body, &packed);
		body = buf_span(&packed);
	}
	if (!c->request.faults.on || !deliver_wrongly(c, status, type, body)) {
		bool is_head = span_is(c->request.method, "HEAD");
		put_head(c, status, type);
		put_length(&c->out, body.len);
		buf_append(&c->out, "\r\n", 2);
		if (!is_head) {
			buf_append_span(&c->out, body);
		}
		/* After a request that was not HTTP, closes the connection. */
		answered(c, c->request.method.data == NULL);
	}
	buf_finish(&packed);
}

static void deliver_error(
        struct engine_client *c, int status, const char *message, const char *param)
{
	struct buf body = {0};
	engine_problem_put(status, message, param, &body);
	delivery_whole(c, status, "application/json", buf_span(&body));
	buf_finish(&body);
}

void delivery_error(struct engine_client *c, int status, const char *message)
{
	deliver_error(c, status, message, NULL);
}

void delivery_problem(struct engine_client *c, const struct engine_problem *problem)
{
	deliver_error(c, problem->status, problem->message, problem->param);
}

static void put_piece(struct engine_client *c, struct span data)
{
	if (c->closing || c->gone || data.len == 0) {
		return;
	}
	if (is_http_10(&c->request) || c->sized) {
		buf_append_span(&c->out, data);
	} else {
		put_chunk(&c->out, data);
	}
}

void delivery_begin(struct engine_client *c, const char *type)
{
	put_head(c, 200, type);
	if (fault_on(&c->request.faults, FAULT_TWO_CL)) {
		buf_append_str(&c->out, "Content-Length: 100\r\nContent-Length: 200\r\n");
	} else if (fault_on(&c->request.faults, FAULT_TE_AND_CL)) {
		buf_append_str(&c->out, "Content-Length: 100\r\n");
	}
	if (!is_http_10(&c->request)) {
		buf_append_str(&c->out, "Transfer-Encoding: chunked\r\n");
	}
	buf_append_str(&c->out, "\r\n");
	if (fault_on(&c->request.faults, FAULT_GZIP)) {
		struct buf packed = {0};
		gzip_begin(&c->gzip, &packed);
		put_piece(c, buf_span(&packed));
		buf_finish(&packed);
	}
}

void delivery_begin_recorded(
        struct engine_client *c, int status, struct span fields, int64_t length)
{
	const struct http_request *r = &c->request;
	struct buf *to = &c->out;
	c->sized = length >= 0;
	buf_printf(to, "HTTP/1.1 %d %s\r\n%sServer: plumbline-engine (recorded)\r\n", status,
	        http_reason(status), engine_client_date(c->worker));
	buf_append_span(to, fields);
	if (closes(r) || (is_http_10(r) && !c->sized)) {
		buf_append_str(to, "Connection: close\r\n");
	} else if (r->minor == 0) {
		buf_append_str(to, "Connection: keep-alive\r\n");
	}
	if (c->sized) {
		put_length(to, (size_t)length);
	} else if (!is_http_10(r)) {
		buf_append_str(to, "Transfer-Encoding: chunked\r\n");
	}
	buf_append_str(to, "\r\n");
}

void delivery_piece(struct engine_client *c, struct span data)
{
	if (fault_on(&c->request.faults, FAULT_GZIP)) {
		struct buf packed = {0};
		gzip_piece(&c->gzip, data, &packed);
		put_piece(c, buf_span(&packed));
		buf_finish(&packed);
	} else {
		put_piece(c, data);
	}
}

void delivery_end(struct engine_client *c)
{
	bool ends_by_close = is_http_10(&c->request) && !c->sized;
	if (fault_on(&c->request.faults, FAULT_GZIP)) {
		struct buf packed = {0};
		gzip_end(&c->gzip, &packed);
		put_piece(c, buf_span(&packed));
		buf_finish(&packed);
	}
	if (!ends_by_close && !c->sized) {
		buf_append_str(&c->out, "0\r\n\r\n");
	}
	c->sized = false;
	answered(c, ends_by_close);
}

void delivery_break(struct engine_client *c, enum engine_client_after how)
{
	c->sized = false;
	engine_client_answered(c, how);
}
