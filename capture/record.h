#pragma once
/*
 * record - encodes and decodes the rows of a capture: msgpack maps with integer keys, in an
 * envelope with a format version and a checksum. The only module that includes msgpack.
 *
 * Envelope, little-endian: u8 format version (RECORD_FORMAT), u8 row kind, u16 flags, u32 length of
 * the stored payload, u64 XXH3-64 over the 8 bytes before it and the payload, then the payload.
 * Flags bit 0: the payload is a zstd frame (the frame has its content size, which is checked
 * against a limit before it is decompressed).
 *
 * Decoding does not trust records: every length and type is checked, unknown keys are skipped (a
 * newer minor writer), a newer format version is -EPROTONOSUPPORT, damage is -EBADMSG. Decoded
 * structs own their memory: _finish() them. docs/format.md has the numbers of all keys.
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
 * A part is a byte stream, stored as several values. The key of a value is owner, type, n (see
 * segment.h), and n is
 *
 *	n = piece << PART_PIECE_SHIFT | cut
 *
 * where piece counts the pieces that the caller passed (from 0) and cut counts the values of a
 * piece (from 0). No value is longer than PART_STORED_LIMIT bytes with its envelope (longer LMDB
 * values waste up to a page). Each value is an envelope that can be decoded by itself. To read a
 * part, concatenate the payloads of all values of owner and type in the order of their keys; the
 * numbers may have gaps. This holds for all types, PART_READING included. The values of one owner
 * may be in several segments of one writer: those in the older segment come first. A body is
 * complete if its payloads have as many bytes as the row's body_bytes.
 */
#define PART_PIECE_SHIFT 12
#define PART_STORED_LIMIT 65520

enum part_type {
	PART_REQUEST_HEAD =
	        1, /* fields on the allow list, as "name: value" lines; owner: exchange */
	PART_REQUEST_BODY = 2,  /* pieces, in order; owner: exchange */
	PART_RESPONSE_HEAD = 3, /* owner: leg, as for all types below */
	PART_RESPONSE_BODY =
	        /* the body bytes as received, without chunked framing; pieces in order */
	4,
	/* packed u32 pairs: microseconds since the leg's start, body bytes received by then */
	PART_ARRIVALS = 5,
	PART_READING = 6, /* msgpack, see record_put_reading() */
};

enum outcome {
	OUTCOME_COMPLETE = 1, /* the whole answer, by its framing */
	/* the client left; the engine was cancelled or its answer came too late */
	OUTCOME_CLIENT_GONE,
	OUTCOME_REFUSED, /* no connection */
	OUTCOME_TIMEOUT,
	OUTCOME_BROKEN,      /* the engine broke off during the answer */
	OUTCOME_BAD_ANSWER,  /* not valid HTTP: the client got a 502 */
	OUTCOME_LIMIT,       /* the answer exceeded the reference's size limit */
	OUTCOME_STOPPED,     /* cut by plumbline's shutdown */
	OUTCOME_BAD_REQUEST, /* exchange only: refused by the proxy as a bad request */
	N_OUTCOMES,
};
const char *outcome_name(enum outcome o);

enum content { CONTENT_FULL = 1, CONTENT_REDACTED = 2, CONTENT_METADATA = 3 };
enum role { ROLE_PRIMARY = 1, ROLE_REFERENCE = 2, ROLE_CANDIDATE = 3 };
const char *role_name(enum role r);

enum exchange_mark {
	EXCHANGE_TRUNCATED = 1 << 0, /* memory limit reached: only head and hashes */
	EXCHANGE_BODY_CUT = 1 << 1,  /* the stored request body is incomplete */
};

enum leg_mark {
	LEG_INJECTED_LOGPROBS = 1 << 0,
	LEG_INJECTED_USAGE = 1 << 1,
	LEG_INJECTION_REFUSED =
	        1 << 2, /* the engine refused the added members; this is the answer without them */
	LEG_UNREAD = 1 << 3,    /* stored raw and not parsed: the recorder was overloaded */
	LEG_TRUNCATED = 1 << 4, /* body parts are missing */
	LEG_RETRIED = 1 << 5,   /* sent again: on a new connection, or by a replay's --retries */
	LEG_UNCUT = 1 << 6,     /* over the limit: the client saw the added members */
	/* Not an answer to the prompt: scores of another leg's tokens, or one of the two kinds
	 * below. LEG_JUDGING and LEG_GRADING are never set without it, so this mark covers
	 * everything that is not an answer. */
	LEG_SCORED = 1 << 7,
	LEG_DROPPED = 1 << 8,  /* plumbline removed members that the client had set */
	LEG_IMPORTED = 1 << 9, /* imported from a file of results */
	/* With LEG_SCORED: a judge model's result for the answers of two other legs; no scores. */
	LEG_JUDGING = 1 << 10,
	/* With LEG_SCORED: the grade of another leg's answer; no scores. */
	LEG_GRADING = 1 << 11,
	LEG_WRITTEN_OUT =
	        1 << 12, /* a chat that plumbline sent as one prompt, with the template applied */
	/* For scores: the prompt's tokens are those recorded with the answer; or the scoring
	 * engine's own tokens, which differ from these. */
	LEG_GIVEN_PROMPT = 1 << 13,
	LEG_PROMPT_DIFFERS = 1 << 14,
	/* These two only together with LEG_INJECTED_LOGPROBS. */
	LEG_INJECTED_TOKEN_IDS = 1 << 15,
	LEG_AUDITED = 1 << 16, /* with the longer lists of logprobs.audit */
};

