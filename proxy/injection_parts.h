#pragma once
/* Shared by injection.c, which decides, and injection_answer.c, which handles answers. */
#include "proxy/injection.h"

#include "backends/injection/kinds.h"

struct kind_key injection_key(const struct exchange *e);
/* The answer's signature is known: finds how to cut its form, or sets `strange`. */
void injection_decide(struct exchange *e, struct signature sig);
/* No second attempt will follow: releases the leg and the request's body. */
void injection_commit(struct exchange *e);
void injection_drop_held(
        struct exchange *e); /* the unary answer, and the leg of the first attempt */
void injection_drop_cutter(struct exchange *e);
void injection_drop_sample(struct exchange *e);
