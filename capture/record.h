#pragma once
/*
 * record - encodes and decodes the rows of a capture: msgpack maps with integer keys, in an
 * envelope with a format version and a checksum. The only module that includes msgpack.
 *
 * Envelope, little-endian: u8 format version (RECORD_FORMAT), u8 row kind, u16 flags, u32 length of
 * the stored payload, u64 XXH3-64 over the 8 bytes before it and the payload, then the payload.
 * Flags bit 0: the payload is a zstd frame; the frame states its content size, which is checked
 * against a limit before decompression.
 *
 * Decoding does not trust records: it checks every length and type. It skips unknown keys, which a
 * newer minor version may write. It returns -EPROTONOSUPPORT for a newer format version, -EBADMSG
 * for damage. Decoded structs own their memory; the caller frees it with the _finish() function,
 * that of a reading with reading_destroy(). docs/format.md has the numbers of all keys. Any thread.
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
 * where piece is the number of the piece that recorder_part() got, and cut is the number of the
 * value within the piece; both count from 0. With its envelope, a value has at most
 * PART_STORED_LIMIT bytes, because longer LMDB values waste up to a page. To read a part, decode
 * all values of owner and type in the order of their keys, and concatenate the payloads; the
 * numbers may have gaps. If the values are in several segments of one writer, those in the older
 * segment come first. A body is complete if its payloads have as many bytes as the row's
 * body_bytes.
 */
#define PART_PIECE_SHIFT 12
#define PART_STORED_LIMIT 65520

enum part_type {
	/* owner: exchange. "name: value" lines of the header fields that may be stored */
	PART_REQUEST_HEAD = 1,
	PART_REQUEST_BODY = 2,  /* owner: exchange */
	PART_RESPONSE_HEAD = 3, /* owner: leg, also of the types below */
	/* the bytes of the body as received, without chunk frames */
	PART_RESPONSE_BODY = 4,
	/* pairs of u32, little-endian: µs since the leg's start, bytes of the body until then */
	PART_ARRIVALS = 5,
	PART_READING = 6, /* msgpack of record_put_reading() */
};

enum outcome {
	OUTCOME_COMPLETE = 1, /* the whole answer arrived, by its framing */
	/* the client left: the engine was cancelled, or its answer came too late */
	OUTCOME_CLIENT_GONE,
	OUTCOME_REFUSED, /* no connection to the engine */
	OUTCOME_TIMEOUT,
	OUTCOME_BROKEN,     /* the engine closed the connection during the answer */
	OUTCOME_BAD_ANSWER, /* the answer is not valid HTTP; the client got a 502 */
	OUTCOME_LIMIT,      /* the answer exceeded the reference's size limit */
	OUTCOME_STOPPED,    /* plumbline's shutdown cut the answer off */
	/* nothing was sent: the proxy refused the request, or could not make a copy of it */
	OUTCOME_BAD_REQUEST,
	N_OUTCOMES,
};
const char *outcome_name(enum outcome o);

enum content { CONTENT_FULL = 1, CONTENT_REDACTED = 2, CONTENT_METADATA = 3 };
const char *content_name(enum content c); /* NULL: an unknown content */
enum role { ROLE_PRIMARY = 1, ROLE_REFERENCE = 2, ROLE_CANDIDATE = 3 };
const char *role_name(enum role r);

/* How the request was aligned with the primary's (backends/align.h). */
enum align { ALIGN_NONE, ALIGN_GREEDY, ALIGN_SAME, N_ALIGNS };
const char *align_name(enum align a); /* "off", "greedy", "same" */
bool align_parse(const char *name, enum align *ret) MUST_CHECK;

enum exchange_mark {
	/* the request's body is missing in part or whole, for example for lack of memory */
	EXCHANGE_TRUNCATED = 1 << 0,
	EXCHANGE_BODY_CUT = 1 << 1, /* the stored request body is incomplete */
};

