#pragma once
/*
 * recording - one recorded answer as a client is to get it again: head, body, and when each byte is due.
 *
 * The body has the bytes that the engine gave, less what the proxy had asked for beside the client and
 * whoever asks now did not ask for either. Content codings stay as they were.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/injection/kinds.h"
#include "capture/capture.h"

struct recording_moment {
	uint64_t us;  /* since the request */
	size_t bytes; /* of the body that are there by then */
};

struct recording {
	int status;
	bool stream;       /* came as events: its length was not known */
	bool broken;       /* the engine broke off at the end */
	struct buf fields; /* of the head: "name: value" CRLF lines, content-type among them */
	struct buf body;
	struct recording_moment *moments; /* ascending in both */
	size_t n_moments;
	uint64_t head_us, end_us;
};

#define RECORDING_LIMIT ((uint64_t)64 << 20) /* bytes of a body */

/* The leg is an answer that can be given again. NULL, or why not. */
const char *recording_unfit(const struct capture_exchange *e, size_t leg) MUST_CHECK;
/* The key under which kinds knows what the leg's engine gives unasked, and the one time at which it
 * learns and is asked: a capture does not age. */
#define RECORDING_NOW 0
struct kind_key recording_kind(const struct capture_exchange *e, size_t leg);
/*
 * 0, or negative errno of reading it. asked: by whoever will get it. kinds: what the capture's plain
 * answers taught; where they taught nothing, nothing is cut.
 */
int recording_load(struct capture *c, const struct capture_exchange *e, size_t leg,
        const struct request_facts *asked, struct kinds *kinds, struct recording *ret) MUST_CHECK;
void recording_finish(struct recording *r);
