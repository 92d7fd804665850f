#pragma once
/*
 * cause - one explanation of the differences in a whole group of pairs: what it is, how much it
 * explains, how certain it is, and what to do. A list of causes owns its texts.
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
	CAUSE_PROMPT_TOKENS, /* the counts differ otherwise */
	CAUSE_UNLIKE,        /* different parameters are in force */
	CAUSE_REFUSED,       /* parameters removed for a strict engine */
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
	CAUSE_CORRUPTION,    /* more answers differ from a point in time on */
	CAUSE_LOAD,          /* more differences with more requests in flight */
	CAUSE_CACHE,         /* another answer if the prompt was in the cache */
	CAUSE_OTHER_MODEL,   /* little in common from the first token on */
	CAUSE_LOST_CONTEXT,  /* equal up to a token, then little in common */
	CAUSE_UNSTABLE,      /* one side differs from itself more than the other */
	CAUSE_DRIFT,         /* quantisation and other numeric noise */
	CAUSE_TIE,           /* both sides hold the two tokens about equally probable */
	N_CAUSES,
};

/* Signs in one pair of answers. One sign may belong to several causes. */
enum cause_trace {
	TRACE_FAILED, /* one side failed */
	/* Different prompt token counts: one trace for each group of enum cause_prompt_group. */
	TRACE_PROMPT,
	TRACE_PROMPT_WITH_SYSTEM,
	TRACE_PROMPT_OF_COMPLETION,
	TRACE_UNLIKE,   /* different parameters */
	TRACE_REFUSED,  /* parameters removed for a strict engine */
	TRACE_UNSET,    /* the temperature was left to the engines' defaults */
	TRACE_SAMPLED,  /* sampled, as requested */
	TRACE_CUT,      /* one side ended at its token limit */
	TRACE_STOP,     /* one side has a stop sequence that the other leaves out */
	TRACE_PLACE,    /* reasoning in different members */
	TRACE_MISSPELT, /* tokens do not spell the text */
	TRACE_MISALIGNED,
	TRACE_OVER_ONE,
	/* At the first difference, the choice of this side contradicts its own list; */
	TRACE_BASE_AGAINST,
	TRACE_TEST_AGAINST,
	/* and the token that it passed over had been in the answer before. */
	TRACE_BASE_PENALISED,
	TRACE_TEST_PENALISED,
	TRACE_SHUN,    /* the first difference is where only one side repeats an earlier token */
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
	SIDE_FROM_OWN_ANSWERS, /* answers and lists of that side alone (of each, if both) */
	SIDE_FROM_FLOORS,      /* how much each side differs from itself */
};
const char *cause_side_from_name(enum cause_side_from f); /* "comparison" */

#define CAUSE_EXCHANGES 8

/* The first exchanges that show a cause, in the order of their ids. Zero-initialised is empty. */
struct cause_exchanges {
	struct id ids[CAUSE_EXCHANGES];
	size_t n;
};
void cause_exchanges_add(struct cause_exchanges *e, struct id id);
void cause_exchanges_merge(struct cause_exchanges *e, const struct cause_exchanges *other);

/* The first differences with the smallest shifts (struct first), ordered by shift, then id;
 * zero-initialised is empty. */
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
	char *phrase; /* the same within a sentence: "a repetition penalty" */
	enum cause_side side;
	enum cause_side_from side_from;
	/* Pairs that it explains, of all pairs whose answers are not equal byte for byte or where
	 * one side failed; the same for greedy answers only. Reports show cause_share(). */
	uint64_t n, of, greedy_n, greedy_of;
	double p; /* adjusted over all tests of the group; NaN: no test was needed */
	/* shown by how one side draws its tokens, while the other side's draws don't:
	 * draws_side.h */
	bool by_draws;
	bool by_scores; /* shown by the scores of the answers of `side` */
	struct cause_exchanges exchanges;
	/* A bit set of enum cause_trace: bit 1 << t stands for trace t. A pair that differs and has
	 * one of these traces is an example of the cause. */
	uint32_t traces;
	/* Of these pairs, only those whose first difference has at most this shift, nats. 0:
	 * all. */
	double shift_most;
	char *fix;     /* what to try */
	char *confirm; /* the command that confirms the cause; NULL: there is none */
};

/* The share of the differing pairs that a cause explains, as reports show it. Greedy answers lead to
 * a verdict. So if the cause explains any of them, only greedy pairs count. */
struct cause_share {
	uint64_t n, of;
	bool of_greedy;
};
struct cause_share cause_share(const struct cause *c);

struct cause_list { /* zero-initialised is empty */
	struct cause items[N_CAUSES];
	size_t n;
};

/* The fixed texts of a cause. NULL: the text depends on the finding. */
struct cause_words {
	const char *key;    /* stable, for machines: "repetition_penalty" */
	const char *title;  /* for people */
	const char *phrase; /* as in struct cause */
	const char *fix;    /* likewise */
};
const struct cause_words *cause_words(enum cause_kind k);
/* Takes ownership of the cause's texts. At most one of each kind. */
void cause_list_add(struct cause_list *l, const struct cause *c);
void cause_list_sort(struct cause_list *l); /* the largest share first */
const struct cause *cause_list_get(const struct cause_list *l, enum cause_kind k); /* or NULL */
void cause_list_finish(struct cause_list *l);
