#include "proxy/settings/settings.h"

#include <stdlib.h>
#include <string.h>

#include "backends/injection/asking.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "capture/segment.h"
#include "proxy/settings/backends.h"
#include "proxy/settings/keys.h"
#include "proxy/settings/types.h"

struct settings *settings_defaults(void)
{
	struct settings *s = xmalloc(sizeof(*s));
	*s = (struct settings){
	        .refs = 1,
	        .workers = 1,
	        .drain_timeout = 30 * SECOND_NS,
	        .clients = {.limit = 20000,
	                .head_timeout = 60 * SECOND_NS,
	                .body_timeout = 60 * SECOND_NS,
	                .idle_timeout = 600 * SECOND_NS,
	                .stall_timeout = 300 * SECOND_NS},
	        .memory_limit = 256 * MIB,
	        .relay_window = 64 * KIB,
	        .inject = INJECT_BOTH,
	        .top_logprobs = ASKING_TOP_DEFAULT,
	        .inject_token_ids = true,
	        .audit_top = 20,
	        .inject_share = 1,
	        .plain_share = 0.01,
	        .max_slowdown = 0.1,
	        .inject_limit = 8 * MIB,
	        .capture_max_size = 20 * GIB,
	        .privacy = {.content = CONTENT_FULL},
	        .encoders = 1,
	        .recorder_scheduling = SCHEDULING_AUTO,
	        .recorder_queue = 64 * MIB,
	        .log_level = LOG_LEVEL_INFO,
	        .log_repeat_after = LOG_REPEAT_AFTER,
	};
	settings_init_primary(s);
	char *problem = setting_listen.parse("127.0.0.1:8080", 0, &s->listen);
	expect(!problem);
	return s;
}

struct settings *settings_ref(struct settings *s)
{
	atomic_fetch_add(&s->refs, 1);
	return s;
}

void settings_unref(struct settings *s)
{
	if (s && atomic_fetch_sub(&s->refs, 1) == 1) {
		setting_finish(SETTINGS_KEYS, s);
		free(s);
	}
}

/* Segments are deleted whole: a capture with a limit must be made of several. */
#define SEGMENTS_RULE                                                                              \
	"must be at least twice segment_size (and 2MiB), since only whole segments are deleted"

static bool fits_segments(const struct settings *s)
{
	return s->capture_max_size == 0 || s->capture_max_size >= 2 * MAX(s->segment_size, MIB);
}

/* Checks for sections that the file begins but neither the file nor the flags complete. */
static void check_file(const struct settings *s, struct conf *y)
{
	const struct conf_node *root = conf_root(y);
	const struct conf_node *primary = conf_get(y, root, "primary");
	const struct conf_node *capture = conf_get(y, root, "capture");
	if (primary && !s->primary.url) {
		conf_fail(y, primary, "has no url, and there is no --primary");
	}
	const struct conf_node *self =
	        primary && conf_kind(primary) == CONF_MAP ? conf_get(y, primary, "self") : NULL;
	if (self && s->primary.score.self && s->n_references == SETTINGS_REFERENCES_LIMIT) {
		conf_fail(y, self, "counts as a reference, and there are already %d",
		        SETTINGS_REFERENCES_LIMIT);
	}
	if (self && s->primary.score.self && !s->capture_path) {
		conf_fail(y, self, "has no effect without a capture");
	}
	if (capture && !s->capture_path) {
		conf_fail(y, capture, "has no path, and there is no --capture");
	}
	bool is_map = capture && conf_kind(capture) == CONF_MAP;
	const struct conf_node *limit = is_map ? conf_get(y, capture, "max_size") : NULL;
	if (limit && !fits_segments(s)) {
		conf_fail(y, limit, "%s", SEGMENTS_RULE);
	}
}

/* Completes and checks what depends on several keys. */
static char *complete(struct settings *s)
{
	if (!s->primary.url) {
		return xstrdup("there is no primary; give the engine's URL with --primary or in "
		               "the file as primary: {url: http://HOST:PORT}");
	}
	if (s->privacy.content != CONTENT_FULL && !s->privacy.policy) {
		s->privacy.secrets = SECRETS_ALL;
		s->privacy.policy = redact_policy_create(SECRETS_ALL);
	}
	char *problem = settings_complete_backends(s);
	if (!problem && s->segment_size == 0) {
		uint64_t most =
		        s->capture_max_size ? s->capture_max_size / 4 & ~(MIB - 1) : SEGMENT_SIZE;
		s->segment_size = MAX(MIN(most, SEGMENT_SIZE), MIB);
	}
	return !problem && !fits_segments(s) ? xstrdup("capture: max_size " SEGMENTS_RULE)
	                                     : problem;
}

/* y: the file, or NULL without one. */
static char *load(struct settings *s, const char *file, struct conf *y,
        const struct option_value *flags, size_t n)
{
	if (y) {
		setting_read(y, conf_root(y), SETTINGS_KEYS, s);
		conf_check_keys(y, conf_root(y));
		if (conf_error(y)) {
			return xstrdup(conf_error(y));
		}
	}
	char *problem = settings_read_flags(s, flags, n);
	if (problem) {
		return problem;
	}
	if (y) {
		check_file(s, y);
		if (conf_error(y)) {
			return xstrdup(conf_error(y));
		}
	}
	problem = complete(s);
	if (problem && file) {
		char *named = xasprintf("%s: %s", file, problem);
		free(problem);
		problem = named;
	}
	return problem;
}

struct settings *settings_load(
        const char *file, const struct option_value *flags, size_t n_flags, char **ret_error)
{
	struct settings *s = settings_defaults();
	struct conf *y = NULL;
	char *problem = NULL;
	if (file) {
		y = conf_load(file, &problem);
	}
	if (!problem) {
		problem = load(s, file, y, flags, n_flags);
	}
	conf_destroy(y);
	if (problem) {
		*ret_error = problem;
		settings_unref(s);
		return NULL;
	}
	return s;
}

void settings_keep(struct settings *s, const struct settings *now, struct buf *ret_kept)
{
	setting_keep(SETTINGS_KEYS, s, now, ret_kept);
}

char *settings_json(const struct settings *s)
{
	struct buf text = {0};
	struct json_writer w = {.to = &text, .style = JSON_STYLE_INDENTED};
	json_writer_open(&w, NULL, '{');
	setting_write(&w, SETTINGS_KEYS, s);
	json_writer_close(&w, "}");
	return buf_steal(&text);
}

void settings_apply_log(const struct settings *s)
{
	log_set_level((enum log_level)s->log_level);
	log_set_repeat_after(s->log_repeat_after);
	log_set_json(s->log_format == LOG_FORMAT_AUTO ? -1 : s->log_format == LOG_FORMAT_JSON);
}
