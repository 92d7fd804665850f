#include "analyzer/compare/meaning/format_markup.h"

#include <string.h>

#include "base/ascii.h"
#include "base/json.h"

#define TICKS_MAX 16

struct cut_stream {
	const char *begin, *end;
	const char *prose; /* from here to the next piece */
	struct buf *to;
	/* limit of bytes that are parsed as JSON without success */
	size_t budget;
	/* before this place no run of that many ticks closes */
	const char *none_until[TICKS_MAX + 1];
};

static void put(struct cut_stream *c, const struct markup_piece *p)
{
	if (p->all.data > c->prose) {
		struct span all = span_between(c->prose, p->all.data);
		struct markup_piece prose = {MARKUP_PIECE_PROSE, all, all, {0}, {0}};
		buf_append(c->to, &prose, sizeof(prose));
	}
	if (p->all.len) {
		buf_append(c->to, p, sizeof(*p));
	}
	c->prose = p->all.data + p->all.len;
}

static size_t run_length(const char *p, const char *end)
{
	size_t n = 1;
	while (p + n < end && p[n] == *p) {
		n++;
	}
	return n;
}

static const char *line_end(const char *p, const char *end)
{
	const char *feed = memchr(p, '\n', (size_t)(end - p));
	return feed ? feed : end;
}

/* Whether the line is a closing fence and nothing else. */
static bool closes(const char *p, const char *feed, char mark, size_t ticks)
{
	while (p < feed && is_blank(*p)) {
		p++;
	}
	if (p == feed || *p != mark) {
		return false;
	}
	size_t n = run_length(p, feed);
	for (p += n; p < feed && is_space(*p); p++) {
	}
	return n >= ticks && p == feed;
}

/* p: the first mark of a supposed fence, with only blanks before it in the line. Returns NULL if
 * it is no fence. */
static const char *cut_fence(struct cut_stream *c, const char *line, const char *p)
{
	size_t ticks = run_length(p, c->end);
	const char *feed = line_end(p, c->end);
	const char *label = p + ticks;
	if (ticks < 3 || (*p == '`' && memchr(label, '`', (size_t)(feed - label)))) {
		return NULL;
	}
	struct markup_piece piece = {.kind = MARKUP_PIECE_FENCE};
	struct span info = span_trim(span_between(label, feed));
	size_t n = 0;
	while (n < info.len && !is_space(info.data[n]) && info.data[n] != '{') {
		n++;
	}
	piece.label = (struct span){info.data, n};
	piece.about = span_trim(span_from(info, n));
	const char *inside = feed < c->end ? feed + 1 : feed;
	const char *at = inside;
	piece.inside = span_between(inside, c->end);
	piece.all = span_between(line, c->end);
	while (at < c->end) {
		feed = line_end(at, c->end);
		if (closes(at, feed, *p, ticks)) {
			piece.inside = span_between(inside, at);
			piece.all = span_between(line, feed);
			break;
		}
		at = feed + (feed < c->end);
	}
	put(c, &piece);
	return c->prose;
}

static const char *cut_inline(struct cut_stream *c, const char *p)
{
	size_t ticks = run_length(p, c->end);
	if (ticks > TICKS_MAX || p < c->none_until[ticks]) {
		return p + ticks;
	}
	const char *q = p + ticks;
	while (q < c->end && !(q[0] == '\n' && q + 1 < c->end && q[1] == '\n')) {
		if (*q != '`') {
			q++;
			continue;
		}
		size_t n = run_length(q, c->end);
		if (n == ticks) {
			struct markup_piece piece = {MARKUP_PIECE_INLINE, span_between(p, q + n),
			        span_between(p + ticks, q), {0}, {0}};
			put(c, &piece);
			return q + n;
		}
		q += n;
	}
	c->none_until[ticks] = q;
	return p + ticks;
}

