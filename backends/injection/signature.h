#pragma once
/*
 * signature - distinguishes the answers of different engines at the same address.
 *
 * A signature has two parts, form and style. The form covers
 *
 *	- the Server field of the answer's head;
 *	- the names of the members and their order, in the first event with data (or the whole unary
 *	  document) and in its first choice;
 *	- the spacing of this event or document;
 *	- the letters at the beginning of its system_fingerprint.
 *
 * The form does not cover what injection changes (logprobs, usage, token ids), so a plain answer
 * and an injected one of the same engine have the same form. The style says whether each of
 * logprobs, usage and token ids is absent, null or something else. Neither part covers the content
 * of a choice (message, delta). Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "backends/injection/outline.h"
#include "base/buf.h"
#include "base/http.h"

struct signature {
	/* upper half: signature_head(); lower half: hash of the text, never 0, so that a caller can
	 * let 0 mean that only the head is known */
	uint64_t form;
	/* less than SIGNATURE_STYLES; encodes for each of logprobs, usage and token ids: absent,
	 * null or other */
	unsigned style;
};

#define SIGNATURE_STYLES 27

/* A hash of the head's part of the form. head NULL: unknown; no head has this hash, not even one
 * without a Server field, except by chance. */
uint32_t signature_head(const struct http_head *head);
/* text: the first event with data, or the whole unary answer; it need not be JSON. */
struct signature signature_of_outline(uint32_t head, const struct outline *text);
struct signature signature_of_text(uint32_t head, struct span text);
/* The signature of a complete answer, or of a stream's beginning. False: no event has data. */
bool signature_of_answer(
        uint32_t head, struct span body, bool stream, struct signature *ret) MUST_CHECK;
