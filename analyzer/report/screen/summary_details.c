/*
 * Where answers differ, pairs that no figure includes, and the results of a policy.
 */
#include <math.h>
#include <string.h>

#include "analyzer/report/groups.h"
#include "analyzer/report/metric.h"
#include "analyzer/report/node.h"
#include "analyzer/report/policy/policy_words.h"
#include "analyzer/report/screen/summary_parts.h"

#define REASONS_SHOWN 12
#define VERDICTS_SHOWN 256

static void put_probability(struct buf *to, double logprob, const char *none)
{
	if (isnan(logprob)) {
		buf_append_str(to, none);
	} else {
		buf_printf(to, "%.*f %%", logprob > -4 ? 1 : 3, 100 * exp(fmin(logprob, 0)));
	}
}

/* Writes one side: its probabilities of both tokens, and how its text goes on. */
static void write_side(struct writer *w, const char *name, const json_t *side, const json_t *other)
{
	struct buf *text = writer_text(w);
	const char *token = node_text(side, "token"), *best = node_text(side, "best");
	bool listed = node_flag(side, "has_other");
	buf_printf(text, "|%s|", node_text(side, "text"));
	if (*token) {
		buf_printf(text, " chose \"%s\" at ", token);
		put_probability(text, node_number(side, "logprob"), "an invalid logprob");
		buf_printf(text, "; \"%s\": ", node_text(other, "token"));
		put_probability(text, node_number(side, "logprob_of_other"),
		        listed ? "an invalid logprob" : "not in its list");
	}
	if (*best && strcmp(best, token) != 0 && strcmp(best, node_text(other, "token")) != 0) {
		buf_printf(text, "; \"%s\" was its most probable", best);
	}
	writer_item(w, name, "%s", buf_cstr(text));
}

/* head: the title, which this completes. */
static void write_example(struct writer *w, const json_t *group, const json_t *e, struct buf *head)
{
	const json_t *base = json_object_get(e, "base"), *test = json_object_get(e, "test");
	double token = node_number(e, "at_token"), byte = node_number(e, "at_byte");
	buf_append_str(head, ": ");
	if (!isnan(token) || !isnan(byte)) {
		buf_printf(head, "%s %.0f of ", isnan(token) ? "byte" : "token",
		        (isnan(token) ? byte : token) + 1);
	}
	buf_printf(head, "exchange %s", node_text(e, "exchange"));
	writer_fold(w, buf_cstr(head));
	writer_item(w, "both", "|%s|", node_text(e, "before"));
	write_side(w, node_text(group, "base"), base, test);
	write_side(w, node_text(group, "test"), test, base);
	writer_unfold(w);
}

void summary_examples(const json_t *group, struct writer *w)
{
	for (size_t i = 0; i < 3; i++) {
		struct buf *head = writer_text(w);
		const json_t *e = groups_example(group, i, head);
		if (e) {
			write_example(w, group, e, head);
		}
	}
}

void summary_count(struct writer *w, const json_t *o, const char *name, const char *what)
{
	double n = node_number(o, name);
	if (n > 0) {
		writer_item(w, "", "%.0f %s", n, what);
	}
}

/* {reason: how often} */
static void write_reasons(struct writer *w, const json_t *reasons, const char *of)
{
	size_t shown = 0;
	NODE_MEMBERS(reason, reasons) {
		if (shown++ == REASONS_SHOWN) {
			writer_item(w, "", "...");
			return;
		}
		writer_item(w, "", "%.0f %s: %s", json_number_value(reason.value), of, reason.key);
	}
}

