#include "base/json_writer.h"

#include "base/json_text.h"

static void put_string(struct json_writer *w, struct span value)
{
	if (w->style == JSON_STYLE_ASCII) {
		json_put_ascii_string(w->to, value);
	} else {
		json_put_string(w->to, value);
	}
}

static void begin_line(struct json_writer *w)
{
	if (w->style == JSON_STYLE_INDENTED) {
		buf_printf(w->to, "\n%*s", (int)w->depth * 2, "");
	}
}

void json_writer_begin(struct json_writer *w, struct span key)
{
	bool spaced = w->style == JSON_STYLE_SPACED || w->style == JSON_STYLE_ASCII;
	if (w->comma) {
		buf_append_str(w->to, spaced ? ", " : ",");
	}
	w->comma = true;
	if (w->depth > 0) {
		begin_line(w);
	}
	if (key.data) {
		put_string(w, key);
		buf_append_str(w->to, w->style == JSON_STYLE_COMPACT ? ":" : ": ");
	}
}

void json_writer_open(struct json_writer *w, const char *key, char bracket)
{
	json_writer_begin(w, span_of(key));
	buf_append_char(w->to, bracket);
	w->depth++;
	w->comma = false;
}

void json_writer_close(struct json_writer *w, const char *brackets)
{
	for (; *brackets; brackets++) {
		w->depth--;
		if (w->comma) {
			begin_line(w);
		}
		buf_append_char(w->to, *brackets);
		w->comma = true;
	}
}

void json_writer_string(struct json_writer *w, const char *key, struct span value)
{
	json_writer_begin(w, span_of(key));
	put_string(w, value);
}

void json_writer_text(struct json_writer *w, const char *key, const char *value)
{
	if (value) {
		json_writer_string(w, key, span_of(value));
	} else {
		json_writer_null(w, key);
	}
}

void json_writer_integer(struct json_writer *w, const char *key, int64_t value)
{
	json_writer_begin(w, span_of(key));
	if (value < 0) {
		buf_append_char(w->to, '-');
	}
	buf_append_number(w->to, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void json_writer_count(struct json_writer *w, const char *key, uint64_t value)
{
	json_writer_begin(w, span_of(key));
	buf_append_number(w->to, value);
}

void json_writer_number(struct json_writer *w, const char *key, double value)
{
	json_writer_begin(w, span_of(key));
	json_put_number(w->to, value);
}

void json_writer_bool(struct json_writer *w, const char *key, bool value)
{
	json_writer_raw(w, key, value ? SPAN("true") : SPAN("false"));
}

void json_writer_null(struct json_writer *w, const char *key)
{
	json_writer_raw(w, key, SPAN("null"));
}

void json_writer_raw(struct json_writer *w, const char *key, struct span value)
{
	if (value.len) {
		json_writer_begin(w, span_of(key));
		buf_append_span(w->to, value);
	}
}

void json_writer_hex(struct json_writer *w, const char *key, const uint8_t *bytes, size_t n)
{
	json_writer_begin(w, span_of(key));
	buf_append_char(w->to, '"');
	buf_append_hex(w->to, bytes, n);
	buf_append_char(w->to, '"');
}

void json_writer_printf(struct json_writer *w, const char *key, const char *format, ...)
{
	va_list args;
	json_writer_begin(w, span_of(key));
	va_start(args, format);
	buf_vprintf(w->to, format, args);
	va_end(args);
}
