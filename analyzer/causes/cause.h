#pragma once
/*
 * cause - one explanation of the differences in a group of pairs: what it is, how much it explains,
 * how certain it is, and what to do. A list of causes owns its texts.
 */
#include "analyzer/stats/stats.h"
#include "base/id.h"

/* All causes. Reports list equally good explanations in this order. */
enum cause_kind {
	CAUSE_ERROR,         /* one side failed */
	CAUSE_STACK,         /* the test's stack changed within the capture */
	CAUSE_BOS,           /* a token at the beginning of the prompt on one side only */
	CAUSE_TEMPLATE,      /* other marks or texts around each message */
	CAUSE_TRUNCATED,     /* long prompts are cut on one side */
	CAUSE_SYSTEM,        /* one side drops system messages */
	CAUSE_PROMPT_TOKENS, /* the counts of prompt tokens differ in another way */
	CAUSE_UNLIKE,        /* different parameters are in force */
	CAUSE_REFUSED,       /* plumbline removed parameters that an engine does not accept */
	CAUSE_UNSET,         /* the temperature was left to the engines' defaults */
	CAUSE_CUT,           /* the token limit ended one answer and not the other */
	CAUSE_STOP_KEPT,     /* one side leaves stop sequences in the text */
	CAUSE_PLACE,         /* reasoning is in another member */
	CAUSE_SAMPLED,       /* sampled, as requested */
	CAUSE_MISSPELT,      /* tokens of logprobs do not spell the text */
	CAUSE_MISALIGNED,    /* logprobs belong to the token before or after */
	CAUSE_OVER_ONE,      /* lists whose probabilities sum to more than 1 */
	CAUSE_PROCESSED,     /* logprobs after temperature */
	CAUSE_CROSSTALK,     /* the text of another request */
	CAUSE_PENALTY,       /* a repetition penalty */
	CAUSE_SAMPLING,      /* sampling that was not requested */
	CAUSE_CORRUPTION,    /* from a point in time on, more answers differ */
	CAUSE_LOAD,          /* more differences with more requests in flight */
	CAUSE_CACHE,         /* other answers if the prompt was in the cache */
	CAUSE_OTHER_MODEL,   /* little in common from the first token on */
	CAUSE_LOST_CONTEXT,  /* equal up to a token, then little in common */
	CAUSE_UNSTABLE,      /* one side differs from itself more than the other */
	CAUSE_DRIFT,         /* quantisation and other numeric noise */
	CAUSE_TIE,           /* both sides give the two tokens about equal probability */
	N_CAUSES,
};

/* Signs in one pair of answers. One sign may belong to several causes. */
enum cause_trace {
	TRACE_FAILED, /* one side failed */
	/* The sides count different numbers of prompt tokens: one trace for each enum
	 * cause_prompt_group. */
	TRACE_PROMPT,
	TRACE_PROMPT_WITH_SYSTEM,
	TRACE_PROMPT_OF_COMPLETION,
	TRACE_UNLIKE,   /* different parameters */
	TRACE_REFUSED,  /* plumbline removed parameters that an engine does not accept */
	TRACE_UNSET,    /* the temperature was left to the engines' defaults */
	TRACE_SAMPLED,  /* sampled, as requested */
	TRACE_CUT,      /* one side ended at its token limit */
	TRACE_STOP,     /* one side has a stop sequence that the other leaves out */
	TRACE_PLACE,    /* reasoning in different members */
	TRACE_MISSPELT, /* tokens do not spell the text */
	TRACE_MISALIGNED,
	TRACE_OVER_ONE,
	/* At the first difference, this side's choice contradicts its own list. */
	TRACE_BASE_AGAINST,
	TRACE_TEST_AGAINST,
	/* Also, the token that this side passed over already stood in the answer. */
	TRACE_BASE_PENALISED,
	TRACE_TEST_PENALISED,
	TRACE_SHUN,    /* at the first difference, only one side repeats an earlier token */
	TRACE_OPENING, /* little in common at the first token */
	TRACE_LOST,    /* little in common at a later token */
	TRACE_LOAD,    /* other requests were in flight */
	TRACE_CACHE,   /* the prompt was in the cache */
	TRACE_FIRST,   /* a first differing token is known */
	N_TRACES,
};

