#include "analyzer/meaning/code_comments.h"

#include <string.h>

#include "base/letters.h"

static bool is_directive(struct span line)
{
	static const char *const begins[] = {"//go:", "# coding:", "# coding=", "# -*-",
	        "// +build", "#SBATCH", "#PBS", "#BSUB", "#$ "};
	static const char *const within[] = {"@ts-", "@jsx", "@flow", "@jest"};
	for (size_t i = 0; i < ARRAY_LEN(begins); i++) {
		if (span_starts(line, begins[i])) {
			return true;
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(within); i++) {
		if (memmem(line.data, line.len, within[i], strlen(within[i]))) {
			return true;
		}
	}
	return false;
}

static void add_numbers(struct buf *to, struct span line)
{
	for (size_t i = 0; i < line.len; i++) {
		size_t from = i;
		while (i < line.len && is_digit(line.data[i])) {
			i++;
		}
		if (i > from) {
			buf_append(to, line.data + from, i - from);
			buf_append_char(to, ' ');
		}
	}
}

void code_comments_add(struct code_comments *c, struct span comment)
{
	struct span text = span_trim(comment);
	bool fence = span_is(text, "# ///") || span_starts(text, "# /// script");
	c->metadata ^= fence;
	if (fence || c->metadata || is_directive(text)) {
		buf_append_span(&c->directives, text);
		buf_append_char(&c->directives, '\n');
	} else {
		add_numbers(&c->numbers, comment);
	}
}

bool code_comments_agree(const struct code_comments *a, const struct code_comments *b)
{
	bool numbers = a->numbers.len == 0 || b->numbers.len == 0 ||
	               span_equal(buf_span(&a->numbers), buf_span(&b->numbers));
	return numbers && span_equal(buf_span(&a->directives), buf_span(&b->directives));
}

void code_comments_finish(struct code_comments *c)
{
	buf_finish(&c->directives);
	buf_finish(&c->numbers);
}
