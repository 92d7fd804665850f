#pragma once
/*
 * document_verdict - makes the head of an analysis as JSON: verdict, deciding figures, likely
 * cause, limits and next steps. Each pair of backends has one; the document has the head of the
 * pair that decides.
 */
#include <jansson.h>

#include "analyzer/analysis.h"
#include "analyzer/fold/verdict.h"

/* Sets "verdict", "figures", "cause", "limits" and "next" of a group's object. */
void report_verdict_of_group(json_t *o, const struct analysis_group *g);
/* Sets the same members of the whole document. groups: the objects of its groups. */
void report_verdict_of_document(json_t *document, const json_t *groups, const struct analysis *a);
/* Sets the verdict of a command that has rules of its own. Takes ownership of sentence. */
void report_set_verdict(json_t *document, enum verdict_word word, char *sentence);
/* Adds a step to the list of next steps. Takes ownership of text and command (NULL: none). */
void report_add_step(json_t *next, char *text, char *command);
/* Add the step that removes a cause, or this step and the one that confirms the cause. cause: an
 * object, or null, which adds nothing. */
void report_add_remedy_step(json_t *next, const json_t *cause);
void report_add_cause_steps(json_t *next, const json_t *cause);
