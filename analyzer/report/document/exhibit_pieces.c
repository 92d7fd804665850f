#include "analyzer/report/document/exhibit_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/compare/meaning/diff.h"
#include "analyzer/report/node.h"
#include "backends/scoring/score_match.h"
#include "base/ascii.h"
#include "base/mem.h"
#include "base/utf8.h"

#define PIECES_LIMIT 1200 /* of a side */
#define PIECES_BEFORE 700 /* pieces before the first difference */
#define TOP_LIMIT 10      /* alternatives of a token */
#define PIECE_BYTES 256

/* What a piece belongs to. */
#define PART_ANSWER 'a'
#define PART_REASONING 'r'
#define PART_OTHER '.' /* marks, tool calls, the end */

struct pieces {
	const struct columns *columns; /* NULL: words */
	struct span *texts;
	char *parts;
	uint32_t from, n, of;
	struct buf reasoning, answer; /* of words */
};

static char part_of(uint8_t flags)
{
	return flags & TOKEN_OF_REASONING ? PART_REASONING
	       : flags & TOKEN_OF_ANSWER  ? PART_ANSWER
	                                  : PART_OTHER;
}

static void of_tokens(struct pieces *p, const struct choice *c, uint32_t from)
{
	const struct columns *columns = &c->columns;
	p->columns = columns;
	p->of = columns->n;
	p->from = MIN(from, columns->n);
	p->n = MIN(columns->n - p->from, (uint32_t)PIECES_LIMIT);
	p->texts = xcalloc(p->n + 1, sizeof(*p->texts));
	p->parts = xcalloc(p->n + 1, 1);
	bool known = false;
	for (uint32_t i = 0; i < columns->n; i++) {
		known |= part_of(columns->flags[i]) != PART_OTHER;
	}
	for (uint32_t i = 0; i < p->n; i++) {
		p->texts[i] = columns_token(columns, p->from + i);
		p->parts[i] = known ? part_of(columns->flags[p->from + i]) : PART_ANSWER;
	}
}

/* Returns the length of a word with the blanks after it. Outside of ASCII it takes one
 * character, because some scripts have no blanks. */
static size_t word_at(const char *p, const char *end)
{
	const char *from = p;
	size_t n = utf8_length(p, end);
	if (n > 1) {
		p += n;
	} else {
		do {
			p++;
		} while (p < end && !is_layout(*p) && (unsigned char)*p < 0x80 &&
		         p - from < PIECE_BYTES);
	}
	while (p < end && is_layout(*p)) {
		p++;
	}
	return (size_t)(p - from);
}

static void add_words(struct pieces *p, struct span text, char part)
{
	const char *at = text.data, *end = text.data + text.len;
	while (at < end) {
		size_t len = word_at(at, end);
		if (p->n < PIECES_LIMIT) {
			p->texts[p->n] = (struct span){at, len};
			p->parts[p->n++] = part;
		}
		p->of++;
		at += len;
	}
}

static void of_words(struct pieces *p, const struct choice *c)
{
	p->texts = xcalloc(PIECES_LIMIT, sizeof(*p->texts));
	p->parts = xcalloc(PIECES_LIMIT + 1, 1);
	choice_reasoning(c, &p->reasoning);
	choice_answer(c, &p->answer);
	add_words(p, buf_span(&p->reasoning), PART_REASONING);
	add_words(p, buf_span(&p->answer), PART_ANSWER);
	add_words(p, buf_span(&c->refusal), PART_ANSWER);
}

static void finish(struct pieces *p)
{
	free(p->texts);
	free(p->parts);
	buf_finish(&p->reasoning);
	buf_finish(&p->answer);
}

/* Four decimals are all that a page can show. */
static json_t *logprob(float lp)
{
	return node_real(isfinite(lp) ? round((double)lp * 1e4) / 1e4 : NAN);
}

struct alternative {
	uint32_t at;
	float lp;
};

