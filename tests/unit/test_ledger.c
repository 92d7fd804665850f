#include "capture/recorder/ledger.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "ledger_balances.h"

Test(ledger, every_move_is_counted_once_and_the_books_balance)
{
	struct ledger *l = ledger_create();
	struct ledger_book *exchanges = ledger_book(l, "exchanges");
	struct ledger_book *copies = ledger_book(l, "trusted");
	struct ledger_ticket tickets[3];
	ledger_excluded(copies, EXCLUDED_NOT_SAMPLED);
	ledger_dropped(copies, DROP_QUEUE);
	for (size_t i = 0; i < 3; i++) {
		ledger_pending(i ? exchanges : copies, &tickets[i]);
	}
	struct ledger_scrape s;
	ledger_scrape(l, &s);
	cr_assert_eq(s.n, 2);
	cr_assert_str_eq(s.books[0].name, "exchanges");
	cr_assert_eq(s.books[0].pending, 2);
	cr_assert_eq(s.books[1].completed, 3);
	cr_assert_eq(s.books[1].pending, 1);

	struct ledger_ticket *batch[] = {&tickets[0], &tickets[2]};
	ledger_mark_recorded(batch, 2);
	ledger_mark_dropped(&tickets[1], DROP_DISK);
	ledger_scrape(l, &s);
	cr_assert_eq(s.books[0].recorded, 1);
	cr_assert_eq(s.books[0].dropped[DROP_DISK], 1);
	cr_assert_eq(s.books[1].recorded, 1);
	cr_assert_eq(s.books[1].excluded[EXCLUDED_NOT_SAMPLED], 1);
	cr_assert_eq(s.books[1].dropped[DROP_QUEUE], 1);
	cr_assert(ledger_balances(&s.books[0]) && ledger_balances(&s.books[1]));
	ledger_destroy(l);
}

Test(ledger, every_cause_and_reason_has_a_name_of_its_own)
{
	for (int a = 0; a < N_DROPS; a++) {
		for (int b = 0; b < a; b++) {
			cr_assert_neq(strcmp(ledger_drop_name(a), ledger_drop_name(b)), 0);
		}
	}
	for (int a = 0; a < N_EXCLUSIONS; a++) {
		for (int b = 0; b < a; b++) {
			cr_assert_neq(
			        strcmp(ledger_exclusion_name(a), ledger_exclusion_name(b)), 0);
		}
	}
}

static void *move_units(void *arg)
{
	struct ledger_book *b = arg;
	struct ledger_ticket tickets[16], *batch[16];
	for (int round = 0; round < 2000; round++) {
		for (size_t i = 0; i < 16; i++) {
			ledger_pending(b, &tickets[i]);
			batch[i] = &tickets[i];
		}
		ledger_mark_dropped(&tickets[15], DROP_STOPPED);
		ledger_mark_recorded(batch, 15);
		ledger_excluded(b, EXCLUDED_RATE);
	}
	return NULL;
}

Test(ledger, balances_at_every_scrape_while_threads_move_units)
{
	struct ledger *l = ledger_create();
	struct ledger_book *books[2] = {ledger_book(l, "a"), ledger_book(l, "b")};
	pthread_t threads[4];
	for (size_t i = 0; i < 4; i++) {
		cr_assert_eq(pthread_create(&threads[i], NULL, move_units, books[i % 2]), 0);
	}
	struct ledger_scrape s;
	for (int i = 0; i < 2000; i++) {
		ledger_scrape(l, &s);
		cr_assert(ledger_balances(&s.books[0]) && ledger_balances(&s.books[1]));
	}
	for (size_t i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
	}
	ledger_scrape(l, &s);
	cr_assert_eq(s.books[0].completed, 2 * 2000 * 17);
	cr_assert_eq(s.books[0].recorded, 2 * 2000 * 15);
	cr_assert_eq(s.books[0].pending, 0);
	ledger_destroy(l);
}
