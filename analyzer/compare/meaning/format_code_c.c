#include "analyzer/compare/meaning/format_code_scan.h"

static const char *const joined[] = {">>>=", "...",
        "<<=", ">>=", "===", "!==", "**=", "?\?=", "&&=", "||=", "<=>", "->", "++", "--", "<<",
        "<=", ">=", "==", "!=", "&&", "||",
        "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "::", "=>", "?\?", "?.", "**", ":=", "<-",
        "..", NULL};

/* A regular expression may begin after these, a division only after the others. */
static bool is_operand(const struct code_scan *s)
{
	static const char *const keywords[] = {"return", "typeof", "case", "in", "of", "delete",
	        "void", "throw", "new", "else", "do", "yield", "await"};
	if (!s->any || s->last.kind == CODE_LINE) {
		return false;
	}
	if (s->last.kind == CODE_MARK) {
		return code_scan_after(s, ")]}");
	}
	return s->last.kind != CODE_WORD || !span_in(s->last.text, keywords, ARRAY_LEN(keywords));
}

static const char *regex_end(const char *p, const char *end)
{
	bool set = false;
	for (const char *q = p + 1; q < end && *q != '\n'; q++) {
		if (*q == '\\') {
			q++;
		} else if (*q == '[') {
			set = true;
		} else if (*q == ']') {
			set = false;
		} else if (*q == '/' && !set) {
			return q + 1;
		}
	}
	return NULL;
}

/* Comments. 1: passed one; 0: there is none; -1: not certain. */
static int skip_comment(struct code_scan *s, enum code_language l)
{
	if (code_scan_at(s, "//")) {
		const char *feed = code_scan_line_end(s->p, s->end);
		/* A line that goes on, an address in text between tags, the midst of a regular
		 * expression, or text itself. */
		char before = s->p > s->begin ? s->p[-1] : ' ';
		bool odd = (feed > s->p && feed[-1] == '\\') || before == ':' || before == '\\' ||
		           before == '[' || memmem(s->p, (size_t)(feed - s->p), "</", 2);
		code_scan_comment(s, feed);
		return odd ? -1 : 1;
	}
	if (code_scan_at(s, "/*")) {
		struct span rest = span_between(s->p + 2, s->end);
		const char *close = memmem(rest.data, rest.len, "*/", 2);
		const char *inner =
		        close ? memmem(rest.data, (size_t)(close - rest.data), "/*", 2) : NULL;
		if (!close || inner) {
			return -1; /* Rust's and Swift's nest, others' do not */
		}
		bool lines = memchr(rest.data, '\n', (size_t)(close - rest.data)) != NULL;
		code_scan_comment(s, close + 2);
		if (lines && l != CODE_C) {
			code_scan_line(s);
		}
		return 1;
	}
	return 0;
}

/* Whether the expressions in a template end in it: one may hold another template. */
static bool is_whole(struct span s)
{
	size_t open = 0, close = 0;
	for (size_t i = 1; i < s.len; i++) {
		open += s.data[i] == '{' && s.data[i - 1] == '$';
		close += s.data[i] == '}';
	}
	return open <= close;
}

/* Which mark such a string of a script has says nothing. */
static bool is_plain(const char *p, const char *close)
{
	struct span inside = span_between(p + 1, close - 1);
	return (*p == '"' || *p == '\'') && !memchr(inside.data, '"', inside.len) &&
	       !memchr(inside.data, '\'', inside.len) && !memchr(inside.data, '`', inside.len) &&
	       !memchr(inside.data, '/', inside.len) && !memchr(inside.data, '\\', inside.len);
}

/* Strings, characters and regular expressions. As above. */
static int read_string(struct code_scan *s, enum code_language l)
{
	const char *p = s->p, *close = NULL;
	if (*p == '"') {
		if (code_scan_at(s, "\"\"\"")) {
			return -1; /* Java's and Kotlin's texts of several lines */
		}
		close = code_scan_string(p, s->end, false);
	} else if (*p == '\'') {
		close = code_scan_string(p, s->end, false);
		bool character = close && close - p <= 12 &&
		                 (close - p == 3 || p[1] == '\\' || ((unsigned char)p[1] & 0x80));
		if (l == CODE_C && !character) {
			/* A lifetime of Rust's, or a digit separator of C++'s; or C's 'ab'. */
			size_t n = (size_t)((close ? close : p) - p);
			if (memchr(p, '/', n) || memchr(p, '"', n)) {
				return -1;
			}
			code_scan_put(s, CODE_MARK, p, p + 1);
			return 1;
		}
	} else if (*p == '`' && l != CODE_C) {
		close = code_scan_string(p, s->end, true);
		if (close && l == CODE_SCRIPT && !is_whole(span_between(p, close))) {
			return -1;
		}
	} else if (*p == '/' && l == CODE_SCRIPT && !is_operand(s)) {
		close = regex_end(p, s->end);
		while (close && close < s->end && is_word(*close)) {
			close++; /* flags */
		}
	} else {
		return 0;
	}
	if (!close) {
		return -1;
	}
	bool bare = l == CODE_SCRIPT && is_plain(p, close);
	code_scan_put(s, CODE_STRING, bare ? p + 1 : p, bare ? close - 1 : close);
	s->p = close;
	return 1;
}

/* Strings that hold quotation marks without a backslash. */
static bool is_raw_string(const struct code_scan *s)
{
	struct span t = s->last.text;
	return s->any && s->last.kind == CODE_WORD && t.data + t.len == s->p && t.len <= 3 &&
	       strchr("rR@$", t.data[t.len - 1]) && (*s->p == '"' || *s->p == '#');
}

/* A line of the preprocessor is a line to itself. */
static bool at_directive(const struct code_scan *s)
{
	const char *p = s->p;
	while (p > s->begin && is_blank(p[-1])) {
		p--;
	}
	return *s->p == '#' && (p == s->begin || p[-1] == '\n');
}

static void end_line(struct code_scan *s, enum code_language l, bool directive)
{
	/* Where a statement cannot end, the line's end says nothing. */
	bool matters = l == CODE_C ? directive : !code_scan_after(s, ";{([,");
	if (matters) {
		code_scan_line(s);
	}
	s->p++;
}

bool code_c_read(struct code_scan *s, enum code_language l)
{
	bool directive = false;
	while (s->p < s->end) {
		if (*s->p == '\n') {
			bool goes_on = s->p > s->begin && s->p[-1] == '\\';
			end_line(s, l, directive && !goes_on);
			directive = directive && goes_on;
			continue;
		}
		if (is_space(*s->p)) {
			s->p++;
			continue;
		}
		if (l == CODE_C && at_directive(s)) {
			directive = true;
			code_scan_line(s);
			/* "F(x)" and "F (x)" are two things there. */
			if (code_scan_at(s, "#define") || code_scan_at(s, "# ")) {
				return false;
			}
		}
		if (is_raw_string(s)) {
			return false;
		}
		int done = skip_comment(s, l);
		done = done ? done : read_string(s, l);
		if (done < 0 || (done == 0 && !code_scan_word(s) && !code_scan_mark(s, joined))) {
			return false;
		}
	}
	return s->depth == 0;
}
