#include "analyzer/part_set.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/rows/row_reader.h"
#include "analyzer/rows/row_writer.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/plural.h"

#define NAMED_LIMIT 8 /* the most missing parts that are named */

/* Returns false if the key was there already. */
static bool keys_add(struct hash_table *keys, uint64_t key)
{
	static const struct hash_layout LAYOUT = {sizeof(key), sizeof(key)};
	bool is_new;
	key = key ? key : 1;
	(void)hash_table_add(keys, LAYOUT, &key, &is_new);
	return is_new;
}

static bool lists_equal(const struct text_list *a, const struct text_list *b)
{
	bool equal = a->n == b->n;
	for (size_t i = 0; i < a->n && equal; i++) {
		equal = strcmp(a->items[i], b->items[i]) == 0;
	}
	return equal;
}

static bool chosen_alike(const struct part_row *a, const struct part_row *b)
{
	return lists_equal(&a->where, &b->where) &&
	       span_equal(span_of(a->base), span_of(b->base)) &&
	       span_equal(span_of(a->test), span_of(b->test)) && a->since_ns == b->since_ns &&
	       a->until_ns == b->until_ns && a->by == b->by;
}

static char *take_first_part(struct part_set *s, const struct part_row *part)
{
	struct selection *selection = &s->to->selection;
	s->of = part->of;
	s->held = xcalloc(part->of, sizeof(*s->held));
	s->first = *part;
	s->to->by = part->by;
	selection->since_ns = part->since_ns;
	selection->until_ns = part->until_ns;
	selection->filters.known = SELECTION_KEYS;
	for (size_t i = 0; i < part->where.n; i++) {
		char *problem = filters_parse(&selection->filters, part->where.items[i]);
		if (problem) {
			return problem;
		}
	}
	return NULL;
}

static char *begin_part(struct part_set *s, const struct part_row *part)
{
	if (part->version != ROWS_VERSION) {
		return xasprintf("the rows have version %" PRIu32 "; this program reads version %d",
		        part->version, ROWS_VERSION);
	}
	if (s->open) {
		return xasprintf("part %" PRIu32 " begins, and part %" PRIu32 " has not ended: "
		                 "the file is cut before this line",
		        part->part, s->open);
	}
	if (part->of == 0 || part->of > PARTS_LIMIT || part->part == 0 || part->part > part->of) {
		return xasprintf("there is no part %" PRIu32 " of %" PRIu32, part->part, part->of);
	}
	char *problem = s->of ? NULL : take_first_part(s, part);
	if (problem) {
		return problem;
	}
	if (part->of != s->of) {
		return xasprintf(
		        "a part of %" PRIu32 ", and others are of %" PRIu32, part->of, s->of);
	}
	if (memcmp(part->capture, s->first.capture, sizeof(part->capture)) != 0) {
		return xstrdup("the part is of another capture than the parts before, or of "
		               "another state of it");
	}
	if (!chosen_alike(part, &s->first)) {
		return xstrdup("the rows have another selection than those before: --base, --test, "
		               "--since, --until, --where and --by must be the same for all parts");
	}
	if (s->held[part->part - 1].begun) {
		return xasprintf(
		        "part %" PRIu32 " of %" PRIu32 " is given twice", part->part, part->of);
	}
	s->held[part->part - 1].begun = true;
	s->first = part->part < s->first.part ? *part : s->first;
	s->n++;
	s->open = part->part;
	s->rows = 0;
	return NULL;
}

static char *end_part(struct part_set *s, const struct part_end *end)
{
	if (end->part != s->open || end->of != s->of) {
		return xasprintf("part %" PRIu32 " of %" PRIu32 " ends, but another one began",
		        end->part, end->of);
	}
	if (end->rows != s->rows) {
		return xasprintf("the part was written with %" PRIu64
		                 " %s, and the file has %" PRIu64,
		        end->rows, plural(end->rows, "row", "rows"), s->rows);
	}
	struct capture_figures *figures = &s->to->figures;
	s->held[s->open - 1].problems = end->problems;
	s->open = 0;
	fold_counts(s->to, &end->counts, &end->repeated);
	figures->segments = MAX(figures->segments, end->segments);
	figures->refused = MAX(figures->refused, end->refused_segments);
	figures->damaged_rows = MAX(figures->damaged_rows, end->damaged_rows);
	return NULL;
}

