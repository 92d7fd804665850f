#include "analyzer/compare/meaning/left_side.h"

#include <string.h>

#include "analyzer/compare/meaning/doubt.h"
#include "analyzer/compare/meaning/left_clause.h"
#include "analyzer/compare/meaning/left_letters.h"
#include "analyzer/compare/meaning/number_words.h"
#include "base/letters.h"

#define NAME_MAX_BYTES 12

/* They leave what they stand around as it is. */
static const char *const quiet[] = {"angle", "bar", "bf", "boldsymbol", "circ", "displaystyle",
        "hat", "left", "mathbb", "mathbf", "mathcal", "mathit", "mathrm", "operatorname",
        "overline", "quad", "qquad", "right", "rm", "text", "textbf", "textit", "textrm",
        "triangle", "vec", "Rightarrow", "implies", "therefore", "to"};
/* Of these, what stands in the braces is a word, in a formula too. */
static const char *const upright[] = {"bf", "mathbf", "mathit", "mathrm", "mbox", "operatorname",
        "rm", "text", "textbf", "textit", "textrm"};
/* What stands in their braces may be called: "\mathbb{E}(X)". */
static const char *const callable[] = {"mathbb", "mathcal", "mathrm", "operatorname", "vec"};
/* What they begin is there to be worked out, whatever letters it has. */
static const char *const evaluated[] = {"binom", "dbinom", "det", "gcd", "iint", "iiint", "int",
        "lcm", "lim", "max", "min", "oint", "prod", "sum"};
static const char *const integrals[] = {"iint", "iiint", "int", "oint"};
static const char *const operators[] = {"bmod", "cdot", "div", "pm", "times"};
static const char *const named[] = {"alpha", "beta", "gamma", "delta", "epsilon", "varepsilon",
        "eta", "theta", "kappa", "lambda", "mu", "nu", "rho", "sigma", "tau", "phi", "varphi",
        "omega", "Delta", "Omega", "Phi", "Theta", "ell", "Pr"};
/* Short ones that are no names; "a" and "I" are as often. */
static const char *const prose[] = {"an", "as", "at", "be", "by", "he", "if", "in", "is", "it",
        "me", "my", "no", "of", "on", "or", "so", "to", "us", "we"};
/* Before a name they make another value of it. */
static const char *const functions[] = {"abs", "arccos", "arcsin", "arctan", "ceil", "cos", "cot",
        "csc", "exp", "floor", "ln", "log", "round", "sec", "sin", "sqrt", "tan"};
/* The same before "of" and a name: "the sum S" is only named. */
static const char *const made_of[] = {"average", "cosine", "cube", "derivative", "difference",
        "digit", "digits", "factorial", "fraction", "inverse", "logarithm", "mean", "negation",
        "opposite", "percent", "percentage", "product", "quarter", "quotient", "reciprocal",
        "remainder", "sine", "square", "sum", "tangent", "third", "triple"};
/* What a name may stand before and still be one: "the x value". */
static const char *const of_name[] = {
        "component", "coordinate", "coordinates", "intercept", "value"};
/* Between names they are no article's noun: "a and b". */
static const char *const joining[] = {"and", "or", "over", "per", "by", "to"};

struct side {
	struct span all;
	size_t at;
	bool math;                              /* in a formula: each letter may be a name */
	size_t upright_to;                      /* but not before this */
	size_t names, numbers, operators, sums; /* since the last word; sums: the "+" */
	bool words, term;
	size_t head_to;         /* where what a function is called ends: "\mathbb{E}" */
	bool article;           /* the last name may be one: "a", "I" */
	bool makes, made, part; /* "sum", "sum of", "10 % of": a name behind them is no more bare */
};

static char last_of(const struct side *s)
{
	size_t i = s->at;
	while (i && is_blank(s->all.data[i - 1])) {
		i--;
	}
	return i ? s->all.data[i - 1] : '\0';
}

static char next_of(const struct side *s)
{
	size_t i = s->at + 1;
	while (i < s->all.len && is_blank(s->all.data[i])) {
		i++;
	}
	return i < s->all.len ? s->all.data[i] : '\0';
}

static void add_word(struct side *s, struct span word)
{
	bool joint = s->at && s->all.data[s->at - 1] == '-'; /* "x-coordinate" */
	bool article = s->article && !span_in(word, joining, ARRAY_LEN(joining));
	bool of = span_is_nocase(word, "of");
	s->term |= s->operators + s->sums > 0;
	/* "x and y", "x squared" */
	s->term |= s->names > article && !joint && !span_in(word, of_name, ARRAY_LEN(of_name));
	s->made |= span_in(word, functions, ARRAY_LEN(functions)) || (of && s->makes);
	s->makes |= span_in(word, made_of, ARRAY_LEN(made_of));
	s->part |= of && s->numbers;
	s->names = s->numbers = 0;
	s->words = true;
	s->article = false;
}

