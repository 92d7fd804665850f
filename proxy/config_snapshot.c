#include "proxy/config_snapshot.h"

#include <stdlib.h>

#define LOG_MODULE "config"
#include "base/log.h"
#include "base/mem.h"

static struct backend_state *take_or_create(struct config_snapshot *snapshot,
        const struct config_snapshot *before, const struct backend_settings *b,
        struct ledger_book *book, struct recorder *recorder)
{
	struct backend_state *p;
	for (size_t i = 0; before && (p = config_snapshot_backend(before, i)); i++) {
		if (backend_state_matches(p, b)) {
			return backend_state_ref(p);
		}
	}
	return backend_state_create(snapshot->settings, b, book, recorder);
}

static void log_url_note(const struct backend_settings *b)
{
	if (b->url_note) {
		log_info("{backend}: {reason}.", log_field("backend", b->name),
		        log_field("reason", b->url_note));
	}
}

struct config_snapshot *config_snapshot_create(struct settings *conf,
        const struct config_snapshot *before, struct ledger *ledger, struct recorder *recorder,
        char **ret_error)
{
	struct ledger_book *books[SETTINGS_REFERENCES_LIMIT] = {0};
	for (size_t i = 0; i < conf->n_references; i++) {
		books[i] = ledger_book(ledger, conf->references[i].name);
		if (!books[i]) {
			*ret_error =
			        xasprintf("reference %s: references of more than %d names "
			                  "have come since the start; a restart resets the count",
			                conf->references[i].name, LEDGER_BOOKS_LIMIT - 1);
			return NULL;
		}
	}
	log_url_note(&conf->primary);
	struct config_snapshot *made = xcalloc(1, sizeof(*made));
	made->refs = 1;
	made->settings = settings_ref(conf);
	made->primary = take_or_create(made, before, &conf->primary, NULL, recorder);
	made->n_references = conf->n_references;
	for (size_t i = 0; i < conf->n_references; i++) {
		made->references[i] =
		        take_or_create(made, before, &conf->references[i], books[i], recorder);
		log_url_note(&conf->references[i]);
		backend_state_set_limits(made->references[i], &conf->references[i]);
		backend_state_engine_changed(made->references[i]);
	}
	return made;
}

struct config_snapshot *config_snapshot_ref(struct config_snapshot *snapshot)
{
	atomic_fetch_add(&snapshot->refs, 1);
	return snapshot;
}

void config_snapshot_unref(struct config_snapshot *snapshot)
{
	if (!snapshot || atomic_fetch_sub(&snapshot->refs, 1) != 1) {
		return;
	}
	backend_state_unref(snapshot->primary);
	for (size_t i = 0; i < snapshot->n_references; i++) {
		backend_state_unref(snapshot->references[i]);
	}
	settings_unref(snapshot->settings);
	free(snapshot);
}
