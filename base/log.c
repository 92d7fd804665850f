#include "base/log.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/clock.h"
#include "base/json_writer.h"
#include "base/moment.h"
#include "base/sanitize_text.h"

static const char *const LEVELS[] = {"error", "warn", "info", "debug"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
atomic_int log_threshold = LOG_LEVEL_INFO;
static atomic_int want_json = 0;
static atomic_uint_fast64_t repeat_after = LOG_REPEAT_AFTER;

void log_set_level(enum log_level level)
{
	log_threshold = level;
}

void log_set_json(int json)
{
	want_json = json;
}

void log_set_repeat_after(uint64_t ns)
{
	repeat_after = ns;
}

/* An unknown text is omitted from the members, and is "?" in a sentence. */
static bool is_known(const struct log_field *f)
{
	return f->type != LOG_TEXT || f->text;
}

static void append_value(struct buf *to, const struct log_field *f)
{
	if (f->type == LOG_INTEGER) {
		buf_printf(to, "%lld", (long long)f->integer);
	} else if (f->type == LOG_REAL) {
		buf_printf(to, "%.2f", f->real);
	} else {
		buf_append_str(to, f->text ? f->text : "?");
	}
}

/* Writes the sentence with values in place of names. *ret_named has a bit for each field in it. */
static void append_sentence(struct buf *to, const struct log_field *fields, uint64_t *ret_named)
{
	const char *rest = fields[0].text, *open;
	*ret_named = 1;
	while ((open = strchr(rest, '{'))) {
		const char *name = open + 1;
		size_t len = strcspn(name, "}"), i = 1;
		while (fields[i].name &&
		        (strlen(fields[i].name) != len || memcmp(fields[i].name, name, len) != 0)) {
			i++;
		}
		*ret_named |= UINT64_C(1) << i;
		buf_append(to, rest, (size_t)(open - rest));
		append_value(to, &fields[i]);
		rest = name + len + (name[len] == '}');
	}
	buf_append_str(to, rest);
}

static void append_local_time(struct buf *to)
{
	uint64_t ms = clock_wall() / 1000000u;
	time_t seconds = (time_t)(ms / 1000);
	struct tm t;
	char stamp[32];
	strftime(stamp, sizeof(stamp), "%H:%M:%S", localtime_r(&seconds, &t));
	buf_printf(to, "%s.%03u", stamp, (unsigned)(ms % 1000));
}

static void append_json(
        struct buf *to, enum log_level level, const char *module, const struct log_field *fields)
{
	struct json_writer w = {.to = to};
	json_writer_open(&w, NULL, '{');
	json_writer_begin(&w, SPAN("time"));
	buf_append_char(to, '"');
	moment_put(to, clock_wall());
	buf_append_char(to, '"');
	json_writer_text(&w, "level", LEVELS[level]);
	json_writer_text(&w, "module", module);
	for (const struct log_field *f = fields; f->name; f++) {
		if (!is_known(f)) {
			continue;
		}
		if (f->type == LOG_TEXT) {
			json_writer_text(&w, f->name, f->text);
		} else if (f->type == LOG_REAL) {
			json_writer_number(&w, f->name, f->real);
		} else {
			json_writer_integer(&w, f->name, f->integer);
		}
	}
	json_writer_close(&w, "}");
	buf_append_char(to, '\n');
}

/* Writes the sentence, then the fields that it does not name. */
static void append_text(struct buf *to, enum log_level level, const char *module,
        const struct log_field *fields, uint64_t named)
{
	struct buf text = {0};
	append_value(&text, &fields[0]);
	for (size_t i = 1; fields[i].name; i++) {
		if (!(named >> i & 1) && is_known(&fields[i])) {
			buf_printf(&text, " %s=", fields[i].name);
			append_value(&text, &fields[i]);
		}
	}
	/* Text from a peer must not begin a line or control the terminal. */
	char *safe = sanitize_text(buf_span(&text), text.len);
	append_local_time(to);
	buf_printf(to, " %s %s: %s\n", LEVELS[level], module, safe);
	free(safe);
	buf_finish(&text);
}

/* False: the site printed this sentence less than a period ago, or too many others. *ret_held_back:
 * the number of lines with this sentence that were suppressed since. */
static bool admit(struct log_site *site, struct span sentence, uint64_t *ret_held_back)
{
	uint64_t now = clock_mono(), hash = XXH3_64bits(sentence.data, sentence.len);
	struct log_printed *p = site->printed; /* the same sentence, else the oldest */
	for (size_t i = 1; i < LOG_SENTENCES && p->hash != hash; i++) {
		struct log_printed *other = &site->printed[i];
		p = other->hash == hash || other->at < p->at ? other : p;
	}
	bool same = p->hash == hash;
	if (p->hash && now - p->at < repeat_after) {
		p->held_back += same;
		return false;
	}
	*ret_held_back = same ? p->held_back : 0;
	*p = (struct log_printed){.hash = hash, .at = now};
	return true;
}

void log_write(
        struct log_site *site, enum log_level level, const char *module, struct log_field *fields)
{
	struct buf sentence = {0}, line = {0};
	uint64_t named, held_back = 0;
	append_sentence(&sentence, fields, &named);

	pthread_mutex_lock(&lock);
	if (level == LOG_LEVEL_DEBUG || admit(site, buf_span(&sentence), &held_back)) {
		fields[0].text = buf_cstr(&sentence);
		if (held_back) {
			size_t n = 0;
			while (fields[n].name) {
				n++;
			}
			fields[n] = log_integer("held_back", (int64_t)held_back);
		}
		if (want_json < 0) {
			want_json = !isatty(STDERR_FILENO);
		}
		if (want_json) {
			append_json(&line, level, module, fields);
		} else {
			append_text(&line, level, module, fields, named);
		}
		ssize_t unused = write(STDERR_FILENO, line.data, line.len);
		(void)unused;
	}
	pthread_mutex_unlock(&lock);
	buf_finish(&sentence);
	buf_finish(&line);
}
