#include "analyzer/compare/meaning/code_results.h"

#include <string.h>

#include "analyzer/compare/meaning/word.h"
#include "base/letters.h"

#define LEAD_WORDS 4   /* "this should print abc", "the expected output is:" */
#define VALUE_WORDS 4  /* of a result that nothing leads to */
#define LINE_BYTES 120 /* of a statement's line, in which a call that prints is looked for */

static const char *const verbs[] = {"be", "display", "displays", "gives", "log", "logs", "output",
        "outputs", "print", "prints", "return", "returns", "shows", "yields"};
/* With one of these a comment begins that tells what came out; "print" tells what to do. */
static const char *const telling[] = {
        "displays", "equals", "gives", "logs", "outputs", "prints", "returns", "shows", "yields"};
static const char *const nouns[] = {
        "expected", "output", "outputs", "printed", "prints", "result", "results", "stdout"};
/* A result has none of these words; what explains has. */
static const char *const explaining[] = {"a", "all", "an", "any", "both", "each", "every", "for",
        "from", "how", "if", "in", "it", "its", "of", "on", "or", "that", "the", "their", "these",
        "this", "to", "what", "when", "whether", "which", "with"};

static struct span without_marks(struct span s)
{
	bool dashes = span_starts(s, "--");
	s = span_from(s, dashes ? 2 : 0);
	while (s.len && !dashes && strchr("#/*!", *s.data) && *s.data) {
		s = span_from(s, 1);
	}
	if (s.len > 1 && s.data[s.len - 1] == '/' && s.data[s.len - 2] == '*') {
		s.len -= 2;
	}
	return span_trim(s);
}

static bool explains(struct span text)
{
	struct span word;
	while (word_next(&text, &word)) {
		if (span_in(word, explaining, ARRAY_LEN(explaining))) {
			return true;
		}
	}
	return false;
}

/* Items of a list aside, which have a comma behind them. */
static bool is_few(struct span text)
{
	struct span words[VALUE_WORDS + 1];
	size_t commas = 0;
	for (size_t i = 1; i < text.len; i++) {
		commas += is_space(text.data[i]) && text.data[i - 1] == ',';
	}
	size_t n = commas ? word_count(text) - commas : word_split(text, VALUE_WORDS, words);
	return n && n <= VALUE_WORDS && text.data[text.len - 1] != ':';
}

static size_t arrow_length(struct span s)
{
	static const char *const arrows[] = {"->", "=>", "→", "⇒", "➜"};
	for (size_t i = 0; i < ARRAY_LEN(arrows); i++) {
		if (span_starts(s, arrows[i])) {
			return strlen(arrows[i]);
		}
	}
	return 0;
}

/* What parts "output" from what comes out; 0: that begins with none. */
static size_t separator_length(struct span s)
{
	static const char *const words[] = {"is", "are", "will be", "would be", "should be", "was"};
	static const char *const dashes[] = {"- ", "– ", "— "};
	for (size_t i = 0; i < ARRAY_LEN(dashes); i++) {
		if (span_starts(s, dashes[i])) {
			return strlen(dashes[i]);
		}
	}
	size_t n = 0;
	for (size_t i = 0; i < ARRAY_LEN(words) && !n; i++) {
		n = span_starts_words(s, words[i]) ? strlen(words[i]) : 0;
	}
	size_t mark = n;
	while (mark < s.len && is_blank(s.data[mark])) {
		mark++;
	}
	bool marked = mark < s.len && (s.data[mark] == ':' || s.data[mark] == '=');
	/* "Output is the list of names" explains. */
	return marked ? mark + 1 : explains(span_from(s, n)) ? 0 : n;
}

/* Behind an arrow that it begins with, or that follows a call, or a call and what parts it: "f(2) -> abc", "f(2) is abc". */
static bool behind_arrow(struct span text, struct span *ret)
{
	size_t n = arrow_length(text);
	const char *call = text.len ? memchr(text.data, ')', text.len) : NULL;
	struct span rest = n ? span_from(text, n) : text;
	if (!n && call) {
		rest = span_trim(span_between(call + 1, text.data + text.len));
		n = arrow_length(rest);
		n = n || !rest.len || *rest.data == '-' ? n : separator_length(rest);
		rest = span_from(rest, n);
	}
	*ret = span_trim(rest);
	return n > 0;
}

