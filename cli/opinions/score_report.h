#pragma once
/*
 * score_report - the texts of `plumbline score` at its end, and its settings in the segment.
 */
#include <stdio.h>

#include "cli/opinions/score_work.h"

/* JSON for the segment's meta: which capture was scored, by whom. The caller frees it. */
char *score_report_settings(
        const char *source, const struct score_backend *b, const struct scorer_settings *s);
/* other: another directory of the scores, or NULL. lost: scores that could not be recorded. */
void score_report_text(const char *dir, const char *other, const struct score_backend *b,
        const struct score_job_settings *s, const struct score_tally *t, uint64_t lost, FILE *to);
void score_report_json(const char *dir, const struct score_backend *b,
        const struct score_job_settings *s, const struct score_tally *t, uint64_t lost, FILE *to);
