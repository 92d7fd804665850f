#include "capture/capture.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/shell.h"
#include "capture/capture_source.h"
#include "capture/marker.h"
#include "capture/soundness.h"

#define RENEW_NS 1000000000ULL

static void PRINTF(2, 3) add_problem(struct capture *c, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *sentence;
	if (vasprintf(&sentence, format, args) < 0) {
		sentence = xstrdup(format);
	}
	va_end(args);
	c->problems = xrealloc(c->problems, (c->n_problems + 1) * sizeof(*c->problems));
	c->problems[c->n_problems++] = sentence;
}

/* Finds the rows that were added to a live segment since it was last examined. They are not part of
 * this capture. */
static int find_later_rows(struct capture_source *s)
{
	struct buf from = {0};
	segment_key_number(&from, s->logged);
	struct span key, value;
	int r;
	while ((r = segment_seek(s->reader, TABLE_LOG, buf_span(&from), true, &key, &value)) == 0) {
		if (key.len != 8 || value.len < 2) {
			r = -EBADMSG;
			break;
		}
		keyset_add(&s->later, (uint8_t)value.data[0],
		        (struct span){value.data + 1, value.len - 1});
		segment_key_number(&from, ++s->logged);
	}
	buf_finish(&from);
	return r == -ENOENT ? 0 : r;
}

void capture_abandon_segment(struct capture *c, struct capture_source *s, int error)
{
	char text[ID_TEXT_SIZE];
	add_problem(c, "segment %s in %s could not be read to its end: %s", id_format(s->id, text),
	        s->dir, strerror(-error));
	s->exchanges.ended = true;
	s->legs.ended = true;
	segment_close(s->reader);
	s->reader = NULL;
}

void capture_report_damage(struct capture *c, struct capture_source *s, struct span key)
{
	char text[ID_TEXT_SIZE];
	if (!keyset_add(&s->damaged, ROW_PART, key)) {
		return;
	}
	c->figures.damaged_rows++;
	if (s->damaged.table.n == 1) {
		char *dir = shell_path(s->dir);
		add_problem(c,
		        "segment %s in %s has damaged bodies or readings; figures that need them "
		        "are missing. `plumbline capture verify %s` names them",
		        id_format(s->id, text), s->dir, dir);
		free(dir);
	}
}

void capture_add_damage(struct capture *c, const struct capture *other)
{
	expect(c->n_sources == other->n_sources);
	for (size_t i = 0; i < c->n_sources; i++) {
		const struct keyset *damaged = &other->sources[i].damaged;
		uint8_t kind;
		struct span key;
		for (size_t at = 0; keyset_next(damaged, &at, &kind, &key);) {
			capture_report_damage(c, &c->sources[i], key);
		}
	}
}

void capture_renew(struct capture *c)
{
	uint64_t now = clock_mono();
	if (now - c->renewed_ns < RENEW_NS) {
		return;
	}
	c->renewed_ns = now;
	for (size_t i = 0; i < c->n_sources; i++) {
		struct capture_source *s = &c->sources[i];
		if (!s->live || !s->reader) {
			continue;
		}
		int r = segment_renew(s->reader);
		s->exchanges.value = s->legs.value = (struct span){0};
		if (r == 0) {
			r = find_later_rows(s);
		}
		if (r < 0) {
			capture_abandon_segment(c, s, r);
		}
	}
}

/* Reads the last commit number of a live segment's log. Later rows are not part of this capture. */
static int fix_end(struct capture_source *s)
{
	struct span key, value;
	int r = segment_last(s->reader, TABLE_LOG, &key, &value);
	if (r < 0) {
		return r == -ENOENT ? 0 : r;
	}
	if (!segment_number_of(key, &s->end)) {
		return -EBADMSG;
	}
	s->logged = s->end;
	return 0;
}

char *capture_salvage_command(const char *dir)
{
	size_t len = strlen(dir);
	for (; len > 1 && dir[len - 1] == '/'; len--) {
	}
	struct buf to = {0};
	char *target = xasprintf("%.*s-salvaged", (int)len, dir);
	buf_append_str(&to, "plumbline capture verify --salvage ");
	shell_put_path(&to, target);
	buf_append_char(&to, ' ');
	shell_put_path(&to, dir);
	free(target);
	return buf_steal(&to);
}

size_t capture_dirs(const struct capture *c, const char *const **ret)
{
	*ret = (const char *const *)c->dirs;
	return c->n_dirs;
}

static void refuse(struct capture *c, const char *dir, struct id id, const char *why)
{
	char text[ID_TEXT_SIZE];
	char *salvage = capture_salvage_command(dir), *verify = shell_path(dir);
	c->figures.refused++;
	add_problem(c,
	        "segment %s in %s is left out: %s. `plumbline capture verify %s` lists the damage, "
	        "`%s` recovers the intact records",
	        id_format(id, text), dir, why, verify, salvage);
	free(salvage);
	free(verify);
}

