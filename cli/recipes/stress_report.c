#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/document/document_values.h"
#include "analyzer/report/document/document_verdict.h"
#include "analyzer/stats/proportion.h"
#include "base/buf.h"
#include "base/moment.h"
#include "base/plural.h"
#include "base/shell.h"
#include "cli/recipes/stress_report.h"
#include "replay/campaign/replay_backend.h"

static void begin(struct buf *to)
{
	buf_append_str(to, to->len ? " " : "");
}

/* These answers are not in the table of levels. */
static void put_leaks(struct buf *to, const struct stress_finding *f)
{
	if (f->leaks) {
		begin(to);
		buf_printf(to,
		        "Cross-talk: %" PRIu64 " of %" PRIu64
		        " answers to further requests contain the canary of another request (a "
		        "word that only this request contains).",
		        f->leaks, f->searched);
		buf_printf(to,
		        f->leaks_together == f->leaks
		                ? " Both requests were in progress at the same time."
		                : " In %" PRIu64 " cases both requests were in progress at the "
		                  "same time.",
		        f->leaks_together);
	}
}

static void put_poison(struct buf *to, const struct stress_finding *f)
{
	if (f->poison.found) {
		begin(to);
		buf_printf(to,
		        "Poison: after a request that failed, %" PRIu64 " of %" PRIu64
		        " valid requests got a different answer; before any failure %" PRIu64
		        " of %" PRIu64 " did. The effect lasts for up to %" PRIu32 " requests.",
		        f->after_differing, f->after, f->before_differing, f->before, f->longest);
	}
}

static void put_jumps(struct buf *to, const struct stress_finding *f)
{
	const struct concurrency *s = &f->concurrency;
	if (!s->jumps.found) {
		return;
	}
	begin(to);
	if (f->leaks) {
		buf_printf(to,
		        "%" PRIu64 " %s from the answer given alone by more than rounding "
		        "explains, which is a further sign of cross-talk.",
		        s->jumps.hits, plural(s->jumps.hits, "answer differs", "answers differ"));
		return;
	}
	buf_printf(to,
	        "Mix-up of requests, or strong noise: %" PRIu64 " of %" PRIu64
	        " answers differ from the answer given alone by more than rounding explains: at "
	        "the first difference, logits moved by %g nats or more. Suspect the KV cache "
	        "first.",
	        s->jumps.hits, s->jumps.n, CONCURRENCY_JUMP);
	if (s->levels[0].jumps) {
		buf_printf(to, " %" PRIu64 " of them came when no other request was in progress.",
		        s->levels[0].jumps);
	}
}

static void put_drift(struct buf *to, const struct stress_finding *f)
{
	const struct concurrency *s = &f->concurrency;
	if (!s->drift.found) {
		return;
	}
	const struct concurrency_level *most = &s->levels[s->n_levels - 1];
	char p[DOCUMENT_P_SIZE];
	begin(to);
	buf_printf(to,
	        "Answers change under load (%s): %" PRIu64 " of %" PRIu64
	        " differ at concurrency %u, %" PRIu64 " of %" PRIu64 " alone.",
	        document_p(s->drift.p, p), most->differing, most->answers, most->concurrency,
	        s->differing_alone, s->alone);
}

static void put_events(struct buf *to, const char *what, const struct concurrency_test *t)
{
	char p[DOCUMENT_P_SIZE];
	if (t->found) {
		begin(to);
		buf_printf(to, "%s are more frequent under load: %" PRIu64 " of %" PRIu64 " (%s).",
		        what, t->hits, t->n, document_p(t->p, p));
	}
}

static void put_change(struct buf *to, const struct stress_finding *f)
{
	char when[MOMENT_TEXT_SIZE], p[DOCUMENT_P_SIZE];
	if (f->concurrency.change.found) {
		begin(to);
		buf_printf(to,
		        "A change in time: from %s on more answers differ, at every load (%s).",
		        moment_format(f->concurrency.changed_ns, when),
		        document_p(f->concurrency.change.p, p));
	}
}

