/*
 * suite_benchmark - reads the files of published benchmarks. Adds to each record's question the
 * form of the answer, and labels the request with the right answer in this form.
 */
#include <string.h>

#include <xxhash.h>

#include "base/ascii.h"
#include "base/json_writer.h"
#include "base/rng.h"
#include "capture/formats/extra_members.h"
#include "replay/csv.h"
#include "replay/suite_form.h"

#define GSM8K_ASK                                                                                  \
	"\n\nSolve the problem step by step. Then give the result alone on the last line, as a "   \
	"number without a unit, in this form:\n#### NUMBER"
#define GPQA_ASK                                                                                   \
	"\n\nThink it through, then end with a line of this form, where X is the letter of the "   \
	"right "                                                                                   \
	"choice:\nAnswer: X"
#define SIMPLEQA_ASK "\n\nAnswer as briefly as possible. If you don't know, say so."
#define STDIN_ASK                                                                                  \
	"\n\nWrite a whole Python program that reads from standard input and writes to standard "  \
	"output. Give it in one ```python block."
#define FUNCTION_ASK                                                                               \
	"\n\nComplete this in Python, with the class and method names as they are. Give all of "   \
	"it in "                                                                                   \
	"one ```python block.\n\n```python\n"

#define MATH_ASK "\n\nSolve the problem step by step, and put the final answer in \\boxed{}."

/* Incomplete rows of a table: the question or the right answer is empty. */
#define NOTHING_ASKED "its question is empty"
#define NOTHING_RIGHT "its right answer is empty"

static bool is_blank_text(const struct buf *text)
{
	return span_trim(buf_span(text)).len == 0;
}

static const char *after_last(struct span text, const char *mark)
{
	const char *found = NULL, *p = text.data, *end = text.data + text.len;
	size_t len = strlen(mark);
	while (p < end && (p = memmem(p, (size_t)(end - p), mark, len))) {
		p += len;
		found = p;
	}
	return found;
}

/* {"question": "...", "answer": "the solution\n#### 1,234"} */
const char *suite_gsm8k_read(struct span record, struct suite_item *ret)
{
	struct buf question = {0}, answer = {0}, gold = {0};
	const char *why = "neither question nor answer, or no #### in the answer";
	const char *result = NULL;
	if (suite_text(record, "question", &question) && suite_text(record, "answer", &answer)) {
		result = after_last(buf_span(&answer), "####");
	}
	if (result) {
		struct span rest = {result, (size_t)(answer.data + answer.len - result)};
		rest = span_trim(rest);
		for (size_t i = 0; i < rest.len; i++) {
			if (rest.data[i] != ',') {
				buf_append_char(&gold, rest.data[i]);
			}
		}
		why = is_blank_text(&question) ? NOTHING_ASKED
		      : gold.len == 0          ? NOTHING_RIGHT
		                               : extra_members_alone(record);
	}
	if (!why) {
		buf_append_str(&question, GSM8K_ASK);
		suite_make_chat(buf_span(&question), 1024, ret);
		why = suite_label(buf_span(&gold), LABEL_GOLD_LIMIT, &ret->labels.gold);
	}
	buf_finish(&question);
	buf_finish(&answer);
	buf_finish(&gold);
	return why;
}

static const char *label_member(struct span record, const char *name, char **ret)
{
	struct buf text = {0};
	const char *why = suite_text(record, name, &text)
	                          ? suite_label(buf_span(&text), LABEL_LIMIT, ret)
	                          : NULL;
	buf_finish(&text);
	return why;
}

/* The content of the last \boxed{...} in a solution; empty: there is none, or it is not closed. */
static struct span last_box(struct span solution)
{
	const char *begin = after_last(solution, "\\boxed{"), *end = solution.data + solution.len;
	size_t depth = 1;
	for (const char *p = begin; p && p < end; p++) {
		depth += *p == '{';
		depth -= *p == '}';
		if (depth == 0) {
			return span_between(begin, p);
		}
		p += *p == '\\';
	}
	return (struct span){0};
}

