#include "capture/recorder/recording.h"

#include <stdlib.h>

#define BUDGET ((size_t)512 << 20)
#define STOP_NS (UINT64_C(60) * 1000000000)

char *recording_open(struct recording *r, const char *dir, const uint8_t *hash_key,
        const char *settings, const char *book)
{
	char *error = NULL;
	budget_init(&r->budget, BUDGET);
	const struct recorder_settings s = {
	        .path = dir,
	        .drops_empty = true,
	        .budget = &r->budget,
	        .settings_json = settings,
	        .hash_key = hash_key,
	};
	r->recorder = recorder_create(&s, &error);
	if (r->recorder) {
		r->ledger = ledger_create();
		r->book = ledger_book(r->ledger, book);
	}
	return error;
}

struct id recording_manifest(struct recorder *r, const struct manifest *m, const char *backend,
        const char *url, enum role role)
{
	if (!m || !m->n_facts) {
		return (struct id){{0}};
	}
	char *json = manifest_json(m);
	struct manifest_row row = {
	        .id = id_make(),
	        .backend = (char *)backend,
	        .url = (char *)url,
	        .role = role,
	        .wall_ns = m->wall_ns,
	        .dialect = m->dialect,
	        .json = json,
	};
	manifest_digest(m, row.digest);
	recorder_manifest(r, &row);
	free(json);
	return row.id;
}

uint64_t recording_close(struct recording *r)
{
	if (!r->recorder) {
		return 0;
	}
	recorder_stop(r->recorder, STOP_NS);
	uint64_t lost = ledger_lost(r->ledger);
	ledger_destroy(r->ledger);
	r->recorder = NULL;
	return lost;
}
