#include "cli/opinions/score_report.h"

#include <inttypes.h>

#include "analyzer/report/node.h"
#include "base/quoted.h"
#include "cli/opinions/aside_store.h"
#include "cli/opinions/opinion_report.h"

char *score_report_settings(
        const char *source, const struct score_backend *b, const struct scorer_settings *s)
{
	json_t *o = json_object(), *score = json_object();
	json_object_set_new(score, "source", quoted(source));
	json_object_set_new(score, "name", quoted(b->name));
	json_object_set_new(score, "url", quoted(b->url));
	json_object_set_new(score, "dialect", quoted(s->dialect->name));
	json_object_set_new(score, "prompt", quoted(SCORE_PROMPT_WORDS[s->prompt]));
	json_object_set_new(o, "score", score);
	return opinion_report_text(o);
}

/* The version that the engine reports, if the engine is of the stated kind. */
static const char *version_of(const struct score_job_settings *s)
{
	return s->engine->dialect == s->scorer.dialect ? s->engine->version : NULL;
}

void score_report_text(const char *dir, const char *other, const struct score_backend *b,
        const struct score_job_settings *s, const struct score_tally *t, uint64_t lost, FILE *to)
{
	const char *version = version_of(s);
	if (t->wanted == 0 && t->already == 0) {
		fprintf(to, "There is no answer of %s to score.\n", s->of ? s->of : "the primary");
	} else {
		fprintf(to,
		        "%" PRIu64 " answer%s of %s (%" PRIu64 " tokens) scored by %s (%s%s%s) in "
		        "%" PRIu64 " s%s",
		        t->scored, opinion_report_plural(t->scored), s->of ? s->of : "the primary",
		        t->tokens, b->name, s->scorer.dialect->title, version ? " " : "",
		        version ? version : "", t->seconds,
		        s->scorer.prompt == SCORE_PROMPT_PRIMARY ? ", after the recorded prompts"
		                                                 : "");
		if (t->already) {
			fprintf(to, "; %" PRIu64 " had been before", t->already);
		}
		fputs(".\n", to);
	}
	opinion_report_print(&t->unable, "answer", "can't be scored", to);
	opinion_report_print(&t->failed, "answer", "failed", to);
	if (lost) {
		fprintf(to, "%" PRIu64 " score%s could not be written to the capture.\n", lost,
		        opinion_report_plural(lost));
	}
	if (t->gone) {
		fputs("The engine can't be reached any more. ", to);
	}
	if (t->stopped) {
		fputs("Stopped. ", to);
	}
	if (t->gone || t->stopped || t->failed.total || lost) {
		fputs("What was scored is recorded; run the same command to continue.\n", to);
	} else if (t->scored + t->already) {
		aside_print_command(dir, other, to);
	}
}

void score_report_json(const char *dir, const struct score_backend *b,
        const struct score_job_settings *s, const struct score_tally *t, uint64_t lost, FILE *to)
{
	json_t *o = json_object();
	json_object_set_new(o, "capture", quoted(dir));
	json_object_set_new(o, "backend", quoted(b->name));
	json_object_set_new(o, "url", quoted(b->url));
	json_object_set_new(o, "dialect", quoted(s->scorer.dialect->name));
	json_object_set_new(o, "version", quoted(version_of(s)));
	json_object_set_new(o, "of", quoted(s->of));
	json_object_set_new(o, "prompt", quoted(SCORE_PROMPT_WORDS[s->scorer.prompt]));
	node_set_count(o, "plumbline_score", 1);
	node_set_count(o, "concurrency", s->concurrency);
	node_set_count(o, "wanted", t->wanted);
	node_set_count(o, "scored", t->scored);
	node_set_count(o, "tokens", t->tokens);
	node_set_count(o, "already", t->already);
	node_set_count(o, "lost", lost);
	node_set_count(o, "seconds", t->seconds);
	json_object_set_new(o, "unable", opinion_report_reasons(&t->unable));
	json_object_set_new(o, "failed", opinion_report_reasons(&t->failed));
	node_set_flag(o, "gone", t->gone);
	node_set_flag(o, "stopped", t->stopped);
	opinion_report_write(o, to);
}
