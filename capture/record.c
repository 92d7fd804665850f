/*
 * The envelope. The rows are in record_row.c, readings in record_reading.c, both on record_field.c.
 */
#include "capture/record.h"

#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <zstd.h>

#include "base/ascii.h"
#include "base/enum_names.h"
#include "base/xxh3.h"

/* zstd's levels for the two kinds of packing. */
#define LEVEL_SMALL 1
/* Does not entropy-code data that does not repeat, such as numbers: decoding is twice as fast,
 * the output a fifth larger. */
#define LEVEL_QUICK (-5)
/* Shorter payloads are not compressed. A body of 1,000 bytes shrinks by 400 for 75,000
 * instructions, which is a sixth of the total cost of a mirrored and recorded request. */
#define COMPRESS_MIN 1024
/* The size of a segment's page, and of the page's header. Values of up to LEAF_LIMIT bytes share a
 * page with others. */
#define PAGE ((size_t)4096)
#define PAGE_HEADER 16
#define LEAF_LIMIT 2000
#define INFLATED_LIMIT (64u << 20)
/* The bytes of the header that the checksum covers. */
#define CHECKSUM_LENGTH 8
/* A shorter payload is copied and hashed in one call: the copy costs less than incremental
 * hashing. */
#define SHORT 1016

#define FLAG_ZSTD 1

static const char *const outcome_names[] = {
        [OUTCOME_COMPLETE] = "complete",
        [OUTCOME_CLIENT_GONE] = "client_gone",
        [OUTCOME_REFUSED] = "refused",
        [OUTCOME_TIMEOUT] = "timeout",
        [OUTCOME_BROKEN] = "broken",
        [OUTCOME_BAD_ANSWER] = "bad_answer",
        [OUTCOME_LIMIT] = "limit",
        [OUTCOME_STOPPED] = "stopped",
        [OUTCOME_BAD_REQUEST] = "bad_request",
};

_Static_assert(ARRAY_LEN(outcome_names) == N_OUTCOMES, "every outcome has a name");

const char *outcome_name(enum outcome o)
{
	return (unsigned)o < N_OUTCOMES && outcome_names[o] ? outcome_names[o] : "unknown";
}

const char *role_name(enum role r)
{
	switch (r) {
	case ROLE_PRIMARY:
		return "primary";
	case ROLE_REFERENCE:
		return "reference";
	case ROLE_CANDIDATE:
		return "candidate";
	}
	return "unknown";
}

const char *exchange_mark_name(unsigned bit)
{
	static const char *const names[] = {"truncated", "body_cut"};
	return bit < ARRAY_LEN(names) ? names[bit] : NULL;
}

const char *leg_mark_name(unsigned bit)
{
	static const char *const names[] = {"injected_logprobs", "injected_usage",
	        "injection_refused", "unread", "truncated", "retried", "uncut", "scored", "dropped",
	        "imported", "judging", "grading", "written_out", "given_prompt", "prompt_differs",
	        "injected_token_ids", "audited"};
	return bit < ARRAY_LEN(names) ? names[bit] : NULL;
}

const char *content_name(enum content c)
{
	switch (c) {
	case CONTENT_FULL:
		return "full";
	case CONTENT_REDACTED:
		return "redacted";
	case CONTENT_METADATA:
		return "metadata";
	}
	return NULL;
}

ENUM_NAMES(align_name, enum align, "off", "greedy", "same");

bool align_parse(const char *name, enum align *ret)
{
	for (enum align a = 0; a < N_ALIGNS; a++) {
		if (strcmp(align_name(a), name) == 0) {
			*ret = a;
			return true;
		}
	}
	return false;
}

/* Contexts are kept for reuse: creating one costs more than packing or unpacking a short
 * payload. */
static pthread_key_t packer_key, opener_key;
static pthread_once_t keys_once = PTHREAD_ONCE_INIT;

static void free_packer(void *context)
{
	ZSTD_freeCCtx(context);
}

static void free_opener(void *context)
{
	ZSTD_freeDCtx(context);
}

static void make_keys(void)
{
	expect(pthread_key_create(&packer_key, free_packer) == 0);
	expect(pthread_key_create(&opener_key, free_opener) == 0);
}

static ZSTD_CCtx *packer(void)
{
	pthread_once(&keys_once, make_keys);
	ZSTD_CCtx *context = pthread_getspecific(packer_key);
	if (!context) {
		context = ZSTD_createCCtx();
		expect(context && pthread_setspecific(packer_key, context) == 0);
	}
	return context;
}

static ZSTD_DCtx *opener(void)
{
	pthread_once(&keys_once, make_keys);
	ZSTD_DCtx *context = pthread_getspecific(opener_key);
	if (!context) {
		context = ZSTD_createDCtx();
		expect(context && pthread_setspecific(opener_key, context) == 0);
	}
	return context;
}

static uint64_t checksum(const char *header, const char *payload, size_t len)
{
	char whole[CHECKSUM_LENGTH + SHORT];
	if (len <= SHORT) {
		memcpy(whole, header, CHECKSUM_LENGTH);
		memcpy(whole + CHECKSUM_LENGTH, payload, len);
		return XXH3_64bits(whole, CHECKSUM_LENGTH + len);
	}
	XXH3_state_t state;
	XXH3_64bits_reset(&state);
	XXH3_64bits_update(&state, header, CHECKSUM_LENGTH);
	XXH3_64bits_update(&state, payload, len);
	return XXH3_64bits_digest(&state);
}

/* Returns the space that a payload takes in a segment. A long payload takes whole pages, so that
 * saving a few bytes often saves nothing. */
