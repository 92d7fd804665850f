#include "replay/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "capture/formats/plain_file.h"
#include "replay/source_kind.h"

struct source *source_capture(struct capture *c)
{
	struct source *s = xcalloc(1, sizeof(*s));
	s->capture = c;
	s->defaults = UNKNOWN_SAMPLING;
	return s;
}

struct source *source_lines(const char *path, const uint8_t hash_key[32],
        const struct trace_units *units, char **ret_error)
{
	FILE *file = plain_file_open(path, ret_error);
	if (!file) {
		return NULL;
	}
	struct source *s = xcalloc(1, sizeof(*s));
	s->file = file;
	s->path = xstrdup(path);
	s->defaults = UNKNOWN_SAMPLING;
	memcpy(s->hash_key, hash_key, sizeof(s->hash_key));
	line_reader_init(&s->lines, file);
	source_open_suite(s);
	*ret_error = source_spool(s, units);
	if (*ret_error) {
		source_destroy(s);
		return NULL;
	}
	return s;
}

void source_destroy(struct source *s)
{
	if (!s) {
		return;
	}
	if (s->file) {
		fclose(s->file);
	}
	error_tally_finish(&s->bad);
	free(s->path);
	free(s->suite_name);
	line_reader_finish(&s->lines);
	buf_finish(&s->record);
	free(s);
}

void source_load_answers(struct source *s)
{
	s->loads_answers = true;
}

const struct input_format *source_format(const struct source *s)
{
	return s->format;
}

bool source_is_suite(const struct source *s)
{
	return s->suite.form != SUITE_NONE;
}

int source_scan(struct source *s, struct source_scan *scan)
{
	struct plan *plan = scan->plan;
	int r = s->capture           ? source_scan_capture(s, scan)
	        : source_is_suite(s) ? source_scan_suite(s, scan)
	                             : source_scan_lines(s, scan);
	if (r < 0) {
		return r;
	}
	plan_link(plan);
	if (scan->even) {
		size_t before = plan->n_requests;
		plan_limit_sessions(plan, scan->limit);
		scan->not_chosen += before - plan->n_requests;
	}
	return 0;
}

const char *source_load(struct source *s, const struct plan_request *r, struct source_body *ret)
{
	if (s->capture) {
		return source_load_capture(s, r, ret);
	}
	return source_is_suite(s) ? source_load_suite(s, r, ret) : source_load_line(s, r, ret);
}
