#include "analyzer/compare/meaning/program.h"

#include <criterion/criterion.h>

static void is_program(const char *answer, const char *function, const char *wanted)
{
	struct span p = program_of(span_of(answer), function);
	char *said = span_dup(p);
	cr_expect_str_eq(said, wanted, "%s", answer);
	free(said);
}

Test(program, is_the_last_block_that_defines_what_was_asked_for)
{
	is_program("Try\n```python\ndef f(x): return 1\n```\nbetter:\n```python\ndef f(x): return "
	           "2\n```"
	           "\nUse it so:\n```python\nprint(f(1))\n```",
	        "f", "def f(x): return 2\n");
	is_program("```python\ndef f(x): return 1\n```\n```python\nprint(f(1))\n```", NULL,
	        "print(f(1))\n");
	is_program("```python\nclass Solution:\n    def  f (self): pass\n```", "f",
	        "class Solution:\n    def  f (self): pass\n");
}

Test(program, is_python_only)
{
	is_program("```cpp\nint f() { return 1; }\n```", NULL, "");
	is_program("```\ndef f(): pass\n```", "f", "def f(): pass\n");
	is_program("```Py\ndef f(): pass\n```", "f", "def f(): pass\n");
}

Test(program, may_be_the_whole_answer)
{
	is_program("def f(x):\n    return x\n", "f", "def f(x):\n    return x\n");
}

Test(program, is_none_where_the_name_is_only_like_it)
{
	is_program("```python\ndef ff(x): pass\n```", "f", "");
	is_program("```python\ndef g(x): return f(x)\n```", "f", "");
	is_program("```python\nundef f(x)\n```", "f", "");
	is_program("```python\ndef f", "f", "");
	is_program("The answer is 3.", "f", "");
	is_program("", NULL, "");
}
