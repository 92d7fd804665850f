#include "answers/tokens/spelling.h"

#include <stdint.h>
#include <string.h>

#include "answers/finish.h"
#include "base/ascii.h"
#include "base/utf8.h"

/*
 * If markers may precede a stretch, this many of its bytes are searched for, at most ANCHOR_TRIES
 * times: a short text may begin with the same bytes as a marker.
 */
#define ANCHOR_BYTES 32
#define ANCHOR_TRIES 16
/* The maximum of bytes of a truncated character. */
#define CUT_BYTES_MAX 3

static bool is_replacement(const char *p, const char *end)
{
	return end - p >= 3 && memcmp(p, "\xef\xbf\xbd", 3) == 0;
}

static const char *skip_replacements(const char *p, const char *end)
{
	while (is_replacement(p, end)) {
		p += 3;
	}
	return p;
}

static const char *skip_broken(const char *p, const char *end)
{
	while (p < end && (utf8_length(p, end) == 0 || is_replacement(p, end))) {
		p++;
	}
	return p;
}

/*
 * Tokens without bytes show one U+FFFD for one to three bytes of a broken character. Returns where
 * the text's characters that a run of n U+FFFD stands for end; NULL: there are too few characters.
 */
static const char *skip_replaced(
        const char *t, const char *t_end, size_t n, const char *after, const char *end)
{
	const char *from = t;
	size_t len;
	while (t < t_end && (size_t)(t - from) < 3 * n && (len = utf8_length(t, t_end)) > 1) {
		bool is_next = (size_t)(end - after) >= len && memcmp(t, after, len) == 0;
		if ((size_t)(t - from) >= n && is_next) {
			break;
		}
		t += len;
	}
	size_t lacking = n - MIN(n, (size_t)(t - from));
	bool cut = after == end && t == t_end && lacking <= CUT_BYTES_MAX;
	return lacking == 0 || cut ? t : NULL;
}

/* Returns the length of the common prefix, up to the first possible U+FFFD. */
static size_t same_plain(const char *t, const char *t_end, const char *p, const char *end)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
	size_t n = 0, limit = MIN((size_t)(t_end - t), (size_t)(end - p));
	for (; limit - n >= sizeof(uint64_t); n += sizeof(uint64_t)) {
		uint64_t x, y;
		memcpy(&x, t + n, sizeof(x));
		memcpy(&y, p + n, sizeof(y));
		uint64_t other = x ^ ones * 0xef;
		if (x != y || ((other - ones) & ~other & tops)) {
			break;
		}
	}
	while (n < limit && t[n] == p[n] && t[n] != '\xef') {
		n++;
	}
	return n;
}

/* Whether the tokens spell the text byte by byte and it contains no possible U+FFFD. That is the
 * usual case. */
static bool is_plain(struct span text, const char *p, const char *end)
{
	return text.len > 0 && text.len <= (size_t)(end - p) &&
	       memcmp(text.data, p, text.len) == 0 && !memchr(text.data, '\xef', text.len);
}

const char *spelling_walk(struct span text, const char *p, const char *end)
{
	const char *t = text.data;
	const char *t_end = t + text.len;
	if (is_plain(text, p, end)) {
		return p + text.len;
	}
	while (t < t_end) {
		size_t same = same_plain(t, t_end, p, end);
		t += same;
		p += same;
		if (t == t_end) {
			break;
		}
		if (is_replacement(t, t_end)) {
			t = skip_replacements(t, t_end);
			p = skip_broken(p, end);
		} else if (is_replacement(p, end)) {
			const char *after = skip_replacements(p, end);
			t = skip_replaced(t, t_end, (size_t)(after - p) / 3, after, end);
			if (!t) {
				return NULL;
			}
			p = after;
		} else if (p < end && *t == *p) {
			t++;
			p++;
		} else {
			return NULL;
		}
	}
	return p;
}

/* Finds the text at or after p, and returns as spelling_walk() does. *ret_from: where the match
 * begins. */
