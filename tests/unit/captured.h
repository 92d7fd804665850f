#pragma once
/*
 * captured - makes a small capture with the recorder: chats and completions, streamed or not, with
 * logprobs, edits, a large body, a body that is not UTF-8, a leg that is not read, and one whose
 * connection was refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/mem.h"
#include "capture/recorder/recorder.h"

#define CAPTURED_EXCHANGES 6
#define CAPTURED_LARGE 200000

static inline void captured_part(
        struct recorder *r, struct id owner, enum part_type type, uint32_t n, struct span data)
{
	struct chunks pieces = {0};
	chunks_push(&pieces, chunk_make(NULL, data.data, data.len));
	if (!recorder_part(r, owner, type, n, &pieces)) {
		never("the recorder has room for a test");
	}
}

/* Bytes that zstd can hardly compress, without a null byte at their end. The caller frees them. */
static inline char *captured_noise(size_t len)
{
	char *text = xmalloc(len);
	uint64_t state = 88172645463325252;
	for (size_t i = 0; i < len; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		text[i] = (char)(state >> 24);
	}
	return text;
}

static inline struct buf captured_answer(enum endpoint endpoint, bool stream, const char *word)
{
	struct buf b = {0};
	if (endpoint == ENDPOINT_COMPLETION) {
		buf_printf(&b,
		        "{\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"index\":0,\"text\":\"%s!\","
		        "\"finish_reason\":\"stop\","
		        "\"logprobs\":{\"tokens\":[\"%s\",\"!\"],\"token_logprobs\":[-0.125,-1.5],"
		        "\"top_logprobs\":"
		        "[{\"%s\":-0.125,\" x\":-3.25},{\"!\":-1.5}],\"text_offset\":[0,3]}}],"
		        "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2,\"total_tokens\":5}"
		        "}",
		        word, word, word);
		return b;
	}
	if (!stream) {
		buf_printf(&b,
		        "{\"id\":\"r\",\"model\":\"m\",\"system_fingerprint\":\"fp\",\"choices\":[{"
		        "\"index\":0,\"message\":"
		        "{\"role\":\"assistant\",\"content\":\"%s\"},\"finish_reason\":\"stop\","
		        "\"logprobs\":{\"content\":"
		        "[{\"token\":\"%s\",\"logprob\":-0.25,\"top_logprobs\":[{\"token\":\"%s\","
		        "\"logprob\":-0.25},"
		        "{\"token\":\"other\",\"logprob\":-2.125}]}]}}],"
		        "\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":1,\"total_tokens\":8}"
		        "}",
		        word, word, word);
		return b;
	}
	const char *const pieces[] = {word, " and", " more"};
	for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
		buf_printf(&b,
		        "data: "
		        "{\"id\":\"s\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{"
		        "\"content\":\"%s\"},"
		        "\"logprobs\":{\"content\":[{\"token\":\"%s\",\"logprob\":-0.5,\"top_"
		        "logprobs\":"
		        "[{\"token\":\"%s\",\"logprob\":-0.5}]}]},\"finish_reason\":%s}]}\n\n",
		        pieces[i], pieces[i], pieces[i], i == 2 ? "\"length\"" : "null");
	}
	buf_append_str(&b, "data: [DONE]\n\n");
	return b;
}

static inline void captured_leg(
        struct recorder *r, const struct exchange_row *e, enum role role, int i)
{
	struct buf body = captured_answer(
	        e->endpoint, e->streamed, role == ROLE_PRIMARY || i % 2 ? "one" : "two");
	struct leg_row row = {
	        .id = id_make(),
	        .exchange = e->id,
	        .run = recorder_run(r),
	        .backend = xstrdup(role == ROLE_PRIMARY ? "primary" : "reference"),
	        .url = xstrdup("http://127.0.0.1:8101"),
	        .role = role,
	        .outcome = OUTCOME_COMPLETE,
	        .marks = LEG_INJECTED_LOGPROBS,
	        .status = 200,
	        .start_ns = clock_wall(),
	        .queued_us = UINT64_MAX,
	        .head_us = 1000,
	        .first_body_us = 1500,
	        .first_content_us = 2000,
	        .end_us = 3000,
	        .body_bytes = body.len,
	        .body_parts = 2,
	        .in_flight = 1,
	        .usage = {-1, -1, -1, -1, -1},
	        .content_type = xstrdup(
	                e->streamed ? "text/event-stream; charset=utf-8" : "application/json"),
	};
	if (i == 5 && role != ROLE_PRIMARY) {
		row.outcome = OUTCOME_REFUSED;
		row.status = 0;
		row.head_us = row.first_body_us = row.first_content_us = UINT64_MAX;
		row.body_bytes = row.body_parts = 0;
		row.error = xstrdup("connection refused");
		buf_finish(&body);
		recorder_leg(r, &row, false, NULL);
		return;
	}
	row.edits = xcalloc(1, sizeof(*row.edits));
	row.n_edits = 1;
	row.edits[0] = (struct edit){.at = 1, .inserted = {xstrdup("\"logprobs\":true,"), 16}};
	struct reading_hints hints = {.endpoint = e->endpoint,
	        .status = 200,
	        .framing = e->streamed ? FRAMING_SSE : FRAMING_UNARY,
	        .wants_logprobs = true};
	recorder_leg_begin(r, row.id, &hints, NULL);
	captured_part(r, row.id, PART_RESPONSE_HEAD, 0, SPAN("content-type: application/json\n"));
	size_t half = body.len / 2;
	captured_part(r, row.id, PART_RESPONSE_BODY, 0, (struct span){body.data, half});
	captured_part(
	        r, row.id, PART_RESPONSE_BODY, 1, (struct span){body.data + half, body.len - half});
	static const uint8_t arrivals[] = {0xe8, 3, 0, 0, 10, 0, 0, 0, 0xd0, 7, 0, 0, 20, 0, 0, 0};
	captured_part(r, row.id, PART_ARRIVALS, 0,
	        (struct span){(const char *)arrivals, sizeof(arrivals)});
	recorder_leg(r, &row, i != 4, NULL);
	buf_finish(&body);
}

