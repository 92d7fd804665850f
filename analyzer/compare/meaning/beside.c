#include "analyzer/compare/meaning/beside.h"

#include <string.h>

#include "analyzer/compare/meaning/prose.h"
#include "base/letters.h"

#define FILLER_WORDS 25
#define EXPLAINS_WORDS 8     /* fewer are a remark, and may be a verdict */
#define EDIT_SIMILARITY 0.5f /* more alike, they are one text with something exchanged */

static const char *const filler[] = {"here", "is", "the", "are", "this", "json", "object", "output",
        "result", "response", "answer", "requested", "you", "asked", "for", "below", "as", "code",
        "python", "following", "sure", "certainly", "of", "course", "your", "a", "an", "in",
        "format", "it", "data", "and", "final", "here's", "to", "valid", "structured",
        "information", "extracted", "solution", "function", "program", "that"};
/* Words that present what stands beside them and judge nothing. */
static const char *const idle[] = {"absolutely", "able", "accomplish", "achieve", "achieves", "all",
        "also", "am", "approach", "array", "ask", "asking", "bash", "basic", "be", "being", "block",
        "by", "call", "calling", "can", "check", "checking", "class", "clean", "command",
        "complete", "concise", "content", "contents", "could", "create", "created", "css",
        "current", "details", "do", "document", "does", "done", "example", "exactly", "fetch",
        "fetching", "file", "find", "first", "follows", "from", "full", "get", "getting", "give",
        "given", "gives", "glad", "go", "going", "got", "great", "happy", "has", "have", "help",
        "helps", "how", "html", "i", "i'd", "i'll", "i'm", "i've", "implementation", "it's", "its",
        "java", "javascript", "job", "just", "latest", "let", "let's", "like", "list", "look",
        "looking", "made", "make", "matching", "me", "meets", "method", "model", "moment", "my",
        "need", "needed", "needs", "now", "ok", "okay", "on", "one", "our", "please", "possible",
        "problem", "produce", "program", "provide", "provided", "query", "question", "quick",
        "record", "representation", "request", "required", "requirements", "retrieve", "run",
        "running", "sample", "schema", "script", "search", "searching", "see", "shell", "short",
        "should", "show", "shown", "simple", "snippet", "so", "solve", "solves", "sql", "statement",
        "task", "text", "that's", "them", "then", "there", "these", "they", "those", "tool",
        "trick", "try", "up", "us", "use", "used", "using", "version", "wait", "want", "wanted",
        "way", "we", "we'll", "what", "which", "will", "with", "work", "works", "would", "write",
        "written", "wrote", "xml", "yaml", "you'd", "you'll", "you're", "you've"};
/* A judgement, or what turns one around. */
static const char *const charged[] = {"ain't", "although", "avoid", "bad", "beware", "break",
        "breaks", "broke", "broken", "bug", "bugs", "buggy", "but", "cannot", "careful",
        "carefully", "caution", "corrupt", "corrupts", "crash", "crashes", "danger", "dangerous",
        "delete", "deletes", "deleting", "deprecated", "destroy", "destroys", "discard", "discards",
        "drops", "endless", "endlessly", "erase", "erases", "error", "errors", "except", "fail",
        "failed", "failing", "fails", "false", "fault", "faulty", "flaw", "flawed", "flaws",
        "forever", "forget", "forgets", "hangs", "hardly", "however", "ignore", "ignores",
        "impossible", "incomplete", "incorrect", "incorrectly", "inefficient", "infinite",
        "infinitely", "insecure", "instead", "invalid", "issue", "issues", "leak", "leaks", "lose",
        "loses", "losing", "malicious", "mistake", "mistakes", "neither", "never", "no", "nobody",
        "none", "nor", "not", "nothing", "obsolete", "overwrite", "overwrites", "rather", "reject",
        "rejects", "remove", "removes", "risk", "risky", "sorry", "stop", "though", "unable",
        "unfortunately", "unless", "unnecessary", "unsafe", "untrue", "useless", "vulnerability",
        "vulnerable", "warning", "wipe", "wipes", "without", "wrong", "wrongly"};

enum weight {
	WEIGHT_IDLE,
	WEIGHT_PLAIN,
	WEIGHT_CHARGED,
};