/* Behind "output": what it is of, "(for 2)", "for 2:", up to its colon. */
static struct span behind_object(struct span rest)
{
	static const char *const of[] = {"for", "of", "when", "with"};
	const char *end = rest.data + rest.len, *close = NULL;
	if (rest.len && *rest.data == '(') {
		close = memchr(rest.data, ')', rest.len);
		close = close ? close + 1 : NULL;
	} else if (rest.len && span_in(word_at(rest, 0), of, ARRAY_LEN(of))) {
		close = memchr(rest.data, ':', rest.len);
		bool few = close && word_count(span_between(rest.data, close)) <= LEAD_WORDS;
		close = few ? close : NULL;
	}
	return close ? span_trim(span_between(close, end)) : rest;
}

/* "Output is abc", "Expected output (for 2): abc", "Output" above it */
static bool behind_noun(struct span text, struct span *ret)
{
	struct span rest = text, word, last = {0};
	size_t others = 0;
	for (size_t i = 0; i < LEAD_WORDS && word_next(&rest, &word); i++) {
		bool noun = span_in(word, nouns, ARRAY_LEN(nouns));
		if (!noun && last.len) {
			break;
		}
		last = noun ? word : last;
		others += !noun;
	}
	if (!last.len) {
		return false;
	}
	rest = span_trim(span_between(last.data + last.len, text.data + text.len));
	rest = behind_object(rest);
	size_t n = separator_length(rest);
	*ret = span_trim(span_from(rest, n));
	return n > 0 || (rest.len == 0 && others == 0);
}

/* "s = abc": the name of what was assigned. */
static bool behind_name(struct span text, struct span *ret)
{
	struct span name = word_at(text, 0);
	struct span rest = span_trim(span_from(text, name.len));
	bool equals = name.len && rest.len > 1 && *rest.data == '=' && rest.data[1] != '=';
	*ret = span_trim(span_from(rest, equals));
	return equals && is_few(*ret);
}

/* A statement stands before it on its line. */
static bool is_behind(struct span code, struct span comment)
{
	const char *p = comment.data;
	while (p > code.data && (is_blank(p[-1]) || p[-1] == ';')) {
		p--;
	}
	return p > code.data && p[-1] && !strchr("\n:{}([,", p[-1]);
}

/* Nothing comes behind it that it could explain. */
static bool is_last(struct span code, struct span comment)
{
	const char *p = comment.data + comment.len, *end = code.data + code.len;
	while (p < end && is_space(*p)) {
		p++;
	}
	return p == end;
}

/* Of the statement before it on its line, its last bytes. */
static struct span statement_before(struct span code, struct span comment)
{
	const char *from = comment.data;
	while (from > code.data && from[-1] != '\n' && comment.data - from < LINE_BYTES) {
		from--;
	}
	return span_between(from, comment.data);
}

static bool holds_any(struct span s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n && s.len; i++) {
		if (memmem(s.data, s.len, words[i], strlen(words[i]))) {
			return true;
		}
	}
	return false;
}

/* What stands before it comes to something that it may tell: not what a function returns each time. */
static bool may_tell(struct span code, struct span comment)
{
	static const char *const returning[] = {"return"};
	if (is_behind(code, comment)) {
		return !holds_any(statement_before(code, comment), returning, 1);
	}
	const char *p = comment.data + comment.len, *end = code.data + code.len;
	size_t feeds = 0;
	while (p < end && is_space(*p) && feeds < 2) {
		feeds += *p++ == '\n';
	}
	/* Of what stands on the next line it would be said sooner. */
	return p == end || feeds == 2;
}

/* "Prints abc def", "it should print abc": more words would explain. */
static bool behind_verb(struct span text, struct span code, struct span comment, struct span *ret)
{
	static const char *const subjects[] = {
	        "it", "should", "that", "this", "which", "will", "would"};
	struct span words[LEAD_WORDS + 1], rest = text, word = word_at(text, 0);
	while (word.len && span_in(word, subjects, ARRAY_LEN(subjects))) {
		rest = span_trim(span_from(rest, word.len));
		word = word_at(rest, 0);
	}
	bool said = rest.data > text.data && span_in(word, verbs, ARRAY_LEN(verbs));
	*ret = span_trim(span_from(rest, word.len));
	if ((said || span_in(word, telling, ARRAY_LEN(telling))) && is_few(*ret) &&
	        !explains(*ret) && may_tell(code, comment)) {
		return true;
	}
	size_t n = word_split(text, LEAD_WORDS, words);
	*ret = n ? words[n - 1] : text;
	return n > 1 && n <= LEAD_WORDS && span_in(words[n - 2], verbs, ARRAY_LEN(verbs));
}

