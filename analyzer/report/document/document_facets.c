#include "analyzer/report/document/document_parts.h"

#include "analyzer/fold/power.h"
#include "analyzer/report/document/document_values.h"

static json_t *facet(const struct facet *f)
{
	static const struct {
		const char *name;
		enum facet_figure figure;
		double scale;
	} SHOWN[] = {{"differ", FACET_DIFFER, 1}, {"answer_changed", FACET_ANSWER_CHANGED, 1},
	        {"hazard", FACET_HAZARD, 1000}, {"divergence_index", FACET_DIVERGENCE_INDEX, 1}};
	const struct estimate *by = f->values;
	json_t *o = json_object();
	node_set_text(o, "value", f->name);
	node_set_count(o, "pairs", f->pairs);
	for (size_t i = 0; i < ARRAY_LEN(SHOWN); i++) {
		double n = clusters_total(f->clusters, SHOWN[i].figure).whole;
		json_object_set_new(o, SHOWN[i].name,
		        document_counted(&by[SHOWN[i].figure], SHOWN[i].scale, n));
	}
	document_set_most(json_object_get(o, "answer_changed"), &by[FACET_ANSWER_CHANGED],
	        &by[FACET_MAY_CHANGE]);
	json_object_set_new(o, "gold", document_gold(&f->gold, by[FACET_SCORE_SHIFT].ci));
	return o;
}

json_t *document_facet(const struct facets *all, const struct facet *f)
{
	json_t *o = facet(f);
	node_set_number(o, "n_needed", power_slice_needed(all, f));
	return o;
}

json_t *document_suites(const struct analysis_group *g)
{
	json_t *list = json_array();
	const struct facet_list *suites = &g->suites.of[FACET_SUITE];
	for (size_t i = 0; i < suites->n; i++) {
		const struct facet *f = &suites->items[i];
		json_t *o = facet(f);
		node_set_count(o, "seeds", f->seeds);
		json_array_append_new(list, o);
	}
	return json_pack("{s:o, s:o}", "values", list, "beyond", document_integer(suites->beyond));
}

json_t *document_facets(const struct analysis_group *g)
{
	json_t *o = json_object();
	for (size_t k = 0; k < N_FACETS; k++) {
		enum facet_kind kind = (enum facet_kind)k;
		json_t *list = json_array();
		const struct facet_list *of = &g->facets.of[k];
		for (size_t i = 0; i < of->n; i++) {
			json_array_append_new(list, document_facet(&g->facets, &of->items[i]));
		}
		double z;
		double p = facets_trend(&g->facets, kind, &z);
		json_object_set_new(o, facet_kind_name(kind),
		        json_pack("{s:o, s:o, s:o, s:o}", "values", list, "beyond",
		                document_integer(of->beyond), "trend_z", node_real(z), "trend_p",
		                node_real(p)));
	}
	return o;
}
