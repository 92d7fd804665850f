#include "backends/scoring/scorer.h"

#include <stdlib.h>
#include <string.h>

#include "backends/scoring/scorer_parts.h"
#include "base/clock.h"
#include "base/mem.h"

#define MISMATCH_LIMIT 4 /* consecutive answers after which a model's ids are no longer tried */
#define READ_FACTOR 8    /* memory to read an answer, as a multiple of its length */

const char *const SCORE_PROMPT_WORDS[] = {
        [SCORE_PROMPT_OWN] = "own", [SCORE_PROMPT_PRIMARY] = "primary", [N_SCORE_PROMPTS] = NULL};

const struct dialect *scorer_dialect(const struct scorer *s)
{
	return s->settings.dialect;
}

struct scorer *scorer_create(const struct scorer_settings *s, char **ret_error)
{
	struct call_line *line = call_line_create(&s->line, ret_error);
	if (!line) {
		return NULL;
	}
	struct scorer *scorer = xcalloc(1, sizeof(*scorer));
	scorer->settings = *s;
	scorer->line = line;
	scorer->claim.budget = s->budget;
	return scorer;
}

void scorer_destroy(struct scorer *s)
{
	if (s) {
		claim_close(&s->claim);
		call_line_destroy(s->line);
		free(s->ids_model);
		free(s);
	}
}

void scorer_stop(struct scorer *s)
{
	call_line_stop(s->line);
}

static int top_of(const struct scorer *s)
{
	const struct dialect *d = s->settings.dialect;
	int limit = d->max_top_completion ? d->max_top_completion : d->max_top;
	return limit > 0 ? MIN(s->settings.top, limit) : s->settings.top;
}

static const char CODED[] =
        "the engine's answer has a content coding, although plumbline accepts none";

/* Sends one request for scores of the text; ret owns its strings. */
static void request_scores(struct scorer *s, const struct score_text *text, const char *model,
        struct scorer_result *ret)
{
	const struct dialect *d = s->settings.dialect;
	const struct score_ask question = {.scoring = d->scoring, .model = model, .top = top_of(s)};
	score_request(&question, text, &ret->request);
	ret->start_ns = clock_wall();
	scorer_call(s, score_path(d->scoring), buf_span(&ret->request), &ret->answer);
	bool answered = ret->answer.end == CALL_DONE && ret->answer.status == 200;
	bool has_room = answered && scorer_take_memory(s, READ_FACTOR * ret->answer.body.len);
	ret->claim = s->claim;
	s->claim.taken = 0;
	ret->reading = has_room ? scorer_read(&ret->answer) : NULL;
	if (!ret->reading || (ret->reading->marks & READING_ERROR_BODY)) {
		ret->end = scorer_failure(s, &ret->answer, &ret->why);
		return;
	}
	struct score_place place;
	const char *why = score_locate(text, ret->reading, d->echo_shifts_without_bos, &place);
	if (why && call_header(&ret->answer, "content-encoding").len) {
		why = CODED;
	}
	ret->end = why ? QUESTION_UNABLE : QUESTION_DONE;
	ret->why = why ? xstrdup(why) : NULL;
	ret->at = why ? 0 : place.at;
	ret->marks = text->marks;
}

static void score_once(struct scorer *s, const struct score_subject *subject, const char *model,
        bool own_ids, struct scorer_result *ret)
{
	struct score_text text;
	*ret = (struct scorer_result){0};
	ret->end = scorer_context(s, subject, model, own_ids, &text, &ret->why);
	if (ret->end == QUESTION_DONE) {
		request_scores(s, &text, model, ret);
		score_text_finish(&text);
	}
}

/* Whether scoring by text may succeed: the engine refused the ids, or decodes them differently. */
static bool may_score_text(const struct scorer *s, const struct scorer_result *r)
{
	bool refused = r->end == QUESTION_FAILED && scorer_is_refusal(&r->answer);
	return !s->too_long && (refused || r->end == QUESTION_UNABLE);
}

/* A single mismatch does not rule the recorded ids out; another model has other ids. */
static void use_model(struct scorer *s, const char *model)
{
	const char *name = model ? model : "";
	if (!s->ids_model || strcmp(s->ids_model, name) != 0) {
		free(s->ids_model);
		s->ids_model = xstrdup(name);
		s->id_mismatches = 0;
	}
}

void scorer_score(struct scorer *s, const struct score_subject *subject, const char *model,
        struct scorer_result *ret)
{
	use_model(s, model);
	bool own_ids = subject->answer_ids.n > 0 && s->id_mismatches < MISMATCH_LIMIT;
	s->too_long = false;
	score_once(s, subject, model, own_ids, ret);
	if (own_ids && ret->end == QUESTION_DONE) {
		s->id_mismatches = 0;
	}
	if (!own_ids || !subject->whole || !may_score_text(s, ret)) {
		return;
	}
	struct scorer_result by_text;
	score_once(s, subject, model, false, &by_text);
	if (by_text.end == QUESTION_DONE || by_text.end == QUESTION_STOPPED) {
		s->id_mismatches += by_text.end == QUESTION_DONE;
		scorer_result_finish(ret);
		*ret = by_text;
	} else {
		scorer_result_finish(&by_text);
	}
}

void scorer_result_finish(struct scorer_result *r)
{
	free(r->why);
	buf_finish(&r->request);
	call_answer_finish(&r->answer);
	reading_destroy(r->reading);
	claim_close(&r->claim);
	*r = (struct scorer_result){0};
}
