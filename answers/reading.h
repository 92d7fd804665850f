#pragma once
/*
 * reading - an engine's answer as read from its raw body: text, reasoning, tool calls, finish
 * reason, usage and token columns; streamed or not, chat or completion, of any engine.
 *
 * The raw bytes are the truth; a reading can be made again at any time. Pure, no I/O; every input
 * is hostile. A reader takes the body in pieces as they arrive (de-chunked and decoded) and makes a
 * reading at the end, also of a body that was cut. One thread a reader.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "answers/request.h"

#define READING_VERSION 3
#define READING_LIMIT ((size_t)64 << 20) /* bytes held, unless the hints set another limit */
#define READING_CHOICES_LIMIT 128
#define READING_TOP_LIMIT 256
#define READING_CALLS_LIMIT 512
#define READING_THOUGHTS_LIMIT 64
#define READING_UNKNOWN_LIMIT 8
#define READING_UNKNOWN_NAME 64 /* bytes */
#define READING_EMBEDDINGS_LIMIT 4096
#define READING_EMBEDDING_VALUES_LIMIT (1 << 20) /* of all vectors of an answer */

/* Irregularities of an answer: a set of bits. */
enum reading_mark {
	READING_NOT_JSON = 1 << 0, /* a body (or an event) that should be JSON is not */
	READING_NO_DONE = 1 << 1,  /* a stream without [DONE] */
	/* A choice has no finish reason although one was due: the answer is a stream, or a
	 * document that is cut or has null as the finish reason. */
	READING_CUT = 1 << 2,
	READING_TOKENS_MISSPELL = 1 << 3,  /* the tokens of the logprobs do not spell the text */
	READING_LOGPROBS_MISSING = 1 << 4, /* requested (reading_hints.wants_logprobs) but absent */
	READING_NON_FINITE = 1 << 5,       /* NaN, Infinity, null, -9999 or less: missing */
	READING_ERROR_BODY = 1 << 6,       /* an error object, also in mid-stream */
	READING_TOO_LARGE = 1 << 7,        /* over a limit: read up to it */
	READING_ENCODED = 1 << 8,          /* a content coding that could not be undone */
	READING_LOSSY_TOKENS = 1 << 9,     /* tokens with U+FFFD or without bytes */
	/* A member about logprobs has an impossible shape or length: it is dropped, the rest
	 * kept. */
	READING_MALFORMED_LOGPROBS = 1 << 10,
	/* Exactly 0.0 at more than half of at least 8 tokens whose alternatives are absent or
	 * contradict it: not measured (speculative decoding, TurboMind). These logprobs count as
	 * missing, and so do the contradicting alternatives. */
	READING_ZERO_LOGPROBS = 1 << 11,
	READING_NOT_READ = 1 << 12,       /* a form that is stored but not read (Anthropic's) */
	READING_THOUGHT_OPEN = 1 << 13,   /* inline reasoning began and never ended */
	READING_KEYLESS_TOKENS = 1 << 14, /* "token_id:123" in place of texts: ids only */
	READING_BAD_VECTOR = 1 << 15,     /* a vector that is not base64 of whole floats: dropped */
	/* Probabilities after the sampler chain (llama.cpp's post_sampling_probs), not the model's:
	 * tokens and alternatives are kept without logprobs. */
	READING_SAMPLED_PROBS = 1 << 16,
	/* A logprob above 0 by more than rounding: logits, so all of that choice are dropped. */
	READING_POSITIVE_LOGPROBS = 1 << 17,
	READING_EMPTY = 1 << 18,          /* choices were due, but there are none */
	READING_ABORTED = 1 << 19,        /* a choice's finish reason is FINISH_ABORTED */
	READING_UNKNOWN_FINISH = 1 << 20, /* a choice's finish reason is FINISH_UNKNOWN */
	/* A member that may hold a part of the answer was not read; reading.unknown names it. Such
	 * an answer cannot be compared. */
	READING_UNKNOWN_MEMBERS = 1 << 21,
	/* The counts of the usage contradict each other. completion_tokens is then the number of
	 * tokens with logprobs, if there are any. */
	READING_CONTRADICTORY_USAGE = 1 << 22,
};