static void add_name(struct side *s)
{
	char last = last_of(s);
	s->operators += last && (is_digit(last) || strchr(")}", last));
	s->names++;
	s->article = false;
}

static void add_operator(struct side *s, bool sum)
{
	/* "total / 2" */
	s->term |= s->words && s->names + s->numbers == 0;
	s->sums += sum;
	s->operators += !sum;
}

/* Of a subscript, and of what a function is called with: "x_{12}", "f(2)". */
static size_t argument(const struct side *s, char open, char close)
{
	size_t n = 0, depth = 0;
	for (struct span rest = span_from(s->all, s->at); n < rest.len; n++) {
		depth += rest.data[n] == open;
		depth -= rest.data[n] == close && depth;
		if (depth == 0) {
			return n + 1;
		}
	}
	return n;
}

static void skip_blanks(struct side *s)
{
	while (s->at < s->all.len && is_blank(s->all.data[s->at])) {
		s->at++;
	}
}

/* "_{i=1}^n" */
static void skip_scripts(struct side *s)
{
	for (skip_blanks(s); s->at + 1 < s->all.len && strchr("_^", s->all.data[s->at]);
	        skip_blanks(s)) {
		s->at++;
		bool one = s->all.data[s->at] == '\\';
		s->at += argument(s, '{', '}');
		while (one && s->at < s->all.len && is_latin(s->all.data[s->at])) {
			s->at++;
		}
	}
}

/* "(x, y)", "{5}{2}"; false: there are none. */
static bool skip_brackets(struct side *s)
{
	static const char *const sizes[] = {"\\left", "\\bigl", "\\Bigl", "\\big", "\\Big", "\\"};
	size_t before = s->at;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct span rest = span_from(s->all, s->at);
		size_t n = strlen(sizes[i]);
		if (span_starts(rest, sizes[i]) && n < rest.len && strchr("([{\\", rest.data[n])) {
			s->at += n;
		}
	}
	char open = s->at < s->all.len ? s->all.data[s->at] : '\0';
	if (!open || !strchr("([{", open)) {
		s->at = before;
		return false;
	}
	do {
		s->at += argument(s, open, open == '(' ? ')' : open == '[' ? ']' : '}');
	} while (open == '{' && s->at < s->all.len && s->all.data[s->at] == '{');
	return true;
}

/* What is summed up, to the next "+" or "-"; what is integrated has a "dx" before that. */
static void skip_body(struct side *s, bool integral)
{
	bool open = integral;
	for (size_t from = s->at, depth = 0; s->at < s->all.len; s->at++) {
		char c = s->all.data[s->at];
		depth += c && strchr("([{", c);
		depth -= c && strchr(")]}", c) && depth;
		if (c && depth == 0 && !open && s->at > from) {
			struct span rest = span_from(s->all, s->at);
			if (strchr("+-", c) ||
			        (integral && (strchr("*/", c) || span_starts(rest, "\\cdot") ||
			                             span_starts(rest, "\\times")))) {
				return;
			}
		}
		open &= c != 'd' || depth || !is_latin(next_of(s));
	}
}

/* Variables, not "\cdot" and not "\left". */
static bool has_letters(struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		size_t n = 0;
		while (i + n + 1 < s.len && is_latin(s.data[i + n + 1])) {
			n++;
		}
		bool command = s.data[i] == '\\';
		if (command ? span_in((struct span){s.data + i + 1, n}, named, ARRAY_LEN(named))
		            : is_letter(s.data[i])) {
			return true;
		}
		i += command ? n : 0;
	}
	return false;
}

/* What such a command begins is a value of its own: a number, or with letters a name. */
static size_t evaluate(struct side *s, struct span name)
{
	size_t from = s->at;
	bool integral = span_in(name, integrals, ARRAY_LEN(integrals));
	bool body =
	        integral || span_is(name, "sum") || span_is(name, "prod") || span_is(name, "lim");
	s->at += name.len + 1;
	size_t own = s->at;
	skip_scripts(s);
	if (body || !skip_brackets(s)) {
		skip_body(s, integral);
	}
	bool letters = has_letters(span_between(s->all.data + own, s->all.data + s->at));
	size_t n = s->at - from;
	s->at = from;
	if (letters) {
		add_name(s);
	} else {
		s->numbers++;
	}
	return n;
}

/* "m\angle ABC": the measure is no factor. */
static void add_angle(struct side *s)
{
	s->names -= s->names == 1 && s->at && s->all.data[s->at - 1] == 'm';
}

/* "x%" is another value than x, and "share (%)" is none. */
static void add_percent(struct side *s)
{
	s->operators += s->names > 0;
}

