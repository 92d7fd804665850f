#pragma once
/*
 * tunnel - an exchange that becomes a websocket (realtime APIs). After the engine's 101 bytes pass
 * both ways as they come. Nothing of them is recorded or copied.
 *
 * 	REQUESTED ──101──► OPEN      any other answer is relayed, and the connection ends with it
 *
 * What the client sends behind its head is held back until the 101: an engine that refuses would
 * read it as a request. The engine's end ends the tunnel. A client's end is passed on, and the
 * engine may finish. clients.idle_timeout limits silence in both directions, relay_window what is
 * queued in each. Part of exchange; loop thread only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct client;
struct exchange;
struct http_head;

enum tunnel_state { TUNNEL_NONE, TUNNEL_REQUESTED, TUNNEL_OPEN };

/* The head has Upgrade: requests a tunnel, or refuses; then the exchange has ended. */
void tunnel_request(struct exchange *e);
/* The engine has switched. */
void tunnel_open(struct exchange *e, const struct http_head *head);
/* From a client in CLIENT_TUNNEL. */
void tunnel_data(struct client *c, const char *data, size_t len);
void tunnel_eof(struct client *c);
/* Nothing has passed in either direction for longer than limit ns; 0: no limit. */
bool tunnel_is_idle(const struct client *c, uint64_t limit, uint64_t now);
