#include "capture/formats/format.h"

#include <string.h>

static const struct format *const FORMATS[] = {
        &format_infer_check,
        &format_lm_eval,
        &format_har,
        &format_sharegpt,
        &format_batch,
        &format_gor,
        &format_otel,
};

const struct format *const *formats(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(FORMATS);
	return FORMATS;
}

const struct format *format_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(FORMATS); i++) {
		if (strcmp(FORMATS[i]->name, name) == 0) {
			return FORMATS[i];
		}
	}
	return NULL;
}

const struct format *format_of(const struct sniff *s)
{
	for (size_t i = 0; i < ARRAY_LEN(FORMATS); i++) {
		if (FORMATS[i]->fits(s)) {
			return FORMATS[i];
		}
	}
	return NULL;
}
