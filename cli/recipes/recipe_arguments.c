/*
 * recipe_arguments - interprets the words of a recipe's command line (suites and targets) and
 * checks that the options can be combined.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/did_you_mean.h"
#include "base/mem.h"
#include "base/plural.h"
#include "cli/recipes/recipe_parts.h"
#include "cli/suite_place.h"
#include "cli/target_hint.h"
#include "analyzer/report/policy/accepted.h"
#include "analyzer/report/policy/policy.h"

char *recipe_add_source(struct recipe *r, const char *word)
{
	char *found = NULL;
	if (r->n_sources == RECIPE_SOURCES) {
		return xasprintf("more than %d suites", RECIPE_SOURCES);
	}
	if (access(word, F_OK) != 0 && !suite_place_find(word, &found)) {
		struct buf places = {0};
		suite_place_put(&places);
		char *hint = target_hint(word), *near = suite_place_nearest(word);
		char *problem =
		        near    ? xasprintf("there is no suite, file or capture %.200s%s "
		                               "plumbline suites lists them",
		                          word, did_you_mean("", near).text)
		        : *hint ? xasprintf(
		                          "there is no suite, file or capture %.200s%s", word, hint)
		                : xasprintf(
		                          "there is no suite, file or capture %.200s; plumbline "
		                          "looks for suites in %s (plumbline suites lists them); a "
		                          "target is [LABEL=]URL, or a name with -c FILE",
		                          word, buf_cstr(&places));
		free(near);
		free(hint);
		buf_finish(&places);
		return problem;
	}
	const char *path = found ? found : word;
	for (size_t i = 0; i < r->n_sources; i++) {
		if (strcmp(r->sources[i], path) == 0) {
			free(found);
			return xasprintf("the suite %.200s is given twice", word);
		}
	}
	r->found[r->n_sources] = found;
	r->sources[r->n_sources++] = path;
	return NULL;
}

static char *take_target(struct recipe *r, const char *word)
{
	if (r->n_targets == CAMPAIGN_TARGETS) {
		return xasprintf("more than %d targets", CAMPAIGN_TARGETS);
	}
	struct recipe_target *t = &r->words[r->n_targets];
	struct replay_backend_options *backend = &r->targets[r->n_targets].backend;
	*backend = r->options.backend;
	memcpy(t->members, r->set, r->n_set * sizeof(*r->set));
	t->n_members = r->n_set;
	backend->name = r->n_targets < ARRAY_LEN(r->labels) ? r->labels[r->n_targets] : NULL;
	char *problem = recipe_target_parse(t, word, r->borrowed.base_url, backend);
	r->n_targets++;
	return problem;
}

/* A word is a target if it looks like one or, with a configuration, if there is no such suite. */
static char *take_word(struct recipe *r, const char *word)
{
	bool is_target = recipe_target_is_one(word);
	char *problem = is_target ? NULL : recipe_add_source(r, word);
	if (!is_target && !(problem && r->options.backend.config)) {
		return problem;
	}
	free(problem);
	return take_target(r, word);
}

static char *take_template(struct recipe *r)
{
	struct buf names = {0};
	const struct chat_template *t = r->template ? template_find(r->template) : NULL;
	if (!r->no_chat && !r->template) {
		return NULL;
	}
	r->options.backend.completions_template = t;
	if (t) {
		return NULL;
	}
	for (const char *const *n = template_names(); *n; n++) {
		buf_printf(&names, "%s%s", names.len ? ", " : "", *n);
	}
	char *problem =
	        xasprintf("--no-chat needs --template, the form in which it writes turns: %s",
	                buf_cstr(&names));
	buf_finish(&names);
	return problem;
}

static char *check_numbers(const struct recipe *r)
{
	const struct recipe_verb *v = r->verb;
	if (options_given(&r->line, "seeds") && !r->sampled) {
		return xstrdup("--seeds needs --temperature, because greedy answers use no seed; "
		               "--repeats sends requests several times");
	}
	if (r->n_targets < v->least || r->n_targets > v->most) {
		return v->least == v->most
		               ? xasprintf("give %zu target%s, not %zu: a target is "
		                           "[LABEL=]URL, or a name with -c FILE",
		                         v->least, plural(v->least, "", "s"), r->n_targets)
		               : xasprintf("give %zu to %zu targets, not %zu: a target is "
		                           "[LABEL=]URL, or a name with -c FILE",
		                         v->least, v->most, r->n_targets);
	}
	return r->n_sources ? NULL
	                    : xstrdup("no suite is given: name one, such as determinism (plumbline "
	                              "suites lists them)");
}

