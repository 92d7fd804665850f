/* Is temperature 0 greedy, or does something that was not requested choose with it? */
#include "backends/probe/probing.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sanitize_text.h"

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
static char *ask_with(struct probing *p, const struct asking *a, const char *members, bool sighted,
        char **ret_said)
{
	char *all = xasprintf("\"max_tokens\":%d,%s", TOKENS, members);
	struct reply t;
	bool good = probing_ask(p,
	        &(struct question){.endpoint = a->endpoint,
	                .text = a->text,
	                .members = all,
	                .top = sighted && p->logprobs[a->endpoint] ? PROBE_TOP : 0,
	                .greedy = sighted},
	        &t);
	char *text = good ? span_dup(reply_text(&t)) : NULL;
	if (ret_said) {
		char *quoted = sanitize_text(reply_text(&t), 100);
		*ret_said = xasprintf("%s -> %s \"%s\"", t.sent, t.came, quoted);
		free(quoted);
	}
	free(all);
	reply_finish(&t);
	return text;
}

/* Which value of its own repetition penalty gives the unasked answer; the caller frees it. */
static char *same_as(
        struct probing *p, const struct asking *a, const char *neutral, const char *unasked)
{
	static const char *const values[] = {"1.1", "1.05", "1.2"};
	struct buf found = {0};
	const char *name = p->dialect->repetition_name;
	for (size_t i = 0; name && i < ARRAY_LEN(values); i++) {
		/* The last of two members wins in every engine seen. */
		char *members = xasprintf("%s,\"%s\":%s", neutral, name, values[i]);
		char *text = ask_with(p, a, members, false, NULL);
		if (text && strcmp(text, unasked) == 0) {
			buf_printf(&found, "%s%s %s", found.len ? ", " : "", name, values[i]);
		}
		free(text);
		free(members);
	}
	return found.len ? buf_steal(&found) : NULL;
}

/* The dialect's neutral members but its repetition penalty, which is tried in several strengths. */
static char *neutral_without(const struct member_edit *members, const char *name)
{
	struct buf out = {0};
	for (; members && members->name; members++) {
		if (members->json && (!name || strcmp(members->name, name) != 0)) {
			buf_printf(&out, "%s\"%s\":%s", out.len ? "," : "", members->name,
			        members->json);
		}
	}
	return buf_steal(&out);
}

static void say_penalty(struct probing *p, const char *strength, char *evidence)
{
	const struct sightings *s = &p->seen;
	char *title = strength ? xasprintf("A penalty that was not requested: as %s", strength)
	              : s->passed_before
	                      ? xasprintf("A penalty that was not requested: at least %.2f nats",
	                                s->passed_most)
	                      : xstrdup("Unset parameters change an answer at temperature 0");
	probing_capability(p, "greedy", STANDING_WRONG,
	        strength ? xasprintf("hidden %s", strength) : xstrdup("hidden penalty"),
	        xstrdup(evidence));
	probing_finding(p, "penalty.hidden", SEVERITY_FAULT, title, evidence,
	        "Set it yourself: `align: greedy` on a reference sends what switches it off.");
}

static void say_not_greedy(struct probing *p)
{
	const struct sightings *s = &p->seen;
	char *evidence = xasprintf(
	        "%u of %u tokens at temperature 0 were not the most probable of "
	        "their own list, and at %u of them the skipped token had not occurred before: %s",
	        s->not_top, s->tokens, s->not_top - s->passed_before,
	        s->other_example ? s->other_example : "");
	probing_capability(
	        p, "greedy", STANDING_WRONG, xstrdup("not the top token"), xstrdup(evidence));
	probing_finding(p, "greedy.not_top", SEVERITY_FAULT,
	        xstrdup("Temperature 0 does not choose the most probable token"), evidence,
	        "It still samples, or its logprobs are those of other tokens.");
}

static char *passed_text(const struct sightings *s)
{
	return s->not_top ? xasprintf("%u of %u tokens at temperature 0 were not the most probable "
	                              "of their own list; at %u of them the skipped token had "
	                              "occurred before (%s), by up to %.2f nats",
	                            s->not_top, s->tokens, s->passed_before,
	                            s->passed_example ? s->passed_example : "none", s->passed_most)
	                  : xasprintf("all of %u rightly named tokens at temperature 0 were the "
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
	char *passed = s->answers ? passed_text(s) : xstrdup("no logprobs to see it by");
	char *evidence = xasprintf("%s; %s", passed, said);
	free(passed);
	if (differs || (s->not_top && s->passed_before * 2 >= s->not_top)) {
		say_penalty(p, strength, evidence);
		return;
	}
	if (s->not_top) {
		free(evidence);
		say_not_greedy(p);
		return;
	}
	bool seen = s->tokens > s->misnamed;
	probing_capability(p, "greedy", seen ? STANDING_HONOURED : STANDING_UNKNOWN,
	        seen          ? NULL
	        : !s->answers ? xstrdup("no logprobs to see it by")
	                      : xstrdup("no right logprobs to see it by"),
	        evidence);
}

/* Reports chosen tokens whose logprob differs from the one in their own list: these numbers
 * belong to other positions. */
static void say_unlike(struct probing *p)
{
	const struct sightings *s = &p->seen;
	if (s->unlike) {
		probing_finding(p, "logprobs.unlike", SEVERITY_FAULT,
		        xasprintf("Logprobs contradict their own lists of alternatives at %u of %u "
		                  "tokens",
		                s->unlike, s->tokens),
		        xasprintf("%u answers at temperature 0", s->answers),
		        "The logprobs are those of other positions or of another distribution.");
	}
}

/* What an answer was with everything unset, and with penalties switched off. */
struct comparison {
	struct asking asking;
	char *plain, *off; /* texts; NULL: no answer */
	char *said;
	bool differs;
};

static struct comparison compare(struct probing *p, const char *text, const char *neutral)
{
	struct comparison c = {.asking = {probing_route(p), text}};
	char *said = NULL, *neutral_said = NULL;
	c.plain = ask_with(p, &c.asking, "\"temperature\":0", true, &said);
	c.off = *neutral ? ask_with(p, &c.asking, neutral, false, &neutral_said) : NULL;
	c.differs = c.plain && c.off && strcmp(c.plain, c.off) != 0 && repeats_itself(p);
	c.said = neutral_said ? xasprintf("%s; %s", said, neutral_said) : xstrdup(said);
	free(said);
	free(neutral_said);
	return c;
}

static void comparison_finish(struct comparison *c)
{
	free(c->plain);
	free(c->off);
	free(c->said);
}

void probe_greedy(struct probing *p)
{
	enum endpoint e = probing_route(p);
	const struct dialect *d = p->dialect;
	const char *const *texts = e == ENDPOINT_CHAT ? CHATS : PROMPTS;
	const struct member_edit *greedy =
	        e == ENDPOINT_CHAT ? d->greedy_chat : d->greedy_completion;
	char *neutral = probing_members(greedy, 0), *strength = NULL;
	struct comparison c = compare(p, texts[0], neutral);
	for (size_t i = 1; i < ARRAY_LEN(PROMPTS) && !c.differs && c.plain && !p->seen.not_top;
	        i++) {
		comparison_finish(&c);
		c = compare(p, texts[i], neutral);
	}
	if (c.differs) {
		char *base = neutral_without(greedy, d->repetition_name);
		strength = same_as(p, &c.asking, base, c.plain);
		free(base);
	}
	conclude(p, c.differs, strength, c.said);
	say_unlike(p);
	comparison_finish(&c);
	free(strength);
	free(neutral);
}
