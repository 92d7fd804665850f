/* Tests how the engine handles prompts: the token at the beginning, prompts as ids, and scores of a
 * prompt. */
#include "backends/probe/probing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "backends/json_path.h"

/* tokens that 14 words have at least */
#define SYSTEM_MORE 10
#define ECHO_MORE " and so on"
#define SCORED_LIKE 0.05  /* nats: a score and the same token's logprob when it was generated */
#define TIMES_NOISE 10    /* or so many times the noise between equal requests */
#define POOR_SCORE (-7.0) /* nats a token: no sound model finds plain English so unlikely */

/* Families whose models produce nonsense without their BOS token. */
static const char *const NEED_BOS[] = {"gemma", "llama", "mistral", "mixtral"};

struct prompt_count {
	int64_t tokens; /* from the usage; -1: not stated */
	bool good;
	const char *evidence;
};

static struct prompt_count count_prompt(struct probing *p, const char *text)
{
	struct reply t;
	struct prompt_count c = {.tokens = -1};
	c.good = probing_ask(p,
	        &(struct question){.endpoint = ENDPOINT_COMPLETION,
	                .text = text,
	                .members = "\"max_tokens\":1,\"temperature\":0"},
	        &t);
	if (c.good) {
		c.tokens = t.reading->usage.prompt_tokens;
	}
	c.evidence = c.tokens >= 0
	                     ? reply_evidence_with(&t, "prompt_tokens %lld", (long long)c.tokens)
	                     : reply_evidence(&t);
	reply_finish(&t);
	return c;
}

/* Whether at least half of the words repeat the word before them. */
static bool is_repetitive(const char *text)
{
	unsigned words = 0, same = 0;
	struct span last = {0};
	for (const char *at = text; text && *at;) {
		at += strspn(at, " \n\t");
		struct span word = {at, strcspn(at, " \n\t")};
		same += word.len && span_equal(word, last);
		words += word.len > 0;
		last = word;
		at += word.len;
	}
	return words >= 8 && same * 2 >= words;
}

static bool names_family(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_LEN(NEED_BOS); i++) {
		if (strcasestr(name, NEED_BOS[i])) {
			return true;
		}
	}
	return false;
}

/* Checks the model's names, and the entry in /v1/models. */
static bool needs_bos(const struct probing *p)
{
	const struct engine_response *models =
	        engine_identity_response(p->settings->identity, "v1/models");
	return names_family(p->settings->model) || names_family(p->report->answer_model) ||
	       (models && names_family(models->body));
}

static void report_no_bos(struct probing *p, const char *evidence)
{
	bool broken = is_repetitive(p->completion), needed = needs_bos(p);
	const char *text = probing_quote(p, span_of(p->completion), 60);
	const char *shown_evidence = broken ? probing_text(p, "%s; the answer to \"%s\" is \"%s\"",
	                                              evidence, PROBE_PROMPT, text)
	                                    : evidence;
	if (broken || needed) {
		probing_capability(p, "bos", STANDING_WRONG, "missing", evidence);
		probing_finding(p, "bos.missing", SEVERITY_FAULT,
		        probing_text(p, "Completions begin without a BOS token%s",
		                broken ? ", and the answer becomes nonsense"
		                       : ", which this family of models needs"),
		        shown_evidence,
		        "Correct the tokenizer's settings (add_bos_token, its post-processor), or "
		        "send the BOS token's text or id at the prompt's beginning.");
	} else {
		probing_capability(p, "bos", STANDING_ABSENT, "none added", evidence);
		probing_finding(p, "bos.none", SEVERITY_WARNING,
		        "Completions begin without a BOS token", shown_evidence,
		        "Right for models that have none (Qwen, GPT-2); wrong for Llama, Gemma, "
		        "Mistral. Look at the model's tokenizer_config.json.");
	}
}

