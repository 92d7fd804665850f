#include "capture/formats/input_formats.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define ENTRY(name) &input_format_##name,
static const struct input_format *const FORMATS[] = {INPUT_FORMATS(ENTRY)};
#undef ENTRY

const struct input_format *const *input_formats(size_t *ret_n)
{
	*ret_n = ARRAY_LEN(FORMATS);
	return FORMATS;
}

const struct input_format *input_format_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(FORMATS); i++) {
		if (FORMATS[i]->answers && strcmp(FORMATS[i]->name, name) == 0) {
			return FORMATS[i];
		}
	}
	return NULL;
}

const struct input_format *input_format_of(FILE *file)
{
	struct sniff *s = xcalloc(1, sizeof(*s));
	size_t i = 0;
	sniff_file(s, file);
	while (i < ARRAY_LEN(FORMATS) && !FORMATS[i]->fits(s)) {
		i++;
	}
	sniff_finish(s);
	free(s);
	return i < ARRAY_LEN(FORMATS) ? FORMATS[i] : NULL;
}