enum leg_mark {
	LEG_INJECTED_LOGPROBS = 1 << 0,
	LEG_INJECTED_USAGE = 1 << 1,
	/* the engine refused the added members; this is the answer without them */
	LEG_INJECTION_REFUSED = 1 << 2,
	LEG_UNREAD = 1 << 3,    /* no reading was made, as when the recorder is overloaded */
	LEG_TRUNCATED = 1 << 4, /* parts of the body are missing */
	/* the request was sent again: on a new connection, or by a replay's --retries */
	LEG_RETRIED = 1 << 5,
	/* the answer could not be cut (such as a long one): the client saw the added members */
	LEG_UNCUT = 1 << 6,
	/* Scores of another leg's tokens: no answer to the prompt. LEG_JUDGING and LEG_GRADING are
	 * set only together with this mark, so it covers all that is no answer. */
	LEG_SCORED = 1 << 7,
	LEG_DROPPED = 1 << 8,  /* plumbline removed members that the client had set */
	LEG_IMPORTED = 1 << 9, /* imported from a file of results */
	LEG_JUDGING = 1 << 10, /* a judge model's result for two other legs' answers */
	LEG_GRADING = 1 << 11, /* the grade of another leg's answer */
	/* plumbline sent a chat as one prompt, with the chat template applied */
	LEG_WRITTEN_OUT = 1 << 12,
	/* For scores: the prompt's tokens were those recorded with the answer (GIVEN_PROMPT), or
	 * the scoring engine's own tokens, which differ from those (PROMPT_DIFFERS). */
	LEG_GIVEN_PROMPT = 1 << 13,
	LEG_PROMPT_DIFFERS = 1 << 14,
	/* The next two are set only together with LEG_INJECTED_LOGPROBS. */
	LEG_INJECTED_TOKEN_IDS = 1 << 15,
	LEG_AUDITED = 1 << 16, /* the longer lists of logprobs.audit were requested */
};
/* The name of the mark 1 << bit; NULL: there is no such mark. */
const char *exchange_mark_name(unsigned bit);
const char *leg_mark_name(unsigned bit);

static inline bool leg_has_scores(uint32_t marks)
{
	return (marks & LEG_SCORED) && !(marks & (LEG_JUDGING | LEG_GRADING));
}

/* True if the answer may be parsed again when an older version of the parser made its reading. Not
 * if the body is stored in part: the old reading has more. Not scores: another reader with other
 * limits made theirs. */
static inline bool leg_may_be_reread(uint32_t marks)
{
	return !(marks & (LEG_SCORED | LEG_TRUNCATED));
}

/*
 * The labels of a request from a suite or a benchmark; NULL: none. Writers must check the limits
 * first: a row with a longer text counts as damaged.
 */
#define LABEL_LIMIT 255 /* bytes, for suite, item and category */
#define LABEL_GOLD_LIMIT 16384
struct exchange_labels {
	char *suite;    /* the name of the suite or benchmark */
	char *item;     /* the item's name in the suite */
	char *category; /* kind of task, as the suite calls it */
	char *gold;     /* the right answer */
};

bool exchange_label_fits(struct span text, size_t limit); /* true: short enough and without NUL */
/* Makes a label from a text: *ret is a copy that the caller owns. False: it does not fit. */
bool exchange_label_make(struct span text, size_t limit, char **ret) MUST_CHECK;
void exchange_labels_finish(struct exchange_labels *l);

/* The most bytes to which a body with a content coding is decoded. One less than a power of two,
 * because the decoder's buffer, which doubles, needs one byte more to notice the excess. */
#define DECODED_LIMIT ((64u << 20) - 1)

