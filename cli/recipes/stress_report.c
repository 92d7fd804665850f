#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/document_values.h"
#include "analyzer/stats/proportion.h"
#include "base/buf.h"
#include "base/moment.h"
#include "cli/recipes/stress.h"

/* Sums the levels above the lowest. */
static void above(const struct concurrency *s, uint64_t *ret_hits, uint64_t *ret_n)
{
	*ret_hits = *ret_n = 0;
	for (size_t i = 1; i < s->n_levels; i++) {
		*ret_hits += s->levels[i].differing;
		*ret_n += s->levels[i].answers;
	}
}

static void begin(struct buf *to)
{
	buf_append_str(to, to->len ? " " : "");
}

static void put_leaks(struct buf *to, const struct stress_finding *f)
{
	if (f->leaks) {
		begin(to);
		buf_printf(to,
		        "CROSS-TALK: %" PRIu64 " of %" PRIu64
		        " answers hold the canary of another request, %" PRIu64
		        " of them of one that ran at the same time.",
		        f->leaks, f->canaried, f->leaks_together);
	}
}

static void put_poison(struct buf *to, const struct stress_finding *f)
{
	if (f->poison.found) {
		begin(to);
		buf_printf(to,
		        "POISON: behind a request that failed %" PRIu64 " of %" PRIu64
		        " healthy ones get a different answer; before any had failed %" PRIu64
		        " of %" PRIu64 "; the last of these is number %" PRIu32 " behind it.",
		        f->after_differing, f->after, f->before_differing, f->before, f->longest);
	}
}

static void put_jumps(struct buf *to, const struct stress_finding *f)
{
	const struct concurrency *s = &f->strain;
	if (!s->jumps.found) {
		return;
	}
	begin(to);
	if (f->leaks) {
		buf_printf(to,
		        "%" PRIu64 " answers differ from those given alone where rounding cannot "
		        "explain it: a sign of cross-talk.",
		        s->jumps.hits);
		return;
	}
	buf_printf(to,
	        "MIX-UP: %" PRIu64 " of %" PRIu64
	        " answers continue as if another request had been sent: where they first differ "
	        "from the answer given alone, logits moved by %g nats or more, which rounding "
	        "cannot explain; suspect the KV cache.",
	        s->jumps.hits, s->jumps.n, CONCURRENCY_JUMP);
	if (s->levels[0].jumps) {
		buf_printf(to, " %" PRIu64 " of them came when no other request ran.",
		        s->levels[0].jumps);
	}
}

static void put_drift(struct buf *to, const struct stress_finding *f)
{
	const struct concurrency *s = &f->strain;
	if (!s->drift.found) {
		return;
	}
	const struct concurrency_level *most = &s->levels[s->n_levels - 1];
	begin(to);
	buf_printf(to,
	        "DRIFT WITH LOAD: answers change under load (p %.1g): %" PRIu64 " of %" PRIu64
	        " at concurrency %u, %" PRIu64 " of %" PRIu64 " alone.",
	        s->drift.p, most->differing, most->answers, most->concurrency, s->differing_alone,
	        s->alone);
}

static void put_events(struct buf *to, const char *what, const struct concurrency_test *t)
{
	if (t->found) {
		begin(to);
		buf_printf(to, "%s COME WITH LOAD: %" PRIu64 " of %" PRIu64 " (p %.1g).", what,
		        t->hits, t->n, t->p);
	}
}

static void put_change(struct buf *to, const struct stress_finding *f)
{
	char when[MOMENT_TEXT_SIZE];
	if (f->strain.change.found) {
		begin(to);
		buf_printf(to,
		        "A CHANGE IN TIME: from %s on more answers differ, whatever the load (p "
		        "%.1g).",
		        moment_format(f->strain.changed_ns, when), f->strain.change.p);
	}
}

static void put_nothing(struct buf *to, const struct stress_finding *f)
{
	const struct concurrency *s = &f->strain;
	uint64_t hits, n;
	above(s, &hits, &n);
	if (!stress_has_data(f)) {
		buf_append_str(to, "Not enough answers to tell what load does.");
	} else if (hits + s->differing_alone == 0) {
		buf_printf(to,
		        "No corruption was found: all %" PRIu64
		        " answers under load, at concurrency up to %u, are the same as alone.",
		        n, s->levels[s->n_levels - 1].concurrency);
	} else {
		buf_printf(to,
		        "No corruption was found: %" PRIu64 " of %" PRIu64
		        " answers under load differ from the first one given alone, and so do "
		        "%" PRIu64 " of %" PRIu64 " alone.",
		        hits, n, s->differing_alone, s->alone);
	}
	if (s->levels[0].jumps) {
		buf_printf(to,
		        " Where %" PRIu64 " of those alone part, no rounding explains it: the "
		        "engine varies by itself.",
		        s->levels[0].jumps);
	}
}

char *stress_sentence(const struct stress_finding *f)
{
	struct buf to = {0};
	put_leaks(&to, f);
	put_poison(&to, f);
	put_jumps(&to, f);
	put_drift(&to, f);
	put_change(&to, f);
	put_events(&to, "ERRORS", &f->strain.failed);
	put_events(&to, "LOOPS", &f->strain.loops);
	put_events(&to, "EMPTY ANSWERS", &f->strain.empty);
	put_events(&to, "FOREIGN SCRIPTS", &f->strain.foreign);
	if (to.len == 0) {
		put_nothing(&to, f);
	}
	return buf_steal(&to);
}

