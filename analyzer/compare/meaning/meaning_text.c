#include <string.h>

#include "analyzer/compare/meaning/answer.h"
#include "analyzer/compare/meaning/format_json.h"
#include "analyzer/compare/meaning/meaning.h"
#include "base/ascii.h"
#include "base/utf8.h"

/* Writes the text around the blocks, without markup, into f->talk. */
static struct span text_around_blocks(struct forms *f)
{
	struct buf *talk = &f->talk;
	buf_clear(talk);
	markup_plain(f->text, &f->pieces, true, talk);
	for (size_t i = 0; i < talk->len; i++) {
		bool mark = talk->data[i] == MARKUP_CODE || talk->data[i] == MARKUP_BLOCK;
		talk->data[i] = mark ? ' ' : talk->data[i];
	}
	return span_trim(buf_span(talk));
}

static bool is_mostly_blocks(const struct forms *f)
{
	size_t n = 0;
	for (size_t i = 0; i < markup_count(&f->pieces); i++) {
		const struct markup_piece *p = markup_piece(&f->pieces, i);
		n += markup_is_block(p) ? p->all.len : 0;
	}
	return 2 * n >= f->text.len;
}

static bool holds_json(const struct forms *f)
{
	return block_count(&f->pieces) == 1 && block_is_json(block_at(&f->pieces, 0));
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

static void copy_value(char to[MEANING_VALUE_SIZE], struct span s)
{
	s = utf8_cut(span_trim(s), MEANING_VALUE_SIZE - 1);
	if (s.len) {
		memcpy(to, s.data, s.len);
	}
	to[s.len] = '\0';
}

/* Whether the code is separate from the text, unlike JSON within a sentence. */
static bool is_apart(const struct buf *pieces)
{
	for (size_t i = 0; i < markup_count(pieces); i++) {
		if (markup_piece(pieces, i)->kind == MARKUP_PIECE_JSON) {
			return false;
		}
	}
	return true;
}

/* Whether the talk around the code, which only this side has, can be ignored: it states no answer,
 * so the prompt did not ask for it. */
static bool is_code_alone(
        struct forms *f, struct span talk, struct span other_talk, enum question q)
{
	struct answer answer;
	if (talk.len == 0 || other_talk.len || !is_apart(&f->pieces)) {
		return false;
	}
	answer_read(f, talk, q, &answer);
	return answer.mark == ANSWER_NONE ||
	       (answer.mark == ANSWER_BARE && answer.value.kind == VALUE_WORDS);
}

/* Compares the blocks if both sides have code or JSON. Returns false if the blocks do not
 * decide. */
static bool by_blocks(struct format *f, enum question q, struct meaning *m)
{
	struct forms *a = &f->a, *b = &f->b;
	size_t n = block_count(&a->pieces);
	if (n == 0 || block_count(&b->pieces) == 0) {
		return false;
	}
	enum agreement blocks = block_agreement_all(&a->pieces, &b->pieces);
	bool json = n == 1 && block_count(&b->pieces) == 1 &&
	            block_is_json(block_at(&a->pieces, 0)) &&
	            block_is_json(block_at(&b->pieces, 0));
	struct span x = text_around_blocks(a), y = text_around_blocks(b);
	bool alone = x.len == 0 && y.len == 0, same = blocks == AGREE_SAME;
	bool about = alone || q == QUESTION_CODE || (is_mostly_blocks(a) && is_mostly_blocks(b));
	if (same && !alone && !is_code_alone(a, x, y, q) && !is_code_alone(b, y, x, q)) {
		return false;
	}
	if (!same && !about) {
		return false;
	}
	settle(m, json ? BASIS_JSON : BASIS_CODE, blocks, RUNG_ANSWER);
	return true;
}

/* Compares the answers that the texts state. Returns false if they do not decide. */
static bool by_answers(struct format *f, enum question q, struct meaning *m)
{
	static const enum meaning_basis bases[N_VALUE_KINDS] = {
	        BASIS_TEXT, BASIS_NUMBER, BASIS_DATE, BASIS_CHOICE, BASIS_BOOLEAN, BASIS_WORDS};
	struct answer a, b;
	answer_read(&f->a, f->a.words, q, &a);
	answer_read(&f->b, f->b.words, q, &b);
	if (a.mark != ANSWER_NONE) {
		copy_value(m->base_value, a.value.text);
	}
	if (b.mark != ANSWER_NONE) {
		copy_value(m->test_value, b.value.text);
	}
	enum agreement values = answer_compare(&a, &b, q);
	enum meaning_basis basis = bases[a.value.kind];
	/* In code every mark matters, and the comparison by words may lose some. */
	if (basis == BASIS_WORDS && (f->a.codes.len || f->b.codes.len)) {
		values = AGREE_UNDECIDED;
	}
	if (values == AGREE_UNDECIDED && q == QUESTION_YES_NO) {
		values = answer_compare_yes(f->a.words, f->b.words);
		basis = BASIS_BOOLEAN;
	}
	if (values == AGREE_UNDECIDED) {
		return false;
	}
	settle(m, basis, values, RUNG_ANSWER);
	return true;
}

/* Compares the words, which decide only a few kinds of difference. */
static void by_sentences(const struct meaning_room *room, struct meaning *m)
{
	static const uint32_t marks[] = {[SENTENCE_NUMBER] = MEANING_MARK_NUMBERS,
	        [SENTENCE_NAME] = MEANING_MARK_NAMES,
	        [SENTENCE_NEGATION] = MEANING_MARK_NEGATIONS};
	enum sentence_difference d = sentence_compare(&room->sentence_a, &room->sentence_b);
	/* If the blocks differ, words decide nothing: the code may use another name for the same
	 * thing. */
	bool changed =
	        d != SENTENCE_EQUAL && d != SENTENCE_OTHER &&
	        block_agreement_all(&room->format.a.pieces, &room->format.b.pieces) == AGREE_SAME;
	m->marks |= changed ? marks[d] : 0;
	settle(m, BASIS_PROSE, changed ? AGREE_CHANGED : AGREE_UNDECIDED, RUNG_ANSWER);
}

/* Marks a text that loops, or whose JSON is cut off, if the other text is complete. */
static uint32_t broken_marks(const struct meaning_room *room)
{
	const struct forms *a = &room->format.a, *b = &room->format.b;
	uint32_t marks = 0;
	if (sentence_loops(&room->sentence_a) != sentence_loops(&room->sentence_b)) {
		marks |= MEANING_MARK_LOOP;
	}
	if ((format_json_is_cut(a->text) && holds_json(b)) ||
	        (format_json_is_cut(b->text) && holds_json(a))) {
		marks |= MEANING_MARK_TRUNCATED;
	}
	return marks;
}

static void set_structural(struct meaning *m, uint32_t marks)
{
	m->marks |= marks;
	m->class = MEANING_STRUCTURAL;
	m->basis = BASIS_PARTS;
}

/* Compares two non-empty texts that differ in more than their format. */
static void compare_answers(struct meaning_room *room, enum question q, bool cut, struct meaning *m)
{
	sentence_read(&room->sentence_a, room->format.a.words);
	sentence_read(&room->sentence_b, room->format.b.words);
	m->similarity = (float)sentence_similarity(&room->sentence_a, &room->sentence_b);
	uint32_t broken = broken_marks(room);
	if (broken) {
		set_structural(m, broken);
		return;
	}
	if (!cut && !by_blocks(&room->format, q, m) && !by_answers(&room->format, q, m)) {
		by_sentences(room, m);
	}
}

void meaning_set_severity(struct meaning *m)
{
	static const enum meaning_severity of[N_MEANING_CLASSES] = {
	        [MEANING_IDENTICAL] = MEANING_SEVERITY_NONE,
	        [MEANING_FORMAT] = MEANING_SEVERITY_MINOR,
	        [MEANING_WORDING] = MEANING_SEVERITY_MINOR,
	        [MEANING_ANSWER_CHANGED] = MEANING_SEVERITY_SEVERE,
	        [MEANING_STRUCTURAL] = MEANING_SEVERITY_SEVERE,
	        [MEANING_UNDECIDED] = MEANING_SEVERITY_MODERATE,
	};
	m->severity = of[m->class];
	if (m->class == MEANING_UNDECIDED && m->similarity < 0.5f) {
		m->severity = MEANING_SEVERITY_SEVERE;
	}
}

void meaning_compare_texts(struct meaning_room *room, struct span base, struct span test,
        enum question q, bool cut, struct meaning *ret)
{
	*ret = (struct meaning){.similarity = 1};
	enum rung rung = format_compare(&room->format, base, test);
	settle(ret, BASIS_TEXT, AGREE_SAME, rung);
	if (rung == RUNG_DIFFERENT) {
		bool failed = room->format.a.failed || room->format.b.failed;
		settle(ret, BASIS_TEXT, AGREE_UNDECIDED, RUNG_DIFFERENT);
		ret->similarity = 0;
		if (span_trim(base).len == 0 || span_trim(test).len == 0) {
			set_structural(ret, MEANING_MARK_EMPTY);
		} else if (!failed) {
			compare_answers(room, q, cut, ret);
		}
	}
	meaning_set_severity(ret);
}
