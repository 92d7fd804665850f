#pragma once
/*
 * reading - an engine's answer, read from its raw body: text, reasoning, tool calls, finish reason,
 * usage and token columns. It reads the answers of any engine, streamed or not, chat or completion.
 *
 * A reading can be made again from the raw bytes at any time. Pure; every input is hostile. A
 * reader takes the body (decoded, without chunk frames) in pieces as they arrive, and makes a
 * reading at the end, also of a body that was cut off. Each reader belongs to one thread.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "answers/request.h"

/* Increase it if the same bytes give another reading than before. Captures store readings; those of
 * an older version are made again when they are used. */
#define READING_VERSION 7
/* bytes of a reading, unless the hints set another limit */
#define READING_LIMIT ((size_t)64 << 20)
#define READING_CHOICES_LIMIT 128
#define READING_TOP_LIMIT 256     /* alternatives of a token */
#define READING_CALLS_LIMIT 512   /* tool calls of a choice */
#define READING_THOUGHTS_LIMIT 64 /* thoughts of a choice */
#define READING_UNKNOWN_LIMIT 8   /* names in reading.unknown */
#define READING_UNKNOWN_NAME 64   /* bytes of such a name */
#define READING_EMBEDDINGS_LIMIT 4096
#define READING_EMBEDDING_VALUES_LIMIT (1 << 20) /* values of all vectors of an answer */

/* Irregularities of an answer: a set of bits. */
enum reading_mark {
	READING_NOT_JSON = 1 << 0, /* a body or an event that should be JSON is not */
	READING_NO_DONE = 1 << 1,  /* a stream without [DONE], or what its form has in its place */
	/* A choice has no finish reason although one was due: the answer is a stream, or a
	 * document that is cut or has null as the finish reason. */
	READING_CUT = 1 << 2,
	READING_TOKENS_MISSPELL = 1 << 3, /* the tokens of the logprobs do not spell the text */
	/* there are no logprobs although reading_hints.wants_logprobs is true */
	READING_LOGPROBS_MISSING = 1 << 4,
	/* a logprob is NaN, Infinity, null, or -9999 or less, or a vector's value is not finite: it
	 * counts as missing */
	READING_NON_FINITE = 1 << 5,
	READING_ERROR_BODY = 1 << 6,   /* it has an error object, perhaps in mid-stream */
	READING_TOO_LARGE = 1 << 7,    /* it exceeds a limit: only a part was read */
	READING_ENCODED = 1 << 8,      /* a content coding that plumbline could not decode */
	READING_LOSSY_TOKENS = 1 << 9, /* tokens with U+FFFD or without bytes */
	/* A member with logprobs has an impossible shape or length: it is dropped, the rest is
	 * kept. */
	READING_MALFORMED_LOGPROBS = 1 << 10,
	/* The engine wrote 0.0 for logprobs that it did not measure (speculative decoding,
	 * TurboMind): at least 8 tokens have no alternatives, or have a logprob of exactly 0.0 that
	 * their alternatives contradict, and more than half of these tokens have 0.0. These 0.0 and
	 * the logprobs of their tokens' alternatives count as missing. */
	READING_ZERO_LOGPROBS = 1 << 11,
	/* the answer has a form that plumbline stores but does not read (Anthropic's) */
	READING_NOT_READ = 1 << 12,
	READING_THOUGHT_OPEN = 1 << 13, /* inline reasoning began and never ended */
	/* tokens are "token_id:123" in place of texts: only ids are known */
	READING_KEYLESS_TOKENS = 1 << 14,
	/* a vector is not base64 of whole floats: it is dropped */
	READING_BAD_VECTOR = 1 << 15,
	/* The probabilities are those after the sampler chain (llama.cpp's post_sampling_probs),
	 * not the model's: tokens and alternatives are kept without logprobs. */
	READING_SAMPLED_PROBS = 1 << 16,
	/* A logprob is above 0 by more than rounding, so the numbers are logits: all logprobs of
	 * that choice are dropped. */
	READING_POSITIVE_LOGPROBS = 1 << 17,
	READING_EMPTY = 1 << 18,          /* it has no choices although they were due */
	READING_ABORTED = 1 << 19,        /* a choice's finish reason is FINISH_ABORTED */
	READING_UNKNOWN_FINISH = 1 << 20, /* a choice's finish reason is FINISH_UNKNOWN */
	/* A member that may hold a part of the answer was not read; reading.unknown has its
	 * name. Such an answer cannot be compared. */
	READING_UNKNOWN_MEMBERS = 1 << 21,
	/* The counts in the usage contradict each other. If all choices have tokens with logprobs,
	 * completion_tokens is then the number of these tokens. */
	READING_CONTRADICTORY_USAGE = 1 << 22,
};
/* The name of the mark 1 << bit; NULL: there is no such mark. */
const char *reading_mark_name(unsigned bit);

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
	FRAMING_UNARY,   /* the body is one document */
	FRAMING_SSE,     /* server-sent events */
	FRAMING_NDJSON,  /* one document on each line */
};
/* The framing that a Content-Type states. FRAMING_UNKNOWN: the type does not decide it, such as
 * text/plain. */
