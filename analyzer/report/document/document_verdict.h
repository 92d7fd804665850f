#pragma once
/*
 * document_verdict - makes the head of an analysis as JSON: verdict, deciding figures, likely
 * cause, limits and next steps. Each pair of backends has a head. The document has a copy of one of
 * these heads: that of the pair with the worst verdict; of several such pairs, that of the pair
 * whose first figure is largest.
 */
#include <jansson.h>

#include "analyzer/analysis.h"
#include "analyzer/fold/verdict.h"

/* Sets "verdict", "figures", "k3", "cause", "limits" and "next" of a group's object. */
void document_verdict_of_group(json_t *o, const struct analysis_group *g);
/* Sets the same members, except "k3", of the document, and adds limits and steps that concern the
 * whole capture. groups: the list of the groups' objects. */
void document_verdict_of_document(json_t *document, const json_t *groups, const struct analysis *a);
/* Sets a verdict that a command decided by its own rules. Frees sentence. */
void document_set_verdict(json_t *document, enum verdict_word word, char *sentence);
/* Appends `before` and what the backend's own draws show: "prod's own 5,060 draws fit the
 * probabilities that it states", or that they are too few. Appends nothing if the draws show a
 * fault, or if there are none. */
void document_put_own_draws(
        struct buf *to, const char *before, const struct draws *d, const char *backend);
/* Sets the likely cause; NULL: none. */
void document_set_cause(json_t *document, const struct cause *c);
/* Adds a step to the list of next steps. Frees text and command (NULL: none). */
void document_add_step(json_t *next, char *text, char *command);
/* Adds the step that asks for this number of prompts; NaN: adds nothing. n: the number of prompts
 * now. place: of the capture (fold/advice.h); NULL: unknown. */
void document_add_prompts_step(
        json_t *next, double prompts, uint64_t n, const struct advice_place *place);
/* Add the step that removes a cause. document_add_cause_steps() also adds the step that confirms
 * the cause. cause: the object of a cause; null: adds nothing. */
void document_add_remedy_step(json_t *next, const json_t *cause);
void document_add_cause_steps(json_t *next, const json_t *cause);
/* Adds the step "record again, then score", for a backend whose sampled answers can't be scored as
 * they are. The text asks for the model's own logprobs; or for requests with temperature 1, without
 * top_p, top_k, min_p and penalties. */
void document_add_record_step(json_t *next, const char *backend);
/* Adds the step that shows the two answers that differ most, if any differ. */
void document_add_widest_step(json_t *next, const struct analysis_group *g);
