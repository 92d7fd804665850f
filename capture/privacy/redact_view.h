#pragma once
/*
 * redact_view - a text with its escapes decoded, and the source position of each of its bytes.
 *
 * Texts contain documents: the arguments of a tool call are JSON in a JSON string, prompts quote
 * code and logs, a form's body is percent-encoded. A secret may follow the n of \n, or be spelled
 * \u002B4915... or ann%40example.org. Decoded are JSON's escapes, those of programs (\v \0 \xXX),
 * %XX, and + as a form's space. A view of a view decodes the next level. Pure; any thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/claim.h"

/* The position after an escape: from these offsets on, the view and the text have equal bytes
 * until the next step. */
struct redact_step {
	uint32_t view, text;
};

struct redact_view {
	struct buf text;
	struct redact_step *steps; /* ascending */
	size_t n, cap;
};

/*
 * Replaces the contents of v and reuses its memory. 1: made; 0: the text (under 4 GiB) has no
 * escapes; -ENOMEM: over the claim's limit. Freeing does not reduce the claim.
 */
int redact_view_make(struct redact_view *v, struct span text, struct claim *claim) MUST_CHECK;
/* The offset in the text of the byte at offset `at` of the view; the end of the view gives the
 * end of the text. */
size_t redact_view_source(const struct redact_view *v, size_t at);
void redact_view_finish(struct redact_view *v);
