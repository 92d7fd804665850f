#include "proxy/engine_info.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LOG_MODULE "engine"
#include "backends/engine_signs.h"
#include "base/log.h"
#include "base/mem.h"
#include "capture/recorder/recorder.h"

#define FINGERPRINTS_LIMIT 16
#define FINGERPRINT_BYTES 256 /* of each; a longer one is cut */
#define MANIFESTS_LIMIT 16    /* manifests that are recognised when they come back */
#define CHANGES_REPORTED 6

struct known_manifest {
	uint8_t digest[16];
	struct id id;
};

struct engine_info {
	pthread_mutex_t lock;
	const struct backend_settings *settings;
	struct recorder *recorder;
	struct engine_view view;
	/* the current one, or NULL; the watch thread alone reads it unlocked */
	struct manifest *manifest;
	enum sureness sure;
	bool complete; /* the engine once answered all questions */
	struct known_manifest known[MANIFESTS_LIMIT];
	size_t n_known;
	char *fingerprints[FINGERPRINTS_LIMIT];
	size_t n_fingerprints, next_fingerprint;
	const struct dialect *reported; /* the mismatch that was last reported */
	bool unknown_reported;
	bool mismatch;       /* by its answers to our questions */
	bool foreign_answer; /* by its answers to requests, since the engine last changed */
};

/* Adds facts from the configuration that the engine does not report. If the engine contradicts
 * one, the configured value is kept in addition. */
static void add_configured(const struct backend_settings *b, struct manifest *m)
{
	for (size_t i = 0; i < b->n_stack; i++) {
		const struct stack_fact *f = &b->stack[i];
		bool listed = manifest_name_find(f->name) != NULL;
		const char *from_engine = listed ? manifest_get(m, f->name) : NULL;
		if (listed && (!from_engine || strcmp(from_engine, f->value) == 0)) {
			manifest_set(m, f->name, f->value, "configuration");
			continue;
		}
		char *name = xasprintf("note.%s", f->name);
		manifest_set(m, name, f->value, "configuration");
		free(name);
	}
}

/* The id for these facts. Facts that were known before get their old id again. */
static struct id manifest_id(struct engine_info *s, const uint8_t digest[16], bool *ret_new)
{
	for (size_t i = 0; i < s->n_known; i++) {
		if (memcmp(s->known[i].digest, digest, 16) == 0) {
			*ret_new = false;
			return s->known[i].id;
		}
	}
	if (s->n_known == MANIFESTS_LIMIT) {
		memmove(&s->known[0], &s->known[1], (MANIFESTS_LIMIT - 1) * sizeof(s->known[0]));
		s->n_known--;
	}
	struct known_manifest *k = &s->known[s->n_known++];
	memcpy(k->digest, digest, 16);
	k->id = id_make();
	*ret_new = true;
	return k->id;
}

static void record(
        struct engine_info *s, const struct manifest *m, struct id id, const uint8_t *digest)
{
	if (!s->recorder) {
		return;
	}
	char *json = manifest_json(m);
	struct manifest_row row = {
	        .id = id,
	        .backend = s->settings->name,
	        .url = s->settings->url,
	        .role = s->settings->role,
	        .wall_ns = m->wall_ns,
	        .dialect = m->dialect,
	        .json = json,
	};
	memcpy(row.digest, digest, sizeof(row.digest));
	recorder_manifest(s->recorder, &row);
	free(json);
}

/* Makes this the current manifest. Records it first, so that no leg refers to a manifest that the
 * recorder does not have. */
static void publish(struct engine_info *s, struct manifest *m)
{
	uint8_t digest[16];
	bool is_new;
	manifest_digest(m, digest);
	struct id id = manifest_id(s, digest, &is_new);
	record(s, m, id, digest);
	struct sampling defaults = manifest_sampling(m);

	pthread_mutex_lock(&s->lock);
	struct manifest *before = s->manifest;
	s->manifest = m;
	s->foreign_answer = false;
	s->view =
	        (struct engine_view){manifest_dialect(m), id, defaults, s->view.manifests + is_new};
	pthread_mutex_unlock(&s->lock);
	manifest_destroy(before);
}

struct engine_info *engine_info_create(const struct backend_settings *b, struct recorder *recorder)
{
	struct engine_info *s = xcalloc(1, sizeof(*s));
	pthread_mutex_init(&s->lock, NULL);
	s->settings = b;
	s->recorder = recorder;
	s->view.dialect = b->dialect ? b->dialect : &dialect_generic;
	s->view.defaults = (struct sampling){NAN, NAN, NAN, NAN, NAN, NAN, NAN}; /* unknown */
	if (b->n_stack) {
		struct manifest *m = manifest_create(b->name, b->url, s->view.dialect->name);
		add_configured(b, m);
		publish(s, m);
	}
	return s;
}

