#include "analyzer/compare/decoding.h"

#include <math.h>
#include <string.h>

#include "backends/align.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/enum_names.h"
#include "answers/finish.h"

ENUM_NAMES(decoding_name, enum decoding, "greedy", "sampled", "unlike", "unknown");

ENUM_NAMES(decoding_difference_name, enum decoding_difference, "none", "parameter", "choices",
        "length", "dropped");

/* A parameter on one side. */
struct side_value {
	double value; /* effective; NaN: unknown */
	bool by_default;
};

static struct side_value in_force(const struct decoding_side *s, enum parameter p)
{
	return (struct side_value){
	        .value = parameter_effective(p, s->dialect, s->stated, s->endpoint, s->facts),
	        .by_default = isnan(parameter_asked(p, s->dialect, s->facts)),
	};
}

static bool differs(enum parameter p, struct side_value a, struct side_value b)
{
	if (!isnan(a.value) && !isnan(b.value)) {
		return a.value != b.value;
	}
	if (a.by_default && b.by_default) {
		return false;
	}
	double known = isnan(a.value) ? b.value : a.value;
	bool penalty =
	        p == PARAMETER_REPETITION || p == PARAMETER_PRESENCE || p == PARAMETER_FREQUENCY;
	return !isnan(known) && !(penalty && parameter_is_off(p, &dialect_generic, known));
}

static bool parameter_differs(enum parameter p, const struct decoding_side *base,
        const struct decoding_side *test, struct decoding_reason *ret)
{
	struct side_value a = in_force(base, p), b = in_force(test, p);
	if (!differs(p, a, b)) {
		return false;
	}
	*ret = (struct decoding_reason){
	        .what = DECODING_PARAMETER,
	        .parameter = p,
	        .base = a.value,
	        .test = b.value,
	        .base_default = a.by_default,
	        .test_default = b.by_default,
	};
	return true;
}

/* The side's limit of tokens. -1: up to the end of the context; NaN: unknown. */
static struct side_value limit_of(const struct decoding_side *s)
{
	int64_t limit = align_effective_max_tokens(s->dialect, s->endpoint, s->facts);
	return (struct side_value){
	        .value = limit == 0 && s->facts->max_tokens < 0 ? NAN : (double)limit,
	        .by_default = s->facts->max_tokens < 0,
	};
}

/* A requested limit always counts. An engine's default limit counts only if it cut the answer. */
static bool length_differs(const struct decoding_side *base, const struct decoding_side *test,
        struct decoding_reason *ret)
{
	struct side_value a = limit_of(base), b = limit_of(test);
	if (a.value == b.value || (a.by_default && b.by_default && isnan(a.value + b.value))) {
		return false;
	}
	if ((a.by_default || b.by_default) && !isnan(a.value + b.value)) {
		bool base_less = b.value < 0 || (a.value >= 0 && a.value < b.value);
		const char *finish = base_less ? base->finish : test->finish;
		if (finish && finish_of(finish) != FINISH_LENGTH) {
			return false;
		}
	}
	*ret = (struct decoding_reason){
	        .what = DECODING_LENGTH,
	        .base = a.value,
	        .test = b.value,
	        .base_default = a.by_default,
	        .test_default = b.by_default,
	};
	return true;
}

/* Compares the settings that matter even for greedy answers. */
static bool differs_beyond_sampling(const struct decoding_side *base,
        const struct decoding_side *test, struct decoding_reason *ret)
{
	if (base->dropped || test->dropped) {
		*ret = (struct decoding_reason){.what = DECODING_DROPPED};
		return true;
	}
	if (base->facts->n != test->facts->n) {
		*ret = (struct decoding_reason){.what = DECODING_CHOICES,
		        .base = (double)base->facts->n,
		        .test = (double)test->facts->n};
		return true;
	}
	return parameter_differs(PARAMETER_REPETITION, base, test, ret) ||
	       parameter_differs(PARAMETER_PRESENCE, base, test, ret) ||
	       parameter_differs(PARAMETER_FREQUENCY, base, test, ret) ||
	       length_differs(base, test, ret);
}

static bool is_greedy(const struct decoding_side *s)
{
	return in_force(s, PARAMETER_TEMPERATURE).value == 0 ||
	       in_force(s, PARAMETER_TOP_K).value == 1;
}