static inline bool leg_has_scores(uint32_t marks)
{
	return (marks & LEG_SCORED) && !(marks & (LEG_JUDGING | LEG_GRADING));
}

/*
 * The labels of a request from a suite or a benchmark; NULL: none. A row with a text over these
 * limits counts as damaged, so writers must check first.
 */
#define LABEL_LIMIT 255 /* bytes, for suite, item and category */
#define LABEL_GOLD_LIMIT 16384
struct exchange_labels {
	char *suite;    /* the suite or benchmark */
	char *item;     /* its name there */
	char *category; /* kind of task, as the suite calls it */
	char *gold;     /* the right answer */
};

bool exchange_label_fits(struct span text, size_t limit); /* short enough and without NUL */
/* Makes one from a text: *ret is a copy that the caller owns. False: it does not fit. */
bool exchange_label_make(struct span text, size_t limit, char **ret) MUST_CHECK;
void exchange_labels_finish(struct exchange_labels *l);

/* A compressed body is decompressed to at most this many bytes. Decompression reads one byte
 * more to see whether the limit is exceeded; with it the size is a power of two, which a buffer
 * that doubles holds exactly. */
#define DECODED_LIMIT ((64u << 20) - 1)

struct exchange_row {
	struct id id;
	uint64_t wall_ns;      /* arrival of the head */
	char *method, *target; /* keys in the query are removed */
	enum endpoint endpoint;
	enum outcome outcome; /* the primary leg's */
	enum content content;
	uint32_t marks;
	uint64_t body_bytes; /* as stored: received, or redacted */
	uint32_t in_flight; /* exchanges in flight in this process when it began, itself included */
	bool streamed;      /* a stream was requested */
	char *model;        /* as requested, or NULL */
	char *client;       /* a keyed hash of the peer's address, hex, or NULL */
	struct request_hashes hashes;
	struct request_facts facts; /* is_json false: not parsed */
	struct exchange_labels labels;
	uint32_t redactions;    /* number of replacements in the request, approximate */
	char *content_encoding; /* of the stored request body, or NULL */
	struct arena texts;     /* holds all strings; empty: each string is allocated separately */
};

/* one replacement in the exchange's body; with all edits applied it is the request as sent */
struct edit {
	uint64_t at, removed; /* bytes */
	struct span inserted; /* malloc'ed; owned by the row, freed by leg_row_finish() */
};

struct leg_row {
	struct id id, exchange, run;
	char *backend; /* name */
	char *url;     /* without credentials */
	enum role role;
	uint32_t repeat;
	enum outcome outcome;
	uint32_t marks;
	int status;         /* 0: no response head */
	struct edit *edits; /* sorted, not overlapping */
	size_t n_edits;
	uint64_t start_ns;  /* wall clock at the start of sending */
	uint64_t queued_us; /* time in the queue before start_ns; UINT64_MAX: unknown */
	/* Microseconds since start_ns; UINT64_MAX: not reached. */
	uint64_t head_us, first_body_us, first_content_us, end_us;
	uint64_t body_bytes;                   /* of the answer, as received */
	uint32_t body_parts;                   /* number of parts; valid once the row is written */
	uint32_t in_flight;                    /* requests in flight to this backend at the start */
	char *error;                           /* the reason for a failure, or NULL */
	char *content_type, *content_encoding; /* of the answer, or NULL */
	/* A copy of values in the reading, so that lists need not read the part. */
	uint32_t reading_marks;
	struct usage usage;
	char *model, *fingerprint, *finish; /* of choice 0 */
	char *dialect;      /* the dialect used for the request and the answer; NULL: generic */
	struct id manifest; /* of the backend's stack at the start of the leg; zero: not known */
	char *replica;      /* the server that answered, if one address has several; or NULL */
	uint32_t align;     /* enum align of backends/align.h */
	/* LEG_SCORED: the scored leg. Its first token is at index score_at of this answer (in its
	 * prompt columns, or in its columns if it echoes). */
	struct id score_of;
	uint32_t score_at;
	/* LEG_GRADING: score_at is the choice's index. LEG_JUDGING: the answer of score_of is shown
	 * first, this one second; score_at is the index of both choices. */
	struct id judged_against;
	enum content content; /* of the answer; 0: full (older writers) */
	uint32_t redactions;  /* number of replacements in the answer, approximate */
	/* CONTENT_METADATA: what is stored in place of the texts. Hash zero: no answer of a
	 * known form. */
	uint8_t answer_hash[16]; /* keyed by the capture's hash_key: equal for equal answers */
	uint64_t answer_bytes, reasoning_bytes;
	uint8_t prompt[16]; /* the exchange's prompt hash, for the writer; not stored */
	/* For the code that checks injected answers; neither is stored. kind: the number of a
	 * kind (kinds.h), or 0. lost_characters: the text lacks characters that the tokens
	 * spell. */
	uint64_t kind;
	bool lost_characters;
	struct arena texts; /* as in exchange_row; texts of edits are not in it */
};

