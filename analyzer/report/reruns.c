#include "analyzer/report/reruns.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "analyzer/report/escape.h"
#include "analyzer/report/lines.h"
#include "analyzer/report/metric.h"
#include "analyzer/report/node.h"

#define WORST_SHOWN 5
#define TOKEN_COLUMNS 16

static bool put(struct buf *to, const json_t *o, const char *name)
{
	struct metric_value v;
	bool known = metric_read_node(json_object_get(o, name), NULL, &v);
	if (known) {
		metric_put_value(to, METRIC_SHARE, &v);
	} else {
		buf_append_str(to, "-");
	}
	return known;
}

void reruns_sentence(const json_t *reruns, struct buf *to)
{
	const json_t *all = json_object_get(reruns, "all");
	double prompts = node_number(all, "prompts"), answers = node_number(all, "answers");
	if (!(prompts > 0)) {
		return;
	}
	buf_printf(to, "%s gave the same answer every time to ", node_text(reruns, "backend"));
	put(to, all, "all_alike");
	buf_printf(to, " of %.0f prompts, %.1f answers each; determinism score ", prompts,
	        answers / prompts);
	put(to, all, "determinism_score");
	buf_append_str(to, ", output consistency ");
	put(to, all, "output_consistency");
	buf_append_char(to, '.');
}

/* "Answers at other levels agree in 70 % of pairs, at the same one in 90 %: ..." */
static void put_gap(struct buf *to, const json_t *pairs, const char *what, const char *same,
        const char *other, const char *name)
{
	struct metric_value a, b, gap;
	if (!metric_read_node(json_object_get(pairs, same), NULL, &a) ||
	        !metric_read_node(json_object_get(pairs, other), NULL, &b) ||
	        !metric_read_node(json_object_get(pairs, name), NULL, &gap) ||
	        (a.value >= 1 && b.value >= 1)) {
		return;
	}
	const char *so = gap.low > 0      ? "it has a part"
	                 : isnan(gap.low) ? "too little to tell"
	                                  : "no part of it is shown";
	buf_printf(to,
	        "Pairs of answers agree in %.1f %% with the same %s and in %.1f %% with another: ",
	        100 * a.value, what, 100 * b.value);
	metric_put_value(to, METRIC_SHARE, &gap);
	buf_printf(to, " apart, %s.", so);
}

static void text_levels(const json_t *levels, FILE *to)
{
	struct buf line = {0};
	size_t i;
	json_t *level;
	if (json_array_size(levels) < 2) {
		return;
	}
	fputs("\n  in flight  all alike                determinism score        output "
	      "consistency\n",
	        to);
	json_array_foreach(levels, i, level)
	{
		static const char *const SHOWN[] = {
		        "all_alike", "determinism_score", "output_consistency"};
		fprintf(to, "  %9.0f ", node_number(level, "concurrency"));
		for (size_t k = 0; k < ARRAY_LEN(SHOWN); k++) {
			buf_clear(&line);
			put(&line, level, SHOWN[k]);
			fprintf(to, " %-24s", buf_cstr(&line));
		}
		fputc('\n', to);
	}
	buf_finish(&line);
}

static void text_first(const json_t *reruns, FILE *to)
{
	static const char *const UNITS[] = {"token", "byte"};
	for (size_t i = 0; i < ARRAY_LEN(UNITS); i++) {
		char name[16];
		snprintf(name, sizeof(name), "first_%s", UNITS[i]);
		const json_t *first = json_object_get(reruns, name);
		double n = node_number(first, "n");
		if (n > 0) {
			fprintf(to,
			        "\n%.0f other answers leave the most common one, half of them by "
			        "%s %.0f; "
			        "the earliest at %s %.0f.\n",
			        n, UNITS[i], node_number(first, "median") + 1, UNITS[i],
			        node_number(first, "least") + 1);
		}
	}
}

static void text_worst(const json_t *worst, FILE *to)
{
	size_t i;
	json_t *p;
	if (json_array_size(worst) > 0) {
		fputs("\n  least alike                  as the most common   distinct   parts at\n",
		        to);
	}
	json_array_foreach(worst, i, p)
	{
		const char *item = node_text(p, "item");
		char share[32];
		if (i == WORST_SHOWN) {
			break;
		}
		item = *item ? item : node_text(p, "exchange");
		snprintf(share, sizeof(share), "%.0f of %.0f", node_number(p, "of_mode"),
		        node_number(p, "answers"));
		fputs("  ", to);
		lines_put(item, 28, to);
		fprintf(to, "%*s %-20s %-10.0f %s %.0f", (int)(28 - MIN(strlen(item), (size_t)28)),
		        "", share, node_number(p, "distinct"),
		        strcmp(node_text(p, "unit"), "token") == 0 ? "token" : "byte",
		        node_number(p, "first") + 1);
		if (*node_text(p, "mode_token") || *node_text(p, "other_token")) {
			fputs(": \"", to);
			lines_put(node_text(p, "mode_token"), TOKEN_COLUMNS, to);
			fputs("\" or \"", to);
			lines_put(node_text(p, "other_token"), TOKEN_COLUMNS, to);
			fputs("\"", to);
		}
		fputc('\n', to);
	}
}

static void put_gaps(struct buf *to, const json_t *pairs)
{
	put_gap(to, pairs, "number of requests in flight", "same_level", "other_level",
	        "gap_of_level");
	buf_append_str(to, to->len ? " " : "");
	put_gap(to, pairs, "number of cached tokens", "same_cached", "other_cached",
	        "gap_of_cached");
}

void reruns_text(const json_t *reruns, FILE *to)
{
	struct buf text = {0};
	reruns_sentence(reruns, &text);
	if (text.len == 0) {
		return;
	}
	lines_wrapped(buf_cstr(&text), "", "", to);
	buf_clear(&text);
	put_gaps(&text, json_object_get(reruns, "pairs"));
	if (text.len > 0) {
		lines_wrapped(buf_cstr(&text), "", "", to);
	}
	double failed = node_number(json_object_get(reruns, "all"), "failed");
	if (failed > 0) {
		fprintf(to, "%.0f answers were cut or failed and are in no figure.\n", failed);
	}
	text_levels(json_object_get(reruns, "levels"), to);
	text_first(reruns, to);
	text_worst(json_object_get(reruns, "worst"), to);
	fputc('\n', to);
	buf_finish(&text);
}

void reruns_markdown(const json_t *reruns, struct buf *to)
{
	struct buf text = {0};
	reruns_sentence(reruns, &text);
	if (text.len > 0) {
		buf_append_str(&text, " ");
		put_gaps(&text, json_object_get(reruns, "pairs"));
		buf_append_char(to, '\n');
		escape_markdown(to, buf_cstr(&text));
		buf_append_char(to, '\n');
	}
	buf_finish(&text);
}
