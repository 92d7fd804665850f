#pragma once
/*
 * document_figures - the judged figures for machines: with intervals, under the seeds' names, and the
 * verdicts that rest on them. Names are stable; docs/analyze.schema.json.
 */
#include <jansson.h>

#include "analyzer/fold/group.h"

/* Adds what a split has to its object. */
void report_figures_json(json_t *split, const struct analysis_group *g, enum decoding d);
/* "paper" and "infer_check": the figures of both under their own names, and beside each that
 * misleads a sound one and why. */
json_t *report_seeds_json(const struct analysis_group *g, enum decoding d);
json_t *report_first_json(const struct analysis_group *g);       /* verdicts at first differences */
json_t *report_noise_floor_json(const struct analysis_group *g); /* against the noise floor */
json_t *report_facets_json(const struct analysis_group *g);      /* by properties of requests */

json_t *report_facet_json(const struct facets *all, const struct facet *f);
json_t *report_suites_json(const struct analysis_group *g); /* of sampled answers, by suite */
