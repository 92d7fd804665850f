#pragma once
/*
 * cause - one explanation of the differences in a group of pairs: what it is, how many pairs it
 * explains, how certain it is, and what to do.
 */
#include "analyzer/stats/stats.h"
#include "base/id.h"

/* All causes. Reports list equally good explanations in this order, and prefer the first one. */
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
	CAUSE_PLACE,         /* reasoning or tool calls are in another member */
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

/* Signs of causes that one pair of answers shows. Several causes may share a sign: the tables of
 * cause_text.c and cause_text_tokens.c say which cause has which. */
enum cause_trace {
	TRACE_FAILED, /* one side failed, the other did not */
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
	TRACE_PLACE,    /* reasoning or tool calls in different members */
	TRACE_MISSPELT, /* tokens do not spell the text */
	TRACE_MISALIGNED,
	TRACE_OVER_ONE,
	/* At the first difference, this side's choice is not the most probable token of its own
	 * list. In the order of enum side, as are the next two. */
	TRACE_BASE_AGAINST,
	TRACE_TEST_AGAINST,
	/* The same, and the other side's choice already occurred in the answer or request. */
	TRACE_BASE_PENALISED,
	TRACE_TEST_PENALISED,
	/* At the first difference, only one side's choice already occurred in the answer or
	 * request: a sign that the other side applies a penalty. */
	TRACE_SHUN,
	/* the answers differ at the first token, and the two lists there have little in common */
	TRACE_OPENING,
	TRACE_LOST,  /* the same at a later token */
	TRACE_LOAD,  /* the answers differ, and the test's backend had other requests in flight */
	TRACE_CACHE, /* the answers differ, and the test's prompt was in its cache */
	TRACE_FIRST, /* the first differing token is known */
	N_TRACES,
};

_Static_assert(N_CAUSES <= 32 && N_TRACES <= 32, "a uint32_t is a set of them");

enum cause_side { CAUSE_OF_BASE, CAUSE_OF_TEST, CAUSE_OF_BOTH, CAUSE_OF_UNKNOWN };
const char *cause_side_name(enum cause_side s); /* "base" */

/* The evidence for the side that has the cause. */
enum cause_side_from {
	SIDE_FROM_COMPARISON, /* the answers of both sides, compared */
	/* the side's own answers and lists; for CAUSE_OF_BOTH those of each side */
	SIDE_FROM_OWN_ANSWERS,
	SIDE_FROM_FLOORS, /* the noise floors: how much each side differs from itself */
};
const char *cause_side_from_name(enum cause_side_from f); /* "comparison" */

#define CAUSE_EXCHANGES 8

/* Of the exchanges that were added, the CAUSE_EXCHANGES ones with the smallest ids, each once, in
 * rising order of id. Zero-initialised: empty. */
struct cause_exchanges {
	struct id ids[CAUSE_EXCHANGES];
	size_t n;
};
void cause_exchanges_add(struct cause_exchanges *e, struct id id);
void cause_exchanges_merge(struct cause_exchanges *e, const struct cause_exchanges *other);

/* The CAUSE_EXCHANGES first differences with the smallest shifts (first_difference_kind.h in
 * compare/tokens), in rising order of shift, then of id. Zero-initialised: empty. */
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
	/* Counts of pairs. n: pairs that the cause explains. of: pairs whose answers are not equal
	 * byte for byte, or where one side failed. greedy_n, greedy_of: the same for greedy answers
	 * only. Reports show cause_share(). */
	uint64_t n, of, greedy_n, greedy_of;
	/* adjusted (Holm) over all tests of the group; NaN: the cause was counted, not tested */
	double p;
	/* the draws of `side` show the cause, and those of the other side do not: draws_text.h */
	bool by_draws;
	bool by_scores; /* scores of the answers of `side` show the cause */
	struct cause_exchanges exchanges;
	/* Bit set: 1 << enum cause_trace. A pair that has one of these traces is an example of
	 * the cause, if the shift of its first difference (first_difference_kind.h) is at most
	 * shift_most. */
	uint32_t traces;
	/* nats; 0: the shift does not matter */
	double shift_most;
	char *fix;     /* what to try; "": nothing is needed */
	char *confirm; /* a command that confirms the cause; NULL: there is none */
};

/* How many of the differing pairs (`of`) a cause explains (`n`), as reports show it. If the cause
 * explains a greedy pair, both members count only greedy pairs (of_greedy is true), because only
 * these lead to a verdict. */
struct cause_share {
	uint64_t n, of;
	bool of_greedy;
};
struct cause_share cause_share(const struct cause *c);

struct cause_list { /* zero-initialised: empty */
	struct cause items[N_CAUSES];
	size_t n;
};

/* The texts that are the same for every finding of a cause. Except for key and title, a member
 * is NULL if its text depends on the finding. */
struct cause_words {
	const char *key;    /* stable, for machines: "repetition_penalty" */
	const char *title;  /* for people */
	const char *phrase; /* see struct cause */
	const char *fix;    /* see struct cause */
};
const struct cause_words *cause_words(enum cause_kind k);
/* Adds a cause and takes ownership of its texts. The list must not have a cause of this kind. */
void cause_list_add(struct cause_list *l, const struct cause *c);
/* Sorts by falling cause_share(), then in the order of enum cause_kind. */
void cause_list_sort(struct cause_list *l);
const struct cause *cause_list_get(const struct cause_list *l, enum cause_kind k); /* NULL: none */
void cause_list_finish(struct cause_list *l);
