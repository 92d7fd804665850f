#pragma once
/*
 * tunnel - an exchange that asks for the websocket protocol (realtime APIs): once the engine has switched, bytes
 * pass both ways as they come, and nothing of them is recorded or copied.
 *
 *	ASKED ──101──► OPEN      any other answer is relayed, and the connection ends with it
 *
 * Until the 101 not a byte that the client sends behind its head goes on: an engine that refuses would take it
 * for a request. The engine's end is the end of the tunnel; a client's is passed on, and the engine may finish.
 * clients.idle_timeout holds for silence both ways, relay_window for what waits either way. Loop thread only.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct client;
struct exchange;
struct http_head;

enum tunnel_state { TUNNEL_NONE, TUNNEL_ASKED, TUNNEL_OPEN };

/* A head with Upgrade has come: the exchange asks for a tunnel, or is refused and gone. */
void tunnel_request(struct exchange *e);
/* The engine has switched. */
void tunnel_open(struct exchange *e, const struct http_head *head);
/* From a client in CLIENT_TUNNEL: bytes, and its end. */
void tunnel_data(struct client *c, const char *data, size_t len);
void tunnel_eof(struct client *c);
/* Nothing has passed either way for so long. */
bool tunnel_is_idle(const struct client *c, uint64_t limit, uint64_t now);