/* JSON. */

static json_t *test_json(const struct concurrency_test *t)
{
	json_t *o = json_object();
	node_set_flag(o, "found", t->found);
	node_set_count(o, "hits", t->hits);
	node_set_count(o, "n", t->n);
	node_set_number(o, "p", t->p);
	return o;
}

static json_t *rate_json(uint64_t hits, uint64_t n)
{
	struct interval i = proportion_rate(hits, n);
	json_t *o = json_object();
	node_set_count(o, "hits", hits);
	node_set_count(o, "n", n);
	node_set_number(o, "low", i.low);
	node_set_number(o, "high", i.high);
	return o;
}

static json_t *levels_json(const struct concurrency *s)
{
	json_t *all = json_array();
	for (size_t i = 0; i < s->n_levels; i++) {
		const struct concurrency_level *l = &s->levels[i];
		json_t *o = json_object();
		json_object_set_new(o, "concurrency", json_integer(l->concurrency));
		node_set_count(o, "answers", l->answers);
		node_set_count(o, "errors", l->failed);
		json_object_set_new(o, "differing", rate_json(l->differing, l->answers));
		node_set_count(o, "jumps", l->jumps);
		node_set_count(o, "loops", l->loops);
		node_set_count(o, "empty", l->empty);
		node_set_count(o, "foreign", l->foreign);
		json_object_set_new(o, "output_consistency",
		        l->answers ? node_real(1 - (double)l->differing / (double)l->answers)
		                   : json_null());
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *id_json(struct id id)
{
	char text[ID_TEXT_SIZE];
	return json_string(id_format(id, text));
}

static json_t *leaks_json(const struct stress_finding *f)
{
	json_t *o = json_object(), *first = json_array();
	node_set_flag(o, "found", f->leaks > 0);
	node_set_count(o, "hits", f->leaks);
	node_set_count(o, "n", f->canaried);
	node_set_count(o, "together", f->leaks_together);
	for (size_t i = 0; i < f->leaks && i < STRESS_LEAKS; i++) {
		const struct stress_leak *l = &f->first[i];
		json_t *each = json_object();
		json_object_set_new(each, "heard_in", id_json(l->heard));
		json_object_set_new(each, "of", id_json(l->whose));
		json_object_set_new(each, "concurrency", json_integer(l->concurrency));
		node_set_flag(each, "together", l->together);
		json_array_append_new(first, each);
	}
	json_object_set_new(o, "first", first);
	return o;
}

static json_t *poison_json(const struct stress_finding *f)
{
	json_t *o = test_json(&f->poison);
	node_set_count(o, "failing", f->failing);
	node_set_count(o, "failed", f->failed);
	json_object_set_new(o, "before", rate_json(f->before_differing, f->before));
	json_object_set_new(o, "after", rate_json(f->after_differing, f->after));
	node_set_count(o, "lasts", f->longest);
	return o;
}

json_t *stress_json(const struct stress_finding *f)
{
	const struct concurrency *s = &f->strain;
	json_t *o = json_object(), *found = json_object();
	node_set_flag(o, "found", stress_found(f));
	json_object_set_new(o, "levels", levels_json(s));
	json_object_set_new(found, "cross_talk", leaks_json(f));
	json_object_set_new(found, "poison", poison_json(f));
	json_t *mix_up = test_json(&s->jumps);
	if (f->leaks) {
		/* cross-talk already explains them */
		json_object_set_new(mix_up, "found", json_false());
	}
	json_object_set_new(found, "mix_up", mix_up);
	json_object_set_new(found, "drift", test_json(&s->drift));
	json_t *change = test_json(&s->change);
	json_object_set_new(
	        change, "from_ns", s->changed_ns ? report_integer(s->changed_ns) : json_null());
	json_object_set_new(found, "change", change);
	json_object_set_new(found, "errors", test_json(&s->failed));
	json_object_set_new(found, "loops", test_json(&s->loops));
	json_object_set_new(found, "empty", test_json(&s->empty));
	json_object_set_new(found, "foreign", test_json(&s->foreign));
	json_object_set_new(o, "tests", found);
	return o;
}

#define BATCHING_FIX "use the engine's batch-invariant mode if it has one, or fix the batch size"

static bool explain_cause(json_t *cause)
{
	const char *key = json_string_value(json_object_get(cause, "key"));
	bool is_drift = key && strcmp(key, "drift") == 0;
	if (is_drift) {
		json_object_set_new(
		        cause, "title", json_string("Numerical differences between batches"));
		json_object_set_new(cause, "fix", json_string(BATCHING_FIX));
	}
	return is_drift;
}

static void explain_part(json_t *part)
{
	size_t i;
	json_t *cause, *first = json_array_get(json_object_get(part, "next"), 0);
	json_array_foreach(json_object_get(part, "causes"), i, cause)
	{
		(void)explain_cause(cause);
	}
	if (explain_cause(json_object_get(part, "cause"))) {
		json_object_set_new(
		        first, "text", json_string("To remove the cause: " BATCHING_FIX "."));
	}
}

void stress_explain(json_t *document, bool found)
{
	size_t i;
	json_t *group;
	explain_part(document);
	if (!found) {
		json_object_set_new(document, "next", json_array());
	}
	json_array_foreach(json_object_get(document, "groups"), i, group)
	{
		explain_part(group);
	}
}
