#pragma once
/*
 * answer_json - writes an answer as JSON: whole bodies, and the data of stream events. One thread.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/engine/engine_request.h"
#include "backends/engine/generation.h"
#include "base/json_writer.h"

struct answer_json {
	const struct engine_options *options;
	const struct engine_request *request;
	char id[48];
	char fingerprint[32];
	int64_t created;
	struct buf prefix;               /* the beginning of every event of the stream */
	struct json_writer after_prefix; /* continues it */
};

struct answer_json_usage {
	int64_t prompt, completion, cached, reasoning;
};

/* options and request must outlive *f. replica: the number of the server among several, which the
 * fingerprint shows; 0: there is only one. created: seconds since 1970. */
void answer_json_init(struct answer_json *f, const struct engine_options *options,
        const struct engine_request *request, uint32_t replica, uint64_t id, int64_t created);
void answer_json_finish(struct answer_json *f);

/* Appends a complete answer with all choices. */
void answer_json_unary(struct answer_json *f, struct generation *choices, uint32_t n,
        const struct answer_json_usage *usage, struct buf *to);
/* Append the data of one event of a streamed answer, without framing. */
void answer_json_role(struct answer_json *f, const struct generation *g, struct buf *to);
/* Writes the choice's text that generation_release() returns, with logprobs and ids of g->rows from
 * index `row` on if they are requested. The next call does not write this text again. */
void answer_json_delta(struct answer_json *f, struct generation *g, uint32_t row, struct buf *to);
void answer_json_end(struct answer_json *f, const struct generation *g, struct buf *to);
void answer_json_usage(
        struct answer_json *f, const struct answer_json_usage *usage, struct buf *to);

/* Writes one token of logprobs: token, bytes, logprob (-INFINITY as -9999), and with_id its id.
 * key: as in json_writer.h. */
void answer_json_token(
        struct json_writer *w, const char *key, uint32_t id, double logprob, bool with_id);
