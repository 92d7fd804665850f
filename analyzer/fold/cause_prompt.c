#include "analyzer/fold/cause_prompt.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"

#define UNLIKE_SHARE 100 /* at least one in so many */
/* chats without a system message that are needed for a comparison with the other chats */
#define PLAIN_LEAST 3
#define SYSTEM_LEAST 2 /* chats with a system message that are needed */
#define MARKS_MOST 16  /* tokens around a message */
/* pairs with equally long prompts that are needed for a comparison with the others */
#define ALIKE_LEAST 20

static void note(struct cause_prompt *p, enum cause_prompt_range r, int64_t low, int64_t high)
{
	p->ranges[r].low = MIN(p->ranges[r].low, low);
	p->ranges[r].high = MAX(p->ranges[r].high, high);
}

static void add(struct cause_prompt *p, enum cause_prompt_range r, int64_t number)
{
	note(p, r, number, number);
}

static void add_unlike(struct cause_prompt *p, const struct cause_prompt_pair *pair)
{
	int64_t delta = pair->test - pair->base;
	add(p, RANGE_DELTA, delta);
	add(p, RANGE_LONGER, MAX(pair->base, pair->test));
	add(p, RANGE_SHORTER, MIN(pair->base, pair->test));
	p->unlike++;
	p->unlike_hits += pair->differ;
	p->greedy_unlike_hits += pair->differ && pair->greedy;
	if (pair->messages == 0) {
		p->completions++;
		return;
	}
	double m = (double)pair->messages, d = (double)delta;
	add(p, RANGE_MESSAGES, pair->messages);
	p->chats++;
	exact_sum_add(&p->messages, m);
	exact_sum_add(&p->deltas, d);
	exact_sum_add(&p->products, m * d);
	exact_sum_add(&p->squares, m * m);
}

bool cause_prompt_add(struct cause_prompt *p, const struct cause_prompt_pair *pair)
{
	if (pair->base < 0 || pair->test < 0) {
		return false;
	}
	for (size_t r = 0; p->n == 0 && r < N_PROMPT_RANGES; r++) {
		p->ranges[r].low = INT64_MAX;
		p->ranges[r].high = INT64_MIN;
	}
	int64_t delta = pair->test - pair->base;
	int64_t words = pair->system.words, bytes = pair->system.bytes;
	add(p, RANGE_WITH_WORDS, delta + words);
	add(p, RANGE_WITH_BYTES, delta + bytes);
	add(p, RANGE_LESS_WORDS, delta - words);
	add(p, RANGE_LESS_BYTES, delta - bytes);
	add(p, RANGE_SYSTEM_WORDS, words);
	p->n++;
	if (pair->base == pair->test) {
		p->equal_hits += pair->differ;
		add(p, RANGE_EQUAL, pair->base);
		return false;
	}
	add_unlike(p, pair);
	return true;
}

void cause_prompt_merge(struct cause_prompt *p, const struct cause_prompt *other)
{
	if (p->n == 0 || other->n == 0) {
		*p = p->n == 0 ? *other : *p;
		return;
	}
	for (size_t r = 0; r < N_PROMPT_RANGES; r++) {
		note(p, (enum cause_prompt_range)r, other->ranges[r].low, other->ranges[r].high);
	}
	p->n += other->n;
	p->unlike += other->unlike;
	p->equal_hits += other->equal_hits;
	p->unlike_hits += other->unlike_hits;
	p->greedy_unlike_hits += other->greedy_unlike_hits;
	p->chats += other->chats;
	p->completions += other->completions;
	exact_sum_merge(&p->messages, &other->messages);
	exact_sum_merge(&p->deltas, &other->deltas);
	exact_sum_merge(&p->products, &other->products);
	exact_sum_merge(&p->squares, &other->squares);
}

/* Tokens that each further message adds to the difference (the slope of a regression); 0 if all
 * chats have the same number of messages. */
static double by_message(const struct cause_prompt *p)
{
	double n = (double)p->chats, messages = exact_sum_value(&p->messages);
	double deltas = exact_sum_value(&p->deltas), products = exact_sum_value(&p->products);
	double spread = n * exact_sum_value(&p->squares) - messages * messages;
	return spread > 0 ? (n * products - messages * deltas) / spread : 0;
}

/* Only long prompts differ, and each shortened one is shorter than any of the differing prompts
 * was in full. */
static bool is_cut(const struct cause_prompt *p)
{
	int64_t low = p->ranges[RANGE_DELTA].low, high = p->ranges[RANGE_DELTA].high;
	int64_t shortest_unlike = p->ranges[RANGE_LONGER].low;
	return (low > 0 || high < 0) && low != high &&
	       p->ranges[RANGE_EQUAL].high < shortest_unlike &&
	       p->ranges[RANGE_SHORTER].high < shortest_unlike;
}