/* One row of a segment's meta table, under the key META_KEY: who wrote the segment, and how. */
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
 * A backend's stack as known at one time, in a segment's meta table under "manifest/" and 32 hex
 * digits of the id. There is one row for each change, repeated in every segment whose legs may name
 * it.
 */
#define MANIFEST_KEY "manifest/"
#define MANIFEST_KEY_SIZE (sizeof(MANIFEST_KEY) - 1 + 32)

struct manifest_row {
	struct id id;
	char *backend; /* the backend's name in the configuration */
	char *url;     /* without credentials */
	enum role role;
	uint64_t wall_ns; /* when it was read */
	char *dialect;
	uint8_t digest[16]; /* of the facts: equal for equal stacks */
	char *json;         /* the facts, as written by capture/manifest.h */
};

void record_manifest_key(struct buf *to, struct id id); /* clears `to` first */
/* True if a key of the meta table belongs to a manifest. */
bool record_is_manifest_key(struct span key, struct id *ret_id) MUST_CHECK;

void record_put_exchange(
        struct buf *to, const struct exchange_row *row); /* the payload, without envelope */
void record_put_leg(struct buf *to, const struct leg_row *row);
void record_put_reading(struct buf *to, const struct reading *reading);
void record_put_meta(struct buf *to, const struct meta_row *row);
void record_put_manifest(struct buf *to, const struct manifest_row *row);

int record_get_exchange(struct span payload, struct exchange_row *ret) MUST_CHECK;
int record_get_leg(struct span payload, struct leg_row *ret) MUST_CHECK;
/* -ESTALE: an older version made it; parse the raw bytes again. */
int record_get_reading(struct span payload, struct reading **ret) MUST_CHECK;
/* As record_get_reading(), but allocates in the cleared arena `used`, and takes it over. */
int record_get_reading_in(struct arena used, struct span payload, struct reading **ret) MUST_CHECK;
int record_get_meta(struct span payload, struct meta_row *ret) MUST_CHECK;
int record_get_manifest(struct span payload, struct manifest_row *ret) MUST_CHECK;

void exchange_row_finish(struct exchange_row *row); /* sets it to zero */
void leg_row_finish(struct leg_row *row);           /* sets it to zero */
/* The strings of a decoded row share one allocation. Call before freeing or replacing one of them:
 * afterwards each string is allocated separately. */
void exchange_row_loosen(struct exchange_row *row);
void leg_row_loosen(struct leg_row *row);
void meta_row_finish(struct meta_row *row);
void manifest_row_finish(struct manifest_row *row);

#define RECORD_ENVELOPE_SIZE 16

enum record_packing {
	RECORD_AS_IS,
	RECORD_SMALL, /* for data that is rarely read, which is most data */
	RECORD_QUICK, /* for data that is read often */
};
/* Appends the payload in its envelope. The payload is compressed if it has at least 1,024 bytes
 * and if that saves room in the segment. */
void record_wrap(
        struct buf *to, enum row_kind kind, struct span payload, enum record_packing packing);
/* The size of the envelope at the beginning of stored, which record_wrap() must have made. */
size_t record_stored_size(struct span stored);
/* Checks and opens an envelope; *ret_payload points into stored or, if it was compressed, into
 * *scratch. */
int record_unwrap(struct span stored, enum row_kind kind, struct buf *scratch,
        struct span *ret_payload) MUST_CHECK;
