#pragma once
/*
 * summary_parts - writes the parts of an analysis's summary that have data. For summary*.c only.
 */
#include <jansson.h>

#include "analyzer/report/metric.h"
#include "analyzer/report/screen/writer.h"

/* Writes a list item: the number in the member `name` of o, and `what`: "3 broken". Writes nothing
 * if the number is 0 or missing. */
void summary_count(struct writer *w, const json_t *o, const char *name, const char *what);

/* Appends which side has a cause, or that both have it, and how this is known: " (new, seen in its
 * own answers)". Appends nothing if the side is unknown. of: the group or document of the cause. */
void summary_put_side(struct buf *to, const json_t *of, const json_t *cause);
/* Appends "explains 30 of 40 differing greedy answers (75 %)". Returns false, and appends nothing,
 * if the cause explains no greedy pairs: then a share says nothing. */
bool summary_put_explained(struct buf *to, const json_t *cause);
/* Appends the document's captures as operands of a command. Returns false if there are none, or if
 * one is unknown or can't be pasted into a shell; then discard the command. */
bool summary_put_captures(struct buf *to, const json_t *captures);
/* Appends the label of a figure. If undecided answers make it a range, the label says how many
 * there are: "meaning: 3 changed, 17 undecided". */
void summary_put_label(struct buf *to, const json_t *figure);
/* Appends a bar of width characters: "##++......". share and most are 0 to 1: '#' reach to share,
 * '+' to most. A number above 0 has at least one character. */
void summary_put_bar(struct buf *to, double share, double most, size_t width);

/* A list in one line of a first screen: the items that fit, at least one, and how many more. */
struct summary_line {
	struct buf *text; /* of the caller; empty at the beginning */
	size_t n, shown;
};
void summary_line_add(struct summary_line *l, const char *item);
/* Writes the line with its label; nothing if it has no items. end: text after the last item. */
void summary_line_write(
        struct summary_line *l, const char *label, const char *end, struct writer *w);

/* Parts of a group. */
void summary_examples(const json_t *group, struct writer *w);
void summary_figures(const json_t *group, struct writer *w); /* by decoding */
void summary_right_answers(const json_t *group, struct writer *w);
void summary_embeddings(const json_t *group, struct writer *w);
void summary_left_out(const json_t *group, struct writer *w);
void summary_redacted(const json_t *group, struct writer *w);

/* Parts of the document. */
void summary_policy(const json_t *policy, struct writer *w); /* rules and alarms */
void summary_traffic(const json_t *document, struct writer *w);
/* How engines draw their tokens. found: true: writes only if an engine has a finding; false: writes
 * only if no engine has one. The summary calls it at two places, once with each value. */
void summary_sampling(const json_t *document, bool found, struct writer *w);
/* Figures that only the draws show; a new list, in the form of the document's figures. If the
 * penalty of one engine is not as requested, it has the penalties of all engines; the same for
 * temperatures. */
json_t *summary_draws_figures(const json_t *document);
void summary_teacher_forced(const json_t *document, struct writer *w);
void summary_rollout(const json_t *group, struct writer *w);
void summary_standings(const json_t *document, struct writer *w);
void summary_reruns(const json_t *document, struct writer *w);
void summary_ablation(const json_t *document, struct writer *w);
void summary_stress(const json_t *document, struct writer *w);
/* The next step that the first screen shows; NULL: there is none. */
const json_t *summary_first_step(const json_t *document);
/* Results of recipes on the first screen, at most SUMMARY_ROWS rows. */
#define SUMMARY_ROWS ((size_t)5)
void summary_cliff(const json_t *document, struct writer *w);
void summary_rerun_figures(const json_t *document, struct writer *w);
void summary_effects(const json_t *document, struct writer *w);
void summary_levels(const json_t *document, struct writer *w);
