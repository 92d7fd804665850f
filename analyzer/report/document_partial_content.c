#include "analyzer/report/document_partial_content.h"

#include <math.h>

#include "analyzer/report/document_values.h"

static json_t *rate(const struct partial_content *k, enum partial_content_figure f)
{
	struct partial_content_rate r;
	partial_content_estimate(k, f, &r);
	return report_rate(r.differ, r.n, r.estimate.ci);
}

json_t *report_partial_content_json(const struct partial_content *k)
{
	if (!k->redacted && !k->metadata) {
		return json_null();
	}
	json_t *o = json_object();
	json_object_set_new(o, "redacted", report_integer(k->redacted));
	json_object_set_new(o, "metadata", report_integer(k->metadata));
	json_object_set_new(o, "unhashed", report_integer(k->unhashed));
	json_object_set_new(o, "greedy_differs", rate(k, PARTIAL_CONTENT_GREEDY));
	json_object_set_new(o, "other_differs", rate(k, PARTIAL_CONTENT_OTHER));
	json_object_set_new(o, "finish_differs", rate(k, PARTIAL_CONTENT_FINISH));
	json_object_set_new(o, "base_bytes", report_integer(k->base_bytes));
	json_object_set_new(o, "test_bytes", report_integer(k->test_bytes));
	return o;
}
