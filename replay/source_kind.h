#pragma once
/*
 * source_kind - the functions of each kind of source. For source*.c only.
 */
#include <math.h>
#include <stdio.h>

#include "capture/formats/line_reader.h"
#include "capture/formats/input_formats.h"
#include "replay/source.h"
#include "replay/suite.h"

#define UNKNOWN_SAMPLING ((struct sampling){NAN, NAN, NAN, NAN, NAN, NAN, NAN})

struct source {
	struct capture *capture; /* NULL: the source is a file */
	FILE *file;              /* NULL: the source is a capture */
	char *path;
	uint8_t hash_key[32];
	struct line_reader lines; /* of the file */
	/* format of the file before it was converted; NULL: it was not converted */
	const struct input_format *format;
	struct error_tally bad;   /* requests that could not be converted, by reason */
	struct suite suite;       /* its form is SUITE_NONE if the file is no suite */
	char *suite_name;         /* the name of the file without its ending */
	struct buf record;        /* working space: a record of a suite */
	bool loads_answers;       /* source_load() loads recorded answers too */
	bool placeholders;        /* source_load() loads redacted requests too */
	struct id defaults_of;    /* the manifest from which `defaults` was last read */
	struct sampling defaults; /* from that manifest; NaN: unknown */
};

/* source_scan() and source_load() for each kind of source. */
int source_scan_capture(struct source *s, struct source_scan *scan) MUST_CHECK;
int source_scan_lines(struct source *s, struct source_scan *scan) MUST_CHECK;
int source_scan_suite(struct source *s, struct source_scan *scan) MUST_CHECK;
const char *source_load_capture(
        struct source *s, const struct plan_request *r, struct source_body *ret) MUST_CHECK;
const char *source_load_line(
        struct source *s, const struct plan_request *r, struct source_body *ret) MUST_CHECK;
/* If the file is no suite and of another kind, converts its requests to lines in a temporary file,
 * which becomes the source's file. Returns NULL, or a sentence: also if the user states a unit of
 * numbers that the file does not have. */
char *source_spool(struct source *s, const struct trace_units *units) MUST_CHECK;
const char *source_load_suite(
        struct source *s, const struct plan_request *r, struct source_body *ret) MUST_CHECK;
/* Reads the file's first record and sets `suite`. */
void source_open_suite(struct source *s);

/* source_request.c: */
/* Makes the id of request `number` (below 2^48) with these bytes. Ids sort by number. The same
 * arguments give the same id. seed: 0, or a number that changes the request without changing the
 * bytes. */
struct id source_id(uint64_t number, struct span bytes, uint64_t seed);
/* Counts a request that cannot be replayed in scan->unfit, as FILE:LINE and the reason. */
void source_add_unfit(
        const struct source *s, struct source_scan *scan, uint64_t line, const char *why);
/* Applies the scan's rules and limit to one request, and adds it to the plan if they select it.
 * Updates the scan's results. request: without chain, parent and category. model, category: NULL if
 * unknown. False: the plan is full. */
bool source_plan_request(struct source_scan *scan, const struct plan_request *request,
        enum endpoint endpoint, const struct request_facts *facts,
        const struct request_hashes *hashes, const char *model, const char *category) MUST_CHECK;
/* Fills `facts`, `is_new` and the row of a request from a file, except for the row's hashes. b has
 * endpoint, target and body. Takes ownership of the labels. */
void source_describe(struct source_body *b, struct id exchange, struct exchange_labels labels);
