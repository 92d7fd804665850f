#pragma once
/*
 * judge_report - the texts that `plumbline judge` prints before and after its work, and the
 * settings that it stores in the segment.
 */
#include <stdio.h>

#include "cli/opinions/judge_work.h"

struct judge_report {
	const char *dir, *judge; /* judge: its name; NULL: none was given */
	const char *to;          /* another directory for its replies; or NULL */
	const char *url, *model; /* or NULL */
	/* `judge` is a library and `model` its version */
	bool library;
	const struct judge_list *list;
	const struct judge_tally *tally; /* NULL: no judge was asked */
	uint64_t lost;                   /* replies that could not be recorded */
};

char *judge_report_settings(const struct judge_report *r); /* the caller frees it */
void judge_report_plan(const struct judge_report *r, FILE *to);
void judge_report_text(const struct judge_report *r, FILE *to);
void judge_report_json(const struct judge_report *r, FILE *to);
