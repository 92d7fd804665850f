#include "capture/recorder/ledger.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct ledger_book {
	struct ledger *ledger;
	char *name;
	uint64_t completed, recorded;
	uint64_t dropped[N_DROPS];
	uint64_t excluded[N_EXCLUSIONS];
	struct ledger_ticket waiting; /* head of the ring of pending tickets */
};

struct ledger {
	pthread_mutex_t lock;
	size_t n;
	struct ledger_book books[LEDGER_BOOKS_LIMIT];
};

static const char *const drop_names[] = {
        [DROP_MEMORY] = "memory",
        [DROP_QUEUE] = "queue",
        [DROP_DISK] = "disk",
        [DROP_STOPPED] = "stopped",
        [DROP_CAPTURE_FULL] = "capture_full",
        [DROP_BODY_LIMIT] = "body_limit",
        [DROP_TIMEOUT] = "timeout",
        [DROP_ERROR] = "error",
};

static const char *const exclusion_names[] = {
        [EXCLUDED_ENDPOINT] = "endpoint",
        [EXCLUDED_METHOD] = "method",
        [EXCLUDED_NOT_SAMPLED] = "not_sampled",
        [EXCLUDED_RATE] = "rate",
        [EXCLUDED_STATEFUL] = "stateful",
        [EXCLUDED_MULTIPART] = "multipart",
        [EXCLUDED_INCOMPLETE] = "incomplete",
        [EXCLUDED_NOT_MIRRORED] = "not_mirrored",
        [EXCLUDED_REFUSED] = "refused",
        [EXCLUDED_UNSCORABLE] = "unscorable",
        [EXCLUDED_PRIMARY_SLOW] = "primary_slow",
        [EXCLUDED_OPTED_OUT] = "opted_out",
};

_Static_assert(ARRAY_LEN(drop_names) == N_DROPS, "every cause has a name");
_Static_assert(ARRAY_LEN(exclusion_names) == N_EXCLUSIONS, "every reason has a name");

const char *ledger_drop_name(enum ledger_drop cause)
{
	expect((unsigned)cause < N_DROPS);
	return drop_names[cause];
}

const char *ledger_exclusion_name(enum ledger_exclusion reason)
{
	expect((unsigned)reason < N_EXCLUSIONS);
	return exclusion_names[reason];
}

struct ledger *ledger_create(void)
{
	struct ledger *l = xcalloc(1, sizeof(*l));
	pthread_mutex_init(&l->lock, NULL);
	return l;
}

void ledger_destroy(struct ledger *l)
{
	if (!l) {
		return;
	}
	for (size_t i = 0; i < l->n; i++) {
		free(l->books[i].name);
	}
	pthread_mutex_destroy(&l->lock);
	free(l);
}

static struct ledger_book *find_or_make(struct ledger *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++) {
		if (strcmp(l->books[i].name, name) == 0) {
			return &l->books[i];
		}
	}
	if (l->n == LEDGER_BOOKS_LIMIT) {
		return NULL;
	}
	struct ledger_book *b = &l->books[l->n++];
	b->ledger = l;
	b->name = xstrdup(name);
	b->waiting.next = b->waiting.prev = &b->waiting;
	return b;
}

struct ledger_book *ledger_book(struct ledger *l, const char *name)
{
	pthread_mutex_lock(&l->lock);
	struct ledger_book *b = find_or_make(l, name);
	pthread_mutex_unlock(&l->lock);
	return b;
}

void ledger_excluded(struct ledger_book *b, enum ledger_exclusion reason)
{
	expect((unsigned)reason < N_EXCLUSIONS);
	pthread_mutex_lock(&b->ledger->lock);
	b->completed++;
	b->excluded[reason]++;
	pthread_mutex_unlock(&b->ledger->lock);
}

void ledger_dropped(struct ledger_book *b, enum ledger_drop cause)
{
	expect((unsigned)cause < N_DROPS);
	pthread_mutex_lock(&b->ledger->lock);
	b->completed++;
	b->dropped[cause]++;
	pthread_mutex_unlock(&b->ledger->lock);
}

void ledger_pending(struct ledger_book *b, struct ledger_ticket *ticket)
{
	struct ledger_ticket *head = &b->waiting;
	pthread_mutex_lock(&b->ledger->lock);
	b->completed++;
	*ticket = (struct ledger_ticket){.next = head, .prev = head->prev, .book = b};
	head->prev->next = ticket;
	head->prev = ticket;
	pthread_mutex_unlock(&b->ledger->lock);
}

static void unlink_ticket(struct ledger_ticket *t)
{
	expect(t->next && t->prev);
	t->next->prev = t->prev;
	t->prev->next = t->next;
	t->next = t->prev = NULL;
}

void ledger_mark_recorded(struct ledger_ticket *const *tickets, size_t n)
{
	if (!n) {
		return;
	}
	struct ledger *l = tickets[0]->book->ledger;
	pthread_mutex_lock(&l->lock);
	for (size_t i = 0; i < n; i++) {
		expect(tickets[i]->book->ledger == l);
		unlink_ticket(tickets[i]);
		tickets[i]->book->recorded++;
	}
	pthread_mutex_unlock(&l->lock);
}

void ledger_mark_dropped(struct ledger_ticket *ticket, enum ledger_drop cause)
{
	expect((unsigned)cause < N_DROPS);
	struct ledger_book *b = ticket->book;
	pthread_mutex_lock(&b->ledger->lock);
	unlink_ticket(ticket);
	b->dropped[cause]++;
	pthread_mutex_unlock(&b->ledger->lock);
}

void ledger_scrape(struct ledger *l, struct ledger_scrape *ret)
{
	pthread_mutex_lock(&l->lock);
	ret->n = l->n;
	for (size_t i = 0; i < l->n; i++) {
		const struct ledger_book *b = &l->books[i];
		struct ledger_figures *f = &ret->books[i];
		*f = (struct ledger_figures){
		        .name = b->name,
		        .completed = b->completed,
		        .recorded = b->recorded,
		};
		/* Counted by walking the ring. A unit that was lost would be missing from the ring,
		 * and the ledger would not balance. */
		for (const struct ledger_ticket *t = b->waiting.next; t != &b->waiting;
		        t = t->next) {
			f->pending++;
		}
		for (size_t k = 0; k < N_DROPS; k++) {
			f->dropped[k] = b->dropped[k];
		}
		for (size_t k = 0; k < N_EXCLUSIONS; k++) {
			f->excluded[k] = b->excluded[k];
		}
	}
	pthread_mutex_unlock(&l->lock);
}

uint64_t ledger_lost(struct ledger *l)
{
	struct ledger_scrape scrape;
	uint64_t n = 0;
	ledger_scrape(l, &scrape);
	for (size_t i = 0; i < scrape.n; i++) {
		for (size_t d = 0; d < N_DROPS; d++) {
			n += scrape.books[i].dropped[d];
		}
	}
	return n;
}
