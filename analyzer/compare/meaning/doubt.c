#include "analyzer/compare/meaning/doubt.h"

#include <string.h>

#include "analyzer/compare/meaning/number.h"
#include "analyzer/compare/meaning/word.h"
#include "base/letters.h"

#define BEFORE_MAX 48 /* bytes that are looked at before a statement */

/* After it was named, the answer was taken back, or another one was named. */
static const char *const taken_back[] = {"actually", "also works", "alternatively",
        "another answer", "apologies", "best choice is", "best option is", "check again",
        "choose both", "closer inspection", "contradicts", "correct answer =", "correct answer is",
        "correct answer:", "correct choice is", "correct option is", "correction", "double check",
        "double-check", "edit:", "either way", "error", "fix that", "forgot", "hm", "hmm", "hmmm",
        "hold on", "i meant", "incorrect", "instead", "isn't correct", "isn't right",
        "it cannot be", "it fails", "it is false", "it is too large", "it is too small", "kidding",
        "make that", "miscounted", "misread", "mistake", "my bad", "never mind", "nevermind",
        "nope", "not certain", "not correct", "not quite", "not right", "not sure", "on reflection",
        "on second thought", "on second thoughts", "oops", "re-check", "re-evaluate", "re-examine",
        "re-think", "recalculate", "recheck", "recompute", "reconsider", "reconsidering", "redo",
        "reevaluate", "reexamine", "rethink", "revise", "revised", "revisit", "right answer is",
        "right choice is", "right option is", "scratch that", "second look", "sorry", "strike that",
        "that cannot be", "that is false", "that is too large", "that is too small",
        "this cannot be", "this is false", "true value is", "try again", "uncertain", "unsure",
        "wait", "would pick", "wrong"};
/* Before a value, they name another one; "it could be divided" is none. */
static const char *const names_another[] = {"can also be", "could also be", "could be",
        "may also be", "may be", "might also be", "might be", "should be", "should have been",
        "would then be"};
/* What makes it no statement. */
static const char *const supposed[] = {"aren't", "assume", "bound for", "can't", "cannot",
        "common mistake", "could", "doubt", "doubtful", "eliminated", "false", "first", "hardly",
        "if", "impossible", "incorrect", "initial", "isn't", "least likely", "many people",
        "many students", "may", "maybe", "might", "myth", "neither", "never", "no", "nobody", "nor",
        "not", "original", "other than", "perhaps", "possibly", "previous", "rejected", "rule out",
        "some people", "suppose", "unless", "unlikely", "wasn't", "whether", "won't", "worst",
        "would", "wouldn't", "wrong"};
/* In the clause before "the answer": it is another value that is told. */
static const char *const made_of[] = {"digits", "double", "half", "more than", "opposite",
        "reciprocal", "remainder", "square", "twice"};
/* Before a value: it is not the value itself that is meant. */
static const char *const hedged[] = {"about", "above", "almost", "approximately", "aren't",
        "around", "assume", "below", "between", "beyond", "bound", "can't", "cannot", "could",
        "cube", "different from", "divisible", "double", "doubt", "doubtful", "exceed", "exceeding",
        "exceeds", "except", "exclude", "false", "fewer", "half", "hardly", "if", "impossible",
        "incorrect", "isn't", "least", "less", "log", "may", "maybe", "might", "minus", "more",
        "most", "multiple", "nearly", "negative", "neither", "never", "no", "nor", "not",
        "number of digits", "over", "perhaps", "plus", "possibly", "reciprocal", "reject", "root",
        "roughly", "square", "suppose", "than", "times", "twice", "under", "unless", "unlikely",
        "up to", "wasn't", "whether", "within", "won't", "would", "wouldn't", "wrong"};
/* What "answer" goes by where it is the answer to what was asked, and what stands before these. */
static const char *const plain[] = {"actual", "accurate", "appropriate", "best", "calculated",
        "closest", "complete", "correct", "desired", "direct", "exact", "expected", "final", "full",
        "likely", "most", "numeric", "numerical", "only", "overall", "precise", "proper", "quick",
        "required", "resulting", "right", "short", "simplest", "simplified", "suitable", "true",
        "ultimate", "valid"};
static const char *const leading[] = {"and", "as", "conclusion", "get", "hence", "here's", "is",
        "main", "my", "our", "short", "so", "summary", "the", "then", "therefore", "this", "thus",
        "your"};
/* Words that a sentence, or a clause, begins with that goes against the one before. */
static const char *const against[] = {"also", "alternatively", "although", "but", "except", "hmm",
        "however", "maybe", "nonetheless", "nevertheless", "or", "otherwise", "perhaps", "possibly",
        "rather", "still", "though", "unless", "wait", "yet"};
