#pragma once
/*
 * otel_form - a chat's messages and tools as the conventions for generative AI write them: messages with lists of parts. JSON
 * to JSON; one thread.
 */
#include "base/buf.h"
#include "answers/reading.h"

/*
 * Of a request's body: "[{"role":...,"parts":[...]}, ...]". NULL, or why they have no place in it. *ret_more: some have members
 * that are no part of it.
 */
const char *otel_form_messages(struct span body, struct buf *to, bool *ret_more) MUST_CHECK;
/* The tools that it offers, as definitions; nothing where it offers none. NULL, or why they have no place.
 * *ret_more: some have members beside their function. */
const char *otel_form_tools(struct span body, struct buf *to, bool *ret_more) MUST_CHECK;
/* What was answered: a list of one message, with the reason of its end. */
void otel_form_answer(const struct choice *c, struct buf *to);
