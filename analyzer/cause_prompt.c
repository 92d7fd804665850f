#include "analyzer/cause_prompt.h"

#include <math.h>
#include <stdlib.h>

#include "base/check.h"

#define UNLIKE_SHARE 100 /* at least one in so many */
#define ALIKE_LEAST 20   /* pairs with like prompts, before they are held against the others */

static void widen(struct cause_prompt *p, int64_t low, int64_t high, bool first)
{
	p->low = first ? low : MIN(p->low, low);
	p->high = first ? high : MAX(p->high, high);
}

static void add_unlike(struct cause_prompt *p, const struct cause_prompt_pair *pair)
{
	int64_t delta = pair->test - pair->base;
	int64_t longer = MAX(pair->base, pair->test), shorter = MIN(pair->base, pair->test);
	bool first = p->unlike == 0;
	widen(p, delta, delta, first);
	p->shortest_unlike = first ? longer : MIN(p->shortest_unlike, longer);
	p->longest_short = first ? shorter : MAX(p->longest_short, shorter);
	p->unlike++;
	p->unlike_hits += pair->differ;
	p->greedy_unlike_hits += pair->differ && pair->greedy;
	if (pair->messages == 0) {
		p->completions++;
		return;
	}
	double m = (double)pair->messages, d = (double)delta;
	p->fewest = p->chats ? MIN(p->fewest, pair->messages) : pair->messages;
	p->most = MAX(p->most, pair->messages);
	p->chats++;
	p->messages += m;
	p->deltas += d;
	p->products += m * d;
	p->squares += m * m;
}

bool cause_prompt_add(struct cause_prompt *p, const struct cause_prompt_pair *pair)
{
	if (pair->base < 0 || pair->test < 0) {
		return false;
	}
	p->n++;
	if (pair->base == pair->test) {
		p->equal_hits += pair->differ;
		p->longest_equal = MAX(p->longest_equal, pair->base);
		return false;
	}
	add_unlike(p, pair);
	return true;
}

void cause_prompt_merge(struct cause_prompt *p, const struct cause_prompt *other)
{
	bool first = p->unlike == 0;
	if (other->unlike > 0) {
		widen(p, other->low, other->high, first);
		p->shortest_unlike = first ? other->shortest_unlike
		                           : MIN(p->shortest_unlike, other->shortest_unlike);
		p->longest_short =
		        first ? other->longest_short : MAX(p->longest_short, other->longest_short);
	}
	if (other->chats > 0) {
		p->fewest = p->chats ? MIN(p->fewest, other->fewest) : other->fewest;
		p->most = MAX(p->most, other->most);
	}
	p->n += other->n;
	p->unlike += other->unlike;
	p->equal_hits += other->equal_hits;
	p->unlike_hits += other->unlike_hits;
	p->greedy_unlike_hits += other->greedy_unlike_hits;
	p->chats += other->chats;
	p->completions += other->completions;
	p->messages += other->messages;
	p->deltas += other->deltas;
	p->products += other->products;
	p->squares += other->squares;
	p->longest_equal = MAX(p->longest_equal, other->longest_equal);
}

/* Tokens that each further message adds to the difference; 0 where all have as many. */
static double by_message(const struct cause_prompt *p)
{
	double n = (double)p->chats;
	double spread = n * p->squares - p->messages * p->messages;
	return spread > 0 ? (n * p->products - p->messages * p->deltas) / spread : 0;
}

/* Only long prompts are unlike, and what is left of them is shorter than any of them was. */
static bool is_cut(const struct cause_prompt *p)
{
	bool one_side = p->low > 0 || p->high < 0;
	bool alike_are_shorter = p->unlike == p->n || p->longest_equal < p->shortest_unlike;
	return one_side && p->low != p->high && alike_are_shorter &&
	       p->longest_short < p->shortest_unlike;
}

enum cause_kind cause_prompt_kind(const struct cause_prompt *p)
{
	if (p->unlike < 3 || p->unlike * UNLIKE_SHARE < p->n) {
		return N_CAUSES;
	}
	bool constant = p->low == p->high;
	if (constant && llabs(p->low) == 1 && p->unlike == p->n) {
		return CAUSE_BOS;
	}
	if (is_cut(p)) {
		return CAUSE_TRUNCATED;
	}
	/* A mark around each message, or one text before all of them. */
	bool marks = p->completions == 0 && p->most > p->fewest && fabs(by_message(p)) >= 0.5;
	bool text = constant && p->completions == 0;
	return marks || text ? CAUSE_TEMPLATE : CAUSE_PROMPT_TOKENS;
}

uint64_t cause_prompt_explained(const struct cause_prompt *p)
{
	uint64_t alike = p->n - p->unlike;
	if (alike < ALIKE_LEAST || p->unlike_hits == 0) {
		return p->unlike_hits;
	}
	double anyway = (double)p->equal_hits / (double)alike;
	double rate = (double)p->unlike_hits / (double)p->unlike;
	double left = fmax(0, 1 - anyway / rate);
	return (uint64_t)llround(left * (double)p->unlike_hits);
}
