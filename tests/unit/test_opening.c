#include "analyzer/fold/openings.h"

#include <math.h>
#include <string.h>

#include "readings.h"

#define LIST(a, b)                                                                                 \
	CHOICE("\"message\":{\"content\":\"x\"},\"logprobs\":{\"content\":[" ENTRY("\"x\"",        \
	        "\"logprob\":" a ",\"top_logprobs\":[" ENTRY("\"x\"", "\"logprob\":" a) "," ENTRY( \
	                "\"y\"", "\"logprob\":" b) "]") "]}")

static const uint8_t *key_of(uint8_t number)
{
	static uint8_t key[CLUSTERS_KEY_SIZE];
	memset(key, number, sizeof(key));
	return key;
}

static void add(struct openings *o, uint8_t cluster, const char *base, const char *test)
{
	struct reading *b = read_body(base), *t = read_body(test);
	double values[N_OPENINGS];
	if (opening_compare(&b->choices[0], &t->choices[0], values)) {
		openings_add(o, key_of(cluster), values);
	}
	reading_destroy(b);
	reading_destroy(t);
}

/* Probabilities 0.6 and 0.3, compared with 0.3 and 0.6. */
#define ONE LIST("-0.5108256", "-1.2039728")
#define OTHER LIST("-1.2039728", "-0.5108256")

Test(opening, equal_lists_are_not_apart_and_unlike_ones_are_by_as_much)
{
	struct openings o = {0};
	add(&o, 1, ONE, ONE);
	add(&o, 2, ONE, OTHER);
	openings_settle(&o);
	cr_assert_eq(o.n, 2);
	/* 0 and 0.3; the unlisted tenth may be anything. */
	cr_assert_float_eq(o.values[OPENING_TV_LOW].value, 0.15, 1e-5);
	cr_assert_float_eq(o.values[OPENING_TV_HIGH].value, 0.25, 1e-5);
	cr_assert_float_eq(o.values[OPENING_MISSING_MASS].value, 0.1, 1e-5);
	cr_assert_float_eq(o.values[OPENING_SAME_TOP].value, 0.5, 1e-12);
	cr_assert_eq(o.values[OPENING_KL_LOW].clusters, 2);
	openings_finish(&o);
}

Test(opening, answers_without_lists_say_nothing)
{
	struct openings o = {0};
	add(&o, 1, CHOICE("\"message\":{\"content\":\"x\"}"), ONE);
	openings_settle(&o);
	cr_assert(o.n == 0 && !o.clusters);
	openings_finish(&o);
}
