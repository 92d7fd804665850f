#include "proxy/exposition.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void exposition_describe(struct buf *to, const char *name, const char *type, const char *help)
{
	buf_printf(to, "# HELP plumbline_%s %s\n# TYPE plumbline_%s %s\n", name, help, name, type);
}

/* Appends the text as a label's value. */
static void put_label(struct buf *to, const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' || *text == '"') {
			buf_append_char(to, '\\');
		}
		if (*text == '\n') {
			buf_append_str(to, "\\n");
		} else {
			buf_append_char(to, *text);
		}
	}
}

void exposition_sample(struct buf *to, const char *name, uint64_t v, ...)
{
	const char *before = "{", *label;
	va_list args;
	buf_printf(to, "plumbline_%s", name);
	va_start(args, v);
	while ((label = va_arg(args, const char *))) {
		const char *value = va_arg(args, const char *);
		if (value) {
			buf_printf(to, "%s%s=\"", before, label);
			put_label(to, value);
			buf_append_char(to, '"');
			before = ",";
		}
	}
	va_end(args);
	buf_printf(to, "%s %" PRIu64 "\n", *before == ',' ? "}" : "", v);
}

void exposition_value(
        struct buf *to, const char *name, const char *type, const char *help, uint64_t v)
{
	exposition_describe(to, name, type, help);
	exposition_sample(to, name, v, NULL);
}

/* name{label="value",le="bound"} and so on. */
static void begin_line(struct buf *to, const char *name, const char *what, const char *label,
        const char *value, const char *bound)
{
	buf_printf(to, "plumbline_%s_%s", name, what);
	if (label || bound) {
		buf_append_char(to, '{');
	}
	if (label) {
		buf_printf(to, "%s=\"", label);
		put_label(to, value);
		buf_append_str(to, bound ? "\"," : "\"}");
	}
	if (bound) {
		buf_printf(to, "le=\"%s\"}", bound);
	}
	buf_append_char(to, ' ');
}

void exposition_histogram(struct buf *to, const char *name, const char *label, const char *value,
        const struct buckets *b)
{
	struct buckets_figures f;
	buckets_figures(b, &f);
	for (size_t i = 0; i <= b->bounds->n; i++) {
		char bound[32] = "+Inf";
		if (i < b->bounds->n) {
			snprintf(bound, sizeof(bound), "%g", (double)b->bounds->us[i] / 1e6);
		}
		begin_line(to, name, "bucket", label, value, bound);
		buf_printf(to, "%" PRIu64 "\n", f.counts[i]);
	}
	begin_line(to, name, "sum", label, value, NULL);
	buf_printf(to, "%.6f\n", (double)f.sum / 1e6);
	begin_line(to, name, "count", label, value, NULL);
	buf_printf(to, "%" PRIu64 "\n", f.counts[b->bounds->n]);
}
