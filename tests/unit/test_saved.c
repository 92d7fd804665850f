#include <stdlib.h>
#include <string.h>

#include "documents.h"
#include "analyzer/report/forms/output_format.h"
#include "analyzer/report/saved.h"

static void assert_refused(const char *text, const char *sentence)
{
	char *error = NULL;
	json_t *o = saved_parse("a.json", span_of(text), &error);
	cr_assert_null(o, "taken: %s", text);
	cr_assert(strncmp(error, sentence, strlen(sentence)) == 0, "\"%s\" for %s", error, text);
	free(error);
}

Test(saved, an_analysis_is_read)
{
	char *error = NULL;
	json_t *o = saved_parse("a.json", span_of(ANALYSIS), &error);
	cr_assert_not_null(o, "%s", error);
	json_t *same = analysis();
	cr_assert(json_equal(o, same));
	json_decref(same);
	json_decref(o);
}

Test(saved, what_is_none_is_named)
{
	assert_refused("", "a.json: is empty");
	assert_refused("\xef\xbb\xbf", "a.json: is empty");
	assert_refused("{\"plumbline_analysis\": 1,\n \"groups\": [",
	        "a.json:2: is not JSON, or was cut: ");
	assert_refused("{\"a\": 1, \"a\": 1}", "a.json:1: is not JSON, or was cut: duplicate");
	assert_refused(
	        "[]", "a.json: is not an analysis: plumbline analyze writes one, with --out");
	assert_refused("{}", "a.json: is not an analysis: ");
	assert_refused("{\"plumbline_analysis\": 3, \"groups\": []}",
	        "a.json: was written by a newer plumbline: its version is 3, this program reads 2");
	assert_refused("{\"plumbline_analysis\": 1, \"groups\": []}",
	        "a.json: was written by an older plumbline, so analyze the capture again: its "
	        "version is 1, this program reads 2");
	assert_refused("{\"plumbline_analysis\": \"1\", \"groups\": []}", "a.json: is damaged: ");
	assert_refused("{\"plumbline_analysis\": 0, \"groups\": []}", "a.json: is damaged: ");
	assert_refused("{\"plumbline_analysis\": 2}", "a.json: is damaged: groups is not a list");
	assert_refused("{\"plumbline_change\": 1}", "a.json: is a comparison of two analyses, not");
}

/* The command of the first step, as read from a file that somebody else may have written. */
static void assert_command(const char *command, bool is_kept)
{
	char *error = NULL;
	json_t *foreign = json_pack("{s:i, s:[], s:[{s:s}]}", "plumbline_analysis", 2, "groups",
	        "next", "command", command);
	char *text = json_dumps(foreign, 0);
	json_t *o = saved_parse("a.json", span_of(text), &error);
	const json_t *step = json_array_get(json_object_get(o, "next"), 0);
	cr_assert_eq(json_is_string(json_object_get(step, "command")), is_kept, "%s", command);
	json_decref(o);
	json_decref(foreign);
	free(text);
}

Test(saved, commands_that_plumbline_does_not_write_are_dropped)
{
	assert_command("plumbline probe http://127.0.0.1:8000 --deep", true);
	assert_command("plumbline replay 'my dir' --to q8 && plumbline analyze 'my dir'", true);
	assert_command("plumbline probe http://a --deep; plumbline probe http://b --deep", true);
	assert_command("plumbline analyze 'R&D; now/c' && plumbline analyze c", true);
	assert_command("plumbline analyze 'c' 'd; rm -r c", false);
	assert_command("curl http://x", false);
	assert_command("plumbline analyze c; rm -r c", false);
	assert_command("plumbline analyze c && rm -r c", false);
	assert_command("plumbline analyze $(id)", false);
	assert_command("plumbline analyze 'c", false);
	assert_command("plumbline analyze c && ", false);
	assert_command("plumbline analyze c\nrm -r c", false);
}

Test(saved, its_text_fits_a_terminal_and_has_the_main_figures)
{
	json_t *document = analysis();
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	output_format_write(OUTPUT_FORMAT_TEXT, document, to);
	fclose(to);
	cr_assert_not_null(strstr(text, "answers that differ"));
	cr_assert_not_null(strstr(text, "7.0 to 13.0"));
	cr_assert_not_null(strstr(text, "-1.0 to 5.0"), "what is left over the floor");
	cr_assert_not_null(strstr(text, "Left out of all figures"));
	cr_assert_not_null(strstr(text, "400 exchanges"));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		cr_assert_leq(strlen(line), 80, "%s", line);
	}
	free(text);
	json_decref(document);
}
