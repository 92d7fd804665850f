#include "analyzer/report/judge_words.h"

#include <math.h>
#include <string.h>

#include "analyzer/report/metric.h"
#include "analyzer/report/node.h"

static double count(const json_t *judge, const char *name)
{
	double n = node_number(judge, name);
	return isnan(n) ? 0 : n;
}

static void put_agreement(const json_t *a, struct buf *to)
{
	double n = count(a, "n"), kappa = node_number(a, "kappa");
	struct metric_value v = {.value = kappa, .low = NAN, .high = NAN};
	const json_t *ci = json_object_get(a, "kappa_ci95");
	if (n == 0) {
		buf_append_str(to, " How far it agrees with the ladder was not checked.");
		return;
	}
	buf_printf(to, " Where the ladder decides it agrees in %.0f of %.0f pairs checked",
	        count(a, "agree"), n);
	if (!isnan(kappa)) {
		v.low = json_number_value(json_array_get(ci, 0));
		v.high = json_number_value(json_array_get(ci, 1));
		v.low = json_array_size(ci) == 2 ? v.low : NAN;
		buf_append_str(to, ", kappa ");
		metric_put_value(to, METRIC_NUMBER, &v);
	}
	buf_append_char(to, '.');
}

void judge_words(const json_t *judge, struct buf *to)
{
	const char *name = node_text(judge, "name"), *model = node_text(judge, "model");
	struct metric_value v;
	if (!json_is_object(judge)) {
		return;
	}
	buf_printf(to, "The judge model %s", *name ? name : "?");
	if (*model && strcmp(model, name) != 0) {
		buf_printf(to, " (%s)", model);
	}
	buf_printf(to,
	        ", asked in both orders about %.0f answers that are undecided: %.0f say the same, "
	        "%.0f do not, %.0f it could not tell, %.0f depended on the order.",
	        count(judge, "asked"), count(judge, "same"), count(judge, "different"),
	        count(judge, "cannot_tell"), count(judge, "order_dependent"));
	put_agreement(json_object_get(judge, "agreement_with_ladder"), to);
	if (metric_read_node(json_object_get(judge, "answer_changed_with_judge"), NULL, &v)) {
		buf_append_str(to, " With its verdicts beside the ladder's own what answers say "
		                   "changed in ");
		metric_put_value(to, METRIC_SHARE, &v);
		if (!isnan(v.n)) {
			buf_printf(to, " of %.0f", v.n);
		}
		buf_append_char(to, '.');
	}
}
