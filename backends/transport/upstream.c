#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backends/transport/wire.h"
#include "base/clock.h"
#include "base/mem.h"

#define ROUNDS 4 /* windows of a body that are written before other exchanges get a turn */
#define RACE_LIMIT UINT64_C(1000000000) /* ns; how soon an idle connection's end shows */

/* The end */

static void end(struct upstream *x)
{
	const char *text = x->cause;
	size_t len = strlen(text);
	bool period = text[len - 1] == '.';
	if (period || x->detail) {
		buf_printf(&x->text, "%.*s%s%s", (int)(len - period), text, x->detail ? ": " : "",
		        x->detail ? x->detail : "");
		text = buf_cstr(&x->text);
	}
	struct upstream_end result = {
	        .reason = x->reason,
	        .sent = x->sends > 0,
	        .has_head = x->has_head,
	        .retried = x->sends > 1,
	        .text = text,
	        .connect_us = x->connect_us,
	};
	x->state = WIRE_ENDED;
	list_remove(&x->active);
	list_remove(&x->turn);
	x->events->on_end(x->arg, &result);
}

static void close_connection(struct upstream *x)
{
	wire_dial_stop(x);
	if (x->connection) {
		wire_connection_close(x->connection);
		x->connection = NULL;
	}
}

static void set_over(
        struct upstream *x, enum upstream_reason reason, const char *cause, const char *detail)
{
	x->state = WIRE_OVER;
	x->reason = reason;
	x->cause = cause;
	x->detail = detail;
	close_connection(x);
}

/* Closes the connection, and ends the exchange in its next turn. */
static void end_later(
        struct upstream *x, enum upstream_reason reason, const char *cause, const char *detail)
{
	set_over(x, reason, cause, detail);
	wire_ask_turn(x);
}

/* The end follows only after the caller has received the held body. */
static void end_if_delivered(struct upstream *x)
{
	if (x->held.len == 0 || x->cancelled) {
		end(x);
	}
}

static void end_cancelled(struct upstream *x)
{
	set_over(x, UPSTREAM_CANCELLED, "the exchange was cancelled", NULL);
	end(x);
}

/* The request */

/* A failed write does not end the exchange: the backend's last bytes may still be in the socket,
 * and reading shows how it ended. */
static void note_write_error(struct upstream *x, int status)
{
	x->write_failed = true;
	if (status != UV_EPIPE && status != UV_ECONNRESET) {
		x->write_error = status;
		wire_ask_turn(x);
	}
}

/* Writes one window of the request. False: there is nothing to write now. */
static bool write_some(struct upstream *x, bool later)
{
	struct transport *w = x->wire;
	struct buf out = w->out; /* local, since pull() may lead to another write */
	w->out = (struct buf){0};
	wire_request_body(x, &out);
	struct span parts[2] = {{0}};
	size_t n = 0;
	if (!x->head_sent) {
		parts[n++] = buf_span(&x->head);
	}
	if (out.len) {
		parts[n++] = buf_span(&out);
	}
	if (n && !x->cancelled && !x->body_error) {
		x->head_sent = true;
		int r = wire_connection_write(x->connection, parts, n, later);
		if (r < 0) {
			note_write_error(x, r);
		}
	}
	buf_finish(&w->out);
	w->out = out;
	buf_clear(&w->out);
	return n > 0;
}

static void pump(struct upstream *x)
{
	if (x->pumping || x->state != WIRE_TALKING) {
		return;
	}
	x->pumping = true;
	for (unsigned i = 0; !x->connection->writing && !x->sent && !x->write_failed &&
	                     !x->body_error && !x->cancelled;
	        i++) {
		if (!write_some(x, i >= ROUNDS)) {
			break;
		}
	}
	x->pumping = false;
	if (x->switched && x->sent && !x->write_failed && !x->finished) {
		x->finished = true;
		wire_connection_finish(x->connection);
	}
	if (x->body_error) {
		wire_ask_turn(x); /* a caller of this may be the parser, or pull */
	}
}

static void send_request(struct upstream *x)
{
	x->sends++;
	x->answer_begun = false;
	x->last_activity = clock_mono();
	if (x->request.websocket) {
		http_parser_may_switch(x->connection->parser, "websocket");
	}
	pump(x);
}

static const struct wire_connection_events EVENTS;
static const struct http_parser_events ANSWER;

static void use_connection(struct upstream *x, struct wire_connection *c)
{
	c->user = x;
	c->events = &EVENTS;
	x->connection = c;
	x->state = WIRE_TALKING;
}

static void on_dialed(
        struct upstream *x, struct wire_connection *c, const char *cause, const char *detail)
{
	if (!c) {
		end_later(x, UPSTREAM_REFUSED, cause, detail);
		return;
	}
	c->parser = http_parser_create(HTTP_RESPONSE, &ANSWER, c);
	use_connection(x, c);
	if (wire_connection_read(c) < 0) {
		end_later(x, UPSTREAM_BROKEN, "the connection can't be read", NULL);
		return;
	}
	send_request(x);
}

