#pragma once
/*
 * settings_parts - what settings.c, settings_file.c and settings_flags.c share. Private to these.
 *
 * Problems are sentences without place: the caller knows whether a line or a flag is to blame. Of a
 * URL they repeat no more than base_url_mask() leaves.
 */
#include "base/conf.h"
#include "proxy/settings.h"

extern const char *const SETTINGS_TRANSPORT_WORDS[]; /* by settings.by_curl */
extern const char *const SETTINGS_INJECT_WORDS[];    /* by enum inject_where */
extern const char *const SETTINGS_MODE_WORDS[];      /* by enum mirror_mode */
extern const char *const SETTINGS_LEVEL_WORDS[];     /* by enum log_level */

/* HOST:PORT, [V6]:PORT or :PORT (then host is any_host). NULL, or the problem. */
const char *settings_parse_address(
        const char *text, const char *any_host, struct address *ret) MUST_CHECK;
/* Where a backend is. NULL; or the problem, with the URL as it may be quoted; the caller frees it. */
char *settings_read_url(const char *text, int line, struct backend_settings *to) MUST_CHECK;
const char *settings_check_name(const char *name) MUST_CHECK;
void settings_replace(
        char **text, const char *value); /* frees the old, copies the new (may be NULL) */

/* The last of s->references, with the defaults of its role; NULL when there are too many. */
struct backend_settings *settings_add_reference(struct settings *s, enum role role) MUST_CHECK;
void settings_init_primary(struct settings *s);
/* Whether a backend other than this one has the name. */
bool settings_name_is_taken(
        const struct settings *s, const char *name, const struct backend_settings *except);

/* The keys of a backend that say which engine it is: dialect, poll, replica_header, stack; of a
 * reference also mode, self, score, align, thinking, completions_template. */
void settings_read_engine(
        struct conf *y, const struct conf_node *n, struct backend_settings *to, bool reference);

/* The keys content and redact of `capture`. */
void settings_read_privacy(
        struct conf *y, const struct conf_node *capture, struct privacy_settings *to);
/* Becomes now. False: it was something else. */
bool settings_keep_privacy(struct privacy_settings *p, const struct privacy_settings *now);
const char *settings_content_word(enum content c);

/* "off" (0), or a time of a second and more, in ns. */
bool settings_parse_poll(const char *text, uint64_t *ret) MUST_CHECK;
/* NULL, or what is wrong with it; "off" is -1. */
const char *settings_parse_slowdown(const char *text, double *ret) MUST_CHECK;

void settings_read_file(struct settings *s, struct conf *y);
/* What the file began and neither it nor the flags gave; to be asked after the flags were read. */
void settings_check_file(const struct settings *s, struct conf *y);
/* NULL, or the problem, the caller frees it. */
char *settings_read_flags(
        struct settings *s, const struct option_value *flags, size_t n) MUST_CHECK;

/* Segments are deleted whole: a capture with a limit must be made of several. A segment size of 0: chosen to fit. */
bool settings_fits_segments(const struct settings *s);
#define SETTINGS_SEGMENTS_RULE                                                                     \
	"must be at least twice segment_size (and 2MiB), since only whole segments are deleted"
