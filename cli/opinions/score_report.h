#pragma once
/*
 * score_report - the texts that `plumbline score` prints at its end, and the settings that it
 * stores in the segment.
 */
#include <stdio.h>

#include "cli/opinions/score_work.h"

/* JSON for the segment's settings: which capture was scored, and by which backend. The caller
 * frees it. */
char *score_report_settings(
        const char *source, const struct score_backend *b, const struct scorer_settings *s);
/* Print the result. other: the directory of the scores if it is not dir, or NULL. lost: scores
 * that could not be recorded. */
void score_report_text(const char *dir, const char *other, const struct score_backend *b,
        const struct score_job_settings *s, const struct score_tally *t, uint64_t lost, FILE *to);
void score_report_json(const char *dir, const struct score_backend *b,
        const struct score_job_settings *s, const struct score_tally *t, uint64_t lost, FILE *to);