static void report_bos(struct probing *p, const struct prompt_count *letter)
{
	const char *all = p->prompt_tokens < 0
	                          ? letter->evidence
	                          : probing_text(p, "%s; \"%s\" counts %lld", letter->evidence,
	                                    PROBE_PROMPT, (long long)p->prompt_tokens);
	if (letter->tokens == 1) {
		report_no_bos(p, all);
	} else if (letter->tokens == 2) {
		/* It might be an end token: a count cannot show which token it is. */
		probing_capability(p, "bos", STANDING_HONOURED, "one token added", all);
	} else if (letter->tokens > 2) {
		probing_capability(p, "bos", STANDING_WRONG,
		        probing_text(p, "%lld added", (long long)letter->tokens - 1), all);
		probing_finding(p, "bos.double", SEVERITY_FAULT,
		        probing_text(p,
		                "Completions begin with %lld tokens of their own: a doubled BOS?",
		                (long long)letter->tokens - 1),
		        all,
		        "The template or the client adds a BOS token that the tokenizer adds "
		        "again.");
	} else {
		probing_capability(p, "bos", STANDING_UNKNOWN,
		        "the answer has no count of prompt tokens", all);
	}
}

/* The answer is long enough to show repetition. It has no logprobs, which may be slow to make. */
static void ask_completion(struct probing *p)
{
	struct reply t;
	if (probing_ask(p,
	            &(struct question){.endpoint = ENDPOINT_COMPLETION,
	                    .text = PROBE_PROMPT,
	                    .members = "\"max_tokens\":20,\"temperature\":0"},
	            &t)) {
		p->completion = probing_copy(p, reply_text(&t));
		p->prompt_tokens = t.reading->usage.prompt_tokens;
	}
	reply_finish(&t);
}

/* Sends a prompt as five ids, which must count as five tokens. */
static void ask_id_prompt(struct probing *p)
{
	struct reply t;
	bool good = probing_ask(p,
	        &(struct question){.endpoint = ENDPOINT_COMPLETION,
	                .raw = "[1000,1001,1002,1003,1004]",
	                .members = "\"max_tokens\":1,\"temperature\":0"},
	        &t);
	int64_t n = good ? t.reading->usage.prompt_tokens : -1;
	const char *result = n >= 0 ? reply_evidence_with(&t, "prompt_tokens %lld", (long long)n)
	                            : reply_evidence(&t);
	if (!good) {
		probing_refused(p, "id_prompt", &t, result);
	} else if (n == 5) {
		probing_capability(p, "id_prompt", STANDING_HONOURED, NULL, result);
	} else if (n < 0) {
		probing_capability(
		        p, "id_prompt", STANDING_UNKNOWN, "accepted; not counted", result);
	} else {
		probing_capability(p, "id_prompt", STANDING_WRONG,
		        probing_text(p, "5 ids count as %lld tokens", (long long)n), result);
	}
	reply_finish(&t);
}

static void ask_tokenize(struct probing *p)
{
	const struct tokenizing *z = &p->dialect->tokenizing;
	if (!z->tokenize || !z->text_member) {
		return;
	}
	struct buf body = {0};
	buf_printf(&body, "{\"%s\":\"" PROBE_PROMPT "\"", z->text_member);
	if (p->settings->model) {
		buf_append_str(&body, ",\"model\":");
		json_put_string(&body, span_of(p->settings->model));
	}
	buf_append_char(&body, '}');
	struct call_answer a;
	probing_call(p, z->tokenize, buf_span(&body), &a);
	struct span ids =
	        json_path_find(buf_span(&a.body), z->ids_member ? z->ids_member : "tokens");
	const char *shown = probing_quote(p, ids, 80);
	probing_capability(p, "tokenize",
	        a.status == 200 && ids.len ? STANDING_HONOURED
	        : a.end == CALL_TIMEOUT    ? STANDING_UNKNOWN
	                                   : STANDING_REFUSED,
	        z->tokenize,
	        probing_text(p, "POST %s {\"%s\":\"%s\"} -> %d %s", z->tokenize, z->text_member,
	                PROBE_PROMPT, a.status, shown));
	buf_finish(&body);
	call_answer_finish(&a);
}

/* Returns the count of prompt tokens of a chat; -1: not stated, or the chat was refused, which is
 * recorded. */
