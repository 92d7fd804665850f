/*
 * shared_setup - creates what all workers share, changes it at a reload, and destroys it.
 */
#include "proxy/shared.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <sodium.h>

#define LOG_MODULE "shared"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "proxy/config_snapshot.h"
#include "proxy/score_pool.h"
#include "proxy/engine_watch.h"
#include "proxy/worker.h"

#define OTHER_DESCRIPTORS 64 /* listeners, segments, logs, questions to backends */

/* Reads a fleet's shared hash key from its environment variable. */
static bool read_hash_key(const char *variable, uint8_t key[32], char **ret_error)
{
	const char *hex = getenv(variable);
	size_t len = 0;
	if (!hex || sodium_hex2bin(key, 32, hex, strlen(hex), NULL, &len, NULL) || len != 32 ||
	        strlen(hex) != 64) {
		*ret_error = xasprintf("hash_key_env: %s must hold 64 hex digits", variable);
		return false;
	}
	return true;
}

static struct backend_state *backend_of(
        const struct config_snapshot *snapshot, const struct leg_row *row)
{
	if (row->role == ROLE_PRIMARY) {
		return snapshot->primary;
	}
	for (size_t i = 0; row->backend && i < snapshot->n_references; i++) {
		if (strcmp(snapshot->references[i]->settings->name, row->backend) == 0) {
			return snapshot->references[i];
		}
	}
	return NULL;
}

/* Checks whether an answer came from another engine than before. Called by the encoders'
 * threads. */
static void on_answer_read(void *arg, const struct leg_row *row)
{
	struct shared *s = arg;
	struct config_snapshot *snapshot = shared_config(s);
	struct backend_state *p = snapshot ? backend_of(snapshot, row) : NULL;
	if (p && row->fingerprint && engine_info_see_fingerprint(p->engine, row->fingerprint)) {
		engine_watch_poll_soon(s->watch, p);
	}
	if (row->lost_characters) {
		injection_stop_declare_number(s, row->kind, INJECTION_STOP_LOST);
	}
	config_snapshot_unref(snapshot);
}

static bool open_recorder(
        struct shared *s, const struct settings *conf, const uint8_t *fleet_key, char **ret_error)
{
	if (!conf->capture_path) {
		s->run = id_make();
		if (fleet_key) {
			memcpy(s->hash_key, fleet_key, sizeof(s->hash_key));
		} else {
			randombytes_buf(s->hash_key, sizeof(s->hash_key));
		}
		return true;
	}
	char *json = settings_json(conf);
	s->recorder = recorder_create(
	        &(struct recorder_settings){
	                .path = conf->capture_path,
	                .segment_size = conf->segment_size,
	                .max_size = conf->capture_max_size,
	                .retain = conf->capture_retain,
	                .drop_oldest = !conf->capture_stop_when_full,
	                .durable = conf->durable,
	                .queue_limit = conf->recorder_queue,
	                .encoders = conf->encoders,
	                .scheduling = conf->recorder_scheduling,
	                .budget = &s->budget,
	                .settings_json = json,
	                .hash_key = fleet_key,
	                .content = conf->privacy.content,
	                .redact = conf->privacy.policy,
	                .on_read = on_answer_read,
	                .on_read_arg = s,
	        },
	        ret_error);
	free(json);
	if (!s->recorder) {
		return false;
	}
	s->run = recorder_run(s->recorder);
	memcpy(s->hash_key, recorder_hash_key(s->recorder), sizeof(s->hash_key));
	return true;
}

/*
 * The number of descriptors for clients and their connections to the primary. An eighth is reserved
 * for clients that become active at the same time. Clients can never use up the descriptors of the
 * recorder or the references.
 */
static unsigned client_descriptors(const struct settings *conf)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= UINT_MAX) {
		return UINT_MAX;
	}
	uint64_t others = OTHER_DESCRIPTORS;
	for (size_t i = 0; i < conf->n_references; i++) {
		others += conf->references[i].max_concurrency;
	}
	uint64_t room = limit.rlim_cur > others ? limit.rlim_cur - others : 0;
	return (unsigned)MAX(room - room / 8, (uint64_t)2);
}

static void set_client_limits(struct shared *s, const struct settings *conf)
{
	unsigned wanted = conf->clients.limit, descriptors = client_descriptors(conf);
	atomic_store(&s->client_descriptors, descriptors);
	atomic_store(&s->client_limit, MIN(wanted, descriptors));
	if (descriptors < wanted) {
		log_debug("File descriptors allow {limit} clients at once; clients.limit is "
		          "{clients_limit}.",
		        log_field("limit", descriptors), log_field("clients_limit", wanted));
	}
}

struct shared *shared_create(struct settings *conf, char **ret_error)
{
	uint8_t fleet_key[32];
	const uint8_t *key = NULL;
	if (conf->hash_key_env) {
		if (!read_hash_key(conf->hash_key_env, fleet_key, ret_error)) {
			return NULL;
		}
		key = fleet_key;
	}
	struct shared *s = xcalloc(1, sizeof(*s));
	pthread_mutex_init(&s->lock, NULL);
	budget_init(&s->budget, conf->memory_limit);
	s->ledger = ledger_create();
	s->exchanges = ledger_book(s->ledger, "exchanges");
	s->kinds = kinds_create();
	s->started = clock_wall();
	s->head_time.bounds = s->total_time.bounds = &BOUNDS_ANSWER;
	s->added_time.bounds = &BOUNDS_ADDED;
	s->n_workers = conf->workers;
	s->scoring = score_pool_create(s);
	s->watch = engine_watch_create((uint32_t)s->started, s->kinds);
	if (open_recorder(s, conf, key, ret_error)) {
		s->snapshot = config_snapshot_create(conf, NULL, s->ledger, s->recorder, ret_error);
	}
	if (!s->snapshot) {
		shared_destroy(s, 0);
		return NULL;
	}
	set_client_limits(s, conf);
	return s;
}

/* The next segment records the settings under which its exchanges were recorded. */
static void update_recorder_settings(
        struct shared *s, const struct settings *before, const struct settings *now)
{
	if (!s->recorder) {
		return;
	}
	char *was = settings_json(before), *is = settings_json(now);
	if (strcmp(was, is) != 0) {
		recorder_settings_changed(s->recorder, is);
	}
	free(was);
	free(is);
}

bool shared_set_config(struct shared *s, struct settings *conf, char **ret_error)
{
	struct config_snapshot *before = s->snapshot;
	struct config_snapshot *snapshot =
	        config_snapshot_create(conf, before, s->ledger, s->recorder, ret_error);
	if (!snapshot) {
		return false;
	}
	pthread_mutex_lock(&s->lock);
	s->snapshot = snapshot;
	pthread_mutex_unlock(&s->lock);
	set_client_limits(s, conf);
	for (unsigned i = 0; i < s->n_workers; i++) {
		worker_set_config(s->workers[i], snapshot);
	}
	engine_watch_follow(s->watch, snapshot);
	update_recorder_settings(s, before->settings, conf);
	config_snapshot_unref(before);
	return true;
}

void shared_destroy(struct shared *s, uint64_t flush_timeout)
{
	if (!s) {
		return;
	}
	score_pool_destroy(s->scoring);
	if (s->recorder) {
		recorder_stop(s->recorder, flush_timeout);
	}
	engine_watch_destroy(s->watch);
	config_snapshot_unref(s->snapshot);
	kinds_destroy(s->kinds);
	ledger_destroy(s->ledger);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
