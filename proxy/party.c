#include "proxy/party.h"

#include <stdlib.h>
#include <string.h>

#define LOG_MODULE "party"
#include "base/log.h"
#include "base/mem.h"

struct party *party_create(struct settings *conf, const struct backend_settings *b,
        struct ledger_book *book, struct recorder *recorder)
{
	struct party *p = xcalloc(1, sizeof(*p));
	p->refs = 1;
	p->conf = settings_ref(conf);
	p->settings = b;
	p->label = xasprintf("%s %s", b->name, b->url);
	p->stack = stack_create(b, recorder);
	p->book = book;
	p->counts = (struct leg_counts){{&BOUNDS_ANSWER}, {&BOUNDS_GAP}, {&BOUNDS_ANSWER}};
	p->sampler = sampler_create();
	party_tune(p, b);
	party_fit(p);
	return p;
}

struct party *party_ref(struct party *p)
{
	atomic_fetch_add(&p->refs, 1);
	return p;
}

void party_unref(struct party *p)
{
	if (!p || atomic_fetch_sub(&p->refs, 1) != 1) {
		return;
	}
	stack_destroy(p->stack);
	sampler_destroy(p->sampler);
	settings_unref(p->conf);
	free(p->label);
	free(p);
}

static bool same_facts(const struct backend_settings *a, const struct backend_settings *b)
{
	bool same = a->n_stack == b->n_stack;
	for (size_t i = 0; same && i < a->n_stack; i++) {
		same = strcmp(a->stack[i].name, b->stack[i].name) == 0 &&
		       strcmp(a->stack[i].value, b->stack[i].value) == 0;
	}
	return same;
}

bool party_is(const struct party *p, const struct backend_settings *b)
{
	const struct backend_settings *a = p->settings;
	return a->role == b->role && strcmp(a->name, b->name) == 0 && strcmp(a->url, b->url) == 0 &&
	       settings_same_text(a->ca_file, b->ca_file) &&
	       settings_same_text(a->api_key, b->api_key) && a->dialect == b->dialect &&
	       same_facts(a, b);
}

void party_tune(struct party *p, const struct backend_settings *b)
{
	atomic_store(&p->concurrency, b->max_concurrency);
	atomic_store(&p->concurrency_said, b->has_max_concurrency);
}

void party_fit(struct party *p)
{
	struct stack_view view;
	stack_view(p->stack, &view);
	bool alone = view.dialect->abilities & ABILITY_ONE_AT_A_TIME;
	bool was = atomic_exchange(&p->alone, alone);
	if (p->book && alone && !was && !atomic_load(&p->concurrency_said)) {
		log_info("Reference %s gets one copy at a time: a second request may break a "
		         "running answer of %s; max_concurrency says otherwise",
		        p->settings->name, view.dialect->title);
	}
}
