#include "cli/opinions/score_report.h"

#include <inttypes.h>

#include "base/json.h"
#include "cli/opinions/aside_store.h"

static void put_member(struct buf *to, const char *name, const char *value)
{
	buf_printf(to, "%s\"%s\": ", to->data[to->len - 1] == '{' ? "" : ", ", name);
	if (value) {
		json_put_string(to, span_of(value));
	} else {
		buf_append_str(to, "null");
	}
}

static void put_count(struct buf *to, const char *name, uint64_t value)
{
	buf_printf(to, ", \"%s\": %" PRIu64, name, value);
}

char *score_report_settings(
        const char *source, const struct score_backend *b, const struct scorer_settings *s)
{
	struct buf to = {0};
	buf_append_str(&to, "{\"score\": {");
	put_member(&to, "source", source);
	put_member(&to, "name", b->name);
	put_member(&to, "url", b->url);
	put_member(&to, "dialect", s->dialect->name);
	put_member(&to, "prompt", SCORE_PROMPT_WORDS[s->prompt]);
	buf_append_str(&to, "}}");
	return buf_steal(&to);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* What an engine tells, if it is the one that it was said to be. */
static const char *version_of(const struct score_job_settings *s)
{
	return s->engine->dialect == s->scorer.dialect ? s->engine->version : NULL;
}

static void print_reasons(const struct error_tally *r, const char *what, FILE *to)
{
	for (size_t i = 0; i < r->n; i++) {
		fprintf(to, "%" PRIu64 " answer%s %s: %s\n", r->items[i].n, plural(r->items[i].n),
		        what, r->items[i].why);
	}
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
		        t->scored, plural(t->scored), s->of ? s->of : "the primary", t->tokens,
		        b->name, s->scorer.dialect->title, version ? " " : "",
		        version ? version : "", t->seconds,
		        s->scorer.prompt == SCORE_PROMPT_PRIMARY ? ", after the recorded prompts"
		                                                 : "");
		if (t->already) {
			fprintf(to, "; %" PRIu64 " had been before", t->already);
		}
		fputs(".\n", to);
	}
	print_reasons(&t->unable, "can't be scored", to);
	print_reasons(&t->failed, "failed", to);
	if (lost) {
		fprintf(to, "%" PRIu64 " score%s could not be written to the capture.\n", lost,
		        plural(lost));
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
		aside_see_figures(dir, other, to);
	}
}

static void put_reasons(struct buf *to, const char *name, const struct error_tally *r)
{
	buf_printf(to, ", \"%s\": [", name);
	for (size_t i = 0; i < r->n; i++) {
		buf_append_str(to, i ? ", {" : "{");
		put_member(to, "why", r->items[i].why);
		put_count(to, "n", r->items[i].n);
		buf_append_char(to, '}');
	}
	buf_append_char(to, ']');
}

void score_report_json(const char *dir, const struct score_backend *b,
        const struct score_job_settings *s, const struct score_tally *t, uint64_t lost, FILE *to)
{
	struct buf text = {0};
	buf_append_str(&text, "{");
	put_member(&text, "capture", dir);
	put_member(&text, "backend", b->name);
	put_member(&text, "url", b->url);
	put_member(&text, "dialect", s->scorer.dialect->name);
	put_member(&text, "version", version_of(s));
	put_member(&text, "of", s->of);
	put_member(&text, "prompt", SCORE_PROMPT_WORDS[s->scorer.prompt]);
	put_count(&text, "plumbline_score", 1);
	put_count(&text, "concurrency", s->concurrency);
	put_count(&text, "wanted", t->wanted);
	put_count(&text, "scored", t->scored);
	put_count(&text, "tokens", t->tokens);
	put_count(&text, "already", t->already);
	put_count(&text, "lost", lost);
	put_count(&text, "seconds", t->seconds);
	put_reasons(&text, "unable", &t->unable);
	put_reasons(&text, "failed", &t->failed);
	buf_printf(&text, ", \"gone\": %s, \"stopped\": %s}\n", t->gone ? "true" : "false",
	        t->stopped ? "true" : "false");
	fwrite(text.data, 1, text.len, to);
	buf_finish(&text);
}
