#include "base/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/check.h"
#include "base/conf.h"

#define FLAGS_LIMIT 64
#define LETTER_LIMIT 256
#define FIRST_SLOT LETTER_LIMIT /* the val of a flag without a letter, and its slot's number */

/* ":c:h": the letters, and which of them want a value; the first colon tells a lost value from a lost flag. */
static void letters(const struct option *flags, struct buf *to)
{
	buf_append_char(to, ':');
	for (const struct option *f = flags; f->name; f++) {
		if (f->val < LETTER_LIMIT) {
			buf_append_char(to, (char)f->val);
		}
		if (f->val < LETTER_LIMIT && f->has_arg == required_argument) {
			buf_append_char(to, ':');
		}
	}
}

static char *unknown(const char *word, const struct option *flags)
{
	const char *names[FLAGS_LIMIT + 1] = {NULL};
	size_t n = 0;
	for (const struct option *f = flags; f->name; f++) {
		expect(n < FLAGS_LIMIT);
		names[n++] = f->name;
	}
	const char *near = strncmp(word, "--", 2) == 0 ? conf_nearest(word + 2, names) : NULL;
	return xasprintf("%.60s is not a known flag%s%s%s", word, near ? "; did you mean --" : "",
	        near ? near : "", near ? "?" : "");
}

static bool is_known(int val, const struct option *flags)
{
	const struct option *f = flags;
	while (f->name && f->val != val) {
		f++;
	}
	return f->name;
}

/*
 * What getopt_long found wrong with a flag. optopt is 0 for a long one that is unknown, and the val of one that is known:
 * only then is the word the one before optind, which stays at a cluster of letters until the last of them.
 */
static char *refuse(int why, char *const *argv, const struct option *flags)
{
	const char *word = argv[optind - 1];
	char letter[3] = {'-', (char)optopt, '\0'};
	if (why == ':') {
		return xasprintf(
		        "%.60s needs a value", strncmp(word, "--", 2) == 0 ? word : letter);
	}
	if (optopt && is_known(optopt, flags)) {
		return xasprintf("%.60s takes no value", word);
	}
	return unknown(optopt ? letter : word, flags);
}

char *options_read(int argc, char **argv, const struct option *flags, options_take_fn take,
        void *arg, struct operands *ret)
{
	struct buf short_flags = {0};
	char *problem = NULL;
	bool help = false;
	letters(flags, &short_flags);
	opterr = 0;
	optind = 0; /* not 1: glibc then forgets the line that it read before */
	for (int flag;
	        !problem && !help &&
	        (flag = getopt_long(argc, argv, buf_cstr(&short_flags), flags, NULL)) != -1;) {
		if (flag == '?' || flag == ':') {
			problem = refuse(flag, argv, flags);
		} else if (flag == 'h') {
			help = true;
		} else {
			problem = take(arg, flag, optarg);
		}
	}
	buf_finish(&short_flags);
	if (!problem) {
		*ret = (struct operands){
		        .words = (const char **)(argv + optind),
		        .n = (size_t)(argc - optind),
		        .help = help,
		};
	}
	return problem;
}

static const struct option_slot *slot_of(const struct option_slot *slots, int flag)
{
	if (flag >= FIRST_SLOT) {
		return &slots[flag - FIRST_SLOT];
	}
	while (slots->letter != flag) {
		slots++;
	}
	return slots;
}

static char *fill_slot(void *arg, int flag, const char *value)
{
	const struct option_slot *s = slot_of(arg, flag);
	if (s->on) {
		*s->on = true;
		return NULL;
	}
	if (s->text) {
		*s->text = value;
		return NULL;
	}
	if (s->number) {
		return options_number(
		        s->name, value, s->low, s->high ? s->high : UINT64_MAX, s->number);
	}
	if (s->share) {
		return options_share(s->name, value, s->share);
	}
	if (s->own) {
		return s->own(s->arg, s->name, value);
	}
	if (s->word) {
		return options_word(s->name, value, s->words, s->word);
	}
	if (s->duration) {
		return conf_parse_duration(value, s->duration)
		               ? NULL
		               : xasprintf("--%s wants a time like 7d or 12h, not %.60s", s->name,
		                         value);
	}
	expect(s->bytes);
	return conf_parse_bytes(value, s->bytes)
	               ? NULL
	               : xasprintf("--%s wants a size like 10GiB, not %.60s", s->name, value);
}

