#pragma once
/*
 * cause - one explanation of why answers differ, for a whole group of pairs: what it is, how much it
 * explains, how sure that is, and what to do. A list of them owns its texts.
 */
#include "analyzer/stats/stats.h"
#include "base/id.h"

/* What can be named. The order is the one in which equally good explanations are told. */
enum cause_kind {
	CAUSE_ERROR,         /* one side failed */
	CAUSE_STACK,         /* the test's stack changed within the capture */
	CAUSE_BOS,           /* a token at the beginning of the prompt, on one side only */
	CAUSE_TEMPLATE,      /* marks or texts around each message */
	CAUSE_TRUNCATED,     /* long prompts are cut on one side */
	CAUSE_SYSTEM,        /* one side drops system messages */
	CAUSE_PROMPT_TOKENS, /* the counts differ otherwise */
	CAUSE_UNLIKE,        /* other parameters in force */
	CAUSE_REFUSED,       /* parameters taken out for a strict engine */
	CAUSE_UNSET,         /* the temperature was left to the engines */
	CAUSE_CUT,           /* the limit of tokens ended one answer, and not the other */
	CAUSE_STOP_KEPT,     /* one side leaves stop sequences in the text */
	CAUSE_PLACE,         /* reasoning stands elsewhere */
	CAUSE_SAMPLED,       /* chance has a part, as asked */
	CAUSE_MISSPELT,      /* logprobs whose tokens do not spell the text */
	CAUSE_MISALIGNED,    /* logprobs that belong to the token before or after */
	CAUSE_OVER_ONE,      /* lists whose probabilities sum to more than 1 */
	CAUSE_PROCESSED,     /* logprobs after temperature */
	CAUSE_CROSSTALK,     /* the text of another request */
	CAUSE_PENALTY,       /* a repetition penalty */
	CAUSE_SAMPLING,      /* a sampler that was not requested */
	CAUSE_CORRUPTION,    /* from a point in time on */
	CAUSE_LOAD,          /* more requests at once, more differences */
	CAUSE_CACHE,         /* a prompt that was seen before is answered otherwise */
	CAUSE_OTHER_MODEL,   /* nothing in common from the first token on */
	CAUSE_LOST_CONTEXT,  /* all in common, and suddenly nothing */
	CAUSE_UNSTABLE,      /* one side differs from itself more than the other does */
	CAUSE_DRIFT,         /* quantisation and its kin */
	CAUSE_TIE,           /* tokens that both hold about equally probable */
	N_CAUSES,
};

/* What one pair of answers shows, and by which more than one cause may be told. */
enum cause_trace {
	TRACE_FAILED, /* one side failed */
	TRACE_PROMPT, /* unlike counts of the prompt's tokens: cause_prompt_group */
	TRACE_PROMPT_WITH_SYSTEM,
	TRACE_PROMPT_OF_COMPLETION,
	TRACE_UNLIKE,   /* unlike parameters */
	TRACE_REFUSED,  /* parameters taken out for a strict engine */
	TRACE_UNSET,    /* a temperature that was left to the engines */
	TRACE_SAMPLED,  /* chance, as asked */
	TRACE_CUT,      /* one side ended at its limit */
	TRACE_STOP,     /* one side says a stop sequence that the other leaves out */
	TRACE_PLACE,    /* reasoning in unlike places */
	TRACE_MISSPELT, /* tokens that do not spell the text */
	TRACE_MISALIGNED,
	TRACE_OVER_ONE,
	TRACE_BASE_AGAINST, /* a choice against that side's own list */
	TRACE_TEST_AGAINST,
	TRACE_SHUN,    /* they part where one side's choice had been there, and the other's not */
	TRACE_OPENING, /* hardly anything in common at the first token */
	TRACE_LOST,    /* or at a later one */
	TRACE_LOAD,    /* other requests under way */
	TRACE_CACHE,   /* a prompt out of the cache */
	TRACE_FIRST,   /* they part at a token */
	N_TRACES,
};

enum cause_side { CAUSE_OF_TEST, CAUSE_OF_BASE, CAUSE_OF_BOTH, CAUSE_OF_UNKNOWN };
const char *cause_side_name(enum cause_side s); /* "test" */

#define CAUSE_EXCHANGES 8

/* The first few exchanges that show it, by their ids; zero-initialised is empty. */
struct cause_exchanges {
	struct id ids[CAUSE_EXCHANGES];
	size_t n;
};
void cause_exchanges_add(struct cause_exchanges *e, struct id id);
void cause_exchanges_merge(struct cause_exchanges *e, const struct cause_exchanges *other);

struct cause {
	enum cause_kind kind;
	char *text;   /* one sentence, with figures */
	char *phrase; /* what it is within another sentence: "a repetition penalty" */
	enum cause_side side;
	/* Pairs that it explains, of all whose answers are not the same as they came, those included
	 * where one side failed; and the same of greedy answers alone. */
	uint64_t n, of, greedy_n, greedy_of;
	double p;      /* adjusted over all tests of the group; NaN: no test was needed */
	bool by_draws; /* shown by how one side draws its tokens, and by the other not: draws_side.h */
	bool by_scores; /* the scores of that side's answers show it */
	struct cause_exchanges exchanges;
	uint32_t traces; /* 1 << enum cause_trace: pairs that differ and have one of them show it */
	char *fix;       /* what one would try */
	char *confirm;   /* the command that would confirm it; NULL: it can't be given */
};

struct cause_list { /* zero-initialised is empty */
	struct cause items[N_CAUSES];
	size_t n;
};

/* What is always said of a cause. NULL: it depends on what was found. */
struct cause_words {
	const char *key;    /* stable, for machines: "repetition_penalty" */
	const char *title;  /* for people */
	const char *phrase; /* as in struct cause */
	const char *fix;    /* likewise */
};
const struct cause_words *cause_words(enum cause_kind k);
/* Takes over the cause's texts. One of a kind. */
void cause_list_add(struct cause_list *l, const struct cause *c);
void cause_list_sort(struct cause_list *l); /* the largest share first */
const struct cause *cause_list_get(const struct cause_list *l, enum cause_kind k); /* or NULL */
void cause_list_finish(struct cause_list *l);
