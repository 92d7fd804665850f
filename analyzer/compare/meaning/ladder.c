#include "analyzer/compare/meaning/ladder.h"

#include <string.h>

#include "analyzer/compare/meaning/block.h"
#include "analyzer/compare/meaning/inline_code.h"
#include "base/letters.h"
#include "analyzer/compare/meaning/number.h"
#include "analyzer/compare/meaning/spacing.h"

#define TEXT_MAX ((size_t)16 << 20)
#define KEPT_MAX ((size_t)1 << 20) /* of memory between two pairs */

const char *rung_name(enum rung r)
{
	static const char *const names[N_RUNGS] = {
	        "bytes", "unicode", "space", "markup", "structure", "answer", "different"};
	return names[r];
}

void ladder_space(struct span text, const struct buf *pieces, struct buf *to)
{
	struct spacing spacing;
	spacing_init(&spacing, text, to);
	for (size_t i = 0; i < markup_count(pieces); i++) {
		const struct piece *p = markup_piece(pieces, i);
		if (p->kind == PIECE_PROSE) {
			spacing_put(&spacing, p->all);
		} else {
			struct span all = p->all;
			while (p->kind == PIECE_CODE && all.len &&
			        is_space(all.data[all.len - 1])) {
				all.len--;
			}
			spacing_put_verbatim(&spacing, all);
		}
	}
}

static bool is_edge(char c)
{
	return c && strchr(".,;:!?\"'%", c) != NULL;
}

/* One word of prose: a number in its one spelling, with what stands around it. */
static void put_word(struct span word, struct buf *to)
{
	static const char *const money[] = {"$", "€", "£", "¥", "₹"};
	size_t from = 0, end = word.len;
	while (from < end && (word.data[from] == '"' || word.data[from] == '\'')) {
		from++;
	}
	for (size_t i = 0; i < ARRAY_LEN(money); i++) {
		if (span_starts(span_from(word, from), money[i])) {
			from += strlen(money[i]);
			break;
		}
	}
	while (end > from && is_edge(word.data[end - 1])) {
		end--;
	}
	struct span core = {word.data + from, end - from};
	buf_append(to, word.data, from);
	if (!number_spell(core, to)) {
		buf_append_span(to, core);
	}
	buf_append_span(to, span_from(word, end));
}

/* What comes next of prose with blocks and inline code marked: a word, with numbers in their one spelling, white space, or
 * code as it is. Returns what comes behind it. */
static const char *spell_next(const char *p, const char *end, struct buf *to)
{
	const char *from = p;
	if (*p == MARKUP_CODE) {
		const char *close = memchr(p + 1, MARKUP_CODE, (size_t)(end - p - 1));
		buf_append_span(to, span_between(from + 1, close ? close : end));
		return close ? close + 1 : end;
	}
	if (is_space(*p)) {
		buf_append_char(to, *p);
		return p + 1;
	}
	while (p < end && !is_space(*p) && *p != MARKUP_CODE) {
		p++;
	}
	put_word(span_between(from, p), to);
	return p;
}

/* Where the last piece begins that spell_next() takes of the first n bytes. */
static size_t last_before(struct span s, size_t n)
{
	const char *from = s.data, *end = s.data + n, *mark;
	while ((mark = memchr(from, MARKUP_CODE, (size_t)(end - from)))) {
		const char *close = memchr(mark + 1, MARKUP_CODE, (size_t)(end - mark - 1));
		if (!close) {
			return (size_t)(mark - s.data);
		}
		from = close + 1;
	}
	while (end > from && !is_space(end[-1])) {
		end--;
	}
	return (size_t)(end - s.data);
}

/* Whether both are the same with their numbers in one spelling. It is the first words that differ that tell mostly. */
static bool spell_alike(struct climb *a, struct climb *b)
{
	struct span x = buf_span(&a->form), y = buf_span(&b->form);
	size_t shared = last_before(x, span_shared(x, y)), same = 0;
	const char *p = x.data + shared, *p_end = x.data + x.len;
	const char *q = y.data + shared, *q_end = y.data + y.len;
	while (p < p_end || q < q_end) {
		if (q == q_end || (p < p_end && a->prose.len <= b->prose.len)) {
			p = spell_next(p, p_end, &a->prose);
		} else {
			q = spell_next(q, q_end, &b->prose);
		}
		size_t n = MIN(a->prose.len, b->prose.len);
		if (n > same && memcmp(a->prose.data + same, b->prose.data + same, n - same) != 0) {
			return false;
		}
		same = n;
	}
	return a->prose.len == b->prose.len;
}

/* Bytes that stand for blocks and code must not be in the text itself. */
static bool has_controls(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		if ((unsigned char)s.data[i] <= 7) {
			return true;
		}
	}
	return false;
}

/* The word that holds s.data[at], or begins there. */
static bool digit_at(struct span s, size_t at)
{
	size_t from = MIN(at, s.len);
	while (from && !is_space(s.data[from - 1])) {
		from--;
	}
	for (size_t i = from; i < s.len && (i < at || !is_space(s.data[i])); i++) {
		if (is_digit(s.data[i])) {
			return true;
		}
	}
	return false;
}

/* Where there are no blocks, only numbers may be spelt in two ways: the first words that differ
 * tell, without another form of the texts. */