enum decoding decoding_judge(const struct decoding_side *base, const struct decoding_side *test,
        struct decoding_reason *ret)
{
	struct decoding_reason unused, *reason = ret ? ret : &unused;
	*reason = (struct decoding_reason){.what = DECODING_ALIKE};
	if (!base->facts->is_json || !test->facts->is_json) {
		return DECODING_UNKNOWN;
	}
	if (differs_beyond_sampling(base, test, reason)) {
		return DECODING_UNLIKE;
	}
	if (is_greedy(base) && is_greedy(test)) {
		return DECODING_GREEDY;
	}
	if (parameter_differs(PARAMETER_TEMPERATURE, base, test, reason) ||
	        parameter_differs(PARAMETER_TOP_K, base, test, reason) ||
	        parameter_differs(PARAMETER_TOP_P, base, test, reason) ||
	        parameter_differs(PARAMETER_MIN_P, base, test, reason)) {
		return DECODING_UNLIKE;
	}
	bool known = !isnan(in_force(base, PARAMETER_TEMPERATURE).value) &&
	             !isnan(in_force(test, PARAMETER_TEMPERATURE).value);
	return known ? DECODING_SAMPLED : DECODING_UNKNOWN;
}

enum decoding decoding_of_pair(const struct request_facts *base, const struct request_facts *test)
{
	struct decoding_side a = {
	        .facts = base, .endpoint = ENDPOINT_CHAT, .dialect = &dialect_generic};
	struct decoding_side b = {
	        .facts = test, .endpoint = ENDPOINT_CHAT, .dialect = &dialect_generic};
	return decoding_judge(&a, &b, NULL);
}

/* NaN sorts before all numbers. */
static int compare_values(double a, double b)
{
	if (isnan(a) || isnan(b)) {
		return isnan(b) - isnan(a);
	}
	return (a > b) - (a < b);
}

int decoding_reason_compare(const struct decoding_reason *a, const struct decoding_reason *b)
{
	int order = (a->what > b->what) - (a->what < b->what);
	order = order ? order : (a->parameter > b->parameter) - (a->parameter < b->parameter);
	order = order ? order : compare_values(a->base, b->base);
	order = order ? order : compare_values(a->test, b->test);
	order = order ? order : a->base_default - b->base_default;
	return order ? order : a->test_default - b->test_default;
}

static void put_side(struct buf *to, double value, bool by_default, bool is_length)
{
	if (isnan(value)) {
		buf_append_str(to, "an unknown default");
	} else if (is_length && value < 0) {
		buf_append_str(to, "no limit");
	} else {
		buf_printf(to, "%.6g", value);
	}
	if (!isnan(value)) {
		buf_append_str(to, by_default ? " by default" : " as asked");
	}
}

char *decoding_reason_text(const struct decoding_reason *r)
{
	struct buf text = {0};
	bool is_length = r->what == DECODING_LENGTH;
	switch (r->what) {
	case DECODING_ALIKE:
		return xstrdup("");
	case DECODING_DROPPED:
		return xstrdup("members that an engine would have refused were taken out of its "
		               "copy");
	case DECODING_CHOICES:
		buf_append_str(&text, "n ");
		break;
	case DECODING_LENGTH:
		buf_append_str(&text, "max_tokens ");
		break;
	case DECODING_PARAMETER:
		buf_printf(&text, "%s ", parameter_name(r->parameter));
		break;
	}
	put_side(&text, r->base, r->base_default, is_length);
	buf_append_str(&text, " against ");
	put_side(&text, r->test, r->test_default, is_length);
	return buf_steal(&text);
}

static bool names_any(struct span inserted, const char *const *words)
{
	while (*words && !memmem(inserted.data, inserted.len, *words, strlen(*words))) {
		words++;
	}
	return *words != NULL;
}

bool decoding_may_differ(const struct leg_row *leg)
{
	static const char *const WORDS[] = {"temperature", "top_p", "top_k", "min_p",
	        "presence_penalty", "frequency_penalty", "\"n\"", "max_tokens",
	        "max_completion_tokens", NULL};
	for (size_t i = 0; i < leg->n_edits; i++) {
		const struct edit *e = &leg->edits[i];
		if (e->removed > 0 ||
		        (e->inserted.len > 0 && (names_any(e->inserted, WORDS) ||
		                                        names_any(e->inserted, PENALTY_NAMES)))) {
			return true;
		}
	}
	return false;
}