void summary_left_out(const json_t *group, struct writer *w)
{
	const json_t *l = json_object_get(group, "left_out");
	if (!(node_number(l, "pairs") > 0 || node_number(l, "unlike_choices") > 0)) {
		return;
	}
	writer_heading(w, "Left out of all figures");
	write_reasons(w, json_object_get(l, "base_cut"), node_text(group, "base"));
	write_reasons(w, json_object_get(l, "test_cut"), node_text(group, "test"));
	write_reasons(w, json_object_get(l, "base_reasons"), node_text(group, "base"));
	write_reasons(w, json_object_get(l, "test_reasons"), node_text(group, "test"));
	summary_count(w, l, "unread", "with content that plumbline does not read");
	write_reasons(w, json_object_get(l, "unread_members"), "of these have");
	summary_count(w, l, "metadata", "without a recorded text");
	summary_count(w, l, "unlike_choices", "choices that only one side has");
}

static void write_kept_rate(
        struct writer *w, const json_t *kept, const char *name, const char *what)
{
	const json_t *rate = json_object_get(kept, name);
	struct buf *text = writer_text(w);
	if (metric_put_node(text, METRIC_SHARE, rate)) {
		writer_item(w, "", "%.0f of %.0f %s, %s", node_number(rate, "count"),
		        node_number(rate, "n"), what, buf_cstr(text));
	}
}

void summary_redacted(const json_t *group, struct writer *w)
{
	const json_t *kept = json_object_get(group, "kept");
	if (!json_is_object(kept)) {
		return;
	}
	writer_heading(w, "Recorded without all of their text");
	summary_count(
	        w, kept, "redacted", "pairs were redacted; equal texts have equal placeholders");
	summary_count(w, kept, "metadata", "pairs are metadata alone: no text is kept");
	write_kept_rate(w, kept, "greedy_differs",
	        "answers requested at temperature 0 differ, by their hashes");
	write_kept_rate(w, kept, "other_differs", "other answers differ, by their hashes");
	write_kept_rate(w, kept, "finish_differs", "have a different finish reason");
	summary_count(w, kept, "base_bytes", "bytes by the base");
	summary_count(w, kept, "test_bytes", "bytes by the test");
	summary_count(w, kept, "unhashed", "without an answer of a known form");
}

static void write_rule(struct writer *w, const json_t *v)
{
	struct buf *text = writer_text(w);
	const char *as = node_text(v, "counts_as"), *name = node_text(v, "name");
	bool undecided = node_is(v, "result", "undecided");
	const char *lead = strcmp(as, "fail") == 0 ? "FAIL" : undecided ? "undecided" : "pass";
	buf_printf(text, "%s%s", name, *name ? ": " : "");
	policy_words_subject(v, text);
	buf_append_str(text, " is ");
	policy_words_measured(v, text);
	if (!isnan(node_number(v, "n"))) {
		buf_printf(text, ", n %.0f", node_number(v, "n"));
	}
	buf_append_str(text, "; ");
	policy_words_limit(v, text);
	buf_printf(text, ": %s", node_text(v, "why"));
	if (undecided) {
		buf_printf(text, ", counts as %s", as);
	}
	writer_item(w, lead, "%s", buf_cstr(text));
}

static void write_alarm(struct writer *w, const json_t *alarm)
{
	bool fails = node_is(alarm, "counts_as", "fail");
	struct buf *text = writer_text(w);
	policy_words_alarm(alarm, text);
	writer_item(w, fails ? "FAIL, alarm" : "alarm", "%s", buf_cstr(text));
}

/* Writes the rules or alarms with this result. */
static void write_results(struct writer *w, const json_t *policy, const char *name, const char *as)
{
	bool rules = strcmp(name, "rules") == 0;
	NODE_SOME(each, json_object_get(policy, name), VERDICTS_SHOWN) {
		if (node_is(each, "counts_as", as)) {
			(rules ? write_rule : write_alarm)(w, each);
		}
	}
}

void summary_policy(const json_t *policy, struct writer *w)
{
	write_results(w, policy, "rules", "fail");
	write_results(w, policy, "rules", "not-enough");
	write_results(w, policy, "rules", "pass");
	write_results(w, policy, "alarms", "fail");
	write_results(w, policy, "alarms", "pass");
}
