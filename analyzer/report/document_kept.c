#include "analyzer/report/document_kept.h"

#include <inttypes.h>
#include <math.h>

#include "analyzer/report/document_values.h"

static json_t *rate(const struct kept *k, enum kept_figure f)
{
	struct kept_rate r;
	kept_estimate(k, f, &r);
	json_t *o = json_object();
	json_object_set_new(o, "n", report_integer(r.n));
	json_object_set_new(o, "count", report_integer(r.differ));
	json_object_set_new(o, "rate", r.n ? report_number(r.estimate.value) : json_null());
	json_object_set_new(o, "ci95", r.n ? report_interval(r.estimate.ci) : json_null());
	return o;
}

json_t *report_kept_json(const struct kept *k)
{
	if (!k->redacted && !k->metadata) {
		return json_null();
	}
	json_t *o = json_object();
	json_object_set_new(o, "redacted", report_integer(k->redacted));
	json_object_set_new(o, "metadata", report_integer(k->metadata));
	json_object_set_new(o, "unhashed", report_integer(k->unhashed));
	json_object_set_new(o, "greedy_differs", rate(k, KEPT_GREEDY));
	json_object_set_new(o, "other_differs", rate(k, KEPT_OTHER));
	json_object_set_new(o, "finish_differs", rate(k, KEPT_FINISH));
	json_object_set_new(o, "base_bytes", report_integer(k->base_bytes));
	json_object_set_new(o, "test_bytes", report_integer(k->test_bytes));
	return o;
}

static void print_rate(const struct kept *k, enum kept_figure f, const char *what, FILE *to)
{
	struct kept_rate r;
	kept_estimate(k, f, &r);
	if (r.n == 0) {
		return;
	}
	double low = 100 * r.estimate.ci.low, high = 100 * r.estimate.ci.high;
	fprintf(to, "  %" PRIu64 " of %" PRIu64 " %s (%.1f %%", r.differ, r.n, what,
	        100 * r.estimate.value);
	if (!isnan(low)) {
		fprintf(to, ", 95 %%: %.1f to %.1f", low, high);
	}
	fputs(")\n", to);
}

void report_kept_text(const struct analysis_group *g, FILE *to)
{
	const struct kept *k = &g->kept;
	if (k->redacted) {
		fprintf(to,
		        "\nRedacted: %" PRIu64
		        " pairs were recorded without what is private. Equal "
		        "texts have equal placeholders.\n",
		        k->redacted);
	}
	if (!k->metadata) {
		return;
	}
	fprintf(to, "\nMetadata alone: of %" PRIu64 " pairs no text is kept\n", k->metadata);
	print_rate(
	        k, KEPT_GREEDY, "answers asked for at temperature 0 differ, by their hashes", to);
	print_rate(k, KEPT_OTHER, "other answers differ, by their hashes", to);
	print_rate(k, KEPT_FINISH, "ended for another reason", to);
	if (k->base_bytes || k->test_bytes) {
		fprintf(to, "  lengths: %" PRIu64 " bytes by %s, %" PRIu64 " by %s\n",
		        k->base_bytes, g->base, k->test_bytes, g->test);
	}
	if (k->unhashed) {
		fprintf(to, "  %" PRIu64 " without an answer of a known form\n", k->unhashed);
	}
}
