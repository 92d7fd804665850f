#pragma once
/*
 * record - the rows of a capture and their bytes: msgpack maps with integer keys, in an envelope
 * that carries a format version and a checksum. The only module that includes msgpack.
 *
 * Envelope, little-endian: u8 format version (RECORD_FORMAT), u8 row kind, u16 flags, u32 length of
 * the payload as stored, u64 XXH3-64 over the 8 bytes before it and the payload, then the payload.
 * Flags bit 0: the payload is a zstd frame (its content size is in the frame, and checked against a
 * limit before it is inflated).
 *
 * Decoding treats records as untrusted: every length and type is checked, unknown keys are skipped
 * (a newer minor writer), a newer format version is -EPROTONOSUPPORT, damage is -EBADMSG. Structs
 * that were decoded own their memory: _finish() them. docs/format.md is the same in words, with
 * every key's number.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/id.h"
#include "answers/reading.h"
#include "answers/request.h"

#define RECORD_FORMAT 1

enum row_kind {
	ROW_EXCHANGE = 1,
	ROW_LEG = 2,
	ROW_PART = 3,
	ROW_META = 4,
	ROW_MANIFEST = 5,
};

/*
 * Parts are byte streams that were cut. A part's key is owner, type, n (see segment.h), and n is
 *
 *	n = piece << PART_PIECE_SHIFT | cut
 *
 * where piece counts what the caller handed over (from 0) and cut the values it was cut into (from
 *0), so that none is longer than PART_STORED_LIMIT bytes with its envelope (longer LMDB values
 * waste up to a page). Each value is an envelope that opens by itself. To read a part, concatenate
 * the payloads of all values of owner and type in the order of their keys, whatever the numbers
 * (they have gaps); all types are read so, PART_READING included. The values of one owner may lie in
 * several segments of one writer: then in those of the older segment first. A body is whole when its
 * payloads have as many bytes as the row's body_bytes.
 */
#define PART_PIECE_SHIFT 12
#define PART_STORED_LIMIT 65520

enum part_type {
	PART_REQUEST_HEAD =
	        1, /* fields kept by the allow list, as "name: value" lines; owner: exchange */
	PART_REQUEST_BODY = 2,  /* pieces, in order; owner: exchange */
	PART_RESPONSE_HEAD = 3, /* owner: leg; from here on all owners are legs */
	PART_RESPONSE_BODY =
	        4,         /* the de-chunked body bytes exactly as they came, pieces in order */
	PART_ARRIVALS = 5, /* packed u32 pairs: microseconds since the leg's start, bytes of the
	                      body by then */
	PART_READING = 6,  /* msgpack, see record_put_reading() */
};

enum outcome {
	OUTCOME_COMPLETE = 1, /* the whole answer, as its framing said */
	OUTCOME_CLIENT_GONE,  /* the client left; the engine was cancelled or its answer came too
	                         late */
	OUTCOME_REFUSED,      /* no connection */
	OUTCOME_TIMEOUT,
	OUTCOME_BROKEN,      /* the engine broke off within the answer */
	OUTCOME_BAD_ANSWER,  /* not HTTP that we understand: the client got a 502 */
	OUTCOME_LIMIT,       /* answer over the reference's size limit */
	OUTCOME_STOPPED,     /* cut by our own shutdown */
	OUTCOME_BAD_REQUEST, /* exchange only: refused by the head guard or framer */
	N_OUTCOMES,
};
const char *outcome_name(enum outcome o);

enum content { CONTENT_FULL = 1, CONTENT_REDACTED = 2, CONTENT_METADATA = 3 };
enum role { ROLE_PRIMARY = 1, ROLE_REFERENCE = 2, ROLE_CANDIDATE = 3 };
const char *role_name(enum role r);

enum exchange_mark {
	EXCHANGE_TRUNCATED = 1 << 0, /* memory was spent: head and hashes only */
	EXCHANGE_BODY_CUT = 1 << 1,  /* the stored request body is not whole */
};

