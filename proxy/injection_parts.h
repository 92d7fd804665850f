#pragma once
/* injection_parts - shared by injection.c, which decides, and injection_answer.c, which handles
 * answers, and for them only. */
#include "proxy/injection.h"

#include "backends/injection/kinds.h"

struct kind_key injection_key(const struct exchange *e);
/* Call when the answer's signature is known. Finds how to cut its form, or sets `next` for a
 * second attempt. */
void injection_decide(struct exchange *e, struct signature sig);
/* Call when no second attempt will follow. Lets the recorder have the leg, and frees the
 * request's body. */
void injection_commit(struct exchange *e);
/* Frees the answer in `held`, and the leg in `kept`. */
void injection_drop_held(struct exchange *e);
void injection_drop_cutter(struct exchange *e);
void injection_drop_sample(struct exchange *e);
