#include "analyzer/compare/comparison.h"

#include <math.h>
#include <string.h>

#include "analyzer/compare/meaning/formula.h"
#include "analyzer/compare/meaning/placement.h"
#include "analyzer/compare/tokens/end_token.h"
#include "base/ascii.h"
#include "base/check.h"
#include "answers/finish.h"

void pair_facts_of(const struct comparison *c, struct pair_facts *ret)
{
	const struct positions *p = &c->positions;
	const struct position_sum *tops = &p->figures[POSITION_SAME_TOP];
	enum meaning_class class = c->meaning.class;
	*ret = (struct pair_facts){
	        .differ = c->differ,
	        .decided = class != MEANING_UNDECIDED,
	        .changed = class == MEANING_ANSWER_CHANGED || class == MEANING_STRUCTURAL,
	        .base_gold = c->meaning.base_gold,
	        .test_gold = c->meaning.test_gold,
	        .gold_by_library = c->meaning.gold_by_library,
	        .at_risk = p->comparable,
	        .tokens_differ = p->differ,
	        .tops = tops->n,
	        .tops_equal = (uint64_t)tops->sum,
	        .divergence_index = p->has_tokens ? p->divergence_index : NAN,
	        .has_first = p->has_first,
	        .first = p->first,
	};
}

void comparison_room_finish(struct comparison_room *room)
{
	meaning_room_finish(&room->meaning);
}

static bool lacks_number(const struct columns *c, uint32_t token)
{
	struct listing l = listing_at(c, token);
	bool lacks = (c->flags[token] & TOKEN_MISSING) != 0;
	for (uint32_t row = l.from; row < l.to; row++) {
		lacks |= isnan(listing_lp(&l, row));
	}
	return lacks;
}

/* Counts unusable logprobs: positive or not finite. No figure includes them. */
static void count_lacking(const struct answer_input *in, struct answer_facts *ret)
{
	const struct columns *c = &in->choice->columns;
	uint32_t marks = in->reading->marks;
	uint64_t lack = 0;
	if (!in->choice->has_columns ||
	        !(marks & (READING_POSITIVE_LOGPROBS | READING_NON_FINITE))) {
		return;
	}
	for (uint32_t i = 0; i < c->n; i++) {
		lack += lacks_number(c, i);
	}
	/* One positive logprob makes all logprobs of its choice unusable; another choice of the
	 * same answer keeps its own. */
	if ((marks & READING_POSITIVE_LOGPROBS) && lack == c->n) {
		ret->positive_tokens = lack;
	} else if (marks & READING_NON_FINITE) {
		ret->unusable_tokens = lack;
	}
}

static void examine(const struct answer_input *in, struct answer_facts *ret)
{
	const struct choice *c = in->choice;
	*ret = (struct answer_facts){
	        .ended = end_token_is_in(c),
	        .place = c->place,
	        .without_tokens = !c->has_columns,
	};
	/* an engine's text, which is shown on a terminal */
	ascii_copy(ret->finish, sizeof(ret->finish), c->finish);
	count_lacking(in, ret);
}

/* Uses both engines' own counts, which include tokens without text. If one is missing, counts the
 * tokens with logprobs on both sides. */
static void count_tokens(const struct comparison_input *in, struct comparison *ret)
{
	const struct reading *b = in->base.reading, *t = in->test.reading;
	bool counted = b->n_choices == 1 && t->n_choices == 1 && b->usage.completion_tokens >= 0 &&
	               t->usage.completion_tokens >= 0;
	if (counted) {
		ret->base.tokens = b->usage.completion_tokens;
		ret->test.tokens = t->usage.completion_tokens;
	} else if (!ret->base.without_tokens && !ret->test.without_tokens) {
		ret->base.tokens = in->base.choice->columns.n;
		ret->test.tokens = in->test.choice->columns.n;
	} else {
		ret->base.tokens = ret->test.tokens = -1;
	}
}

static bool same_calls(const struct choice *a, const struct choice *b)
{
	if (a->n_calls != b->n_calls) {
		return false;
	}
	for (size_t i = 0; i < a->n_calls; i++) {
		const struct tool_call *x = &a->calls[i], *y = &b->calls[i];
		if (!span_equal(span_of(x->name), span_of(y->name)) ||
		        !span_equal(span_of(x->arguments), span_of(y->arguments))) {
			return false;
		}
	}
	return true;
}

static bool same_bytes(const struct buf *a, const struct buf *b)
{
	return span_equal(buf_span(a), buf_span(b));
}

static bool same_answer(const struct choice *base, const struct choice *test)
{
	return same_bytes(&base->text, &test->text) && same_calls(base, test) &&
	       same_bytes(&base->refusal, &test->refusal);
}

bool choices_differ(const struct choice *base, const struct choice *test)
{
	struct choice normal_base, normal_test;
	if (!placement_differs(base, test)) {
		return !same_answer(base, test);
	}
	placement_normalise(base, &normal_base);
	placement_normalise(test, &normal_test);
	bool same = same_answer(&normal_base, &normal_test);
	placement_finish(&normal_base);
	placement_finish(&normal_test);
	return !same;
}

static bool is_length(const struct choice *c)
{
	return finish_of(c->finish) == FINISH_LENGTH;
}

