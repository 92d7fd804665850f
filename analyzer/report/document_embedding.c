#include "analyzer/report/document_embedding.h"

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
