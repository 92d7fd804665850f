#include "proxy/config_snapshot.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

/* Settings with the primary h:1 and references from flags, "NAME URL". */
static struct settings *settings_of(const char *const *references, size_t n, unsigned concurrency)
{
	char file[] = "/tmp/plumbline-snapshot-XXXXXX";
	int fd = mkstemp(file);
	cr_assert_geq(fd, 0);
	FILE *f = fdopen(fd, "w");
	fputs("primary: {name: prod, url: 'http://h:1'}\nreferences:\n", f);
	for (size_t i = 0; i < n; i++) {
		const char *url = strchr(references[i], ' ');
		fprintf(f, "  - {name: %.*s, url: '%s', max_concurrency: %u, poll: off}\n",
		        (int)(url - references[i]), references[i], url + 1, concurrency);
	}
	fclose(f);
	char *error = NULL;
	struct settings *s = settings_load(file, NULL, 0, &error);
	remove(file);
	cr_assert(s, "%s", error);
	return s;
}

static struct config_snapshot *lineup_of(const char *const *references, size_t n,
        unsigned concurrency, const struct config_snapshot *before, struct ledger *ledger)
{
	char *error = NULL;
	struct settings *s = settings_of(references, n, concurrency);
	struct config_snapshot *l = config_snapshot_create(s, before, ledger, NULL, &error);
	settings_unref(s);
	free(error);
	return l;
}

Test(config_snapshot, keeps_a_party_of_the_same_name_at_the_same_address_wherever_it_stands)
{
	struct ledger *ledger = ledger_create();
	const char *first[] = {"a http://h:2", "b http://h:3"};
	const char *second[] = {"c http://h:4", "b http://h:3"};
	const char *third[] = {"b http://h:3", "a http://h:5"};
	struct config_snapshot *x = lineup_of(first, 2, 4, NULL, ledger);
	struct backend_state *a = x->references[0], *b = x->references[1], *prod = x->primary;
	struct ledger_book *book = a->book;

	struct config_snapshot *y = lineup_of(second, 2, 9, x, ledger);
	config_snapshot_unref(x);
	cr_assert_eq(y->primary, prod);
	cr_assert_eq(y->references[1], b);
	cr_assert_eq(backend_state_slots(b), 9, "its limit is the new one");
	cr_assert_eq(atomic_load(&b->refs), 1);

	struct config_snapshot *z = lineup_of(third, 2, 9, y, ledger);
	config_snapshot_unref(y);
	cr_assert_eq(z->references[0], b);
	cr_assert_eq(z->references[1]->book, book, "a name's book goes on, whoever bears it");
	cr_assert_str_eq(z->references[1]->label, "a http://h:5");
	config_snapshot_unref(z);
	ledger_destroy(ledger);
}

Test(config_snapshot, is_refused_when_names_outnumber_the_books)
{
	struct ledger *ledger = ledger_create();
	struct config_snapshot *l = NULL;
	cr_assert(ledger_book(ledger, "exchanges"));
	for (int i = 1; i < LEDGER_BOOKS_LIMIT; i++) {
		char *name = xasprintf("r%d http://h:2", i);
		struct config_snapshot *next = lineup_of((const char *[]){name}, 1, 1, l, ledger);
		cr_assert(next);
		config_snapshot_unref(l);
		l = next;
		free(name);
	}
	const char *one_more[] = {"one-more http://h:2"}, *known[] = {"r1 http://h:2"};
	cr_assert_null(lineup_of(one_more, 1, 1, l, ledger));
	struct config_snapshot *again = lineup_of(known, 1, 1, l, ledger);
	cr_assert(again);
	config_snapshot_unref(again);
	config_snapshot_unref(l);
	ledger_destroy(ledger);
}

static struct settings *of_flags(const struct option_value *flags, size_t n)
{
	char *error = NULL;
	struct settings *s = settings_load(NULL, flags, n, &error);
	cr_assert(s, "%s", error);
	return s;
}

Test(config_snapshot, settings_that_cannot_change_stay_and_are_named)
{
	const struct option_value before[] = {{"primary", "http://h:1"}, {"capture", "/c"}};
	const struct option_value after[] = {{"primary", "http://h:2"}, {"listen", "127.0.0.1:81"},
	        {"workers", "3"}, {"capture", "/d"}};
	struct settings *now = of_flags(before, 2), *s = of_flags(after, 4);
	struct buf kept = {0};
	settings_keep(s, now, &kept);
	cr_assert_str_eq(buf_cstr(&kept), "listen, workers, capture.path");
	cr_assert_str_eq(s->capture_path, "/c");
	cr_assert_eq(s->workers, 1);
	cr_assert_eq(s->listen.port, 8080);
	cr_assert_str_eq(s->primary.url, "http://h:2");
	buf_clear(&kept);
	settings_keep(s, now, &kept);
	cr_assert_eq(kept.len, 0);
	buf_finish(&kept);
	settings_unref(s);
	settings_unref(now);
}
