#include "analyzer/report/reruns_sentence.h"

#include <math.h>

#include "analyzer/report/metric.h"
#include "analyzer/report/node.h"

void reruns_sentence(const json_t *reruns, struct buf *to)
{
	const json_t *all = json_object_get(reruns, "all");
	double prompts = node_number(all, "prompts"), answers = node_number(all, "answers");
	if (!(prompts > 0)) {
		return;
	}
	struct metric_value agree, alike;
	if (!metric_read_member(all, "output_consistency", &agree) ||
	        !metric_read_member(all, "all_alike", &alike)) {
		return;
	}
	struct metric_value floor = {
	        .value = 1 - agree.value, .low = 1 - agree.high, .high = 1 - agree.low};
	buf_printf(to, "%s differs from itself in ", node_text(reruns, "backend"));
	metric_put_value(to, METRIC_SHARE, &floor);
	buf_printf(to,
	        " of pairs of answers to one prompt (its noise floor); %.0f of %.0f prompts got "
	        "the same answer every time (%.3g answers each).",
	        alike.value * prompts, prompts, answers / prompts);
}

/* "Pairs of answers agree in 90 % with the same load and in 70 % with another: ..." */
static void put_gap(struct buf *to, const json_t *pairs, const char *what, const char *same,
        const char *other, const char *name)
{
	struct metric_value a, b, gap;
	if (!metric_read_member(pairs, same, &a) || !metric_read_member(pairs, other, &b) ||
	        !metric_read_member(pairs, name, &gap) || (a.value >= 1 && b.value >= 1)) {
		return;
	}
	const char *so = gap.low > 0      ? "it has an effect"
	                 : isnan(gap.low) ? "too few answers to tell"
	                                  : "no effect is shown";
	buf_append_str(to, "Pairs of answers agree in ");
	metric_put(to, METRIC_SHARE, a.value);
	buf_printf(to, " with the same %s and in ", what);
	metric_put(to, METRIC_SHARE, b.value);
	buf_append_str(to, " with another: ");
	metric_put_value(to, METRIC_SHARE, &gap);
	buf_printf(to, " less, %s.", so);
}

void reruns_put_gaps(const json_t *reruns, struct buf *to)
{
	const json_t *pairs = json_object_get(reruns, "pairs");
	put_gap(to, pairs, "number of requests in progress", "same_level", "other_level",
	        "gap_of_level");
	buf_append_str(to, to->len ? " " : "");
	put_gap(to, pairs, "number of cached tokens", "same_cached", "other_cached",
	        "gap_of_cached");
}
