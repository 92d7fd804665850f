#include <string.h>

#include "analyzer/compare/meaning/beside.h"
#include "analyzer/compare/meaning/block.h"
#include "analyzer/compare/meaning/inline_code.h"
#include "base/letters.h"
#include "analyzer/compare/meaning/meaning.h"
#include "base/utf8.h"

/* The text around the blocks, without markup, in c->prose; the blocks themselves are marks. */
static struct span around_blocks(struct climb *c)
{
	buf_clear(&c->prose);
	buf_reserve(&c->prose, 1);
	markup_plain(c->text, &c->pieces, true, &c->prose);
	for (size_t i = 0; i < c->prose.len; i++) {
		if (c->prose.data[i] == MARKUP_CODE) {
			c->prose.data[i] = ' ';
		}
	}
	return span_trim(buf_span(&c->prose));
}

static void blank_marks(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		if ((unsigned char)s.data[i] < 8) {
			((char *)s.data)[i] = ' ';
		}
	}
}

static size_t block_bytes(const struct climb *c)
{
	size_t n = 0;
	for (size_t i = 0; i < markup_count(&c->pieces); i++) {
		const struct piece *p = markup_piece(&c->pieces, i);
		n += piece_is_block(p) ? p->all.len : 0;
	}
	return n;
}

static void settle(struct meaning *m, enum meaning_basis basis, enum agreement a, enum rung rung)
{
	m->basis = basis;
	m->rung = a == AGREE_SAME ? rung : RUNG_DIFFERENT;
	m->class = a == AGREE_CHANGED     ? MEANING_ANSWER_CHANGED
	           : a == AGREE_UNDECIDED ? MEANING_UNDECIDED
	           : rung == RUNG_ANSWER  ? MEANING_WORDING
	           : rung == RUNG_BYTES   ? MEANING_IDENTICAL
	                                  : MEANING_FORMAT;
}

static void note_value(char to[MEANING_VALUE_SIZE], struct span s)
{
	s = span_trim(s);
	size_t n = MIN(s.len, (size_t)MEANING_VALUE_SIZE - 1);
	while (n < s.len && n && ((unsigned char)s.data[n] & 0xc0) == 0x80) {
		n--;
	}
	if (n) {
		memcpy(to, s.data, n);
	}
	to[n] = '\0';
}

static enum meaning_basis basis_of(enum value_kind k)
{
	static const enum meaning_basis bases[N_VALUE_KINDS] = {
	        BASIS_TEXT, BASIS_NUMBER, BASIS_DATE, BASIS_CHOICE, BASIS_BOOLEAN, BASIS_WORDS};
	return bases[k];
}

static void note_prose(struct meaning *m, const struct prose_difference *d)
{
	m->similarity = d->similarity;
	m->marks |= (d->numbers ? MEANING_NUMBERS : 0) | (d->names ? MEANING_NAMES : 0) |
	            (d->negations ? MEANING_NEGATIONS : 0);
}

static void note_values(const struct extract *a, const struct extract *b, struct meaning *m)
{
	m->base_source = a->source;
	m->test_source = b->source;
	if (a->source != SOURCE_NONE) {
		note_value(m->base_value, a->value.text);
	}
	if (b->source != SOURCE_NONE) {
		note_value(m->test_value, b->value.text);
	}
}

/* The answer that is stated beside the blocks, in so many words: not the block, nor a few words that lead to it. */
static bool read_stated(struct climb *c, struct span around, enum question q, struct extract *ret)
{
	struct span words = c->words;
	c->words = around;
	extract_read(c, q, ret);
	c->words = words;
	if (ret->source == SOURCE_NONE || ret->value.text.len == 0 ||
	        memchr(ret->value.text.data, MARKUP_BLOCK, ret->value.text.len)) {
		return false;
	}
	return ret->source == SOURCE_BOXED || ret->source == SOURCE_MARKER ||
	       ret->value.kind == VALUE_BOOLEAN;
}