enum leg_mark {
	LEG_INJECTED_LOGPROBS = 1 << 0,
	LEG_INJECTED_USAGE = 1 << 1,
	LEG_INJECTION_REFUSED =
	        1 << 2, /* the engine refused the added fields; this is the answer without them */
	LEG_UNREAD = 1 << 3,    /* stored raw and not read: the recorder was under pressure */
	LEG_TRUNCATED = 1 << 4, /* body parts are missing */
	LEG_RETRIED = 1 << 5,   /* sent again: on a fresh connection, or by a replay's --retries */
	LEG_UNCUT = 1 << 6,     /* over the limit: the client saw the added fields */
	/* No answer to the prompt: scores of another leg's tokens, or what one of the two below says. These are
	 * never set without it, so that this mark alone stands for all that is no answer. */
	LEG_SCORED = 1 << 7,
	LEG_DROPPED = 1 << 8,  /* aligning took out members that the client had set */
	LEG_IMPORTED = 1 << 9, /* not seen by us: made of what a file of results tells */
	/* With LEG_SCORED: what a judge model thinks of two other legs' answers, and no scores. */
	LEG_JUDGING = 1 << 10,
	/* With LEG_SCORED: what became of another leg's program when it was run, and no scores. */
	LEG_GRADING = 1 << 11,
	LEG_WRITTEN_OUT =
	        1 << 12, /* a chat that was sent as one prompt, its turns written out by us */
	/* Of scores: the prompt's tokens are those that were recorded with the answer, or are the scoring engine's
	 * own and not the same. */
	LEG_GIVEN_PROMPT = 1 << 13,
	LEG_PROMPT_DIFFERS = 1 << 14,
	LEG_INJECTED_TOKEN_IDS = 1 << 15, /* with LEG_INJECTED_LOGPROBS */
};

static inline bool leg_has_scores(uint32_t marks)
{
	return (marks & LEG_SCORED) && !(marks & (LEG_JUDGING | LEG_GRADING));
}

/*
 * What a suite or a benchmark says of a request; NULL: nothing. A row with a longer text than these
 * limits is damage: whoever makes one looks before.
 */
#define LABEL_LIMIT 255 /* bytes, of suite, item and category */
#define LABEL_GOLD_LIMIT 16384
struct exchange_labels {
	char *suite;    /* where the request is from */
	char *item;     /* its name there */
	char *category; /* what kind of task it is, in the suite's words */
	char *gold;     /* the right answer */
};

bool exchange_label_fits(struct span text, size_t limit); /* it is short enough, without a NUL */
/* One of them out of a text: *ret is a copy, the caller's. False: it does not fit. */
bool exchange_label_make(struct span text, size_t limit, char **ret) MUST_CHECK;
void exchange_labels_finish(struct exchange_labels *l);

/* The most bytes that a body with a content coding is decoded into. One more byte, which shows that
 * there is more, fills a buffer that doubles. */
#define DECODED_LIMIT ((64u << 20) - 1)

struct exchange_row {
	struct id id;
	uint64_t wall_ns;      /* arrival of the head */
	char *method, *target; /* keys in the query are removed */
	enum endpoint endpoint;
	enum outcome outcome; /* the primary leg's */
	enum content content;
	uint32_t marks;
	uint64_t body_bytes; /* as stored: as received, or as redacted */
	uint32_t in_flight; /* exchanges under way in this process when it began, itself included */
	bool streamed;      /* asked for a stream */
	char *model;        /* as asked, or NULL */
	char *client;       /* a keyed hash of the peer's address, hex, or NULL */
	struct request_hashes hashes;
	struct request_facts facts; /* is_json false: not understood */
	struct exchange_labels labels;
	uint32_t redactions;    /* what was replaced in the request, about */
	char *content_encoding; /* of the request body as it is stored, or NULL */
	struct arena texts; /* in which all strings lie; empty: each is an allocation of its own */
};

struct edit { /* one replacement in the exchange's body: what makes the request as sent */
	uint64_t at, removed; /* bytes */
	struct span inserted; /* malloc'ed; the row's own, freed by leg_row_finish() */
};

struct leg_row {
	struct id id, exchange, run;
	char *backend; /* name */
	char *url;     /* without credentials */
	enum role role;
	uint32_t repeat;
	enum outcome outcome;
	uint32_t marks;
	int status;         /* 0: no head came */
	struct edit *edits; /* in order, not overlapping */
	size_t n_edits;
	uint64_t start_ns;  /* wall clock, when sending began */
	uint64_t queued_us; /* waited for a place before start_ns; UINT64_MAX: unknown */
	/* Microseconds since start_ns; UINT64_MAX: never. */
	uint64_t head_us, first_body_us, first_content_us, end_us;
	uint64_t body_bytes;                   /* of the answer, as received */
	uint32_t body_parts;                   /* valid once the row exists */
	uint32_t in_flight;                    /* of this backend at the start */
	char *error;                           /* the reason of a failure, or NULL */
	char *content_type, *content_encoding; /* of the answer, or NULL */
	/* What the reading says, repeated here so that lists need no part. */
	uint32_t reading_marks;
	struct usage usage;
	char *model, *fingerprint, *finish; /* of choice 0 */
	char *dialect; /* by which the backend was asked and its answer judged; NULL: generic */
	struct id manifest; /* of the backend's stack when the leg began; zero: none was known */
	char *replica;      /* which of several servers behind one address answered, or NULL */
	uint32_t align;     /* enum align of backends/align.h */
	/* LEG_SCORED: whose tokens; the first of them is the answer's token (of its prompt columns, or
	 * of its columns where it echoes) number score_at. */
	struct id score_of;
	uint32_t score_at;
	/* LEG_GRADING: score_at is the choice's index. LEG_JUDGING: of the two answers score_of is shown first and this one second; score_at is the
	 * index of the choices. */
	struct id judged_against;
	enum content content; /* of the answer; 0: full, as older writers leave it */
	uint32_t redactions;  /* what was replaced in the answer, about */
	/* CONTENT_METADATA: what is known of the texts; hash zero: there was no answer of a known form. */
	uint8_t answer_hash
	        [16]; /* keyed by the capture's hash_key: equal for answers equal to the byte */
	uint64_t answer_bytes, reasoning_bytes;
	uint8_t prompt[16]; /* the exchange's prompt hash, for who writes; not stored */
	/* For who was told to look after an injected answer; not stored: a number of kinds.h, or 0; and
	 * whether the text lacks characters that the tokens spell. */
	uint64_t kind;
	bool lost_characters;
	struct arena texts; /* as an exchange's; what edits insert lies outside */
};