/* The right answer of a record, for a comparison by Math-Verify: {"math": "..."}. */
static const char *math_gold(struct span record, char **ret)
{
	struct buf answer = {0}, solution = {0}, gold = {0};
	struct json_token value;
	struct span right = {0};
	bool has_answer = json_find_member(record, "answer", &value, &right);
	if (has_answer && value.type == JSON_TOKEN_STRING) {
		json_token_unescape(&value, &answer);
		right = buf_span(&answer);
	} else if (!has_answer && suite_text(record, "solution", &solution)) {
		right = last_box(buf_span(&solution));
	}
	right = span_trim(right);
	buf_append_str(&gold, "{\"math\":");
	json_put_string(&gold, right);
	buf_append_char(&gold, '}');
	const char *why =
	        right.len ? suite_label(buf_span(&gold), LABEL_GOLD_LIMIT, ret) : NOTHING_RIGHT;
	buf_finish(&answer);
	buf_finish(&solution);
	buf_finish(&gold);
	return why;
}

/* MATH: {"problem", "solution", "level", "type"}; MATH-500 also has "answer", "subject" and
 * "unique_id"; AIME: {"problem", "answer", "id"} */
const char *suite_math_read(const struct suite *s, struct span record, struct suite_item *ret)
{
	struct buf problem = {0};
	struct exchange_labels *l = &ret->labels;
	const char *why = "it has no problem";
	if (suite_text(record, "problem", &problem)) {
		why = is_blank_text(&problem) ? NOTHING_ASKED : extra_members_alone(record);
	}
	if (!why) {
		buf_append_str(&problem, MATH_ASK);
		suite_make_chat(buf_span(&problem), s->form == SUITE_AIME ? 16384 : 4096, ret);
		why = math_gold(record, &l->gold);
	}
	const char *type = suite_has(record, "subject") ? "subject" : "type";
	const char *id = suite_has(record, "unique_id") ? "unique_id" : "id";
	why = why ? why : label_member(record, type, &l->category);
	why = why ? why : label_member(record, id, &l->item);
	buf_finish(&problem);
	return why;
}

/* The public tests. The private ones are a pickle, which is not safe to load. */
static const char *livecodebench_gold(struct span record, char **ret)
{
	struct buf tests = {0}, metadata = {0}, name = {0}, gold = {0};
	const char *why = "it has no public_test_cases";
	if (suite_text(record, "public_test_cases", &tests)) {
		struct json_writer w = {.to = &gold};
		json_writer_open(&w, NULL, '{');
		if (suite_text(record, "metadata", &metadata) &&
		        suite_text(buf_span(&metadata), "func_name", &name)) {
			json_writer_string(&w, "function", buf_span(&name));
		}
		json_writer_raw(&w, "tests", span_trim(buf_span(&tests)));
		json_writer_close(&w, "}");
		why = suite_label(buf_span(&gold), LABEL_GOLD_LIMIT, ret);
	}
	buf_finish(&tests);
	buf_finish(&metadata);
	buf_finish(&name);
	buf_finish(&gold);
	return why;
}

/* {"question_content", "starter_code", "public_test_cases": "[...]", "question_id", "difficulty",
 * ...} */
const char *suite_livecodebench_read(struct span record, struct suite_item *ret)
{
	struct buf question = {0}, starter = {0};
	const char *why = "it has no question_content";
	if (suite_text(record, "question_content", &question)) {
		why = is_blank_text(&question) ? NOTHING_ASKED : extra_members_alone(record);
	}
	if (!why) {
		bool whole_program = !suite_text(record, "starter_code", &starter) ||
		                     span_trim(buf_span(&starter)).len == 0;
		buf_append_str(&question, whole_program ? STDIN_ASK : FUNCTION_ASK);
		if (!whole_program) {
			buf_append_span(&question, buf_span(&starter));
			buf_append_str(&question, "\n```");
		}
		suite_make_chat(buf_span(&question), 8192, ret);
		why = livecodebench_gold(record, &ret->labels.gold);
		why = why ? why : label_member(record, "question_id", &ret->labels.item);
		why = why ? why : label_member(record, "difficulty", &ret->labels.category);
	}
	buf_finish(&question);
	buf_finish(&starter);
	return why;
}

static bool column(
        const struct suite *s, struct span record, enum suite_column which, struct buf *to)
{
	int number = s->columns[which];
	buf_clear(to);
	return number >= 0 && csv_field(record, (size_t)number, to);
}

