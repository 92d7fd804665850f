#pragma once
/*
 * tunnel - an exchange that becomes a websocket (realtime APIs). After the engine's 101, bytes pass
 * both ways unchanged. They are neither recorded nor copied.
 *
 *	REQUESTED ──101──► OPEN
 *
 * Any answer other than 101 is relayed, and the connection ends with it.
 *
 * Until the 101, the proxy holds back what the client sends after its head, because an engine that
 * refuses would read these bytes as a request. When the engine's bytes end, the tunnel ends. When
 * the client's bytes end, that end is passed on, and the engine may finish. clients.idle_timeout
 * limits how long both directions together may be silent, relay_window the bytes that are queued in
 * each direction. Part of exchange; loop thread only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct client;
struct exchange;
struct http_head;

enum tunnel_state { TUNNEL_NONE, TUNNEL_REQUESTED, TUNNEL_OPEN };

/* Call for a request's head with Upgrade. True: a tunnel is requested, or the request was refused,
 * which ends the exchange. False: nothing was done, because the upgrade is not to websocket.
 * Engines ignore such upgrades; clients that prefer HTTP/2 send one with each request (h2c). */
bool tunnel_request(struct exchange *e);
/* Call when the engine's 101 has come. */
void tunnel_open(struct exchange *e, const struct http_head *head);
/* Pass on bytes, or their end, from a client in CLIENT_TUNNEL. */
void tunnel_data(struct client *c, const char *data, size_t len);
void tunnel_eof(struct client *c);
/* True if no byte has passed in either direction for more than limit ns; limit 0: never. now:
 * clock_mono() ns. */
bool tunnel_is_idle(const struct client *c, uint64_t limit, uint64_t now);
