#include "analyzer/compare/meaning/formula.h"

#include <criterion/criterion.h>

#include "base/mem.h"

struct row {
	const char *text, *latex, *before, *after; /* latex: NULL: the text has no formula */
};

static void expect_span(const char *what, const char *text, struct span got, const char *want)
{
	cr_expect(span_is(got, want), "<%s>: %s is <%.*s>, not <%s>", text, what, (int)got.len,
	        got.data, want);
}

static void expect_row(const struct row *r)
{
	struct format f = {0};
	struct formula formula;
	bool found = formula_read(&f.a, span_of(r->text), &formula);
	cr_expect_eq(found, r->latex != NULL, "<%s>: found %d: <%.*s>", r->text, found,
	        (int)formula.latex.len, formula.latex.data ? formula.latex.data : "");
	if (found && r->latex) {
		expect_span("latex", r->text, formula.latex, r->latex);
		expect_span("before", r->text, formula.before, r->before);
		expect_span("after", r->text, formula.after, r->after);
	}
	format_finish(&f);
}

static void expect_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		expect_row(&rows[i]);
	}
}

Test(formula, a_box_is_read_with_its_commands)
{
	static const struct row rows[] = {
	        {"So it is $\\boxed{\\frac{1}{2}}$.", "\\frac{1}{2}", "So it is", ""},
	        {"Steps.\n\\[\\boxed{\\left(-\\infty, \\sqrt{3}\\right]}\\]",
	                "\\left(-\\infty, \\sqrt{3}\\right]", "", ""},
	        {"$\\boxed{\\begin{pmatrix} 1 & 2 \\\\[2pt] 3 & 4 \\end{pmatrix}}$",
	                "\\begin{pmatrix} 1 & 2 \\\\[2pt] 3 & 4 \\end{pmatrix}", "", ""},
	        {"$x = \\boxed{5} \\text{ km}$", "5", "x =", "\\text{ km}$"},
	        {"$\\boxed{x^2}$, if $x > 0$", "x^2", "", ", if $x > 0$"},
	        {"Answer: 3. Or $\\boxed{4}$.", "4", "Or", ""},
	        {"$\\boxed{7 \\text{ apples}}$", "7 \\text{ apples}", "", ""},
	};
	expect_rows(rows, ARRAY_LEN(rows));
}

Test(formula, a_mark_in_words_is_read_without_the_marks_of_a_formula)
{
	static const struct row rows[] = {
	        {"**Answer:** $[0, 1)$", "[0, 1)", "", ""},
	        {"So the answer is \\(2\\sqrt{3}\\).", "2\\sqrt{3}", "So", ""},
	        {"Answer: $2**3$", "2**3", "", ""},
	        {"Answer: x^2 + 1", "x^2 + 1", "", ""},
	        {"Answer: $x$\nif $x$ is even", "x", "", "if $x$ is even"},
	};
	expect_rows(rows, ARRAY_LEN(rows));
}

Test(formula, a_text_that_is_one_formula_is_its_value)
{
	static const struct row rows[] = {
	        {"$\\{1, 2\\}$", "\\{1, 2\\}", "", ""},
	        {"\\[\n\\frac{\\pi}{4}\n\\]", "\\frac{\\pi}{4}", "", ""},
	        {"$$x = 5$$", "x = 5", "", ""},
	        {"3/4.", "3/4", "", ""},
	};
	expect_rows(rows, ARRAY_LEN(rows));
}

Test(formula, what_is_no_single_formula_is_not_read)
{
	static const struct row rows[] = {
	        {"$\\boxed{5}$ or $\\boxed{6}$", NULL},
	        {"Answer: $5$ or $6$", NULL},
	        {"$x$ and $y$", NULL},
	        {"Answer: Paris", NULL},
	        {"Answer: a box of 3", NULL},
	        {"$\\boxed{\\text{even}}$", NULL},
	        {"$\\boxed{}$", NULL},
	        {"$\\boxed{5", NULL},
	        {"", NULL},
	        {"$$", NULL},
	        {"\\", NULL},
	};
	expect_rows(rows, ARRAY_LEN(rows));
}

Test(formula, a_value_beyond_its_limit_is_none)
{
	struct buf text = {0};
	buf_append_str(&text, "$\\boxed{");
	for (int i = 0; i <= FORMULA_MAX; i++) {
		buf_append_char(&text, '7');
	}
	buf_append_str(&text, "}$");
	expect_row(&(struct row){buf_cstr(&text), NULL, "", ""});
	buf_finish(&text);
}
