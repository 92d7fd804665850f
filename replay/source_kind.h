#pragma once
/*
 * source_kind - what each kind of source does. For source*.c only.
 */
#include <math.h>
#include <stdio.h>

#include "capture/formats/requests.h"
#include "replay/source.h"
#include "replay/suite.h"

struct source {
	struct capture *capture; /* or */
	FILE *file;
	char *path;
	uint8_t hash_key[32];
	struct buf line;                     /* reused */
	const struct request_format *format; /* of the file, which was made into lines; or NULL */
	struct reasons bad;                  /* what of it could not be */
	struct suite suite;                  /* what the file is, if it is a suite */
	char *suite_name;                    /* what its name says */
	struct buf record;                   /* of a suite; reused */
	bool recalls;                        /* loads answers, too */
	bool placeholders;                   /* loads what was redacted, too */
	struct id told_by;                   /* whose defaults are kept in told */
	struct sampling told;
};

int source_scan_capture(struct source *s, struct source_scan *scan) MUST_CHECK;
int source_scan_lines(struct source *s, struct source_scan *scan) MUST_CHECK;
int source_scan_suite(struct source *s, struct source_scan *scan) MUST_CHECK;
const char *source_load_capture(
        struct source *s, const struct plan_request *r, struct source_body *ret) MUST_CHECK;
const char *source_load_line(
        struct source *s, const struct plan_request *r, struct source_body *ret) MUST_CHECK;
/* The file's requests as lines of a temporary one, which takes its place. NULL, or a sentence. */
char *source_spool(struct source *s, const struct trace_units *units) MUST_CHECK;
const char *source_load_suite(
        struct source *s, const struct plan_request *r, struct source_body *ret) MUST_CHECK;
/* Looks whether the file is a suite, and which. */
void source_open_suite(struct source *s);

/* Sorts by number, which is below 2^48; the same bytes in the same place are the same exchange. */
struct id source_id(uint64_t number, struct span bytes, uint64_t seed);
/* A line that can't be replayed, listed as FILE:LINE. */
void source_tell_unfit(
        const struct source *s, struct source_scan *scan, uint64_t line, const char *why);
/* What becomes of one request of the source. False: the plan is full. */
bool source_consider(struct source_scan *scan, const struct filter_request *facts,
        const struct plan_request *request) MUST_CHECK;
