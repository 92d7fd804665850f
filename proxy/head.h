#pragma once
/*
 * head - copies of HTTP heads, tests on them, and the fields of a request that is being made.
 */
#include "base/http.h"

/* A copy in one block of memory, with everything it points to. The caller frees it with free(). */
struct http_head *head_copy(const struct http_head *from);

/* True if Content-Type has the media type `type`; parameters are ignored. */
bool head_type_is(const struct http_head *head, const char *type);
/* True if both have the same media type, or both have none. */
bool head_types_match(const struct http_head *a, const struct http_head *b);

bool head_is_success(const struct http_head *head); /* 2xx */
/* True if the body has a content coding other than identity. */
bool head_is_coded(const struct http_head *head);
/* True if a field fits only these bytes of the body: it is a digest or signature of them, or an
 * idempotency key, under which an engine refuses other bytes. */
bool head_binds_body(const struct http_head *head);
/* The body's content codings, separated by commas; the caller frees it. NULL: none. */
char *head_coding(const struct http_head *head);
/* True if a request's Accept-Encoding names a coding other than identity. */
bool head_accepts_codings(const struct http_head *head);

/* True for X-Plumbline-Record, which is for plumbline and is not passed on. */
bool head_is_for_proxy(struct span name);
/* True if the request has X-Plumbline-Record with a value other than "on": it is then neither
 * recorded nor copied. */
bool head_opts_out(const struct http_head *head);

/* The fields of a request that is being made. Names and values belong to the caller, except
 * those of fields_add_owned(). */
struct fields {
	struct http_field *items;
	size_t n, cap;
	char **owned;
	size_t n_owned;
};

void fields_add(struct fields *f, struct span name, struct span value);
/* Takes ownership of value. */
void fields_add_owned(struct fields *f, struct span name, char *value);
void fields_finish(struct fields *f);
