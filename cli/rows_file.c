#include "cli/rows_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "capture/formats/line_reader.h"

/* Takes over problem, which may be NULL. */
static char *at_line(const char *path, uint64_t line, char *problem)
{
	char *text = problem ? xasprintf("%.200s:%" PRIu64 ": %s", path, line, problem) : NULL;
	free(problem);
	return text;
}

static char *read_lines(const char *path, FILE *file, struct part_set *to)
{
	struct line_reader lines;
	struct span line;
	char *problem = NULL;
	int r = 1;
	line_reader_init(&lines, file);
	while (!problem && (r = line_reader_next(&lines, &line)) == 1) {
		problem = line.len ? part_set_read(to, line) : NULL;
	}
	if (!problem && r < 0) {
		problem = xstrdup(r == -EFBIG ? "the line is too long" : strerror(-r));
	}
	problem = at_line(path, lines.number, problem ? problem : part_set_end_file(to));
	line_reader_finish(&lines);
	return problem;
}

static char *read_file(const char *path, struct part_set *to)
{
	bool is_input = strcmp(path, "-") == 0;
	FILE *file = is_input ? stdin : fopen(path, "re");
	if (!file) {
		return xasprintf("%.200s: %s", path, strerror(errno));
	}
	char *problem = read_lines(path, file, to);
	if (!is_input) {
		fclose(file);
	}
	return problem;
}

char *rows_file_read_all(const char *const *paths, size_t n, bool partial, struct part_set *to)
{
	for (size_t i = 0; i < n; i++) {
		char *problem = read_file(paths[i], to);
		if (problem) {
			return problem;
		}
	}
	return part_set_end(to, partial);
}
