#include "answers/tokens/naming.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "answers/tokens/columns.h"
#include "answers/tokens/pieces.h"
#include "answers/tokens/spelling.h"

/* The average number of tries per token after which the search stops. */
#define TRIES_PER_TOKEN 32

/* The state of one token: the row being tried, and where its bytes begin in the text. */
struct step {
	uint32_t row; /* NO_ROW: none was tried yet */
	size_t at;    /* where this token's bytes begin in the text */
};

#define NO_ROW UINT32_MAX

struct search {
	const struct columns *columns; /* its pieces decoded */
	struct span text;
	struct step *steps;
	uint64_t tries;
};

static uint32_t first_row(const struct columns *c, uint32_t token)
{
	return token ? c->top_end[token - 1] : 0;
}

/* Orders rows by logprob; rows without one come last. */
static bool comes_before(const struct columns *c, uint32_t a, uint32_t b)
{
	float x = isnan(c->top_lp[a]) ? -INFINITY : c->top_lp[a];
	float y = isnan(c->top_lp[b]) ? -INFINITY : c->top_lp[b];
	return x > y || (x == y && a < b);
}

/* Returns the row after this one in that order; NO_ROW: this was the last. */
static uint32_t next_row(const struct columns *c, uint32_t token, uint32_t row)
{
	uint32_t best = NO_ROW;
	for (uint32_t r = first_row(c, token); r < c->top_end[token]; r++) {
		if ((row == NO_ROW || comes_before(c, row, r)) &&
		        (best == NO_ROW || comes_before(c, r, best))) {
			best = r;
		}
	}
	return best;
}

/* Whether the text continues with this token. Blanks at the beginning of the whole text may have
 * been trimmed. */
static bool fits(const struct search *s, struct span token, size_t at, size_t *ret_next)
{
	while (at == 0 && token.len && *token.data == ' ' && s->text.len && *s->text.data != ' ') {
		token.data++;
		token.len--;
	}
	*ret_next = at + token.len;
	return token.len && token.len <= s->text.len - at &&
	       memcmp(s->text.data + at, token.data, token.len) == 0;
}

/* Searches depth-first. Returns how many tokens spell the text; 0: no combination does. */
static uint32_t search(struct search *s)
{
	const struct columns *c = s->columns;
	uint32_t i = 0;
	s->steps[0] = (struct step){.row = NO_ROW};
	while (s->tries--) {
		struct step *step = &s->steps[i];
		size_t next;
		step->row = next_row(c, i, step->row);
		if (step->row == NO_ROW) {
			if (i-- == 0) {
				return 0;
			}
		} else if (fits(s, columns_top_token(c, step->row), step->at, &next)) {
			if (next == s->text.len) {
				return i + 1;
			}
			if (i + 1 < c->n) {
				s->steps[++i] = (struct step){.row = NO_ROW, .at = next};
			}
		}
	}
	return 0;
}

/* Copies the columns with the chosen alternatives in place of the first n tokens. */
static void rename_tokens(const struct search *s, uint32_t n, struct columns *ret)
{
	const struct columns *c = s->columns;
	struct columns_builder *b = columns_builder_create();
	for (uint32_t i = 0; i < c->n; i++) {
		for (uint32_t r = first_row(c, i); r < c->top_end[i]; r++) {
			columns_builder_row(
			        b, columns_top_token(c, r), c->top_ids[r], c->top_lp[r]);
		}
		uint8_t kept = c->flags[i] & (TOKEN_MISSING | TOKEN_LOSSY);
		uint32_t row = i < n ? s->steps[i].row : NO_ROW;
		if (row == NO_ROW || span_equal(columns_token(c, i), columns_top_token(c, row))) {
			columns_builder_commit(b, columns_token(c, i), c->ids[i], c->lp[i], kept);
			continue;
		}
		uint8_t flags = TOKEN_MISNAMED;
		if (isnan(c->top_lp[row])) {
			flags |= TOKEN_MISSING;
		}
		columns_builder_commit(
		        b, columns_top_token(c, row), c->top_ids[row], c->top_lp[row], flags);
	}
	columns_builder_end(b, ret);
}

static void copy_columns(const struct columns *c, struct columns *ret)
{
	struct search none = {.columns = c};
	rename_tokens(&none, 0, ret);
}

/* Runs the search with the tokens interpreted as pieces of this kind. */
static bool repair_as(enum pieces kind, struct choice *c, struct span text,
        const struct stretch *stretches, size_t n_stretches)
{
	struct columns decoded;
	copy_columns(&c->columns, &decoded);
	pieces_decode_columns(kind, &decoded);
	struct search s = {
	        .columns = &decoded,
	        .text = text,
	        .steps = xcalloc(decoded.n, sizeof(struct step)),
	        .tries = (uint64_t)decoded.n * TRIES_PER_TOKEN,
	};
	uint32_t n = search(&s);
	struct choice repaired = *c;
	bool spells = false;
	if (n) {
		rename_tokens(&s, n, &repaired.columns);
		spells = spelling_matches(&repaired, stretches, n_stretches);
		columns_finish(spells ? &c->columns : &repaired.columns);
		c->columns = spells ? repaired.columns : c->columns;
	}
	free(s.steps);
	columns_finish(&decoded);
	return spells;
}

bool naming_repair(struct choice *c, const struct stretch *stretches, size_t n)
{
	static const enum pieces kinds[] = {PIECES_TEXT, PIECES_SENTENCE, PIECES_BYTE_LEVEL};
	struct buf text = {0};
	size_t done[3] = {0};
	bool repaired = false;
	for (size_t i = 0; i < n; i++) {
		enum stretch_kind kind = stretches[i].kind;
		buf_append_span(&text, spelling_stretch(c, &stretches[i], done[kind]));
		done[kind] += stretches[i].len;
	}
	bool has_rows = c->columns.n && c->columns.top_end[c->columns.n - 1];
	for (size_t i = 0; has_rows && text.len && !repaired && i < ARRAY_LEN(kinds); i++) {
		repaired = repair_as(kinds[i], c, buf_span(&text), stretches, n);
	}
	buf_finish(&text);
	return repaired;
}