enum framing framing_of_type(struct span content_type);

enum token_flag {
	TOKEN_MISSING = 1 << 0,  /* the logprob is not usable */
	TOKEN_LOSSY = 1 << 1,    /* its bytes are missing or have U+FFFD */
	TOKEN_NOT_TOP = 1 << 2,  /* the chosen token is not the most probable of its list */
	TOKEN_UNLISTED = 1 << 3, /* the chosen token is not in its own top list */
	/* The text to which the token's bytes belong, found by matching bytes and not by index; a
	 * refusal counts as answer. A mark and a token of a tool call or of the end have neither
	 * flag. If the tokens do not spell the texts, no token has one. */
	TOKEN_OF_REASONING = 1 << 4,
	TOKEN_OF_ANSWER = 1 << 5,
	/* The engine named another token than it generated (mlx-lm). The columns have the token
	 * that the text contains; its logprob is missing unless the list of alternatives has it. */
	TOKEN_MISNAMED = 1 << 6,
};

/*
 * Token columns: one entry for each token, in order of generation. The bytes of token i are
 * bytes[bytes_end[i - 1] .. bytes_end[i]). Its alternatives are the rows top_end[i - 1] ..
 * top_end[i] (exclusive) of the top columns; the bytes of row r are top_bytes[top_bytes_end[r - 1]
 * .. top_bytes_end[r]). Index -1 stands for 0. Logprobs are natural logarithms as float32; missing
 * ones are NaN. Ids are -1 if the engine gives none.
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

/* The offset at which the bytes of token i begin. */
static inline uint32_t columns_token_from(const struct columns *c, uint32_t i)
{
	return i ? c->bytes_end[i - 1] : 0;
}

static inline struct span columns_token(const struct columns *c, uint32_t i)
{
	uint32_t from = columns_token_from(c, i);
	return (struct span){c->bytes + from, c->bytes_end[i] - from};
}
/* True if the bytes of a token are missing or have U+FFFD (TOKEN_LOSSY). */
bool token_is_lossy(struct span token);

static inline struct span columns_top_token(const struct columns *c, uint32_t row)
{
	uint32_t from = row ? c->top_bytes_end[row - 1] : 0;
	return (struct span){c->top_bytes + from, c->top_bytes_end[row] - from};
}

struct tool_call {
	char *id, *name, *arguments; /* NUL-terminated; NULL where absent */
	bool in_text; /* found in the answer's text (<tool_call>...), which still has it */
};

/*
 * Reasoning inside the answer's text (<think>...</think> and similar marks); the text still has it.
 * Bytes [open, close) of the text include the marks, [from, to) do not. If there is a closing mark
 * without an opening one, all text before it is reasoning. Reasoning without a closing mark ends at
 * a tool call, or with the text (READING_THOUGHT_OPEN). If to equals open, there is no reasoning:
 * the bytes are only marks around the answer.
 */
struct thought {
	uint32_t open, from, to, close;
};

enum reasoning_place {
	REASONING_NONE,
	REASONING_FIELD,  /* in a member of the message: choice.reasoning */
	REASONING_INLINE, /* in the text: choice.thoughts */
	REASONING_BOTH,
	REASONING_HIDDEN, /* not in the answer, but usage counts reasoning tokens */
};
const char *reasoning_place_name(enum reasoning_place p); /* "none", "field", "inline", ... */

