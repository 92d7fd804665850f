#pragma once
/*
 * judge_report - what `plumbline judge` says before it starts and at its end, and leaves in the
 * segment's settings.
 */
#include <stdio.h>

#include "cli/opinions/judge_work.h"

struct judge_report {
	const char *dir, *judge; /* judge: its name; NULL: none was given */
	const char *to;          /* where its replies go, if not there; or NULL */
	const char *url, *model; /* or NULL */
	bool library;            /* model: its version; no model was asked */
	const struct judge_list *list;
	const struct judge_tally *tally; /* NULL: nobody was asked */
	uint64_t lost;                   /* replies that could not be written */
};

char *judge_report_settings(const struct judge_report *r); /* the caller frees it */
void judge_report_plan(const struct judge_report *r, FILE *to);
void judge_report_text(const struct judge_report *r, FILE *to);
void judge_report_json(const struct judge_report *r, FILE *to);
