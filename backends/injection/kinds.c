#include "backends/injection/kinds.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/check.h"
#include "base/mem.h"

struct sighting {
	uint64_t form;
	uint64_t seen_ns;
	struct kind kind; /* UNKNOWN in all parts: from an unexpected answer */
	uint32_t styles;  /* of injected answers of this form, one bit each */
};

/* Streams since `since_ns`, of plain and of injected requests. */
struct tally {
	uint64_t since_ns, streams[2], errors[2];
};

struct entry {
	uint64_t hash;
	uint64_t touched; /* of kinds.touches */
	char *name;       /* backend, LF, model; NULL: free */
	enum endpoint endpoint;
	bool stream, tools, codings, refused, ids_refused, ended, doubted;
	uint64_t refused_ns, ids_refused_ns;
	uint64_t plain_ns; /* when a request was last left plain */
	uint64_t requests; /* since then */
	uint64_t strange_ns;
	unsigned strange; /* strange answers since strange_ns */
	struct tally tally;
	struct slowdown slowdown;
	size_t n;
	struct sighting seen[KINDS_FORMS];
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

static uint64_t hash_of(const struct kind_key *key)
{
	unsigned flags = key->stream | key->tools << 1 | key->codings << 2;
	uint64_t hash = (uint64_t)key->endpoint << 3 | flags;
	hash = XXH3_64bits_withSeed(key->backend, strlen(key->backend), hash);
	return XXH3_64bits_withSeed(key->model, strlen(key->model), hash);
}

static bool is_of(const struct entry *e, const char *backend)
{
	size_t n = strlen(backend);
	return strncmp(e->name, backend, n) == 0 && e->name[n] == '\n';
}

static bool is_named(const struct entry *e, const struct kind_key *key)
{
	return is_of(e, key->backend) &&
	       strcmp(e->name + strlen(key->backend) + 1, key->model) == 0;
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

/* Threads read the clock before they take the lock, so now may be earlier than a noted time. */
static bool is_past(uint64_t noted_ns, uint64_t now_ns)
{
	return now_ns > noted_ns && now_ns - noted_ns >= KINDS_MEMORY;
}

static bool is_fresh(const struct sighting *s, uint64_t now_ns)
{
	return !is_past(s->seen_ns, now_ns);
}

static void merge(struct kind *to, const struct kind *from)
{
	if (kind_can_cut(from->usage) && kind_can_cut(to->usage) &&
	        strcmp(to->tail, from->tail) != 0) {
		to->usage = KIND_MIXED;
	} else if (kind_can_cut(from->usage)) {
		memcpy(to->tail, from->tail, sizeof(to->tail));
	}
	kind_observe(&to->logprobs, from->logprobs);
	kind_observe(&to->usage, from->usage);
	kind_observe(&to->token_ids, from->token_ids);
	to->silent |= from->silent;
	to->late |= from->late;
	if (to->elsewhere && from->elsewhere && to->elsewhere != from->elsewhere) {
		to->logprobs = KIND_MIXED;
	}
	to->elsewhere = from->elsewhere ? from->elsewhere : to->elsewhere;
}

/* A form with only the head known matches all forms with this head. */
static bool is_form(uint64_t one, uint64_t form)
{
	return one == form || ((uint32_t)form == 0 && one >> 32 == form >> 32);
}

/* What the plain answers of one form showed within the hour. */
static struct kind kind_of_form(const struct entry *e, uint64_t form, uint64_t now_ns)
{
	struct kind kind = {0};
	for (size_t i = 0; i < e->n; i++) {
		if (is_form(e->seen[i].form, form) && is_fresh(&e->seen[i], now_ns)) {
			merge(&kind, &e->seen[i].kind);
		}
	}
	return kind;
}

/* Combines all known forms: one that cannot be cut decides. */
static enum kind_member agree(enum kind_member all, enum kind_member one)
{
	bool decides = all == KIND_UNKNOWN || (kind_can_cut(all) && !kind_can_cut(one));
	return one != KIND_UNKNOWN && decides ? one : all;
}

static struct kind kind_of_all(const struct entry *e, uint64_t now_ns)
{
	struct kind all = {0};
	for (size_t i = 0; i < e->n; i++) {
		if (!is_fresh(&e->seen[i], now_ns)) {
			continue;
		}
		struct kind one = kind_of_form(e, e->seen[i].form, now_ns);
		if (one.logprobs == KIND_UNKNOWN && one.usage == KIND_UNKNOWN) {
			return one; /* no plain answer has shown this form */
		}
		all.logprobs = agree(all.logprobs, one.logprobs);
		all.usage = agree(all.usage, one.usage);
		all.token_ids = agree(all.token_ids, one.token_ids);
		memcpy(all.tail, one.tail, sizeof(all.tail));
		all.silent |= one.silent;
		all.late |= one.late;
		all.elsewhere = one.elsewhere;
	}
	return all;
}

struct kind kinds_get(
        struct kinds *k, const struct kind_key *key, uint64_t now_ns, bool *ret_refused)
{
	struct kind kind = {0};
	*ret_refused = false;
	uint64_t hash = hash_of(key);
	pthread_mutex_lock(&k->lock);
	struct entry *e = find(k, key, hash);
	if (e) {
		e->refused = e->refused && !is_past(e->refused_ns, now_ns);
		e->ids_refused = e->ids_refused && !is_past(e->ids_refused_ns, now_ns);
		kind = kind_of_all(e, now_ns);
		kind.token_ids = e->ids_refused ? KIND_UNKNOWN : kind.token_ids;
		*ret_refused = e->refused || e->ended;
	}
	pthread_mutex_unlock(&k->lock);
	return kind;
}

enum kinds_plain kinds_stay_plain(
        struct kinds *k, const struct kind_key *key, struct kinds_draw draw, uint64_t now_ns)
{
	pthread_mutex_lock(&k->lock);
	struct entry *e = find_or_make(k, key);
	bool first = draw.watched && draw.share > 0 && !e->slowdown.rounds;
	bool drawn = draw.number < (first ? MAX(draw.share, KINDS_FIRST_SHARE) : draw.share);
	bool due = draw.share > 0 && e->requests >= KINDS_TRAFFIC && now_ns > e->plain_ns &&
	           now_ns - e->plain_ns >= KINDS_PAUSE;
	bool plain = drawn || due || e->doubted;
	e->requests++;
	if (plain) {
		e->plain_ns = now_ns;
		e->requests = 0;
		e->doubted = false;
	}
	pthread_mutex_unlock(&k->lock);
	return drawn ? KINDS_DRAWN : plain ? KINDS_PLAIN : KINDS_INJECTED;
}

bool kinds_add_time(struct kinds *k, const struct kind_key *key, bool injected, double time,
        struct slowdown_ratio *ret)
{
	pthread_mutex_lock(&k->lock);
	bool complete = slowdown_add(&find_or_make(k, key)->slowdown, injected, time, ret);
	pthread_mutex_unlock(&k->lock);
	return complete;
}

static bool same_kind(const struct kind *a, const struct kind *b)
{
	return a->logprobs == b->logprobs && a->usage == b->usage && a->token_ids == b->token_ids &&
	       a->elsewhere == b->elsewhere && strcmp(a->tail, b->tail) == 0;
}

/* Returns the styles in which injected answers of this form came. */
static uint32_t styles_of(const struct entry *e, uint64_t form, uint64_t now_ns)
{
	uint32_t styles = 0;
	for (size_t i = 0; i < e->n; i++) {
		const struct sighting *s = &e->seen[i];
		styles |= s->form == form && is_fresh(s, now_ns) ? s->styles : 0;
	}
	return styles;
}

static void see(struct entry *e, uint64_t form, const struct kind *kind, uint64_t now_ns)
{
	struct sighting *oldest = &e->seen[0];
	for (size_t i = 0; i < e->n; i++) {
		struct sighting *s = &e->seen[i];
		if (s->form == form && same_kind(&s->kind, kind)) {
			if (!is_fresh(s, now_ns)) {
				s->styles = styles_of(e, form, now_ns);
				s->kind.silent = s->kind.late = false;
			}
			s->seen_ns = MAX(s->seen_ns, now_ns);
			s->kind.silent |= kind->silent;
			s->kind.late |= kind->late;
			return;
		}
		oldest = s->seen_ns < oldest->seen_ns ? s : oldest;
	}
	uint32_t styles = styles_of(e, form, now_ns);
	struct sighting *s = e->n < KINDS_FORMS ? &e->seen[e->n++] : oldest;
	*s = (struct sighting){form, now_ns, *kind, styles};
}

bool kinds_learn(struct kinds *k, const struct kind_key *key, uint64_t form, struct kind kind,
        uint64_t now_ns)
{
	if (kind.logprobs == KIND_UNKNOWN && kind.usage == KIND_UNKNOWN) {
		return false;
	}
	pthread_mutex_lock(&k->lock);
	struct entry *e = find_or_make(k, key);
	bool was_mixed = kind_of_all(e, now_ns).logprobs == KIND_MIXED;
	e->plain_ns = MAX(e->plain_ns, now_ns);
	see(e, form, &kind, now_ns);
	bool is_mixed = kind_of_all(e, now_ns).logprobs == KIND_MIXED;
	pthread_mutex_unlock(&k->lock);
	return is_mixed && !was_mixed;
}

bool kinds_know_head(struct kinds *k, const struct kind_key *key, uint32_t head, uint64_t now_ns)
{
	bool known = false;
	uint64_t hash = hash_of(key);
	pthread_mutex_lock(&k->lock);
	struct entry *e = find(k, key, hash);
	for (size_t i = 0; e && i < e->n && !known; i++) {
		const struct sighting *s = &e->seen[i];
		known = s->form >> 32 == head && (uint32_t)s->form != 0 && is_fresh(s, now_ns);
	}
	pthread_mutex_unlock(&k->lock);
	return known;
}

static void accept_style(struct entry *e, struct signature sig)
{
	for (size_t i = 0; i < e->n; i++) {
		e->seen[i].styles |= e->seen[i].form == sig.form ? 1u << sig.style : 0;
	}
}

/* The first style is accepted; every later one must already be known. */
static bool takes_style(struct entry *e, struct signature sig, uint64_t now_ns)
{
	uint32_t known = styles_of(e, sig.form, now_ns);
	bool takes = known == 0 || (known & 1u << sig.style);
	if (takes) {
		accept_style(e, sig);
	}
	return takes;
}

bool kinds_find(struct kinds *k, const struct kind_key *key, struct signature s,
        const struct injection *injected, uint64_t now_ns, struct kind *ret)
{
	bool found = false;
	uint64_t hash = hash_of(key);
	*ret = (struct kind){0};
	pthread_mutex_lock(&k->lock);
	struct entry *e = find(k, key, hash);
	if (e) {
		*ret = kind_of_form(e, s.form, now_ns);
		found = (!injected->logprobs || kind_can_cut(ret->logprobs)) &&
		        (!injected->usage || kind_can_cut(ret->usage)) &&
		        (!injected->token_ids || kind_can_cut(ret->token_ids)) &&
		        takes_style(e, s, now_ns);
	}
	pthread_mutex_unlock(&k->lock);
	return found;
}

void kinds_accept(struct kinds *k, const struct kind_key *key, struct signature s)
{
	uint64_t hash = hash_of(key);
	pthread_mutex_lock(&k->lock);
	struct entry *e = find(k, key, hash);
	if (e) {
		accept_style(e, s);
	}
	pthread_mutex_unlock(&k->lock);
}

static bool count_strange(struct entry *e, uint64_t now_ns)
{
	if (e->strange == 0 || is_past(e->strange_ns, now_ns)) {
		e->strange = 0;
		e->strange_ns = now_ns;
	}
	return ++e->strange >= KINDS_STRANGE_LIMIT;
}

bool kinds_learn_strange(
        struct kinds *k, const struct kind_key *key, uint64_t form, uint64_t now_ns)
{
	static const struct kind unknown;
	pthread_mutex_lock(&k->lock);
	struct entry *e = find_or_make(k, key);
	see(e, form, &unknown, now_ns);
	bool many = count_strange(e, now_ns);
	pthread_mutex_unlock(&k->lock);
	return many;
}

bool kinds_count_loss(struct kinds *k, const struct kind_key *key, uint64_t now_ns)
{
	pthread_mutex_lock(&k->lock);
	bool many = count_strange(find_or_make(k, key), now_ns);
	pthread_mutex_unlock(&k->lock);
	return many;
}

/* An upper limit (Chernoff's) of the probability that at least so many of the errors are in
 * injected streams if these fail as often as plain ones. */
static double chance_of(const struct tally *t)
{
	double plain = (double)t->errors[0], injected = (double)t->errors[1];
	double expected = (double)t->streams[1] / (double)(t->streams[0] + t->streams[1]);
	double share = injected / (plain + injected);
	if (injected == 0 || share <= expected) {
		return 1;
	}
	double log_chance = injected * log(expected / share);
	return exp(plain ? log_chance + plain * log((1 - expected) / (1 - share)) : log_chance);
}

bool kinds_count_stream(
        struct kinds *k, const struct kind_key *key, bool injected, bool error, uint64_t now_ns)
{
	pthread_mutex_lock(&k->lock);
	struct entry *e = find_or_make(k, key);
	struct tally *t = &e->tally;
	*t = is_past(t->since_ns, now_ns) ? (struct tally){.since_ns = now_ns} : *t;
	t->streams[injected]++;
	t->errors[injected] += error;
	e->doubted |= injected && error;
	bool many = chance_of(t) < KINDS_ERRORS_CHANCE;
	*t = many ? (struct tally){0} : *t;
	pthread_mutex_unlock(&k->lock);
	return many;
}

void kinds_doubt(struct kinds *k, const char *backend)
{
	pthread_mutex_lock(&k->lock);
	for (size_t i = 0; i < k->n; i++) {
		k->entries[i].doubted |= is_of(&k->entries[i], backend);
	}
	pthread_mutex_unlock(&k->lock);
}

void kinds_forget(struct kinds *k, const char *backend, bool is_new)
{
	pthread_mutex_lock(&k->lock);
	for (size_t i = 0; i < k->n; i++) {
		struct entry *e = &k->entries[i];
		if (!is_of(e, backend)) {
			continue;
		}
		e->n = 0;
		if (is_new) {
			e->strange = 0;
			e->refused = e->ids_refused = e->ended = false;
			e->slowdown = (struct slowdown){0};
			e->tally = (struct tally){0};
		}
	}
	pthread_mutex_unlock(&k->lock);
}

bool kinds_refused(struct kinds *k, const struct kind_key *key, uint64_t now_ns)
{
	pthread_mutex_lock(&k->lock);
	struct entry *e = find_or_make(k, key);
	bool refuses = !e->ended && (!e->refused || is_past(e->refused_ns, now_ns));
	e->refused = true;
	e->refused_ns = now_ns;
	pthread_mutex_unlock(&k->lock);
	return refuses;
}

void kinds_ids_refused(struct kinds *k, const struct kind_key *key, uint64_t now_ns)
{
	pthread_mutex_lock(&k->lock);
	struct entry *e = find_or_make(k, key);
	e->ids_refused = true;
	e->ids_refused_ns = now_ns;
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

uint64_t kinds_number(struct kinds *k, const struct kind_key *key)
{
	pthread_mutex_lock(&k->lock);
	uint64_t number = find_or_make(k, key)->hash;
	pthread_mutex_unlock(&k->lock);
	return number ? number : 1;
}

bool kinds_end_number(struct kinds *k, uint64_t number, struct kind_key *ret_key)
{
	bool ends = false;
	pthread_mutex_lock(&k->lock);
	for (size_t i = 0; i < k->n && !ends; i++) {
		struct entry *e = &k->entries[i];
		if (e->hash != number || e->ended) {
			continue;
		}
		ends = e->ended = true;
		char *name = xstrdup(e->name), *model = strchr(name, '\n');
		*model++ = '\0';
		*ret_key = (struct kind_key){
		        name, model, e->endpoint, e->stream, e->tools, e->codings};
	}
	pthread_mutex_unlock(&k->lock);
	return ends;
}
