/*
 * options_line - reads a command line by a verb's rows.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/conf.h"
#include "base/did_you_mean.h"
#include "base/options.h"

struct item {
	const struct option_row *row;
	char *to;                   /* where its value is stored */
	struct option_values *keep; /* its text is stored here and read later; or NULL */
};

/* The options of a verb, those of included tables among them. */
struct table {
	struct item items[OPTIONS_LIMIT];
	size_t n;
};

static const struct option_row HELP[] = {{.name = "help", .letter = 'h', .help = ""}, OPT_END};

/* Whether a row of this kind reads its value. It stores one value only, so the option must not be
 * repeated; a function that reads the value may collect several. */
static bool reads_value(const struct option_row *row)
{
	return row->kind != OPTION_KIND_NONE && row->kind != OPTION_KIND_SET &&
	       row->kind != OPTION_KIND_CALL;
}

static void collect(
        const struct option_row *rows, char *to, struct option_values *keep, struct table *t)
{
	for (; rows->help; rows++) {
		char *at = to ? to + rows->at : NULL;
		if (rows->kind == OPTION_KIND_KEEP) {
			collect(rows->make(), NULL, (struct option_values *)at, t);
		} else if (rows->rows) {
			collect(rows->rows, at, keep, t);
		} else if (rows->name) {
			expect(t->n < OPTIONS_LIMIT && (rows->value || !reads_value(rows)));
			t->items[t->n++] = (struct item){rows, at, keep};
		}
	}
}

bool options_given(const struct operands *o, const char *name)
{
	for (size_t i = 0; i < o->n_given; i++) {
		if (strcmp(o->given[i], name) == 0) {
			return true;
		}
	}
	return false;
}

static char *unknown(const struct table *t, const char *name)
{
	const char *names[OPTIONS_LIMIT + 1] = {NULL};
	for (size_t i = 0; i < t->n; i++) {
		names[i] = t->items[i].row->name;
	}
	const char *near = nearest_word(name, names);
	return xasprintf("--%.60s is not a known option%s", name, did_you_mean("--", near).text);
}

/* Finds the option with this name, or the only one that begins with it. NULL: *ret is set. */
static char *find_name(const struct table *t, const char *name, size_t len, const struct item **ret)
{
	const struct item *first = NULL, *second = NULL;
	for (size_t i = 0; i < t->n; i++) {
		const struct item *it = &t->items[i];
		if (strncmp(it->row->name, name, len) != 0) {
			continue;
		}
		if (!it->row->name[len]) {
			*ret = it;
			return NULL;
		}
		second = first && !second ? it : second;
		first = first ? first : it;
	}
	char *word = xstrndup(name, len);
	char *problem = !first   ? unknown(t, word)
	                : second ? xasprintf("--%.60s is short for both --%s and --%s", word,
	                                   first->row->name, second->row->name)
	                         : NULL;
	free(word);
	*ret = first;
	return problem;
}

static const struct item *find_letter(const struct table *t, char letter)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->items[i].row->letter == letter) {
			return &t->items[i];
		}
	}
	return NULL;
}

/* to: a bool, an integer or an enum of that size. */
static void put_integer(char *to, size_t size, uint64_t n)
{
	expect(size == sizeof(bool) || size == sizeof(uint32_t) || size == sizeof(uint64_t));
	if (size == sizeof(bool)) {
		*(bool *)to = n;
	} else if (size == sizeof(uint32_t)) {
		*(uint32_t *)to = (uint32_t)n;
	} else {
		*(uint64_t *)to = n;
	}
}

/* value: NULL if the option has none. */
static char *set(const struct item *it, const char *value)
{
	const struct option_row *row = it->row;
	uint64_t n = 0;
	int word = 0;
	char *problem = NULL;
	switch (row->kind) {
	case OPTION_KIND_NONE: /* --help */
	case OPTION_KIND_KEEP:
		return NULL;
	case OPTION_KIND_SET:
		put_integer(it->to, row->size, row->low);
		return NULL;
	case OPTION_KIND_TEXT:
		*(const char **)it->to = value;
		return NULL;
	case OPTION_KIND_NUMBER:
		problem = options_number(row->name, value, row->low, row->high, &n);
		break;
	case OPTION_KIND_WORD:
		problem = options_word(row->name, value, row->words, &word);
		n = row->low + (uint64_t)word;
		break;
	case OPTION_KIND_DURATION:
		if (!conf_parse_duration(value, &n) || n < row->low) {
			problem = xasprintf("--%s needs a time like 30s, 2h or 7d, not %.60s",
			        row->name, value);
		}
		break;
	case OPTION_KIND_SIZE:
		if (!conf_parse_bytes(value, &n)) {
			problem = xasprintf(
			        "--%s needs a size like 10GiB, not %.60s", row->name, value);
		}
		break;
	case OPTION_KIND_SHARE:
		return options_share(row->name, value, (double *)it->to);
	case OPTION_KIND_SPEED:
		return options_speed(row->name, value, (double *)it->to);
	case OPTION_KIND_CALL:
		return row->read(it->to, row->name, value);
	}
	if (!problem) {
		put_integer(it->to, row->size, n);
	}
	return problem;
}

