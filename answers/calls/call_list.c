#include "answers/calls/call_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/check.h"

/* Removes a leading "functions.", which states the kind of the name. */
static struct span without_kind(struct span name)
{
	static const char kind[] = "functions.";
	size_t n = sizeof(kind) - 1;
	if (name.len > n && memcmp(name.data, kind, n) == 0) {
		name = (struct span){name.data + n, name.len - n};
	}
	return name;
}

static bool is_name(struct span name)
{
	for (size_t i = 0; i < name.len; i++) {
		if ((unsigned char)name.data[i] <= ' ' || strchr("<>{}\"", name.data[i])) {
			return false;
		}
	}
	return name.len > 0;
}

bool call_list_add(struct call_list *l, struct span id, struct span name, struct span arguments)
{
	name = span_trim(name);
	name = offered_has(l->offered, name) ? name : without_kind(name);
	if (!is_name(name) || (l->offered->n && !offered_has(l->offered, name)) ||
	        call_list_count(l) == READING_CALLS_LIMIT) {
		return false;
	}
	struct tool_call call = {
	        .id = id.len ? span_dup(id) : NULL,
	        .name = span_dup(name),
	        .arguments = arguments.len ? span_dup(arguments) : NULL,
	        .in_text = true,
	};
	buf_append(&l->calls, &call, sizeof(call));
	return true;
}

size_t call_list_count(const struct call_list *l)
{
	return l->calls.len / sizeof(struct tool_call);
}

void call_list_cut(struct call_list *l, size_t kept)
{
	struct tool_call *calls = (struct tool_call *)(void *)l->calls.data;
	for (size_t i = kept; i < call_list_count(l); i++) {
		free(calls[i].id);
		free(calls[i].name);
		free(calls[i].arguments);
	}
	l->calls.len = MIN(l->calls.len, kept * sizeof(*calls));
}

void call_list_finish(struct call_list *l)
{
	call_list_cut(l, 0);
	buf_finish(&l->calls);
	buf_finish(&l->scratch);
}
