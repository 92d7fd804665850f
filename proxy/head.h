#pragma once
/*
 * head - a message's head kept beyond the call that parsed it, and fields gathered for another
 * message.
 *
 * One thread.
 */
#include "base/http.h"

/* The head and all it points to in one block of memory: free() it. */
struct http_head *head_copy(const struct http_head *from);

/* The field's media type is `type`, whatever its parameters. */
bool head_type_is(const struct http_head *head, const char *type);
/* Both have the same media type, or none. */
bool head_types_match(const struct http_head *a, const struct http_head *b);

bool head_is_success(const struct http_head *head); /* 2xx */
/* The body has a content coding other than identity. */
bool head_is_coded(const struct http_head *head);
/* The body's content codings, a comma between two of them; the caller frees it. NULL: none. */
char *head_coding(const struct http_head *head);
/* Of a request: its sender takes some coding other than identity. */
bool head_accepts_codings(const struct http_head *head);

/* Said to plumbline, and never passed on. */
bool head_is_for_us(struct span name);
/* The client wants nothing of this request kept or copied: X-Plumbline-Record says anything but "on". */
bool head_opts_out(const struct http_head *head);

/* Fields of a message that is being made; texts that were built for it are owned. */
struct fields {
	struct http_field *items;
	size_t n, cap;
	char **owned;
	size_t n_owned;
};

void fields_add(struct fields *f, struct span name, struct span value);
/* value was allocated and is freed with the fields. */
void fields_add_owned(struct fields *f, struct span name, char *value);
void fields_finish(struct fields *f);
