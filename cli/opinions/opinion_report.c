#include "cli/opinions/opinion_report.h"

#include <inttypes.h>

#include "analyzer/report/node.h"
#include "base/check.h"
#include "base/plural.h"
#include "base/quoted.h"

#define REASONS_SHOWN 3

void opinion_report_print_time(uint64_t seconds, FILE *to)
{
	if (seconds > 0) {
		fprintf(to, " in %" PRIu64 " s", seconds);
	}
}

void opinion_report_print(const struct error_tally *r, const char *noun, const char *what, FILE *to)
{
	uint64_t others = 0;
	for (size_t i = 0; i < r->n; i++) {
		if (i >= REASONS_SHOWN) {
			others += r->items[i].n;
			continue;
		}
		fprintf(to, "%" PRIu64 " %s%s %s: %s\n", r->items[i].n, noun,
		        plural(r->items[i].n, "", "s"), what, r->items[i].why);
	}
	if (others > 0) {
		fprintf(to, "%" PRIu64 " more %s%s %s for other reasons (--json has them)\n",
		        others, noun, plural(others, "", "s"), what);
	}
}

json_t *opinion_report_reasons(const struct error_tally *r)
{
	json_t *list = json_array();
	for (size_t i = 0; i < r->n; i++) {
		json_t *each = json_object();
		json_object_set_new(each, "why", quoted(r->items[i].why));
		node_set_count(each, "n", r->items[i].n);
		json_array_append_new(list, each);
	}
	return list;
}

char *opinion_report_text(json_t *document)
{
	char *text = json_dumps(document, JSON_COMPACT);
	expect(text);
	json_decref(document);
	return text;
}

void opinion_report_write(json_t *document, FILE *to)
{
	json_dumpf(document, to, JSON_COMPACT);
	fputc('\n', to);
	json_decref(document);
}
