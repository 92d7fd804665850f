#include "cli/selecting.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/clock.h"
#include "base/did_you_mean.h"
#include "base/mem.h"
#include "base/moment.h"
#include "base/plural.h"
#include "capture/capture_meta.h"

#define MODELS_SHOWN 8

static const char *const BY_WORDS[] = {"stack", "replica", NULL};

static char *read_where(void *to, const char *name, const char *value)
{
	struct selecting *s = to;
	if (s->n_where == FILTERS_LIMIT) {
		return xasprintf("more than %d --where", FILTERS_LIMIT);
	}
	s->where[s->n_where++] = value;
	return NULL;
}

const struct option_row SELECTING_OPTIONS[] = {
        {"base", 0, "NAME[@RUN]", "compare with this backend; needs --test",
                OPT_TEXT(struct selecting, base)},
        {"test", 0, "NAME[@RUN]",
                "judge this backend; needs --base. The same name in both compares its repeats. RUN "
                "is a number, first, last, or the beginning of an id (plumbline capture ls --runs "
                "lists them)",
                OPT_TEXT(struct selecting, test)},
        {"since", 0, "TIME",
                "only exchanges from TIME on: 2026-01-31T18:00 (UTC), or an age such as 2h or 7d",
                OPT_TEXT(struct selecting, since)},
        {"until", 0, "TIME", "exchanges before TIME", OPT_TEXT(struct selecting, until)},
        {"where", 0, "KEY=VALUE",
                "only exchanges or answers with this value; KEY!=VALUE: all others. Given several "
                "times, all must hold. Keys of requests: model, endpoint, stream, tools, id, "
                "session, category; of answers: backend, run, status, outcome, replica. VALUE may "
                "be a pattern (model='qwen*')",
                OPT_CALL_ALL(read_where)},
        OPT_END,
};

const struct option_row SELECTING_BY_OPTIONS[] = {
        {"by", 0, "WHAT",
                "stack or replica: show each deployment, or each server behind an address, "
                "separately",
                OPT_WORD_FROM(struct selecting, by, BY_WORDS, SLICE_STACK)},
        OPT_END,
};

static char *parse_time(const char *flag, const char *text, uint64_t *ret_ns)
{
	if (text && !moment_parse(text, clock_wall(), ret_ns)) {
		return xasprintf("%s needs a time like 2026-01-31T18:00 (UTC unless it names a "
		                 "zone), or an age like 2h or 7d, not %.60s",
		        flag, text);
	}
	return NULL;
}

/* "NAME" or "NAME@RUN": the last @ counts. */
static char *parse_side(const char *flag, const char *text, char **ret_name, bool *ret_run,
        struct pair_side *side, const char **ret_label)
{
	const char *at = strrchr(text, '@');
	if (!*text || at == text || (at && !at[1])) {
		return xasprintf("%s needs NAME or NAME@RUN, not \"%.60s\"", flag, text);
	}
	*ret_name = at ? xstrndup(text, (size_t)(at - text)) : xstrdup(text);
	*ret_run = at != NULL;
	*ret_label = at ? text : NULL;
	side->name = *ret_name;
	return NULL;
}

static char *parse_sides(struct selecting *s, struct analysis_options *to)
{
	if (!s->base != !s->test) {
		return xstrdup("--base and --test need each other");
	}
	if (!s->base) {
		return NULL;
	}
	char *problem = parse_side(
	        "--base", s->base, &s->base_name, &s->base_run, &to->names.base, &to->base_label);
	if (!problem) {
		problem = parse_side("--test", s->test, &s->test_name, &s->test_run,
		        &to->names.test, &to->test_label);
	}
	if (!problem && (s->base_run || s->test_run) && to->by != SLICE_NONE) {
		problem = xstrdup("--by and runs (NAME@RUN) exclude each other");
	}
	return problem;
}

char *selecting_parse(struct selecting *s, struct analysis_options *to)
{
	struct selection *chosen = &to->selection;
	chosen->filters.known = SELECTION_KEYS;
	to->by = s->by;
	char *problem = parse_sides(s, to);
	if (!problem) {
		problem = parse_time("--since", s->since, &chosen->since_ns);
	}
	if (!problem) {
		problem = parse_time("--until", s->until, &chosen->until_ns);
	}
	if (!problem && s->since && s->until && chosen->since_ns >= chosen->until_ns) {
		problem = xstrdup("--since is not before --until");
	}
	for (size_t i = 0; i < s->n_where && !problem; i++) {
		problem = filters_parse(&chosen->filters, s->where[i]);
	}
	return problem;
}

static char *resolve_side(const struct run_index *r, struct pair_side *side, const char *run)
{
	char *problem = run_index_check(r, side->name);
	return problem || !run ? problem : run_index_find(r, side->name, run, &side->run);
}

