/* Tests whether temperature 0 is greedy, or whether something that was not requested affects the
 * choice. */
#include "backends/probe/probing.h"

#include <string.h>

/* A penalty changes a confident model's choice only if a repetition is nearly tied with another
 * token. That is rare, and happens late in an answer. */
#define TOKENS 64
/* How often both requests of a comparison are sent. Noise that chooses between two texts gives one
 * of them to each side every time in at most 2 of 4^9 cases. */
#define REPEATS 9
#define PLAIN "\"temperature\":0"

/* Prompts that provoke repetition, per route: each is used only if the previous ones showed
 * nothing. */
static const char *const PROMPTS[] = {
        "The cat sat on the mat. The dog sat on the mat. The cat sat on the mat. The dog sat on",
        PROBE_PROMPT,
        "Days: Monday is a day. Tuesday is a day. Wednesday is a",
};
static const char *const CHATS[] = {
        "Repeat after me, five times: the cat sat on the mat, the dog sat on the mat.",
        "Write one sentence about each day of the week. Begin each with \"On\" and name the day.",
        "Say why the sky is blue, then say the same again in other words.",
};

struct prompt {
	enum endpoint endpoint;
	const char *text;
};

/* Returns the answer's text, or NULL. with_logprobs: only the first answer has them, since some
 * engines make them slowly. */
static const char *ask_prompt(struct probing *p, const struct prompt *a, const char *members,
        bool with_logprobs, const char **ret_evidence)
{
	const char *all = probing_text(p, "\"max_tokens\":%d,%s", TOKENS, members);
	struct reply t;
	bool good = probing_ask(p,
	        &(struct question){.endpoint = a->endpoint,
	                .text = a->text,
	                .members = all,
	                .top = with_logprobs && p->logprobs[a->endpoint] ? PROBE_TOP : 0,
	                .greedy = with_logprobs},
	        &t);
	const char *text = good ? probing_copy(p, reply_text(&t)) : NULL;
	if (ret_evidence) {
		const char *quoted = probing_quote(p, reply_text(&t), 100);
		*ret_evidence = probing_text(p, "%s -> %s \"%s\"", t.request, t.result, quoted);
	}
	reply_finish(&t);
	return text;
}

/* Returns the values of the engine's repetition penalty that give the default text; NULL: none
 * does. */
static const char *same_as(
        struct probing *p, const struct prompt *a, const char *neutral, const char *default_text)
{
	static const char *const values[] = {"1.1", "1.05", "1.2"};
	struct buf found = {0};
	const char *name = p->dialect->repetition_name;
	for (size_t i = 0; name && i < ARRAY_LEN(values); i++) {
		/* neutral may have the member too; every known engine uses the last one. */
		const char *members = probing_text(p, "%s,\"%s\":%s", neutral, name, values[i]);
		const char *text = ask_prompt(p, a, members, false, NULL);
		if (text && strcmp(text, default_text) == 0) {
			buf_printf(&found, "%s%s %s", found.len ? ", " : "", name, values[i]);
		}
	}
	return found.len ? probing_keep(p, &found) : NULL;
}

/* Returns the dialect's neutral members without its repetition penalty, which is tested with
 * several values. */
static const char *neutral_without(
        struct probing *p, const struct member_edit *members, const char *name)
{
	struct buf out = {0};
	for (; members && members->name; members++) {
		if (members->json && (!name || strcmp(members->name, name) != 0)) {
			buf_printf(&out, "%s\"%s\":%s", out.len ? "," : "", members->name,
			        members->json);
		}
	}
	return probing_keep(p, &out);
}

static void report_penalty(struct probing *p, const char *strength, const char *evidence)
{
	const struct observations *s = &p->observed;
	const char *title =
	        strength ? probing_text(p, "A penalty that was not requested: as %s", strength)
	        : s->skipped_before
	                ? probing_text(p, "A penalty that was not requested: at least %.2f nats",
	                          s->skipped_most)
	                : "Unset parameters change an answer at temperature 0";
	probing_capability(p, "greedy", STANDING_WRONG,
	        strength ? probing_text(p, "hidden %s", strength) : "hidden penalty", evidence);
	probing_finding(p, "penalty.hidden", SEVERITY_FAULT, title, evidence,
	        "Set it yourself: `align: greedy` on a reference sends what switches it off.");
}

static void report_not_greedy(struct probing *p)
{
	const struct observations *s = &p->observed;
	const char *evidence = probing_text(p,
	        "%u of %u tokens at temperature 0 were not the most probable of "
	        "their own list, and at %u of them the skipped token had not occurred before: %s",
	        s->not_top, s->tokens, s->not_top - s->skipped_before,
	        s->other_example ? s->other_example : "");
	probing_capability(p, "greedy", STANDING_WRONG, "not the top token", evidence);
	probing_finding(p, "greedy.not_top", SEVERITY_FAULT,
	        "Temperature 0 does not choose the most probable token", evidence,
	        "It still samples, or its logprobs are those of other tokens.");
}

