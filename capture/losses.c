#include "capture/losses.h"

#include <stdlib.h>

#include "base/mem.h"

struct losses_entry {
	struct losses_entry *next;
	struct id owner;
	struct loss_of loss;
	unsigned kept; /* a set of enum loss: what was kept and may still be lost */
};

void losses_init(struct losses *l)
{
	*l = (struct losses){0};
	pthread_mutex_init(&l->lock, NULL);
}

void losses_finish(struct losses *l)
{
	for (size_t i = 0; i < ARRAY_LEN(l->buckets); i++) {
		while (l->buckets[i]) {
			struct losses_entry *e = l->buckets[i];
			l->buckets[i] = e->next;
			free(e);
		}
	}
	pthread_mutex_destroy(&l->lock);
}

/* Returns the link that points to the owner's entry, or the NULL link at the end of its list.
 * The random end of an id serves as hash. */
static struct losses_entry **find(struct losses *l, struct id owner)
{
	size_t hash = (size_t)owner.bytes[14] << 8 | owner.bytes[15];
	struct losses_entry **p = &l->buckets[hash % ARRAY_LEN(l->buckets)];
	while (*p && id_compare((*p)->owner, owner) != 0) {
		p = &(*p)->next;
	}
	return p;
}

/* NULL: the limit is reached. */
static struct losses_entry *find_or_make(struct losses *l, struct id owner, size_t limit)
{
	struct losses_entry **p = find(l, owner);
	if (!*p && l->n < limit) {
		*p = xcalloc(1, sizeof(**p));
		(*p)->owner = owner;
		l->n++;
	}
	return *p;
}

static void lose(struct losses_entry *e, unsigned losses, enum ledger_drop cause)
{
	if (!e->loss.losses) {
		e->loss.cause = cause;
	}
	e->loss.losses |= losses;
}

void losses_add(struct losses *l, struct id owner, enum loss loss, enum ledger_drop cause)
{
	pthread_mutex_lock(&l->lock);
	struct losses_entry *e = find_or_make(l, owner, LOSSES_LIMIT);
	if (e) {
		lose(e, loss, cause);
	}
	pthread_mutex_unlock(&l->lock);
}

void losses_add_stored(struct losses *l, struct id owner, enum loss kept)
{
	pthread_mutex_lock(&l->lock);
	struct losses_entry *e = find_or_make(l, owner, LOSSES_LIMIT / 2);
	if (e) {
		e->kept |= kept;
	}
	pthread_mutex_unlock(&l->lock);
}

void losses_lose_stored(struct losses *l, enum ledger_drop cause)
{
	pthread_mutex_lock(&l->lock);
	for (size_t i = 0; i < ARRAY_LEN(l->buckets); i++) {
		for (struct losses_entry *e = l->buckets[i]; e; e = e->next) {
			lose(e, e->kept, cause);
			e->kept = 0;
		}
	}
	pthread_mutex_unlock(&l->lock);
}

struct loss_of losses_of(struct losses *l, struct id owner)
{
	struct loss_of none = {0};
	if (l->n == 0) {
		return none;
	}
	pthread_mutex_lock(&l->lock);
	struct losses_entry **p = find(l, owner);
	struct loss_of loss = *p ? (*p)->loss : none;
	pthread_mutex_unlock(&l->lock);
	return loss;
}

void losses_remove(struct losses *l, struct id owner)
{
	if (l->n == 0) {
		return;
	}
	pthread_mutex_lock(&l->lock);
	struct losses_entry **p = find(l, owner);
	if (*p) {
		struct losses_entry *e = *p;
		*p = e->next;
		free(e);
		l->n--;
	}
	pthread_mutex_unlock(&l->lock);
}
