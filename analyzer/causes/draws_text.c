#include "analyzer/causes/draws_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/percent.h"

static const struct draws_cut_found *cut_of(const struct draws_group *g, enum draws_finding f)
{
	return &g->found.cuts[f - DRAWS_FINDING_TOP_K];
}

bool draws_finding_is_there(const struct draws_group *g, enum draws_finding f)
{
	return g->found.tests[f].state == DRAWS_NOT_AS_ASKED;
}

static void put_stated(struct buf *to, const char *name, double stated)
{
	if (stated > 0) {
		buf_printf(to, "; its configuration states %s %.4g", name, stated);
	}
}

/* "a temperature of 0.60", "a temperature of at most 0.25", "a temperature of 0.60 times the
 * requested one"; "an unknown temperature" if the interval has no ends */
static void put_ratio(struct buf *to, const struct draws_temperature *t, bool with_interval)
{
	bool several = isnan(t->asked);
	double asked = several ? 1 : t->asked;
	if (t->ci.low == 0 && isinf(t->ci.high)) {
		buf_append_str(to, "an unknown temperature");
		return;
	}
	buf_append_str(to, "a temperature of ");
	if (t->ci.low == 0) {
		buf_printf(to, "at most %.2f", t->ci.high * asked);
	} else if (isinf(t->ci.high)) {
		buf_printf(to, "at least %.2f", t->ci.low * asked);
	} else {
		buf_printf(to, "%.2f", t->ratio * asked);
		if (with_interval) {
			buf_printf(to, " [%.2f to %.2f]", t->ci.low * asked, t->ci.high * asked);
		}
	}
	buf_append_str(to, several ? " times the requested one" : "");
}

static void put_temperature(struct buf *to, const struct draws_group *g)
{
	const struct draws_temperature *t = &g->found.temperature;
	buf_append_str(to, "draws at ");
	put_ratio(to, t, true);
	if (!isnan(t->asked)) {
		buf_printf(to, " where %.4g %s", t->asked,
		        g->unasked ? "is the default" : "was requested");
	}
	put_stated(to, "temperature", g->unasked ? g->stated.temperature : 0);
}

void draws_text_put_temperature(struct buf *to, const struct draws_group *g)
{
	const struct draws_temperature *t = &g->found.temperature;
	switch (g->found.tests[DRAWS_FINDING_TEMPERATURE].state) {
	case DRAWS_NOT_AS_ASKED:
		put_temperature(to, g);
		break;
	case DRAWS_AS_ASKED:
		buf_printf(to,
		        "draws at the temperature that was requested (%.2f times it [%.2f to "
		        "%.2f])",
		        t->ratio, t->ci.low, t->ci.high);
		break;
	case DRAWS_CANNOT_BE_TOLD:
		if (draws_finding_is_there(g, DRAWS_FINDING_REPEATS)) {
			buf_append_str(
			        to, "repeats answers, which say nothing about the temperature");
			break;
		}
		if (draws_finding_is_there(g, DRAWS_FINDING_PENALTY)) {
			buf_append_str(to, "has a penalty, which hides the temperature");
			break;
		}
		buf_append_str(to,
		        "draws as its lists say: either they are raw and the temperature is the "
		        "requested one, or they are after temperature, which hides it");
		break;
	default:
		buf_append_str(to, "too few draws to tell the temperature");
	}
}

static void put_cut(struct buf *to, const struct draws_group *g, enum draws_finding f)
{
	const struct draws_cut_found *c = cut_of(g, f);
	const struct draws_stated *s = &g->stated;
	const char *name = draws_finding_name(f);
	buf_printf(to,
	        f == DRAWS_FINDING_TOP_K   ? "never draws beyond the %.4g most probable tokens"
	        : f == DRAWS_FINDING_TOP_P ? "never draws beyond a probability mass of %.4g"
	                                   : "never draws a token less than %.4g times as probable "
	                                     "as the most probable one",
	        c->at);
	buf_append_str(to, c->after ? " after temperature" : "");
	buf_printf(to, ", where about %.0f of %llu draws were expected: a %s of ", c->expected,
	        (unsigned long long)g->found.draws, name);
	if (isnan(c->wider)) {
		buf_printf(to, "%.4g", c->at);
	} else {
		buf_printf(to, "%.4g to %.4g", c->wider, c->at);
	}
	buf_append_str(to, " that was not requested");
	put_stated(to, name,
	        f == DRAWS_FINDING_TOP_K   ? s->top_k
	        : f == DRAWS_FINDING_TOP_P ? s->top_p
	                                   : s->min_p);
}

