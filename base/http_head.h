#pragma once
/*
 * http_head - the head guard: all checks of a head that llhttp leaves out. For http.c only.
 *
 * Works on a complete section (a head, or the trailers of a chunked body) that ends with its empty
 * line.
 */
#include "base/http.h"

/* Fields of the current head; the array grows and is reused. */
struct http_fields {
	struct http_field *items;
	size_t n;
	size_t cap;
};

/*
 * Finds the end of a section. *line is the start of the current line (0 at first) and advances, so
 * that the next call with more bytes continues there. Returns the section's length with the empty
 * line, 0 if it has not arrived, -EPROTO for an LF without CR.
 */
ssize_t http_section_end(
        const char *data, size_t len, size_t *line, struct http_problem *ret_problem) MUST_CHECK;

/* Checks and parses a complete head. The spans of *ret_head point into raw and into fields. Returns
 * 0 or -EPROTO. */
int http_head_parse(enum http_parser_kind kind, struct span raw, struct http_fields *fields,
        struct http_head *ret_head, struct http_problem *ret_problem) MUST_CHECK;

/* Checks trailers; fields is used as scratch. 0 or -EPROTO. */
int http_trailers_check(
        struct span raw, struct http_fields *fields, struct http_problem *ret_problem) MUST_CHECK;

/* Removes the next element from a comma-separated list. The element is trimmed and may be empty.
 * False: the list has ended. */
bool http_list_next(struct span *list, struct span *ret_element);
