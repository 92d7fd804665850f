#include "proxy/lineup.h"

#include <stdlib.h>

#define LOG_MODULE "lineup"
#include "base/log.h"
#include "base/mem.h"

/* The party that is what b says; NULL: none of them. */
static struct party *known(const struct lineup *before, const struct backend_settings *b)
{
	if (before && party_is(before->primary, b)) {
		return before->primary;
	}
	for (size_t i = 0; before && i < before->n_references; i++) {
		if (party_is(before->references[i], b)) {
			return before->references[i];
		}
	}
	return NULL;
}

static struct party *find(struct lineup *l, const struct lineup *before,
        const struct backend_settings *b, struct ledger_book *book, struct recorder *recorder)
{
	struct party *p = known(before, b);
	return p ? party_ref(p) : party_create(l->settings, b, book, recorder);
}

static void tell_url(const struct backend_settings *b)
{
	if (b->url_note) {
		log_info("%s backend=%s", b->url_note, b->name);
	}
}

struct lineup *lineup_create(struct settings *conf, const struct lineup *before, struct ledger *l,
        struct recorder *recorder, char **ret_error)
{
	struct ledger_book *books[SETTINGS_REFERENCES_LIMIT] = {0};
	for (size_t i = 0; i < conf->n_references; i++) {
		books[i] = ledger_book(l, conf->references[i].name);
		if (!books[i]) {
			*ret_error = xasprintf("reference %s: references of more than %d names "
			                       "have come since the start; a restart counts anew",
			        conf->references[i].name, LEDGER_BOOKS_LIMIT - 1);
			return NULL;
		}
	}
	tell_url(&conf->primary);
	struct lineup *made = xcalloc(1, sizeof(*made));
	made->refs = 1;
	made->settings = settings_ref(conf);
	made->primary = find(made, before, &conf->primary, NULL, recorder);
	made->n_references = conf->n_references;
	for (size_t i = 0; i < conf->n_references; i++) {
		made->references[i] = find(made, before, &conf->references[i], books[i], recorder);
		tell_url(&conf->references[i]);
		party_tune(made->references[i], &conf->references[i]);
	}
	return made;
}

struct lineup *lineup_ref(struct lineup *l)
{
	atomic_fetch_add(&l->refs, 1);
	return l;
}

void lineup_unref(struct lineup *l)
{
	if (!l || atomic_fetch_sub(&l->refs, 1) != 1) {
		return;
	}
	party_unref(l->primary);
	for (size_t i = 0; i < l->n_references; i++) {
		party_unref(l->references[i]);
	}
	settings_unref(l->settings);
	free(l);
}
