#pragma once
/*
 * engine_info - what is known of one backend's engine while the proxy runs: the dialect in force, the
 * manifest, the sampling defaults.
 *
 * One object a backend. The watch thread learns, loops take a view at each leg's beginning, encoders
 * say which fingerprints answers bear. Any thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/identity.h"
#include "backends/manifest_collect.h"
#include "base/id.h"
#include "proxy/settings/settings.h"

struct recorder;
struct engine_info;

/* What a leg is begun with. */
struct engine_view {
	const struct dialect *dialect; /* never NULL */
	struct id manifest;            /* zero: none is known */
	struct sampling defaults;      /* as the engine tells them; NaN where it does not */
	uint64_t manifests;            /* different ones so far */
};

/* In force until something is learned: the dialect of the configuration, else generic. What only the
 * configuration knows is recorded as a manifest, if it says anything. recorder may be NULL. */
struct engine_info *engine_info_create(const struct backend_settings *b, struct recorder *recorder);
void engine_info_destroy(struct engine_info *s); /* NULL is fine */
void engine_info_view(struct engine_info *s, struct engine_view *ret);

/*
 * What was seen of the engine, and its manifest (taken over). A change is logged, recorded and in
 * force on return. False: the engine was not all there; ask again soon. What was known before stays
 * then, unless the engine never was all there and more of it was seen than before.
 */
bool engine_info_learn(struct engine_info *s, const struct identity *i, struct manifest *m);

/* An answer bears this fingerprint. True: none that was known bore it, and others were known; the
 * engine may have been replaced. One of another engine than the configuration says is told loudly. */
bool engine_info_see_fingerprint(struct engine_info *s, const char *fingerprint);

/* For figures: copies; the caller frees version. */
struct engine_metrics {
	const char *dialect, *configured; /* configured NULL: as recognised */
	char *version;                    /* or NULL */
	bool mismatch;                    /* it is not what the configuration says */
	uint64_t manifests;               /* recorded: the first, and one for each change */
	uint64_t asked;                   /* times that it was asked who it is and answered */
};
void engine_info_metrics(struct engine_info *s, struct engine_metrics *ret);
