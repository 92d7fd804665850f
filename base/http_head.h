#pragma once
/*
 * http_head - the head guard: all checks of a head that llhttp leaves out. For http.c only.
 *
 * A section is a head, or the trailers of a chunked body; it ends with an empty line.
 */
#include "base/http.h"

/* The fields of the current section. The next section reuses the array; its owner frees items. */
struct http_fields {
	struct http_field *items;
	size_t n;
	size_t cap;
};

/*
 * Finds the end of a section. *line is the offset at which the current line starts, 0 at first. The
 * function advances it, so that the next call, with more bytes, continues there. Returns the
 * section's length including the empty line; 0: the end has not arrived; -EPROTO: an LF without CR,
 * and *ret_problem is set.
 */
ssize_t http_section_end(
        const char *data, size_t len, size_t *line, struct http_problem *ret_problem) MUST_CHECK;

/* Checks and parses a complete head. The spans of *ret_head point into raw and into fields.
 * Returns 0; or -EPROTO, and *ret_problem is set. */
int http_head_parse(enum http_parser_kind kind, struct span raw, struct http_fields *fields,
        struct http_head *ret_head, struct http_problem *ret_problem) MUST_CHECK;

/* Checks trailers. fields is working memory. Returns as http_head_parse() does. */
int http_trailers_check(
        struct span raw, struct http_fields *fields, struct http_problem *ret_problem) MUST_CHECK;

/* Removes the next element from a comma-separated list. The element is trimmed and may be empty.
 * False: the list has ended. */
bool http_list_next(struct span *list, struct span *ret_element);
