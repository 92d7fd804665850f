#include "capture/privacy/redact_ranges.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"

#define RANGES_LIMIT ((size_t)1 << 21)

void redact_ranges_add(struct redact_ranges *f, size_t from, size_t to, int kind)
{
	if (f->n == RANGES_LIMIT) {
		f->error = -E2BIG;
	} else if (!claim_item(f->claim, &f->ranges, f->n, &f->cap, sizeof(*f->ranges))) {
		f->error = -ENOMEM;
	} else {
		f->ranges[f->n++] = (struct range){from, to, kind};
	}
}

/* Adds a match that was found in a view. Its offsets are mapped back through all views to the
 * original text. */
static void add_match(
        struct redact_ranges *f, unsigned level, size_t offset, size_t from, size_t to, int kind)
{
	while (level > 0) {
		level--;
		from = redact_view_source(&f->views[level], from);
		to = redact_view_source(&f->views[level], to);
	}
	redact_ranges_add(f, offset + from, offset + to, kind);
}

static void find_patterns(struct redact_ranges *f, struct span text, unsigned level, size_t offset)
{
	f->scratch = f->scratch ? f->scratch : pattern_scratch_create();
	for (size_t i = 0; i < f->policy->n_patterns && !f->error; i++) {
		size_t from = 0, to = 0;
		int found = 1;
		for (size_t at = 0; at < text.len && found > 0 && !f->error; at = to) {
			found = pattern_find(
			        f->policy->patterns[i], f->scratch, text, at, &from, &to);
			if (found > 0) {
				add_match(f, level, offset, from, to, KIND_PATTERN);
			}
			f->error = !f->error && clock_thread() > f->deadline ? -E2BIG : f->error;
		}
		if (found < 0) {
			add_match(f, level, offset, 0, text.len, KIND_PATTERN);
		}
	}
}

static void find_at_level(struct redact_ranges *f, struct span text, unsigned level, size_t offset)
{
	struct secret_match m;
	for (size_t at = 0; !f->error && secret_scan_next(text, at, f->policy->secrets, &m);
	        at = m.to) {
		add_match(f, level, offset, m.from, m.to, (int)m.kind);
	}
	if (f->policy->n_patterns) {
		find_patterns(f, text, level, offset);
	}
}

void redact_ranges_in(struct redact_ranges *f, struct span part, size_t offset)
{
	struct span text = part;
	find_at_level(f, text, 0, offset);
	for (unsigned level = 1; level <= REDACT_LEVELS && !f->error; level++) {
		struct redact_view *v = &f->views[level - 1];
		int made = redact_view_make(v, text, f->claim);
		if (made <= 0) {
			f->error = made < 0 ? made : f->error;
			break;
		}
		text = buf_span(&v->text);
		find_at_level(f, text, level, offset);
	}
}

static int by_place(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	int order = (x->from > y->from) - (x->from < y->from);
	return order ? order : (x->to < y->to) - (x->to > y->to);
}

bool redact_ranges_sort(struct redact_ranges *f, size_t first)
{
	/* qsort() works in a copy. */
	size_t n = f->n - first, scratch = n * sizeof(*f->ranges);
	if (!claim_take(f->claim, scratch)) {
		f->error = -ENOMEM;
		return false;
	}
	if (n > 0) {
		qsort(f->ranges + first, n, sizeof(*f->ranges), by_place);
	}
	claim_give(f->claim, scratch);
	return true;
}

static bool is_inside_character(struct span text, size_t at)
{
	return at < text.len && ((unsigned char)text.data[at] & 0xc0) == 0x80;
}

/* Returns the start of the escape that would be broken if the text from `at` on were removed:
 * the whole escape is then removed. */
static size_t escape_start(struct span text, size_t at, size_t least)
{
	size_t p = at;
	while (p > least && text.data[p - 1] == '\\') {
		p--;
	}
	return (at - p) % 2 ? at - 1 : at;
}

void redact_ranges_merge(struct redact_ranges *f, struct span text)
{
	size_t n = 0;
	if (!redact_ranges_sort(f, 0)) {
		return;
	}
	for (size_t i = 0; i < f->n; i++) {
		struct range r = f->ranges[i];
		while (r.from && is_inside_character(text, r.from)) {
			r.from--;
		}
		while (is_inside_character(text, r.to)) {
			r.to++;
		}
		struct range *last = n ? &f->ranges[n - 1] : NULL;
		size_t least = last ? last->to : 0;
		if (r.kind != KIND_MEMBER && r.from > least) {
			r.from = escape_start(text, r.from, least);
		}
		/* Adjacent private members in one channel are parts of one text. */
		bool is_continuation = last && last->kind == KIND_MEMBER && r.kind == KIND_MEMBER &&
		                       r.from == last->to;
		if (last && (r.from < last->to || is_continuation)) {
			last->to = MAX(last->to, r.to);
		} else if (r.to > r.from) {
			f->ranges[n++] = r;
		}
	}
	f->n = n;
}

void redact_ranges_finish(struct redact_ranges *f)
{
	for (unsigned i = 0; i < REDACT_LEVELS; i++) {
		redact_view_finish(&f->views[i]);
	}
	pattern_scratch_destroy(f->scratch);
	free(f->ranges);
}