/* Cuts out an object with at least one member, or a list that contains a text or an object. */
static const char *cut_json(struct cut_stream *c, const char *p)
{
	const char *next = p + 1;
	while (next < c->end && is_space(*next)) {
		next++;
	}
	bool begins = *p == '{' ? next < c->end && *next == '"' : next < c->end;
	bool after_word = p > c->begin && (is_word(p[-1]) || strchr("\\$^}])", p[-1]));
	if (!begins || after_word || c->budget == 0) {
		return p + 1;
	}
	struct json j;
	json_init(&j, p, (size_t)(c->end - p));
	struct json_token first = json_next(&j);
	struct span value = json_skip(&j, &first);
	size_t read = (size_t)(j.p - p);
	if (value.len == 0 ||
	        (*p == '[' && !memchr(p, '"', value.len) && !memchr(p, '{', value.len))) {
		c->budget -= MIN(c->budget, read + 1);
		return p + 1;
	}
	struct markup_piece piece = {MARKUP_PIECE_JSON, value, value, {0}, {0}};
	put(c, &piece);
	return c->prose;
}

/* Whether a line reads like a program's. l is not empty. Sentences too may begin with "for " or
 * "import ", but half of the lines of a text hardly do. */
static bool is_code_line(struct span l)
{
	static const char *const with_punctuation[] = {"def ", "class ", "public ", "static ",
	        "function ", "async ", "const ", "let ", "var ", "fn ", "func ", "return ", "if ",
	        "for ", "while ", "elif ", "with ", "except ", "else", "try", "from ", "int ",
	        "void "};
	static const char *const alone[] = {"#include", "#!/", "SELECT ", "INSERT ", "UPDATE ",
	        "CREATE ", "import ", "package ", "using ", "</", "<?", "$ ", "print("};
	char last = l.data[l.len - 1];
	if (last == ';' || last == '{' || l.data[0] == '}') {
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(alone); i++) {
		if (span_starts(l, alone[i])) {
			return true;
		}
	}
	bool punctuated = last == ':' || last == ')' || last == '\\' ||
	                  memchr(l.data, '=', l.len) || memchr(l.data, '(', l.len) ||
	                  memchr(l.data, '[', l.len);
	for (size_t i = 0; i < ARRAY_LEN(with_punctuation) && punctuated; i++) {
		if (span_starts(l, with_punctuation[i])) {
			return true;
		}
	}
	return false;
}

/* Whether at least half of the lines read like a program's. Comments do not count. */
static bool is_code(struct span text)
{
	size_t code = 0, other = 0;
	const char *end = text.data + text.len;
	for (const char *p = text.data; p < end;) {
		const char *feed = line_end(p, end);
		struct span line = span_trim(span_between(p, feed));
		if (line.len && line.data[0] != '#' && !span_starts(line, "//")) {
			bool indented = is_blank(*p) && code;
			bool like_code = indented || is_code_line(line);
			code += like_code;
			other += !like_code;
		} else if (span_starts(line, "#include") || span_starts(line, "#!/")) {
			code++;
		}
		p = feed + 1;
	}
	return code > 0 && code >= other;
}

/* Bytes that may begin a piece or precede a line. */
static const char BEGINS[] = "\n`{[";

void markup_pieces(struct span text, struct buf *to)
{
	struct cut_stream c = {.begin = text.data,
	        .end = text.data + text.len,
	        .prose = text.data,
	        .to = to,
	        .budget = 4096 + 2 * text.len};
	size_t from = to->len;
	bool line_start = true;
	const char *line = text.data;
	if (text.len == 0) {
		return;
	}
	for (const char *p = text.data; p < c.end;) {
		const char *next = p + 1;
		if (*p == '\n') {
			line_start = true;
			line = next;
		} else if (!is_blank(*p)) {
			const char *fence = NULL;
			if (line_start && (*p == '`' || *p == '~')) {
				fence = cut_fence(&c, line, p);
			}
			if (fence) {
				next = fence;
			} else if (*p == '`') {
				next = cut_inline(&c, p);
			} else if (*p == '{' || *p == '[') {
				next = cut_json(&c, p);
			}
			line_start = false;
			/* Skips the bytes that begin no piece, which most do not. */
			next = find_any(next, c.end, BEGINS);
		}
		p = next;
	}
	struct markup_piece rest = {.all = {c.end, 0}};
	put(&c, &rest);
	const struct markup_piece *only =
	        (const struct markup_piece *)(const void *)(to->data + from);
	if (to->len - from == sizeof(*only) && only->kind == MARKUP_PIECE_PROSE && is_code(text)) {
		struct markup_piece code = {MARKUP_PIECE_CODE, text, text, {0}, {0}};
		to->len = from;
		buf_append(to, &code, sizeof(code));
	}
}
