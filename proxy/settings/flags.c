#include "proxy/settings/keys.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "proxy/settings/backends.h"
#include "proxy/settings/types.h"

/* Reads a flag that sets a key. The key's row has the member, the limits and the words. */
static char *read_key(void *to, const char *name, const char *value)
{
	return setting_set_flag(SETTINGS_KEYS, name, value, to);
}

static char *problem_of(const char *name, char *problem)
{
	char *named = problem ? xasprintf("--%s: %s", name, problem) : NULL;
	free(problem);
	return named;
}

static char *read_primary(void *to, const char *name, const char *value)
{
	struct settings *s = to;
	return problem_of(name, setting_url.parse(value, 0, &s->primary));
}

static char *add_backend(struct settings *s, enum role role, const char *name, const char *value)
{
	struct backend_settings *b = settings_add_reference(s, role);
	return b ? problem_of(name, setting_url.parse(value, 0, b))
	         : xasprintf("--%s is one backend too many; the limit is %d", name,
	                   SETTINGS_REFERENCES_LIMIT);
}

static char *read_reference(void *to, const char *name, const char *value)
{
	return add_backend(to, ROLE_REFERENCE, name, value);
}

static char *read_candidate(void *to, const char *name, const char *value)
{
	return add_backend(to, ROLE_CANDIDATE, name, value);
}

static char *read_poll(void *to, const char *name, const char *value)
{
	struct settings *s = to;
	char *problem = problem_of(name, setting_poll.parse(value, 0, &s->primary.poll));
	for (size_t i = 0; !problem && i < s->n_references; i++) {
		s->references[i].poll = s->primary.poll;
	}
	return problem;
}

/* Options that do not set the value of one key. */
static const struct option_row BACKENDS[] = {
        {"primary", 0, "URL", "forward requests to this engine, which serves the clients",
                OPT_CALL_ALL(read_primary)},
        {"reference", 0, "URL",
                "send this engine a copy of each request, and trust it more than the primary; may "
                "be given several times",
                OPT_CALL_ALL(read_reference)},
        {"candidate", 0, "URL",
                "send this engine a copy of each request, and compare it with the primary; may be "
                "given several times",
                OPT_CALL_ALL(read_candidate)},
        {"poll", 0, "TIME|off", "ask each backend at this interval which engine it is (10m)",
                OPT_CALL_ALL(read_poll)},
        OPT_END,
};

#define KEYS_LIMIT 32 /* keys that have an option */

/* The options of keys, after those of BACKENDS; OPT_END is empty. */
static struct option_row options[1 + KEYS_LIMIT + 1] = {OPT_INCLUDE_SAME(BACKENDS)};

/* What --help says of a key's option: its help, and its default in parentheses. */
static char *help_of(const struct setting *row, const struct settings *defaults)
{
	struct buf value = {0};
	struct json_writer w = {.to = &value};
	setting_write_value(&w, NULL, row, defaults);
	if (row->kind == SETTING_SHARE) {
		double share = strtod(buf_cstr(&value), NULL);
		buf_clear(&value);
		buf_printf(&value, "%g%%", 100 * share);
	}
	struct span shown = buf_span(&value);
	if (*shown.data == '"') {
		shown = (struct span){shown.data + 1, shown.len - 2};
	}
	char *help = span_is(shown, "null")
	                     ? xstrdup(row->help)
	                     : xasprintf("%s (%.*s)", row->help, (int)shown.len, shown.data);
	buf_finish(&value);
	return help;
}

static struct option_row *add_options(
        struct option_row *to, const struct setting *rows, const struct settings *defaults)
{
	for (const struct setting *row = rows; row->key; row++) {
		if (row->flag) {
			expect(to < options + ARRAY_LEN(options) - 1);
			*to++ = (struct option_row){row->flag, 0, row->value,
			        help_of(row, defaults), OPT_CALL_ALL(read_key)};
		}
		to = row->rows ? add_options(to, row->rows, defaults) : to;
	}
	return to;
}

static void make_options(void)
{
	struct settings *defaults = settings_defaults();
	add_options(options + 1, SETTINGS_KEYS, defaults);
	settings_unref(defaults);
}

const struct option_row *settings_options(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	(void)pthread_once(&once, make_options);
	return options;
}

char *settings_read_flags(struct settings *s, const struct option_value *flags, size_t n)
{
	char *problem = NULL;
	for (size_t i = 0; i < n && !problem; i++) {
		problem = options_set(settings_options(), s, &flags[i]);
	}
	/* Set --poll once more, because it applies to all backends, which exist only now. */
	for (size_t i = 0; i < n && !problem; i++) {
		if (strcmp(flags[i].name, "poll") == 0) {
			problem = options_set(settings_options(), s, &flags[i]);
		}
	}
	return problem;
}
