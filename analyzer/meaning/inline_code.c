#include "analyzer/meaning/inline_code.h"

#include <string.h>

#include "analyzer/meaning/markup.h"
#include "base/letters.h"

/* A place among the codes of one side that stand in its words. */
struct walk {
	const struct inline_code *of;
	size_t piece;
	struct span rest; /* of the words */
};

static bool pass(struct span *rest, struct span code)
{
	const char *at = memmem(rest->data, rest->len, code.data, code.len);
	if (at) {
		*rest = span_between(at + code.len, rest->data + rest->len);
	}
	return at != NULL;
}

static bool next(struct walk *w, struct span *ret)
{
	while (w->piece < markup_count(w->of->pieces)) {
		const struct piece *p = markup_piece(w->of->pieces, w->piece++);
		struct span code = span_trim(p->inside);
		if (p->kind == PIECE_INLINE && code.len && pass(&w->rest, code)) {
			*ret = code;
			return true;
		}
	}
	return false;
}

static struct walk begin(const struct inline_code *of)
{
	return (struct walk){of, 0, of->words};
}

static size_t count(const struct inline_code *of)
{
	struct walk w = begin(of);
	struct span code;
	size_t n = 0;
	while (next(&w, &code)) {
		n++;
	}
	return n;
}

static bool are_equal(const struct inline_code *a, const struct inline_code *b)
{
	struct walk x = begin(a), y = begin(b);
	struct span code, other;
	while (next(&x, &code) && next(&y, &other)) {
		if (!span_equal(code, other)) {
			return false;
		}
	}
	return true;
}

static bool stand_in(const struct inline_code *a, struct span words)
{
	struct walk w = begin(a);
	struct span code;
	while (next(&w, &code)) {
		if (!pass(&words, code)) {
			return false;
		}
	}
	return true;
}

bool inline_code_agree(const struct inline_code *a, const struct inline_code *b)
{
	size_t n = count(a), m = count(b);
	return n == m ? are_equal(a, b) : stand_in(a, b->words) && stand_in(b, a->words);
}
