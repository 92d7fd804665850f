#include "capture/formats/import_formats.h"

#include <string.h>

#define ENTRY(name) &import_format_##name,
static const struct import_format *const FORMATS[] = {IMPORT_FORMATS(ENTRY)};
#undef ENTRY

const struct import_format *const *import_formats(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(FORMATS);
	return FORMATS;
}

const struct import_format *import_format_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(FORMATS); i++) {
		if (strcmp(FORMATS[i]->name, name) == 0) {
			return FORMATS[i];
		}
	}
	return NULL;
}

const struct import_format *import_format_of(const struct sniff *s)
{
	for (size_t i = 0; i < ARRAY_LEN(FORMATS); i++) {
		if (FORMATS[i]->fits(s)) {
			return FORMATS[i];
		}
	}
	return NULL;
}
