#pragma once
/*
 * import_format - one kind of result files that can be imported. import_formats.h lists them.
 */
#include "capture/formats/format_sink.h"
#include "capture/formats/sniff.h"

struct import_format {
	const char *name; /* its name in --format */
	const char *title;
	bool names_backends;                 /* the file names the backend */
	bool (*fits)(const struct sniff *s); /* true if the file is probably of this kind */
	/* Returns 0, or -EIO if the file cannot be read to its end. */
	int (*read)(const struct format_file *f, const struct format_sink *sink);
};
