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
	struct buf line;                     /* reused */
	const struct request_format *format; /* format of the converted file; or NULL */
	struct error_tally bad;              /* what could not be converted */
	struct suite suite;                  /* what the file is, if it is a suite */
	char *suite_name;                    /* from its file name */
	struct buf record;                   /* of a suite; reused */
	bool recalls;                        /* also loads answers */
	bool placeholders;                   /* also loads redacted requests */
	struct id told_by;                   /* the manifest whose defaults are in `told` */
	struct sampling told;
};

int source_scan_capture(struct source *s, struct source_scan *scan) MUST_CHECK;
int source_scan_lines(struct source *s, struct source_scan *scan) MUST_CHECK;
int source_scan_suite(struct source *s, struct source_scan *scan) MUST_CHECK;
const char *source_load_capture(
        struct source *s, const struct plan_request *r, struct source_body *ret) MUST_CHECK;
const char *source_load_line(
        struct source *s, const struct plan_request *r, struct source_body *ret) MUST_CHECK;
/* Converts the file's requests to lines of a temporary file, which replaces it. Returns NULL, or a
 * sentence. */
char *source_spool(struct source *s, const struct trace_units *units) MUST_CHECK;
const char *source_load_suite(
        struct source *s, const struct plan_request *r, struct source_body *ret) MUST_CHECK;
/* Finds out whether the file is a suite, and which. */
void source_open_suite(struct source *s);

/* Ids sort by number, which is below 2^48. The same bytes in the same place give the same id. */
struct id source_id(uint64_t number, struct span bytes, uint64_t seed);
/* Lists a line that cannot be replayed, as FILE:LINE. */
void source_tell_unfit(
        const struct source *s, struct source_scan *scan, uint64_t line, const char *why);
/* Applies rules and limits to one request and adds it to the plan. False: the plan is full. */
bool source_consider(struct source_scan *scan, const struct filter_request *facts,
        const struct plan_request *request) MUST_CHECK;
