/*
 * Any two texts, separated by the first NUL. A text equals itself by bytes. Swapping the texts
 * changes nothing. Equality up to structure does not depend on the request. Every form consists of
 * parts of its input. The first byte chooses the request.
 */
#include <stdint.h>
#include <string.h>

#include "analyzer/compare/meaning/format_code.h"
#include "analyzer/compare/meaning/formula.h"
#include "analyzer/compare/meaning/meaning.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct meaning compare(
        struct meaning_room *room, struct span a, struct span b, enum question q, bool cut)
{
	struct meaning m;
	meaning_compare_texts(room, a, b, q, cut, &m);
	expect(strlen(m.base_value) < MEANING_VALUE_SIZE &&
	        strlen(m.test_value) < MEANING_VALUE_SIZE);
	expect(m.similarity >= 0 && m.similarity <= 1);
	bool match = m.class == MEANING_IDENTICAL || m.class == MEANING_FORMAT ||
	             m.class == MEANING_WORDING;
	expect(match == (m.rung < RUNG_DIFFERENT));
	expect((m.class == MEANING_IDENTICAL) == (m.rung == RUNG_BYTES));
	return m;
}

static void check_forms(struct span text)
{
	struct buf form = {0}, pieces = {0}, plain = {0};
	format_unicode(text, &form);
	markup_pieces(text, &pieces);
	const char *at = text.data;
	for (size_t i = 0; i < markup_count(&pieces); i++) {
		const struct markup_piece *p = markup_piece(&pieces, i);
		expect(p->all.data == at && p->all.len > 0);
		at += p->all.len;
	}
	expect(at == text.data + text.len);
	markup_plain(text, &pieces, true, &plain);
	buf_finish(&form);
	buf_finish(&pieces);
	buf_finish(&plain);
}

static void check_formula(struct span text)
{
	struct format room = {0};
	struct formula formula;
	struct buf gold = {0};
	if (formula_read(&room.a, text, &formula)) {
		expect(formula.latex.len > 0 && formula.latex.len <= FORMULA_MAX);
		expect(memchr(formula.latex.data, '\0', formula.latex.len) == NULL);
		expect(formula.before.len + formula.after.len <= 2 * room.a.text.len);
	}
	expect(!formula_gold_read(text, &gold) || gold.len > 0);
	buf_finish(&gold);
	format_finish(&room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1) {
		return 0;
	}
	enum question q = (enum question)(data[0] % N_QUESTIONS);
	const char *text = (const char *)data + 1;
	const char *part = memchr(text, '\0', size - 1);
	size_t n = part ? (size_t)(part - text) : size - 1;
	struct span a = {text, n};
	struct span b = part ? (struct span){part + 1, size - 2 - n} : (struct span){text + n, 0};
	struct meaning_room room = {0};
	struct meaning there = compare(&room, a, b, q, false);
	struct meaning back = compare(&room, b, a, q, false);
	expect(there.rung == back.rung && there.class == back.class && there.marks == back.marks);
	expect(there.basis == back.basis && there.severity == back.severity);
	expect(strcmp(there.base_value, back.test_value) == 0);
	expect(compare(&room, a, a, q, false).rung == RUNG_BYTES);
	struct meaning cut = compare(&room, a, b, q, true);
	expect(there.rung > RUNG_STRUCTURE || cut.rung == there.rung || there.basis == BASIS_JSON ||
	        there.basis == BASIS_CODE);
	meaning_room_finish(&room);
	check_forms(a);
	check_forms(b);
	check_formula(a);
	check_formula(b);
	for (int l = CODE_UNKNOWN; l < N_CODE_LANGUAGES; l++) {
		enum code_language language = (enum code_language)l;
		expect(code_agreement(a, b, language) == code_agreement(b, a, language));
		expect(code_agreement(a, a, language) != AGREE_CHANGED);
	}
	return 0;
}