struct exchange_row {
	struct id id;
	uint64_t wall_ns;      /* arrival of the head, ns since 1970 */
	char *method, *target; /* without credentials */
	enum endpoint endpoint;
	enum outcome outcome; /* the primary leg's outcome */
	enum content content;
	uint32_t marks;
	uint64_t body_bytes; /* the size of the stored body (as received, or redacted) */
	/* this process's exchanges in flight when this one began, including it */
	uint32_t in_flight;
	bool streamed; /* a stream was requested */
	char *model;   /* as requested, or NULL */
	char *client;  /* a keyed hash of the peer's address, hex, or NULL */
	struct request_hashes hashes;
	struct request_facts facts; /* is_json false: the body was not parsed */
	struct exchange_labels labels;
	uint32_t redactions;    /* number of replacements in the request, approximate */
	char *content_encoding; /* of the stored request body, or NULL */
	/* memory of all strings; empty: each string is an allocation of its own */
	struct arena texts;
};

/* One replacement of bytes in the exchange's body. The body with all edits applied is the
 * request as sent. */
struct edit {
	uint64_t at, removed; /* offset, and number of bytes replaced */
	struct span inserted; /* malloc'ed; leg_row_finish() frees it */
};

struct leg_row {
	struct id id, exchange, run;
	char *backend; /* the backend's name */
	char *url;     /* without credentials */
	enum role role;
	uint32_t repeat; /* from 0 */
	enum outcome outcome;
	uint32_t marks;
	int status;         /* 0: no response head arrived */
	struct edit *edits; /* sorted, not overlapping */
	size_t n_edits;
	uint64_t start_ns;  /* start of sending, ns since 1970 */
	uint64_t queued_us; /* time in the queue before start_ns; UINT64_MAX: unknown */
	/* Microseconds since start_ns; UINT64_MAX: not reached. */
	uint64_t head_us, first_body_us, first_content_us, end_us;
	uint64_t body_bytes;                   /* bytes of the answer's body, as received */
	uint32_t body_parts;                   /* number of pieces of the body */
	uint32_t in_flight;                    /* requests in flight to this backend at the start */
	char *error;                           /* the reason for a failure, or NULL */
	char *content_type, *content_encoding; /* of the answer, or NULL */
	/* Copies of values in the reading, for those who read rows only. */
	uint32_t reading_marks;
	struct usage usage;
	char *model, *fingerprint, *finish; /* finish: the finish reason of choice 0 */
	char *dialect; /* the dialect used for the request and the answer; NULL: generic */
	/* the manifest of the backend's stack when the leg began; zero: not known */
	struct id manifest;
	/* the server that answered, if one address has several servers; or NULL */
	char *replica;
	uint32_t align; /* enum align */
	/* LEG_SCORED: the leg whose tokens are scored. Its first token is at index score_at of
	 * this leg's prompt columns (of its columns if it echoes). */
	struct id score_of;
	uint32_t score_at;
	/* LEG_GRADING: score_at is the graded choice of the leg score_of. LEG_JUDGING: the judge
	 * saw choice score_at of the leg score_of, then choice score_at of this leg. */
	struct id judged_against;
	enum content content; /* how much of the answer is stored; 0: full (older writers) */
	uint32_t redactions;  /* number of replacements in the answer, approximate */
	/* CONTENT_METADATA stores these in place of the texts. answer_hash: a hash under the
	 * capture's hash_key, equal for equal answers; zero: no answer of a known form. */
	uint8_t answer_hash[16];
	uint64_t answer_bytes, reasoning_bytes;
	uint8_t prompt[16]; /* the exchange's prompt hash, for the writer; not stored */
	/* For the code that checks answers to requests with added members; not stored. kind: a
	 * number from backends/injection/kinds.h, or 0. lost_characters: the text lacks characters
	 * that the tokens spell. */
	uint64_t kind;
	bool lost_characters;
	struct arena texts; /* as in exchange_row; texts of edits are not in it */
};

/* The row of a segment's meta table under the key META_KEY: which process wrote the segment, and
 * how. */
#define META_KEY "segment"