/* Finds errors that would otherwise be reported only after everything was sent. The capture's
 * directory may not exist yet. */
static char *check_files(const struct analyze_options *o, const char *capture)
{
	char *problem = NULL;
	if (o->policy) {
		policy_destroy(policy_load(o->policy, &problem));
	}
	if (!problem && o->accepted) {
		json_decref(accepted_load(o->accepted, &problem));
	}
	return problem ? problem : out_files_check(&o->saving, capture);
}

/* Cuts the next element off a comma-separated list; NULL: there is none. */
static char *next_of(char **list)
{
	char *from = *list, *end = from ? strchr(from, ',') : NULL;
	*list = end ? end + 1 : NULL;
	if (end) {
		*end = '\0';
	}
	return from;
}

static char *add_word(struct borrowed *b, char *word)
{
	if (b->n == CAMPAIGN_TARGETS) {
		free(word);
		return xasprintf("more than %d targets", CAMPAIGN_TARGETS);
	}
	b->words[b->n++] = word;
	return NULL;
}

static char *add_models(struct borrowed *b)
{
	if (!b->base_url) {
		return xstrdup("--models needs --base-url, because plumbline loads no model. For "
		               "several servers give targets: LABEL=URL,model=NAME");
	}
	char *copy = xstrdup(b->models), *rest = copy, *one, *problem = NULL;
	while (!problem && (one = next_of(&rest))) {
		char *is = strchr(one, '=');
		problem = is && is > one && is[1]
		                  ? add_word(b, xasprintf("%.*s=%s,model=%s", (int)(is - one), one,
		                                        b->base_url, is + 1))
		                  : xasprintf("--models needs LABEL=MODEL,LABEL=MODEL, not %.100s",
		                            b->models);
	}
	free(copy);
	return problem;
}

static char *add_backends(struct borrowed *b)
{
	if (!b->base_urls || !b->backends) {
		return xstrdup(
		        "--backends and --base-urls need each other, with a URL for each name");
	}
	char *names = xstrdup(b->backends), *urls = xstrdup(b->base_urls), *names_left = names,
	     *urls_left = urls;
	char *problem = NULL, *name, *url;
	do {
		name = next_of(&names_left);
		url = next_of(&urls_left);
		if (name && url) {
			problem = add_word(b, xasprintf("%s=%s", name, url));
		} else if (name || url) {
			problem = xasprintf("--backends %.100s and --base-urls %.100s have "
			                    "different numbers of entries",
			        b->backends, b->base_urls);
		}
	} while (!problem && name && url);
	free(urls);
	free(names);
	return problem;
}

/* Makes words for recipe_target_parse(). more: there are other targets. */
static char *make_borrowed_words(struct borrowed *b, bool more)
{
	char *problem = NULL;
	if (b->backend && strcmp(b->backend, "mlx-lm") == 0) {
		return xstrdup("plumbline loads no model, so there is no --backend mlx-lm: start "
		               "mlx_lm.server and give its URL");
	}
	if (b->to) {
		problem = add_word(b, xstrdup(b->to));
	}
	if (!problem && b->models) {
		problem = add_models(b);
	}
	if (!problem && (b->backends || b->base_urls)) {
		problem = add_backends(b);
	}
	return problem || more || b->n > 0 || !b->base_url ? problem
	                                                   : add_word(b, xstrdup(b->base_url));
}

char *recipe_arguments(struct recipe *r)
{
	const struct operands *line = &r->line;
	char *problem = take_template(r);
	if (r->sampled && !options_given(line, "align")) {
		r->options.backend.align = ALIGN_NONE;
	}
	for (size_t i = 0; i < line->n && !problem; i++) {
		problem = take_word(r, line->words[i]);
	}
	if (!problem) {
		problem = make_borrowed_words(&r->borrowed, r->n_targets > 0);
	}
	for (size_t i = 0; i < r->borrowed.n && !problem; i++) {
		problem = take_target(r, r->borrowed.words[i]);
	}
	if (r->n_levels == 0) {
		r->n_levels = 1; /* the default */
	}
	analyze_options_set_exhibits(&r->report, line, r->html);
	r->options.rules.seed = r->options.seed;
	if (!problem) {
		problem = check_numbers(r);
	}
	return problem ? problem : check_files(&r->report, r->options.capture);
}