/* One answer ends at its length limit, the other continues; up to there they are equal. */
static void find_cut(const struct choice *base, const struct choice *test, struct comparison *ret)
{
	bool of_base = is_length(base), of_test = is_length(test);
	const struct choice *shorter = of_base ? base : test;
	if (of_base != of_test && ret->first_byte >= shorter->text.len) {
		ret->cut[of_test] = true;
	}
}

/* One answer is the other one followed by a stop sequence of the request. */
static void find_stop(
        const struct choice *a, const struct choice *b, struct span request, struct comparison *ret)
{
	struct span base = buf_span(&a->text), test = buf_span(&b->text);
	bool of_test = test.len > base.len;
	struct span shorter = of_test ? base : test, longer = of_test ? test : base;
	struct span rest = {longer.data + shorter.len, longer.len - shorter.len};
	if (rest.len > 0 && ret->first_byte >= shorter.len && request_stops_at(request, rest)) {
		ret->stop[of_test] = true;
	}
}

static void compare_texts(const struct choice *base, const struct choice *test,
        const struct first_difference *difference, struct span request, struct comparison *ret)
{
	ret->base.text_bytes = base->text.len;
	ret->test.text_bytes = test->text.len;
	ret->base.reasoning_bytes = base->reasoning.len;
	ret->test.reasoning_bytes = test->reasoning.len;
	ret->text_equal = difference->text_equal;
	ret->has_calls = base->n_calls > 0 || test->n_calls > 0;
	ret->calls_equal = ret->has_calls && same_calls(base, test);
	ret->reasoning_equal =
	        base->reasoning.len > 0 && same_bytes(&base->reasoning, &test->reasoning);
	ret->differ = !same_answer(base, test);
	if (ret->differ) {
		ret->first_byte = difference->first_byte;
		find_cut(base, test, ret);
		find_stop(base, test, request, ret);
	}
}

/* Whether `plumbline grade` can grade an answer: it has a mathematical value, or is not cut. */
static bool is_gradable(struct comparison_room *room, const struct choice *c, enum grading grading)
{
	struct buf answer = {0};
	struct formula formula;
	if (grading == GRADING_TESTS) {
		return !meaning_is_cut(c);
	}
	choice_answer(c, &answer);
	bool found = formula_read(&room->meaning.format.a, buf_span(&answer), &formula);
	buf_finish(&answer);
	return found;
}

static void compare_meanings(
        struct comparison_room *room, const struct comparison_input *in, struct comparison *ret)
{
	struct meaning *m = &ret->meaning;
	meaning_compare(&room->meaning, in->base.choice, in->test.choice, in->task, m);
	memset(m->base_value, 0, sizeof(m->base_value));
	memset(m->test_value, 0, sizeof(m->test_value));
	if (in->grading != GRADING_NONE) {
		bool tests = in->grading == GRADING_TESTS;
		enum meaning_gold base = in->base.graded, test = in->test.graded;
		m->base_gold = tests || gold_is_decided(base) ? base : m->base_gold;
		m->test_gold = tests || gold_is_decided(test) ? test : m->test_gold;
		m->base_gold = m->base_gold == GOLD_NONE ? GOLD_UNDECIDED : m->base_gold;
		m->test_gold = m->test_gold == GOLD_NONE ? GOLD_UNDECIDED : m->test_gold;
		m->gold_by_library = !tests && (gold_is_decided(base) || gold_is_decided(test));
		ret->ungraded =
		        (base == GOLD_NONE && is_gradable(room, in->base.choice, in->grading)) ||
		        (test == GOLD_NONE && is_gradable(room, in->test.choice, in->grading));
	}
}

/* Compares two choices whose reasoning is in the same place. */
static void compare_choices(struct comparison_room *room, const struct comparison_input *in,
        const struct choice *base, const struct choice *test, struct comparison *ret)
{
	bool greedy = in->decoding == DECODING_GREEDY;
	struct first_difference difference;
	ret->tells_end =
	        end_token_compare(base, test, ret->base.tokens, ret->test.tokens, &ret->end_longer);
	first_difference_find(base, test, &difference);
	compare_texts(base, test, &difference, in->request, ret);
	cause_signs_begin(&room->signs, greedy, in->request, &ret->signs);
	positions_compare(base, test, &difference, greedy, &room->signs, &ret->positions);
	cause_signs_choices(&room->signs, base, test);
}

void compare_pair(
        struct comparison_room *room, const struct comparison_input *in, struct comparison *ret)
{
	const struct choice *base = in->base.choice, *test = in->test.choice;
	*ret = (struct comparison){
	        .decoding = in->decoding,
	        .placement_differs = placement_differs(base, test),
	};
	examine(&in->base, &ret->base);
	examine(&in->test, &ret->test);
	count_tokens(in, ret);
	compare_meanings(room, in, ret);
	if (ret->placement_differs) {
		struct choice normal_base, normal_test;
		placement_normalise(base, &normal_base);
		placement_normalise(test, &normal_test);
		compare_choices(room, in, &normal_base, &normal_test, ret);
		placement_finish(&normal_base);
		placement_finish(&normal_test);
	} else {
		compare_choices(room, in, base, test, ret);
		ret->has_opening = in->decoding == DECODING_SAMPLED &&
		                   opening_compare(base, test, ret->opening);
	}
}
