#include "capture/formats/plain_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/shell.h"

struct packing {
	const char *name, *unpack; /* the command before the path */
	const char *magic;
	size_t len;
};

static const struct packing PACKINGS[] = {
        {"gzip", "gzip -dk", "\x1f\x8b", 2},
        {"Zstandard", "zstd -d", "\x28\xb5\x2f\xfd", 4},
        {"xz", "xz -dk", "\xfd\x37zXZ", 6},
        {"bzip2", "bzip2 -dk", "BZh", 3},
        {"LZ4", "lz4 -d", "\x04\x22\x4d\x18", 4},
        {"zip", "unzip", "PK\x03\x04", 4},
        {"Parquet", NULL, "PAR1", 4},
};

/* Returns the file's packing by its magic number; NULL: it is not packed. */
static const struct packing *packing_of(FILE *file)
{
	char begin[8];
	size_t n = fread(begin, 1, sizeof(begin), file);
	rewind(file);
	for (size_t i = 0; i < ARRAY_LEN(PACKINGS); i++) {
		const struct packing *p = &PACKINGS[i];
		if (n >= p->len && memcmp(begin, p->magic, p->len) == 0) {
			return p;
		}
	}
	return NULL;
}

static char *describe_packed(const char *path, const struct packing *p)
{
	if (!p->unpack) {
		return xasprintf("%s can't be read: it is a %s file; write its rows as JSON, one a "
		                 "line, or as CSV",
		        path, p->name);
	}
	char *word = shell_path(path);
	char *error =
	        xasprintf("%s can't be read: it is compressed (%s); unpack it first, as with %s %s",
	                path, p->name, p->unpack, word);
	free(word);
	return error;
}

FILE *plain_file_open(const char *path, char **ret_error)
{
	struct stat st;
	int r = stat(path, &st);
	if (r == 0 && !S_ISREG(st.st_mode)) {
		*ret_error = xasprintf("%s can't be read: it is %s%s", path,
		        S_ISDIR(st.st_mode) ? "a directory, not a file" : "not a regular file",
		        S_ISFIFO(st.st_mode)
		                ? ". A pipe can be read only once: write it to a file first"
		                : "");
		return NULL;
	}
	FILE *file = r == 0 ? fopen(path, "re") : NULL;
	if (!file) {
		*ret_error = xasprintf("%s can't be read: %s", path, strerror(errno));
		return NULL;
	}
	const struct packing *packed = packing_of(file);
	if (packed) {
		*ret_error = describe_packed(path, packed);
		fclose(file);
		return NULL;
	}
	return file;
}
