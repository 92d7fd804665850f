/*
 * The charts that the report's page has, too: of each pair of backends, and of sampled draws.
 */
#include <math.h>
#include <stdlib.h>

#include "analyzer/report/kit/plots_parts.h"
#include "analyzer/report/node.h"
#include "analyzer/report/standings.h"
#include "base/mem.h"

#define LEAST_EXPECTED 5 /* draws; the ratio of fewer is noise */
#define SIDES_SHOWN 32

/* One pair of backends and the decoding whose charts are shown. */
struct pair {
	const json_t *group, *split;
	const char *base, *test;
	char *name;     /* owned */
	const char *of; /* its files are named after this; "" for a single pair */
};

static void read_survival(struct plots *all, const struct pair *pairs, size_t n)
{
	struct plot *p = plots_begin(all, PLOT_STEPS, "survival", "", METRIC_SHARE,
	        xstrdup("tokens"), xstrdup("answers still identical"));
	size_t k;
	json_t *step;
	p->caption = xasprintf("Share of answers that are still identical to those of the base "
	                       "after so many tokens (Kaplan-Meier estimate).");
	for (size_t i = 0; i < n; i++) {
		const json_t *steps = node_at(pairs[i].split, "survival.still_identical");
		json_array_foreach(steps, k, step) {
			struct metric_value v = plots_number(node_number(step, "share"));
			if (k == 0) {
				plot_add(p, "", pairs[i].name, plots_number(0), plots_number(1));
			}
			v.n = node_number(step, "at_risk");
			plot_add(
			        p, "", pairs[i].name, plots_number(node_number(step, "tokens")), v);
		}
	}
}

/* Points of both sides, at most as many as the document has of all. */
static struct plot *read_scatter(struct plots *all, const struct pair *pair, const char *member,
        const char *name, const char *axis)
{
	const json_t *chart = json_object_get(json_object_get(pair->split, "charts"), member);
	struct plot *p = plots_begin(all, PLOT_POINTS, name, pair->of, METRIC_NUMBER,
	        xasprintf("%s of %s", axis, pair->base), xasprintf("%s of %s", axis, pair->test));
	NODE_EACH(point, json_object_get(chart, "points")) {
		const char *verdict = node_text(point, "verdict");
		bool differ = node_flag(point, "differ");
		plot_add(p, "",
		        *verdict ? verdict
		        : differ ? "answers differ"
		                 : "same answer",
		        plots_number(node_number(point, "base")),
		        plots_number(node_number(point, "test")));
	}
	p->caption = xasprintf("%zu of %.0f pairs of answers of %s and %s, drawn at random.", p->n,
	        node_number(chart, "n"), pair->base, pair->test);
	return p;
}

/* Leaves out the outermost percent on either side, which would hide the rest. */
static void read_logprobs(struct plots *all, const struct pair *pair)
{
	const json_t *values = node_at(pair->split, "charts.delta_lp");
	size_t n = json_array_size(values);
	struct plot *p = plots_begin(all, PLOT_CURVE, "logprob_change", pair->of, METRIC_SHARE,
	        xstrdup("change of logprob, nats"), xstrdup("share of tokens"));
	for (size_t i = 1; i + 1 < n; i++) {
		const json_t *value = json_array_get(values, i);
		plot_add(p, "", "",
		        plots_number(json_is_number(value) ? json_number_value(value) : NAN),
		        plots_number((double)i / (double)(n - 1)));
	}
	p->caption = xasprintf("Distribution of the logprob of %s minus that of %s over the %.0f "
	                       "tokens that both chose, from the 1 %% to the 99 %% quantile.",
	        pair->test, pair->base, node_number(node_at(pair->split, "delta_lp"), "n"));
}

