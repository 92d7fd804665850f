#include "analyzer/report/reruns.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "analyzer/report/metric.h"
#include "analyzer/report/node.h"

void reruns_sentence(const json_t *reruns, struct buf *to)
{
	const json_t *all = json_object_get(reruns, "all");
	double prompts = node_number(all, "prompts"), answers = node_number(all, "answers");
	if (!(prompts > 0)) {
		return;
	}
	buf_printf(to, "%s gave the same answer every time to ", node_text(reruns, "backend"));
	metric_put_node(to, METRIC_SHARE, json_object_get(all, "all_alike"));
	buf_printf(to, " of %.0f prompts, asked %.3g times each.", prompts, answers / prompts);
}

/* "Answers at other levels agree in 70 % of pairs, at the same one in 90 %: ..." */
static void put_gap(struct buf *to, const json_t *pairs, const char *what, const char *same,
        const char *other, const char *name)
{
	struct metric_value a, b, gap;
	if (!metric_read_node(json_object_get(pairs, same), NULL, &a) ||
	        !metric_read_node(json_object_get(pairs, other), NULL, &b) ||
	        !metric_read_node(json_object_get(pairs, name), NULL, &gap) ||
	        (a.value >= 1 && b.value >= 1)) {
		return;
	}
	const char *so = gap.low > 0      ? "it has a part"
	                 : isnan(gap.low) ? "too little to tell"
	                                  : "no part of it is shown";
	buf_printf(to,
	        "Pairs of answers agree in %.1f %% with the same %s and in %.1f %% with another: ",
	        100 * a.value, what, 100 * b.value);
	metric_put_value(to, METRIC_SHARE, &gap);
	buf_printf(to, " apart, %s.", so);
}

void reruns_put_gaps(const json_t *reruns, struct buf *to)
{
	const json_t *pairs = json_object_get(reruns, "pairs");
	put_gap(to, pairs, "number of requests in flight", "same_level", "other_level",
	        "gap_of_level");
	buf_append_str(to, to->len ? " " : "");
	put_gap(to, pairs, "number of cached tokens", "same_cached", "other_cached",
	        "gap_of_cached");
}
