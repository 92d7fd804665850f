#include "analyzer/opinions/grades.h"

#include "grading/grade.h"

bool grades_are_wanted(const struct exchange_labels *labels)
{
	return code_tests_are(span_of(labels->gold));
}

static bool read_grade(const struct reading *r, enum grade_verdict *ret)
{
	struct buf words = {0};
	if (r && r->n_choices > 0) {
		choice_answer(&r->choices[0], &words);
	}
	bool good = grade_read(buf_span(&words), ret);
	buf_finish(&words);
	return good;
}

enum meaning_gold grades_find(const struct opinion_source *source, struct id leg, int32_t choice)
{
	static const enum meaning_gold means[N_GRADES] = {GOLD_RIGHT, GOLD_WRONG, GOLD_UNDECIDED};
	enum grade_verdict verdict = GRADE_UNDECIDED;
	uint64_t newest = 0;
	for (size_t i = 0; i < source->e->n_legs; i++) {
		const struct leg_row *row = &source->e->legs[i].row;
		enum grade_verdict said;
		if ((row->marks & LEG_GRADING) && !(row->marks & LEG_TRUNCATED) &&
		        row->start_ns >= newest && row->score_at == (uint32_t)choice &&
		        id_compare(row->score_of, leg) == 0 &&
		        read_grade(source->reading(source->arg, i), &said)) {
			newest = row->start_ns;
			verdict = said;
		}
	}
	return means[verdict];
}