static const char *const joins[] = {"and", "approximately", "approx", "as long", "assuming",
        "at least", "at most", "base", "binary", "decimal", "depending", "else", "given that",
        "hex", "hexadecimal", "if", "in", "mod", "modulo", "minus", "million", "millions", "not",
        "octal", "only", "plus", "probably", "provided", "providing", "roughly", "rounded",
        "squared", "thousand", "thousands", "to", "until", "up to", "when", "while"};
static const char *const limits[] = {"almost", "although", "as long as", "assuming", "barring",
        "but", "depending", "depends", "every other", "except", "failed", "fails", "few",
        "generally", "given a", "half of", "hardly", "however", "if", "in part", "in principle",
        "in theory", "kind of", "lacks", "largely", "many of", "maybe", "might", "more or less",
        "most of", "mostly", "nearly", "normally", "not yet", "occasionally", "often", "once",
        "only", "partially", "partly", "pending", "perhaps", "possibly", "potentially", "probably",
        "provided", "rarely", "seldom", "so long", "some", "sometimes", "sort of", "subject to",
        "theoretically", "though", "to a degree", "typically", "unless", "until", "used to",
        "usually", "when", "without"};
static const char *const conditions[] = {"after", "as of", "at", "back in", "back then", "before",
        "below", "above", "by", "during", "for", "from", "in", "of", "on", "to", "under", "via",
        "with", "within"};
/* They begin like one and are none. */
static const char *const sayings[] = {"at all", "at least", "by all means", "by definition",
        "for example", "for instance", "for sure", "in fact", "of course", "in general",
        "in summary", "on the whole", "to be sure", "with certainty"};

/* Adverbs that limit nothing; the others may: "officially", "formerly". */
static const char *const affirming[] = {"absolutely", "assuredly", "categorically", "certainly",
        "clearly", "completely", "decidedly", "definitely", "emphatically", "entirely", "evidently",
        "exactly", "firmly", "fortunately", "fully", "happily", "indisputably", "literally",
        "luckily", "naturally", "obviously", "perfectly", "plainly", "positively", "precisely",
        "really", "sadly", "simply", "surely", "surprisingly", "thankfully", "totally", "truly",
        "unambiguously", "undeniably", "undoubtedly", "unequivocally", "unfortunately",
        "unquestionably"};
/* With one of them, a few words are a sentence. */
static const char *const telling[] = {"am", "are", "can", "did", "do", "does", "had", "has", "have",
        "he", "i", "is", "it", "must", "neither", "never", "nobody", "none", "not", "nothing",
        "please", "question", "she", "should", "that", "there", "they", "this", "was", "we", "were",
        "will", "you"};
/* They affirm, or deny, once more. */
static const char *const assents[] = {"100%", "correct", "indeed", "nope", "right", "sir", "sorry",
        "sure", "thank", "thanks", "true", "yeah", "yep", "yes"};
/* They end like an adverb and are none, as are names. */
static const char *const nouns[] = {"ally", "anomaly", "assembly", "belly", "bully", "butterfly",
        "family", "folly", "jelly", "monopoly", "rally", "reply", "supply"};

/* Does text begin with one of the phrases, with no letter behind it? */
static bool begins_any(struct span text, const char *const *phrases, size_t n)
{
	char first = text.len ? to_lower(*text.data) : '\0';
	for (size_t i = 0; i < n; i++) {
		if (*phrases[i] == first && span_starts_words(text, phrases[i])) {
			return true;
		}
	}
	return false;
}

static bool says_any(struct span s, const char *const *phrases, size_t n)
{
	for (size_t i = 0; i < s.len; i++) {
		if (is_letter(s.data[i]) && (i == 0 || !is_word(s.data[i - 1])) &&
		        begins_any(span_from(s, i), phrases, n)) {
			return true;
		}
	}
	return false;
}

/* From the last of `ends` on, or the beginning of its line. */
static struct span back_to(struct span words, size_t at, const char *ends)
{
	size_t from = at;
	while (from && at - from < BEFORE_MAX && words.data[from - 1] &&
	        !strchr(ends, words.data[from - 1])) {
		from--;
	}
	return (struct span){words.data + from, at - from};
}

bool doubt_before(struct span words, size_t at)
{
	return says_any(back_to(words, at, "\n."), supposed, ARRAY_LEN(supposed)) ||
	       says_any(back_to(words, at, "\n.,:;=!?"), made_of, ARRAY_LEN(made_of));
}

/* To a word that ends there: a hyphen does only within it. word_before() passes over marks: it would find a word before a
 * comma, and take "right" out of its quotation marks. */
static bool belongs(struct span words, size_t i, size_t end)
{
	char c = words.data[i];
	return is_word(c) || c == '\'' ||
	       (c == '-' && i && i + 1 < end && is_word(words.data[i - 1]));
}

bool doubt_names(struct span words, size_t at)
{
	for (;;) {
		size_t end = at;
		while (end && is_blank(words.data[end - 1])) {
			end--;
		}
		size_t from = end;
		while (from && belongs(words, from - 1, end)) {
			from--;
		}
		struct span word = {words.data + from, end - from};
		if (word.len == 0 || span_in(word, leading, ARRAY_LEN(leading))) {
			return false;
		}
		if (!span_in(word, plain, ARRAY_LEN(plain))) {
			return true;
		}
		at = from;
	}
}

