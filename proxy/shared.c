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

#define OTHER_DESCRIPTORS 64 /* listeners, segments, logs, questions to backends */

/* The key of a fleet, out of its variable. */
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

/* Whether an answer tells of another engine than those before. From the encoders' threads. */
static void on_read(void *arg, const struct leg_row *row)
{
	struct shared *s = arg;
	struct stack *stack = row->role == ROLE_PRIMARY ? s->stack : NULL;
	size_t number = 0;
	for (size_t i = 0; !stack && row->backend && i < s->n_references; i++) {
		if (strcmp(s->references[i].settings->name, row->backend) == 0) {
			stack = s->references[i].stack;
			number = i + 1;
		}
	}
	if (stack && row->fingerprint && stack_notice(stack, row->fingerprint)) {
		watch_soon(atomic_load(&s->watch), number);
	}
}

static bool open_recorder(struct shared *s, const uint8_t *fleet_key, char **ret_error)
{
	const struct settings *conf = s->settings;
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
	                .drop_oldest = conf->capture_drop_oldest,
	                .durable = conf->durable,
	                .queue_limit = conf->recorder_queue,
	                .encoders = conf->encoders,
	                .budget = &s->budget,
	                .settings_json = json,
	                .hash_key = fleet_key,
	                .on_read = on_read,
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
 * Descriptors for clients and their connections to the primary: an eighth is kept back for clients
 * that wake up together, and nothing that a client does may take the recorder's or the references'.
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

static void fit_clients(struct shared *s)
{
	unsigned wanted = s->settings->clients.places;
	s->client_descriptors = client_descriptors(s->settings);
	s->client_places = MIN(wanted, s->client_descriptors);
	if (s->client_places < wanted) {
		log_debug("File descriptors allow fewer clients at once limit=%u wanted=%u",
		        s->client_places, wanted);
	}
}

bool shared_has_place(const struct shared *s)
{
	uint64_t clients = atomic_load_explicit(&s->clients, memory_order_relaxed);
	uint64_t idle = atomic_load_explicit(&s->idle_clients, memory_order_relaxed);
	return clients < s->client_places &&
	       2 * clients - MIN(clients, idle) + 2 <= s->client_descriptors;
}

struct shared *shared_create(struct settings *conf, char **ret_error)
{
	uint8_t fleet_key[32];
	const uint8_t *key = NULL;

	if (sodium_init() < 0) {
		*ret_error = xstrdup("libsodium could not be initialised");
		return NULL;
	}
	if (conf->hash_key_env) {
		if (!read_hash_key(conf->hash_key_env, fleet_key, ret_error)) {
			return NULL;
		}
		key = fleet_key;
	}
	struct shared *s = xcalloc(1, sizeof(*s));
	s->settings = settings_ref(conf);
	budget_init(&s->budget, conf->memory_limit);
	s->ledger = ledger_create();
	s->exchanges = ledger_book(s->ledger, "exchanges");
	s->kinds = kinds_create();
	s->started = clock_wall();
	s->n_references = conf->n_references;
	for (size_t i = 0; i < s->n_references; i++) {
		s->references[i].settings = &conf->references[i];
		s->references[i].book = ledger_book(s->ledger, conf->references[i].name);
		s->references[i].sampler = sampler_create(&conf->references[i].sample);
	}
	fit_clients(s);
	if (!open_recorder(s, key, ret_error)) {
		shared_destroy(s, 0);
		return NULL;
	}
	s->stack = stack_create(&conf->primary, s->recorder);
	for (size_t i = 0; i < s->n_references; i++) {
		const struct dialect *d = conf->references[i].dialect;
		s->references[i].stack = stack_create(&conf->references[i], s->recorder);
		atomic_store(&s->references[i].places, conf->references[i].max_concurrency);
		shared_fit_places(s, i, d ? d : &dialect_generic);
	}
	return s;
}

void shared_destroy(struct shared *s, uint64_t flush_timeout)
{
	if (!s) {
		return;
	}
	if (s->recorder) {
		recorder_stop(s->recorder, flush_timeout);
	}
	watch_destroy(atomic_load(&s->watch));
	stack_destroy(s->stack);
	for (size_t i = 0; i < s->n_references; i++) {
		stack_destroy(s->references[i].stack);
		sampler_destroy(s->references[i].sampler);
	}
	kinds_destroy(s->kinds);
	ledger_destroy(s->ledger);
	settings_unref(s->settings);
	free(s);
}

void shared_fit_places(struct shared *s, size_t reference, const struct dialect *dialect)
{
	struct reference *r = &s->references[reference];
	bool one =
	        !r->settings->has_max_concurrency && (dialect->abilities & ABILITY_ONE_AT_A_TIME);
	unsigned places = one ? 1 : r->settings->max_concurrency;
	unsigned before = atomic_exchange(&r->places, places);
	if (places < before) {
		log_info("Reference %s gets one copy at a time: a second request may break a "
		         "running "
		         "answer of %s; max_concurrency says otherwise",
		        r->settings->name, dialect->title);
	}
}

void shared_peer_hash(const struct shared *s, const void *address, size_t len, char hex[33])
{
	unsigned char hash[16];
	crypto_generichash(hash, sizeof(hash), address, len, s->hash_key, sizeof(s->hash_key));
	sodium_bin2hex(hex, 33, hash, sizeof(hash));
}

static void count_truncated(void *arg)
{
	shared_count(arg, FIGURE_TRUNCATED, 1);
}

struct leg_frame shared_frame(
        struct shared *s, const struct backend_settings *backend, atomic_uint *in_flight)
{
	return (struct leg_frame){
	        .backend = backend->name,
	        .url = backend->url,
	        .replica_header = backend->replica_header,
	        .role = backend->role,
	        .run = s->run,
	        .budget = &s->budget,
	        .recorder = s->recorder,
	        .in_flight = in_flight,
	        .kept = {s->settings->record_headers, s->settings->n_record_headers},
	        .on_truncated = count_truncated,
	        .arg = s,
	};
}
