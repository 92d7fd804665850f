#include "capture/recorder/losses.h"

struct losses_entry {
	struct id owner;
	struct loss_of loss;
	unsigned kept; /* a set of enum loss: what was kept and may still be lost */
};
static const struct hash_layout LAYOUT = {sizeof(struct losses_entry), sizeof(struct id)};

void losses_init(struct losses *l)
{
	*l = (struct losses){0};
	pthread_mutex_init(&l->lock, NULL);
}

void losses_finish(struct losses *l)
{
	hash_table_finish(&l->entries);
	pthread_mutex_destroy(&l->lock);
}

/* NULL: the limit is reached. */
static struct losses_entry *find_or_make(struct losses *l, struct id owner, size_t limit)
{
	bool is_new;
	struct losses_entry *e = l->entries.n < limit
	                                 ? hash_table_add(&l->entries, LAYOUT, &owner, &is_new)
	                                 : hash_table_find(&l->entries, LAYOUT, &owner);
	l->n = l->entries.n;
	return e;
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
	struct losses_entry *entries = l->entries.entries;
	for (size_t i = 0; i < l->entries.places; i++) {
		if (entries[i].kept) {
			lose(&entries[i], entries[i].kept, cause);
			entries[i].kept = 0;
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
	const struct losses_entry *e = hash_table_find(&l->entries, LAYOUT, &owner);
	struct loss_of loss = e ? e->loss : none;
	pthread_mutex_unlock(&l->lock);
	return loss;
}

void losses_remove(struct losses *l, struct id owner)
{
	struct losses_entry e;
	if (l->n == 0) {
		return;
	}
	pthread_mutex_lock(&l->lock);
	(void)hash_table_remove(&l->entries, LAYOUT, &owner, &e);
	l->n = l->entries.n;
	pthread_mutex_unlock(&l->lock);
}