static int64_t count_chat(struct probing *p, const char *system, const char *user)
{
	struct reply t;
	bool good = probing_ask(p,
	        &(struct question){.endpoint = ENDPOINT_CHAT,
	                .raw = probing_text(p,
	                        "[{\"role\":\"system\",\"content\":\"%s\"},"
	                        "{\"role\":\"user\",\"content\":\"%s\"}]",
	                        system, user),
	                .members = "\"max_tokens\":1,\"temperature\":0"},
	        &t);
	int64_t n = good ? t.reading->usage.prompt_tokens : -1;
	if (!good) {
		probing_refused(p, "system", &t, reply_evidence(&t));
	} else if (n < 0) {
		probing_capability(p, "system", STANDING_UNKNOWN,
		        "the answer has no count of prompt tokens", reply_evidence(&t));
	}
	reply_finish(&t);
	return n;
}

/* Compares two system messages and not a chat with one to a chat without, which may get the
 * template's own. A longer user message shows whether the engine counts at all. */
static void ask_system(struct probing *p)
{
	static const char LONG[] = "You answer in one plain English sentence, and you name each "
	                           "number that you use.";
	int64_t usual = count_chat(p, "Hi.", PROBE_CHAT);
	int64_t system = usual < 0 ? -1 : count_chat(p, LONG, PROBE_CHAT);
	int64_t user =
	        system < 0 ? -1 : count_chat(p, "Hi.", probing_text(p, "%s %s", PROBE_CHAT, LONG));
	if (user < 0) {
		return;
	}
	const char *evidence = probing_text(p,
	        "a chat with a system message of 1 word -> prompt_tokens %lld; with 14 words more "
	        "in the system message -> %lld; with 15 more in the user's -> %lld",
	        (long long)usual, (long long)system, (long long)user);
	if (system == usual && user - usual >= SYSTEM_MORE) {
		probing_capability(p, "system", STANDING_IGNORED, "are dropped", evidence);
		probing_finding(p, "system.dropped", SEVERITY_FAULT, "System messages are dropped",
		        evidence,
		        "Give the engine a chat template that uses system messages, or put their "
		        "text into the user's message.");
	} else {
		bool whole = system - usual >= SYSTEM_MORE;
		probing_capability(p, "system", whole ? STANDING_HONOURED : STANDING_UNKNOWN,
		        whole ? "reach the model" : "the counts do not tell", evidence);
	}
}

void probe_prompts(struct probing *p)
{
	ask_tokenize(p);
	if (p->answers[ENDPOINT_CHAT]) {
		ask_system(p);
	}
	if (!p->answers[ENDPOINT_COMPLETION]) {
		return;
	}
	ask_completion(p);
	struct prompt_count letter = count_prompt(p, "a");
	if (letter.good) {
		report_bos(p, &letter);
	}
	ask_id_prompt(p);
}

/* Scores of a given text */

struct score_comparison {
	uint32_t tokens;
	double sum;            /* of the prompt's words */
	uint32_t shared;       /* tokens that the engine had generated at the same place */
	double max_difference; /* nats: the largest difference between both numbers of a token */
};

/* Compares the echoed scores with the logprobs with which the answer was generated. */
static struct score_comparison compare_scores(
        const struct columns *echoed, const struct columns *generated)
{
	struct score_comparison s = {0};
	size_t prompt = strlen(PROBE_PROMPT);
	for (uint32_t i = 0; i < echoed->n; i++) {
		size_t at = i ? echoed->bytes_end[i - 1] : 0;
		if (isfinite(echoed->lp[i]) && at < prompt) {
			s.tokens++;
			s.sum += echoed->lp[i];
		}
		for (uint32_t k = 0; k < generated->n && at >= prompt; k++) {
			size_t start = prompt + (k ? generated->bytes_end[k - 1] : 0);
			if (start == at && isfinite(echoed->lp[i]) && isfinite(generated->lp[k]) &&
			        span_equal(columns_token(echoed, i), columns_token(generated, k))) {
				s.shared++;
				s.max_difference = fmax(s.max_difference,
				        fabs((double)echoed->lp[i] - (double)generated->lp[k]));
			}
		}
	}
	return s;
}