bool doubt_in_clause(struct span words, size_t at)
{
	return says_any(back_to(words, at, "\n.,:;=!?"), hedged, ARRAY_LEN(hedged));
}

/* "No, B": and not "No other is", which is an option, or a reason. */
static bool says_no(struct span s)
{
	size_t n = span_starts_words(s, "no") ? 2 : span_starts_words(s, "not") ? 3 : 0;
	return n && n < s.len && s.data[n] && strchr(",.:;!-", s.data[n]);
}

/* A number, a name, the letter of an option. */
static bool begins_value(struct span s)
{
	struct number n;
	s = span_trim(s);
	return s.len && (is_digit(*s.data) || is_upper(*s.data) || strchr("$\\(*\"-", *s.data) ||
	                        number_read(s, &n) > 0);
}

bool doubt_takes_back(struct span words)
{
	for (size_t i = 0; i < words.len; i++) {
		if (!is_letter(words.data[i]) || (i && is_word(words.data[i - 1]))) {
			continue;
		}
		struct span here = span_from(words, i);
		if (begins_any(here, taken_back, ARRAY_LEN(taken_back))) {
			return true;
		}
		for (size_t k = 0; k < ARRAY_LEN(names_another); k++) {
			if (span_starts_words(here, names_another[k]) &&
			        begins_value(span_from(here, strlen(names_another[k])))) {
				return true;
			}
		}
	}
	return false;
}

bool doubt_behind(struct span rest)
{
	struct span next = rest;
	while (next.len && *next.data &&
	        (is_space(*next.data) || strchr(".,;:!?)*$", *next.data))) {
		next = span_from(next, 1);
	}
	return says_no(next) || begins_any(next, against, ARRAY_LEN(against)) ||
	       doubt_takes_back(rest);
}

bool doubt_opens(struct span option)
{
	return says_no(option) || begins_any(option, against, ARRAY_LEN(against));
}

bool doubt_joins(struct span rest)
{
	rest = span_trim(rest);
	return doubt_opens(rest) || begins_any(rest, joins, ARRAY_LEN(joins));
}

bool doubt_limits(struct span words)
{
	return says_any(words, limits, ARRAY_LEN(limits));
}

static size_t length_of_any(struct span text, const char *const *phrases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (span_starts_words(text, phrases[i])) {
			return strlen(phrases[i]);
		}
	}
	return 0;
}

/* Behind what affirms, and says nothing else: "certainly in Texas", "in fact formerly", "sure, de jure". */
static struct span behind_affirming(struct span words)
{
	for (;;) {
		size_t n = length_of_any(words, affirming, ARRAY_LEN(affirming));
		n = n ? n : length_of_any(words, sayings, ARRAY_LEN(sayings));
		n = n ? n : length_of_any(words, assents, ARRAY_LEN(assents));
		if (n == 0) {
			return words;
		}
		while (n < words.len && !is_word(words.data[n]) && words.data[n] != '=') {
			n++;
		}
		words = span_from(words, n);
	}
}

static bool is_adverb(struct span word)
{
	return word.len > 3 && span_same(span_from(word, word.len - 2), "ly") &&
	       !span_in(word, nouns, ARRAY_LEN(nouns));
}

bool doubt_conditions(struct span words)
{
	words = behind_affirming(words);
	struct span word = word_at(words, 0);
	/* "Emily" */
	bool adverb = is_adverb(word) && !is_upper(*word.data);
	return adverb || begins_any(words, conditions, ARRAY_LEN(conditions));
}

static bool is_sum(struct span words)
{
	return memchr(words.data, '=', words.len);
}

bool doubt_fragment(struct span words)
{
	bool heading = words.len && words.data[words.len - 1] == ':';
	struct span rest = behind_affirming(words), word = word_at(rest, 0);
	/* "Quite right", but not "technically true" */
	bool affirms = says_any(rest, assents, ARRAY_LEN(assents)) && !is_adverb(word);
	return word.len && !heading && !is_sum(rest) && !affirms &&
	       !says_any(rest, telling, ARRAY_LEN(telling));
}

bool doubt_is_sentence(struct span words)
{
	static const char *const joining[] = {"after", "before"};
	const char *comma = words.len ? memchr(words.data, ',', words.len) : NULL;
	comma = comma || !words.len ? comma : memchr(words.data, ';', words.len);
	/* "Legally, yes" */
	bool parted =
	        comma &&
	        behind_affirming(span_trim(span_between(comma + 1, words.data + words.len))).len;
	bool tells = is_sum(words) || says_any(words, telling, ARRAY_LEN(telling));
	return parted || (tells && !begins_any(words, joining, ARRAY_LEN(joining)));
}
