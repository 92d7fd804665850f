#include "replay/pace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/conf.h"
#include "base/mem.h"

#define SATURATING 100000 /* requests to plan for a search, whose rates are unknown */

static const char *parse_rate(const char *text, double *ret)
{
	double rate;
	if (!*text) {
		return "a rate is missing";
	}
	if (!conf_parse_decimal(text, &rate) && !conf_parse_rate(text, &rate)) {
		return "a rate is not a number (5, 0.5, 30/m)";
	}
	if (!(rate > 0 && rate <= PACE_MOST)) {
		return "a rate is 0, or more than can be sent";
	}
	*ret = rate;
	return NULL;
}

static const char *parse_ramp(char *text, char *dots, struct pace *p)
{
	*dots = '\0';
	p->shape = PACE_RAMP;
	p->n = 2;
	const char *why = parse_rate(text, &p->rates[0]);
	return why ? why : parse_rate(dots + 2, &p->rates[1]);
}

static const char *parse_list(char *text, struct pace *p)
{
	const char *why = NULL;
	for (char *word; !why && (word = conf_next_word(&text));) {
		why = p->n == PACE_RATES ? "it has too many steps"
		                         : parse_rate(word, &p->rates[p->n++]);
	}
	p->shape = p->n > 1 ? PACE_STEPS : PACE_STEADY;
	return why;
}

const char *pace_parse(const char *value, struct pace *ret)
{
	static const char SATURATE[] = "saturate";
	struct pace p = {.shape = PACE_SATURATE, .rates = {1}};
	char *text = xstrdup(value), *dots = strstr(text, "..");
	const char *why = NULL;
	if (strcmp(value, SATURATE) == 0) {
		p.n = 1;
	} else if (strncmp(value, "saturate:", strlen(SATURATE) + 1) == 0) {
		why = parse_rate(value + strlen(SATURATE) + 1, &p.rates[0]);
		p.n = 1;
	} else if (dots) {
		why = parse_ramp(text, dots, &p);
	} else {
		why = parse_list(text, &p);
	}
	free(text);
	if (!why) {
		ret->shape = p.shape;
		ret->n = p.n;
		memcpy(ret->rates, p.rates, sizeof(p.rates));
	}
	return why;
}

bool pace_has_steps(const struct pace *p)
{
	return p->shape == PACE_STEPS || p->shape == PACE_SATURATE;
}

void pace_put(const struct pace *p, struct buf *to)
{
	switch (p->shape) {
	case PACE_STEADY:
		buf_printf(to, "%g a second", p->rates[0]);
		break;
	case PACE_RAMP:
		buf_printf(to, "%g to %g a second over %g s", p->rates[0], p->rates[1],
		        (double)p->over / 1e9);
		break;
	case PACE_STEPS:
		for (size_t i = 0; i < p->n; i++) {
			buf_printf(to, "%s%g", i ? ", " : "", p->rates[i]);
		}
		buf_printf(to, " a second for %g s each", (double)p->step / 1e9);
		break;
	case PACE_SATURATE:
		buf_printf(to, "from %g a second to saturation, %g s a step", p->rates[0],
		        (double)p->step / 1e9);
		break;
	}
}

uint64_t pace_requests(const struct pace *p)
{
	double n = 0;
	for (size_t i = 0; i < p->n; i++) {
		/* Random arrivals may exceed the mean; six standard deviations are enough. */
		double each = p->rates[i] * (double)p->step / 1e9;
		n += ceil(each + 6 * sqrt(each) + 1);
	}
	return p->shape == PACE_STEPS ? (uint64_t)n : p->shape == PACE_SATURATE ? SATURATING : 0;
}