/* "[red, blue]": the brackets of a remark have no comma in them. */
static bool is_bracketed(struct span text)
{
	char first = *text.data, last = text.data[text.len - 1];
	return (first == '[' && last == ']') || (first == '{' && last == '}') ||
	       (first == '(' && last == ')' && memchr(text.data, ',', text.len));
}

/* A single word, or a list in its brackets. */
static bool is_lone(struct span text)
{
	bool word = false, list = is_bracketed(text);
	for (size_t i = 0; i < text.len; i++) {
		if (is_space(text.data[i]) && !list) {
			return false;
		}
		word |= is_word(text.data[i]);
	}
	return word && text.data[text.len - 1] != ':';
}

/* Nothing leads to it, but it stands where results do. */
static bool may_be_value(struct span text, struct span code, struct span comment)
{
	static const char *const printing[] = {
	        "print", "Print", "puts", "echo", "console.", "cout", "log", "write", "display"};
	if (text.len == 0) {
		return false;
	}
	if (is_behind(code, comment)) {
		struct span statement = statement_before(code, comment);
		return is_lone(text) ||
		       (is_few(text) && !explains(text) &&
		               holds_any(statement, printing, ARRAY_LEN(printing)));
	}
	return is_last(code, comment) && is_few(text);
}

/* The comment begins the line below the last one, or leaves one empty. */
static bool is_below(const struct code_results *r, struct span comment)
{
	size_t feeds = 0;
	for (const char *p = r->end; p && p < comment.data; p++) {
		if (!is_space(*p)) {
			return false;
		}
		feeds += *p == '\n';
	}
	return feeds == 1 || (feeds == 2 && r->awaited);
}

/* Without quotation marks around it, but for those that make a text of a number. */
static struct span bare(struct span s)
{
	bool text = s.len > 1 && !is_digit(s.data[1]) && s.data[1] != '-';
	if (text && strchr("\"'`", *s.data) && s.data[s.len - 1] == *s.data) {
		s = (struct span){s.data + 1, s.len - 2};
	}
	return s;
}

/* The result that the comment itself leads to, without what its writer put around it. False: nothing does. */
static bool is_led(struct span text, struct span code, struct span comment, struct span *ret)
{
	if (behind_arrow(text, ret) || behind_noun(text, ret) || behind_name(text, ret)) {
		*ret = bare(*ret);
		return true;
	}
	if (!behind_verb(text, code, comment, ret)) {
		return false;
	}
	/* The point ends the sentence, and is not printed. */
	ret->len -= ret->len > 1 && ret->data[ret->len - 1] == '.';
	*ret = bare(*ret);
	return true;
}

bool code_results_next(
        struct code_results *r, struct span code, struct span comment, struct span *ret)
{
	struct span text = without_marks(comment), value = text;
	bool below = r->told && is_below(r, comment);
	r->end = comment.data + comment.len;
	if (below && text.len == 0) {
		return false; /* an empty line of what is told */
	}
	bool led = !below && is_led(text, code, comment, &value);
	r->awaited = led && value.len == 0;
	r->told = below || r->awaited;
	if (!below && !led && !may_be_value(text, code, comment)) {
		return false;
	}
	value = led ? value : text;
	if (value.len == 0 || memchr(value.data, '\n', value.len)) {
		return false;
	}
	*ret = value;
	return true;
}

void code_results_put(struct buf *to, size_t place, struct span result)
{
	buf_append_number(to, place);
	buf_append_char(to, ' ');
	buf_append_span(to, result);
	buf_append_char(to, '\n');
}

static size_t place_of(struct span list)
{
	size_t place = 0;
	for (size_t i = 0; i < list.len && is_digit(list.data[i]); i++) {
		place = 10 * place + (size_t)(list.data[i] - '0');
	}
	return place;
}

/* The results of its first place; *list goes on behind them then. */
static struct span take_place(struct span *list)
{
	struct span rest = *list;
	size_t place = place_of(rest);
	while (rest.len && place_of(rest) == place) {
		const char *feed = memchr(rest.data, '\n', rest.len);
		rest = span_from(rest, (size_t)(feed - rest.data) + 1);
	}
	struct span taken = span_between(list->data, rest.data);
	*list = rest;
	return taken;
}

bool code_results_agree(struct span a, struct span b)
{
	while (a.len && b.len) {
		size_t i = place_of(a), k = place_of(b);
		struct span x = i <= k ? take_place(&a) : (struct span){0};
		struct span y = k <= i ? take_place(&b) : (struct span){0};
		if (i == k && !span_equal(x, y)) {
			return false;
		}
	}
	return true;
}
