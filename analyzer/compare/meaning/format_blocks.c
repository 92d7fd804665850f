#include "analyzer/compare/meaning/format_blocks.h"

#include "analyzer/compare/meaning/format_json.h"
#include "base/letters.h"

#define BLOCKS_MAX 256

size_t block_count(const struct buf *pieces)
{
	size_t n = 0;
	for (size_t i = 0; i < markup_count(pieces); i++) {
		n += piece_is_block(markup_piece(pieces, i));
	}
	return n;
}

const struct piece *block_at(const struct buf *pieces, size_t index)
{
	for (size_t i = 0; i < markup_count(pieces); i++) {
		const struct piece *p = markup_piece(pieces, i);
		if (piece_is_block(p) && index-- == 0) {
			return p;
		}
	}
	return NULL;
}

bool block_is_json(const struct piece *p)
{
	bool may_be =
	        p->kind == PIECE_JSON || span_is_nocase(p->label, "json") || p->label.len == 0;
	struct span inside = span_trim(p->inside);
	bool begins = inside.len && (inside.data[0] == '{' || inside.data[0] == '[');
	return may_be && begins && format_json_is(inside);
}

static enum agreement contents_agreement(const struct piece *a, const struct piece *b)
{
	bool json_a = block_is_json(a), json_b = block_is_json(b);
	if (json_a && json_b) {
		return format_json_agreement(a->inside, b->inside);
	}
	enum code_language x = code_language_of(a->label), y = code_language_of(b->label);
	if (a->label.len && b->label.len && x != y) {
		return AGREE_UNDECIDED;
	}
	enum code_language l = a->label.len ? x : y;
	return code_agreement(a->inside, b->inside, l);
}

enum agreement block_agreement(const struct piece *a, const struct piece *b)
{
	enum agreement contents = contents_agreement(a, b);
	return span_equal(a->about, b->about) ? contents : MAX(contents, AGREE_UNDECIDED);
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
		enum agreement here = block_agreement(block_at(a, i), block_at(b, i));
		changed |= here == AGREE_CHANGED;
		worst = MAX(worst, here);
	}
	return changed ? AGREE_CHANGED : worst;
}
