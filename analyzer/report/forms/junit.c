#include "analyzer/report/forms/junit.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "analyzer/report/escape.h"
#include "analyzer/report/groups.h"
#include "analyzer/report/node.h"
#include "analyzer/report/policy/policy_words.h"

#define CASES_LIMIT 10000

enum outcome { CASE_PASSED, CASE_FAILED, CASE_SKIPPED };

struct suite {
	struct buf cases; /* XML */
	/* names in use; they must be unique, because CI servers keep a history by name */
	json_t *names;
	size_t n, failed, skipped;
};

static void put_attribute(struct buf *to, const char *name, const char *value)
{
	buf_printf(to, " %s=\"", name);
	escape_xml(to, value);
	buf_append_char(to, '"');
}

/* "name", then "name (2)". The caller frees it. */
static char *unique(json_t *names, const char *place, const char *name)
{
	char *key = xasprintf("%s/%s", place, name);
	json_int_t before = json_integer_value(json_object_get(names, key));
	json_object_set_new(names, key, json_integer(before + 1));
	free(key);
	return before == 0 ? xstrdup(name)
	                   : xasprintf("%s (%" JSON_INTEGER_FORMAT ")", name, before + 1);
}

/* place, name: identify the test case, the same in every run. message: what was found. */
static void add(struct suite *s, const char *place, const char *name, enum outcome outcome,
        const char *message)
{
	static const char *const TAGS[] = {NULL, "failure", "skipped"};
	char *own = unique(s->names, place, name);
	s->n++;
	s->failed += outcome == CASE_FAILED;
	s->skipped += outcome == CASE_SKIPPED;
	buf_append_str(&s->cases, "    <testcase");
	put_attribute(&s->cases, "classname", place);
	put_attribute(&s->cases, "name", own);
	buf_append_str(&s->cases, " time=\"0\">\n");
	if (outcome != CASE_PASSED) {
		buf_printf(&s->cases, "      <%s", TAGS[outcome]);
		put_attribute(&s->cases, "message", message);
		buf_append_str(&s->cases, outcome == CASE_FAILED ? " type=\"limit\"/>\n" : "/>\n");
	} else {
		buf_append_str(&s->cases, "      <system-out>");
		escape_xml(&s->cases, message);
		buf_append_str(&s->cases, "</system-out>\n");
	}
	buf_append_str(&s->cases, "    </testcase>\n");
	free(own);
}

static void add_verdict(struct suite *s, const json_t *v)
{
	struct buf place = {0}, name = {0}, message = {0};
	const char *as = node_text(v, "counts_as");
	bool undecided = node_is(v, "result", "undecided");
	enum outcome outcome = strcmp(as, "fail") == 0                ? CASE_FAILED
	                       : undecided || strcmp(as, "pass") != 0 ? CASE_SKIPPED
	                                                              : CASE_PASSED;
	policy_words_sides(v, &place);
	if (place.len == 0) {
		buf_append_str(&place, "capture");
	}
	if (*node_text(v, "name")) {
		buf_printf(&name, "%s: ", node_text(v, "name"));
	}
	buf_append_str(&name, node_text(v, "metric"));
	if (node_flag(v, "excess")) {
		buf_append_str(&name, " over the noise floor");
	}
	if (*node_text(v, "judge")) {
		buf_printf(&name, ", with judge %s", node_text(v, "judge"));
	}
	if (*node_text(v, "slice_of")) {
		buf_printf(&name, ", %s %s", node_text(v, "slice_of"), node_text(v, "slice"));
	}
	if (!node_is(v, "split", "greedy")) {
		buf_printf(&name, ", %s", node_text(v, "split"));
	}
	buf_append_char(&name, ' ');
	policy_words_limit(v, &name);
	policy_words_measured(v, &message);
	double n = node_number(v, "n");
	if (n == n) {
		buf_printf(&message, ", n %.0f", n);
	}
	buf_printf(&message, ": %s", node_text(v, "why"));
	add(s, buf_cstr(&place), buf_cstr(&name), outcome, buf_cstr(&message));
	buf_finish(&place);
	buf_finish(&name);
	buf_finish(&message);
}

/* An alarm that does not fail the policy passes, with a message. */
static void add_alarm(struct suite *s, const json_t *alarm)
{
	struct buf place = {0}, message = {0};
	bool fails = node_is(alarm, "counts_as", "fail");
	char *name = xasprintf("no alarm: %s over the noise floor", node_text(alarm, "metric"));
	policy_words_sides(alarm, &place);
	policy_words_alarm(alarm, &message);
	add(s, buf_cstr(&place), name, fails ? CASE_FAILED : CASE_PASSED, buf_cstr(&message));
	buf_finish(&place);
	buf_finish(&message);
	free(name);
}

/* SAME passes and DIFFERENT fails; an unclear comparison is skipped. */
static void add_comparison(struct suite *s, const char *place, const json_t *of)
{
	const char *word = groups_verdict(of);
	enum outcome outcome = strcmp(word, "SAME") == 0        ? CASE_PASSED
	                       : strcmp(word, "DIFFERENT") == 0 ? CASE_FAILED
	                                                        : CASE_SKIPPED;
	char *message = xasprintf("%s: %s", word, groups_sentence(of));
	add(s, place, "answers are the same", outcome, message);
	free(message);
}

static void add_all(struct suite *s, const json_t *document)
{
	const json_t *rules = node_at(document, "policy.rules");
	struct groups groups;
	if (json_is_array(rules)) {
		NODE_SOME(each, rules, CASES_LIMIT) {
			add_verdict(s, each);
		}
		bool held = node_is(node_at(document, "policy"), "on_alarm", "fail");
		const json_t *alarms = held ? node_at(document, "policy.alarms") : NULL;
		for (size_t i = 0; i < MIN(json_array_size(alarms), (size_t)CASES_LIMIT); i++) {
			add_alarm(s, json_array_get(alarms, i));
		}
		return;
	}
	groups_read(document, &groups);
	for (size_t i = 0; i < groups.n; i++) {
		const json_t *group = groups.items[i];
		char *place = xasprintf(
		        "%s against %s", node_text(group, "test"), node_text(group, "base"));
		add_comparison(s, place, group);
		free(place);
	}
	if (groups.n == 0) {
		add_comparison(s, "capture", document);
	}
}

void junit_write(const json_t *document, FILE *to)
{
	struct suite s = {.names = json_object()};
	struct buf name = {0};
	const char *policy = node_text(json_object_get(document, "policy"), "file");
	add_all(&s, document);
	escape_xml(&name, *policy ? policy : "plumbline");
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", to);
	fprintf(to,
	        "<testsuites name=\"plumbline\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" "
	        "skipped=\"%zu\" time=\"0\">\n",
	        s.n, s.failed, s.skipped);
	fprintf(to,
	        "  <testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" "
	        "skipped=\"%zu\" time=\"0\">\n",
	        buf_cstr(&name), s.n, s.failed, s.skipped);
	fwrite(s.cases.data, 1, s.cases.len, to);
	fputs("  </testsuite>\n</testsuites>\n", to);
	buf_finish(&name);
	buf_finish(&s.cases);
	json_decref(s.names);
}
