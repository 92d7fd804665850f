/* Is temperature 0 greedy, or does something that was not requested choose with it? */
#include "backends/probe/probing.h"

#include <stdlib.h>
#include <string.h>

/* A penalty changes a confident model's choice only where a repetition is nearly tied: rarely,
 * and late in an answer. */
#define TOKENS 64

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

struct asking {
	enum endpoint endpoint;
	const char *text;
};

/* The answer's text, or NULL. sighted: with logprobs; only the first answer has them, since some
 * engines are slow to make them. */
static const char *ask_with(struct probing *p, const struct asking *a, const char *members,
        bool sighted, const char **ret_said)
{
	const char *all = probing_say(p, "\"max_tokens\":%d,%s", TOKENS, members);
	struct reply t;
	bool good = probing_ask(p,
	        &(struct question){.endpoint = a->endpoint,
	                .text = a->text,
	                .members = all,
	                .top = sighted && p->logprobs[a->endpoint] ? PROBE_TOP : 0,
	                .greedy = sighted},
	        &t);
	const char *text = good ? probing_copy(p, reply_text(&t)) : NULL;
	if (ret_said) {
		const char *quoted = probing_quote(p, reply_text(&t), 100);
		*ret_said = probing_say(p, "%s -> %s \"%s\"", t.sent, t.came, quoted);
	}
	reply_finish(&t);
	return text;
}

/* Which value of its own repetition penalty gives the unasked answer; NULL: none. */
static const char *same_as(
        struct probing *p, const struct asking *a, const char *neutral, const char *unasked)
{
	static const char *const values[] = {"1.1", "1.05", "1.2"};
	struct buf found = {0};
	const char *name = p->dialect->repetition_name;
	for (size_t i = 0; name && i < ARRAY_LEN(values); i++) {
		/* The last of two members wins in every engine seen. */
		const char *members = probing_say(p, "%s,\"%s\":%s", neutral, name, values[i]);
		const char *text = ask_with(p, a, members, false, NULL);
		if (text && strcmp(text, unasked) == 0) {
			buf_printf(&found, "%s%s %s", found.len ? ", " : "", name, values[i]);
		}
	}
	return found.len ? probing_keep(p, &found) : NULL;
}

/* The dialect's neutral members but its repetition penalty, which is tried in several strengths. */
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

static void say_penalty(struct probing *p, const char *strength, const char *evidence)
{
	const struct sightings *s = &p->seen;
	const char *title =
	        strength ? probing_say(p, "A penalty that was not requested: as %s", strength)
	        : s->passed_before
	                ? probing_say(p, "A penalty that was not requested: at least %.2f nats",
	                          s->passed_most)
	                : "Unset parameters change an answer at temperature 0";
	probing_capability(p, "greedy", STANDING_WRONG,
	        strength ? probing_say(p, "hidden %s", strength) : "hidden penalty", evidence);
	probing_finding(p, "penalty.hidden", SEVERITY_FAULT, title, evidence,
	        "Set it yourself: `align: greedy` on a reference sends what switches it off.");
}

static void say_not_greedy(struct probing *p)
{
	const struct sightings *s = &p->seen;
	const char *evidence = probing_say(p,
	        "%u of %u tokens at temperature 0 were not the most probable of "
	        "their own list, and at %u of them the skipped token had not occurred before: %s",
	        s->not_top, s->tokens, s->not_top - s->passed_before,
	        s->other_example ? s->other_example : "");
	probing_capability(p, "greedy", STANDING_WRONG, "not the top token", evidence);
	probing_finding(p, "greedy.not_top", SEVERITY_FAULT,
	        "Temperature 0 does not choose the most probable token", evidence,
	        "It still samples, or its logprobs are those of other tokens.");
}

static const char *passed_text(struct probing *p)
{
	const struct sightings *s = &p->seen;
	return s->not_top ? probing_say(p,
	                            "%u of %u tokens at temperature 0 were not the most probable "
	                            "of their own list; at %u of them the skipped token had "
	                            "occurred before (%s), by up to %.2f nats",
	                            s->not_top, s->tokens, s->passed_before,
	                            s->passed_example ? s->passed_example : "none", s->passed_most)
	                  : probing_say(p,
	                            "all of %u rightly named tokens at temperature 0 were the "
	                            "most probable of their lists",
	                            s->tokens - s->misnamed);
}

/* If the same request gets different texts anyway, a different text is no sign of a penalty. */
static bool repeats_itself(const struct probing *p)
{
	return probe_capability(p->report, "determinism")->standing != STANDING_WRONG;
}

static void conclude(struct probing *p, bool differs, const char *strength, const char *said)
{
	const struct sightings *s = &p->seen;
	const char *passed = s->answers ? passed_text(p) : "no logprobs to see it by";
	const char *evidence = probing_say(p, "%s; %s", passed, said);
	if (differs || (s->not_top && s->passed_before * 2 >= s->not_top)) {
		say_penalty(p, strength, evidence);
		return;
	}
	if (s->not_top) {
		say_not_greedy(p);
		return;
	}
	bool seen = s->tokens > s->misnamed;
	probing_capability(p, "greedy", seen ? STANDING_HONOURED : STANDING_UNKNOWN,
	        seen          ? NULL
	        : !s->answers ? "no logprobs to see it by"
	                      : "no right logprobs to see it by",
	        evidence);
}

/* Reports chosen tokens whose logprob differs from the one in their own list: these numbers
 * belong to other positions. */
static void say_unlike(struct probing *p)
{
	const struct sightings *s = &p->seen;
	if (s->unlike) {
		probing_finding(p, "logprobs.unlike", SEVERITY_FAULT,
		        probing_say(p,
		                "Logprobs contradict their own lists of alternatives at %u of %u "
		                "tokens",
		                s->unlike, s->tokens),
		        probing_say(p, "%u answers at temperature 0", s->answers),
		        "The logprobs are those of other positions or of another distribution.");
	}
}

/* What an answer was with everything unset, and with penalties switched off. */
struct comparison {
	struct asking asking;
	const char *plain, *off; /* texts; NULL: no answer */
	const char *said;
	bool differs;
};

static struct comparison compare(struct probing *p, const char *text, const char *neutral)
{
	struct comparison c = {.asking = {probing_route(p), text}};
	const char *said = NULL, *neutral_said = NULL;
	c.plain = ask_with(p, &c.asking, "\"temperature\":0", true, &said);
	c.off = *neutral ? ask_with(p, &c.asking, neutral, false, &neutral_said) : NULL;
	c.differs = c.plain && c.off && strcmp(c.plain, c.off) != 0 && repeats_itself(p);
	c.said = neutral_said ? probing_say(p, "%s; %s", said, neutral_said) : said;
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
	for (size_t i = 1; i < ARRAY_LEN(PROMPTS) && !c.differs && c.plain && !p->seen.not_top;
	        i++) {
		c = compare(p, texts[i], neutral);
	}
	if (c.differs) {
		const char *base = neutral_without(p, greedy, d->repetition_name);
		strength = same_as(p, &c.asking, base, c.plain);
	}
	conclude(p, c.differs, strength, c.said);
	say_unlike(p);
}
