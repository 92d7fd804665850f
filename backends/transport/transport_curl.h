#pragma once
/*
 * transport_curl - a libcurl multi handle on a libuv loop. Internal to the curl transport. The
 * connections and timers are in transport_curl.c, one exchange is in upstream_curl.c, and the
 * options of its easy handle are in upstream_options.c.
 *
 * libcurl must not be called from within its own callbacks. So a call of the caller only sets a
 * flag and puts the upstream in the transport's list `waiting`; on_turn does the work in the loop's
 * next iteration (a "turn").
 */
#include "base/check.h" /* before libuv, which defines MIN and MAX, too */

#include <stdbool.h>
#include <stdint.h>

#include <curl/curl.h>
#include <uv.h>

#include "backends/transport/curl_pool.h"
#include "backends/transport/transport.h"
#include "base/list.h"

#define TRANSPORT_MAGIC 0x7472616e
#define UPSTREAM_MAGIC 0x75707374

struct curl_upstream;

/* What the transport tells its upstreams. */
struct curl_transport_events {
	void (*on_turn)(struct curl_upstream *u);
	/* libcurl has ended the transfer with this code. */
	void (*on_done)(struct curl_upstream *u, CURLcode code);
	/* Checks whether u was silent for too long. now: clock_mono(). */
	void (*on_sweep)(struct curl_upstream *u, uint64_t now);
};

struct curl_transport {
	struct transport base;
	const struct curl_transport_events *events;
	uint32_t magic;
	uv_loop_t *loop;
	CURLM *multi;
	struct curl_pool pool;
	uv_timer_t timer; /* libcurl's own timeouts */
	uv_timer_t sweep; /* looks for silent exchanges */
	uv_idle_t turn;   /* runs while an upstream waits for a turn */
	unsigned open_handles;
	struct list active;  /* started upstreams */
	struct list waiting; /* upstreams that wait for a turn */
	char *url;           /* scheme, host and port of the target */
	char *name;          /* host:port, for messages */
	char *ca_file;
	uint64_t connect_timeout, idle_timeout, max_idle_age; /* ns, as in struct upstream_target */
};

struct curl_upstream {
	struct upstream base;
	uint32_t magic;
	struct curl_transport *transport;
	const struct upstream_events *events;
	void *arg;
	CURL *easy;
	struct http_parser *parser;
	struct list active_link, waiting_link;
	/* only pull, rewind and the numbers are valid; spans and fields are not kept */
	struct upstream_request request;
	struct curl_slist *fields;
	uint64_t last_activity; /* clock_mono() ns */
	uint64_t pulled;        /* bytes of the request's body that the current try has sent */
	struct buf held;        /* bytes of the body that arrived while `paused` is set */
	struct buf text;        /* memory of upstream_end.text */
	int body_error;         /* the error from pull */
	unsigned sends;         /* how often the request was sent */
	bool safe_method;       /* transport_is_safe() */
	bool is_head;
	enum {
		TRANSFER_NEW,
		TRANSFER_RUNNING,
		TRANSFER_FINISHED, /* by libcurl; the caller must still take the held body */
		TRANSFER_ENDED,
	} state;
	bool cancelled;
	bool timed_out;
	bool stale;          /* the kept connection was not clean: the request needs a new one */
	bool replay_refused; /* the request had to be sent again, but must not be sent twice */
	bool fresh_tried;    /* after `stale`, the transfer was begun on a new connection */
	bool has_head;       /* on_head was called */
	bool complete;       /* the answer's last byte was read */
	bool refused;        /* the parser refused the answer */
	bool body_read;      /* pull has returned the end of the body */
	bool paused;         /* on_body returned false */
	bool resume_requested, ready_requested;
	bool start_waits; /* upstream_start() was called from within a callback of libcurl */
	bool curl_recv_paused, curl_send_paused;
	CURLcode code;
	char error[CURL_ERROR_SIZE];
};

/* transport_curl.c */
struct transport *transport_curl_create(uv_loop_t *loop, const struct upstream_target *target,
        const struct curl_transport_events *events);
void transport_curl_destroy(struct transport *transport);
/* Gives the upstream a turn in the loop's next iteration. */
void transport_wait_for_turn(struct curl_upstream *u);
/* Takes back a turn that is no longer needed. */
void transport_forget_turn(struct curl_upstream *u);
/* Adds a started upstream to `active`, where the sweep watches it. */
void transport_activate(struct curl_upstream *u);

/* upstream_options.c */
/* Makes the easy handle of a request, without callbacks for its bytes. */
void upstream_set_options(struct curl_upstream *u, const struct upstream_request *request);
/* The reason of a transfer's end, if the answer itself gave none. */
enum upstream_reason upstream_reason_of(CURLcode code);
/* Why a transfer failed, without the address and the times that libcurl repeats. The result is
 * static, or in the upstream's error buffer. */
const char *upstream_cause_of(const struct curl_upstream *u);
