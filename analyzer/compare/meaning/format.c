#include "analyzer/compare/meaning/format.h"

#include "analyzer/compare/meaning/format_code.h"
#include "analyzer/compare/meaning/format_json.h"
#include "analyzer/compare/meaning/format_space.h"
#include "base/ascii.h"
#include "base/enum_names.h"

#define TEXT_MAX ((size_t)16 << 20)
#define KEPT_MAX ((size_t)1 << 20) /* bytes of memory kept between two pairs */
#define BLOCKS_MAX 256

ENUM_NAMES(rung_name, enum rung, "bytes", "unicode", "space", "markup", "structure", "answer",
        "different");

void format_space(struct span text, const struct buf *pieces, struct buf *to)
{
	struct space space;
	space_init(&space, text, to);
	for (size_t i = 0; i < markup_count(pieces); i++) {
		const struct markup_piece *p = markup_piece(pieces, i);
		struct span all = p->all;
		if (p->kind == MARKUP_PIECE_PROSE) {
			space_put(&space, all);
			continue;
		}
		while (p->kind == MARKUP_PIECE_CODE && all.len && is_space(all.data[all.len - 1])) {
			all.len--;
		}
		space_put_verbatim(&space, all);
	}
}

size_t block_count(const struct buf *pieces)
{
	size_t n = 0;
	for (size_t i = 0; i < markup_count(pieces); i++) {
		n += markup_is_block(markup_piece(pieces, i));
	}
	return n;
}

const struct markup_piece *block_at(const struct buf *pieces, size_t index)
{
	for (size_t i = 0; i < markup_count(pieces); i++) {
		const struct markup_piece *p = markup_piece(pieces, i);
		if (markup_is_block(p) && index-- == 0) {
			return p;
		}
	}
	return NULL;
}

bool block_is_json(const struct markup_piece *p)
{
	bool may_be = p->kind == MARKUP_PIECE_JSON || span_is_nocase(p->label, "json") ||
	              p->label.len == 0;
	struct span inside = span_trim(p->inside);
	bool begins = inside.len && (inside.data[0] == '{' || inside.data[0] == '[');
	return may_be && begins && format_json_is(inside);
}

static enum agreement contents_agreement(const struct markup_piece *a, const struct markup_piece *b)
{
	if (block_is_json(a) && block_is_json(b)) {
		return format_json_agreement(a->inside, b->inside);
	}
	enum code_language of_a = code_language_of(a->label), of_b = code_language_of(b->label);
	if (a->label.len && b->label.len && of_a != of_b) {
		return AGREE_UNDECIDED;
	}
	return code_agreement(a->inside, b->inside, a->label.len ? of_a : of_b);
}

enum agreement block_agreement_all(const struct buf *a, const struct buf *b)
{
	enum agreement worst = AGREE_SAME;
	bool changed = false;
	size_t n = block_count(a);
	if (n != block_count(b) || n > BLOCKS_MAX) {
		return AGREE_UNDECIDED;
	}
	for (size_t i = 0; i < n; i++) {
		const struct markup_piece *x = block_at(a, i), *y = block_at(b, i);
		enum agreement here = contents_agreement(x, y);
		if (!span_equal(x->about, y->about)) {
			here = MAX(here, AGREE_UNDECIDED);
		}
		changed |= here == AGREE_CHANGED;
		worst = MAX(worst, here);
	}
	return changed ? AGREE_CHANGED : worst;
}

/* Whether the text itself contains the bytes that mark blocks and code here. */
static bool has_controls(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		if ((unsigned char)s.data[i] <= 7) {
			return true;
		}
	}
	return false;
}

static void make_structure(struct forms *f)
{
	struct buf marked = {0};
	buf_reserve(&marked, 1); /* to give it an address */
	markup_plain(f->text, &f->pieces, true, &marked);
	buf_clear(&f->form);
	format_structure(buf_span(&marked), &f->form);
	buf_finish(&marked);
}

static void begin(struct forms *f, struct span text)
{
	struct buf *bufs[] = {&f->unicode, &f->pieces, &f->form, &f->plain, &f->codes, &f->talk};
	for (size_t i = 0; i < ARRAY_LEN(bufs); i++) {
		buf_trim(bufs[i], KEPT_MAX);
		buf_reserve(bufs[i], 1); /* to give it an address */
	}
	f->failed = text.len > TEXT_MAX;
	f->text = f->words = (struct span){"", 0};
}

static void make_unicode(struct forms *f, struct span text)
{
	format_unicode(text, &f->unicode);
	f->text = buf_span(&f->unicode);
	markup_pieces(f->text, &f->pieces);
}

static void make_markup(struct forms *f)
{
	markup_plain_placed(f->text, &f->pieces, &f->plain, &f->codes);
	f->words = buf_span(&f->plain);
}

enum rung format_compare(struct format *f, struct span a, struct span b)
{
	struct forms *x = &f->a, *y = &f->b;
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
	format_space(x->text, &x->pieces, &x->form);
	format_space(y->text, &y->pieces, &y->form);
	if (span_equal(buf_span(&x->form), buf_span(&y->form))) {
		return RUNG_SPACE;
	}
	make_markup(x);
	make_markup(y);
	if (span_equal(x->words, y->words)) {
		return markup_places_agree(&x->codes, &y->codes) ? RUNG_MARKUP : RUNG_DIFFERENT;
	}
	if (has_controls(x->text) || has_controls(y->text)) {
		return RUNG_DIFFERENT;
	}
	make_structure(x);
	make_structure(y);
	bool same = span_equal(buf_span(&x->form), buf_span(&y->form)) &&
	            block_agreement_all(&x->pieces, &y->pieces) == AGREE_SAME;
	return same ? RUNG_STRUCTURE : RUNG_DIFFERENT;
}

void format_finish(struct format *f)
{
	struct forms *sides[] = {&f->a, &f->b};
	for (size_t i = 0; i < ARRAY_LEN(sides); i++) {
		struct forms *s = sides[i];
		buf_finish(&s->unicode);
		buf_finish(&s->pieces);
		buf_finish(&s->form);
		buf_finish(&s->plain);
		buf_finish(&s->codes);
		buf_finish(&s->talk);
	}
}
