#pragma once
/*
 * http_head - the head guard: everything about a head that llhttp does not ask. For http.c only.
 *
 * Works on a whole section (a head, or the trailers of a chunked body) that ends with its empty
 * line.
 */
#include "base/http.h"

/* Fields of the present head; the array grows and is kept from message to message. */
struct http_fields {
	struct http_field *items;
	size_t n;
	size_t cap;
};

/*
 * Looks for the end of a section. *line is where the line under way begins (0 at first) and moves
 * on, so that the next call with more bytes goes on there. Returns the section's length through the
 * empty line, 0 when it has not come yet, -EPROTO for an LF without its CR.
 */
ssize_t http_section_end(
        const char *data, size_t len, size_t *line, struct http_problem *ret_problem) MUST_CHECK;

/* Checks and parses a whole head. The spans of *ret_head point into raw and into fields. 0 or
 * -EPROTO. */
int http_head_parse(enum http_parser_kind kind, struct span raw, struct http_fields *fields,
        struct http_head *ret_head, struct http_problem *ret_problem) MUST_CHECK;

/* Checks trailers; fields is used as scratch. 0 or -EPROTO. */
int http_trailers_check(
        struct span raw, struct http_fields *fields, struct http_problem *ret_problem) MUST_CHECK;

/* Takes the next element, trimmed and perhaps empty, off a comma-separated list; false at its end.
 */
bool http_list_next(struct span *list, struct span *ret_element);
