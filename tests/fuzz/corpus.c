/*
 * Runs a fuzz target over every file of a directory, so that the committed corpus is a plain test.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	if (!f || fstat(fileno(f), &st) < 0 || !S_ISREG(st.st_mode)) {
		fprintf(stderr, "%s: can't be read\n", path);
		if (f) {
			fclose(f);
		}
		return 1;
	}
	/* Exactly as long as the input, so that a sanitizer sees one byte too far. */
	size_t size = (size_t)st.st_size;
	uint8_t *data = xmalloc(size);
	size_t got = fread(data, 1, size, f);
	fclose(f);
	printf("%s\n", path);
	fflush(stdout);
	LLVMFuzzerTestOneInput(data, got);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
	if (!dir) {
		fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
		return 2;
	}
	int failed = 0, n = 0;
	for (struct dirent *e; (e = readdir(dir));) {
		if (e->d_name[0] == '.') {
			continue;
		}
		char *path = xasprintf("%s/%s", argv[1], e->d_name);
		failed |= run_file(path);
		free(path);
		n++;
	}
	closedir(dir);
	return failed || n == 0;
}
