#include "capture/formats/import_format.h"

#include <errno.h>
#include <string.h>

#include "capture/formats/line_reader.h"

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

int import_each_line(
        const struct import_file *f, const struct import_sink *sink, import_take_fn take, void *arg)
{
	struct line_reader lines;
	struct span line;
	int code = 0;
	line_reader_init(&lines, f->file);
	while (!sink->stopped(sink->arg) &&
	        ((code = line_reader_next(&lines, &line)) == 1 || code == -EFBIG)) {
		bool bad = true;
		const char *why = code == -EFBIG ? "it is longer than 64 MiB"
		                  : line.len     ? take(arg, line, lines.number, &bad)
		                                 : NULL;
		if (why && bad) {
			sink->bad(sink->arg, lines.number, why);
		} else if (why) {
			sink->unfit(sink->arg, lines.number, why);
		}
		sink->progress(sink->arg);
	}
	line_reader_finish(&lines);
	return code == -EIO ? code : 0;
}