static const char *skipped_text(struct probing *p)
{
	const struct observations *s = &p->observed;
	return s->not_top
	               ? probing_text(p,
	                         "%u of %u tokens at temperature 0 were not the most probable "
	                         "of their own list; at %u of them the skipped token had "
	                         "occurred before (%s), by up to %.2f nats",
	                         s->not_top, s->tokens, s->skipped_before,
	                         s->skipped_example ? s->skipped_example : "none", s->skipped_most)
	               : probing_text(p,
	                         "all of %u correctly named tokens at temperature 0 were the "
	                         "most probable of their lists",
	                         s->tokens - s->misnamed);
}

/* The answers to one prompt: with default parameters, and with penalties switched off. */
struct comparison {
	struct prompt prompt;
	const char *plain, *off; /* texts; NULL: no answer */
	const char *evidence;
	bool differs; /* each time */
	bool varies;  /* the texts differ, but answers to one of the requests do, too */
};

static void conclude(struct probing *p, const struct comparison *c, const char *strength)
{
	const struct observations *s = &p->observed;
	const char *skipped = s->answers ? skipped_text(p) : "no logprobs to judge it by";
	const char *evidence = probing_text(p, "%s; %s%s", skipped, c->evidence,
	        c->varies ? "; repeated, the same request gets different texts, too" : "");
	if (c->differs || (s->not_top && s->skipped_before * 2 >= s->not_top)) {
		report_penalty(p, strength, evidence);
		return;
	}
	if (s->not_top) {
		report_not_greedy(p);
		return;
	}
	bool observed = s->tokens > s->misnamed;
	probing_capability(p, "greedy",
	        observed && !c->varies ? STANDING_HONOURED : STANDING_UNKNOWN,
	        c->varies     ? "answers differ from run to run"
	        : observed    ? NULL
	        : !s->answers ? "no logprobs to judge it by"
	                      : "no usable logprobs to judge it by",
	        evidence);
}

/* Reports chosen tokens whose logprob differs from the one in their own list: these numbers
 * belong to other positions. */
static void report_inconsistent(struct probing *p)
{
	const struct observations *s = &p->observed;
	if (s->inconsistent) {
		probing_finding(p, "logprobs.unlike", SEVERITY_FAULT,
		        probing_text(p,
		                "Logprobs contradict their own lists of alternatives at %u of %u "
		                "tokens",
		                s->inconsistent, s->tokens),
		        probing_text(p, "%u answers at temperature 0", s->answers),
		        "The logprobs are those of other positions or of another distribution.");
	}
}

static bool is_repeated(
        struct probing *p, const struct prompt *a, const char *members, const char *text)
{
	const char *again = ask_prompt(p, a, members, false, NULL);
	return again && strcmp(again, text) == 0;
}

/* Run-to-run noise changes texts, too. The requests take turns, so that a cache affects both. */
static bool differs_each_time(struct probing *p, const struct comparison *c, const char *neutral)
{
	bool same = true;
	for (size_t i = 1; i < REPEATS && same; i++) {
		same = is_repeated(p, &c->prompt, PLAIN, c->plain) &&
		       is_repeated(p, &c->prompt, neutral, c->off);
	}
	return same;
}

static struct comparison compare(struct probing *p, const char *text, const char *neutral)
{
	struct comparison c = {.prompt = {probing_route(p), text}};
	const char *evidence = NULL, *off_evidence = NULL;
	c.plain = ask_prompt(p, &c.prompt, PLAIN, true, &evidence);
	c.off = *neutral ? ask_prompt(p, &c.prompt, neutral, false, &off_evidence) : NULL;
	bool unlike = c.plain && c.off && strcmp(c.plain, c.off) != 0;
	c.differs = unlike && differs_each_time(p, &c, neutral);
	c.varies = unlike && !c.differs;
	c.evidence = off_evidence ? probing_text(p, "%s; %s", evidence, off_evidence) : evidence;
	return c;
}

void probe_greedy(struct probing *p)
{
	enum endpoint e = probing_route(p);
	const struct dialect *d = p->dialect;
	const char *const *texts = e == ENDPOINT_CHAT ? CHATS : PROMPTS;
	const struct member_edit *greedy =
	        e == ENDPOINT_CHAT ? d->greedy_chat : d->greedy_completion;
	const char *neutral = probing_members(p, greedy, 0), *strength = NULL;
	struct comparison c = compare(p, texts[0], neutral);
	bool varies = c.varies;
	for (size_t i = 1; i < ARRAY_LEN(PROMPTS) && !c.differs && c.plain && !p->observed.not_top;
	        i++) {
		c = compare(p, texts[i], neutral);
		varies |= c.varies;
	}
	c.varies = varies && !c.differs;
	if (c.differs) {
		const char *base = neutral_without(p, greedy, d->repetition_name);
		strength = same_as(p, &c.prompt, base, c.plain);
	}
	conclude(p, &c, strength);
	report_inconsistent(p);
}