/* A side whose run is not named may still have several runs. All of them are selected. */
static char *resolve_sides(
        const struct selecting *s, const struct run_index *r, struct analysis_options *to)
{
	const char *base = s->base_run ? strrchr(s->base, '@') + 1 : NULL;
	const char *test = s->test_run ? strrchr(s->test, '@') + 1 : NULL;
	char *problem = resolve_side(r, &to->names.base, base);
	return problem ? problem : resolve_side(r, &to->names.test, test);
}

/* Whether recipes recorded the capture, and no proxy. Recipes tell targets apart by their labels. */
static bool has_labels(struct capture *c)
{
	struct meta_row row;
	bool recipe = false, proxy = false;
	int r;
	for (size_t i = 0; (r = capture_meta(c, i, &row)) != -ENOENT; i++) {
		if (r == 0) {
			json_t *settings = row.settings ? json_loads(row.settings, 0, NULL) : NULL;
			recipe |= json_object_get(settings, "campaign") != NULL;
			proxy |= json_object_get(settings, "listen") != NULL;
			json_decref(settings);
			meta_row_finish(&row);
		}
	}
	return recipe && !proxy;
}

char *selecting_resolve(struct selecting *s, struct capture *c, struct analysis_options *to)
{
	struct filters *f = &to->selection.filters;
	to->names.by_name |= has_labels(c);
	if (!s->base && !filters_have(f, FILTER_RUN)) {
		return NULL;
	}
	struct run_index r;
	run_index_read(&r, c);
	/* for an empty capture, the error to report is that it is empty */
	char *problem = s->base && r.n > 0 ? resolve_sides(s, &r, to) : NULL;
	for (size_t i = 0; i < f->n && !problem && r.n > 0; i++) {
		if (f->items[i].key == FILTER_RUN) {
			problem = run_index_find(&r, NULL, f->items[i].value, &f->items[i].id);
		}
	}
	run_index_finish(&r);
	return problem;
}

/* The models of the capture, the nearest to the filter's first. */
static void put_models(struct buf *to, const struct run_index *r, const char *value)
{
	const char *near = nearest_word(value, (const char *const *)r->models);
	size_t shown = 0;
	buf_printf(to, ". The models there are: ");
	if (near) {
		buf_printf(to, "%.60s", near);
		shown++;
	}
	for (size_t i = 0; i < r->n_models && shown < MODELS_SHOWN; i++) {
		if (!near || strcmp(r->models[i], near) != 0) {
			buf_printf(to, "%s%.60s", shown++ ? ", " : "", r->models[i]);
		}
	}
	if (shown < r->n_models) {
		buf_printf(to, " and %zu more", r->n_models - shown);
	}
}

static const struct filter *filter_by(const struct filters *f, enum filter_key key)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->items[i].key == key && !f->items[i].not ) {
			return &f->items[i];
		}
	}
	return NULL;
}

static void put_what_there_is(struct buf *to, const struct selecting *s, struct capture *c)
{
	struct filters f = {.known = SELECTION_KEYS};
	for (size_t i = 0; i < s->n_where; i++) {
		free(filters_parse(&f, s->where[i]));
	}
	const struct filter *model = filter_by(&f, FILTER_MODEL);
	const struct filter *backend = filter_by(&f, FILTER_BACKEND);
	if (!model && !backend) {
		return;
	}
	struct run_index r;
	run_index_read(&r, c);
	if (model && r.n_models > 0) {
		put_models(to, &r, model->value);
	}
	char *names = backend ? run_index_check(&r, backend->value) : NULL;
	if (names) {
		buf_printf(to, "; %s", names);
	}
	free(names);
	run_index_finish(&r);
}

char *selecting_nothing(const struct selecting *s, struct capture *c, const struct analysis *a)
{
	const struct selection_counts *n = &a->counts.left_out;
	uint64_t out = n->before + n->after + n->others;
	if ((a->counts.chosen > 0 && n->legs == 0) || (a->counts.chosen == 0 && out == 0)) {
		return NULL;
	}
	struct buf text = {0};
	if (a->counts.chosen > 0) {
		buf_printf(&text,
		        "of %" PRIu64 " selected %s, --where leaves no two answers to compare: it "
		        "excludes %" PRIu64 " %s",
		        a->counts.chosen, plural(a->counts.chosen, "exchange", "exchanges"),
		        n->legs, plural(n->legs, "answer", "answers"));
	} else {
		buf_printf(&text,
		        "none of the %" PRIu64 " %s is selected: %" PRIu64
		        " came before --since, %" PRIu64 " after --until, %" PRIu64
		        " excluded by --where",
		        out, plural(out, "exchange", "exchanges"), n->before, n->after, n->others);
	}
	if (c) {
		put_what_there_is(&text, s, c);
	}
	return buf_steal(&text);
}

void selecting_finish(struct selecting *s)
{
	free(s->base_name);
	free(s->test_name);
}
