#include "proxy/client_timeouts.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "proxy/client.h"
#include "proxy/exchange.h"
#include "proxy/request_reader.h"
#include "proxy/worker.h"

/* Nanoseconds. Timeouts that users set are in struct client_limits (settings.h). */
#define SECOND UINT64_C(1000000000)
#define IDLE_AFTER (1 * SECOND)     /* between requests: may be closed to make room */
#define FRESH (1 * SECOND)          /* probably about to send its first request */
#define LINGER_TIMEOUT (2 * SECOND) /* answered and told to close, but still connected */
#define RESET_DELAY (SECOND / 10)   /* before a reset, so that the answer arrives first */

/* While we do not read, no callback reports that the client has gone, so ask the kernel. */
static bool peer_closed(const struct client *c)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);
	int fd;
	if (uv_fileno((const uv_handle_t *)&c->tcp, &fd) < 0 ||
	        getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0) {
		return false;
	}
	return info.tcpi_state == TCP_CLOSE ||
	       (info.tcpi_state == TCP_CLOSE_WAIT && c->state != CLIENT_TUNNEL &&
	               !worker_settings(c->worker)->half_close_keep);
}

static bool is_over(uint64_t limit, uint64_t since, uint64_t now)
{
	return limit && now > since && now - since > limit;
}

/* Notes that the client has read some of its output, or all. Any byte counts: a slow reader is not
 * stalled, even if the kernel must first send megabytes before it takes more from us. */
static void note_progress(struct client *c, uint64_t now)
{
	size_t unsent = uv_stream_get_write_queue_size((uv_stream_t *)&c->tcp) + c->out.len;
	int in_kernel = 0; /* bytes that are not acknowledged, and those that are not even sent */
	int fd;
	if (unsent && uv_fileno((const uv_handle_t *)&c->tcp, &fd) == 0 &&
	        ioctl(fd, SIOCOUTQ, &in_kernel) == 0) {
		unsent += (size_t)in_kernel;
	}
	if (!unsent || unsent != c->unsent) {
		c->unsent = unsent;
		c->last_progress = now;
	}
}

static void check_linger(struct client *c, uint64_t now)
{
	bool sent = !client_queued(c);
	if (c->reset && sent && is_over(RESET_DELAY, c->state_since, now)) {
		client_disconnect_hard(c);
	} else if (sent && is_over(LINGER_TIMEOUT, c->state_since, now)) {
		client_disconnect(c, "answered");
	}
}

static const struct http_problem late_head = {
        408, "The head of the request did not arrive in time."};
static const struct http_problem late_body = {
        408, "The body of the request did not arrive in time."};

static void refuse_late(struct client *c, const struct http_problem *problem)
{
	shared_count(c->worker->shared, COUNTER_CLIENT_TIMEOUTS, 1);
	request_reader_refuse(c, problem);
}

/* Whether the client must still send its body in time. Once the answer has begun, the body has
 * no timeout. */
static bool owes_body(const struct client *c)
{
	return c->state == CLIENT_REQUEST && c->exchange &&
	       c->exchange->response.state == RESPONSE_WAITING;
}

bool client_timeouts_is_idle(const struct client *c, uint64_t now)
{
	return c->state == CLIENT_READY && client_between_requests(c) &&
	       is_over(IDLE_AFTER, c->state_since, now);
}

static bool has_unread_input(const struct client *c)
{
	int fd, waiting = 0;
	return uv_fileno((const uv_handle_t *)&c->tcp, &fd) == 0 &&
	       ioctl(fd, FIONREAD, &waiting) == 0 && waiting > 0;
}

/* Whether the connection may be closed while the proxy stops. A request that is already on its
 * way is still answered. A client that has just connected is probably about to send one. */
static bool may_close(const struct client *c, uint64_t now)
{
	return c->state == CLIENT_READY && client_between_requests(c) && !client_queued(c) &&
	       !has_unread_input(c) && (c->had_request || is_over(FRESH, c->state_since, now));
}

void client_timeouts_check(struct client *c, uint64_t now)
{
	const struct client_limits *limits = &worker_settings(c->worker)->clients;
	note_progress(c, now);
	if (is_over(limits->stall_timeout, c->last_progress, now)) {
		shared_count(c->worker->shared, COUNTER_CLIENT_TIMEOUTS, 1);
		client_disconnect(c, "the client does not read its answer");
	} else if (worker_draining(c->worker) && may_close(c, now)) {
		client_disconnect(c, "the proxy is stopping");
	} else if (c->state == CLIENT_LINGER) {
		check_linger(c, now);
	} else if (c->state == CLIENT_TUNNEL && tunnel_is_idle(c, limits->idle_timeout, now)) {
		shared_count(c->worker->shared, COUNTER_CLIENT_TIMEOUTS, 1);
		client_disconnect(c, "no data passes through its tunnel");
	} else if (client_is_unread(c)) {
		if (peer_closed(c)) {
			client_disconnect(c, "gone");
		}
	} else if (owes_body(c)) {
		if (is_over(limits->body_timeout, c->last_read, now)) {
			refuse_late(c, &late_body);
		}
	} else if (c->state == CLIENT_READY && !client_between_requests(c)) {
		if (is_over(limits->head_timeout, c->state_since, now)) {
			refuse_late(c, &late_head);
		}
	} else if (c->state == CLIENT_READY && is_over(limits->idle_timeout, c->state_since, now) &&
	           !has_unread_input(c)) {
		client_disconnect(c, "idle");
	}
}