/* The next word of *rest, which begins behind it then: a mark that may mean something is one too. */
static struct span next_word(struct span *rest)
{
	static const char *const dashes[] = {"—", "–", "…"};
	struct span s = *rest;
	for (size_t i = 0; i < ARRAY_LEN(dashes); i++) {
		if (span_starts(s, dashes[i])) {
			s = span_from(s, strlen(dashes[i]));
			i = (size_t)-1;
		} else if (s.len && *s.data && strchr(" \t\n\r.,:;!\"'-*#`\1", *s.data)) {
			s = span_from(s, 1);
			i = (size_t)-1;
		}
	}
	size_t n = s.len > 0;
	while (n < s.len && is_word(*s.data) && (is_word(s.data[n]) || s.data[n] == '\'')) {
		n++;
	}
	*rest = span_from(s, n);
	return (struct span){s.data, n};
}

/* "A function", "I see", not the option or the numeral: another word follows. */
static bool is_alone(struct span all, struct span word)
{
	const char *p = word.data, *end = all.data + all.len;
	bool follows = end - p > 2 && p[1] == ' ' && is_lower(p[2]);
	while (p > all.data && is_blank(p[-1])) {
		p--;
	}
	bool starts = p == all.data || strchr(".!\n", p[-1]);
	return word.len == 1 && is_upper(*word.data) && !(follows && (starts || *word.data == 'I'));
}

static bool is_known(struct span all, struct span word, const char *const *list, size_t n)
{
	return span_in(word, list, n) && !is_alone(all, word);
}

bool beside_is_filler(struct span words)
{
	struct span rest = words, word;
	for (size_t n = 0; (word = next_word(&rest)).len; n++) {
		if (n == FILLER_WORDS || !is_known(words, word, filler, ARRAY_LEN(filler))) {
			return false;
		}
	}
	return true;
}

/* Each word is sought in what the calls say: beyond so many, or so much, nobody would read it either. */
#define HELD_MOST ((size_t)4096)
#define WORDS_MOST 1000

/* Do the calls say the word? A number only as a whole; of a name in parts. */
static bool holds(struct span held, struct span word)
{
	for (size_t i = 0; i + word.len <= held.len; i++) {
		struct span at = {held.data + i, word.len};
		bool begins = i == 0 || !is_alnum(held.data[i - 1]);
		bool ends = i + word.len == held.len || !is_alnum(held.data[i + word.len]);
		if (begins && ends && span_equal_nocase(at, word)) {
			return true;
		}
	}
	return false;
}

static enum weight weigh(struct span words, struct span held, size_t *ret_n)
{
	enum weight weight = WEIGHT_IDLE;
	struct span rest = words, word;
	size_t n = 0, sought = 0;
	for (; weight != WEIGHT_CHARGED && (word = next_word(&rest)).len; n++) {
		bool negated = word.len > 3 && span_is_nocase(span_from(word, word.len - 3), "n't");
		bool number = held.len && is_digit(*word.data);
		if (is_known(words, word, filler, ARRAY_LEN(filler)) ||
		        is_known(words, word, idle, ARRAY_LEN(idle))) {
			continue;
		}
		if (held.len > HELD_MOST || (held.len && sought++ == WORDS_MOST)) {
			weight = WEIGHT_CHARGED;
			continue;
		}
		if (held.len && holds(held, word)) {
			continue;
		}
		if (negated || number || *word.data == '?' ||
		        span_in(word, charged, ARRAY_LEN(charged))) {
			weight = WEIGHT_CHARGED;
		}
		weight = MAX(weight, WEIGHT_PLAIN);
	}
	*ret_n = n;
	return weight;
}

bool beside_agree(struct span a, struct span b, struct span held, bool codes, bool asked)
{
	size_t n, m;
	enum weight x = weigh(a, held, &n), y = weigh(b, held, &m);
	if (x == WEIGHT_IDLE && y == WEIGHT_IDLE) {
		return codes;
	}
	if (!asked || x == WEIGHT_CHARGED || y == WEIGHT_CHARGED) {
		return false;
	}
	/* A short remark beside nothing may be what matters. */
	if (x == WEIGHT_IDLE || y == WEIGHT_IDLE) {
		return MAX(n, m) >= EXPLAINS_WORDS;
	}
	struct prose_difference d;
	(void)prose_agreement_of(a, b, &d);
	return MIN(n, m) >= EXPLAINS_WORDS && !d.any && d.similarity < EDIT_SIMILARITY;
}
