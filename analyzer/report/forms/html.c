#include "analyzer/report/forms/html.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "analyzer/report/escape.h"
#include "analyzer/report/groups.h"
#include "analyzer/report/node.h"
#include "analyzer/report/screen/summary.h"
#include "analyzer/report/page/page_data.h"

#define PIECE(array, to) fwrite(array, 1, sizeof(array), to)

/* Writes the document into a script element and escapes characters that could end the element or
 * a line. In JSON these occur only in strings. */
static void write_document(const json_t *document, FILE *to)
{
	char *text = json_dumps(document, JSON_COMPACT);
	expect(text);
	for (const char *p = text; *p; p++) {
		if (*p == '<' || *p == '>' || *p == '&') {
			fprintf(to, "\\u%04x", (unsigned)*p);
		} else if (strncmp(p, "\xe2\x80\xa8", 3) == 0 ||
		           strncmp(p, "\xe2\x80\xa9", 3) == 0) {
			fprintf(to, "\\u202%d", p[2] == '\xa8' ? 8 : 9);
			p += 2;
		} else {
			fputc(*p, to);
		}
	}
	free(text);
}

static void write_title(const json_t *document, FILE *to)
{
	struct groups groups;
	struct buf title = {0};
	groups_read(document, &groups);
	buf_append_str(&title, "plumbline");
	if (groups.n > 0) {
		buf_append_str(&title, ": ");
		escape_xml(&title, node_text(groups.items[0], "test"));
		buf_append_str(&title, " against ");
		escape_xml(&title, node_text(groups.items[0], "base"));
	}
	fwrite(title.data, 1, title.len, to);
	buf_finish(&title);
}

void html_write(const json_t *document, FILE *to)
{
	struct writer w;
	PIECE(PAGE_TO_TITLE, to);
	write_title(document, to);
	PIECE(PAGE_TO_SUMMARY, to);
	writer_begin(&w, WRITER_HTML, to);
	summary_of_analysis(document, &w);
	writer_end(&w);
	PIECE(PAGE_TO_DOCUMENT, to);
	write_document(document, to);
	PIECE(PAGE_TO_END, to);
}