/* Blocks that are the same, with words around them that are not. */
static void by_words_around(struct meaning_room *room, enum question q, enum meaning_basis basis,
        struct span x, struct span y, struct meaning *m)
{
	bool codes = ladder_codes_agree(&room->ladder.a, &room->ladder.b);
	struct extract a, b;
	bool of_a = read_stated(&room->ladder.a, x, q, &a);
	bool of_b = read_stated(&room->ladder.b, y, q, &b);
	if (of_a && of_b) {
		enum agreement values = extract_agreement(&a, &b, q);
		bool words = a.value.kind == VALUE_TEXT && b.value.kind == VALUE_TEXT;
		note_values(&a, &b, m);
		settle(m, a.value.kind == b.value.kind ? basis_of(a.value.kind) : BASIS_TEXT,
		        words && !codes && values == AGREE_SAME ? AGREE_UNDECIDED : values,
		        RUNG_ANSWER);
		return;
	}
	blank_marks(x);
	blank_marks(y);
	struct prose_difference d;
	prose_read_both(&room->prose_a, x, &room->prose_b, y);
	struct span calls = {0};
	bool asked = q == QUESTION_CODE;
	bool same = prose_agreement(&room->prose_a, &room->prose_b, &d) == AGREE_SAME && codes;
	same = same || (of_a == of_b && beside_agree(x, y, calls, codes, asked));
	settle(m, basis, same ? AGREE_SAME : AGREE_UNDECIDED, RUNG_ANSWER);
}

/* Both have code or JSON. False: it does not tell, since it is not what the answer is about. */
static bool by_blocks(struct meaning_room *room, enum question q, struct meaning *m)
{
	struct climb *a = &room->ladder.a, *b = &room->ladder.b;
	size_t n = block_count(&a->pieces);
	if (n == 0 || block_count(&b->pieces) == 0) {
		return false;
	}
	enum agreement blocks = block_agreement_all(&a->pieces, &b->pieces);
	bool json = n == 1 && block_count(&b->pieces) == 1 &&
	            block_is_json(block_at(&a->pieces, 0)) &&
	            block_is_json(block_at(&b->pieces, 0));
	struct span x = around_blocks(a), y = around_blocks(b);
	bool filler = beside_is_filler(x) && beside_is_filler(y);
	bool most = 2 * block_bytes(a) >= a->text.len && 2 * block_bytes(b) >= b->text.len;
	enum meaning_basis basis = json ? BASIS_JSON : BASIS_CODE;
	if (blocks == AGREE_SAME && filler && ladder_codes_agree(a, b)) {
		settle(m, basis, AGREE_SAME, RUNG_STRUCTURE);
	} else if (blocks == AGREE_SAME) {
		by_words_around(room, q, basis, x, y, m);
	} else {
		bool about = filler || most || q == QUESTION_CODE;
		settle(m, basis, about ? blocks : AGREE_UNDECIDED, RUNG_ANSWER);
	}
	return true;
}

/* The answer, or what is said with a yes, with the marks around it, which may be code's. */
static struct span unstripped(const struct extract *e)
{
	struct span part = e->source == SOURCE_FIRST ? e->said : e->value.text;
	const char *from = part.data, *to = from + part.len;
	const char *begin = e->words.data, *end = begin + e->words.len;
	if (e->words.len == 0 || from < begin || to > end) {
		return part;
	}
	while (from > begin && !is_space(from[-1])) {
		from--;
	}
	while (to < end && !is_space(*to)) {
		to++;
	}
	return span_between(from, to);
}

/* That of the answer; of all words where digits or a minus were respelt, for the places are those before. */
static struct inline_code code_beside(const struct climb *c, const struct extract *e)
{
	bool respelt = e->words.len != c->words.len;
	return respelt ? (struct inline_code){&c->codes, c->words, c->words}
	               : (struct inline_code){&c->codes, e->words, unstripped(e)};
}

/* No more than undecided, where what stands between backquotes differs. */
static enum agreement with_code(
        const struct inline_code *a, const struct inline_code *b, enum agreement words)
{
	return words == AGREE_SAME && !inline_code_agree(a, b) ? AGREE_UNDECIDED : words;
}

