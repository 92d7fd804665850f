/*
 * The command line. A flag overrides the file; --reference and --candidate add to the file's
 * backends.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "proxy/settings_parts.h"

static char *problem_of(const struct settings_flag *f, const char *problem)
{
	return problem ? xasprintf("--%s %s", f->name, problem) : NULL;
}

static char *read_number(const struct settings_flag *f, long min, long max, long *ret)
{
	char *end;
	long value = strtol(f->value, &end, 10);
	bool digits = f->value[strspn(f->value, "0123456789")] == '\0';
	if (!digits || end == f->value || value < min || value > max) {
		return xasprintf("--%s must be a whole number from %ld to %ld, not \"%.60s\"",
		        f->name, min, max, f->value);
	}
	*ret = value;
	return NULL;
}

static char *read_choice(const struct settings_flag *f, const char *const *words, int *ret)
{
	struct buf list = {0};
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], f->value) == 0) {
			*ret = i;
			buf_finish(&list);
			return NULL;
		}
		buf_printf(&list, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
	}
	char *problem =
	        xasprintf("--%s must be %s, not \"%.60s\"", f->name, buf_cstr(&list), f->value);
	buf_finish(&list);
	return problem;
}

static char *read_url(const struct settings_flag *f, struct backend_settings *to)
{
	char *problem = settings_read_url(f->value, 0, to);
	char *said = problem ? xasprintf("--%s: %s", f->name, problem) : NULL;
	free(problem);
	return said;
}

static char *add_reference(struct settings *s, const struct settings_flag *f, enum role role)
{
	struct backend_settings *to = settings_add_reference(s, role);
	if (!to) {
		return xasprintf("--%s is one backend too many; %d are the limit", f->name,
		        SETTINGS_REFERENCES_LIMIT);
	}
	return read_url(f, to);
}

static const char *const FLAG_WORDS[] = {"listen", "primary", "reference", "candidate", "capture",
        "admin", "workers", "transport", "inject", "top-logprobs", "plain-share", "max-slowdown",
        "poll", "log-level", "config", "check-config", "help", NULL};

bool settings_knows_flag(const char *name)
{
	for (size_t i = 0; FLAG_WORDS[i]; i++) {
		if (strcmp(FLAG_WORDS[i], name) == 0) {
			return true;
		}
	}
	return false;
}

char *settings_unknown_flag(const char *name)
{
	const char *near = conf_nearest(name, FLAG_WORDS);
	return xasprintf("--%.64s is not a known flag%s%s%s", name, near ? "; did you mean --" : "",
	        near ? near : "", near ? "?" : "");
}

/* For all backends, the ones of the file included. */
static char *read_poll(struct settings *s, const struct settings_flag *f)
{
	uint64_t poll = 0;
	if (!settings_parse_poll(f->value, &poll)) {
		return xasprintf("--%s must be off, or a time of a second and more, like 10m, not "
		                 "\"%.60s\"",
		        f->name, f->value);
	}
	s->primary.poll = poll;
	for (size_t i = 0; i < s->n_references; i++) {
		s->references[i].poll = poll;
	}
	return NULL;
}

static char *read_flag(struct settings *s, const struct settings_flag *f)
{
	long number = 0;
	int word = 0;
	char *problem;
	if (strcmp(f->name, "listen") == 0) {
		return problem_of(f, settings_parse_address(f->value, "0.0.0.0", &s->listen));
	}
	if (strcmp(f->name, "admin") == 0) {
		return problem_of(f, settings_parse_address(f->value, "127.0.0.1", &s->admin));
	}
	if (strcmp(f->name, "primary") == 0) {
		return read_url(f, &s->primary);
	}
	if (strcmp(f->name, "reference") == 0) {
		return add_reference(s, f, ROLE_REFERENCE);
	}
	if (strcmp(f->name, "candidate") == 0) {
		return add_reference(s, f, ROLE_CANDIDATE);
	}
	if (strcmp(f->name, "capture") == 0) {
		settings_replace(&s->capture_path, f->value);
		return *f->value ? NULL : problem_of(f, "must name a directory");
	}
	if (strcmp(f->name, "workers") == 0) {
		problem = read_number(f, 1, 256, &number);
		s->workers = problem ? s->workers : (unsigned)number;
		return problem;
	}
	if (strcmp(f->name, "transport") == 0) {
		problem = read_choice(f, SETTINGS_TRANSPORT_WORDS, &word);
		s->by_curl = problem ? s->by_curl : word == 1;
		return problem;
	}
	if (strcmp(f->name, "top-logprobs") == 0) {
		problem = read_number(f, 0, 100, &number);
		s->top_logprobs = problem ? s->top_logprobs : (int)number;
		return problem;
	}
	if (strcmp(f->name, "plain-share") == 0) {
		return conf_parse_share(f->value, &s->plain_share)
		               ? NULL
		               : problem_of(f, "must be a share, like 1% or 0.01");
	}
	if (strcmp(f->name, "max-slowdown") == 0) {
		return problem_of(f, settings_parse_slowdown(f->value, &s->max_slowdown));
	}
	if (strcmp(f->name, "inject") == 0) {
		problem = read_choice(f, SETTINGS_INJECT_WORDS, &word);
		s->inject = problem ? s->inject : (enum inject_where)word;
		return problem;
	}
	if (strcmp(f->name, "log-level") == 0) {
		problem = read_choice(f, SETTINGS_LEVEL_WORDS, &word);
		s->log_level = problem ? s->log_level : word;
		return problem;
	}
	if (strcmp(f->name, "poll") == 0) {
		return NULL; /* in the end, when all backends are there */
	}
	return settings_unknown_flag(f->name);
}

char *settings_read_flags(struct settings *s, const struct settings_flag *flags, size_t n)
{
	char *problem = NULL;
	for (size_t i = 0; i < n && !problem; i++) {
		problem = read_flag(s, &flags[i]);
	}
	for (size_t i = 0; i < n && !problem; i++) {
		if (strcmp(flags[i].name, "poll") == 0) {
			problem = read_poll(s, &flags[i]);
		}
	}
	return problem;
}