static void read_over_time(struct plots *all, const struct pair *pair)
{
	const json_t *chart = node_at(pair->split, "charts.over_time");
	const json_t *stretches = json_object_get(chart, "stretches");
	size_t n = json_array_size(stretches);
	double from = node_number(json_array_get(stretches, 0), "from");
	double span = node_number(json_array_get(stretches, n ? n - 1 : 0), "from") - from;
	double unit = span > 7200 ? 3600 : span > 300 ? 60 : 1;
	struct plot *p = plots_begin(all, PLOT_CURVE, "over_time", pair->of, METRIC_SHARE,
	        xstrdup(unit > 60  ? "hours"
	                : unit > 1 ? "minutes"
	                           : "seconds"),
	        xstrdup("answers that differ"));
	for (size_t i = 0; n > 1 && i < n; i++) {
		const json_t *each = json_array_get(stretches, i);
		struct metric_value v;
		if (metric_read_node(each, NULL, &v)) {
			plot_add(p, "", "", plots_number((node_number(each, "from") - from) / unit),
			        v);
		}
	}
	p->caption = xasprintf("Share of answers of %s that differ from those of %s, by the time "
	                       "of the request, in stretches of %.0f s." INTERVALS,
	        pair->test, pair->base, node_number(chart, "width_s"));
}

static void read_slices(struct plots *all, const struct pair *pair)
{
	struct plot *p = plots_begin(all, PLOT_ROWS, "slices", pair->of, METRIC_SHARE, NULL,
	        xstrdup("answers that differ"));
	p->guide = node_number(json_object_get(pair->split, "differ"), "rate");
	p->caption =
	        xasprintf("Share of answers of %s that differ from those of %s, by one property of "
	                  "the requests at a time. The dashed line is the share of all." INTERVALS,
	                pair->test, pair->base);
	NODE_MEMBERS(slices, json_object_get(pair->group, "slices")) {
		const json_t *values = json_object_get(slices.value, "values");
		NODE_EACH(each, values) {
			char *label = xasprintf("%s: %s", slices.key, node_text(each, "value"));
			if (json_array_size(values) > 1) {
				plots_add_node(p, label, "", each, "differ");
			}
			free(label);
		}
	}
}

void plots_read_pairs(struct plots *all, const struct groups *groups)
{
	struct pair pairs[GROUPS_SHOWN];
	for (size_t i = 0; i < groups->n; i++) {
		const json_t *group = groups->items[i];
		const char *decoding;
		char *name = plots_pair_name(group, groups);
		pairs[i] = (struct pair){group, standings_split(group, &decoding),
		        node_text(group, "base"), node_text(group, "test"), name,
		        groups->n > 1 ? name : ""};
	}
	read_survival(all, pairs, groups->n);
	for (size_t i = 0; i < groups->n; i++) {
		read_over_time(all, &pairs[i]);
		read_slices(all, &pairs[i]);
		plots_extend_caption(
		        read_scatter(all, &pairs[i], "gaps", "first_differences", "gap"),
		        " Each is a first difference: how much more probable each side's own token "
		        "was to it than the other's, in nats. Below 0, a side did not choose its "
		        "own most probable token.");
		read_logprobs(all, &pairs[i]);
		struct plot *lengths =
		        read_scatter(all, &pairs[i], "lengths", "answer_lengths", "tokens");
		lengths->diagonal = true;
		plots_extend_caption(
		        lengths, " On the dashed line both answers have the same length.");
		free(pairs[i].name);
	}
}

void plots_read_draws(struct plots *all, const json_t *document)
{
	NODE_SOME(side, json_object_get(document, "sampling"), SIDES_SHOWN) {
		const char *backend = node_text(side, "backend");
		struct plot *p = plots_begin(all, PLOT_LINE, "draws", backend, METRIC_NUMBER,
		        xstrdup("rank in the list"), xstrdup("drawn / expected"));
		p->guide = 1;
		p->caption = xasprintf("How often %s drew the token of each rank, divided by the "
		                       "number that its stated probabilities expect. 1 is as "
		                       "stated. Lines are two standard deviations.",
		        backend);
		NODE_EACH(rank, node_at(side, "calibration.ranks")) {
			double expected = node_number(rank, "expected");
			double reach = 2 * node_number(rank, "sd") / expected;
			struct metric_value v = plots_number(node_number(rank, "seen") / expected);
			char *label = xasprintf("%.0f", node_number(rank, "rank"));
			v.n = node_number(rank, "seen");
			v.low = v.value - reach;
			v.high = v.value + reach;
			if (expected >= LEAST_EXPECTED) {
				plots_add(p, label, "", v);
			}
			free(label);
		}
	}
}