/* The form of an answer's document, recognised by its members and not by the endpoint. */
enum reading_shape {
	SHAPE_UNKNOWN,
	SHAPE_OPENAI,    /* choices */
	SHAPE_RESPONSES, /* output items, or events named response.* */
	SHAPE_EMBEDDING,
	SHAPE_OLLAMA, /* /api/chat, /api/generate: message or response, and done */
	SHAPE_LLAMA,  /* llama.cpp's /completion: content, stop, completion_probabilities */
	SHAPE_SGLANG, /* /generate: text, meta_info */
	SHAPE_TGI,    /* /generate: generated_text, details; streamed: token */
	SHAPE_ANTHROPIC,
	N_SHAPES,
};
const char *reading_shape_name(enum reading_shape s);

/* How a body is divided into documents. */
enum framing {
	FRAMING_UNKNOWN, /* decided by the first bytes */
	FRAMING_UNARY,
	FRAMING_SSE,
	FRAMING_NDJSON,
};
/* From a Content-Type. FRAMING_UNKNOWN: the type does not decide it, such as text/plain. */
enum framing framing_of_type(struct span content_type);

enum token_flag {
	TOKEN_MISSING = 1 << 0, /* the logprob is not usable */
	TOKEN_LOSSY = 1 << 1,
	TOKEN_NOT_TOP = 1 << 2,  /* the chosen token is not the most probable of its list */
	TOKEN_UNLISTED = 1 << 3, /* the chosen token is not in its own top list */
	/* Where the token's bytes are in the answer, found by text and not by index. Neither flag:
	 * a marker, a token of a tool call or of the end, or the tokens do not spell the texts. */
	TOKEN_OF_REASONING = 1 << 4,
	TOKEN_OF_ANSWER = 1 << 5,
	/* The engine named another token than it generated (mlx-lm): the token here is the text's,
	 * and its logprob is missing unless its own list has it. */
	TOKEN_MISNAMED = 1 << 6,
};

/*
 * Token columns: one entry a token, in order of generation. Bytes of token i are
 * bytes[bytes_end[i - 1] .. bytes_end[i]); its alternatives are rows top_end[i - 1] .. top_end[i]
 * of the top columns, whose bytes lie likewise in top_bytes. Logprobs are natural logs as float32;
 * missing ones are NaN. Ids are -1 where the engine gives none.
 */
struct columns {
	uint32_t n;
	uint32_t *bytes_end;
	char *bytes;
	int32_t *ids;
	float *lp;
	uint8_t *flags; /* enum token_flag */
	uint32_t *top_end;
	uint32_t *top_bytes_end;
	char *top_bytes;
	int32_t *top_ids;
	float *top_lp;
};

/* Where the bytes of token i begin. */
static inline uint32_t columns_token_from(const struct columns *c, uint32_t i)
{
	return i ? c->bytes_end[i - 1] : 0;
}

static inline struct span columns_token(const struct columns *c, uint32_t i)
{
	uint32_t from = columns_token_from(c, i);
	return (struct span){c->bytes + from, c->bytes_end[i] - from};
}

static inline struct span columns_top_token(const struct columns *c, uint32_t row)
{
	uint32_t from = row ? c->top_bytes_end[row - 1] : 0;
	return (struct span){c->top_bytes + from, c->top_bytes_end[row] - from};
}

struct tool_call {
	char *id, *name, *arguments; /* NUL-terminated; NULL where absent */
	bool in_text; /* found in the answer's text (<tool_call>...), where it still is */
};

/*
 * Reasoning inside the answer's text (<think>...</think> and the like), where it still is: bytes
 * [open, close) of the text with the marks, [from, to) without. A closing mark without an opening
 * one makes everything before it reasoning; reasoning that never ends goes to the end of the text
 * (READING_THOUGHT_OPEN).
 */
struct thought {
	uint32_t open, from, to, close;
};

enum reasoning_place {
	REASONING_NONE,
	REASONING_FIELD,  /* a member of its own: choice.reasoning */
	REASONING_INLINE, /* choice.thoughts */
	REASONING_BOTH,
	REASONING_HIDDEN, /* usage counts reasoning tokens, none are shown */
};