static bool may_agree(const struct climb *a, const struct climb *b)
{
	if (block_count(&a->pieces) || block_count(&b->pieces)) {
		return true;
	}
	size_t n = span_shared(a->words, b->words);
	return digit_at(a->words, n) && digit_at(b->words, n);
}

/* The words with blocks and inline code marked: where there are no blocks, marks around code are all there is to add. */
static void make_marked(struct climb *c)
{
	const struct markup_place *code = (const struct markup_place *)(const void *)c->codes.data;
	size_t n = c->codes.len / sizeof(*code), at = 0;
	buf_clear(&c->form);
	buf_reserve(&c->form, 1);
	if (block_count(&c->pieces)) {
		markup_plain(c->text, &c->pieces, true, &c->form);
		return;
	}
	for (size_t i = 0; i < n; at = code[i++].to) {
		buf_append_span(&c->form, buf_part(&c->plain, at, code[i].from));
		buf_append_char(&c->form, MARKUP_CODE);
		buf_append_span(&c->form, buf_part(&c->plain, code[i].from, code[i].to));
		buf_append_char(&c->form, MARKUP_CODE);
	}
	buf_append_span(&c->form, buf_part(&c->plain, at, c->plain.len));
}

static bool agree_in_structure(struct climb *a, struct climb *b)
{
	if (!may_agree(a, b) || has_controls(a->text) || has_controls(b->text) ||
	        block_count(&a->pieces) != block_count(&b->pieces)) {
		return false;
	}
	for (int side = 0; side < 2; side++) {
		struct climb *c = side ? b : a;
		buf_clear(&c->prose);
		make_marked(c);
	}
	return spell_alike(a, b) && block_agreement_all(&a->pieces, &b->pieces) == AGREE_SAME;
}

static void begin(struct climb *c, struct span text)
{
	struct buf *bufs[] = {
	        &c->unicode, &c->pieces, &c->form, &c->plain, &c->codes, &c->prose, &c->digits};
	for (size_t i = 0; i < ARRAY_LEN(bufs); i++) {
		buf_trim(bufs[i], KEPT_MAX);
	}
	c->failed = text.len > TEXT_MAX;
	c->text = c->words = (struct span){"", 0};
}

static void make_unicode(struct climb *c, struct span text)
{
	buf_reserve(&c->unicode, text.len + 1); /* so that it has an address */
	ladder_unicode(text, &c->unicode);
	c->text = buf_span(&c->unicode);
	markup_pieces(c->text, &c->pieces);
}

static void make_space(struct climb *c)
{
	buf_reserve(&c->form, 1);
	ladder_space(c->text, &c->pieces, &c->form);
}

static void make_words(struct climb *c)
{
	buf_reserve(&c->plain, 1);
	markup_plain_placed(c->text, &c->pieces, &c->plain, &c->codes);
	c->words = buf_span(&c->plain);
}

/* Whether all but the white space is the same: most texts that differ need no form at that rung. */
static bool differ_in_space(struct span a, struct span b)
{
	size_t i = span_shared(a, b), k = i;
	for (;;) {
		while (i < a.len && is_space(a.data[i])) {
			i++;
		}
		while (k < b.len && is_space(b.data[k])) {
			k++;
		}
		if (i == a.len || k == b.len) {
			return i == a.len && k == b.len;
		}
		if (a.data[i++] != b.data[k++]) {
			return false;
		}
	}
}

bool ladder_codes_agree(const struct climb *a, const struct climb *b)
{
	struct inline_code x = {&a->codes, a->words, a->words};
	struct inline_code y = {&b->codes, b->words, b->words};
	return inline_code_agree(&x, &y);
}

enum rung ladder_climb(struct ladder *l, struct span a, struct span b)
{
	struct climb *x = &l->a, *y = &l->b;
	begin(x, a);
	begin(y, b);
	if (span_equal(a, b)) {
		return RUNG_BYTES;
	}
	if (x->failed || y->failed) {
		return RUNG_DIFFERENT;
	}
	make_unicode(x, a);
	make_unicode(y, b);
	if (span_equal(x->text, y->text)) {
		return RUNG_UNICODE;
	}
	if (differ_in_space(x->text, y->text)) {
		make_space(x);
		make_space(y);
		if (span_equal(buf_span(&x->form), buf_span(&y->form))) {
			return RUNG_SPACE;
		}
	}
	make_words(x);
	make_words(y);
	if (span_equal(x->words, y->words)) {
		return inline_code_borders_agree(&x->codes, &y->codes) ? RUNG_MARKUP
		                                                       : RUNG_DIFFERENT;
	}
	return agree_in_structure(x, y) && ladder_codes_agree(x, y) ? RUNG_STRUCTURE
	                                                            : RUNG_DIFFERENT;
}

void ladder_finish(struct ladder *l)
{
	struct climb *climbs[] = {&l->a, &l->b};
	for (size_t i = 0; i < ARRAY_LEN(climbs); i++) {
		struct climb *c = climbs[i];
		buf_finish(&c->unicode);
		buf_finish(&c->pieces);
		buf_finish(&c->form);
		buf_finish(&c->plain);
		buf_finish(&c->codes);
		buf_finish(&c->prose);
		buf_finish(&c->digits);
	}
}
