#include "backends/engine_signs.h"

#include <stdlib.h>
#include <string.h>

#include "base/http.h"
#include "base/mem.h"

const json_t *json_member_at(const json_t *value, const char *path)
{
	while (value && *path) {
		size_t len = strcspn(path, ".");
		if (json_is_array(value)) {
			value = strspn(path, "0123456789") == len
			                ? json_array_get(value, strtoul(path, NULL, 10))
			                : NULL;
		} else {
			char *key = xstrndup(path, len);
			value = json_object_get(value, key);
			free(key);
		}
		path += len + (path[len] == '.');
	}
	return value;
}

static bool equals_text(const json_t *value, const char *text)
{
	const char *string = json_string_value(value);
	if (string) {
		return strcmp(string, text) == 0;
	}
	char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	bool same = dumped && strcmp(dumped, text) == 0;
	free(dumped);
	return same;
}

static bool begins(struct span s, const char *with)
{
	size_t len = strlen(with);
	return s.data && s.len >= len && memcmp(s.data, with, len) == 0;
}

/* Whether an object lacks a member. In a list of models the first entry must exist. */
static bool is_absent(const json_t *answer, const char *path)
{
	const char *dot = strrchr(path, '.');
	char *parent = dot ? xstrndup(path, (size_t)(dot - path)) : xstrdup("");
	bool absent =
	        json_is_object(json_member_at(answer, parent)) && !json_member_at(answer, path);
	free(parent);
	return absent;
}

static bool is_json(struct span body)
{
	json_t *answer = body.len ? json_loadb(body.data, body.len, 0, NULL) : NULL;
	json_decref(answer);
	return answer != NULL;
}

static bool body_matches(const struct sign *sign, struct span body)
{
	json_t *answer = json_loadb(body.data, body.len, 0, NULL);
	if (!answer) {
		return false;
	}
	const json_t *value = json_member_at(answer, sign->member);
	bool found;
	switch (sign->kind) {
	case SIGN_STARTS:
		found = json_is_string(value) &&
		        begins(span_of(json_string_value(value)), sign->value);
		break;
	case SIGN_ABSENT:
		found = is_absent(answer, sign->member);
		break;
	default:
		found = value && (!sign->value || equals_text(value, sign->value));
		break;
	}
	json_decref(answer);
	return found;
}

static bool head_matches(const struct sign *sign, struct span head)
{
	struct http_field field;
	while (http_lines_next(&head, &field)) {
		if (span_is_nocase(field.name, sign->member) &&
		        (!sign->value || begins(field.value, sign->value))) {
			return true;
		}
	}
	return false;
}

bool dialect_match(const struct sign *sign, int status, struct span head, struct span body)
{
	switch (sign->kind) {
	case SIGN_MEMBER:
	case SIGN_STARTS:
	case SIGN_ABSENT:
		return status / 100 == 2 && body.len > 0 && body_matches(sign, body);
	case SIGN_HEADER:
		return head_matches(sign, head);
	case SIGN_SERVED:
		return status / 100 == 2 && (!body.len || is_json(body)) &&
		       head_matches(sign, head);
	case SIGN_TEXT:
		return body.len > 0 &&
		       memmem(body.data, body.len, sign->value, strlen(sign->value));
	case SIGN_ANSWERS:
		return status == 200;
	case SIGN_END:
		break;
	}
	return false;
}

const struct dialect *dialect_of_fingerprint(const char *fingerprint)
{
	size_t n;
	const struct dialect *const *all = dialects(&n);
	for (size_t i = 0; i < n; i++) {
		if (all[i]->fingerprint && begins(span_of(fingerprint), all[i]->fingerprint)) {
			return all[i];
		}
	}
	return NULL;
}