void engine_info_destroy(struct engine_info *s)
{
	if (!s) {
		return;
	}
	for (size_t i = 0; i < s->n_fingerprints; i++) {
		free(s->fingerprints[i]);
	}
	manifest_destroy(s->manifest);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

void engine_info_view(struct engine_info *s, struct engine_view *ret)
{
	pthread_mutex_lock(&s->lock);
	*ret = s->view;
	pthread_mutex_unlock(&s->lock);
}

static char *evidence_of(const struct engine_identity *i)
{
	struct buf text = {0};
	for (size_t k = 0; k < i->n_evidence && k < 4; k++) {
		if (i->evidence[k].dialect == i->dialect) {
			buf_printf(&text, "%s%s", text.len ? "; " : "", i->evidence[k].text);
		}
	}
	if (!text.len) {
		buf_append_str(&text, "none");
	}
	return buf_steal(&text);
}

/* Warns once per wrong dialect. */
static void report_mismatch(struct engine_info *s, const struct engine_identity *i)
{
	const struct backend_settings *b = s->settings;
	bool mismatch = b->dialect && i->sure >= SURE_LIKELY && i->dialect != b->dialect;
	pthread_mutex_lock(&s->lock);
	bool reported = s->reported == i->dialect;
	s->mismatch = mismatch;
	s->reported = mismatch ? i->dialect : s->reported;
	pthread_mutex_unlock(&s->lock);
	if (!mismatch || reported) {
		return;
	}
	char *evidence = evidence_of(i);
	log_error("{backend} is configured as {configured} but answers like {dialect}: {evidence}. "
	          "The proxy treats it as {dialect}.",
	        log_field("backend", b->name), log_field("configured", b->dialect->name),
	        log_field("dialect", i->dialect->name), log_field("evidence", evidence),
	        log_field("certainty", sureness_name(i->sure)));
	free(evidence);
}

static void report_unknown(struct engine_info *s, const struct engine_identity *i)
{
	if (i->sure >= SURE_LIKELY || s->settings->dialect || s->unknown_reported) {
		return;
	}
	s->unknown_reported = true;
	char *evidence = evidence_of(i);
	log_info("{backend} is an unknown engine, so the proxy treats it as generic. Evidence: "
	         "{evidence}.",
	        log_field("backend", s->settings->name), log_field("evidence", evidence));
	free(evidence);
}

static void report_change(struct engine_info *s, const struct manifest *m)
{
	const struct backend_settings *b = s->settings;
	if (!s->complete && manifest_dialect(m) == &dialect_generic) {
		return;
	}
	if (!s->complete) {
		log_info("{backend} at {url} is recognised as {dialect}.",
		        log_field("backend", b->name), log_field("url", b->url),
		        log_field("dialect", m->dialect),
		        log_field("version", manifest_get(m, "engine.version")),
		        log_field("model", manifest_get(m, "model")));
		return;
	}
	size_t n;
	struct manifest_change *changes = manifest_diff(s->manifest, m, &n);
	struct buf text = {0};
	for (size_t i = 0; i < n && i < CHANGES_REPORTED; i++) {
		buf_printf(&text, "%s%s %s -> %s", i ? "; " : "", changes[i].name,
		        changes[i].was ? changes[i].was : "unknown",
		        changes[i].is ? changes[i].is : "unknown");
	}
	if (n > CHANGES_REPORTED) {
		buf_printf(&text, "; and %zu more", n - CHANGES_REPORTED);
	}
	log_warn("The stack of {backend} has changed: {changes}.", log_field("backend", b->name),
	        log_field("changes", buf_cstr(&text)));
	buf_finish(&text);
	free(changes);
}

static bool any_answer(const struct engine_identity *i)
{
	for (size_t k = 0; k < i->n_responses; k++) {
		if (i->responses[k].status == 200) {
			return true;
		}
	}
	return false;
}

/* Whether some question was not answered. A missing answer does not mean that a fact is gone. */
static bool is_partial(const struct engine_identity *i, const struct manifest *m)
{
	for (size_t k = 0; k < i->n_responses; k++) {
		if (!call_is_complete(i->responses[k].end)) {
			return true;
		}
	}
	return m->partial;
}

static bool loses_facts(const struct manifest *before, const struct manifest *m)
{
	size_t n;
	bool loses = false;
	struct manifest_change *changes = manifest_diff(before, m, &n);
	for (size_t i = 0; i < n; i++) {
		loses = loses || !changes[i].is;
	}
	free(changes);
	return loses;
}

/* Whether to accept this identity, given what is already known. If the engine never answered all
 * questions, any surer identity is accepted. */
static bool is_credible(
        const struct engine_info *s, const struct engine_identity *i, const struct manifest *m)
{
	if (!i->reachable || !any_answer(i)) {
		return false;
	}
	if (!s->sure || !is_partial(i, m) || (!s->complete && i->sure > s->sure)) {
		return true;
	}
	const char *version = manifest_get(m, "engine.version");
	bool other_version =
	        version && !same_text(version, manifest_get(s->manifest, "engine.version"));
	return other_version ||
	       (strcmp(m->dialect, s->manifest->dialect) == 0 && !loses_facts(s->manifest, m));
}

static bool has_changed(struct engine_info *s, const struct manifest *m)
{
	uint8_t before[16], now[16];
	if (!s->manifest) {
		return true;
	}
	manifest_digest(s->manifest, before);
	manifest_digest(m, now);
	return memcmp(before, now, sizeof(now)) != 0;
}

bool engine_info_update(struct engine_info *s, const struct engine_identity *i, struct manifest *m)
{
	const struct backend_settings *b = s->settings;
	bool recognised = i->sure >= SURE_LIKELY;
	const struct dialect *dialect = recognised ? i->dialect : b->dialect;
	free(m->dialect);
	m->dialect = xstrdup(dialect ? dialect->name : dialect_generic.name);
	free(m->backend);
	m->backend = xstrdup(b->name);
	add_configured(b, m);
	if (!is_credible(s, i, m)) {
		manifest_destroy(m);
		return false;
	}
	bool complete = !is_partial(i, m);
	report_mismatch(s, i);
	if (complete) {
		report_unknown(s, i);
	}
	bool changed = has_changed(s, m);
	if (changed || !s->sure) {
		report_change(s, m);
	}
	pthread_mutex_lock(&s->lock);
	s->sure = MAX(i->sure, SURE_WEAK); /* at least weak, because it answered */
	s->complete = complete = s->complete || complete;
	pthread_mutex_unlock(&s->lock);
	if (changed) {
		publish(s, m);
	} else {
		manifest_destroy(m);
	}
	return complete;
}

/* An answer can reveal another engine, even if the engine is not polled. Behind a gateway,
 * answers reveal the engines behind it. */
static void report_foreign_answer(struct engine_info *s, const char *fingerprint)
{
	const struct backend_settings *b = s->settings;
	const struct dialect *d = dialect_of_fingerprint(fingerprint);
	if (!b->dialect || b->dialect->relays || !d || d == b->dialect) {
		return;
	}
	pthread_mutex_lock(&s->lock);
	bool reported = s->reported == d;
	s->foreign_answer = true;
	s->reported = d;
	pthread_mutex_unlock(&s->lock);
	if (!reported) {
		log_error(
		        "{backend} is configured as {configured} but answers like {dialect}: an "
		        "answer has system_fingerprint {fingerprint}. The proxy reads its answers "
		        "as those of {dialect}.",
		        log_field("backend", b->name), log_field("configured", b->dialect->name),
		        log_field("dialect", d->name), log_field("fingerprint", fingerprint));
	}
}

bool engine_info_see_fingerprint(struct engine_info *s, const char *fingerprint)
{
	bool known = false;
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->n_fingerprints && !known; i++) {
		known = strncmp(s->fingerprints[i], fingerprint, FINGERPRINT_BYTES) == 0;
	}
	bool others = s->n_fingerprints > 0;
	if (!known) {
		/* A ring: an engine with a new fingerprint for each answer does not use more
		 * memory. */
		size_t at = s->next_fingerprint++ % FINGERPRINTS_LIMIT;
		free(s->fingerprints[at]);
		s->fingerprints[at] = xstrndup(fingerprint, FINGERPRINT_BYTES);
		s->n_fingerprints = MAX(s->n_fingerprints, at + 1);
	}
	pthread_mutex_unlock(&s->lock);
	if (!known) {
		report_foreign_answer(s, fingerprint);
	}
	return !known && others;
}

void engine_info_metrics(struct engine_info *s, struct engine_metrics *ret)
{
	pthread_mutex_lock(&s->lock);
	const char *version = s->manifest ? manifest_get(s->manifest, "engine.version") : NULL;
	*ret = (struct engine_metrics){
	        .dialect = s->view.dialect->name,
	        .configured = s->settings->dialect ? s->settings->dialect->name : NULL,
	        .version = version ? xstrdup(version) : NULL,
	        .mismatch = s->mismatch || s->foreign_answer,
	        .manifests = s->view.manifests,
	};
	pthread_mutex_unlock(&s->lock);
}