/* Whether the counts of all pairs with different counts differ by the same number. */
static bool is_constant(const struct cause_prompt *p)
{
	return p->ranges[RANGE_DELTA].low == p->ranges[RANGE_DELTA].high;
}

enum cause_kind cause_prompt_kind(const struct cause_prompt *p)
{
	if (p->unlike < CAUSE_PROMPT_LEAST || p->unlike * UNLIKE_SHARE < p->n) {
		return N_CAUSES;
	}
	bool constant = is_constant(p);
	if (constant && llabs(p->ranges[RANGE_DELTA].low) == 1 && p->unlike == p->n) {
		return CAUSE_BOS;
	}
	if (is_cut(p)) {
		return CAUSE_TRUNCATED;
	}
	/* A template adds marks around each message, or one text before all of them. */
	bool several = p->ranges[RANGE_MESSAGES].high > p->ranges[RANGE_MESSAGES].low;
	bool marks = p->completions == 0 && several && fabs(by_message(p)) >= 0.5;
	bool text = constant && p->completions == 0;
	return marks || text ? CAUSE_TEMPLATE : CAUSE_PROMPT_TOKENS;
}

uint64_t cause_prompt_explained(const struct cause_prompt *p)
{
	uint64_t alike = p->n - p->unlike;
	if (alike < ALIKE_LEAST || p->unlike_hits == 0) {
		return p->unlike_hits;
	}
	double by_chance = (double)p->equal_hits / (double)alike;
	double rate = (double)p->unlike_hits / (double)p->unlike;
	double left = fmax(0, 1 - by_chance / rate);
	return (uint64_t)llround(left * (double)p->unlike_hits);
}

enum cause_prompt_group cause_prompt_group_of(const struct cause_prompt_pair *pair)
{
	return pair->messages == 0      ? PROMPT_OF_COMPLETION
	       : pair->system.bytes > 0 ? PROMPT_WITH_SYSTEM
	                                : PROMPT_OF_CHAT;
}

static int64_t usual_of(const struct cause_prompt *plain)
{
	return plain->unlike ? plain->ranges[RANGE_DELTA].low : 0;
}

/* Chats without a system message have the same length on both sides, or differ by one constant.
 * In each chat with a system message one side lacks the tokens of that message: at least one
 * token a word, at most one a byte. */
static bool drops_system(const struct cause_prompt *plain, const struct cause_prompt *system)
{
	bool constant = plain->unlike == 0 || (plain->unlike == plain->n && is_constant(plain));
	int64_t usual = usual_of(plain);
	bool of_test = system->ranges[RANGE_WITH_WORDS].high <= usual &&
	               system->ranges[RANGE_WITH_BYTES].low >= usual - MARKS_MOST;
	bool of_base = system->ranges[RANGE_LESS_WORDS].low >= usual &&
	               system->ranges[RANGE_LESS_BYTES].high <= usual + MARKS_MOST;
	/* Marks add the same number of tokens, however long the system message is. */
	bool marks = is_constant(system) && system->ranges[RANGE_SYSTEM_WORDS].low <
	                                            system->ranges[RANGE_SYSTEM_WORDS].high;
	return plain->n >= PLAIN_LEAST && constant && system->n >= SYSTEM_LEAST &&
	       system->unlike == system->n && !marks && (of_test || of_base);
}

int64_t cause_prompts_usual(const struct cause_prompts *p)
{
	return usual_of(&p->of[PROMPT_OF_CHAT]);
}

void cause_prompts_all(const struct cause_prompts *p, struct cause_prompt *ret)
{
	*ret = (struct cause_prompt){0};
	for (size_t i = 0; i < N_CAUSE_PROMPTS; i++) {
		cause_prompt_merge(ret, &p->of[i]);
	}
}

void cause_prompts_kinds(const struct cause_prompts *p, enum cause_kind ret[N_CAUSE_PROMPTS])
{
	const struct cause_prompt *plain = &p->of[PROMPT_OF_CHAT];
	const struct cause_prompt *system = &p->of[PROMPT_WITH_SYSTEM];
	struct cause_prompt chats = *plain, all;
	cause_prompt_merge(&chats, system);
	cause_prompts_all(p, &all);
	bool dropped = drops_system(plain, system);
	ret[PROMPT_OF_COMPLETION] = cause_prompt_kind(&p->of[PROMPT_OF_COMPLETION]);
	ret[PROMPT_WITH_SYSTEM] = dropped ? CAUSE_SYSTEM : cause_prompt_kind(&chats);
	ret[PROMPT_OF_CHAT] = cause_prompt_kind(dropped ? plain : &chats);
	bool none = true;
	for (size_t i = 0; i < N_CAUSE_PROMPTS; i++) {
		none &= ret[i] == N_CAUSES;
	}
	for (size_t i = 0; i < N_CAUSE_PROMPTS && none; i++) {
		ret[i] = cause_prompt_kind(&all);
	}
}