static size_t braces_end(const struct side *s, size_t at)
{
	struct side braces = {.all = s->all, .at = at};
	return at < s->all.len ? at + argument(&braces, '{', '}') : at;
}

static size_t command(struct side *s)
{
	struct span name = span_from(s->all, s->at + 1);
	size_t n = 0;
	while (n < name.len && is_latin(name.data[n])) {
		n++;
	}
	name.len = n;
	if (n && span_in(name, evaluated, ARRAY_LEN(evaluated))) {
		return evaluate(s, name);
	}
	if (span_is(name, "angle")) {
		add_angle(s);
	}
	if (span_in(name, upright, ARRAY_LEN(upright))) {
		s->upright_to = braces_end(s, s->at + n + 1);
	}
	if (span_in(name, callable, ARRAY_LEN(callable))) {
		s->head_to = braces_end(s, s->at + n + 1);
	}
	if (n == 0 && s->at + 1 < s->all.len && strchr("()", s->all.data[s->at + 1])) {
		s->math = s->all.data[s->at + 1] == '(';
	}
	if (n == 0 && s->at + 1 < s->all.len && s->all.data[s->at + 1] == '%') {
		add_percent(s);
	}
	if (n && span_in(name, named, ARRAY_LEN(named))) {
		add_name(s);
	} else if (n && span_in(name, operators, ARRAY_LEN(operators))) {
		add_operator(s, false);
	} else if (n && !span_in(name, quiet, ARRAY_LEN(quiet))) {
		s->operators++;
	}
	return MAX(n, (size_t)1) + 1;
}

static size_t add_sign(struct side *s, size_t n)
{
	struct span here = span_from(s->all, s->at);
	bool bullet = span_starts(here, "•") && !last_of(s);
	if (span_starts(here, "∠")) {
		add_angle(s);
	} else if (!bullet && !span_starts(here, "∴")) {
		add_operator(s, false);
	}
	return n;
}

/* "ten x"; "one" is as often a word. */
static bool is_numeral(struct span word)
{
	struct number n = {0};
	return !span_is_nocase(word, "one") && word.len && number_words_read(word, &n) == word.len;
}

static size_t letters(struct side *s)
{
	struct span run = span_from(s->all, s->at);
	size_t n = left_letters_sign(run);
	if (n) {
		return add_sign(s, n);
	}
	for (n = 1; n < run.len && (is_letter(run.data[n]) || run.data[n] == '\''); n++) {
		if (left_letters_sign(span_from(run, n))) {
			break;
		}
	}
	run.len = n;
	bool math = s->math && s->at >= s->upright_to;
	bool glued = s->at && is_digit(s->all.data[s->at - 1]);
	struct left_letters has;
	left_letters_count(run, &has);
	if (span_is_nocase(run, "mod")) {
		add_operator(s, false);
	} else if (is_numeral(run)) {
		s->numbers++;
	} else if (span_in(run, prose, ARRAY_LEN(prose)) ||
	           span_in(run, functions, ARRAY_LEN(functions)) ||
	           (has.count > 2 && !(has.formula && (math || glued)))) {
		add_word(s, run);
	} else {
		add_name(s);
		/* "xy", "abc" and "πr" are products, "AB" and "ABC" names */
		s->operators += has.count > 1 && has.formula && !has.capitals &&
		                (has.count > 2 || !is_upper(run.data[0]));
		s->article = !s->math && has.count == 1 && strchr("aAI", run.data[0]);
	}
	return n;
}

/* A sign that is none: of a list, an emphasis, a word of two parts. */
static bool is_mark(const struct side *s, char c)
{
	char last = last_of(s), next = next_of(s);
	const char *p = s->all.data + s->at;
	bool bullet = !last && s->at + 1 < s->all.len && is_blank(p[1]);
	bool joint = c == '-' && s->at && s->at + 3 < s->all.len && is_letter(p[-1]) &&
	             is_letter(p[1]) && is_letter(p[2]) && is_letter(p[3]);
	bool emphasis = c == '*' && (!last || !next || last == '*' || next == '*' ||
	                                    (!is_alnum(last) && !strchr(")}]", last)));
	return bullet || joint || emphasis;
}

/* A bracket: what a function is called with, or what a word is explained by: its bytes, or 1. */
static size_t bracket(struct side *s, char open)
{
	size_t n = argument(s, open, open == '(' ? ')' : ']');
	struct span inner = {s->all.data + s->at, n};
	char before = s->at ? s->all.data[s->at - 1] : '\0';
	bool called = before && (is_letter(before) || before == '\'' || s->at == s->head_to);
	if (s->names && called) {
		/* "n(n + 1)" */
		bool lone = is_latin(before) && (s->at == 1 || !is_latin(s->all.data[s->at - 2]));
		s->operators += lone && memchr(inner.data, before, inner.len);
		return n;
	}
	/* "Speed (km/h)", and not "value (3x)" */
	bool last_is_word = s->words && s->names + s->numbers + s->operators + s->sums == 0;
	for (size_t i = 0; i < n; i++) {
		last_is_word &= !is_digit(inner.data[i]) && !strchr("+-=", inner.data[i]);
	}
	return last_is_word && !s->made ? n : 1;
}