static void report_echo(struct probing *p, const struct reply *t, const struct score_comparison *s)
{
	bool equal = s->max_difference <= fmax(SCORED_LIKE, TIMES_NOISE * p->noise);
	const char *result = probing_text(p,
	        "%s -> %s, %u prompt tokens scored (mean %.2f), %u tokens scored as "
	        "they were generated, at most %.4f nats apart",
	        t->request, t->result, s->tokens, s->tokens ? s->sum / s->tokens : 0, s->shared,
	        s->max_difference);
	if (s->shared && !equal) {
		probing_capability(p, "echo", STANDING_WRONG, "other scores", result);
		probing_finding(p, "echo.shifted", SEVERITY_FAULT,
		        probing_text(p,
		                "Echoed scores are not those of the generated tokens: up to %.2f "
		                "nats apart",
		                s->max_difference),
		        result,
		        "Do not score with this engine: the scores may be those of the next "
		        "position.");
		return;
	}
	probing_capability(p, "echo", STANDING_HONOURED,
	        s->shared ? probing_text(p, "scores as generated, within %.2g", s->max_difference)
	                  : "with scores",
	        result);
	if (s->tokens && s->sum / s->tokens < POOR_SCORE) {
		probing_finding(p, "prompt.unlikely", SEVERITY_NOTE,
		        probing_text(p, "The model finds plain English unlikely: %.1f nats a token",
		                s->sum / s->tokens),
		        result, "A missing BOS token or a damaged model does that.");
	}
}

static void ask_echo(struct probing *p)
{
	/* Generates the text just before it is scored, so that the engine's state is the same. */
	struct reply generated, t;
	bool good = probing_ask(p,
	        &(struct question){.endpoint = ENDPOINT_COMPLETION,
	                .text = PROBE_PROMPT,
	                .members = "\"max_tokens\":4,\"temperature\":0",
	                .top = PROBE_TOP},
	        &generated);
	struct span result = reply_text(&generated);
	/* One engine crashes if its cache holds the whole prompt, so the prompt is longer than
	 * that. */
	const char *text = probing_text(
	        p, PROBE_PROMPT "%.*s" ECHO_MORE, (int)result.len, good ? result.data : "");
	good = probing_ask(p,
	        &(struct question){.endpoint = ENDPOINT_COMPLETION,
	                .text = text,
	                .members = "\"echo\":true,\"max_tokens\":1,\"temperature\":0",
	                .top = PROBE_TOP},
	        &t);
	struct span whole = reply_text(&t);
	bool echoed = good && whole.len >= strlen(PROBE_PROMPT) &&
	              memcmp(whole.data, PROBE_PROMPT, strlen(PROBE_PROMPT)) == 0;
	const struct columns *c = reply_columns(&t), *g = reply_columns(&generated);
	if (!good) {
		probing_refused(p, "echo", &t, reply_evidence(&t));
	} else if (!echoed) {
		probing_capability(p, "echo", STANDING_IGNORED, "no echo",
		        reply_evidence_with(&t, "the text does not begin with the prompt"));
	} else if (c && g && c->n > g->n) {
		struct score_comparison s = compare_scores(c, g);
		report_echo(p, &t, &s);
	} else {
		probing_capability(p, "echo", STANDING_HONOURED, "text only",
		        reply_evidence_with(&t, "the prompt without scores"));
	}
	reply_finish(&generated);
	reply_finish(&t);
}

static void ask_prompt_logprobs(struct probing *p)
{
	struct reply t;
	bool good = probing_ask(p,
	        &(struct question){.endpoint = ENDPOINT_COMPLETION,
	                .text = PROBE_PROMPT,
	                .members = "\"prompt_logprobs\":1,\"max_tokens\":1,\"temperature\":0"},
	        &t);
	struct span body = buf_span(&t.answer.body);
	struct span list = json_path_find(body, "choices.0.prompt_logprobs.1");
	if (!list.len) {
		list = json_path_find(body, "prompt_logprobs.1");
	}
	bool found = good && list.len && *list.data == '{';
	probing_capability(p, "prompt_logprobs",
	        found                  ? STANDING_HONOURED
	        : good                 ? STANDING_IGNORED
	        : reply_is_missing(&t) ? STANDING_UNKNOWN
	                               : STANDING_REFUSED,
	        !good && reply_is_missing(&t) ? "no answer in time" : NULL,
	        probing_text(p, "%s -> %s%s", t.request, t.result,
	                !good   ? ""
	                : found ? ", scores of the prompt's tokens"
	                        : ", no scores"));
	reply_finish(&t);
}

void probe_scores(struct probing *p)
{
	if (!p->answers[ENDPOINT_COMPLETION]) {
		return;
	}
	ask_echo(p);
	ask_prompt_logprobs(p);
}
