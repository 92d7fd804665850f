/* Tests sampling parameters (seed, temperature, max_tokens, n), repeated requests, and the prefix
 * cache. */
#include "backends/probe/probing.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/plural.h"

#define REPEATS 5
#define SAMPLED_TOKENS 12
#define CACHE_SENTENCES 12

/* Returns the text of one sampled answer; NULL: there is none. */
static const char *sample(struct probing *p, int seed, struct reply *t)
{
	const char *members = probing_text(
	        p, "\"max_tokens\":%d,\"temperature\":1,\"seed\":%d", SAMPLED_TOKENS, seed);
	enum endpoint e = probing_route(p);
	bool good = probing_ask(p,
	        &(struct question){.endpoint = e, .text = probing_any_text(e), .members = members},
	        t);
	return good ? probing_copy(p, reply_text(t)) : NULL;
}

static void report_temperature(struct probing *p, const char *const texts[3], const struct reply *t)
{
	size_t n = MIN(strlen(texts[0]), p->completion ? strlen(p->completion) : 0);
	if (probing_route(p) != ENDPOINT_COMPLETION || n == 0) {
		return;
	}
	bool greedy = strcmp(texts[0], texts[2]) == 0 && strncmp(texts[0], p->completion, n) == 0;
	probing_capability(p, "temperature", greedy ? STANDING_IGNORED : STANDING_HONOURED, NULL,
	        reply_evidence_with(t, "%s",
	                greedy ? "the same text as at temperature 0" : "another text than at 0"));
	if (greedy) {
		probing_finding(p, "temperature.ignored", SEVERITY_WARNING,
		        "Temperature seems to be ignored: three sampled answers are the greedy one",
		        reply_evidence(t), NULL);
	}
}

static void report_max_tokens(struct probing *p, const struct reply *t)
{
	int64_t n = t->reading->usage.completion_tokens;
	if (n < 0) {
		return;
	}
	bool kept = n <= SAMPLED_TOKENS + 1; /* some count the end token */
	const char *evidence = reply_evidence_with(t, "completion_tokens %lld", (long long)n);
	probing_capability(
	        p, "max_tokens", kept ? STANDING_HONOURED : STANDING_IGNORED, NULL, evidence);
	if (!kept) {
		probing_finding(p, "max_tokens.ignored", SEVERITY_FAULT,
		        "More tokens come than max_tokens allows", evidence, NULL);
	}
}

static void report_seed(struct probing *p, const char *const texts[3], const struct reply *t)
{
	bool same = strcmp(texts[0], texts[1]) == 0, other = strcmp(texts[0], texts[2]) != 0;
	const char *a = probing_quote(p, span_of(texts[0]), 40),
	           *b = probing_quote(p, span_of(texts[1]), 40);
	const char *c = probing_quote(p, span_of(texts[2]), 40);
	const char *evidence = probing_text(
	        p, "%s, seed 11 twice -> \"%s\", \"%s\"; seed 12 -> \"%s\"", t->request, a, b, c);
	if (!same) {
		probing_capability(p, "seed", STANDING_IGNORED, NULL, evidence);
		probing_finding(p, "seed.ignored", SEVERITY_WARNING, "One seed gives two answers",
		        evidence, "Sampled answers cannot be repeated here; compare greedy ones.");
	} else if (other) {
		probing_capability(p, "seed", STANDING_HONOURED, NULL, evidence);
	} else {
		probing_capability(
		        p, "seed", STANDING_UNKNOWN, "all three answers are equal", evidence);
	}
}

