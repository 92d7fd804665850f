#include "analyzer/report_kept.h"

#include <inttypes.h>

#include "analyzer/report_figures.h"
#include "analyzer/stats.h"

static json_t *integer(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *rate(const struct kept_rate *r)
{
	json_t *o = json_object();
	json_object_set_new(o, "n", integer(r->n));
	json_object_set_new(o, "count", integer(r->differ));
	json_object_set_new(
	        o, "rate", r->n ? json_real((double)r->differ / (double)r->n) : json_null());
	json_object_set_new(
	        o, "ci95", r->n ? report_interval(stats_wilson(r->differ, r->n)) : json_null());
	return o;
}

json_t *report_kept_json(const struct kept *k)
{
	if (!k->redacted && !k->metadata) {
		return json_null();
	}
	json_t *o = json_object();
	json_object_set_new(o, "redacted", integer(k->redacted));
	json_object_set_new(o, "metadata", integer(k->metadata));
	json_object_set_new(o, "unhashed", integer(k->unhashed));
	json_object_set_new(o, "greedy_differs", rate(&k->greedy));
	json_object_set_new(o, "other_differs", rate(&k->other));
	json_object_set_new(o, "finish_differs", rate(&k->finish));
	json_object_set_new(o, "base_bytes", integer(k->base_bytes));
	json_object_set_new(o, "test_bytes", integer(k->test_bytes));
	return o;
}

static void print_rate(const struct kept_rate *r, const char *what, FILE *to)
{
	if (r->n) {
		struct interval ci = stats_wilson(r->differ, r->n);
		fprintf(to, "  %" PRIu64 " of %" PRIu64 " %s (%.1f %%, 95 %%: %.1f to %.1f)\n",
		        r->differ, r->n, what, 100 * (double)r->differ / (double)r->n, 100 * ci.low,
		        100 * ci.high);
	}
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
	print_rate(&k->greedy, "answers asked for at temperature 0 differ, by their hashes", to);
	print_rate(&k->other, "other answers differ, by their hashes", to);
	print_rate(&k->finish, "ended for another reason", to);
	if (k->greedy.n || k->other.n || k->finish.n) {
		fprintf(to, "  In these intervals each pair counts for itself: turns of one "
		            "session and "
		            "repeats of one prompt make them too narrow.\n");
	}
	if (k->base_bytes || k->test_bytes) {
		fprintf(to, "  lengths: %" PRIu64 " bytes by %s, %" PRIu64 " by %s\n",
		        k->base_bytes, g->base, k->test_bytes, g->test);
	}
	if (k->unhashed) {
		fprintf(to, "  %" PRIu64 " without an answer of a known form\n", k->unhashed);
	}
}
