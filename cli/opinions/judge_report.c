#include "cli/opinions/judge_report.h"

#include <inttypes.h>

#include <jansson.h>

#include "analyzer/report/node.h"
#include "base/quoted.h"
#include "base/mem.h"
#include "cli/opinions/aside_store.h"
#include "cli/opinions/opinion_report.h"

char *judge_report_settings(const struct judge_report *r)
{
	json_t *o = json_object(), *judge = json_object();
	json_object_set_new(judge, "source", quoted(r->dir));
	json_object_set_new(judge, "name", quoted(r->judge));
	json_object_set_new(judge, "url", quoted(r->url));
	json_object_set_new(judge, "model", quoted(r->model));
	if (!r->library) {
		node_set_count(judge, "prompt_version", OPINION_PROMPT_VERSION);
	}
	json_object_set_new(o, "judge", judge);
	return opinion_report_text(o);
}

static void print_left_out(const struct judge_list *l, FILE *to)
{
	const struct {
		uint64_t n;
		const char *why;
	} out[] = {{l->cut, "were cut"}, {l->calls, "have tool calls"}, {l->empty, "say nothing"},
	        {l->too_long, "are too long to be shown whole"},
	        {l->unmarked, "do not both mark a mathematical value"},
	        {l->unlike, "say different things around their values"}};
	if (l->not_greedy > 0) {
		fprintf(to,
		        "%" PRIu64
		        " pair%s not judged: sampled, or decoded with different parameters.\n",
		        l->not_greedy, opinion_report_plural(l->not_greedy));
	}
	for (size_t i = 0; i < ARRAY_LEN(out); i++) {
		if (out[i].n > 0) {
			fprintf(to, "%" PRIu64 " undecided pair%s not judged: answers %s.\n",
			        out[i].n, opinion_report_plural(out[i].n), out[i].why);
		}
	}
}

void judge_report_plan(const struct judge_report *r, FILE *to)
{
	const struct judge_list *l = r->list;
	uint64_t requests = judge_list_requests(l);
	fprintf(to,
	        "%" PRIu64 " of %" PRIu64 " greedy pairs are undecided; to be judged: %zu of them"
	        " and %zu check%s, %" PRIu64 " %s%s",
	        l->undecided, l->pairs, l->asked.n, l->checks.n, opinion_report_plural(l->checks.n),
	        requests, r->library ? "question" : "request", opinion_report_plural(requests));
	if (!r->library) {
		fprintf(to, " with about %" PRIu64 " tokens", judge_list_tokens(l));
	}
	fputs(".\n", to);
}

void judge_report_text(const struct judge_report *r, FILE *to)
{
	const struct judge_tally *t = r->tally;
	const struct judge_list *l = r->list;
	if (t) {
		fprintf(to,
		        "%" PRIu64 " pair%s judged by %s in both orders in %" PRIu64
		        " s: of %" PRIu64 " replies %" PRIu64 " say the same, %" PRIu64
		        " different, %" PRIu64 " can't tell (%" PRIu64 " without a verdict)",
		        t->judged, opinion_report_plural(t->judged), r->judge, t->seconds,
		        t->replies, t->said[OPINION_SAME], t->said[OPINION_DIFFERENT],
		        t->said[OPINION_CANNOT_TELL], t->unclear);
	} else {
		judge_report_plan(r, to);
		fputs("Nothing was sent", to);
	}
	if (l->already + l->checks_already > 0) {
		fprintf(to, "; %" PRIu64 " had been judged before", l->already + l->checks_already);
	}
	fputs(".\n", to);
	print_left_out(l, to);
	if (t) {
		opinion_report_print(&t->failed, r->library ? "question" : "request", "failed", to);
	}
	if (r->lost > 0) {
		fprintf(to, "%" PRIu64 " repl%s could not be written to the capture.\n", r->lost,
		        r->lost == 1 ? "y" : "ies");
	}
	if (t && t->gone) {
		fputs("The engine can't be reached any more. ", to);
	}
	if (t && (t->gone || t->stopped || t->failed.total > 0 || r->lost > 0)) {
		fprintf(to, "%sWhat was judged is recorded; run the same command to continue.\n",
		        t->stopped ? "Stopped. " : "");
	} else if (t || l->already > 0) {
		aside_print_command(r->dir, r->to, to);
	}
}

static json_t *left_out(const struct judge_list *l)
{
	json_t *o = json_object();
	node_set_count(o, "not_greedy", l->not_greedy);
	node_set_count(o, "cut", l->cut);
	node_set_count(o, "tool_calls", l->calls);
	node_set_count(o, "empty", l->empty);
	node_set_count(o, "too_long", l->too_long);
	node_set_count(o, "unmarked", l->unmarked);
	node_set_count(o, "unlike", l->unlike);
	return o;
}

static json_t *tally(const struct judge_tally *t)
{
	json_t *o = json_object();
	node_set_count(o, "judged", t->judged);
	node_set_count(o, "replies", t->replies);
	for (size_t i = 0; i < N_OPINIONS; i++) {
		node_set_count(o, opinion_name((enum opinion)i), t->said[i]);
	}
	node_set_count(o, "unclear", t->unclear);
	node_set_count(o, "seconds", t->seconds);
	json_object_set_new(o, "failed", opinion_report_reasons(&t->failed));
	node_set_flag(o, "gone", t->gone);
	node_set_flag(o, "stopped", t->stopped);
	return o;
}

void judge_report_json(const struct judge_report *r, FILE *to)
{
	const struct judge_list *l = r->list;
	json_t *o = json_object();
	node_set_count(o, "plumbline_judge", 1);
	json_object_set_new(o, "capture", quoted(r->dir));
	json_object_set_new(o, "judge", quoted(r->judge));
	json_object_set_new(o, "url", quoted(r->url));
	json_object_set_new(o, "model", quoted(r->model));
	json_object_set_new(o, "prompt_version",
	        r->library ? json_null() : json_integer(OPINION_PROMPT_VERSION));
	node_set_count(o, "pairs", l->pairs);
	node_set_count(o, "undecided", l->undecided);
	node_set_count(o, "already", l->already);
	node_set_count(o, "to_judge", l->asked.n);
	node_set_count(o, "checks_already", l->checks_already);
	node_set_count(o, "checks", l->checks.n);
	node_set_count(o, "requests", judge_list_requests(l));
	node_set_count(o, "tokens_about", r->library ? 0 : judge_list_tokens(l));
	json_object_set_new(o, "left_out", left_out(l));
	json_object_set_new(o, "asked", r->tally ? tally(r->tally) : json_null());
	node_set_count(o, "lost", r->lost);
	opinion_report_write(o, to);
}
