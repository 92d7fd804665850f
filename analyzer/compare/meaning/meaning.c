#include "analyzer/compare/meaning/meaning.h"

#include <string.h>

#include "analyzer/compare/meaning/formula.h"
#include "analyzer/compare/meaning/code_tests.h"
#include "answers/finish.h"
#include "base/enum_names.h"

#define KEPT_MAX ((size_t)1 << 20)

ENUM_NAMES(meaning_class_name, enum meaning_class, "identical", "format", "wording",
        "answer_changed", "structural", "undecided");

ENUM_NAMES(meaning_severity_name, enum meaning_severity, "none", "minor", "moderate", "severe");

ENUM_NAMES(meaning_basis_name, enum meaning_basis, "text", "number", "date", "choice", "boolean",
        "words", "json", "code", "prose", "calls", "parts");

ENUM_NAMES(meaning_mark_name, unsigned, "placement", "calls_or_text", "calls_place", "truncated",
        "finish", "refusal", "loop", "empty", "numbers", "names", "negations", "reasoning_cut",
        "invalid_calls");

static enum finish ending_of(const struct choice *c)
{
	enum finish f = finish_of(c->finish);
	/* Most engines report "stop" for a stop sequence. */
	return f == FINISH_SEQUENCE ? FINISH_STOP : f;
}

static bool calls_in_text(const struct choice *c)
{
	bool all = c->n_calls > 0;
	for (size_t i = 0; i < c->n_calls; i++) {
		all &= c->calls[i].in_text;
	}
	return all;
}

static void compare_reasoning(struct meaning_room *room, const struct choice *base,
        const struct choice *test, struct meaning *m)
{
	buf_trim(&room->text_a, KEPT_MAX);
	buf_trim(&room->text_b, KEPT_MAX);
	choice_reasoning(base, &room->text_a);
	choice_reasoning(test, &room->text_b);
	struct span a = buf_span(&room->text_a), b = buf_span(&room->text_b);
	m->reasoning.base_len = a.len;
	m->reasoning.test_len = b.len;
	m->reasoning.rung =
	        (a.len == 0) == (b.len == 0) ? format_compare(&room->format, a, b) : RUNG_DIFFERENT;
}

/* Whether reasoning began in the text and never ended: then no answer follows. */
static bool thought_is_cut(const struct choice *c)
{
	const struct thought *last = c->n_thoughts ? &c->thoughts[c->n_thoughts - 1] : NULL;
	return last && last->to == last->close && last->close == c->text.len;
}

/* Marks the structural differences, which make two answers differ whatever their texts say. */
static uint32_t structural_marks(const struct choice *base, const struct choice *test)
{
	enum finish x = ending_of(base), y = ending_of(test);
	uint32_t marks = 0;
	if ((base->n_calls == 0) != (test->n_calls == 0)) {
		marks |= MEANING_MARK_CALLS_MISSING;
	}
	if ((x == FINISH_LENGTH) != (y == FINISH_LENGTH) && x && y) {
		marks |= MEANING_MARK_TRUNCATED;
	} else if (x != y && x && y) {
		/* Some engines report "stop" after tool calls, so the calls themselves decide. */
		bool called =
		        base->n_calls && test->n_calls && x != FINISH_FILTER && y != FINISH_FILTER;
		marks |= called ? 0 : MEANING_MARK_FINISH;
	}
	if (thought_is_cut(base) != thought_is_cut(test)) {
		marks |= MEANING_MARK_THOUGHT_CUT;
	}
	if ((base->refusal.len > 0) != (test->refusal.len > 0)) {
		marks |= MEANING_MARK_REFUSAL;
	}
	return marks;
}

static void add_calls(struct meaning *m, const struct choice *base, const struct choice *test,
        const struct tools *tools)
{
	calls_compare(base, test, tools, &m->calls);
	bool base_broken = m->calls.base_valid < m->calls.base_checked;
	bool test_broken = m->calls.test_valid < m->calls.test_checked;
	m->marks |= base_broken != test_broken ? MEANING_MARK_INVALID_CALLS : 0;
	if (base->n_calls == 0 || test->n_calls == 0) {
		return;
	}
	if (calls_in_text(base) != calls_in_text(test)) {
		m->marks |= MEANING_MARK_CALLS_PLACE;
	}
	if (m->calls.agreement != AGREE_SAME) {
		bool changed = m->calls.agreement == AGREE_CHANGED;
		m->class = changed ? MEANING_ANSWER_CHANGED : MEANING_UNDECIDED;
		m->basis = BASIS_CALLS;
		m->rung = RUNG_DIFFERENT;
	} else if (m->class <= MEANING_WORDING) {
		m->rung = MAX(m->rung, m->calls.rung);
		bool spelt = m->calls.rung != RUNG_BYTES && m->class == MEANING_IDENTICAL;
		m->class = spelt ? MEANING_FORMAT : m->class;
		m->basis = spelt ? BASIS_CALLS : m->basis;
	} else if (m->class == MEANING_STRUCTURAL && (m->marks & MEANING_MARK_EMPTY)) {
		/* One side adds text to the same calls; the request did not ask for that text. */
		m->class = MEANING_WORDING;
		m->basis = BASIS_CALLS;
		m->rung = RUNG_ANSWER;
	}
}

bool meaning_is_same(const struct choice *a, const struct choice *b)
{
	return a->n_calls == 0 && b->n_calls == 0 && a->n_thoughts == 0 && b->n_thoughts == 0 &&
	       a->place == b->place && a->refusal.len == 0 && b->refusal.len == 0 &&
	       ending_of(a) == ending_of(b) && span_equal(buf_span(&a->text), buf_span(&b->text)) &&
	       span_equal(buf_span(&a->reasoning), buf_span(&b->reasoning));
}