char *options_fill(int argc, char **argv, const struct option_slot *slots, struct operands *ret)
{
	struct option flags[FLAGS_LIMIT + 2] = {{0}};
	size_t n = 0;
	for (; slots[n].name; n++) {
		expect(n < FLAGS_LIMIT);
		flags[n] = (struct option){
		        .name = slots[n].name,
		        .has_arg = slots[n].on ? no_argument : required_argument,
		        .val = slots[n].letter ? slots[n].letter : FIRST_SLOT + (int)n,
		};
	}
	flags[n] = (struct option){"help", no_argument, NULL, 'h'};
	return options_read(argc, argv, flags, fill_slot, (void *)slots, ret);
}

char *options_number(
        const char *name, const char *value, uint64_t low, uint64_t high, uint64_t *ret)
{
	char *end;
	errno = 0;
	uint64_t n = strtoull(value, &end, 10);
	bool is_number = !errno && *value >= '0' && *value <= '9' && !*end;
	if (is_number && n >= low && n <= high) {
		*ret = n;
		return NULL;
	}
	if (high == UINT64_MAX) {
		return low ? xasprintf("--%s wants a number of at least %" PRIu64 ", not %.60s",
		                     name, low, value)
		           : xasprintf("--%s wants a number, not %.60s", name, value);
	}
	return xasprintf("--%s wants a number from %" PRIu64 " to %" PRIu64 ", not %.60s", name,
	        low, high, value);
}

/* The last of them was there before. */
static bool is_twice(const unsigned *numbers, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++) {
		if (numbers[i] == numbers[n - 1]) {
			return true;
		}
	}
	return false;
}

char *options_numbers(const char *name, const char *value, uint64_t low, uint64_t high,
        unsigned *ret, size_t room, size_t *ret_n)
{
	char *list = xstrdup(value), *rest = list, *problem = NULL;
	*ret_n = 0;
	for (char *p; !problem && (p = conf_next_word(&rest));) {
		uint64_t n = 0;
		problem = *p ? options_number(name, p, low, high, &n)
		             : xasprintf("--%s lacks a number in %.60s", name, value);
		if (!problem && *ret_n == room) {
			problem = xasprintf("--%s takes at most %zu numbers", name, room);
		} else if (!problem) {
			ret[(*ret_n)++] = (unsigned)n;
			if (is_twice(ret, *ret_n)) {
				problem = xasprintf("--%s has %u twice", name, (unsigned)n);
			}
		}
	}
	free(list);
	return problem;
}

char *options_duration(const char *name, const char *value, uint64_t *ret_ns)
{
	uint64_t ns;
	if (!conf_parse_duration(value, &ns) || ns == 0) {
		return xasprintf("--%s wants a duration (30s), not %.60s", name, value);
	}
	*ret_ns = ns;
	return NULL;
}

char *options_speed(const char *name, const char *value, double *ret)
{
	size_t len = strlen(value), digits = len - (len > 0 && value[len - 1] == 'x');
	char *number = span_dup((struct span){value, digits});
	double speed;
	bool good = conf_parse_decimal(number, &speed) && speed >= 0.001 && speed <= 1e6;
	free(number);
	if (!good) {
		return xasprintf("--%s wants a factor (2x), not %.60s", name, value);
	}
	*ret = speed;
	return NULL;
}

char *options_share(const char *name, const char *value, double *ret)
{
	return conf_parse_share(value, ret)
	               ? NULL
	               : xasprintf("--%s wants a share (5%%), not %.60s", name, value);
}

char *options_word(const char *name, const char *value, const char *const *words, int *ret)
{
	struct buf list = {0};
	int found = -1;
	for (int i = 0; words[i] && found < 0; i++) {
		found = strcmp(words[i], value) == 0 ? i : -1;
		buf_printf(&list, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
	}
	char *problem = NULL;
	if (found < 0) {
		problem = xasprintf("--%s is %s, not %.60s", name, buf_cstr(&list), value);
	} else {
		*ret = found;
	}
	buf_finish(&list);
	return problem;
}
