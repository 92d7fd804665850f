#pragma once
/*
 * source_kind - what each kind of source does. For source*.c only.
 */
#include <math.h>
#include <stdio.h>

#include "replay/source.h"

struct source {
	struct capture *capture; /* or */
	FILE *file;
	char *path;
	uint8_t hash_key[32];
	char *line; /* reused */
	size_t line_room;
	struct id told_by; /* whose defaults are kept in told */
	struct sampling told;
};

int source_scan_capture(struct source *s, struct source_scan *scan) MUST_CHECK;
int source_scan_lines(struct source *s, struct source_scan *scan) MUST_CHECK;
const char *source_load_capture(
        struct source *s, const struct plan_request *r, struct source_body *ret) MUST_CHECK;
const char *source_load_line(
        struct source *s, const struct plan_request *r, struct source_body *ret) MUST_CHECK;
/* What becomes of one request of the source. False: the plan is full. */
bool source_consider(struct source_scan *scan, const struct filter_request *facts,
        const struct plan_request *request) MUST_CHECK;
