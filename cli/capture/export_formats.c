#include "cli/capture/export_formats.h"

#include <string.h>

#define ENTRY(name) &export_##name,
static const struct export_format *const FORMATS[] = {EXPORT_FORMATS(ENTRY)};
#undef ENTRY

const struct export_format *const *export_formats(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(FORMATS);
	return FORMATS;
}

const struct export_format *export_format_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(FORMATS); i++) {
		if (strcmp(FORMATS[i]->name, name) == 0) {
			return FORMATS[i];
		}
	}
	return NULL;
}