/* Which tokens a penalty moves does not prove its kind: llama.cpp applies each kind to the last 64
 * tokens, whether they are of the request or of the answer. */
static void put_penalty(struct buf *to, const struct draws_group *g)
{
	static const char *const SUCH_AS[] = {
	        [DRAWS_REPETITION] = ", such as a repetition penalty",
	        [DRAWS_PRESENCE] = ", such as a presence penalty, or a repetition penalty that "
	                           "counts only the last tokens",
	        [DRAWS_FREQUENCY] = ", such as a frequency penalty",
	        [N_DRAWS_PENALTIES] = "",
	};
	const struct draws_penalty_found *p = &g->found.penalty;
	const struct draws_shift *s = draws_penalty_shift(p);
	bool less = s->nats > 0;
	buf_printf(to,
	        "draws tokens that were already in the answer%s %s often than it states, by %.2f "
	        "nats [%.2f to %.2f]",
	        p->kind == DRAWS_REPETITION ? " or the request" : "", less ? "less" : "more",
	        fabs(s->nats), less ? s->ci.low : -s->ci.high, less ? s->ci.high : -s->ci.low);
	buf_printf(to, ": a penalty that was not requested%s", SUCH_AS[p->kind]);
	put_stated(to, "a repetition penalty of", g->stated.penalty);
}

static void put_calibration(struct buf *to, const struct draws_group *g)
{
	const struct draws_calibration *c = &g->found.calibration;
	size_t most = 0;
	if (c->outside > 0) {
		buf_printf(to,
		        "chose mostly tokens outside of its own lists in %" PRIu64
		        " answers, although these leave less than a quarter of the probability to "
		        "such tokens: a much higher temperature than the requested one, or lists "
		        "of other tokens",
		        c->outside);
		return;
	}
	for (size_t i = 1; i < DRAWS_RANKS; i++) {
		double far = fabs((double)c->seen[i] - c->expected[i]);
		most = far > fabs((double)c->seen[most] - c->expected[most]) ? i : most;
	}
	buf_printf(to,
	        "does not draw its tokens with the probabilities that it states: it drew the token "
	        "of rank %zu %llu times, where %.0f were expected",
	        most + 1, (unsigned long long)c->seen[most], c->expected[most]);
}

void draws_text_put(struct buf *to, const struct draws_group *g, enum draws_finding f)
{
	char share[PERCENT_SIZE];
	switch (f) {
	case DRAWS_FINDING_TEMPERATURE:
		put_temperature(to, g);
		break;
	case DRAWS_FINDING_PENALTY:
		put_penalty(to, g);
		break;
	case DRAWS_FINDING_CALIBRATION:
		put_calibration(to, g);
		break;
	case DRAWS_FINDING_REPEATS:
		buf_printf(to,
		        "repeats an earlier answer %llu times, where %.2g were expected: a cache "
		        "of answers, a fixed seed, or no sampling at all",
		        (unsigned long long)g->found.repeats.identical, g->found.repeats.expected);
		break;
	case DRAWS_FINDING_FILTERED:
		buf_printf(to,
		        "lists fewer tokens than its full lists hold at %s of the positions: its "
		        "lists are after a top_k, top_p or min_p that was not requested",
		        percent_text((double)g->found.filtered / (double)g->found.tokens, share));
		break;
	default:
		put_cut(to, g, f);
	}
}

#define REPLICAS_NAMED 3

void draws_text_put_replicas(
        struct buf *to, const struct draws *d, const struct draws_group *g, enum draws_finding f)
{
	struct buf names = {0};
	size_t n = 0, with = 0;
	for (size_t i = 0; i < d->n_groups; i++) {
		const struct draws_group *of = &d->groups[i];
		bool is_new = strcmp(of->backend, g->backend) == 0 && of->replica[0], has = false;
		/* A replica has several groups if its model or stack changed. */
		for (size_t k = 0; is_new && k < d->n_groups; k++) {
			const struct draws_group *same = &d->groups[k];
			if (strcmp(same->backend, of->backend) == 0 &&
			        strcmp(same->replica, of->replica) == 0) {
				is_new &= k >= i;
				has |= draws_finding_is_there(same, f);
			}
		}
		n += is_new;
		if (is_new && has && with++ < REPLICAS_NAMED) {
			buf_printf(&names, "%s%s", with > 1 ? ", " : "", of->replica);
		}
	}
	if (with > REPLICAS_NAMED) {
		buf_printf(&names, " and %zu more", with - REPLICAS_NAMED);
	}
	if (with > 0 && with < n) {
		buf_printf(to, " (%zu of %zu replicas: %s)", with, n, buf_cstr(&names));
	}
	buf_finish(&names);
}