static size_t step(struct side *s)
{
	char c = s->all.data[s->at];
	if (c == '\\') {
		return command(s);
	}
	if (is_letter(c)) {
		return letters(s);
	}
	if (is_digit(c)) {
		s->numbers++;
		return 1;
	}
	if (c == '_' && s->at + 1 < s->all.len) {
		s->at++;
		size_t n = s->all.data[s->at] == '{' ? argument(s, '{', '}') : 1;
		s->at--;
		return n + 1;
	}
	if (c == '(' || c == '[') {
		return bracket(s, c);
	}
	if (c == '$') {
		s->math = !s->math;
	}
	if (c == '%') {
		add_percent(s);
	}
	if (c && strchr("+-*/^!|", c) && !is_mark(s, c)) {
		add_operator(s, c == '+');
		s->term |= s->at == 0 &&
		           (c == '/' || c == '^'); /* of a formula that ended before it */
	}
	return 1;
}

/* A word in letters is no variable. */
static struct span variable_of(struct span left)
{
	size_t from = left.len, run = 0, most = 0;
	while (from && !is_blank(left.data[from - 1]) && left.data[from - 1] != '$') {
		from--;
		run = is_latin(left.data[from]) ? run + 1 : 0;
		most = MAX(most, run);
	}
	struct span name = span_from(left, from);
	bool is = most && most < 3 && name.len <= NAME_MAX_BYTES &&
	          !memchr(name.data, '\\', name.len);
	return is ? name : (struct span){0};
}

/* The sum of names as a whole, and a name with a command in it: "\angle ABC". */
static struct span whole(const struct side *s)
{
	static const char *const layout[] = {
	        "\\displaystyle", "\\therefore", "\\qquad", "\\quad", "\\to", "$", "\\(", "&"};
	struct span all = s->all;
	for (size_t i = 0; i < ARRAY_LEN(layout); i++) {
		if (span_starts(all, layout[i])) {
			all = span_trim(span_from(all, strlen(layout[i])));
			i = (size_t)-1;
		}
	}
	while (all.len > 1 && (strchr("&$ ", all.data[all.len - 1]) ||
	                              memcmp(all.data + all.len - 2, "\\)", 2) == 0)) {
		all.len -= all.data[all.len - 1] == ')' ? 2 : 1;
	}
	return all;
}

/* The word that leads to a formula: "twice $x", "half of $x". */
static bool lead_doubts(const char *from, const char *at)
{
	struct span word = {0};
	for (int i = 0; i < 3; i++) {
		while (at > from && (is_blank(at[-1]) || strchr("$(\\", at[-1]))) {
			at--;
		}
		const char *end = at;
		while (at > from && is_letter(at[-1])) {
			at--;
		}
		word = span_between(at, end);
		if (!span_is_nocase(word, "of") && !span_is_nocase(word, "the")) {
			break;
		}
	}
	return span_in(word, made_of, ARRAY_LEN(made_of)) ||
	       span_in(word, functions, ARRAY_LEN(functions)) || doubt_in_clause(word, word.len);
}

static void read_side(struct side *s)
{
	while (s->at < s->all.len) {
		s->at += step(s);
	}
}

bool left_side_is_made(const char *from, const char *end)
{
	struct side s = {.all = left_clause_of(from, end)};
	s.math = s.all.len && left_clause_in_formula(from, s.all.data);
	read_side(&s);
	return s.names && s.made;
}

bool left_side_is_plain(const char *from, const char *end, struct span *ret_variable)
{
	struct span clause = left_clause_of(from, end);
	struct side s = {.all = left_clause_first(clause)};
	if (s.all.len == 0) {
		return true;
	}
	s.math = left_clause_in_formula(from, s.all.data);
	s.term = s.math && s.all.data == span_trim(clause).data && lead_doubts(from, clause.data);
	read_side(&s);
	*ret_variable = variable_of(s.all);
	s.term |= s.names && (s.made || s.part);
	if (s.term || (s.words && doubt_in_clause(s.all, s.all.len))) {
		return false;
	}
	/* "2 + 3", "x", and "m + n", which nobody names but to ask for it. */
	bool sum = s.operators + s.numbers == 0 && s.names == s.sums + 1;
	if (sum && (s.sums || (!s.words && memchr(s.all.data, '\\', s.all.len)))) {
		*ret_variable = whole(&s);
	}
	return s.names == 0 || sum;
}