static void ask_seed(struct probing *p)
{
	static const int seeds[] = {11, 11, 12};
	struct reply replies[ARRAY_LEN(seeds)];
	const char *texts[ARRAY_LEN(seeds)];
	size_t n = 0;
	bool all = true;
	while (n < ARRAY_LEN(seeds) && all) {
		texts[n] = sample(p, seeds[n], &replies[n]);
		all = texts[n++] != NULL;
	}
	if (all) {
		report_seed(p, texts, &replies[0]);
		report_temperature(p, texts, &replies[0]);
		report_max_tokens(p, &replies[0]);
	} else {
		const struct reply *t = &replies[n - 1];
		probing_refused(p, "seed", t, reply_evidence(t));
	}
	for (size_t i = 0; i < n; i++) {
		reply_finish(&replies[i]);
	}
}

static void ask_n(struct probing *p)
{
	enum endpoint e = p->answers[ENDPOINT_CHAT] ? ENDPOINT_CHAT : ENDPOINT_COMPLETION;
	struct reply t;
	bool good = probing_ask(p,
	        &(struct question){.endpoint = e,
	                .text = probing_any_text(e),
	                .members = "\"n\":2,\"max_tokens\":4,\"temperature\":0.8"},
	        &t);
	size_t n = t.reading->n_choices;
	const char *evidence = good ? reply_evidence_with(&t, "%zu choice%s", n, plural(n, "", "s"))
	                            : reply_evidence(&t);
	if (!good) {
		probing_refused(p, "n", &t, evidence);
	} else if (n == 2) {
		probing_capability(p, "n", STANDING_HONOURED, "two choices", evidence);
	} else {
		probing_capability(p, "n", STANDING_IGNORED,
		        probing_text(p, "%zu choice%s", n, plural(n, "", "s")), evidence);
		probing_finding(p, "n.ignored", SEVERITY_WARNING,
		        probing_text(p, "n: 2 is accepted and gives %zu choice%s", n,
		                plural(n, "", "s")),
		        evidence, "Send the request several times, with different seeds.");
	}
	reply_finish(&t);
}

void probe_choices(struct probing *p)
{
	ask_seed(p);
	ask_n(p);
}

/* Repeats */

struct repeats {
	unsigned n_requests;
	unsigned n_other;         /* texts unlike the first one */
	unsigned n_unlike_second; /* texts unlike the second one */
	/* nats: the largest difference of a logprob before the texts differ */
	double max_difference;
};

static double logprob_difference(const struct columns *a, const struct columns *b)
{
	double most = 0;
	for (uint32_t i = 0; a && b && i < MIN(a->n, b->n); i++) {
		if (!span_equal(columns_token(a, i), columns_token(b, i))) {
			break;
		}
		if (isfinite(a->lp[i]) && isfinite(b->lp[i])) {
			most = fmax(most, fabs((double)a->lp[i] - (double)b->lp[i]));
		}
	}
	return most;
}

static void report_repeats(struct probing *p, const struct repeats *r, const char *request)
{
	const char *more = r->n_other && !r->n_unlike_second
	                           ? "; only the first differs: a prefix cache, perhaps"
	                           : "";
	const char *evidence = probing_text(p,
	        "%s, %u times -> %u other texts, logprobs at most %.6f nats apart%s", request,
	        r->n_requests, r->n_other, r->max_difference, more);
	if (r->n_other) {
		probing_capability(p, "determinism", STANDING_WRONG,
		        probing_text(p, "%u of %u texts differ from the first", r->n_other,
		                r->n_requests - 1),
		        evidence);
		probing_finding(p, "determinism.texts", SEVERITY_WARNING,
		        "The same greedy request gets different answers", evidence,
		        "Measure its noise floor with repeats before a difference is blamed on "
		        "it.");
	} else if (r->max_difference > 0) {
		probing_capability(p, "determinism", STANDING_HONOURED,
		        probing_text(p, "equal texts; logprobs %.2g apart", r->max_difference),
		        evidence);
		probing_finding(p, "determinism.logprobs", SEVERITY_NOTE,
		        probing_text(p,
		                "The same request gets logprobs that are up to %.2g nats apart",
		                r->max_difference),
		        evidence, "Measure its noise floor with repeats.");
	} else {
		probing_capability(p, "determinism", STANDING_HONOURED,
		        probing_text(p, "%u equal answers", r->n_requests), evidence);
	}
}

