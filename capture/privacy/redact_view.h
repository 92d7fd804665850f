#pragma once
/*
 * redact_view - a text with its escapes decoded, and the source position of each of its bytes.
 *
 * Texts contain documents: the arguments of a tool call are JSON in a JSON string, prompts quote
 * code and logs, a form's body is percent-encoded. So a secret may follow the n of \n, or be
 * written as \u002B4915... or ann%40example.org. A view decodes JSON's escapes, those of
 * programming languages (\v \0 \xXX), %XX, and + as a form's space. A view of a view decodes the
 * next level. Pure; any thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/claim.h"

/* The offsets after an escape. From here to the next step, the view and the text have equal
 * bytes. */
struct redact_step {
	uint32_t view, text;
};

struct redact_view { /* zero-initialised: empty */
	struct buf text;
	struct redact_step *steps; /* ascending */
	size_t n, cap;
};

/*
 * Makes a view of text in v, whose memory it reuses. The text must have less than 4 GiB. Returns 1:
 * made; 0: the text has no escapes; -ENOMEM: the claim's budget has no room. Freeing the memory
 * does not reduce the claim.
 */
int redact_view_make(struct redact_view *v, struct span text, struct claim *claim) MUST_CHECK;
/* The offset in the text of the byte at offset `at` of the view. The end of the view gives the
 * end of the text. */
size_t redact_view_source(const struct redact_view *v, size_t at);
void redact_view_finish(struct redact_view *v);
