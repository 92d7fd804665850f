#include "imports/thread.h"

#include <stdlib.h>

#include "base/mem.h"

struct thread *thread_of(struct threads *t, struct span name)
{
	bool is_new;
	struct memo_entry *entry = memo_named(&t->by_name, "session", name, &is_new);
	if (!is_new) {
		return &t->all[entry->number];
	}
	if (t->n == t->room) {
		t->room = MAX(2 * t->room, (size_t)64);
		t->all = xrealloc(t->all, t->room * sizeof(*t->all));
	}
	entry->number = t->n;
	t->all[t->n] = (struct thread){0};
	return &t->all[t->n++];
}

void threads_finish(struct threads *t)
{
	for (size_t i = 0; i < t->n; i++) {
		buf_finish(&t->all[i].said);
	}
	free(t->all);
	memo_finish(&t->by_name);
	*t = (struct threads){0};
}
