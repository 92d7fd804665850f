#include "base/error_tally.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/mem.h"

void error_tally_add(struct error_tally *r, const char *why)
{
	error_tally_add_many(r, why, 1);
}

static void add(struct error_tally *r, const char *why, size_t kind, uint64_t n)
{
	r->total += n;
	for (size_t i = 0; i < r->n; i++) {
		bool last = r->n == ERROR_TALLY_LIMIT && i + 1 == r->n;
		if (last || strcmp(r->items[i].why, why) == 0) {
			r->items[i].n += n;
			return;
		}
	}
	bool last = r->n + 1 == ERROR_TALLY_LIMIT;
	char *text = xstrdup(last ? "for other reasons" : why);
	r->items[r->n++] = (struct error_count){text, text + (last ? 0 : kind), n};
}

void error_tally_add_many(struct error_tally *r, const char *why, uint64_t n)
{
	add(r, why, 0, n);
}

/* Each line is a separate reason; too many of them would leave no room for other reasons. */
void error_tally_add_at(struct error_tally *r, const char *path, uint64_t line, const char *why)
{
	char *text = r->n < ERROR_TALLY_PLACES ? xasprintf("%s:%" PRIu64 ": %s", path, line, why)
	                                       : xasprintf("%s, further lines: %s", path, why);
	add(r, text, strlen(text) - strlen(why), 1);
	free(text);
}

void error_tally_merge(struct error_tally *r, const struct error_tally *other)
{
	for (size_t i = 0; i < other->n; i++) {
		const struct error_count *each = &other->items[i];
		add(r, each->why, (size_t)(each->kind - each->why), each->n);
	}
}

uint64_t error_tally_of_kind(const struct error_tally *r, size_t i)
{
	uint64_t n = 0;
	for (size_t k = 0; k < r->n; k++) {
		if (strcmp(r->items[k].kind, r->items[i].kind) != 0) {
			continue;
		}
		if (k < i) {
			return 0;
		}
		n += r->items[k].n;
	}
	return n;
}

void error_tally_print(const struct error_tally *r, const char *before, const char *what, FILE *to)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct error_count *first = &r->items[i];
		uint64_t n = error_tally_of_kind(r, i);
		int place = (int)(first->kind - first->why);
		if (n == first->n || place == 0) {
			fprintf(to, "%s%" PRIu64 " %s: %s\n", before, first->n, what, first->why);
		} else if (n > 0) {
			fprintf(to, "%s%" PRIu64 " %s: %s (the first: %.*s)\n", before, n, what,
			        first->kind, place - 2, first->why);
		}
	}
}

void error_tally_json(const struct error_tally *r, const char *key, struct json_writer *w)
{
	json_writer_open(w, key, '[');
	for (size_t i = 0; i < r->n; i++) {
		json_writer_open(w, NULL, '{');
		json_writer_text(w, "why", r->items[i].why);
		json_writer_count(w, "n", r->items[i].n);
		json_writer_close(w, "}");
	}
	json_writer_close(w, "]");
}

void error_tally_finish(struct error_tally *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->items[i].why);
	}
	*r = (struct error_tally){0};
}