enum cause_side { CAUSE_OF_TEST, CAUSE_OF_BASE, CAUSE_OF_BOTH, CAUSE_OF_UNKNOWN };
const char *cause_side_name(enum cause_side s); /* "test" */

/* How the analysis found out which side a cause belongs to. */
enum cause_side_from {
	SIDE_FROM_COMPARISON,  /* answers of both sides, compared */
	SIDE_FROM_OWN_ANSWERS, /* the side's own answers and lists; if both sides: of each one */
	SIDE_FROM_FLOORS,      /* how much each side differs from itself */
};
const char *cause_side_from_name(enum cause_side_from f); /* "comparison" */

#define CAUSE_EXCHANGES 8

/* The first exchanges that show a cause, ordered by id. Zero-initialised: empty. */
struct cause_exchanges {
	struct id ids[CAUSE_EXCHANGES];
	size_t n;
};
void cause_exchanges_add(struct cause_exchanges *e, struct id id);
void cause_exchanges_merge(struct cause_exchanges *e, const struct cause_exchanges *other);

/* The first differences with the smallest shifts (struct first), ordered by shift, then by id.
 * Zero-initialised: empty. */
struct cause_nearest {
	struct {
		double shift;
		struct id id;
	} items[CAUSE_EXCHANGES];
	size_t n;
};
void cause_nearest_add(struct cause_nearest *n, double shift, struct id id);

struct cause {
	enum cause_kind kind;
	char *text;   /* one sentence, with figures */
	char *phrase; /* the cause as part of a sentence: "a repetition penalty" */
	enum cause_side side;
	enum cause_side_from side_from;
	/* It explains n pairs, out of `of` pairs whose answers are not equal byte for byte or
	 * where one side failed; greedy_n, greedy_of: among greedy answers only. Reports show
	 * cause_share(). */
	uint64_t n, of, greedy_n, greedy_of;
	double p; /* adjusted over all tests of the group; NaN: no test was needed */
	/* the draws of one side show it, and those of the other side do not: draws_text.h */
	bool by_draws;
	bool by_scores; /* scores of the answers of `side` show it */
	struct cause_exchanges exchanges;
	/* Bit set: 1 << enum cause_trace. A pair that differs and has one of these traces is an
	 * example of the cause. */
	uint32_t traces;
	/* Nats; only those of these pairs whose first difference has at most this shift are
	 * examples. 0: all are. */
	double shift_most;
	char *fix;     /* what to try */
	char *confirm; /* command that confirms the cause; NULL: there is none */
};

/* The share of the differing pairs that a cause explains, as reports show it. Only greedy answers
 * lead to a verdict. So if the cause explains any greedy pairs (of_greedy), only these count. */
struct cause_share {
	uint64_t n, of;
	bool of_greedy;
};
struct cause_share cause_share(const struct cause *c);

struct cause_list { /* zero-initialised: empty */
	struct cause items[N_CAUSES];
	size_t n;
};

/* The fixed texts of a cause. A member is NULL if the text depends on the finding. */
struct cause_words {
	const char *key;    /* stable, for machines: "repetition_penalty" */
	const char *title;  /* for people */
	const char *phrase; /* see struct cause */
	const char *fix;    /* see struct cause */
};
const struct cause_words *cause_words(enum cause_kind k);
/* Adds a cause, at most one of each kind. Takes ownership of its texts. */
void cause_list_add(struct cause_list *l, const struct cause *c);
void cause_list_sort(struct cause_list *l); /* the largest share first */
const struct cause *cause_list_get(const struct cause_list *l, enum cause_kind k); /* or NULL */
void cause_list_finish(struct cause_list *l);
