#include "proxy/settings/json_out.h"

#include "base/json_text.h"

static void begin_line(struct json_out *o)
{
	if (o->depth > 0) {
		buf_printf(&o->text, "\n%*s", (int)o->depth * 2, "");
	}
}

static void begin_value(struct json_out *o, const char *key)
{
	if (o->has_members) {
		buf_append_char(&o->text, ',');
	}
	o->has_members = true;
	begin_line(o);
	if (key) {
		json_put_string(&o->text, span_of(key));
		buf_append_str(&o->text, ": ");
	}
}

void json_out_begin(struct json_out *o, const char *key, char bracket)
{
	begin_value(o, key);
	buf_append_char(&o->text, bracket);
	o->depth++;
	o->has_members = false;
}

void json_out_end(struct json_out *o, char bracket)
{
	o->depth--;
	if (o->has_members) {
		buf_append_char(&o->text, '\n');
		buf_printf(&o->text, "%*s", (int)o->depth * 2, "");
	}
	buf_append_char(&o->text, bracket);
	o->has_members = true;
}

void json_out_string(struct json_out *o, const char *key, const char *value)
{
	begin_value(o, key);
	if (value) {
		json_put_string(&o->text, span_of(value));
	} else {
		buf_append_str(&o->text, "null");
	}
}

void json_out_bool(struct json_out *o, const char *key, bool value)
{
	json_out_raw(o, key, value ? "true" : "false");
}

void json_out_integer(struct json_out *o, const char *key, uint64_t value)
{
	begin_value(o, key);
	buf_append_number(&o->text, value);
}

void json_out_number(struct json_out *o, const char *key, double value)
{
	begin_value(o, key);
	json_put_number(&o->text, value);
}

void json_out_raw(struct json_out *o, const char *key, const char *json)
{
	begin_value(o, key);
	buf_append_str(&o->text, json);
}
