#pragma once
/* injection_parts - shared by injection.c, which decides and learns from plain answers, and
 * injection_answer.c, which handles answers; for them only. */
#include "proxy/injection.h"

#include "backends/injection/kinds.h"

struct kind_key injection_key(const struct exchange *e); /* points into the exchange */
/* True while a second attempt is possible, because the client has no data of the answer yet, only
 * its head or comments at most. */
bool injection_may_ask_again(const struct exchange *e);
/* Call when the answer's signature is known. Finds how to cut its form, or sets `next` for a
 * second attempt. */
void injection_decide(struct exchange *e, struct signature sig);
/* Call when no second attempt will follow. Lets the recorder have the leg, and frees the
 * request's body. */
void injection_commit(struct exchange *e);
/* Frees the answer in `held`, and the leg in `kept`. */
void injection_drop_held(struct exchange *e);
void injection_drop_cutter(struct exchange *e);

/* Call it for a complete stream. Stops injection if it causes errors. Streams of more than 1 MiB do
 * not count. */
void injection_count_stream(struct exchange *e, bool error);
/* Adds a piece of a plain answer to `sample`; call it only while `learning`. */
void injection_sample_add(struct exchange *e, const char *data, size_t len);
/* Learns the kind from `sample`. Call it when the answer is complete. */
void injection_sample_learn(struct exchange *e);
