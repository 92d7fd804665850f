#include "backends/kinds.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"

struct entry {
	uint64_t hash;
	uint64_t touched; /* of kinds.touches */
	char *name;       /* backend, LF, model; NULL: free */
	enum endpoint endpoint;
	bool stream, tools, codings, refused, ended;
	struct kind kind;
	uint64_t refused_ns;
	uint64_t mixed_ns; /* when two answers were seen to differ */
};

struct kinds {
	pthread_mutex_t lock;
	uint64_t touches;
	size_t n;
	struct entry entries[KINDS_LIMIT];
};

struct kinds *kinds_create(void)
{
	struct kinds *k = xcalloc(1, sizeof(*k));
	pthread_mutex_init(&k->lock, NULL);
	return k;
}

void kinds_destroy(struct kinds *k)
{
	if (!k) {
		return;
	}
	for (size_t i = 0; i < k->n; i++) {
		free(k->entries[i].name);
	}
	pthread_mutex_destroy(&k->lock);
	free(k);
}

/* FNV-1a: it only spares comparing strings; who finds a collision gains nothing. */
static uint64_t hash_more(uint64_t hash, const char *s)
{
	do {
		hash = (hash ^ (unsigned char)*s) * 0x100000001b3;
	} while (*s++);
	return hash;
}

static uint64_t hash_of(const struct kind_key *key)
{
	uint64_t hash = hash_more(0xcbf29ce484222325, key->backend);
	hash = hash_more(hash, key->model);
	unsigned flags = key->stream | key->tools << 1 | key->codings << 2;
	return (hash ^ ((uint64_t)key->endpoint << 3 | flags)) * 0x100000001b3;
}

static bool is_named(const struct entry *e, const struct kind_key *key)
{
	size_t n = strlen(key->backend);
	return strncmp(e->name, key->backend, n) == 0 && e->name[n] == '\n' &&
	       strcmp(e->name + n + 1, key->model) == 0;
}

static struct entry *find(struct kinds *k, const struct kind_key *key, uint64_t hash)
{
	for (size_t i = 0; i < k->n; i++) {
		struct entry *e = &k->entries[i];
		if (e->hash == hash && e->endpoint == key->endpoint && e->stream == key->stream &&
		        e->tools == key->tools && e->codings == key->codings && is_named(e, key)) {
			e->touched = ++k->touches;
			return e;
		}
	}
	return NULL;
}

static struct entry *find_or_make(struct kinds *k, const struct kind_key *key)
{
	uint64_t hash = hash_of(key);
	struct entry *e = find(k, key, hash);
	if (e) {
		return e;
	}
	if (k->n < KINDS_LIMIT) {
		e = &k->entries[k->n++];
	} else {
		e = &k->entries[0];
		for (size_t i = 1; i < k->n; i++) {
			e = k->entries[i].touched < e->touched ? &k->entries[i] : e;
		}
		free(e->name);
	}
	*e = (struct entry){
	        .hash = hash,
	        .touched = ++k->touches,
	        .name = xasprintf("%s\n%s", key->backend, key->model),
	        .endpoint = key->endpoint,
	        .stream = key->stream,
	        .tools = key->tools,
	        .codings = key->codings,
	};
	return e;
}

/* Threads read the clock before they get the lock, so that now may lie before what was noted. */
static bool is_past(uint64_t noted_ns, uint64_t now_ns)
{
	return now_ns > noted_ns && now_ns - noted_ns >= KINDS_MEMORY;
}

/* Forgets what was to be remembered for an hour only. */
static void forget(struct entry *e, uint64_t now_ns)
{
	if (e->refused && is_past(e->refused_ns, now_ns)) {
		e->refused = false;
	}
	if (is_past(e->mixed_ns, now_ns)) {
		if (e->kind.logprobs == KIND_MIXED) {
			e->kind.logprobs = KIND_UNKNOWN;
		}
		if (e->kind.usage == KIND_MIXED) {
			e->kind.usage = KIND_UNKNOWN;
		}
	}
}

struct kind kinds_get(
        struct kinds *k, const struct kind_key *key, uint64_t now_ns, bool *ret_refused)
{
	struct kind kind = {KIND_UNKNOWN, KIND_UNKNOWN};
	*ret_refused = false;
	uint64_t hash = hash_of(key);
	pthread_mutex_lock(&k->lock);
	struct entry *e = find(k, key, hash);
	if (e) {
		forget(e, now_ns);
		kind = e->kind;
		*ret_refused = e->refused || e->ended;
	}
	pthread_mutex_unlock(&k->lock);
	return kind;
}

static void learn(struct entry *e, enum kind_member *known, enum kind_member seen, uint64_t now_ns)
{
	if (seen == KIND_UNKNOWN) {
		return;
	}
	*known = *known == KIND_UNKNOWN || *known == seen ? seen : KIND_MIXED;
	if (*known == KIND_MIXED) {
		e->mixed_ns = now_ns;
	}
}

void kinds_learn(struct kinds *k, const struct kind_key *key, struct kind kind, uint64_t now_ns)
{
	if (kind.logprobs == KIND_UNKNOWN && kind.usage == KIND_UNKNOWN) {
		return;
	}
	pthread_mutex_lock(&k->lock);
	struct entry *e = find_or_make(k, key);
	forget(e, now_ns);
	learn(e, &e->kind.logprobs, kind.logprobs, now_ns);
	if (kind_can_cut(e->kind.usage) && kind_can_cut(kind.usage) &&
	        strcmp(e->kind.tail, kind.tail) != 0) {
		kind.usage = KIND_MIXED;
	}
	learn(e, &e->kind.usage, kind.usage, now_ns);
	e->kind.silent |= kind.silent;
	if (kind_can_cut(kind.usage)) {
		memcpy(e->kind.tail, kind.tail, sizeof(kind.tail));
	}
	pthread_mutex_unlock(&k->lock);
}

void kinds_refused(struct kinds *k, const struct kind_key *key, uint64_t now_ns)
{
	pthread_mutex_lock(&k->lock);
	struct entry *e = find_or_make(k, key);
	e->refused = true;
	e->refused_ns = now_ns;
	pthread_mutex_unlock(&k->lock);
}

bool kinds_end(struct kinds *k, const struct kind_key *key)
{
	pthread_mutex_lock(&k->lock);
	struct entry *e = find_or_make(k, key);
	bool ends = !e->ended;
	e->ended = true;
	pthread_mutex_unlock(&k->lock);
	return ends;
}