static bool is_within(double value, const struct interval *i)
{
	return value >= i->low && value <= i->high;
}

/* Whether the group may have a cut at this value: no draw beyond it is known. */
static bool allows_cut(const struct draws_cut_found *c, double at, bool is_share)
{
	return isnan(c->wider) || (is_share ? c->wider > at : c->wider < at);
}

/* Both shifts are estimated for the same kind of penalty. */
static bool allows_shift(
        const struct draws_penalty_found *own, const struct draws_penalty_found *found)
{
	const struct draws_shift *shift = draws_penalty_shift(found);
	return is_within(shift->nats, &own->shifts[shift - found->shifts].ci);
}

/* Whether the group may sample in the way that was found in the other one. */
static bool allows(
        const struct draws_group *g, const struct draws_group *found, enum draws_finding f)
{
	const struct draws_findings *own = &g->found, *of = &found->found;
	if (g->answers == 0) {
		return f == DRAWS_FINDING_CALIBRATION && own->calibration.outside > 0;
	}
	switch (f) {
	case DRAWS_FINDING_TEMPERATURE:
		return is_within(of->temperature.ratio, &own->temperature.ci);
	case DRAWS_FINDING_PENALTY:
		return allows_shift(&own->penalty, &of->penalty) || draws_finding_is_there(g, f);
	case DRAWS_FINDING_TOP_K:
	case DRAWS_FINDING_TOP_P:
	case DRAWS_FINDING_MIN_P:
		return allows_cut(cut_of(g, f), cut_of(found, f)->at, f == DRAWS_FINDING_MIN_P);
	case DRAWS_FINDING_REPEATS:
		return own->repeats.identical > 0;
	default:
		return draws_finding_is_there(g, f);
	}
}

const struct draws_group *draws_side_finding(
        const struct draws *d, const char *side, const char *other, enum draws_finding f)
{
	const struct draws_group *found = NULL;
	bool is_one = strcmp(side, other) == 0;
	for (size_t i = 0; d && i < d->n_groups && !found; i++) {
		const struct draws_group *g = &d->groups[i];
		found = strcmp(g->backend, side) == 0 && draws_finding_is_there(g, f) ? g : NULL;
	}
	for (size_t i = 0; found && !is_one && i < d->n_groups; i++) {
		const struct draws_group *g = &d->groups[i];
		if (strcmp(g->backend, other) == 0 && allows(g, found, f)) {
			return NULL;
		}
	}
	return found;
}

char *draws_side_phrase(const struct draws_group *g, enum draws_finding f)
{
	const struct draws_findings *of = &g->found;
	struct buf text = {0};
	switch (f) {
	case DRAWS_FINDING_TEMPERATURE:
		put_ratio(&text, &of->temperature, false);
		buf_append_str(
		        &text, isnan(of->temperature.asked) ? "" : " that was not requested");
		return buf_steal(&text);
	case DRAWS_FINDING_PENALTY:
		return xasprintf("a %spenalty of about %.1f nats that was not requested",
		        of->penalty.kind == DRAWS_REPETITION  ? "repetition "
		        : of->penalty.kind == DRAWS_PRESENCE  ? "presence "
		        : of->penalty.kind == DRAWS_FREQUENCY ? "frequency "
		                                              : "",
		        draws_penalty_shift(&of->penalty)->nats);
	case DRAWS_FINDING_TOP_K:
	case DRAWS_FINDING_TOP_P:
	case DRAWS_FINDING_MIN_P:
		return xasprintf("a %s of at %s %.4g that was not requested", draws_finding_name(f),
		        f == DRAWS_FINDING_MIN_P ? "least" : "most", cut_of(g, f)->at);
	case DRAWS_FINDING_FILTERED:
		return xstrdup("lists cut short by a top_k, top_p or min_p that was not requested");
	case DRAWS_FINDING_REPEATS:
		return xstrdup("more repeated answers than chance explains");
	default:
		return xstrdup("draws that do not follow the stated probabilities");
	}
}
