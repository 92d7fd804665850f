#include "analyzer/report/document_embedding.h"

#include <inttypes.h>
#include <math.h>

#include "analyzer/report/document_values.h"

static json_t *mean_and_max(const struct moments *m, double max)
{
	json_t *o = json_object();
	json_object_set_new(o, "n", report_integer(m->n));
	json_object_set_new(o, "mean", report_number(moments_mean(m)));
	json_object_set_new(o, "max", m->n ? report_number(max) : json_null());
	return o;
}

json_t *report_embedding_json(const struct embedding_figures *f)
{
	if (f->answers == 0) {
		return json_null();
	}
	json_t *o = json_object();
	json_object_set_new(o, "answers", report_integer(f->answers));
	json_object_set_new(o, "equal", report_integer(f->equal));
	json_object_set_new(o, "cosine_distance", mean_and_max(&f->distance, f->distance_max));
	json_object_set_new(
	        o, "largest_difference", mean_and_max(&f->difference, f->difference_max));
	json_object_set_new(o, "unlike_dimensions", report_integer(f->unlike_lengths));
	json_object_set_new(o, "unusable", report_integer(f->unusable));
	json_object_set_new(o, "unmatched", report_integer(f->unmatched));
	return o;
}

json_t *report_placement_json(const struct placements *p)
{
	json_t *o = json_object(), *pairs = json_array();
	for (enum reasoning_place b = 0; b < PLACES; b++) {
		for (enum reasoning_place t = 0; t < PLACES; t++) {
			if (p->n[b][t] == 0) {
				continue;
			}
			json_t *pair = json_object();
			json_object_set_new(pair, "base", json_string(placement_name(b)));
			json_object_set_new(pair, "test", json_string(placement_name(t)));
			json_object_set_new(pair, "n", report_integer(p->n[b][t]));
			json_array_append_new(pairs, pair);
		}
	}
	json_object_set_new(o, "pairs", pairs);
	json_object_set_new(o, "compared_by_answer", report_integer(p->evened));
	return o;
}

static void print_count(uint64_t n, const char *what, FILE *to)
{
	if (n > 0) {
		fprintf(to, "  %" PRIu64 " %s\n", n, what);
	}
}

void report_embedding_text(const struct embedding_figures *f, FILE *to)
{
	if (f->answers == 0) {
		return;
	}
	fprintf(to, "\nEmbeddings: %" PRIu64 " vectors of %" PRIu64 " answers compared\n",
	        f->distance.n, f->answers);
	if (f->distance.n > 0) {
		fprintf(to, "  %-20s mean %-10.3g largest %.3g\n", "1 - cosine",
		        moments_mean(&f->distance), f->distance_max);
		fprintf(to, "  %-20s mean %-10.3g largest %.3g\n", "largest difference",
		        moments_mean(&f->difference), f->difference_max);
		fprintf(to, "  %" PRIu64 " are the same in every value\n", f->equal);
	}
	print_count(f->unlike_lengths, "pairs of vectors of unlike dimensions", to);
	print_count(f->unusable, "pairs with a missing value or a vector of zeros", to);
	print_count(f->unmatched, "vectors that only one side has", to);
}