/* Sends the request again. The engine had closed a kept connection at the moment of use, which
 * happens in every pool of connections. */
static void send_again(struct upstream *x)
{
	close_connection(x);
	if (x->body_read && x->request.pull) {
		x->request.rewind(x->arg);
	}
	x->pulled = 0;
	x->body_read = x->head_sent = x->sent = x->write_failed = false;
	wire_dial(x, on_dialed);
}

/* The answer */

static struct upstream *user_of(void *arg)
{
	struct wire_connection *c = CHECKED(struct wire_connection, arg, WIRE_CONNECTION_MAGIC);
	return c->user;
}

static void on_head(void *arg, const struct http_head *head, bool *ret_no_body)
{
	struct upstream *x = user_of(arg);
	if (x->cancelled) {
		return;
	}
	if (head->status == 101) {
		x->switched = true;
		x->has_head = true;
		x->events->on_head(x->arg, head);
		return;
	}
	if (head->status < 200) {
		if (head->status != 100 && x->events->on_interim) {
			x->events->on_interim(x->arg, head);
		}
		return;
	}
	*ret_no_body = x->is_head;
	x->has_head = true;
	x->keeps = wire_pool_may_keep(head, x->is_head);
	if (x->sent && !x->connection->writing) {
		buf_finish(&x->head);
	}
	x->events->on_head(x->arg, head);
}

static void deliver(struct upstream *x, const char *data, size_t len)
{
	if (!x->events->on_body(x->arg, data, len)) {
		x->paused = true;
		x->resume_requested = false;
	}
}

static void on_body(void *arg, const char *data, size_t len)
{
	struct upstream *x = user_of(arg);
	if (x->cancelled) {
		return;
	}
	if (x->paused) {
		buf_append(&x->held, data, len); /* the rest of one read */
		wire_count(x->wire, len);
	} else {
		deliver(x, data, len);
	}
}

static void on_complete(void *arg)
{
	struct upstream *x = user_of(arg);
	x->complete = !x->switched;
}

static const struct http_parser_events ANSWER = {
        .on_head = on_head,
        .on_body = on_body,
        .on_complete = on_complete,
};

/* exact: nothing arrived after the answer's last byte. */
static void answer_ended(struct upstream *x, bool exact)
{
	struct wire_connection *c = x->connection;
	if (exact && x->keeps && x->sent && !c->writing && !x->write_failed) {
		x->connection = NULL;
		wire_pool_keep(c);
	}
	set_over(x, UPSTREAM_DONE, "the answer is complete", NULL);
	end_if_delivered(x);
}

static void on_data(struct wire_connection *c, const char *data, size_t len)
{
	struct upstream *x = c->user;
	x->answer_begun = true;
	x->last_activity = clock_mono();
	ssize_t used = 0;
	if (!x->switched) {
		used = http_parser_feed(c->parser, data, len);
	}
	if (x->switched && used >= 0 && (size_t)used < len) {
		on_body(c, data + used, len - (size_t)used);
	}
	if (x->cancelled) {
		end_cancelled(x);
	} else if (x->complete) {
		bool exact = used == (ssize_t)len;
		if (!exact) {
			wire_count_stray(x->wire);
		}
		answer_ended(x, exact);
	} else if (used < 0) {
		set_over(x, UPSTREAM_BAD_ANSWER, http_parser_problem(c->parser)->text, NULL);
		end_if_delivered(x);
	} else if (x->paused) {
		wire_connection_hold(c);
	}
}

/* Whether the engine closed an idle connection while the request was on its way: then the end comes
 * at once. If it comes later, the engine may have read the request and acted on it. */
static bool is_race(const struct upstream *x, int status)
{
	bool closed = status == UV_EOF || status == UV_ECONNRESET || status == UV_EPIPE;
	return closed && clock_mono() - x->last_activity < RACE_LIMIT;
}

static void on_connection_end(struct wire_connection *c, int status)
{
	struct upstream *x = c->user;
	if (x->cancelled) {
		end_cancelled(x);
		return;
	}
	/* After an error, a socket reports an ordinary end. */
	bool orderly = status == UV_EOF && !x->write_failed;
	if (orderly && x->switched) {
		answer_ended(x, false);
		return;
	}
	if (orderly && http_parser_eof(c->parser) == 0 && x->complete) {
		answer_ended(x, false);
		return;
	}
	bool raced = c->carried && !x->answer_begun && is_race(x, status);
	if (raced && x->may_repeat) {
		send_again(x);
		return;
	}
	const char *cause = raced ? "the connection was closed before the answer, and the request "
	                            "cannot be sent again"
	                          : "the connection was closed before the end of the answer";
	set_over(x, UPSTREAM_BROKEN, cause, status == UV_EOF ? NULL : uv_strerror(status));
	end_if_delivered(x);
}

