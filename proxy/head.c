#include "proxy/head.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/http_head.h"
#include "base/grow.h"
#include "base/mem.h"

static struct span rebase(struct span s, struct span from, char *to)
{
	if (!s.data || s.data < from.data || s.data + s.len > from.data + from.len) {
		expect(s.len == 0);
		return s.data ? (struct span){to, 0} : (struct span){0};
	}
	return (struct span){to + (s.data - from.data), s.len};
}

struct http_head *head_copy(const struct http_head *from)
{
	size_t fields_size = from->n_fields * sizeof(*from->fields);
	struct http_head *head = xmalloc(sizeof(*head) + fields_size + from->raw.len + 1);
	char *raw = (char *)(head + 1) + fields_size;

	*head = *from;
	head->fields = (struct http_field *)(head + 1);
	memcpy(raw, from->raw.data, from->raw.len);
	raw[from->raw.len] = '\0';
	head->raw.data = raw;
	head->method = rebase(from->method, from->raw, raw);
	head->target = rebase(from->target, from->raw, raw);
	head->reason = rebase(from->reason, from->raw, raw);
	for (size_t i = 0; i < from->n_fields; i++) {
		head->fields[i].name = rebase(from->fields[i].name, from->raw, raw);
		head->fields[i].value = rebase(from->fields[i].value, from->raw, raw);
	}
	return head;
}

static struct span media_type(const struct http_head *head)
{
	struct span value = http_field(head, "content-type");
	size_t len = 0;
	while (len < value.len && value.data[len] != ';' && value.data[len] != ' ' &&
	        value.data[len] != '\t') {
		len++;
	}
	return (struct span){value.data, len};
}

bool head_type_is(const struct http_head *head, const char *type)
{
	return span_is_nocase(media_type(head), type);
}

bool head_types_match(const struct http_head *a, const struct http_head *b)
{
	struct span one = media_type(a), other = media_type(b);
	return one.len == other.len && span_equal_nocase(one, other);
}

#define RECORD_FIELD "x-plumbline-record"

bool head_is_for_proxy(struct span name)
{
	return span_is_nocase(name, RECORD_FIELD);
}

bool head_opts_out(const struct http_head *head)
{
	for (size_t i = 0; i < head->n_fields; i++) {
		const struct http_field *f = &head->fields[i];
		/* Any other value, even a misspelt one, suggests that the client wanted
		 * something not to be recorded. */
		if (head_is_for_proxy(f->name) && !span_is_nocase(f->value, "on")) {
			return true;
		}
	}
	return false;
}

void fields_add(struct fields *f, struct span name, struct span value)
{
	f->items = grow(f->items, f->n, &f->cap, sizeof(*f->items));
	f->items[f->n++] = (struct http_field){name, value};
}

void fields_add_owned(struct fields *f, struct span name, char *value)
{
	f->owned = xrealloc(f->owned, (f->n_owned + 1) * sizeof(*f->owned));
	f->owned[f->n_owned++] = value;
	fields_add(f, name, span_of(value));
}

void fields_finish(struct fields *f)
{
	for (size_t i = 0; i < f->n_owned; i++) {
		free(f->owned[i]);
	}
	free(f->owned);
	free(f->items);
	*f = (struct fields){0};
}

bool head_is_success(const struct http_head *head)
{
	return head->status >= 200 && head->status < 300;
}

/* Whether an element of Accept-Encoding accepts a coding. "gzip;q=0" does not. */
static bool accepts_coding(struct span element)
{
	const char *end = element.data + element.len;
	const char *semicolon = memchr(element.data, ';', element.len);
	struct span name = {element.data, (size_t)((semicolon ? semicolon : end) - element.data)};
	name = span_trim(name);
	if (!name.len || span_is_nocase(name, "identity")) {
		return false;
	}
	const char *equals = semicolon ? memchr(semicolon, '=', (size_t)(end - semicolon)) : NULL;
	for (const char *p = equals ? equals + 1 : end; p < end; p++) {
		if (*p >= '1' && *p <= '9') {
			return true;
		}
	}
	return !equals;
}

bool head_accepts_codings(const struct http_head *head)
{
	for (size_t i = 0; i < head->n_fields; i++) {
		struct span list = head->fields[i].value, element;
		if (!span_is_nocase(head->fields[i].name, "accept-encoding")) {
			continue;
		}
		while (http_list_next(&list, &element)) {
			if (accepts_coding(element)) {
				return true;
			}
		}
	}
	return false;
}

bool head_is_coded(const struct http_head *head)
{
	for (size_t i = 0; i < head->n_fields; i++) {
		if (span_is_nocase(head->fields[i].name, "content-encoding") &&
		        !span_is_nocase(head->fields[i].value, "identity")) {
			return true;
		}
	}
	return false;
}

bool head_binds_body(const struct http_head *head)
{
	static const char *const names[] = {"content-md5", "digest", "content-digest",
	        "repr-digest", "signature", "x-signature", "x-amz-content-sha256",
	        "idempotency-key"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (http_field(head, names[i]).data) {
			return true;
		}
	}
	return false;
}

char *head_coding(const struct http_head *head)
{
	struct buf list = {0};
	for (size_t i = 0; i < head->n_fields && head_is_coded(head); i++) {
		if (span_is_nocase(head->fields[i].name, "content-encoding")) {
			buf_append_str(&list, list.len ? ", " : "");
			buf_append_span(&list, head->fields[i].value);
		}
	}
	return list.len ? buf_steal(&list) : NULL;
}
