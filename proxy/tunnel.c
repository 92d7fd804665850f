#include "proxy/tunnel.h"

#include "base/ascii.h"
#include "base/http_head.h"
#include "proxy/client.h"
#include "proxy/exchange.h"
#include "proxy/shared.h"
#include "proxy/worker_config.h"

/* Whether the request conforms to the protocol. If it had a body, two parsers could disagree about
 * where it ends. */
static bool is_well_formed(const struct http_head *head)
{
	return span_is(head->method, "GET") && head->minor == 1 && !head->has_length &&
	       head->framing == HTTP_NO_BODY && http_field(head, "sec-websocket-key").len;
}

static bool names_websocket(const struct http_head *head)
{
	for (size_t i = 0; i < head->n_fields; i++) {
		struct span list = head->fields[i].value, protocol;
		while (span_is_nocase(head->fields[i].name, "upgrade") &&
		        http_list_next(&list, &protocol)) {
			if (span_starts_nocase(protocol, "websocket")) {
				return true;
			}
		}
	}
	return false;
}

bool tunnel_request(struct exchange *e)
{
	if (!names_websocket(e->head)) {
		return false;
	}
	if (!http_upgrades_to(e->head, "websocket") ||
	        !transport_switches(e->config->primary->transport)) {
		exchange_refuse(e, 501, "upgrade_not_supported",
		        "An upgrade to websocket names no other protocol, and is supported only "
		        "to an engine over plain http.");
	} else if (!is_well_formed(e->head)) {
		exchange_refuse(e, 400, "bad_request",
		        "An upgrade to websocket needs a GET of HTTP/1.1 with a key and without a "
		        "body.");
	} else {
		e->tunnel = TUNNEL_REQUESTED;
		/* if the engine refuses the upgrade, the bytes that follow are no request */
		e->head->keep_alive = false;
		upload_stop_recording(&e->upload);
		upload_stop_keeping(&e->upload);
	}
	return true;
}

void tunnel_data(struct client *c, const char *data, size_t len)
{
	struct exchange *e = c->exchange;
	upload_add(&e->upload, data, len);
	primary_leg_body_ready(e);
}

void tunnel_eof(struct client *c)
{
	struct exchange *e = c->exchange;
	upload_end(&e->upload);
	primary_leg_body_ready(e);
}

void tunnel_open(struct exchange *e, const struct http_head *head)
{
	struct client *c = e->client;
	if (!c) {
		return;
	}
	e->tunnel = TUNNEL_OPEN;
	shared_count(e->shared, COUNTER_TUNNELS, 1);
	atomic_fetch_add_explicit(&e->shared->tunnels, 1, memory_order_relaxed);
	response_switch(&e->response, head);
	client_set_state(c, CLIENT_TUNNEL);
	if (c->read_ahead.len) {
		upload_add(&e->upload, c->read_ahead.data, c->read_ahead.len);
		buf_finish(&c->read_ahead);
	}
	if (c->eof) {
		upload_end(&e->upload);
	}
	primary_leg_body_ready(e);
	client_resume_reading(c);
}

bool tunnel_is_idle(const struct client *c, uint64_t limit, uint64_t now)
{
	uint64_t last = MAX(c->last_read, c->exchange ? c->exchange->primary.leg.last_arrival : 0);
	last = MAX(last, c->state_since);
	return limit && now > last && now - last > limit;
}
