#include "analyzer/compare/meaning/format.h"

#include "analyzer/compare/meaning/format_blocks.h"
#include "analyzer/compare/meaning/format_space.h"
#include "base/letters.h"

#define TEXT_MAX ((size_t)16 << 20)
#define KEPT_MAX ((size_t)1 << 20) /* of memory between two pairs */

const char *rung_name(enum rung r)
{
	static const char *const names[N_RUNGS] = {
	        "bytes", "unicode", "space", "markup", "structure", "answer", "different"};
	return names[r];
}

void format_space(struct span text, const struct buf *pieces, struct buf *to)
{
	struct space space;
	space_init(&space, text, to);
	for (size_t i = 0; i < markup_count(pieces); i++) {
		const struct piece *p = markup_piece(pieces, i);
		struct span all = p->all;
		if (p->kind == PIECE_PROSE) {
			space_put(&space, all);
			continue;
		}
		while (p->kind == PIECE_CODE && all.len && is_space(all.data[all.len - 1])) {
			all.len--;
		}
		space_put_verbatim(&space, all);
	}
}

/* Bytes that mark blocks and code must not be in the text itself. */
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
	buf_reserve(&marked, 1); /* so that it has an address */
	markup_plain(f->text, &f->pieces, true, &marked);
	buf_clear(&f->form);
	format_structure(buf_span(&marked), &f->form);
	buf_finish(&marked);
}

static bool agree_in_structure(struct forms *a, struct forms *b)
{
	if (has_controls(a->text) || has_controls(b->text)) {
		return false;
	}
	make_structure(a);
	make_structure(b);
	return span_equal(buf_span(&a->form), buf_span(&b->form)) &&
	       block_agreement_all(&a->pieces, &b->pieces) == AGREE_SAME;
}

static void begin(struct forms *f, struct span text)
{
	struct buf *bufs[] = {&f->unicode, &f->pieces, &f->form, &f->plain, &f->codes, &f->talk};
	for (size_t i = 0; i < ARRAY_LEN(bufs); i++) {
		buf_trim(bufs[i], KEPT_MAX);
		buf_reserve(bufs[i], 1); /* so that it has an address */
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
	return agree_in_structure(x, y) ? RUNG_STRUCTURE : RUNG_DIFFERENT;
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