bool meaning_is_cut(const struct choice *c)
{
	return ending_of(c) == FINISH_LENGTH || thought_is_cut(c);
}

static enum meaning_gold gold_of(struct meaning_room *room, const struct choice *c,
        struct span answer, const struct task *task)
{
	bool cut = meaning_is_cut(c);
	if (code_tests_are(task->gold)) {
		return GOLD_UNDECIDED; /* until it is run */
	}
	if (task->tools.items.len > 0 && gold_is_calls(task->gold)) {
		return gold_calls_judge(task->gold, c, cut, &task->tools);
	}
	struct buf formula = {0};
	bool is_formula = formula_gold_read(task->gold, &formula);
	struct span right = is_formula ? buf_span(&formula) : task->gold;
	enum meaning_gold gold = meaning_gold_of(room, answer, task->question, cut, right);
	buf_finish(&formula);
	return gold != GOLD_RIGHT && c->refusal.len ? GOLD_WRONG : gold;
}

/* The order of classes from equal to different. A certain change comes after an undecided one. */
static int class_order(enum meaning_class c)
{
	static const int order[N_MEANING_CLASSES] = {
	        [MEANING_IDENTICAL] = 0,
	        [MEANING_FORMAT] = 1,
	        [MEANING_WORDING] = 2,
	        [MEANING_UNDECIDED] = 3,
	        [MEANING_ANSWER_CHANGED] = 4,
	        [MEANING_STRUCTURAL] = 5,
	};
	return order[c];
}

/* Compares two refusals like answers. The class is that of the texts or of the refusals, whichever
 * differ more. */
static void add_refusals(struct meaning_room *room, const struct choice *base,
        const struct choice *test, bool cut, struct meaning *ret)
{
	struct meaning of_refusals;
	if (base->refusal.len == 0 || test->refusal.len == 0) {
		return; /* structural_marks() */
	}
	meaning_compare_texts(room, buf_span(&base->refusal), buf_span(&test->refusal),
	        QUESTION_OPEN, cut, &of_refusals);
	if (class_order(of_refusals.class) > class_order(ret->class)) {
		of_refusals.marks |= ret->marks;
		*ret = of_refusals;
	}
}

static void judge(struct meaning_room *room, const struct choice *base, const struct choice *test,
        const struct task *task, struct meaning *ret)
{
	struct span a = buf_span(&room->text_a), b = buf_span(&room->text_b);
	bool cut = ending_of(base) == FINISH_LENGTH || ending_of(test) == FINISH_LENGTH;
	enum question q = task ? task->question : QUESTION_OPEN;
	meaning_compare_texts(room, a, b, q, cut, ret);
	add_refusals(room, base, test, cut, ret);
	uint32_t marks = structural_marks(base, test);
	add_calls(ret, base, test, task ? &task->tools : NULL);
	if (base->n_calls && test->n_calls && (ret->marks & MEANING_MARK_EMPTY)) {
		ret->marks &= ~(uint32_t)MEANING_MARK_EMPTY;
	}
	if (base->place != test->place) {
		ret->marks |= MEANING_MARK_PLACEMENT;
	}
	if (ret->class == MEANING_IDENTICAL &&
	        (ret->marks & (MEANING_MARK_PLACEMENT | MEANING_MARK_CALLS_PLACE))) {
		ret->class = MEANING_FORMAT;
		ret->basis = BASIS_PARTS;
	}
	if (marks) {
		ret->marks |= marks;
		ret->class = MEANING_STRUCTURAL;
		ret->basis = BASIS_PARTS;
	}
	meaning_set_severity(ret);
}

/* Neither side has an answer to agree on if one was cut before it reached one. (If the other
 * certainly was not cut, structural_marks() has told them apart.) */
static void leave_unanswered(
        const struct choice *base, const struct choice *test, struct meaning *m)
{
	bool cut = meaning_is_cut(base) || meaning_is_cut(test);
	if (base->n_calls == 0 && test->n_calls == 0 && cut &&
	        m->reasoning.rung == RUNG_DIFFERENT) {
		m->class = MEANING_UNDECIDED;
		m->basis = BASIS_PARTS;
		m->rung = RUNG_DIFFERENT;
		meaning_set_severity(m);
	}
}

void meaning_compare(struct meaning_room *room, const struct choice *base,
        const struct choice *test, const struct task *task, struct meaning *ret)
{
	bool same = meaning_is_same(base, test), has_gold = task && task->gold.len;
	if (same) {
		*ret = (struct meaning){.similarity = 1};
		ret->reasoning.base_len = ret->reasoning.test_len = base->reasoning.len;
		if (!has_gold) {
			return; /* the most common case copies nothing */
		}
	}
	buf_trim(&room->text_a, KEPT_MAX);
	buf_trim(&room->text_b, KEPT_MAX);
	choice_answer(base, &room->text_a);
	choice_answer(test, &room->text_b);
	bool empty = room->text_a.len == 0 && room->text_b.len == 0;
	if (!same) {
		judge(room, base, test, task, ret);
	}
	if (has_gold) {
		ret->base_gold = gold_of(room, base, buf_span(&room->text_a), task);
		ret->test_gold = gold_of(room, test, buf_span(&room->text_b), task);
	}
	if (same) {
		return;
	}
	compare_reasoning(room, base, test, ret);
	if (empty && ret->class <= MEANING_WORDING) {
		leave_unanswered(base, test, ret);
	}
}

void meaning_room_finish(struct meaning_room *room)
{
	format_finish(&room->format);
	sentence_finish(&room->sentence_a);
	sentence_finish(&room->sentence_b);
	buf_finish(&room->text_a);
	buf_finish(&room->text_b);
}