/* One vector of an embeddings answer, which came as base64 or as numbers. n: its number of
 * values. */
struct embedding {
	uint32_t index, n;
	float *values;
};

struct choice {
	int32_t index;
	struct buf text;      /* content of a chat, or text of a completion */
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
	/* Scores of the prompt's tokens (prompt_logprobs, input_token_logprobs, prefill). If the
	 * engine echoes the prompt before the answer, `text` and `columns` include the echo. */
	struct columns prompt;
	bool has_prompt;
};

struct usage { /* -1: not stated */
	int64_t prompt_tokens, completion_tokens, total_tokens;
	int64_t cached_tokens, reasoning_tokens;
};

struct reading {
	uint32_t marks; /* enum reading_mark */
	enum reading_shape shape;
	char *model; /* as the answer states it, or NULL */
	char *response_id;
	char *fingerprint; /* system_fingerprint */
	char *error;       /* the message of an error object */
	/* Names of unread members (READING_UNKNOWN_MEMBERS), such as "message.audio", in order
	 * of appearance, separated by spaces; NULL: none. */
	char *unknown;
	struct usage usage;
	struct choice *choices; /* sorted by index */
	size_t n_choices;
	struct embedding *embeddings; /* sorted by index */
	size_t n_embeddings;
	/* SSE events with data, including [DONE], or NDJSON lines; 0 for one document */
	uint32_t n_events;
	/* Offset in the body of the end of the first event with content (text, reasoning, a tool
	 * call). The arrival time of that byte is the time to first token. 0: no such event, or
	 * no stream. */
	uint64_t first_content_at;
	/* Memory of a reading that was decoded from a capture. Such a reading must not be
	 * changed. Empty: each part is an allocation of its own. */
	struct arena arena;
};

struct reading_hints {
	enum endpoint endpoint;
	int status;
	enum framing framing; /* framing_of_type() of the answer */
	bool wants_logprobs;  /* the request asked for logprobs */
	bool has_tools;       /* the request offered tools, so that calls may be in the text */
	struct offered offered;
	size_t limit; /* bytes of the reading; 0: READING_LIMIT */
};

/* True if, by endpoint and status, an answer with choices is due. False for paths that other
 * services may use, too. */
bool reading_hints_expect(const struct reading_hints *hints);

struct reader;

struct reader *reader_create(const struct reading_hints *hints); /* copies the hints */
void reader_feed(struct reader *r, const char *data, size_t len);
/* Returns the reading, which the caller destroys, and frees the reader. complete: the body ended
 * as its framing said. */
struct reading *reader_end(struct reader *r, bool complete);
void reader_destroy(struct reader *r);   /* frees a reader without making a reading; NULL is fine */
void reading_destroy(struct reading *r); /* NULL is fine */

/* Returns the next name of reading.unknown. *at: NULL-terminated rest of the list, which the
 * call shortens; set it to reading.unknown first. Empty: no more. */
struct span reading_next_unknown(const char **at);
/* The choice with that index, or NULL. */
const struct choice *reading_choice(const struct reading *r, int32_t index);
/* Appends what the user sees: the choice's text without inline reasoning, marks around the answer
 * and tool calls. If anything was removed, white space at both ends is trimmed. */
void choice_answer(const struct choice *c, struct buf *to);
/* Appends the choice's reasoning, both from its member and from its text; what both have counts
 * once. */
void choice_reasoning(const struct choice *c, struct buf *to);

/* Builds columns token by token; columns_builder_end() frees it. */
struct columns_builder;
struct columns_builder *columns_builder_create(void);
void columns_builder_token(
        struct columns_builder *b, struct span bytes, int32_t id, float lp, uint8_t flags);
/* adds an alternative of the last token */
void columns_builder_top(struct columns_builder *b, struct span bytes, int32_t id, float lp);
void columns_builder_end(struct columns_builder *b, struct columns *ret);
/* Frees the arrays, which must not be in an arena. */
void columns_finish(struct columns *c);