/* One row of a segment's meta, under the key META_KEY: who wrote it and how. */
#define META_KEY "segment"

struct meta_row {
	uint32_t format;        /* RECORD_FORMAT */
	struct id segment, run; /* run: of the writer's live traffic */
	char *host;
	uint64_t pid;
	uint64_t created_ns;  /* wall clock */
	uint8_t hash_key[32]; /* of the prompt hashes */
	char *settings;       /* JSON without secrets, or NULL */
	char *version;        /* of the program */
};

/*
 * What was known of a backend's stack, in a segment's meta under "manifest/" and 32 hex digits of the
 * id: one for each change, again in every segment in which legs may name it.
 */
#define MANIFEST_KEY "manifest/"
#define MANIFEST_KEY_SIZE (sizeof(MANIFEST_KEY) - 1 + 32)

struct manifest_row {
	struct id id;
	char *backend; /* its name in the configuration */
	char *url;     /* without credentials */
	enum role role;
	uint64_t wall_ns; /* when it was learned */
	char *dialect;
	uint8_t digest[16]; /* of the facts: equal for equal stacks */
	char *json;         /* the facts, as capture/manifest.h makes them */
};

void record_manifest_key(struct buf *to, struct id id); /* to is cleared first */
/* Whether a key of the meta table is a manifest's. */
bool record_is_manifest_key(struct span key, struct id *ret_id) MUST_CHECK;

void record_put_exchange(
        struct buf *to, const struct exchange_row *row); /* the payload, without envelope */
void record_put_leg(struct buf *to, const struct leg_row *row);
void record_put_reading(struct buf *to, const struct reading *reading);
void record_put_meta(struct buf *to, const struct meta_row *row);
void record_put_manifest(struct buf *to, const struct manifest_row *row);

int record_get_exchange(struct span payload, struct exchange_row *ret) MUST_CHECK;
int record_get_leg(struct span payload, struct leg_row *ret) MUST_CHECK;
/* -ESTALE: an older reader made it; make it again from the raw bytes. */
int record_get_reading(struct span payload, struct reading **ret) MUST_CHECK;
/* The same in the memory of another one, which was cleared; it is taken over. */
int record_get_reading_in(struct arena used, struct span payload, struct reading **ret) MUST_CHECK;
int record_get_meta(struct span payload, struct meta_row *ret) MUST_CHECK;
int record_get_manifest(struct span payload, struct manifest_row *ret) MUST_CHECK;

void exchange_row_finish(struct exchange_row *row); /* it is all zero then */
void leg_row_finish(struct leg_row *row);           /* as well */
/* The strings of a row that was decoded lie in one piece of memory. Before one of them is freed, or another put in its
 * place: each is an allocation of its own from now on. */
void exchange_row_loosen(struct exchange_row *row);
void leg_row_loosen(struct leg_row *row);
void meta_row_finish(struct meta_row *row);
void manifest_row_finish(struct manifest_row *row);

#define RECORD_ENVELOPE_SIZE 16

enum record_packing {
	RECORD_AS_IS,
	RECORD_SMALL, /* for what is seldom read, which is most */
	RECORD_QUICK, /* for what is read again and again */
};
/* Seals a payload; packed: by zstd, if it takes less room in a segment then and has 1,024 bytes or more. */
void record_wrap(
        struct buf *to, enum row_kind kind, struct span payload, enum record_packing packing);
/* Of the envelope that stored begins with; it must be one that record_wrap() made. */
size_t record_stored_size(struct span stored);
/* Checks and opens; *ret_payload points into stored or, if it was compressed, into *scratch. */
int record_unwrap(struct span stored, enum row_kind kind, struct buf *scratch,
        struct span *ret_payload) MUST_CHECK;
