#include "analyzer/report/html.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "analyzer/report/escape.h"
#include "analyzer/report/groups.h"
#include "analyzer/report/json_node.h"
#include "analyzer/report/plots.h"
#include "analyzer/report/summary.h"
#include "analyzer/report/page_data.h"

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

static void put_attribute(struct buf *to, const char *name, const char *value)
{
	if (value) {
		buf_printf(to, " data-%s=\"", name);
		escape_xml(to, value);
		buf_append_char(to, '"');
	}
}

/* The attributes tell the page's script where the chart belongs. */
static void write_chart(const struct plot *p, FILE *to)
{
	struct buf text = {0};
	const char *heading = p->heading ? p->heading : p->title;
	buf_append_str(&text, "<figure class=\"chart\"");
	put_attribute(&text, "kind", p->table ? p->table : p->name);
	put_attribute(&text, "base", p->base);
	put_attribute(&text, "test", p->test);
	buf_append_str(&text, ">\n<h3>");
	escape_xml(&text, heading ? heading : "");
	buf_append_str(&text, "</h3>\n");
	fwrite(text.data, 1, text.len, to);
	plot_svg(p, to);
	buf_clear(&text);
	escape_xml(&text, p->caption);
	fprintf(to, "<figcaption>%s</figcaption>\n</figure>\n", buf_cstr(&text));
	buf_finish(&text);
}

static void write_charts(const json_t *document, FILE *to)
{
	struct plots plots;
	plots_read(document, &plots);
	fputs("<section id=\"summary-charts\">\n<h2>Charts</h2>\n<div class=\"charts\">\n", to);
	for (size_t i = 0; i < plots.n; i++) {
		write_chart(&plots.items[i], to);
	}
	fputs("</div>\n</section>\n", to);
	plots_finish(&plots);
}

void html_write(const json_t *document, FILE *to)
{
	PIECE(PAGE_TO_TITLE, to);
	write_title(document, to);
	PIECE(PAGE_TO_SUMMARY, to);
	struct writer w;
	writer_begin(&w, WRITER_HTML, to);
	summary_of_analysis(document, &w);
	writer_end(&w);
	write_charts(document, to);
	PIECE(PAGE_TO_DOCUMENT, to);
	write_document(document, to);
	PIECE(PAGE_TO_END, to);
}
