#include "cli/command_line.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void check(const char *wanted, int argc, char *const *argv)
{
	char *text = command_line_text("analyze", argc, argv, "--limit");
	cr_assert_str_eq(text, wanted);
	free(text);
}

Test(command_line, names_the_command_and_its_words)
{
	char *argv[] = {"whatever", "capture", "--base", "old"};
	check("plumbline analyze capture --base old", 4, argv);
}

Test(command_line, can_be_pasted_into_a_shell)
{
	char *argv[] = {"analyze", "a b", "--where", "model='x*'"};
	check("plumbline analyze 'a b' --where 'model='\\''x*'\\'''", 4, argv);
}

Test(command_line, lacks_what_changes_no_figure)
{
	char *argv[] = {
	        "analyze", "--jobs", "3", "c", "--out=r.html", "--full", "--policy", "p", "--json"};
	check("plumbline analyze c", 9, argv);
}

Test(command_line, lacks_the_option_that_the_caller_names)
{
	char *argv[] = {"analyze", "--limit", "3", "c", "--limit=4", "--limits"};
	check("plumbline analyze c --limits", 6, argv);
}