/* If most answers given alone differ, the rest is too little to show an effect. */
static bool is_steady(const struct concurrency *s)
{
	return 2 * s->differing_alone <= s->alone;
}

/* SAME only if the interval excludes an effect of load that counts. */
static enum verdict_word word_of(const struct stress_finding *f, double least_effect)
{
	if (stress_found(f)) {
		return VERDICT_DIFFERENT;
	}
	/* Load does not make answers agree more often: an estimate below 0 is due to chance, and
	 * counts as 0. */
	double most = f->effect.ci.high - fmin(f->effect.value, 0);
	return is_steady(&f->concurrency) && most < least_effect ? VERDICT_SAME : VERDICT_UNCLEAR;
}

/* Differing answers: under load, and alone. */
static void put_differing(struct buf *to, const struct concurrency *s)
{
	buf_printf(to,
	        "%" PRIu64 " of %" PRIu64
	        " answers under load differ from the first answer given alone.",
	        s->differing_loaded, s->loaded);
	if (s->differing_alone > 0) {
		buf_printf(to, " So do %" PRIu64 " of %" PRIu64 " later answers given alone.",
		        s->differing_alone, s->alone);
	}
}

static void put_same(struct buf *to, const struct stress_finding *f, double least_effect)
{
	const struct concurrency *s = &f->concurrency;
	if (s->differing_loaded + s->differing_alone == 0) {
		buf_printf(to,
		        "No effect of load was found: all %" PRIu64
		        " answers at concurrency up to %u are the same as alone.",
		        s->loaded, s->levels[s->n_levels - 1].concurrency);
	} else {
		buf_append_str(to, "No effect of load was found: ");
		put_differing(to, s);
	}
	buf_printf(to, " Load changes fewer than %.3g %% of the answers.", 100 * least_effect);
}

static void put_unclear(struct buf *to, const struct stress_finding *f, double least_effect)
{
	const struct concurrency *s = &f->concurrency;
	if (!stress_has_data(f)) {
		buf_append_str(to, "There are too few answers to tell what load changes.");
		return;
	}
	if (!is_steady(s)) {
		buf_printf(to,
		        "The engine differs from itself even alone (%" PRIu64 " of %" PRIu64
		        "), so load can't be judged: under load %" PRIu64 " of %" PRIu64
		        " answers differ.",
		        s->differing_alone, s->alone, s->differing_loaded, s->loaded);
		return;
	}
	if (s->differing_loaded > 0) {
		put_differing(to, s);
	} else {
		buf_printf(to,
		        "No answer of %" PRIu64 " under load differs from the one given alone.",
		        s->loaded);
	}
	buf_printf(to, " The effect of load is ");
	document_put_change(to, METRIC_SHARE, f->effect.value, f->effect.ci);
	buf_printf(to,
	        ": %zu %s too few to tell whether load changes fewer than %.3g %% of the answers.",
	        f->effect.clusters, plural(f->effect.clusters, "prompt is", "prompts are"),
	        100 * least_effect);
}

static void put_jumps_alone(struct buf *to, const struct concurrency *s)
{
	if (s->levels[0].jumps) {
		buf_printf(to, " %" PRIu64 " %s by more than rounding explains.",
		        s->levels[0].jumps,
		        plural(s->levels[0].jumps, "answer given alone differs",
		                "answers given alone differ"));
	}
}

