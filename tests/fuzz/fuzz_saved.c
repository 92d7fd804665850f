/*
 * Any bytes as a saved analysis. An accepted one is written in every format and compared with
 * itself. No output has a control character.
 */
#include <stdint.h>
#include <stdlib.h>

#include "analyzer/report/policy/change.h"
#include "analyzer/report/forms/output_format.h"
#include "analyzer/report/saved.h"

#define COMMENT_LIMIT 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_form(enum output_format form, const json_t *document)
{
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);
	output_format_write(form, document, to);
	fclose(to);
	expect(form != OUTPUT_FORMAT_MARKDOWN || len < COMMENT_LIMIT);
	bool plain = form == OUTPUT_FORMAT_MARKDOWN || form == OUTPUT_FORMAT_JUNIT ||
	             form == OUTPUT_FORMAT_TEXT;
	for (size_t i = 0; i < len && plain; i++) {
		expect((unsigned char)text[i] >= 0x20 || text[i] == '\n');
	}
	free(text);
}

static void compare(const json_t *document)
{
	const struct change_side side = {"fuzz", document};
	json_t *change = change_of(&side, &side);
	(void)change_verdict_of(change);
	for (size_t i = 0; i < N_FORMS; i++) {
		if (output_format_is_of_change((enum output_format)i)) {
			write_form((enum output_format)i, change);
		}
	}
	json_decref(change);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *error = NULL;
	json_t *document = saved_parse("fuzz", (struct span){(const char *)data, size}, &error);
	if (!document) {
		expect(error && *error);
		free(error);
		return 0;
	}
	for (size_t i = 0; i < N_FORMS; i++) {
		write_form((enum output_format)i, document);
	}
	compare(document);
	json_decref(document);
	return 0;
}