struct meta_row {
	uint32_t format;        /* RECORD_FORMAT */
	struct id segment, run; /* run: the run of the writer's traffic */
	char *host;
	uint64_t pid;
	uint64_t created_ns;  /* ns since 1970 */
	uint8_t hash_key[32]; /* of the prompt hashes */
	char *settings;       /* JSON without secrets, or NULL */
	char *version;        /* of the program */
};

/*
 * A backend's stack as observed at one time. It is in a segment's meta table under "manifest/" and
 * the 32 hex digits of its id. Each change of the stack makes one row, which every segment has
 * whose legs may name it.
 */
#define MANIFEST_KEY "manifest/"
#define MANIFEST_KEY_SIZE (sizeof(MANIFEST_KEY) - 1 + 32)

struct manifest_row {
	struct id id;
	char *backend; /* the backend's name in the configuration */
	char *url;     /* without credentials */
	enum role role;
	uint64_t wall_ns; /* time of observation, ns since 1970 */
	char *dialect;
	uint8_t digest[16]; /* hash of the facts: equal for equal stacks */
	char *json;         /* the facts, as written by capture/manifest.h */
};

void record_manifest_key(struct buf *to, struct id id); /* clears `to` first */
/* True if a key of the meta table belongs to a manifest. */
bool record_is_manifest_key(struct span key, struct id *ret_id) MUST_CHECK;

/* Append a payload, without envelope. */
void record_put_exchange(struct buf *to, const struct exchange_row *row);
void record_put_leg(struct buf *to, const struct leg_row *row);
void record_put_reading(struct buf *to, const struct reading *reading);
void record_put_meta(struct buf *to, const struct meta_row *row);
void record_put_manifest(struct buf *to, const struct manifest_row *row);

int record_get_exchange(struct span payload, struct exchange_row *ret) MUST_CHECK;
int record_get_leg(struct span payload, struct leg_row *ret) MUST_CHECK;
/* 0; 1: an older version of the parser made *ret (see leg_may_be_reread()). */
int record_get_reading(struct span payload, struct reading **ret) MUST_CHECK;
/* As record_get_reading(), but allocates in the arena `used`, which must be cleared. It then
 * belongs to the reading; on error it is freed. */
int record_get_reading_in(struct arena used, struct span payload, struct reading **ret) MUST_CHECK;
int record_get_meta(struct span payload, struct meta_row *ret) MUST_CHECK;
int record_get_manifest(struct span payload, struct manifest_row *ret) MUST_CHECK;

void exchange_row_finish(struct exchange_row *row); /* sets it to zero */
void leg_row_finish(struct leg_row *row);           /* sets it to zero */
/* The strings of a decoded row share one allocation. Call this before you free or replace one of
 * them; afterwards each is an allocation of its own. */
void exchange_row_loosen(struct exchange_row *row);
void leg_row_loosen(struct leg_row *row);
void meta_row_finish(struct meta_row *row);
void manifest_row_finish(struct manifest_row *row);

#define RECORD_ENVELOPE_SIZE 16

enum record_packing {
	RECORD_AS_IS,
	RECORD_SMALL, /* compress well: for data that is rarely read */
	RECORD_QUICK, /* compress so that decompression is fast: for data that is read often */
};
/* Appends the payload in its envelope. The payload is compressed if it has at least 1,024 bytes
 * and if that saves room in the segment. */
void record_wrap(
        struct buf *to, enum row_kind kind, struct span payload, enum record_packing packing);
/* Divides the bytes of a part into values of at most PART_STORED_LIMIT bytes, and appends these,
 * one after another, each as record_wrap() does. */
void record_wrap_part(struct buf *to, struct span bytes, enum record_packing packing);
/* The size of the first value in `stored`, with its envelope. record_wrap() must have made it. */
size_t record_stored_size(struct span stored);
/* Checks and opens an envelope. *ret_payload points into stored, or into *scratch if the payload
 * was compressed. Returns 0 or a negative errno (see above). */
int record_unwrap(struct span stored, enum row_kind kind, struct buf *scratch,
        struct span *ret_payload) MUST_CHECK;
