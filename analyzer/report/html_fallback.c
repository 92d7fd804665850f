#include <stdbool.h>
#include <string.h>

#include "base/check.h"
#include "analyzer/report/html_parts.h"
#include "analyzer/report/judge_words.h"
#include "analyzer/report/metric.h"
#include "analyzer/report/node.h"

#define PROMPT_CHARACTERS 160

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));
	return text ? text : "";
}

static json_int_t count_of(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static bool is_floor(const json_t *group)
{
	return json_is_true(json_object_get(group, "is_floor"));
}

void html_title(const json_t *document, char *to, size_t size)
{
	size_t i;
	json_t *group;
	snprintf(to, size, "%s", "");
	json_array_foreach(json_object_get(document, "groups"), i, group)
	{
		if (!is_floor(group)) {
			snprintf(to, size, "%.100s against %.100s", text_of(group, "test"),
			        text_of(group, "base"));
			return;
		}
	}
}

static void put_sentence(const json_t *group, FILE *to)
{
	const json_t *greedy = json_object_get(json_object_get(group, "by_decoding"), "greedy");
	const json_t *differ = json_object_get(greedy, "differ");
	fputs("<p class=\"sentence\">", to);
	if (*text_of(group, "sentence")) {
		html_text(text_of(group, "sentence"), to);
	} else if (greedy) {
		html_text(text_of(group, "test"), to);
		fputs(" against ", to);
		html_text(text_of(group, "base"), to);
		fprintf(to,
		        ": %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT
		        " greedily decoded answers differ.",
		        count_of(differ, "count"), count_of(differ, "n"));
	} else {
		html_text(text_of(group, "test"), to);
		fputs(" against ", to);
		html_text(text_of(group, "base"), to);
		fputs(": no greedily decoded answers to compare.", to);
	}
	fputs("</p>\n", to);
}

/* metric: whose unit it has. */
static void put_row(const char *name, const char *metric, const json_t *estimate, FILE *to)
{
	struct buf text = {0};
	struct metric_value v;
	if (metric_read_node(estimate, NULL, &v)) {
		metric_put_value(&text, metric_unit_of(metric), &v);
	}
	fprintf(to, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", name,
	        text.len ? buf_cstr(&text) : "not known");
	buf_finish(&text);
}

static void put_figures(const json_t *group, FILE *to)
{
	const json_t *greedy = json_object_get(json_object_get(group, "by_decoding"), "greedy");
	const json_t *figures = json_object_get(greedy, "figures");
	const json_t *blame = json_object_get(json_object_get(group, "blame"), "figures");
	const json_t *floors = json_object_get(blame, "differ");
	if (!figures) {
		return;
	}
	fputs("<table>\n<caption>Figures, with 95 % intervals</caption>\n<tbody>\n", to);
	put_row("Answers that differ", "differ", json_object_get(figures, "differ"), to);
	put_row("Answers whose meaning changed", "answer_changed",
	        json_object_get(figures, "answer_changed"), to);
	put_row("Of which undecided", "undecided", json_object_get(figures, "undecided"), to);
	put_row("Other finish reason", "finish_differs", json_object_get(figures, "finish_differs"),
	        to);
	put_row("Same most probable token", "same_top", json_object_get(figures, "same_top"), to);
	put_row("Floor: the base differs from itself", "differ",
	        json_object_get(floors, "base_floor"), to);
	put_row("Floor: the test differs from itself", "differ",
	        json_object_get(floors, "test_floor"), to);
	put_row("Excess over the floors", "differ", json_object_get(floors, "excess"), to);
	fputs("</tbody>\n</table>\n", to);
}

static void put_judges(const json_t *group, FILE *to)
{
	const json_t *greedy = node_at(group, "by_decoding.greedy");
	const json_t *judges = json_object_get(greedy, "judges");
	struct buf text = {0};
	for (size_t i = 0; i < json_array_size(judges); i++) {
		judge_words(json_array_get(judges, i), &text);
		fputs("<p>", to);
		html_text(buf_cstr(&text), to);
		fputs("</p>\n", to);
		buf_clear(&text);
	}
	buf_finish(&text);
}

static void put_causes(const json_t *group, FILE *to)
{
	const json_t *list = json_object_get(group, "causes");
	list = json_array_size(list) ? list : json_object_get(group, "hints");
	size_t i;
	json_t *cause;
	if (json_array_size(list) == 0) {
		return;
	}
	fputs("<h2>What it points to</h2>\n<ul>\n", to);
	json_array_foreach(list, i, cause)
	{
		fputs("<li>", to);
		html_text(text_of(cause, "text"), to);
		fputs("</li>\n", to);
	}
	fputs("</ul>\n", to);
}

/* So many characters of it. */
static void put_beginning(const char *text, size_t characters, FILE *to)
{
	char cut[4 * PROMPT_CHARACTERS + 1];
	size_t n = 0, len = 0;
	while (text[len] && len < sizeof(cut) - 1 && n <= characters) {
		n += ((unsigned char)text[len] & 0xc0) != 0x80;
		len++;
	}
	len -= n > characters;
	memcpy(cut, text, len);
	cut[len] = '\0';
	html_text(cut, to);
	fputs(text[len] ? "…" : "", to);
}

static void put_exhibit(const json_t *exhibit, FILE *to)
{
	const json_t *prompt = json_object_get(exhibit, "prompt");
	const json_t *last = json_array_get(prompt, json_array_size(prompt) - 1);
	fputs("<tr><td>", to);
	html_text(text_of(json_object_get(exhibit, "meaning"), "class"), to);
	fputs("</td><td>", to);
	html_text(text_of(json_object_get(exhibit, "first_difference"), "verdict"), to);
	fputs("</td><td>", to);
	html_text(text_of(exhibit, "time"), to);
	fputs("</td><td>", to);
	html_text(text_of(exhibit, "model"), to);
	fputs("</td><td><code>", to);
	html_text(text_of(exhibit, "exchange"), to);
	fputs("</code></td><td>", to);
	put_beginning(text_of(last, "text"), PROMPT_CHARACTERS, to);
	fputs("</td></tr>\n", to);
}

static void put_exhibits(const json_t *document, FILE *to)
{
	const json_t *exhibits = json_object_get(document, "exhibits");
	const json_t *items = json_object_get(exhibits, "items");
	size_t i;
	json_t *item;
	if (json_array_size(items) == 0) {
		return;
	}
	fputs("<h2>Answers, worst first</h2>\n<table>\n<thead><tr><th scope=\"col\">Meaning</th>"
	      "<th scope=\"col\">First difference</th><th scope=\"col\">Time</th>"
	      "<th scope=\"col\">Model</th><th scope=\"col\">Exchange</th>"
	      "<th scope=\"col\">Prompt</th></tr></thead>\n<tbody>\n",
	        to);
	json_array_foreach(items, i, item)
	{
		put_exhibit(item, to);
	}
	fprintf(to, "</tbody>\n</table>\n<p>%" JSON_INTEGER_FORMAT " pairs are not shown.</p>\n",
	        count_of(exhibits, "left_out"));
}

static void put_problems(const json_t *document, FILE *to)
{
	size_t i;
	json_t *problem;
	json_array_foreach(json_object_get(document, "problems"), i, problem)
	{
		fputs("<p>Problem: ", to);
		html_text(json_string_value(problem), to);
		fputs("</p>\n", to);
	}
}

void html_fallback(const json_t *document, FILE *to)
{
	size_t i;
	json_t *group;
	bool any = false;
	fputs("<h1>plumbline</h1>\n", to);
	json_array_foreach(json_object_get(document, "groups"), i, group)
	{
		if (!is_floor(group)) {
			put_sentence(group, to);
			put_figures(group, to);
			put_judges(group, to);
			put_causes(group, to);
			any = true;
		}
	}
	if (!any) {
		fputs("<p class=\"sentence\">No backend was held against another.</p>\n", to);
	}
	put_exhibits(document, to);
	put_problems(document, to);
	fputs("<p>Charts, search and the answers side by side need a browser that runs scripts. "
	      "Everything is in this file.</p>\n",
	        to);
}
