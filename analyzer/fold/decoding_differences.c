#include "analyzer/fold/decoding_differences.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/k_smallest.h"
#include "base/mem.h"

static int by_reason(const void *a, const void *b)
{
	const struct decoding_difference_count *x = a, *y = b;
	int order = decoding_reason_compare(&x->reason, &y->reason);
	order = order ? order : strcmp(x->base->name, y->base->name);
	return order ? order : strcmp(x->test->name, y->test->name);
}

static void drop(void *item, void *arg)
{
	struct decoding_differences *u = arg;
	u->others += ((struct decoding_difference_count *)item)->pairs;
}

static const struct k_smallest REASONS = {
        sizeof(struct decoding_difference_count), DECODING_DIFFERENCES_LIMIT, by_reason, drop};

void decoding_differences_add(struct decoding_differences *u, const struct decoding_reason *reason,
        const struct dialect *base, const struct dialect *test)
{
	const struct decoding_difference_count like = {*reason, base, test, 0};
	struct decoding_difference_count *item =
	        k_smallest_place(&REASONS, &u->items, &u->n, &like, u, NULL);
	++*(item ? &item->pairs : &u->others);
}

void decoding_differences_finish(struct decoding_differences *u)
{
	free(u->items);
	*u = (struct decoding_differences){0};
}

static int by_pairs(const void *a, const void *b)
{
	const struct decoding_difference_count *x = a, *y = b;
	return x->pairs < y->pairs ? 1 : x->pairs > y->pairs ? -1 : by_reason(a, b);
}

char *decoding_differences_text(const struct decoding_differences *u)
{
	struct decoding_difference_count *sorted = xcalloc(u->n + 1, sizeof(*sorted));
	struct buf text = {0};
	for (size_t i = 0; i < u->n; i++) {
		sorted[i] = u->items[i];
	}
	qsort(sorted, u->n, sizeof(*sorted), by_pairs);
	for (size_t i = 0; i < u->n; i++) {
		char *reason = decoding_reason_text(&sorted[i].reason);
		buf_printf(&text, "%s%s (%" PRIu64 ")", i ? ", " : "", reason, sorted[i].pairs);
		free(reason);
	}
	free(sorted);
	if (u->others) {
		buf_printf(&text, ", others (%" PRIu64 ")", u->others);
	}
	return buf_steal(&text);
}

/* How to switch the parameter off, in the dialect's own names. The caller frees it. */
static char *advice(const struct dialect *d, enum parameter p, double value)
{
	const char *name = p == PARAMETER_REPETITION ? d->repetition_name : parameter_name(p);
	double off = parameter_of_sampling(p, &d->off);
	char *done = name && !isnan(off) ? xasprintf("send %s %.1f, or set align: same", name, off)
	                                 : xstrdup("it can't be switched off in a request");
	char *text = xasprintf(
	        "%s applies %s %.6g by default; %s", d->title, parameter_name(p), value, done);
	free(done);
	return text;
}

static bool is_hidden(
        const struct decoding_reason *r, const struct dialect *d, double value, bool by_default)
{
	return r->what == DECODING_PARAMETER && by_default && !isnan(value) &&
	       (r->parameter == PARAMETER_REPETITION || r->parameter == PARAMETER_PRESENCE ||
	               r->parameter == PARAMETER_FREQUENCY) &&
	       !parameter_is_off(r->parameter, d, value);
}

char *decoding_differences_advice(const struct decoding_differences *u)
{
	for (size_t i = 0; i < u->n; i++) {
		const struct decoding_difference_count *each = &u->items[i];
		const struct decoding_reason *r = &each->reason;
		if (is_hidden(r, each->test, r->test, r->test_default)) {
			return advice(each->test, r->parameter, r->test);
		}
		if (is_hidden(r, each->base, r->base, r->base_default)) {
			return advice(each->base, r->parameter, r->base);
		}
	}
	return NULL;
}