void probe_repeats(struct probing *p)
{
	enum endpoint e = probing_route(p);
	if (!p->logprobs[e] && p->logprobs[ENDPOINT_CHAT]) {
		e = ENDPOINT_CHAT;
	}
	struct reply replies[REPEATS];
	struct repeats r = {.n_requests = REPEATS};
	bool good = true;
	for (size_t i = 0; i < REPEATS; i++) {
		good &= probing_ask(p,
		        &(struct question){.endpoint = e,
		                .text = probing_any_text(e),
		                .members = "\"max_tokens\":4,\"temperature\":0",
		                .top = p->logprobs[e] ? PROBE_TOP : 0,
		                .greedy = true},
		        &replies[i]);
		if (good && i) {
			r.n_other += !span_equal(reply_text(&replies[i]), reply_text(&replies[0]));
			r.n_unlike_second +=
			        !span_equal(reply_text(&replies[i]), reply_text(&replies[1]));
			r.max_difference = fmax(
			        r.max_difference, logprob_difference(reply_columns(&replies[0]),
			                                  reply_columns(&replies[i])));
		}
	}
	if (good) {
		p->noise = r.max_difference;
		report_repeats(p, &r, replies[0].request);
	}
	for (size_t i = 0; i < REPEATS; i++) {
		reply_finish(&replies[i]);
	}
}

/* The prefix cache */

/* Returns a prompt whose first words are unique, so that only its second request can find it
 * cached. */
static const char *long_prompt(struct probing *p)
{
	struct buf text = {0};
	buf_printf(&text, "Report %llu begins here.", (unsigned long long)clock_wall());
	for (int i = 1; i <= CACHE_SENTENCES; i++) {
		buf_printf(&text, " On day %d the river rose by %d feet and the bridge held.", i,
		        i * 7 % 13);
	}
	return probing_keep(p, &text);
}

static void report_cache(struct probing *p, const struct reply *first, const struct reply *second)
{
	int64_t cached = second->reading->usage.cached_tokens;
	int64_t all = second->reading->usage.prompt_tokens;
	double a = (double)first->answer.total_us / 1e6, b = (double)second->answer.total_us / 1e6;
	const char *evidence = probing_text(p,
	        "a prompt of %lld tokens twice, max_tokens 1 -> %.2f s, then %.2f s; "
	        "cached_tokens %lld of the second",
	        (long long)all, a, b, (long long)cached);
	if (cached > 0) {
		probing_capability(p, "prefix_cache", STANDING_HONOURED,
		        probing_text(p, "%lld of %lld tokens", (long long)cached, (long long)all),
		        evidence);
	} else if (a > 0.2 && b < 0.6 * a) {
		probing_capability(p, "prefix_cache", STANDING_HONOURED,
		        probing_text(p, "by its times: %.2f s, then %.2f s", a, b), evidence);
	} else {
		probing_capability(p, "prefix_cache",
		        cached == 0 ? STANDING_ABSENT : STANDING_UNKNOWN,
		        cached == 0 ? "none reported" : "nothing shows", evidence);
	}
}

void probe_cache(struct probing *p)
{
	enum endpoint e = probing_route(p);
	const char *text = long_prompt(p);
	struct question q = {
	        .endpoint = e, .text = text, .members = "\"max_tokens\":1,\"temperature\":0"};
	struct reply first, second = {0};
	if (probing_ask(p, &q, &first)) {
		if (probing_ask(p, &q, &second)) {
			report_cache(p, &first, &second);
		}
		reply_finish(&second);
	} else {
		probing_capability(
		        p, "prefix_cache", STANDING_UNKNOWN, NULL, reply_evidence(&first));
	}
	reply_finish(&first);
}