/* Writes the four choices and returns the right one's place. The order depends only on the
 * question and the seed. */
static size_t put_choices(
        const struct suite *s, struct span question, const struct buf choices[4], struct buf *to)
{
	size_t order[4] = {0, 1, 2, 3}, right = 0;
	struct rng rng = {s->seed ^ XXH3_64bits(question.data, question.len)};
	RNG_SHUFFLE(&rng, 4, order[i]);
	for (size_t i = 0; i < 4; i++) {
		struct span text = span_trim(buf_span(&choices[order[i]]));
		buf_printf(to, "\n%c) ", (char)('A' + i));
		buf_append_span(to, text);
		right = order[i] == 0 ? i : right;
	}
	return right;
}

/* Question, Correct Answer, Incorrect Answer 1 to 3, and more. */
const char *suite_gpqa_read(const struct suite *s, struct span record, struct suite_item *ret)
{
	struct buf question = {0}, choices[4] = {{0}}, text = {0};
	bool good = column(s, record, SUITE_COLUMN_QUESTION, &question);
	for (size_t i = 0; i < 4; i++) {
		enum suite_column which = (enum suite_column)(SUITE_COLUMN_ANSWER + i);
		good = good && column(s, record, which, &choices[i]) && !is_blank_text(&choices[i]);
	}
	const char *why = !good ? "a record with too few fields, or an empty choice"
	                  : is_blank_text(&question) ? NOTHING_ASKED
	                                             : NULL;
	if (!why) {
		struct span trimmed = span_trim(buf_span(&question));
		buf_append_span(&text, trimmed);
		buf_append_char(&text, '\n');
		char letter = (char)('A' + put_choices(s, trimmed, choices, &text));
		buf_append_str(&text, GPQA_ASK);
		suite_make_chat(buf_span(&text), 4096, ret);
		why = suite_label((struct span){&letter, 1}, LABEL_GOLD_LIMIT, &ret->labels.gold);
	}
	if (!why && column(s, record, SUITE_COLUMN_ID, &text)) {
		why = suite_label(buf_span(&text), LABEL_LIMIT, &ret->labels.item);
	}
	if (!why && column(s, record, SUITE_COLUMN_CATEGORY, &text)) {
		why = suite_label(buf_span(&text), LABEL_LIMIT, &ret->labels.category);
	}
	buf_finish(&question);
	buf_finish(&text);
	for (size_t i = 0; i < 4; i++) {
		buf_finish(&choices[i]);
	}
	return why;
}

/* The topic of {'topic': 'Art', 'answer_type': 'Person', ...}, which is Python and not JSON. */
static const char *label_topic(struct span metadata, char **ret)
{
	static const char MARK[] = "'topic': '";
	const char *p =
	        metadata.len ? memmem(metadata.data, metadata.len, MARK, strlen(MARK)) : NULL;
	if (!p) {
		return NULL;
	}
	p += strlen(MARK);
	const char *end = memchr(p, '\'', (size_t)(metadata.data + metadata.len - p));
	return end ? suite_label((struct span){p, (size_t)(end - p)}, LABEL_LIMIT, ret) : NULL;
}

/* metadata, problem, answer */
const char *suite_simpleqa_read(const struct suite *s, struct span record, struct suite_item *ret)
{
	struct buf question = {0}, text = {0};
	const char *why = "a record with too few fields";
	if (column(s, record, SUITE_COLUMN_QUESTION, &question) &&
	        column(s, record, SUITE_COLUMN_ANSWER, &text)) {
		why = is_blank_text(&question) ? NOTHING_ASKED
		      : is_blank_text(&text)   ? NOTHING_RIGHT
		                               : NULL;
	}
	if (!why) {
		buf_append_str(&question, SIMPLEQA_ASK);
		suite_make_chat(buf_span(&question), 512, ret);
		why = suite_label(span_trim(buf_span(&text)), LABEL_GOLD_LIMIT, &ret->labels.gold);
	}
	if (!why && column(s, record, SUITE_COLUMN_CATEGORY, &text)) {
		why = label_topic(buf_span(&text), &ret->labels.category);
	}
	buf_finish(&question);
	buf_finish(&text);
	return why;
}