static size_t stored_space(size_t payload)
{
	size_t n = RECORD_ENVELOPE_SIZE + payload;
	return n <= LEAF_LIMIT ? n : (PAGE_HEADER + n + PAGE - 1) / PAGE * PAGE;
}

/* The length of the zstd frame written at to, or 0 when it would save nothing. */
static size_t compress_into(char *to, size_t room, struct span payload, enum record_packing packing)
{
	int level = packing == RECORD_QUICK ? LEVEL_QUICK : LEVEL_SMALL;
	size_t n = ZSTD_compressCCtx(packer(), to, room, payload.data, payload.len, level);
	return ZSTD_isError(n) || stored_space(n) >= stored_space(payload.len) ? 0 : n;
}

void record_wrap(
        struct buf *to, enum row_kind kind, struct span payload, enum record_packing packing)
{
	bool compress = packing != RECORD_AS_IS && payload.len >= COMPRESS_MIN;
	size_t room = compress ? ZSTD_compressBound(payload.len) : payload.len;
	expect(room <= UINT32_MAX);
	char *header = buf_reserve(to, RECORD_ENVELOPE_SIZE + room);
	char *body = header + RECORD_ENVELOPE_SIZE;
	size_t stored = compress ? compress_into(body, room, payload, packing) : 0;
	uint16_t flags = htole16(stored ? FLAG_ZSTD : 0);
	if (!stored && payload.len) {
		memcpy(body, payload.data, payload.len);
	}
	stored = stored ? stored : payload.len;
	uint32_t length = htole32((uint32_t)stored);
	header[0] = RECORD_FORMAT;
	header[1] = (char)kind;
	memcpy(header + 2, &flags, sizeof(flags));
	memcpy(header + 4, &length, sizeof(length));
	uint64_t sum = htole64(checksum(header, body, stored));
	memcpy(header + 8, &sum, sizeof(sum));
	to->len += RECORD_ENVELOPE_SIZE + stored;
}

size_t record_stored_size(struct span stored)
{
	uint32_t length;
	expect(stored.len >= RECORD_ENVELOPE_SIZE);
	memcpy(&length, stored.data + 4, sizeof(length));
	expect(le32toh(length) <= stored.len - RECORD_ENVELOPE_SIZE);
	return RECORD_ENVELOPE_SIZE + le32toh(length);
}

static int inflate(struct span frame, struct buf *scratch, struct span *ret)
{
	unsigned long long size = ZSTD_getFrameContentSize(frame.data, frame.len);
	if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ||
	        size > INFLATED_LIMIT) {
		return -EBADMSG;
	}
	buf_clear(scratch);
	char *to = buf_reserve(scratch, size + 1);
	size_t n = ZSTD_decompressDCtx(opener(), to, size, frame.data, frame.len);
	if (ZSTD_isError(n) || n != size) {
		return -EBADMSG;
	}
	scratch->len = n;
	*ret = buf_span(scratch);
	return 0;
}

int record_unwrap(
        struct span stored, enum row_kind kind, struct buf *scratch, struct span *ret_payload)
{
	if (stored.len < RECORD_ENVELOPE_SIZE) {
		return -EBADMSG;
	}
	const char *header = stored.data;
	struct span payload = {header + RECORD_ENVELOPE_SIZE, stored.len - RECORD_ENVELOPE_SIZE};
	uint16_t flags;
	uint32_t length;
	uint64_t sum;
	memcpy(&flags, header + 2, sizeof(flags));
	memcpy(&length, header + 4, sizeof(length));
	memcpy(&sum, header + 8, sizeof(sum));
	/* The checksum comes before the version: damage must never look like a newer format. */
	if (le32toh(length) != payload.len ||
	        le64toh(sum) != checksum(header, payload.data, payload.len)) {
		return -EBADMSG;
	}
	flags = le16toh(flags);
	if ((uint8_t)header[0] > RECORD_FORMAT || (flags & ~FLAG_ZSTD)) {
		return -EPROTONOSUPPORT;
	}
	if ((uint8_t)header[0] == 0 || (uint8_t)header[1] != kind) {
		return -EBADMSG;
	}
	if (flags & FLAG_ZSTD) {
		return inflate(payload, scratch, ret_payload);
	}
	*ret_payload = payload;
	return 0;
}

/* The most bytes that fit a value uncompressed, and how many are first tried as one compressed
 * value: JSON answers shrink to a third. */
#define CUT (PART_STORED_LIMIT - RECORD_ENVELOPE_SIZE)
#define CUT_COMPRESSED (3 * CUT)

static struct span first_of(struct span s, size_t n)
{
	return (struct span){s.data, MIN(s.len, n)};
}

static void put_cuts(struct buf *to, struct span bytes, enum record_packing packing)
{
	while (bytes.len) {
		struct span cut = first_of(bytes, CUT);
		record_wrap(to, ROW_PART, cut, packing);
		bytes = span_from(bytes, cut.len);
	}
}

void record_wrap_part(struct buf *to, struct span bytes, enum record_packing packing)
{
	if (packing == RECORD_AS_IS) {
		put_cuts(to, bytes, packing);
		return;
	}
	while (bytes.len) {
		struct span cut = first_of(bytes, CUT_COMPRESSED);
		size_t before = to->len;
		record_wrap(to, ROW_PART, cut, packing);
		if (to->len - before > PART_STORED_LIMIT) {
			to->len = before;
			put_cuts(to, cut, packing);
		}
		bytes = span_from(bytes, cut.len);
	}
}
