#pragma once
/*
 * signature - what tells the answers of one engine from those of another at the same address.
 *
 * Taken from what the answer shows first: its Server field, and of its first event with data (or of
 * the whole unary document) the names and the order of the members, those of the first choice, the
 * spacing, and the letters that its system_fingerprint begins with. What injection changes
 * (logprobs, usage, token ids) is no part of the form, so that a plain answer and an injected one of
 * the same engine have the same form; how these stand is the style. What a choice says (message,
 * delta) is no part of it either. Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/http.h"

struct signature {
	uint64_t
	        form; /* the head's hash above, the text's below; signature_head() is its upper half */
	unsigned style; /* below SIGNATURE_STYLES: of each of them, if absent, null or else */
};

#define SIGNATURE_STYLES 27

/* head NULL: it is not known. */
uint32_t signature_head(const struct http_head *head);
/* text: of the first event with data, or the whole unary answer. What is no JSON object has a signature too. */
struct signature signature_of_text(uint32_t head, struct span text);
/* Of a whole answer, or of the beginning of a stream. False: a stream without an event with data. */
bool signature_of_answer(
        uint32_t head, struct span body, bool stream, struct signature *ret) MUST_CHECK;