/* By what the answers name. False: one of them names nothing that can be told. */
static bool by_values(struct meaning_room *room, enum question q, struct meaning *m)
{
	struct extract a, b;
	extract_read(&room->ladder.a, q, &a);
	extract_read(&room->ladder.b, q, &b);
	note_values(&a, &b, m);
	if (a.source == SOURCE_NONE || b.source == SOURCE_NONE) {
		return false;
	}
	enum agreement values = extract_agreement(&a, &b, q);
	enum meaning_basis basis =
	        a.value.kind == b.value.kind ? basis_of(a.value.kind) : BASIS_TEXT;
	bool first = a.source == SOURCE_FIRST && b.source == SOURCE_FIRST;
	bool reasons = first && a.said.len && b.said.len;
	if (basis == BASIS_WORDS || reasons) {
		struct inline_code x = code_beside(&room->ladder.a, &a);
		struct inline_code y = code_beside(&room->ladder.b, &b);
		values = with_code(&x, &y, values);
	}
	if (values == AGREE_UNDECIDED && first) {
		return false; /* what comes after the yes tells more */
	}
	settle(m, basis, values, RUNG_ANSWER);
	return true;
}

static size_t parting(struct span a, struct span b)
{
	size_t n = span_shared(a, b);
	while (n && n < MAX(a.len, b.len)) {
		unsigned char x = n < a.len ? (unsigned char)a.data[n] : 0;
		unsigned char y = n < b.len ? (unsigned char)b.data[n] : 0;
		if ((x & 0xc0) != 0x80 && (y & 0xc0) != 0x80) {
			break;
		}
		n--;
	}
	return n;
}

static void by_words(struct meaning_room *room, bool decided, struct meaning *m)
{
	struct climb *a = &room->ladder.a, *b = &room->ladder.b;
	struct prose_difference d;
	prose_read_both(&room->prose_a, a->words, &room->prose_b, b->words);
	enum agreement words = prose_agreement(&room->prose_a, &room->prose_b, &d);
	note_prose(m, &d);
	if (prose_loops(&room->prose_a) != prose_loops(&room->prose_b)) {
		m->marks |= MEANING_LOOP;
	}
	if (!decided) {
		/* The same words, but as code on one side only. */
		bool alike = block_count(&a->pieces) == block_count(&b->pieces);
		words = alike ? words : MAX(words, AGREE_UNDECIDED);
		bool codes = words != AGREE_SAME || ladder_codes_agree(a, b);
		words = codes ? words : AGREE_UNDECIDED;
		settle(m, BASIS_PROSE, words, RUNG_ANSWER);
	}
}

static void set_severity(struct meaning *m)
{
	static const enum meaning_severity of[N_MEANING_CLASSES] = {
	        [MEANING_IDENTICAL] = MEANING_NONE,
	        [MEANING_FORMAT] = MEANING_MINOR,
	        [MEANING_WORDING] = MEANING_MINOR,
	        [MEANING_ANSWER_CHANGED] = MEANING_SEVERE,
	        [MEANING_STRUCTURAL] = MEANING_SEVERE,
	        [MEANING_UNDECIDED] = MEANING_MODERATE,
	};
	m->severity = of[m->class];
	if (m->class == MEANING_UNDECIDED && m->similarity < 0.5f) {
		m->severity = MEANING_SEVERE;
	}
}

void meaning_compare_texts(struct meaning_room *room, struct span base, struct span test,
        enum question q, bool cut, struct meaning *ret)
{
	*ret = (struct meaning){.similarity = 1};
	ret->calls.f1 = 1;
	enum rung rung = ladder_climb(&room->ladder, base, test);
	settle(ret, BASIS_TEXT, AGREE_SAME, rung);
	if (rung != RUNG_BYTES) {
		ret->base_at = ret->test_at = parting(base, test);
	}
	if (rung == RUNG_DIFFERENT) {
		bool climbed = !room->ladder.a.failed && !room->ladder.b.failed;
		bool empty = span_trim(base).len == 0 || span_trim(test).len == 0;
		settle(ret, BASIS_TEXT, AGREE_UNDECIDED, RUNG_DIFFERENT);
		ret->similarity = 0;
		if (empty) {
			ret->marks |= MEANING_EMPTY;
			ret->class = MEANING_STRUCTURAL;
			ret->basis = BASIS_PARTS;
		} else if (climbed) {
			bool decided = cut || by_blocks(room, q, ret) || by_values(room, q, ret);
			by_words(room, decided, ret);
			if (ret->marks & MEANING_LOOP && ret->class != MEANING_WORDING) {
				ret->class = MEANING_STRUCTURAL;
				ret->basis = BASIS_PARTS;
			}
		}
	}
	set_severity(ret);
}
