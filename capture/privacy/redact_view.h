#pragma once
/*
 * redact_view - a text with its escapes undone, that knows where each of its bytes came from.
 *
 * Texts have documents in them: a tool call's arguments are JSON in a JSON string, prompts quote code and
 * logs, a form's body is percent-encoded. A secret stands there behind the n of \n, and may be spelled
 * \u002B4915... or ann%40example.org. Undone are JSON's escapes and those of programs (\v \0 \xXX), %XX, and
 * the + that is a form's space. A view of a view undoes the next level. Pure; any thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/claim.h"

/* Behind an escape: at this byte of the view, and that of the text, the two go on alike. */
struct redact_step {
	uint32_t view, text;
};

struct redact_view {
	struct buf text;
	struct redact_step *steps; /* ascending */
	size_t n, cap;
};

/*
 * What was in v goes, its memory is used again. 1; 0: nothing is escaped in the text (under 4 GiB); -ENOMEM: more than the
 * claim has room for. What it takes stays on the claim when it is freed.
 */
int redact_view_make(struct redact_view *v, struct span text, struct claim *claim) MUST_CHECK;
/* Where in the text the view's byte comes from; of its end the text's. */
size_t redact_view_source(const struct redact_view *v, size_t at);
void redact_view_finish(struct redact_view *v);
