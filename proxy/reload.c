#include "proxy/reload.h"

#include <stdlib.h>
#include <sys/stat.h>

#define LOG_MODULE "reload"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "proxy/exposition.h"
#include "proxy/config_snapshot.h"
#include "proxy/loop_check.h"
#include "proxy/shared.h"

struct reload {
	const struct settings_source *source;
	uint64_t number, adopted; /* of reloads so far */
	uint64_t at;              /* wall clock; when the present settings were adopted */
	char *why;                /* why the last reload was refused; NULL: it was not */
};

struct reload *reload_create(const struct settings_source *source)
{
	struct reload *r = xmalloc(sizeof(*r));
	*r = (struct reload){.source = source, .at = clock_wall()};
	return r;
}

void reload_destroy(struct reload *r)
{
	if (r) {
		free(r->why);
		free(r);
	}
}

/* Reads the file again, and keeps the old value of every setting that cannot change. NULL and an
 * error message on failure. */
static struct settings *read_again(
        const struct reload *r, const struct settings *now, struct buf *kept, char **ret_error)
{
	const struct settings_source *from = r->source;
	struct stat st;
	/* A pipe, for example, gives its data only once. If the file is missing, opening it reports
	 * that. */
	if (stat(from->file, &st) == 0 && !S_ISREG(st.st_mode)) {
		*ret_error =
		        xasprintf("%s: is not a regular file, and can't be read again", from->file);
		return NULL;
	}
	struct settings *s = settings_load(from->file, from->flags, from->n_flags, ret_error);
	if (!s) {
		return NULL;
	}
	settings_keep(s, now, kept);
	char *problem = loop_check(s, from->file);
	if (problem) {
		*ret_error = problem;
		settings_unref(s);
		return NULL;
	}
	return s;
}

static bool apply(struct reload *r, struct shared *s, struct buf *kept, char **ret_error)
{
	struct config_snapshot *now = shared_config(s);
	struct settings *conf = read_again(r, now->settings, kept, ret_error);
	bool adopted = conf && shared_set_config(s, conf, ret_error);
	if (adopted) {
		settings_apply_log(conf);
		log_info("Reload {reload}: new requests use the settings in {path}.",
		        log_field("reload", r->number), log_field("path", r->source->file),
		        log_field("backend", conf->primary.name),
		        log_field("url", conf->primary.url),
		        log_field("references", conf->n_references));
	}
	settings_unref(conf);
	config_snapshot_unref(now);
	return adopted;
}

void reload_run(struct reload *r, struct shared *s)
{
	struct buf kept = {0};
	r->number++;
	free(r->why);
	r->why = NULL;
	if (apply(r, s, &kept, &r->why)) {
		r->adopted++;
		r->at = clock_wall();
		if (kept.len) {
			log_warn("Reload {reload}: these settings keep their values until a "
			         "restart: {settings}.",
			        log_field("reload", r->number),
			        log_field("settings", buf_cstr(&kept)));
		}
	} else {
		log_error("Reload {reload} is refused and changes nothing. {error}",
		        log_field("reload", r->number), log_field("error", r->why));
	}
	buf_finish(&kept);
}

void reload_write(const struct reload *r, struct buf *to)
{
	exposition_describe(
	        to, "config_reloads_total", "counter", "Reloads of the configuration, by outcome.");
	exposition_sample(to, "config_reloads_total", r->adopted, "outcome", "adopted", NULL);
	exposition_sample(
	        to, "config_reloads_total", r->number - r->adopted, "outcome", "refused", NULL);
	exposition_value(to, "config_last_reload_successful", "gauge",
	        "0 if the last reload refused the file, else 1.", !r->why);
	exposition_value(to, "config_last_reload_success_timestamp_seconds", "gauge",
	        "Time at which the configuration in use was loaded, in seconds since 1970.",
	        r->at / 1000000000u);
	exposition_describe(to, "config_refused_info", "gauge",
	        "1 if the last reload refused the file, with the reason as a label; else absent.");
	if (r->why) {
		exposition_sample(to, "config_refused_info", 1, "reason", r->why, NULL);
	}
}
