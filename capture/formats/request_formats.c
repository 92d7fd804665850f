#include "capture/formats/request_formats.h"

#define ENTRY(name) &request_format_##name,
static const struct request_format *const FORMATS[] = {REQUEST_FORMATS(ENTRY)};
#undef ENTRY

const struct request_format *const *request_formats(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(FORMATS);
	return FORMATS;
}

const struct request_format *request_format_of(const struct sniff *s)
{
	for (size_t i = 0; i < ARRAY_LEN(FORMATS); i++) {
		const struct request_format *f = FORMATS[i];
		if (f->answers ? f->answers->fits(s) : f->fits(s)) {
			return f;
		}
	}
	return NULL;
}