static const char *find(struct span text, const char *p, const char *end, const char **ret_from)
{
	/* The tokens have other bytes in place of a U+FFFD, so the search uses the text between
	 * two of them. */
	const char *t_end = text.data + text.len;
	const char *from = skip_replacements(text.data, t_end);
	struct span rest = {from, (size_t)(t_end - from)};
	size_t anchor = 0;
	while (anchor < MIN(rest.len, (size_t)ANCHOR_BYTES) &&
	        !is_replacement(rest.data + anchor, t_end)) {
		anchor++;
	}
	for (int i = 0; i < ANCHOR_TRIES && p < end; i++) {
		const char *at = memmem(p, (size_t)(end - p), rest.data, anchor);
		const char *next = at ? spelling_walk(rest, at, end) : NULL;
		if (next && ret_from) {
			*ret_from = at;
		}
		if (next || !at) {
			return next;
		}
		p = at + 1;
	}
	return NULL;
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

/* Whether the tokens may contain more than the text. from: the offset of the text's end in the
 * tokens' bytes. */
static bool may_trail(const struct choice *c, size_t from)
{
	const struct columns *col = &c->columns;
	const char *end = col->bytes + col->bytes_end[col->n - 1];
	const char *rest = col->bytes + from;
	if (rest == end || c->n_calls || finish_of(c->finish) != FINISH_LENGTH) {
		return true;
	}
	/* An incomplete last character: its bytes, or one U+FFFD for each. */
	if (end - rest <= CUT_BYTES_MAX && utf8_length(rest, end) == 0 &&
	        ((unsigned char)*rest & 0xc0) == 0xc0) {
		return true;
	}
	if (end - rest <= 3 * CUT_BYTES_MAX && skip_replacements(rest, end) == end) {
		return true;
	}
	for (uint32_t i = col->n; i-- > 0 && col->bytes_end[i] > from;) {
		if (!is_special(columns_token(col, i))) {
			return false;
		}
	}
	return true;
}

const char *spelling_place(struct span text, enum stretch_kind kind, bool is_first, const char *p,
        const char *end, const char **ret_from)
{
	const char *next = spelling_walk(text, p, end);
	*ret_from = p;
	if (!next && is_first) {
		const char *q = p;
		while (q < end && is_layout(*q)) {
			q++;
		}
		next = q > p ? spelling_walk(text, q, end) : NULL;
		*ret_from = q;
	}
	if (!next && (!is_first || kind == STRETCH_REASONING)) {
		next = find(text, p, end, ret_from);
	}
	return next;
}

struct span spelling_stretch(const struct choice *c, const struct stretch *s, size_t from)
{
	const struct buf *text = s->kind == STRETCH_REASONING ? &c->reasoning
	                         : s->kind == STRETCH_REFUSAL ? &c->refusal
	                                                      : &c->text;
	return (struct span){text->data + from, s->len};
}

static bool matches(
        const struct choice *c, const struct stretch *stretches, size_t n, bool text_only)
{
	static const char none[1];
	const struct columns *col = &c->columns;
	const char *bytes = col->bytes ? col->bytes : none;
	const char *end = bytes + (col->n ? col->bytes_end[col->n - 1] : 0);
	const char *p = bytes, *from;
	size_t done[3] = {0};
	bool is_first = true;
	for (size_t i = 0; i < n; i++) {
		enum stretch_kind kind = stretches[i].kind;
		struct span text = spelling_stretch(c, &stretches[i], done[kind]);
		done[kind] += text.len;
		if (text_only && kind == STRETCH_REASONING) {
			continue;
		}
		p = spelling_place(text, kind, is_first, p, end, &from);
		is_first = false;
		if (!p) {
			return false;
		}
	}
	return col->n == 0 ? n == 0 : may_trail(c, (size_t)(p - bytes));
}

bool spelling_is_text_only(const struct choice *c, const struct stretch *stretches, size_t n)
{
	return c->reasoning.len && c->text.len && c->columns.n &&
	       !matches(c, stretches, n, false) && matches(c, stretches, n, true);
}

bool spelling_matches(const struct choice *c, const struct stretch *stretches, size_t n)
{
	return matches(c, stretches, n, false) || spelling_is_text_only(c, stretches, n);
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

/* Returns the token that contains the byte at `at`. */
static uint32_t token_at(const struct columns *c, uint32_t token, uint32_t at)
{
	while (token < c->n && c->bytes_end[token] <= at) {
		token++;
	}
	return token;
}

bool spelling_has_lost(const struct choice *c)
{
	const struct columns *columns = &c->columns;
	const char *p = columns->bytes, *text = c->text.data, *text_end = text + c->text.len;
	uint32_t n = columns->n ? columns->bytes_end[columns->n - 1] : 0, token = 0;
	bool lost = false, any = false;
	for (uint32_t at = 0; at < n;) {
		size_t len = utf8_length(p + at, p + n);
		len = len ? len : 1;
		token = token_at(columns, token, at);
		if (token_at(columns, token, at + (uint32_t)len - 1) != token) {
			any = true;
		} else if ((size_t)(text_end - text) < len) {
			return lost && text == text_end; /* the rest of a stop word may follow */
		} else if (memcmp(text, p + at, len) != 0) {
			return false;
		} else {
			lost = any;
			text += len;
		}
		at += (uint32_t)len;
	}
	return any && text == text_end;
}
