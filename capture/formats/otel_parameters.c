#include "capture/formats/otel_parameters.h"

#include "capture/formats/otel_calls.h"
#include "capture/formats/otel_value.h"

/* Numbers, except the last two. */
static const struct {
	enum otel_attribute attribute;
	const char *member;
} MEMBERS[] = {
        {OTEL_TEMPERATURE, "temperature"},
        {OTEL_TOP_P, "top_p"},
        {OTEL_MAX_TOKENS, "max_tokens"},
        {OTEL_SEED, "seed"},
        {OTEL_FREQUENCY_PENALTY, "frequency_penalty"},
        {OTEL_PRESENCE_PENALTY, "presence_penalty"},
        {OTEL_STOP, "stop"},
        {OTEL_TOOLS, "tools"},
};

/* What tools were offered. */
static bool put_tools(struct span value, struct buf *to)
{
	struct buf list = {0};
	bool is_text;
	bool good = otel_value_open(value, &list, &is_text) == JSON_ARRAY &&
	            otel_tools_put(buf_span(&list), to);
	buf_finish(&list);
	return good;
}

static bool put_value(enum otel_attribute attribute, struct span value, struct buf *to)
{
	return attribute == OTEL_STOP    ? otel_value_texts(value, to)
	       : attribute == OTEL_TOOLS ? put_tools(value, to)
	                                 : otel_value_number(value, to);
}

bool otel_parameters_put(const struct otel_attributes *told, struct buf *to)
{
	bool good = true;
	for (size_t i = 0; i < ARRAY_LEN(MEMBERS); i++) {
		struct span value = told->values[MEMBERS[i].attribute];
		size_t before = to->len;
		if (!value.len) {
			continue;
		}
		buf_printf(to, "%s\"%s\":", before ? "," : "", MEMBERS[i].member);
		if (!put_value(MEMBERS[i].attribute, value, to)) {
			to->len = before;
			good = false;
		}
	}
	return good;
}
