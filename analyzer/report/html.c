#include "analyzer/report/html.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "analyzer/report/groups.h"
#include "analyzer/report/node.h"
#include "analyzer/report/summary.h"
#include "analyzer/report/page_data.h"

#define PIECE(array, to) fwrite(array, 1, sizeof(array), to)

static void write_escaped(const char *text, FILE *to)
{
	for (const char *p = text ? text : ""; *p; p++) {
		if (strchr("<>&\"'", *p)) {
			fprintf(to, "&#%d;", *p);
		} else {
			fputc(*p, to);
		}
	}
}

/* The document within a script element: what could end it, or a line, is escaped. Outside of strings
 * JSON has none of these. */
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
	groups_read(document, &groups);
	fputs("plumbline", to);
	if (groups.n > 0) {
		fputs(": ", to);
		write_escaped(node_text(groups.items[0], "test"), to);
		fputs(" against ", to);
		write_escaped(node_text(groups.items[0], "base"), to);
	}
}

/* What a terminal would show. */
static void write_fallback(const json_t *document, FILE *to)
{
	char *text = NULL;
	size_t size = 0;
	struct writer w;
	FILE *memory = open_memstream(&text, &size);
	expect(memory);
	writer_begin(&w, WRITER_TEXT, memory);
	summary_of_analysis(document, &w);
	writer_end(&w);
	fclose(memory);
	fputs("<h1>plumbline</h1>\n<pre>", to);
	write_escaped(text, to);
	fputs("</pre>\n<p>Charts, search and the answers side by side need a browser that runs "
	      "scripts. Everything is in this file.</p>\n",
	        to);
	free(text);
}

void html_write(const json_t *document, FILE *to)
{
	PIECE(PAGE_TO_TITLE, to);
	write_title(document, to);
	PIECE(PAGE_TO_FALLBACK, to);
	write_fallback(document, to);
	PIECE(PAGE_TO_DOCUMENT, to);
	write_document(document, to);
	PIECE(PAGE_TO_END, to);
}
