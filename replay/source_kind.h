#pragma once
/*
 * source_kind - the functions of each kind of source. For source*.c only.
 */
#include <math.h>
#include <stdio.h>

#include "capture/formats/requests.h"
#include "replay/source.h"
#include "replay/suite.h"

struct source {
	struct capture *capture; /* NULL: the source is a file */
	FILE *file;              /* NULL: the source is a capture */
	char *path;
	uint8_t hash_key[32];
	struct buf line; /* buffer for a line */
	/* format of the file before it was converted; or NULL */
	const struct request_format *format;
	struct error_tally bad; /* requests that could not be converted, by reason */
	struct suite suite;     /* form SUITE_NONE: the file is no suite */
	char *suite_name;       /* from its file name */
	struct buf record;      /* buffer for a record of a suite */
	bool recalls;           /* source_load() loads recorded answers too */
	bool placeholders;      /* source_load() loads redacted requests too */
	struct id told_by;      /* the manifest with the sampling defaults `told` */
	struct sampling told;
};

int source_scan_capture(struct source *s, struct source_scan *scan) MUST_CHECK;
int source_scan_lines(struct source *s, struct source_scan *scan) MUST_CHECK;
int source_scan_suite(struct source *s, struct source_scan *scan) MUST_CHECK;
const char *source_load_capture(
        struct source *s, const struct plan_request *r, struct source_body *ret) MUST_CHECK;
const char *source_load_line(
        struct source *s, const struct plan_request *r, struct source_body *ret) MUST_CHECK;
/* Converts the file's requests to lines in a temporary file, which becomes the source's file.
 * Returns NULL, or a sentence that the caller frees. */
char *source_spool(struct source *s, const struct trace_units *units) MUST_CHECK;
const char *source_load_suite(
        struct source *s, const struct plan_request *r, struct source_body *ret) MUST_CHECK;
/* Reads the file's first record and sets `suite`. */
void source_open_suite(struct source *s);

/* Ids sort by number, which is below 2^48. The same bytes in the same place give the same id. */
struct id source_id(uint64_t number, struct span bytes, uint64_t seed);
/* Counts a line that cannot be replayed in scan->unfit, with FILE:LINE and the reason. */
void source_add_unfit(
        const struct source *s, struct source_scan *scan, uint64_t line, const char *why);
/* Applies rules and limits to one request and adds it to the plan. False: the plan is full. */
bool source_plan_request(struct source_scan *scan, const struct filter_request *facts,
        const struct plan_request *request) MUST_CHECK;