/* One or more sentences, worst first. The caller frees the text. */
static char *sentence(const struct stress_finding *f, enum verdict_word word, double least_effect)
{
	struct buf to = {0};
	put_leaks(&to, f);
	put_poison(&to, f);
	put_jumps(&to, f);
	put_drift(&to, f);
	put_change(&to, f);
	put_events(&to, "Errors", &f->concurrency.failed);
	put_events(&to, "Loops", &f->concurrency.loops);
	put_events(&to, "Empty answers", &f->concurrency.empty);
	put_events(&to, "Foreign scripts", &f->concurrency.foreign);
	if (word == VERDICT_SAME) {
		put_same(&to, f, least_effect);
	} else if (word == VERDICT_UNCLEAR) {
		put_unclear(&to, f, least_effect);
		put_jumps_alone(&to, &f->concurrency);
	}
	return buf_steal(&to);
}

/* The step that asks for more prompts, if their number decides. */
static void add_prompts_step(json_t *next, const struct stress_finding *f, double least_effect,
        const struct advice_place *place)
{
	const struct estimate *e = &f->effect;
	const struct figure_value effect = {.value = e->value, .ci = e->ci};
	const struct verdict_figure figure = {
	        .value = effect, .over = effect, .least_effect = least_effect};
	if (f->concurrency.differing_alone == 0) {
		document_add_prompts_step(
		        next, verdict_needed(&figure, (double)e->clusters), e->clusters, place);
	}
}

/* JSON. */

static json_t *test_json(const struct concurrency_test *t)
{
	return json_pack("{s:b, s:I, s:I, s:o}", "found", t->found, "hits", (json_int_t)t->hits,
	        "n", (json_int_t)t->n, "p", node_real(t->p));
}

static json_t *rate_json(uint64_t hits, uint64_t n)
{
	struct interval i = proportion_rate(hits, n);
	return json_pack("{s:I, s:I, s:o, s:o}", "hits", (json_int_t)hits, "n", (json_int_t)n,
	        "low", node_real(i.low), "high", node_real(i.high));
}

static json_t *level_json(const struct concurrency_level *l)
{
	double same = l->answers ? 1 - (double)l->differing / (double)l->answers : NAN;
	return json_pack("{s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:o}", "concurrency",
	        (json_int_t)l->concurrency, "answers", (json_int_t)l->answers, "errors",
	        (json_int_t)l->failed, "differing", rate_json(l->differing, l->answers), "jumps",
	        (json_int_t)l->jumps, "loops", (json_int_t)l->loops, "empty", (json_int_t)l->empty,
	        "foreign", (json_int_t)l->foreign, "output_consistency", node_real(same));
}

static json_t *id_json(struct id id)
{
	char text[ID_TEXT_SIZE];
	return json_string(id_format(id, text));
}

static json_t *leaks_json(const struct stress_finding *f)
{
	json_t *first = json_array();
	for (size_t i = 0; i < f->leaks && i < STRESS_LEAKS; i++) {
		const struct stress_leak *l = &f->first[i];
		json_array_append_new(
		        first, json_pack("{s:o, s:o, s:I, s:b}", "heard_in", id_json(l->in_answer),
		                       "of", id_json(l->whose), "concurrency",
		                       (json_int_t)l->concurrency, "together", l->together));
	}
	return json_pack("{s:b, s:I, s:I, s:I, s:o}", "found", f->leaks > 0, "hits",
	        (json_int_t)f->leaks, "n", (json_int_t)f->searched, "together",
	        (json_int_t)f->leaks_together, "first", first);
}

static json_t *poison_json(const struct stress_finding *f)
{
	json_t *o = test_json(&f->poison);
	json_object_update_new(o,
	        json_pack("{s:I, s:I, s:o, s:o, s:I}", "failing", (json_int_t)f->failing, "failed",
	                (json_int_t)f->failed, "before", rate_json(f->before_differing, f->before),
	                "after", rate_json(f->after_differing, f->after), "lasts",
	                (json_int_t)f->longest));
	return o;
}

