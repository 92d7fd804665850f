/*
 * Any bytes as a file of rows. The reader ends, and accepted rows can be folded and written again
 * unchanged.
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/analysis.h"
#include "analyzer/part_set.h"
#include "analyzer/rows/row_reader.h"
#include "analyzer/rows/row_writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An accepted row, written and read again, is the same. */
static void write_again(struct span line)
{
	struct arena texts = {0};
	struct row row;
	struct buf once = {0}, again = {0};
	char *problem = row_read(line, &texts, &row);
	if (!problem) {
		row_put_json(&once, &row);
		problem = row_read((struct span){once.data, once.len - 1}, &texts, &row);
		expect(!problem);
		row_put_json(&again, &row);
		expect(span_equal(buf_span(&once), buf_span(&again)));
		row_put_csv(&again, &row);
	}
	free(problem);
	buf_finish(&once);
	buf_finish(&again);
	arena_finish(&texts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct analysis a = {0};
	struct part_set set = {.to = &a};
	const char *at = (const char *)data, *end = at + size;
	char *problem = NULL;
	while (at < end && !problem) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		struct span line = {at, (size_t)((stop ? stop : end) - at)};
		write_again(line);
		problem = part_set_read(&set, line);
		at = stop ? stop + 1 : end;
	}
	free(problem);
	free(part_set_end_file(&set));
	free(part_set_end(&set, false));
	analysis_settle(&a, NULL, NULL);
	analysis_finish(&a);
	part_set_finish(&set);
	return 0;
}
