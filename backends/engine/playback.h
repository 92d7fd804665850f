#pragma once
/*
 * playback - answers a request with a recorded answer, at its recorded pace.
 *
 * Each piece is sent at its recorded time after the request, divided by the speed, and never
 * earlier. Faults do not apply. If no recorded answer fits, the client gets 404. Loop thread only.
 * A playback ends by answering its client, or is cancelled with the client.
 */
#include "backends/engine/engine_client.h"

void playback_begin(struct engine_client *c, const struct http_request *r);