json_t *stress_json(const struct stress_finding *f)
{
	const struct concurrency *s = &f->concurrency;
	json_t *levels = json_array(), *mix_up = test_json(&s->jumps),
	       *change = test_json(&s->change);
	for (size_t i = 0; i < s->n_levels; i++) {
		json_array_append_new(levels, level_json(&s->levels[i]));
	}
	if (f->leaks) {
		/* cross-talk already explains them */
		json_object_set_new(mix_up, "found", json_false());
	}
	json_object_set_new(
	        change, "from_ns", s->changed_ns ? document_integer(s->changed_ns) : json_null());
	json_t *tests = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "cross_talk",
	        leaks_json(f), "poison", poison_json(f), "mix_up", mix_up, "drift",
	        test_json(&s->drift), "change", change, "errors", test_json(&s->failed), "loops",
	        test_json(&s->loops), "empty", test_json(&s->empty), "foreign",
	        test_json(&s->foreign));
	return json_pack(
	        "{s:b, s:o, s:o}", "found", stress_found(f), "levels", levels, "tests", tests);
}

/* Sends the answer that contains another request's canary again, with its neighbours. To the URL:
 * a name would be looked up in the capture, whose settings would then decide who gets the key. */
static char *repro_command(
        const struct stress_finding *f, const char *dir, const struct replay_backend *server)
{
	char id[ID_SHORT_SIZE];
	struct buf to = {0};
	char *model = replay_backend_names(server, "");
	buf_append_str(&to, "plumbline repro ");
	if (!shell_put_pastable_path(&to, dir) || !shell_is_pastable(server->target.url)) {
		buf_finish(&to);
		free(model);
		return NULL;
	}
	buf_printf(&to, " %s --neighbours 30s --to ", id_format_short(f->first[0].in_answer, id));
	shell_put_word(&to, server->target.url);
	if (shell_is_pastable(model)) {
		buf_append_str(&to, " --model ");
		shell_put_word(&to, model);
	}
	if (server->key_variable) {
		buf_append_str(&to, " --api-key-env ");
		shell_put_word(&to, server->key_variable);
	}
	free(model);
	return buf_steal(&to);
}

/* The canaries prove the cause. */
static void set_leaks_cause(json_t *document, const struct stress_finding *f, const char *dir,
        const struct replay_backend *server)
{
	struct buf text = {0};
	char *command = repro_command(f, dir, server);
	buf_printf(&text, "%" PRIu64 " of %" PRIu64 " answers contain another request's canary",
	        f->leaks, f->searched);
	struct cause cause = {
	        .kind = CAUSE_CROSSTALK,
	        .text = (char *)buf_cstr(&text),
	        .side = CAUSE_OF_TEST,
	        .side_from = SIDE_FROM_OWN_ANSWERS,
	        .p = NAN,
	        .fix = (char *)cause_words(CAUSE_CROSSTALK)->fix,
	        .confirm = command,
	};
	for (size_t i = 0; i < MIN(f->leaks, (uint64_t)STRESS_LEAKS); i++) {
		cause_exchanges_add(&cause.exchanges, f->first[i].in_answer);
	}
	document_set_cause(document, &cause);
	free(command);
	buf_finish(&text);
}

void stress_set_verdict(json_t *document, const struct stress_finding *f,
        const struct analysis_group *levels, double least_effect, const char *dir,
        const struct replay_backend *server)
{
	bool load = f->concurrency.drift.found || f->concurrency.jumps.found;
	enum verdict_word word = word_of(f, least_effect);
	json_t *next = json_array();
	document_set_verdict(document, word, sentence(f, word, least_effect));
	/* The analysis compares levels: it explains the effect of load and nothing else. */
	if (f->leaks) {
		set_leaks_cause(document, f, dir, server);
	} else if (!load) {
		document_set_cause(document, NULL);
	}
	if (word == VERDICT_UNCLEAR) {
		add_prompts_step(next, f, least_effect, levels ? levels->place : NULL);
	}
	document_add_cause_steps(next, json_object_get(document, "cause"));
	if (levels) {
		document_add_widest_step(next, levels);
	}
	json_object_set_new(document, "next", next);
}
