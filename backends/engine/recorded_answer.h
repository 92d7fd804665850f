#pragma once
/*
 * recorded_answer - one recorded answer in the form in which a client gets it again: head, body,
 * and the time of each byte.
 *
 * The body has the engine's bytes. Members that the proxy added are cut, unless this client
 * requests them or a cut is impossible (as in content codings). One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/injection/kinds.h"
#include "capture/capture.h"

struct recorded_answer_moment {
	uint64_t us;  /* microseconds since the request */
	size_t bytes; /* bytes of the body that had arrived by then */
};

struct recorded_answer {
	int status;
	bool stream; /* it came as events, of unknown length */
	bool broken; /* the connection broke at the end of the body */
	/* fields of the head: "name: value" CRLF lines, without those of the connection */
	struct buf fields;
	struct buf body;
	struct recorded_answer_moment *moments; /* at least one; both members ascend */
	size_t n_moments;
	uint64_t head_us, end_us;
};

#define RECORDED_ANSWER_LIMIT ((uint64_t)64 << 20) /* bytes of a body */

/* Returns NULL if the leg is an answer that can be sent again, else why not: a static text. */
const char *recorded_answer_unfit(const struct capture_exchange *e, size_t leg) MUST_CHECK;
/* The leg's key for a struct kinds, with strings of *e. RECORDED_ANSWER_NOW: what to pass to the
 * functions of kinds.h as now_ns; it is constant, because a capture does not age. */
#define RECORDED_ANSWER_NOW 0
struct kind_key recorded_answer_kind(const struct capture_exchange *e, size_t leg);
/* Returns 0 or a negative errno; -EBADMSG: the leg's stored body is not complete. requested: the
 * request of the client that will get the answer. kinds: the caller has filled it by kinds_learn()
 * from the capture's plain answers. If it knows nothing about the leg's key, nothing is cut. */
int recorded_answer_load(struct capture *c, const struct capture_exchange *e, size_t leg,
        const struct request_facts *requested, struct kinds *kinds,
        struct recorded_answer *ret) MUST_CHECK;
void recorded_answer_finish(struct recorded_answer *r);