static char *take_row(struct part_set *s, const struct row *row)
{
	if (!s->open) {
		return xstrdup("a row comes before the beginning of its part");
	}
	if (row_table(row->type)->is_named && !keys_add(&s->keys, row_key(row))) {
		return xstrdup("the row is given twice");
	}
	s->rows++;
	fold_row(s->to, row, NULL);
	return NULL;
}

char *part_set_read(struct part_set *s, struct span line)
{
	struct row row;
	arena_clear(&s->row_texts);
	char *problem = row_read(line, &s->row_texts, &row);
	if (problem || (row.type != PART_ROW && row.type != END_ROW)) {
		return problem ? problem : take_row(s, &row);
	}
	/* Reads the row again, this time into texts that are kept. */
	problem = row_read(line, &s->texts, &row);
	if (problem) {
		return problem;
	}
	return row.type == PART_ROW ? begin_part(s, &row.part) : end_part(s, &row.end);
}

char *part_set_end_file(const struct part_set *s)
{
	return s->open ? xasprintf("the file is cut: part %" PRIu32 " does not end", s->open)
	               : NULL;
}

char *part_set_end(const struct part_set *s, bool partial)
{
	uint32_t missing = 0;
	if (s->of == 0) {
		return xstrdup("the files of --from-pairs hold no row");
	}
	while (missing < s->of && s->held[missing].begun) {
		missing++;
	}
	return missing == s->of || partial
	               ? NULL
	               : xasprintf("part %" PRIu32 " of %" PRIu32
	                           " is missing; --partial uses only the others",
	                         missing + 1, s->of);
}

static bool has_text(const struct text_list *list, const char *text)
{
	size_t i = 0;
	while (i < list->n && strcmp(list->items[i], text) != 0) {
		i++;
	}
	return i < list->n;
}

/* "parts 2, 5 of 8 are missing: the figures are only of the others" */
static char *missing_text(const struct part_set *s)
{
	struct buf text = {0};
	uint32_t missing = s->of - s->n, named = 0;
	buf_append_str(&text, plural(missing, "part", "parts"));
	for (uint32_t i = 0; i < s->of && named < NAMED_LIMIT; i++) {
		if (!s->held[i].begun) {
			buf_printf(&text, "%s %" PRIu32, named++ > 0 ? "," : "", i + 1);
		}
	}
	if (missing > named) {
		buf_printf(&text, " and %" PRIu32 " more", missing - named);
	}
	buf_printf(&text, " of %" PRIu32 " %s missing: the figures are only of the others", s->of,
	        plural(missing, "is", "are"));
	return buf_steal(&text);
}

struct text_list part_set_problems(struct part_set *s)
{
	struct text_list all = {0};
	const char **items = NULL;
	if (s->n < s->of) {
		char *text = missing_text(s);
		items = xcalloc(1, sizeof(*items));
		items[all.n++] = arena_text(&s->texts, (struct span){text, strlen(text)});
		all.items = items;
		free(text);
	}
	for (uint32_t part = 0; part < s->of; part++) {
		const struct text_list *own = &s->held[part].problems;
		for (size_t i = 0; i < own->n; i++) {
			if (!has_text(&all, own->items[i])) {
				items = xrealloc(items, (all.n + 1) * sizeof(*items));
				items[all.n++] = own->items[i];
				all.items = items;
			}
		}
	}
	free(s->problems);
	s->problems = items;
	return all;
}

void part_set_finish(struct part_set *s)
{
	arena_finish(&s->texts);
	arena_finish(&s->row_texts);
	free(s->held);
	free(s->problems);
	hash_table_finish(&s->keys);
}
