#pragma once
/* What injection.c, before an answer, and injection_answer.c share. */
#include "proxy/injection.h"

#include "backends/injection/kinds.h"

struct kind_key injection_key(const struct exchange *e);
/* The signature is known: the answer is cut by what was learned of its form, or is strange. */
void injection_decide(struct exchange *e, struct signature sig);
/* There will be no second try. */
void injection_commit(struct exchange *e);
void injection_drop_held(struct exchange *e); /* of what is held of a unary answer, and its leg */
void injection_drop_cutter(struct exchange *e);
void injection_drop_sample(struct exchange *e);