static char *take(const struct item *it, const char *value, struct operands *ret)
{
	const char *name = it->row->name;
	ret->help |= it->row == HELP;
	if (!options_given(ret, name)) {
		ret->given[ret->n_given++] = name;
	} else if (!it->keep && reads_value(it->row)) {
		return xasprintf("--%s is given twice", name);
	}
	if (!it->keep) {
		return set(it, value);
	}
	struct option_values *k = it->keep;
	k->items = xrealloc(k->items, (k->n + 1) * sizeof(*k->items));
	k->items[k->n++] = (struct option_value){name, value};
	return NULL;
}

/* Reads --name, --name VALUE or --name=VALUE. name: after the dashes. argv[*at]: the next word. */
static char *read_long(
        const struct table *t, const char *name, char **argv, int *at, struct operands *ret)
{
	size_t len = strcspn(name, "=");
	const char *value = name[len] ? name + len + 1 : NULL;
	const struct item *it = NULL;
	char *problem = find_name(t, name, len, &it);
	if (problem) {
		return problem;
	}
	if (value && !it->row->value) {
		return xasprintf("--%s takes no value", it->row->name);
	}
	if (!value && it->row->value) {
		value = argv[(*at)++];
	}
	if (!value && it->row->value) {
		return xasprintf("--%s needs a value: %s", it->row->name, it->row->value);
	}
	if (value && !*value) {
		return xasprintf("--%s has an empty value; is a variable of the shell not set?",
		        it->row->name);
	}
	return take(it, value, ret);
}

/* Reads -n, -n VALUE, -nVALUE, or several letters without a value in one word. */
static char *read_letters(
        const struct table *t, const char *letters, char **argv, int *at, struct operands *ret)
{
	char *problem = NULL;
	for (; *letters && !problem; letters++) {
		const struct item *it = find_letter(t, *letters);
		if (!it) {
			return xasprintf("-%c is not a known option", *letters);
		}
		if (it->row->value) {
			const char *value = letters[1] ? letters + 1 : argv[(*at)++];
			return value ? take(it, value, ret)
			             : xasprintf("-%c needs a value: %s", *letters, it->row->value);
		}
		problem = take(it, NULL, ret);
	}
	return problem;
}

char *options_parse(
        const struct option_row *rows, int argc, char **argv, void *to, struct operands *ret)
{
	struct table t = {.n = 0};
	char *problem = NULL;
	bool ended = false; /* by "--" */
	collect(rows, to, NULL, &t);
	collect(HELP, to, NULL, &t);
	*ret = (struct operands){.words = (const char **)argv + 1};
	for (int at = 1; at < argc && !problem && !ret->help;) {
		char *word = argv[at++];
		if (!*word) {
			problem = xstrdup(
			        "an argument is empty; is a variable of the shell not set?");
		} else if (ended || word[0] != '-' || !word[1]) {
			argv[1 + ret->n++] = word;
		} else if (strcmp(word, "--") == 0) {
			ended = true;
		} else if (word[1] == '-') {
			problem = read_long(&t, word + 2, argv, &at, ret);
		} else {
			problem = read_letters(&t, word + 1, argv, &at, ret);
		}
	}
	return problem;
}

char *options_set(const struct option_row *rows, void *to, const struct option_value *v)
{
	struct table t = {.n = 0};
	collect(rows, to, NULL, &t);
	for (size_t i = 0; i < t.n; i++) {
		if (strcmp(t.items[i].row->name, v->name) == 0) {
			return set(&t.items[i], v->value);
		}
	}
	return unknown(&t, v->name);
}
