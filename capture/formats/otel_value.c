#include "capture/formats/otel_value.h"

#include "base/json_text.h"

json_t *otel_value_number(json_t *plain)
{
	struct span text = otel_text(plain);
	json_t *number = json_is_string(plain)
	                         ? json_loadb(text.data, text.len, JSON_DECODE_ANY, NULL)
	                         : json_incref(plain);
	if (json_is_number(number)) {
		return number;
	}
	json_decref(number);
	return NULL;
}

static json_t *plain_value(json_t *value);

json_t *otel_named_values(json_t *attributes)
{
	json_t *named = json_object(), *value;
	const char *name;
	size_t i;
	json_array_foreach(attributes, i, value) {
		name = json_string_value(json_object_get(value, "key"));
		json_object_set_new(named, name, plain_value(json_object_get(value, "value")));
	}
	json_object_foreach(attributes, name, value) {
		json_object_set_new(named, name, plain_value(value));
	}
	return named;
}

/* The value as plain JSON. NULL: it is malformed. */
static json_t *plain_value(json_t *value)
{
	static const char *const SCALARS[] = {"stringValue", "doubleValue", "boolValue"};
	json_t *inner;
	for (size_t i = 0; i < ARRAY_LEN(SCALARS); i++) {
		if ((inner = json_object_get(value, SCALARS[i]))) {
			return json_incref(inner);
		}
	}
	if ((inner = json_object_get(value, "intValue"))) {
		return otel_value_number(inner); /* OTLP writes 64-bit numbers as strings */
	}
	if ((inner = json_object_get(value, "arrayValue"))) {
		json_t *list = json_array(), *entry;
		size_t i;
		json_array_foreach(json_object_get(inner, "values"), i, entry) {
			json_array_append_new(list, plain_value(entry));
		}
		return list;
	}
	if ((inner = json_object_get(value, "kvlistValue"))) {
		return otel_named_values(json_object_get(inner, "values"));
	}
	return json_incref(value);
}

json_t *otel_value_document(json_t *plain)
{
	struct span text = otel_text(plain);
	json_t *document = text.len ? json_loadb(text.data, text.len, JSON_ALLOW_NUL, NULL) : NULL;
	return document ? document : json_incref(plain);
}

struct span otel_text(const json_t *value)
{
	return (struct span){json_string_value(value), json_string_length(value)};
}

static void put_array(struct buf *to, const json_t *array)
{
	json_t *element;
	size_t i;
	buf_append_char(to, '[');
	json_array_foreach(array, i, element) {
		buf_append_str(to, i ? ", " : "");
		otel_value_put(to, element);
	}
	buf_append_char(to, ']');
}

static void put_object(struct buf *to, json_t *object)
{
	const char *name, *comma = "";
	json_t *value;
	buf_append_char(to, '{');
	json_object_foreach(object, name, value) {
		buf_append_str(to, comma);
		json_put_string(to, span_of(name));
		buf_append_str(to, ": ");
		otel_value_put(to, value);
		comma = ", ";
	}
	buf_append_char(to, '}');
}

void otel_value_put(struct buf *to, const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		put_object(to, (json_t *)value);
		break;
	case JSON_ARRAY:
		put_array(to, value);
		break;
	case JSON_STRING:
		json_put_string(to, otel_text(value));
		break;
	case JSON_INTEGER:
		buf_printf(to, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		break;
	case JSON_REAL:
		json_put_number(to, json_real_value(value));
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		buf_append_str(to, json_is_true(value) ? "true" : "false");
		break;
	case JSON_NULL:
		buf_append_str(to, "null");
		break;
	}
}
