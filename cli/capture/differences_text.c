#include "cli/capture/differences_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/terminal.h"
#include "base/sanitize_text.h"
#include "answers/first_difference.h"

#define NAME_LIMIT 24 /* characters of a backend's name */

/* Writes the text around the byte `at`, on one line of the terminal. width: of the names. */
static void put_excerpt(struct buf *to, const char *name, size_t width, struct span text, size_t at)
{
	/* the line without the column of names, its blanks, two ellipses and the sign */
	size_t side = (terminal_width(STDOUT_FILENO) - width - 7) / 2;
	size_t from = at > side ? at - side : 0, until = MIN(text.len, at + side);
	/* Do not cut within a UTF-8 character. */
	while (from < at && ((uint8_t)text.data[from] & 0xc0) == 0x80) {
		from++;
	}
	while (until < text.len && ((uint8_t)text.data[until] & 0xc0) == 0x80) {
		until++;
	}
	size_t begin = to->len;
	buf_append_str(to, "  ");
	sanitize_put(to, span_of(name), NAME_LIMIT);
	while (to->len < begin + width + 4) {
		buf_append_char(to, ' ');
	}
	buf_append_str(to, from ? "…" : "");
	sanitize_put(to, (struct span){text.data + from, at - from}, SIZE_MAX);
	buf_append_str(to, "⟂");
	sanitize_put(to, (struct span){text.data + at, until - at}, SIZE_MAX);
	buf_append_str(to, until < text.len ? "…" : "");
	buf_append_char(to, '\n');
}

static bool is_same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool are_calls_equal(const struct choice *x, const struct choice *y)
{
	bool equal = x->n_calls == y->n_calls;
	for (size_t i = 0; equal && i < x->n_calls; i++) {
		equal = is_same_text(x->calls[i].name, y->calls[i].name) &&
		        is_same_text(x->calls[i].arguments, y->calls[i].arguments);
	}
	return equal;
}

/* What else differs. */
static void put_differences(struct buf *to, const struct choice *x, const struct choice *y)
{
	if (!span_equal(buf_span(&x->reasoning), buf_span(&y->reasoning))) {
		buf_append_str(to, ", the reasoning differs");
	}
	if (!are_calls_equal(x, y)) {
		buf_append_str(to, ", the tool calls differ");
	} else if (x->n_calls) {
		buf_append_str(to, ", the tool calls are equal");
	}
	if (!is_same_text(x->finish, y->finish)) {
		buf_append_str(to, ", finish ");
		sanitize_put(to, span_of(x->finish ? x->finish : "-"), NAME_LIMIT);
		buf_append_str(to, " against ");
		sanitize_put(to, span_of(y->finish ? y->finish : "-"), NAME_LIMIT);
	}
}

static void put_first_difference(struct buf *to, const struct leg_row *a, const struct choice *x,
        const struct leg_row *b, const struct choice *y, bool several)
{
	const char *left = a->backend ? a->backend : "?", *right = b->backend ? b->backend : "?";
	struct first_difference p;
	first_difference_find(x, y, &p);
	buf_append_char(to, '\n');
	sanitize_put(to, span_of(left), NAME_LIMIT);
	buf_append_str(to, " and ");
	sanitize_put(to, span_of(right), NAME_LIMIT);
	buf_append_str(to, b->repeat ? " (repeated)" : "");
	if (several) {
		buf_printf(to, ", choice %" PRId32, x->index);
	}
	if (p.text_equal) {
		buf_append_str(to, ": the texts are equal");
	} else {
		buf_printf(to, ": texts differ (⟂) from byte %zu", p.first_byte + 1);
	}
	if (p.has_tokens && p.tokens_differ) {
		buf_printf(to, "%s %" PRIu32, p.text_equal ? ", tokens differ from" : ", token",
		        p.first_token + 1);
	}
	put_differences(to, x, y);
	buf_append_char(to, '\n');
	if (!p.text_equal) {
		size_t width = MIN(MAX(strlen(left), strlen(right)), (size_t)NAME_LIMIT);
		put_excerpt(to, left, width, buf_span(&x->text), p.first_byte);
		put_excerpt(to, right, width, buf_span(&y->text), p.first_byte);
	}
	if (p.has_tokens) {
		buf_printf(to,
		        "  %" PRIu32 " token position%s can be compared (of %" PRIu32
		        " and %" PRIu32 ")\n",
		        p.comparable, plural(p.comparable, "", "s"), x->columns.n, y->columns.n);
	}
}

/* Compares the choices that have the same index. */
static void put_choices_differences(struct buf *to, const struct leg_row *a,
        const struct reading *x, const struct leg_row *b, const struct reading *y)
{
	for (size_t i = 0; i < x->n_choices; i++) {
		for (size_t k = 0; k < y->n_choices; k++) {
			if (x->choices[i].index == y->choices[k].index) {
				put_first_difference(to, a, &x->choices[i], b, &y->choices[k],
				        x->n_choices > 1 || y->n_choices > 1);
			}
		}
	}
}

/* True if the text about an earlier leg is the same. */
static bool is_repeated(const struct buf *texts, size_t at)
{
	bool found = false;
	for (size_t i = 0; i < at && !found; i++) {
		found = span_equal(buf_span(&texts[i]), buf_span(&texts[at]));
	}
	return found && texts[at].len > 0;
}

void differences_text_put(
        struct buf *to, const struct capture_exchange *e, struct reading **readings)
{
	size_t base = 0;
	for (size_t i = e->n_legs; i-- > 0;) {
		if (e->legs[i].row.role == ROLE_PRIMARY) {
			base = i;
		}
	}
	struct buf *texts = xcalloc(e->n_legs + 1, sizeof(*texts));
	for (size_t i = 0; i < e->n_legs; i++) {
		const struct leg_row *row = &e->legs[i].row;
		bool is_answer = !(row->marks & LEG_SCORED);
		if (is_answer && i != base && readings[base] && readings[i]) {
			struct leg_row without_repeat = *row;
			without_repeat.repeat = 0;
			put_choices_differences(&texts[i], &e->legs[base].row, readings[base],
			        &without_repeat, readings[i]);
			if (row->repeat && is_repeated(texts, i)) {
				buf_append_str(to, "The same holds for ");
				sanitize_put(
				        to, span_of(row->backend ? row->backend : "?"), NAME_LIMIT);
				buf_append_str(to, " (repeated).\n");
			} else {
				put_choices_differences(
				        to, &e->legs[base].row, readings[base], row, readings[i]);
			}
		}
	}
	for (size_t i = 0; i < e->n_legs; i++) {
		buf_finish(&texts[i]);
	}
	free(texts);
}
