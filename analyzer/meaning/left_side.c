#include "analyzer/meaning/left_side.h"

#include <string.h>

#include "analyzer/meaning/doubt.h"
#include "base/letters.h"

#define NAME_MAX_BYTES 12
#define LEFT_MAX 400 /* bytes that are looked at */

/* They leave what they stand around as it is. */
static const char *const quiet[] = {"angle", "bar", "bf", "boldsymbol", "displaystyle", "hat",
        "left", "mathbf", "mathit", "mathrm", "operatorname", "overline", "quad", "qquad", "right",
        "rm", "text", "textbf", "textit", "textrm", "vec", "Rightarrow", "implies", "therefore",
        "to"};
/* What they begin is there to be worked out, whatever letters it has. */
static const char *const evaluated[] = {"binom", "dbinom", "det", "gcd", "iint", "iiint", "int",
        "lcm", "lim", "max", "min", "oint", "prod", "sum"};
static const char *const greek[] = {"alpha", "beta", "gamma", "delta", "epsilon", "varepsilon",
        "eta", "theta", "kappa", "lambda", "mu", "nu", "rho", "sigma", "tau", "phi", "varphi",
        "omega", "Delta", "Omega", "Phi", "Theta", "ell"};
/* Short ones that are no names; "a" and "I" are as often. */
static const char *const prose[] = {"an", "as", "at", "be", "by", "he", "if", "in", "is", "it",
        "me", "my", "no", "of", "on", "or", "so", "to", "us", "we"};

struct side {
	struct span all;
	size_t at;
	size_t names, numbers, operators, sums; /* since the last word; sums: the "+" */
	bool words, worked_out, term;
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

static void add_word(struct side *s)
{
	s->term |= s->operators + s->sums > 0;
	s->names = s->numbers = 0;
	s->words = true;
}

static void add_name(struct side *s)
{
	char last = last_of(s);
	s->operators += last && (is_digit(last) || strchr(")}", last));
	s->names++;
}

static void add_operator(struct side *s, bool sum)
{
	/* "total / 2" */
	s->term |= s->words && s->names + s->numbers == 0;
	s->sums += sum;
	s->operators += !sum;
}

static size_t command(struct side *s)
{
	struct span name = span_from(s->all, s->at + 1);
	size_t n = 0;
	while (n < name.len && is_latin(name.data[n])) {
		n++;
	}
	name.len = n;
	s->worked_out |= span_in(name, evaluated, ARRAY_LEN(evaluated));
	if (n && span_in(name, greek, ARRAY_LEN(greek))) {
		add_name(s);
	} else if (n && !span_in(name, quiet, ARRAY_LEN(quiet))) {
		s->operators++;
	}
	return MAX(n, (size_t)1) + 1;
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

/* Of the signs that are no ASCII, and would count as letters: its bytes. */
static size_t sign(struct span s)
{
	static const char *const signs[] = {"²", "³", "√", "×", "÷", "·", "⌊", "⌋", "⌈", "⌉"};
	for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
		if (span_starts(s, signs[i])) {
			return strlen(signs[i]);
		}
	}
	return 0;
}

static size_t letters(struct side *s)
{
	struct span run = span_from(s->all, s->at);
	size_t n = sign(run);
	if (n) {
		add_operator(s, false);
		return n;
	}
	for (n = 1; n < run.len && (is_letter(run.data[n]) || run.data[n] == '\''); n++) {
		if (sign(span_from(run, n))) {
			break;
		}
	}
	run.len = n;
	if (span_is_nocase(run, "mod")) {
		add_operator(s, false);
	} else if (n > 2 || span_in(run, prose, ARRAY_LEN(prose))) {
		add_word(s);
	} else {
		add_name(s);
		s->operators += n == 2 && is_lower(run.data[0]) && is_lower(run.data[1]); /* "xy" */
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
	if (c == '(' && s->at && s->names && is_letter(s->all.data[s->at - 1])) {
		return argument(s, '(', ')');
	}
	if (c && strchr("+-*/^!|", c) && !is_mark(s, c)) {
		add_operator(s, c == '+');
		s->term |= s->at == 0 &&
		           (c == '/' || c == '^'); /* of a formula that ended before it */
	}
	return 1;
}

static size_t arrow(struct span s)
{
	static const char *const arrows[] = {
	        "\\implies", "\\Rightarrow", "\\Longrightarrow", "=>", "⇒", "⟹"};
	for (size_t i = 0; i < ARRAY_LEN(arrows); i++) {
		if (span_starts(s, arrows[i])) {
			return strlen(arrows[i]);
		}
	}
	return 0;
}

/* To its first "=", or that behind its last arrow: of a chain, that is what it stands for. */
static struct span first_side(struct span s)
{
	size_t from = 0, to = s.len, depth = 0;
	for (size_t i = 0; i < s.len; i++) {
		size_t n = arrow(span_from(s, i));
		depth += s.data[i] == '{';
		depth -= s.data[i] == '}' && depth;
		if (n && depth == 0) {
			from = i + n;
			to = s.len;
			i += n - 1;
		} else if (s.data[i] == '=' && depth == 0 && to == s.len) {
			to = i;
		}
	}
	return span_trim((struct span){s.data + from, to - from});
}

/* From where its clause or formula begins. */
static struct span clause_of(const char *from, const char *end)
{
	const char *at = end - 1, *p;
	while (at > from && is_blank(at[-1])) {
		at--;
	}
	at -= at > from && at[-1] == '$'; /* "$x$ = 5" */
	for (p = at; p > from && at - p < LEFT_MAX && !strchr("$\n", p[-1]); p--) {
		bool opens = p[-1] == '\\' && strchr("([\\", *p);
		bool space = p - from > 1 && p[-2] == '\\'; /* "\," */
		if (strchr(",;", p[-1]) && !space) {
			break;
		}
		if (opens || (is_blank(*p) && strchr(".:?", p[-1]))) {
			p++;
			break;
		}
	}
	return span_between(MIN(p, at), at);
}

/* A word in letters is no variable. */
static struct span variable_of(struct span left)
{
	size_t from = left.len, run = 0, most = 0;
	while (from && !is_blank(left.data[from - 1])) {
		from--;
		run = is_latin(left.data[from]) ? run + 1 : 0;
		most = MAX(most, run);
	}
	struct span name = span_from(left, from);
	bool is = most && most < 3 && name.len <= NAME_MAX_BYTES &&
	          !memchr(name.data, '\\', name.len);
	return is ? name : (struct span){0};
}

bool left_side_is_plain(const char *from, const char *end, struct span *ret_variable)
{
	struct side s = {.all = first_side(clause_of(from, end))};
	while (s.at < s.all.len) {
		s.at += step(&s);
	}
	if (s.worked_out || s.all.len == 0) {
		return true;
	}
	*ret_variable = variable_of(s.all);
	if (s.term || (s.words && doubt_in_clause(s.all, s.all.len))) {
		return false;
	}
	/* "2 + 3", "x", and "m + n", which nobody names but to ask for it. */
	bool sum = s.operators + s.numbers == 0 && s.names == s.sums + 1;
	*ret_variable = sum && s.sums ? s.all : *ret_variable;
	return s.names == 0 || sum;
}
