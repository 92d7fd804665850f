#include "analyzer/hints.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"

struct list {
	struct hint *items;
	size_t n;
};

/* Takes over text. */
static void add(struct list *l, const char *key, char *text)
{
	expect(l->n < HINTS_LIMIT);
	l->items[l->n++] = (struct hint){.key = key, .text = text};
}

static void about_prompt(struct list *l, const struct analysis_group *g)
{
	const struct evidence *v = &g->evidence;
	if (v->prompt_differ == 0) {
		return;
	}
	const char *cause = "the prompts that the engines saw are not the same";
	bool constant = v->prompt_low == v->prompt_high;
	if (constant && llabs(v->prompt_low) == 1) {
		cause = "a BOS token is likely to be there on one side only";
	} else if (constant) {
		cause = "the chat templates or system texts are likely to differ";
	} else if (v->prompt_high < 0) {
		cause = "templates or tokenisers differ, or long prompts are cut";
	}
	char range[64];
	if (constant) {
		snprintf(range, sizeof(range), "%+" PRId64, v->prompt_low);
	} else {
		snprintf(range, sizeof(range), "%+" PRId64 " to %+" PRId64, v->prompt_low,
		        v->prompt_high);
	}
	add(l, "prompt_tokens",
	        xasprintf("%s counts other prompt tokens than %s (%s) in %" PRIu64 " of %" PRIu64
	                  " pairs: %s",
	                g->test, g->base, range, v->prompt_differ, v->prompt_n, cause));
}

/* A few may be ties in an engine's rounding; more than one in a thousand are not. */
bool hints_not_top_counts(uint64_t not_top, uint64_t tokens)
{
	return not_top >= 3 && not_top * 1000 >= tokens;
}

static void about_not_top(struct list *l, const char *key, const char *name, uint64_t not_top,
        uint64_t repeats, uint64_t tokens)
{
	if (!hints_not_top_counts(not_top, tokens)) {
		return;
	}
	bool penalty = repeats * 2 > not_top;
	add(l, key,
	        xasprintf("%s did not choose the most probable token of its own list at %" PRIu64
	                  " of %" PRIu64 " tokens. At %" PRIu64
	                  " of these the token passed over had been in the answer before: %s",
	                name, not_top, tokens, repeats,
	                penalty ? "a repetition penalty that nobody asked for is likely"
	                        : "a sampler (temperature, top-p) or a penalty that nobody asked "
	                          "for is likely"));
}

static void about_missing(struct list *l, const char *key, const char *name, uint64_t n,
        uint64_t answers, const char *what)
{
	if (n > 0) {
		add(l, key,
		        xasprintf("%s: %" PRIu64 " of %" PRIu64 " answers %s", name, n, answers,
		                what));
		l->items[l->n - 1].limits = true;
	}
}

static void about_unlisted(struct list *l, const struct analysis_group *g)
{
	uint64_t positions = 0, unlisted = 0;
	for (size_t d = 0; d < N_DECODINGS; d++) {
		positions += g->by[d].with_top1;
		unlisted += g->by[d].top1_unlisted;
	}
	if (unlisted * 20 > positions) {
		add(l, "top_unlisted",
		        xasprintf("the best token of %s is not in the list of %s at %" PRIu64
		                  " of %" PRIu64 " positions: ask for more alternatives "
		                  "(--top-logprobs)",
		                g->base, g->test, unlisted, positions));
		l->items[l->n - 1].limits = true;
	}
}

static void about_decoding(struct list *l, const struct analysis_group *g)
{
	uint64_t unknown = g->by[DECODING_UNKNOWN].pairs;
	uint64_t unlike = g->by[DECODING_UNLIKE].pairs;
	if (unknown > 0) {
		add(l, "temperature_unset",
		        xasprintf("%" PRIu64 " answers left the temperature to the engines, whose "
		                  "defaults differ: they are no evidence until it is set",
		                unknown));
		l->items[l->n - 1].limits = true;
	}
	if (unlike > 0) {
		char *reasons = unlike_text(&g->unlikes), *advice = unlike_advice(&g->unlikes);
		add(l, "unlike_parameters",
		        xasprintf("%" PRIu64 " answers were decoded with unlike parameters on the "
		                  "two sides (%s first): %s",
		                unlike, g->base, reasons));
		l->items[l->n - 1].limits = true;
		if (advice) {
			add(l, "hidden_default", advice);
		}
		free(reasons);
	}
}

/* How an engine shows its reasoning, in words that follow its name. */
static const char *way_of(enum reasoning_place place)
{
	switch (place) {
	case REASONING_INLINE:
		return "leaves its reasoning in the answer's text";
	case REASONING_FIELD:
		return "puts its reasoning in a field";
	case REASONING_BOTH:
		return "has reasoning in a field and in the answer's text";
	case REASONING_HIDDEN:
		return "counts reasoning that it does not show";
	default:
		return "shows no reasoning";
	}
}

/* A cause of differences that are none, and of texts of unlike length. */
static void about_placement(struct list *l, const struct analysis_group *g)
{
	const struct placements *p = &g->places;
	enum reasoning_place base = REASONING_NONE, test = REASONING_NONE;
	uint64_t unlike = placement_unlike(p), all = placement_total(p);
	(void)placement_usual_of_base(p, &base);
	(void)placement_usual_of_test(p, &test);
	if (unlike == 0 || base == test) {
		return;
	}
	uint64_t test_n = placement_of_test(p, test), base_n = placement_of_base(p, base);
	struct buf counts = {0};
	if (test != REASONING_NONE) {
		buf_printf(&counts, " in %" PRIu64 " of %" PRIu64 " answers", test_n, all);
	}
	buf_printf(&counts, ", %s %s", g->base, way_of(base));
	if (base != REASONING_NONE) {
		buf_printf(&counts, " in %" PRIu64, base_n);
	}
	if (p->evened > 0) {
		buf_printf(&counts,
		        "; %" PRIu64 " pairs are compared by what was said to the user, without it",
		        p->evened);
	}
	add(l, "reasoning_place", xasprintf("%s %s%s", g->test, way_of(test), buf_cstr(&counts)));
	buf_finish(&counts);
}

size_t hints_find(const struct analysis_group *g, struct hint *ret)
{
	struct list l = {.items = ret};
	const struct evidence *v = &g->evidence;
	uint64_t answers = 0;
	for (size_t d = 0; d < N_DECODINGS; d++) {
		answers += g->by[d].pairs;
	}
	about_prompt(&l, g);
	about_placement(&l, g);
	about_not_top(&l, "test_not_top", g->test, v->test_not_top, v->test_repeats,
	        v->test_greedy_tokens);
	about_not_top(&l, "base_not_top", g->base, v->base_not_top, v->base_repeats,
	        v->base_greedy_tokens);
	const char *without = "came without token logprobs: token figures lack them";
	about_missing(&l, "test_without_logprobs", g->test, v->test_without, answers, without);
	about_missing(&l, "base_without_logprobs", g->base, v->base_without, answers, without);
	const char *misspelt = "have tokens that do not spell their text: token figures lack them";
	about_missing(&l, "test_misspelt", g->test, v->test_misspelt, answers, misspelt);
	about_missing(&l, "base_misspelt", g->base, v->base_misspelt, answers, misspelt);
	const char *refused = "are from an engine that refused to add logprobs";
	about_missing(&l, "test_refused", g->test, v->test_refused, answers, refused);
	about_missing(&l, "base_refused", g->base, v->base_refused, answers, refused);
	about_unlisted(&l, g);
	about_decoding(&l, g);
	return l.n;
}

void hints_finish(struct hint *hints, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(hints[i].text);
	}
}
