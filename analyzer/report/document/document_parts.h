#pragma once
/*
 * document_parts - makes the parts of the document, each an object or a list.
 * docs/analyze.schema.json describes their members. For document*.c only. Each json_t * is a new
 * reference.
 */
#include <jansson.h>

#include "analyzer/analysis.h"
#include "analyzer/fold/verdict.h"

json_t *document_group(const struct analysis_group *g);
json_t *document_traffic(const struct traffic *t);
json_t *document_cause(const struct cause *c);
/* A list of the causes. likely: the likely cause, which comes first; null: none. */
json_t *document_causes(const struct cause_list *l, const json_t *likely);
/* How each engine draws its tokens: a list by backend, model, replica and stack. */
json_t *document_draws(const struct draws *d);

/* Ends the title in the text of a limit. */
#define TITLE_END "\x1f"
/* Makes {"key", "title", "text"} of a limit. text: "TITLE" TITLE_END " the rest", or only a title;
 * the function frees it. The member "text" gets both parts. */
json_t *document_limit(const char *key, char *text);
/* What limits the verdict on two backends: a list of {"key", "title", "text"}. docs/analyze.md,
 * "Limits", has the keys, which are stable. cause: the cause that the document names as the
 * likely one; NULL: none. */
json_t *document_limits(
        const struct analysis_group *g, const struct verdict *v, const struct cause *cause);
/* Further findings: a list of {"key", "text"}. proven: the verdict has a proven cause. */
json_t *document_findings(const struct analysis_group *g, bool proven);
/* Sentences about right answers; about one judge model; about sampled answers. The caller frees
 * them; NULL: there is nothing to say. */
char *document_gold_sentence(const struct analysis_group *g);
char *document_opinions_sentence(const struct judge_opinions *j);
char *document_sampled_sentence(const struct analysis_group *g);

/* Appends a number with commas between thousands. */
void document_put_count(struct buf *to, uint64_t n);

/* Adds the figures of one decoding. split: the object of this decoding. */
void document_set_figures(json_t *split, const struct analysis_group *g, enum decoding d);
/* {"paper", "infer_check"}: the figures of prior work, "The Silent Hyperparameter" and infer-check,
 * under their own names. Next to each misleading figure there is a sound one, with the reason. */
json_t *document_prior(const struct analysis_group *g, enum decoding d);
json_t *document_charts(const struct analysis_group *g, enum decoding d);
/* The results of each judge model, beside those of compare/meaning (opinions/opinions.h). */
json_t *document_opinions(const struct opinions *o);
/* shift: the interval of the score shift, in percentage points. */
json_t *document_gold(const struct gold_counts *c, struct interval shift);
json_t *document_noise_floor(const struct analysis_group *g);
/* Figures for each value of each property of the requests; figures for the one value f of `all`. */
json_t *document_facets(const struct analysis_group *g);
json_t *document_facet(const struct facets *all, const struct facet *f);
json_t *document_suites(const struct analysis_group *g);   /* over sampled answers, by suite */
json_t *document_sampled(const struct analysis_group *g);  /* the two-sample test; null: none */
json_t *document_openings(const struct analysis_group *g); /* first tokens; null: none */
/* How far the probabilities that the test's engine states are from those of the scorer
 * (fold/rollout.h). null: nothing was scored. If no answer counts, or the test's draws do not
 * follow the stated probabilities, the figures are null and "why" gives the reason. */
json_t *document_rollout(const struct analysis_group *g);
/* Teacher-forced figures (fold/scores.h): a list with an object for each group that has scores. */
json_t *document_scores(const struct analysis *a);
/* For `plumbline determinism`: the noise floor (how often one backend differs from itself) as a
 * deciding figure. */
json_t *document_floor(const struct verdict_figure *f);
/* k3 of a group, with its floor; null: no scores decide */
json_t *document_k3(const struct verdict_figure *k3);

/* The verdict in one sentence, which the caller frees. g: after analysis_settle(). */
char *document_sentence(const struct analysis_group *g, const struct verdict *v);
/* The likely cause of the verdict: the proven one; else, if scores decide or no answer is greedy,
 * one that changes the probabilities of tokens; else the one that explains most of the differing
 * greedy answers. NULL: none. */
const struct cause *document_main_cause(const struct analysis_group *g, const struct verdict *v);
