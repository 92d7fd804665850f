#include "analyzer/compare/meaning/program.h"

#include <string.h>

#include "analyzer/compare/meaning/format_markup.h"
#include "base/ascii.h"

static bool is_python(const struct markup_piece *p)
{
	static const char *const labels[] = {"python", "python3", "py", "py3"};
	return p->kind == MARKUP_PIECE_CODE ||
	       (p->kind == MARKUP_PIECE_FENCE &&
	               (p->label.len == 0 || span_in(p->label, labels, ARRAY_LEN(labels))));
}

/* "def name(", with any blanks between. */
static bool defines(struct span code, const char *function)
{
	size_t len = strlen(function);
	const char *end = code.data + code.len, *at = code.data;
	while ((at = memmem(at, (size_t)(end - at), "def", 3)) != NULL) {
		bool begins = at == code.data || !is_word(at[-1]);
		const char *name = at += 3;
		while (name < end && is_blank(*name)) {
			name++;
		}
		if (begins && name > at && (size_t)(end - name) > len &&
		        memcmp(name, function, len) == 0 && !is_word(name[len])) {
			return true;
		}
	}
	return false;
}

struct span program_of(struct span answer, const char *function)
{
	struct buf pieces = {0};
	struct span last = {0};
	markup_pieces(answer, &pieces);
	for (size_t i = 0; i < markup_count(&pieces); i++) {
		const struct markup_piece *p = markup_piece(&pieces, i);
		if (is_python(p) && (!function || defines(p->inside, function))) {
			last = p->inside;
		}
	}
	buf_finish(&pieces);
	return last;
}