/* A connection is kept only after all its output was sent, so it has a user here. */
static void on_written(struct wire_connection *c, int status)
{
	if (status < 0) {
		note_write_error(c->user, status);
	} else {
		pump(c->user);
	}
}

static const struct wire_connection_events EVENTS = {
        .on_data = on_data,
        .on_end = on_connection_end,
        .on_written = on_written,
};

/* Turns */

static void resume(struct upstream *x)
{
	x->resume_requested = false;
	x->paused = false;
	x->last_activity = clock_mono();
	if (x->held.len) {
		struct buf held = x->held;
		x->held = (struct buf){0};
		deliver(x, held.data, held.len);
		wire_uncount(x->wire, held.len);
		buf_finish(&held);
	}
	if (x->cancelled) {
		end_cancelled(x);
	} else if (x->state == WIRE_OVER) {
		end_if_delivered(x);
	} else if (!x->paused && x->connection && wire_connection_read(x->connection) < 0) {
		end_later(x, UPSTREAM_BROKEN, "the connection can't be read", NULL);
	}
}

void wire_exchange_turn(struct upstream *x)
{
	if (x->cancelled) {
		end_cancelled(x);
		return;
	}
	if (x->state == WIRE_TALKING && x->body_error) {
		set_over(x, UPSTREAM_BODY_FAILED, "the request's body ended early", NULL);
	} else if (x->state == WIRE_TALKING && x->write_error) {
		set_over(x, UPSTREAM_BROKEN, "the connection accepts no more data",
		        uv_strerror(x->write_error));
	} else if (x->state < WIRE_OVER && x->timed_out) {
		set_over(x, UPSTREAM_TIMEOUT,
		        x->state == WIRE_DIALING ? "no connection in time"
		                                 : "no byte came for longer than idle_timeout",
		        NULL);
	}
	if (x->resume_requested && x->paused) {
		resume(x);
	} else if (x->state == WIRE_OVER) {
		end_if_delivered(x);
	}
}

void wire_exchange_check_silence(struct upstream *x, uint64_t now)
{
	const struct transport *w = x->wire;
	bool dialing = x->state == WIRE_DIALING;
	/* While the caller has paused the body, the silence is not the engine's fault. */
	if (x->paused || x->state >= WIRE_OVER) {
		x->last_activity = now;
	} else if ((w->idle_timeout && now - MIN(now, x->last_activity) > w->idle_timeout) ||
	           (dialing && w->connect_timeout &&
	                   now - MIN(now, x->dial_begun) > w->connect_timeout)) {
		x->timed_out = true;
		wire_ask_turn(x);
	}
}

/* The caller's functions */

struct upstream *upstream_create(
        struct transport *t, const struct upstream_events *events, void *arg)
{
	struct upstream *x = xcalloc(1, sizeof(*x));
	x->magic = WIRE_EXCHANGE_MAGIC;
	x->wire = CHECKED(struct transport, t, WIRE_MAGIC);
	x->events = events;
	x->arg = arg;
	list_init(&x->dials);
	return x;
}

int upstream_start(struct upstream *x, const struct upstream_request *request)
{
	expect(x->state == WIRE_NEW);
	expect(!request->websocket || (transport_switches(x->wire) && !request->has_body));
	if (!wire_request_may_be_sent(request)) {
		return -EINVAL;
	}
	x->request = *request;
	if (!request->pull) {
		x->request.body_length = (int64_t)request->body.len;
	}
	wire_request_head(x, &x->request);
	x->is_head = span_is(request->method, "HEAD");
	x->may_repeat = request->replayable || wire_request_is_safe(request);
	x->request.fields = NULL;
	x->request.method = x->request.target = (struct span){0};
	x->last_activity = clock_mono();
	list_append(&x->wire->active, &x->active);
	wire_sweep_on(x->wire);
	struct wire_connection *c = wire_pool_take(x->wire);
	if (c) {
		use_connection(x, c);
		send_request(x);
	} else {
		wire_dial(x, on_dialed);
	}
	return 0;
}

void upstream_body_ready(struct upstream *x)
{
	pump(x);
}

void upstream_resume(struct upstream *x)
{
	if (x->state != WIRE_NEW && x->state != WIRE_ENDED && x->paused) {
		x->resume_requested = true;
		wire_ask_turn(x);
	}
}

void upstream_cancel(struct upstream *x)
{
	if (x->state != WIRE_NEW && x->state != WIRE_ENDED) {
		x->cancelled = true;
		wire_ask_turn(x);
	}
}

void upstream_destroy(struct upstream *x)
{
	if (!x) {
		return;
	}
	CHECKED(struct upstream, x, WIRE_EXCHANGE_MAGIC);
	expect(x->state == WIRE_NEW || x->state == WIRE_ENDED);
	buf_finish(&x->head);
	wire_uncount(x->wire, x->held.len);
	buf_finish(&x->held);
	buf_finish(&x->text);
	x->magic = 0;
	free(x);
}