static int by_falling(const void *a, const void *b)
{
	const struct alternative *x = a, *y = b;
	int order = (x->lp < y->lp) - (x->lp > y->lp);
	return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* Returns [text, logprob, text, logprob, ...] of the most probable alternatives. */
static json_t *top(const struct columns *c, uint32_t token)
{
	struct alternative rows[READING_TOP_LIMIT];
	size_t n = 0;
	json_t *list = json_array();
	for (uint32_t at = token ? c->top_end[token - 1] : 0;
	        at < c->top_end[token] && n < ARRAY_LEN(rows); at++) {
		if (isfinite(c->top_lp[at])) {
			rows[n++] = (struct alternative){at, c->top_lp[at]};
		}
	}
	qsort(rows, n, sizeof(*rows), by_falling);
	for (size_t i = 0; i < MIN(n, (size_t)TOP_LIMIT); i++) {
		json_array_append_new(
		        list, exhibit_text(columns_top_token(c, rows[i].at), PIECE_BYTES, NULL));
		json_array_append_new(list, logprob(rows[i].lp));
	}
	return list;
}

/* Whether all \xNN in the exhibit_text() of a token are escapes, and none is the token's own. */
static bool is_escaped(struct span token)
{
	return !utf8_valid(token) && !memmem(token.data, token.len, "\\x", 2);
}

static json_t *pieces(const struct pieces *p)
{
	json_t *o = json_object(), *texts = json_array();
	for (uint32_t i = 0; i < p->n; i++) {
		json_array_append_new(texts, exhibit_text(p->texts[i], PIECE_BYTES, NULL));
	}
	node_set_text(o, "unit", p->columns ? "token" : "word");
	json_object_set_new(o, "from", json_integer(p->from));
	json_object_set_new(o, "of", json_integer(p->of));
	json_object_set_new(o, "texts", texts);
	json_object_set_new(o, "parts", json_stringn(p->parts, p->n));
	if (p->columns) {
		json_t *logprobs = json_array(), *tops = json_array(), *escaped = json_array();
		for (uint32_t i = 0; i < p->n; i++) {
			uint32_t token = p->from + i;
			json_array_append_new(logprobs, logprob(p->columns->lp[token]));
			json_array_append_new(tops, top(p->columns, token));
			if (is_escaped(p->texts[i])) {
				json_array_append_new(escaped, json_integer(i));
			}
		}
		json_object_set_new(o, "logprobs", logprobs);
		json_object_set_new(o, "top", tops);
		json_object_set_new(o, "escaped", escaped);
	}
	return o;
}

static json_t *alignment(const struct pieces *a, const struct pieces *b)
{
	struct diff_run *runs = NULL;
	size_t n = diff_find(a->texts, a->n, b->texts, b->n, &runs);
	json_t *list = json_array();
	for (size_t i = 0; i < n; i++) {
		const struct diff_run *r = &runs[i];
		json_array_append_new(list, json_pack("[i, i, i, i, b]", (int)r->a, (int)r->b,
		                                    (int)r->n_a, (int)r->n_b, (int)r->equal));
	}
	free(runs);
	return list;
}

void exhibit_pieces(json_t *to, json_t *base_side, json_t *test_side, const struct choice *base,
        const struct choice *test, bool tokens, uint32_t first)
{
	struct pieces a = {0}, b = {0};
	if (tokens) {
		uint32_t from = first > PIECES_BEFORE ? first - PIECES_BEFORE : 0;
		of_tokens(&a, base, from);
		of_tokens(&b, test, from);
	} else {
		of_words(&a, base);
		of_words(&b, test);
	}
	json_object_set_new(base_side, "pieces", pieces(&a));
	json_object_set_new(test_side, "pieces", pieces(&b));
	json_object_set_new(to, "alignment", alignment(&a, &b));
	finish(&a);
	finish(&b);
}

/* Returns the leg with the scores of that answer; n_legs if there is none. */
static size_t find_scores(const struct capture_exchange *e, struct id answer, const char *by)
{
	size_t found = e->n_legs;
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *row = &e->legs[i].row;
		bool scores = leg_has_scores(row->marks) && !(row->marks & LEG_TRUNCATED) &&
		              id_compare(row->score_of, answer) == 0;
		bool wanted = row->backend && by && strcmp(row->backend, by) == 0;
		if (scores && (found == e->n_legs || wanted)) {
			found = i;
		}
	}
	return found;
}

static json_t *logprobs(
        const json_t *pieces, const struct columns *scored, const uint32_t *number, uint32_t n)
{
	size_t from = (size_t)json_integer_value(json_object_get(pieces, "from"));
	size_t count = json_array_size(json_object_get(pieces, "texts"));
	json_t *list = json_array();
	for (size_t i = from; i < from + count; i++) {
		bool known = i < n && number[i] != SCORE_NONE;
		double lp = known ? (double)scored->lp[number[i]] : NAN;
		json_array_append_new(list, node_real(round(lp * 1e4) / 1e4));
	}
	return list;
}

static void set_scores(json_t *pieces, const struct leg_row *scorer, const struct reading *scored,
        const struct reading *answer)
{
	const struct choice *choice = reading_choice(answer, 0);
	struct score_place place;
	if (!choice || !choice->has_columns || !score_columns(scored, &place)) {
		return;
	}
	uint32_t n = choice->columns.n;
	uint32_t *number = xmalloc((n + 1) * sizeof(*number));
	place.at = scorer->score_at;
	place.redacted = scorer->content == CONTENT_REDACTED;
	if (score_match(answer, choice, &place, number) > 0) {
		json_t *o = json_object();
		node_set_text(o, "by", scorer->backend);
		json_object_set_new(o, "logprobs", logprobs(pieces, place.columns, number, n));
		json_object_set_new(pieces, "scored", o);
	}
	free(number);
}

void exhibit_scores(json_t *pieces, struct capture *c, const struct capture_exchange *e, size_t leg,
        const struct reading *answer, const char *by)
{
	size_t scores = find_scores(e, e->legs[leg].row.id, by);
	struct reading *scored = NULL;
	if (scores < e->n_legs && json_object_get(pieces, "logprobs") &&
	        capture_reading(c, e, scores, &scored) == 0) {
		set_scores(pieces, &e->legs[scores].row, scored, answer);
	}
	reading_destroy(scored);
}
