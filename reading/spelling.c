#include "reading/spelling.h"

#include <string.h>

#include "base/utf8.h"

/* How many bytes of a stretch must be found where markers may stand before it. */
#define ANCHOR_BYTES 32

static bool is_replacement(const char *p, const char *end)
{
	return end - p >= 3 && memcmp(p, "\xef\xbf\xbd", 3) == 0;
}

/*
 * Walks a text along the tokens' bytes. Where the text has U+FFFD and the tokens have broken bytes,
 * runs of both stand for each other. NULL: they differ; otherwise where the tokens' bytes go on.
 */
static const char *walk(struct span text, const char *p, const char *end)
{
	const char *t = text.data;
	const char *t_end = t + text.len;
	while (t < t_end) {
		if (p < end && *t == *p) {
			t++;
			p++;
			continue;
		}
		/* The mismatch may lie within a replacement character of the text. */
		while (t > text.data && ((unsigned char)*t & 0xc0) == 0x80) {
			t--;
			p--;
		}
		if (!is_replacement(t, t_end)) {
			return NULL;
		}
		while (is_replacement(t, t_end)) {
			t += 3;
		}
		while (p < end && utf8_length(p, end) == 0) {
			p++;
		}
	}
	return p;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Where the stretch begins at or after p, markers skipped; NULL: nowhere. */
static const char *find_after_markers(struct span text, const char *p, const char *end)
{
	size_t anchor = MIN(text.len, (size_t)ANCHOR_BYTES);
	return p < end ? memmem(p, (size_t)(end - p), text.data, anchor) : NULL;
}

/* Tokens such as <eos>, <|im_end|> or [/INST]: never part of an answer's text. */
static bool is_special(struct span s)
{
	if (s.len == 0) {
		return true;
	}
	char first = s.data[0], last = s.data[s.len - 1];
	return s.len > 2 && ((first == '<' && last == '>') || (first == '[' && last == ']'));
}

/* May the tokens say more than the text? from: where the text's end lies in the tokens' bytes. */
static bool may_trail(const struct choice *c, size_t from)
{
	const struct columns *col = &c->columns;
	const char *end = col->bytes + col->bytes_end[col->n - 1];
	const char *rest = col->bytes + from;
	if (rest == end || c->n_calls || !c->finish || strcmp(c->finish, "length") != 0) {
		return true;
	}
	/* A last character that is not whole. */
	if (end - rest <= 3 && utf8_length(rest, end) == 0 &&
	        ((unsigned char)*rest & 0xc0) == 0xc0) {
		return true;
	}
	for (uint32_t i = col->n; i-- > 0 && col->bytes_end[i] > from;) {
		if (!is_special(columns_token(col, i))) {
			return false;
		}
	}
	return true;
}

bool spelling_matches(const struct choice *c, const struct stretch *stretches, size_t n)
{
	static const char none[1];
	const struct columns *col = &c->columns;
	const char *bytes = col->bytes ? col->bytes : none;
	const char *end = bytes + (col->n ? col->bytes_end[col->n - 1] : 0);
	const char *p = bytes;
	size_t done[3] = {0};
	for (size_t i = 0; i < n; i++) {
		enum stretch_kind kind = stretches[i].kind;
		const struct buf *from = kind == STRETCH_REASONING ? &c->reasoning
		                         : kind == STRETCH_REFUSAL ? &c->refusal
		                                                   : &c->text;
		struct span text = {from->data + done[kind], stretches[i].len};
		done[kind] += text.len;

		const char *next = walk(text, p, end);
		if (!next && i == 0) {
			const char *q = p;
			while (q < end && is_blank(*q)) {
				q++;
			}
			next = q > p ? walk(text, q, end) : NULL;
		}
		if (!next && (i > 0 || kind == STRETCH_REASONING)) {
			const char *q = find_after_markers(text, p, end);
			next = q ? walk(text, q, end) : NULL;
		}
		if (!next) {
			return false;
		}
		p = next;
	}
	return col->n == 0 ? n == 0 : may_trail(c, (size_t)(p - bytes));
}

bool spelling_matches_whole(const struct choice *c)
{
	const struct stretch all[] = {
	        {STRETCH_REASONING, c->reasoning.len},
	        {STRETCH_TEXT, c->text.len},
	        {STRETCH_REFUSAL, c->refusal.len},
	};
	struct stretch present[ARRAY_LEN(all)];
	size_t n = 0;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (all[i].len) {
			present[n++] = all[i];
		}
	}
	return spelling_matches(c, present, n);
}
