#pragma once
/*
 * recorder_bench - makes a recorder with its own directory, ledger and budget, and exchanges to
 * record. Call bench_init(), bench_start(), bench_stop() and bench_finish(), in this order.
 */
#include <criterion/criterion.h>

#include "base/clock.h"
#include "base/log.h"
#include "capture/recorder/recorder.h"
#include "capture_dir.h"
#include "ledger_balances.h"

#define SECOND 1000000000ull

struct bench {
	char *dir;
	struct budget budget;
	struct ledger *ledger;
	struct ledger_book *exchanges, *copies;
	struct recorder *recorder;
	struct recorder_settings settings;
};

static inline void bench_init(struct bench *b)
{
	*b = (struct bench){.dir = capture_dir_make(), .ledger = ledger_create()};
	log_set_level(LOG_LEVEL_ERROR);
	budget_init(&b->budget, 256u << 20);
	b->exchanges = ledger_book(b->ledger, "exchanges");
	b->copies = ledger_book(b->ledger, "trusted");
	b->settings = (struct recorder_settings){
	        .path = b->dir,
	        .segment_size = 64u << 20,
	        .queue_limit = 64u << 20,
	        .encoders = 1,
	        .budget = &b->budget,
	        .settings_json = "{}",
	};
}

static inline void bench_start(struct bench *b)
{
	char *error = NULL;
	b->recorder = recorder_create(&b->settings, &error);
	cr_assert_not_null(b->recorder, "%s", error ? error : "");
}

static inline void bench_stop(struct bench *b)
{
	recorder_stop(b->recorder, 30 * SECOND);
	b->recorder = NULL;
	cr_assert_eq(budget_used(&b->budget), 0, "%zu bytes were not given back",
	        budget_used(&b->budget));
}

static inline struct ledger_figures figures_of(struct bench *b, size_t book)
{
	struct ledger_scrape scrape;
	ledger_scrape(b->ledger, &scrape);
	for (size_t i = 0; i < scrape.n; i++) {
		cr_assert(ledger_balances(&scrape.books[i]));
	}
	return scrape.books[book];
}

static inline void bench_finish(struct bench *b)
{
	figures_of(b, 0);
	ledger_destroy(b->ledger);
	capture_dir_remove(b->dir);
}

static inline struct chunks piece(struct bench *b, const void *data, size_t len)
{
	struct chunks list = {0};
	struct chunk *c = chunk_try_make(&b->budget, data, len);
	cr_assert_not_null(c);
	chunks_push(&list, c);
	return list;
}

static inline bool push(struct bench *b, struct id owner, enum part_type type, uint32_t n,
        const void *data, size_t len)
{
	struct chunks list = piece(b, data, len);
	return recorder_part(b->recorder, owner, type, n, &list);
}

static const char answer[] =
        "{\"id\":\"c-1\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{\"index\":0,"
        "\"message\":{\"role\":\"assistant\",\"content\":\"Hello there\"},"
        "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":9,"
        "\"completion_tokens\":2,\"total_tokens\":11}}";

/* Records a leg with a body of one piece. book: of a copy; NULL: the leg is the primary's. False:
 * the recorder refused a part. */
static inline bool push_leg(struct bench *b, struct id exchange, struct id leg, struct span body,
        struct ledger_book *book)
{
	const struct reading_hints hints = {.endpoint = ENDPOINT_CHAT, .status = 200};
	recorder_leg_begin(b->recorder, leg, &hints, NULL);
	bool whole = push(b, leg, PART_RESPONSE_HEAD, 0, "content-type: application/json\n", 31);
	whole &= push(b, leg, PART_RESPONSE_BODY, 0, body.data, body.len);
	struct leg_row row = {
	        .id = leg,
	        .exchange = exchange,
	        .backend = xstrdup(book ? "trusted" : "prod"),
	        .role = book ? ROLE_REFERENCE : ROLE_PRIMARY,
	        .outcome = OUTCOME_COMPLETE,
	        .marks = whole ? 0 : LEG_TRUNCATED,
	        .status = 200,
	        .first_content_us = UINT64_MAX,
	        .body_bytes = body.len,
	        .body_parts = 1,
	};
	recorder_leg(b->recorder, &row, true, book);
	cr_assert_null(row.backend);
	return whole;
}

/* Records the exchange's row, after its parts and legs. */
static inline void finish_exchange(struct bench *b, struct id exchange)
{
	struct exchange_row row = {
	        .id = exchange,
	        .wall_ns = clock_wall(),
	        .method = xstrdup("POST"),
	        .target = xstrdup("/v1/chat/completions"),
	        .endpoint = ENDPOINT_CHAT,
	        .outcome = OUTCOME_COMPLETE,
	        .content = CONTENT_FULL,
	        .body_bytes = 13,
	        .model = xstrdup("m"),
	        .hashes.prompt = {1},
	};
	recorder_exchange(b->recorder, &row, b->exchanges);
}

static inline struct id push_exchange(struct bench *b, struct span body)
{
	struct id exchange = id_make();
	(void)push(b, exchange, PART_REQUEST_BODY, 0, "{\"model\":\"m\"}", 13);
	(void)push_leg(b, exchange, id_make(), body, NULL);
	(void)push_leg(b, exchange, id_make(), body, b->copies);
	finish_exchange(b, exchange);
	return exchange;
}

/* n <= 65,000 bytes that can't be compressed, so that their size on disk is known. */
static inline struct span noise(size_t n)
{
	static char data[65000];
	uint64_t seed = 88172645463325252u;
	for (size_t i = 0; i < sizeof(data); i++) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		data[i] = (char)seed;
	}
	return (struct span){data, n};
}

static inline void wait_until_idle(struct bench *b)
{
	struct recorder_figures f;
	do {
		usleep(1000);
		recorder_figures(b->recorder, &f);
	} while (f.queued_bytes);
}
