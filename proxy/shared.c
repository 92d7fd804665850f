#include "proxy/shared.h"

#include <sodium.h>

#include "proxy/backend_state.h"
#include "proxy/config_snapshot.h"

struct config_snapshot *shared_config(struct shared *s)
{
	pthread_mutex_lock(&s->lock);
	struct config_snapshot *snapshot = s->snapshot ? config_snapshot_ref(s->snapshot) : NULL;
	pthread_mutex_unlock(&s->lock);
	return snapshot;
}

bool shared_can_accept(const struct shared *s)
{
	uint64_t clients = atomic_load_explicit(&s->clients, memory_order_relaxed);
	uint64_t idle = atomic_load_explicit(&s->idle_clients, memory_order_relaxed);
	return clients < atomic_load_explicit(&s->client_limit, memory_order_relaxed) &&
	       2 * clients - MIN(clients, idle) + 2 <=
	               atomic_load_explicit(&s->client_descriptors, memory_order_relaxed);
}

void shared_peer_hash(const struct shared *s, const void *address, size_t len, char hex[33])
{
	unsigned char hash[16];
	crypto_generichash(hash, sizeof(hash), address, len, s->hash_key, sizeof(s->hash_key));
	sodium_bin2hex(hex, 33, hash, sizeof(hash));
}

static void count_truncated(void *arg)
{
	shared_count(arg, COUNTER_TRUNCATED, 1);
}

struct leg_frame shared_frame(struct shared *s, const struct settings *conf,
        const struct backend_settings *b, struct backend_state *backend)
{
	return (struct leg_frame){
	        .backend = b->name,
	        .url = b->url,
	        .replica_header = b->replica_header,
	        .role = b->role,
	        .run = s->run,
	        .budget = &s->budget,
	        .recorder = s->recorder,
	        .in_flight = &backend->in_flight,
	        .counts = &backend->counts,
	        .kept = {conf->record_headers.items, conf->record_headers.n},
	        .on_truncated = count_truncated,
	        .arg = s,
	};
}
