#pragma once
/* injection_parts - shared by injection.c, which decides, and injection_answer.c, which handles
 * answers. */
#include "proxy/injection.h"

#include "backends/injection/kinds.h"

struct kind_key injection_key(const struct exchange *e);
/* Call when the answer's signature is known. Finds how to cut its form, or sets
 * injection_state.next for a second attempt. */
void injection_decide(struct exchange *e, struct signature sig);
/* Call when no second attempt will follow. Releases the leg and the request's body. */
void injection_commit(struct exchange *e);
/* Frees the unary answer that is held, and the leg of the first attempt. */
void injection_drop_held(struct exchange *e);
void injection_drop_cutter(struct exchange *e);
void injection_drop_sample(struct exchange *e);