static void open_segment(struct capture *c, size_t dir_number, struct id id)
{
	const char *dir = c->dirs[dir_number];
	enum segment_state state = segment_state(dir, id);
	c->figures.segments++;
	c->figures.orphaned += state == SEGMENT_ORPHANED;
	c->figures.live += state == SEGMENT_LIVE;
	char *why = NULL;
	int r = soundness_check(dir, id, state, &why);
	struct capture_source s = {
	        .dir = dir, .dir_number = dir_number, .id = id, .live = state == SEGMENT_LIVE};
	if (r == 0) {
		r = segment_open(dir, id, &s.reader);
	}
	if (r == 0 && s.live) {
		r = fix_end(&s);
	}
	if (r == -ENODATA || (r == -ENOENT && segment_state(dir, id) != SEGMENT_LIVE)) {
		/* The segment has no commit, or it was pruned after the directory was read. */
		free(why);
		return;
	}
	if (r < 0) {
		refuse(c, dir, id, why ? why : strerror(-r));
		free(why);
		segment_close(s.reader);
		return;
	}
	c->sources = xrealloc(c->sources, (c->n_sources + 1) * sizeof(*c->sources));
	c->sources[c->n_sources++] = s;
}

static int open_dir(struct capture *c, const char *dir, capture_segment_fn on_segment, void *arg,
        char **ret_error)
{
	struct marker marker;
	int r = marker_read(dir, &marker, ret_error);
	if (r < 0) {
		return r;
	}
	struct id *ids;
	size_t n;
	r = segment_list(dir, &ids, &n);
	if (r < 0) {
		*ret_error = xasprintf("%s cannot be read: %s", dir, strerror(-r));
		return r;
	}
	c->dirs = xrealloc(c->dirs, (c->n_dirs + 1) * sizeof(*c->dirs));
	c->dirs[c->n_dirs++] = xstrdup(dir);
	for (size_t i = 0; i < n; i++) {
		if (on_segment) {
			on_segment(arg, i, n);
		}
		open_segment(c, c->n_dirs - 1, ids[i]);
	}
	free(ids);
	return 0;
}

struct capture *capture_open(const char *const *dirs, size_t n_dirs, char **ret_error)
{
	return capture_open_watched(dirs, n_dirs, NULL, NULL, ret_error);
}

struct capture *capture_open_watched(const char *const *dirs, size_t n_dirs,
        capture_segment_fn on_segment, void *arg, char **ret_error)
{
	struct capture *c = xcalloc(1, sizeof(*c));
	for (size_t i = 0; i < n_dirs; i++) {
		if (open_dir(c, dirs[i], on_segment, arg, ret_error) < 0) {
			capture_close(c);
			return NULL;
		}
	}
	c->renewed_ns = clock_mono();
	capture_read_manifests(c);
	return c;
}

struct capture *capture_open_again(const struct capture *other)
{
	struct capture *c = xcalloc(1, sizeof(*c));
	c->dirs = xcalloc(other->n_dirs + 1, sizeof(*c->dirs));
	c->sources = xcalloc(other->n_sources + 1, sizeof(*c->sources));
	for (; c->n_dirs < other->n_dirs; c->n_dirs++) {
		c->dirs[c->n_dirs] = xstrdup(other->dirs[c->n_dirs]);
	}
	for (; c->n_sources < other->n_sources; c->n_sources++) {
		const struct capture_source *from = &other->sources[c->n_sources];
		struct capture_source *to = &c->sources[c->n_sources];
		const char *dir = c->dirs[from->dir_number];
		*to = (struct capture_source){.dir = dir,
		        .dir_number = from->dir_number,
		        .id = from->id,
		        .live = from->live,
		        .end = from->end,
		        .logged = from->end};
		int r = from->reader ? segment_open(dir, from->id, &to->reader) : -EIO;
		if (r == 0 && to->live) {
			r = find_later_rows(to);
		}
		if (r < 0) {
			c->n_sources++;
			capture_close(c);
			return NULL;
		}
	}
	c->renewed_ns = clock_mono();
	capture_read_manifests(c);
	return c;
}

void capture_close(struct capture *c)
{
	if (!c) {
		return;
	}
	for (size_t i = 0; i < c->n_sources; i++) {
		segment_close(c->sources[i].reader);
		keyset_finish(&c->sources[i].later);
		keyset_finish(&c->sources[i].damaged);
	}
	for (size_t i = 0; i < c->n_dirs; i++) {
		free(c->dirs[i]);
	}
	for (size_t i = 0; i < c->n_problems; i++) {
		free(c->problems[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(c->spare); i++) {
		arena_finish(&c->spare[i]);
	}
	capture_finish_manifests(c);
	free(c->sources);
	free(c->dirs);
	free(c->problems);
	buf_finish(&c->fetched);
	buf_finish(&c->scratch);
	buf_finish(&c->key);
	free(c);
}

void capture_figures(const struct capture *c, struct capture_figures *ret)
{
	*ret = c->figures;
}

size_t capture_problems(const struct capture *c, const char *const **ret_sentences)
{
	*ret_sentences = (const char *const *)c->problems;
	return c->n_problems;
}
