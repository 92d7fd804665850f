#include "replay/suite.h"

#include <string.h>

#include "base/mem.h"
#include "replay/csv.h"
#include "replay/suite_form.h"

static bool has_text(struct span record, const char *name)
{
	struct json_token value;
	return json_find(record, &name, 1, &value, NULL) && value.type == JSON_TOKEN_STRING;
}

/* NULL: the optional column is missing. */
static bool find_columns(
        struct suite *s, struct span header, const char *const names[N_SUITE_COLUMNS])
{
	for (int i = 0; i < N_SUITE_COLUMNS; i++) {
		s->columns[i] = names[i] ? csv_column(header, names[i]) : -1;
	}
	return s->columns[SUITE_COLUMN_QUESTION] >= 0 && s->columns[SUITE_COLUMN_ANSWER] >= 0;
}

static bool find_gpqa_columns(struct suite *s, struct span header)
{
	static const char *const NAMES[N_SUITE_COLUMNS] = {"Record ID", "Subdomain", "Question",
	        "Correct Answer", "Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3"};
	return find_columns(s, header, NAMES) && s->columns[SUITE_COLUMN_WRONG] >= 0 &&
	       s->columns[SUITE_COLUMN_WRONG + 1] >= 0 && s->columns[SUITE_COLUMN_WRONG + 2] >= 0;
}

static bool find_simpleqa_columns(struct suite *s, struct span header)
{
	static const char *const NAMES[N_SUITE_COLUMNS] = {
	        NULL, "metadata", "problem", "answer", NULL, NULL, NULL};
	return find_columns(s, header, NAMES);
}

void suite_open(struct suite *s, struct span first_record)
{
	struct buf answer = {0};
	*s = (struct suite){.form = SUITE_NONE};
	if (suite_item_is(first_record)) {
		s->form = SUITE_ITEMS;
	} else if (has_text(first_record, "question_content")) {
		s->form = SUITE_LIVECODEBENCH;
	} else if (has_text(first_record, "question") &&
	           suite_text(first_record, "answer", &answer) &&
	           memmem(answer.data, answer.len, "####", 4)) {
		s->form = SUITE_GSM8K;
	} else if (has_text(first_record, "problem") &&
	           (has_text(first_record, "level") || has_text(first_record, "subject"))) {
		s->form = SUITE_MATH;
	} else if (has_text(first_record, "problem") && suite_has(first_record, "answer")) {
		s->form = SUITE_AIME;
	} else if (find_gpqa_columns(s, first_record)) {
		s->form = SUITE_GPQA;
	} else if (find_simpleqa_columns(s, first_record)) {
		s->form = SUITE_SIMPLEQA;
	}
	s->is_csv = s->form == SUITE_GPQA || s->form == SUITE_SIMPLEQA;
	s->has_header = s->is_csv;
	buf_finish(&answer);
}

uint32_t suite_turns(const struct suite *s, struct span record)
{
	return s->form == SUITE_ITEMS ? suite_item_turns(record) : 1;
}

/* Reads what depends on the file's form. */
static const char *read_benchmark(
        const struct suite *s, struct span record, uint64_t number, struct suite_item *ret)
{
	static const char *const NAMES[] = {[SUITE_GSM8K] = "gsm8k",
	        [SUITE_LIVECODEBENCH] = "livecodebench",
	        [SUITE_GPQA] = "gpqa",
	        [SUITE_SIMPLEQA] = "simpleqa",
	        [SUITE_MATH] = "math",
	        [SUITE_AIME] = "aime"};
	const char *why;
	switch (s->form) {
	case SUITE_GSM8K:
		why = suite_gsm8k_read(record, ret);
		break;
	case SUITE_LIVECODEBENCH:
		why = suite_livecodebench_read(record, ret);
		break;
	case SUITE_GPQA:
		why = suite_gpqa_read(s, record, ret);
		break;
	case SUITE_SIMPLEQA:
		why = suite_simpleqa_read(s, record, ret);
		break;
	case SUITE_MATH:
	case SUITE_AIME:
		why = suite_math_read(s, record, ret);
		break;
	default:
		never("a benchmark that is none");
	}
	if (!why) {
		struct exchange_labels *l = &ret->labels;
		l->suite = xstrdup(NAMES[s->form]);
		l->item = l->item ? l->item
		                  : xasprintf("%s/%llu", l->suite, (unsigned long long)number);
		l->category = l->category ? l->category : xstrdup(l->suite);
	}
	return why;
}

const char *suite_read(const struct suite *s, struct span record, uint64_t number, uint32_t turn,
        struct suite_item *ret)
{
	struct suite_item item = {0};
	const char *why = s->form == SUITE_ITEMS ? suite_item_read(s, record, turn, &item)
	                                         : read_benchmark(s, record, number, &item);
	if (why) {
		suite_item_finish(&item);
		return why;
	}
	*ret = item;
	return NULL;
}

void suite_item_finish(struct suite_item *i)
{
	exchange_labels_finish(&i->labels);
	buf_finish(&i->body);
	*i = (struct suite_item){0};
}
