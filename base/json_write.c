#include "base/json_write.h"

#include "base/buf.h"
#include "base/json_text.h"

/* Larger ones are what malloc() tidies up for when they are given back. */
#define PIECE ((size_t)16 << 10)

struct writer {
	struct buf text;
	unsigned indent, level;
	json_piece_fn fn;
	void *arg;
};

static void flush(struct writer *w)
{
	w->fn(w->arg, w->text.data, w->text.len);
	buf_clear(&w->text);
}

/* Where a member begins, or behind the last one. */
static void put_line(struct writer *w)
{
	if (w->indent > 0) {
		size_t spaces = (size_t)w->indent * w->level;
		char *to = buf_reserve(&w->text, spaces + 1);
		to[0] = '\n';
		memset(to + 1, ' ', spaces);
		w->text.len += spaces + 1;
	}
}

static void begin_member(struct writer *w, bool first)
{
	if (!first) {
		buf_append_char(&w->text, ',');
	}
	put_line(w);
}

static void put_value(struct writer *w, const json_t *value);

static void put_array(struct writer *w, const json_t *array)
{
	size_t n = json_array_size(array);
	buf_append_char(&w->text, '[');
	w->level++;
	for (size_t i = 0; i < n; i++) {
		begin_member(w, i == 0);
		put_value(w, json_array_get(array, i));
	}
	w->level--;
	if (n > 0) {
		put_line(w);
	}
	buf_append_char(&w->text, ']');
}

static void put_object(struct writer *w, const json_t *object)
{
	bool first = true;
	const char *key;
	json_t *value;
	buf_append_char(&w->text, '{');
	w->level++;
	json_object_foreach((json_t *)object, key, value)
	{
		begin_member(w, first);
		first = false;
		json_put_string(&w->text, span_of(key));
		buf_append(&w->text, ": ", w->indent > 0 ? 2 : 1);
		put_value(w, value);
	}
	w->level--;
	if (!first) {
		put_line(w);
	}
	buf_append_char(&w->text, '}');
}

static void put_value(struct writer *w, const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		put_object(w, value);
		break;
	case JSON_ARRAY:
		put_array(w, value);
		break;
	case JSON_STRING:
		json_put_string(&w->text,
		        (struct span){json_string_value(value), json_string_length(value)});
		break;
	case JSON_INTEGER:
		buf_printf(&w->text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		break;
	case JSON_REAL:
		json_put_real(&w->text, json_real_value(value));
		break;
	case JSON_TRUE:
		buf_append_str(&w->text, "true");
		break;
	case JSON_FALSE:
		buf_append_str(&w->text, "false");
		break;
	case JSON_NULL:
		buf_append_str(&w->text, "null");
		break;
	}
	if (w->text.len >= PIECE) {
		flush(w);
	}
}

void json_write(const json_t *value, unsigned indent, json_piece_fn fn, void *arg)
{
	struct writer w = {.indent = indent, .fn = fn, .arg = arg};
	put_value(&w, value);
	flush(&w);
	buf_finish(&w.text);
}

static void put_piece(void *arg, const char *bytes, size_t n)
{
	fwrite(bytes, 1, n, arg);
}

void json_write_file(const json_t *value, unsigned indent, FILE *to)
{
	json_write(value, indent, put_piece, to);
}