/* One vector of an embeddings answer, whether it came as base64 or as numbers. */
struct embedding {
	uint32_t index, n;
	float *values;
};

struct choice {
	int32_t index;
	struct buf text;      /* the answer: content or completion text */
	struct buf reasoning; /* from reasoning_content, reasoning or thinking fields */
	struct buf refusal;
	struct tool_call *calls;
	size_t n_calls;
	char *finish; /* finish_reason as stated, or NULL */
	struct columns columns;
	bool has_columns;
	struct thought *thoughts; /* in order */
	size_t n_thoughts;
	enum reasoning_place place;
	/* Scores of the prompt's tokens (prompt_logprobs, input_token_logprobs, prefill). What an
	 * echo puts before the answer is in `columns`, as it is in `text`. */
	struct columns prompt;
	bool has_prompt;
};

struct usage {
	int64_t prompt_tokens, completion_tokens, total_tokens; /* -1: not stated */
	int64_t cached_tokens, reasoning_tokens;
};

struct reading {
	uint32_t marks; /* enum reading_mark */
	enum reading_shape shape;
	char *model; /* as the answer names it, or NULL */
	char *response_id;
	char *fingerprint; /* system_fingerprint */
	char *error;       /* the message of an error object */
	/* Names of unknown members (READING_UNKNOWN_MEMBERS), such as "message.audio", in order of
	 * appearance, separated by spaces; NULL: none. */
	char *unknown;
	struct usage usage;
	struct choice *choices; /* sorted by index */
	size_t n_choices;
	struct embedding *embeddings; /* sorted by index */
	size_t n_embeddings;
	uint32_t n_events; /* SSE events with data, [DONE] included, or NDJSON lines; 0 for unary */
	/* Offset in the body after the first event with content (text, reasoning, a tool call);
	 * with the arrival times of bytes it gives the time to first token. 0: none, or not a
	 * stream. */
	uint64_t first_content_at;
	/* Memory of a reading that was decoded from a capture, and must not be changed. Empty: each
	 * part is an allocation of its own. */
	struct arena arena;
};

struct reading_hints {
	enum endpoint endpoint;
	int status;
	enum framing framing;
	bool wants_logprobs;
	bool has_tools; /* the request offered tools, so calls may be in the text */
	struct offered offered;
	size_t limit; /* bytes held; 0: READING_LIMIT */
};

/* True if an answer with choices is due, by endpoint and status. False where other services may use
 * the same path. */
bool reading_hints_expect(const struct reading_hints *hints);

struct reader;

struct reader *reader_create(const struct reading_hints *hints);
void reader_feed(struct reader *r, const char *data, size_t len);
/* Returns the reading and frees the reader. complete: the body ended as its framing said. */
struct reading *reader_end(struct reader *r, bool complete);
void reader_destroy(struct reader *r);   /* without a reading; NULL is fine */
void reading_destroy(struct reading *r); /* NULL is fine */

/* Returns the next name of reading.unknown, which begins at *at, and advances. Empty: no more. */
struct span reading_next_unknown(const char **at);
/* The choice with that index, or NULL. */
const struct choice *reading_choice(const struct reading *r, int32_t index);
/* Appends the choice's text without inline reasoning and tool calls: what was said to the user.
 * White space at both ends is trimmed if anything was removed. */
void choice_answer(const struct choice *c, struct buf *to);
/* Appends the choice's reasoning, from its field and its text. */
void choice_reasoning(const struct choice *c, struct buf *to);

/* A builder for columns. */
struct columns_builder;
struct columns_builder *columns_builder_create(void);
void columns_builder_token(
        struct columns_builder *b, struct span bytes, int32_t id, float lp, uint8_t flags);
void columns_builder_top(
        struct columns_builder *b, struct span bytes, int32_t id, float lp); /* of the last token */
void columns_builder_end(struct columns_builder *b, struct columns *ret);    /* frees the builder */
/* frees the arrays, which must be allocated one by one, not in an arena */
void columns_finish(struct columns *c);
