#pragma once
/*
 * list - a circular doubly linked list with embedded links. One thread per list.
 *
 *	LIST_EACH (struct client, c, link, &worker->clients) { ... }  the body may remove c
 */
#include <stdbool.h>

#include "base/check.h"

struct list {
	struct list *next, *prev;
};

static inline void list_init(struct list *head)
{
	*head = (struct list){head, head};
}

static inline bool list_empty(const struct list *head)
{
	return head->next == head;
}

static inline void list_append(struct list *head, struct list *item)
{
	*item = (struct list){head, head->prev};
	head->prev->next = item;
	head->prev = item;
}

/* An item that is on no list (zeroed, or removed before) may be removed again: nothing happens. */
static inline void list_remove(struct list *item)
{
	if (item->next) {
		item->prev->next = item->next;
		item->next->prev = item->prev;
		*item = (struct list){0};
	}
}

/* Moves all items of `from` to `to`, whose former value is overwritten. */
static inline void list_take_all(struct list *to, struct list *from)
{
	list_init(to);
	if (!list_empty(from)) {
		*to = *from;
		to->next->prev = to->prev->next = to;
		list_init(from);
	}
}

#define LIST_ITEM(type, member, link) CONTAINER_OF(link, type, member)

#define LIST_EACH(type, item, member, head)                                                        \
	for (struct list *item##_link = (head)->next, *item##_next = item##_link->next;            \
	        item##_link != (head); item##_link = item##_next, item##_next = item##_link->next) \
		for (type *item = LIST_ITEM(type, member, item##_link); item; item = NULL)