/* ids: gets the CAPTURED_EXCHANGES ids of the exchanges; NULL: not wanted. */
static inline void captured_fill(struct recorder *r, struct id *ids)
{
	for (int i = 0; i < CAPTURED_EXCHANGES; i++) {
		struct exchange_row row = {
		        .id = id_make(),
		        .wall_ns = clock_wall(),
		        .method = xstrdup("POST"),
		        .target = xstrdup(i % 3 == 2 ? "/v1/completions" : "/v1/chat/completions"),
		        .endpoint = i % 3 == 2 ? ENDPOINT_COMPLETION : ENDPOINT_CHAT,
		        .outcome = OUTCOME_COMPLETE,
		        .content = CONTENT_FULL,
		        .in_flight = 1,
		        .streamed = i % 3 == 1,
		        .model = xstrdup("model-m"),
		        .client = xstrdup("00112233"),
		};
		struct buf body = {0};
		buf_printf(&body,
		        "{\"model\":\"model-m\",\"messages\":[{\"role\":\"user\",\"content\":\"n "
		        "%d é\"}],"
		        "\"temperature\":0.5,\"seed\":%d}",
		        i, i);
		char *noise = i == 3 ? captured_noise(CAPTURED_LARGE) : NULL;
		if (noise) {
			buf_append(&body, noise, CAPTURED_LARGE);
			free(noise);
		}
		request_read(row.endpoint, buf_span(&body), &row.facts);
		if (!request_hash(
		            row.endpoint, buf_span(&body), recorder_hash_key(r), &row.hashes)) {
			row.hashes = (struct request_hashes){0};
		}
		row.body_bytes = body.len;
		if (ids) {
			ids[i] = row.id;
		}
		captured_part(r, row.id, PART_REQUEST_HEAD, 0,
		        SPAN("host: 127.0.0.1\ncontent-type: application/json\n"));
		captured_part(r, row.id, PART_REQUEST_BODY, 0, buf_span(&body));
		buf_finish(&body);
		captured_leg(r, &row, ROLE_PRIMARY, i);
		captured_leg(r, &row, ROLE_REFERENCE, i);
		recorder_exchange(r, &row, NULL);
	}
}

static inline struct recorder *captured_begin(const char *dir, uint64_t segment_size)
{
	static struct budget budget;
	budget_init(&budget, (size_t)256 << 20);
	struct recorder_settings settings = {
	        .path = dir,
	        .segment_size = segment_size,
	        .queue_limit = (size_t)64 << 20,
	        .encoders = 1,
	        .budget = &budget,
	        .settings_json = "{}",
	};
	char *error = NULL;
	struct recorder *r = recorder_create(&settings, &error);
	if (!r) {
		never(error);
	}
	return r;
}

/* Makes a sealed capture in a new directory, whose path it writes to path. Call captured_remove()
 * last. ids: as above. */
static inline void captured_make(char path[64], struct id *ids)
{
	snprintf(path, 64, "/tmp/plumbline-test-XXXXXX");
	if (!mkdtemp(path)) {
		never("a temporary directory can be made");
	}
	struct recorder *r = captured_begin(path, 64u << 20);
	captured_fill(r, ids);
	recorder_stop(r, 30000000000);
}

static inline void captured_remove(const char *path)
{
	char command[128];
	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	if (system(command) != 0) {
		never("a test's directory can be removed");
	}
}
