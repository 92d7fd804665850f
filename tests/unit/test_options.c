#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/options.h"

static void assert_number(const char *text, const char *sentence, uint64_t value)
{
	uint64_t n = 77;
	char *problem = options_number("n", text, 1, 100, &n);
	cr_assert_str_eq(problem ? problem : "", sentence);
	cr_assert_eq(n, sentence[0] ? 77 : value);
	free(problem);
}

Test(options, numbers_are_within_their_limits_and_nothing_else)
{
	assert_number("1", "", 1);
	assert_number("100", "", 100);
	assert_number("0", "--n needs a number from 1 to 100, not 0", 0);
	assert_number("101", "--n needs a number from 1 to 100, not 101", 0);
	assert_number("+5", "--n needs a number from 1 to 100, not +5", 0);
	assert_number("-5", "--n needs a number from 1 to 100, not -5", 0);
	assert_number("5x", "--n needs a number from 1 to 100, not 5x", 0);
	assert_number("99999999999999999999",
	        "--n needs a number from 1 to 100, not 99999999999999999999", 0);
	uint64_t most;
	char *over = options_number("n", "18446744073709551616", 0, UINT64_MAX, &most);
	cr_assert_not_null(over);
	free(over);
}

Test(options, a_word_is_one_of_those_listed)
{
	static const char *const WORDS[] = {"stack", "replica", NULL};
	int word = -1;
	cr_assert_null(options_word("by", "replica", WORDS, &word));
	cr_assert_eq(word, 1);
	char *problem = options_word("by", "rack", WORDS, &word);
	cr_assert_str_eq(problem, "--by is stack or replica, not rack");
	cr_assert_eq(word, 1);
	free(problem);
}

Test(options, a_list_of_numbers_has_each_once)
{
	unsigned list[4];
	size_t n = 0;
	char *problem = options_numbers("levels", "1,4,2", 1, 9, list, ARRAY_LEN(list), &n);
	cr_assert_null(problem);
	cr_assert(n == 3 && list[0] == 1 && list[1] == 4 && list[2] == 2);
	problem = options_numbers("levels", "4,2,4", 1, 9, list, ARRAY_LEN(list), &n);
	cr_assert_not_null(problem);
	cr_assert_str_eq(problem, "--levels has 4 twice");
	free(problem);
	static const char *const LACKING[] = {"1,,2", ",1", "1,", "", ","};
	for (size_t i = 0; i < ARRAY_LEN(LACKING); i++) {
		problem = options_numbers("levels", LACKING[i], 1, 9, list, ARRAY_LEN(list), &n);
		cr_assert_not_null(problem, "%s", LACKING[i]);
		cr_expect(strncmp(problem, "--levels lacks a number in ", 27) == 0, "%s", problem);
		free(problem);
	}
	cr_expect_null(options_numbers("levels", "1, 2", 1, 9, list, ARRAY_LEN(list), &n));
	problem = options_numbers("levels", "1,0x2", 1, 9, list, ARRAY_LEN(list), &n);
	cr_assert_str_eq(problem, "--levels needs a number from 1 to 9, not 0x2");
	free(problem);
}

Test(options, a_speed_is_a_decimal_with_or_without_its_x)
{
	static const char *const BAD[] = {
	        "", "x", "0x10", "0x2x", "1e3", "-1", "+2", "2xx", "inf", "nan", " 2", "0", "2y"};
	double speed = 0;
	cr_assert_null(options_speed("speed", "2x", &speed));
	cr_expect_eq(speed, 2);
	cr_assert_null(options_speed("speed", "0.5", &speed));
	cr_expect_eq(speed, 0.5);
	for (size_t i = 0; i < ARRAY_LEN(BAD); i++) {
		char *problem = options_speed("speed", BAD[i], &speed);
		cr_expect_not_null(problem, "%s", BAD[i]);
		free(problem);
	}
	cr_expect_eq(speed, 0.5);
}

struct filled {
	bool json;
	const char *out;
	uint64_t limit, age, size;
	unsigned workers;
	double share;
	char *own; /* name and value of the option "own" */
	enum { FORM_BATCH, FORM_HAR } form;
	struct {
		uint64_t seed;
		bool quiet;
	} inner;
};

static char *take_own(void *to, const char *name, const char *value)
{
	char **own = to;
	free(*own);
	*own = xasprintf("%s %s", name, value ? value : "(none)");
	return value && strcmp(value, "bad") == 0 ? xstrdup("own is bad") : NULL;
}

static char *take_all(void *to, const char *name, const char *value)
{
	((struct filled *)to)->limit = 1000;
	return NULL;
}

static const char *const FORMS[] = {"batch", "har", NULL};

struct inner {
	int before;
	struct filled filled;
};

static const struct option_row ROWS[] = {
        OPT_OPERAND("DIR", "a directory"),
        {"json", 0, NULL, "print JSON", OPT_BOOL(struct filled, json)},
        {"no-json", 'J', NULL, "print text", OPT_SET(struct filled, json, false)},
        {"out", 'o', "FILE", "write there", OPT_TEXT(struct filled, out)},
        {"limit", 'n', "N", "the first N", OPT_NUMBER(struct filled, limit, 0, UINT64_MAX)},
        {"thousand", 'k', NULL, "the first thousand", OPT_CALL_ALL(take_all)},
        {"older-than", 0, "TIME", "as old", OPT_DURATION(struct filled, age, 0)},
        {"max-size", 0, "SIZE", "as large", OPT_SIZE(struct filled, size)},
        OPT_GROUP("how:"),
        {"as", 0, "FORM", "batch or har", OPT_WORD(struct filled, form, FORMS)},
        {"workers", 'w', "N", "threads", OPT_NUMBER(struct filled, workers, 1, 64)},
        {"share", 0, "SHARE", "so many", OPT_SHARE(struct filled, share)},
        {"own", 0, "WORD", "something else", OPT_CALL(struct filled, own, take_own)},
        OPT_END,
};

static const struct option_row OUTER[] = {
        {"before", 0, "N", "a number", OPT_NUMBER(struct inner, before, 0, 9)},
        OPT_INCLUDE(ROWS, struct inner, filled),
        OPT_END,
};

/* The words of a line; they live until the next call. */
static int split(const char *line, char ***ret_argv)
{
	static char copy[200];
	static char *argv[16];
	int argc = 0;
	snprintf(copy, sizeof(copy), "%s", line);
	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " ")) {
		argv[argc++] = w;
	}
	argv[argc] = NULL;
	*ret_argv = argv;
	return argc;
}

static char *parse_line(const char *line, struct filled *f, struct operands *rest)
{
	char **argv;
	int argc = split(line, &argv);
	*f = (struct filled){.limit = 7, .age = 8, .size = 9, .form = FORM_BATCH};
	return options_parse(ROWS, argc, argv, f, rest);
}

Test(options, what_is_given_is_filled_in_and_the_rest_stays)
{
	struct filled f;
	struct operands rest;
	cr_assert_null(parse_line("ls a --json -n 5 --out x b", &f, &rest));
	cr_assert(f.json && f.limit == 5 && f.age == 8 && f.size == 9 && f.form == FORM_BATCH);
	cr_assert_str_eq(f.out, "x");
	cr_assert(rest.n == 2 && !rest.help);
	cr_assert_str_eq(rest.words[0], "a");
	cr_assert_str_eq(rest.words[1], "b");
	cr_assert_null(parse_line("prune --older-than 2h --max-size=1KiB --as har", &f, &rest));
	cr_assert(!f.json && !f.out && f.age == 7200000000000u && f.size == 1024);
	cr_assert_eq(f.form, FORM_HAR);
	cr_assert_null(parse_line("serve --workers 64 --share 5% --own value", &f, &rest));
	cr_assert(f.workers == 64 && f.share == 0.05);
	cr_assert_str_eq(f.own, "own value");
	free(f.own);
	cr_assert_null(parse_line("ls --json --no-json --thousand", &f, &rest));
	cr_assert(!f.json && f.limit == 1000);
}

Test(options, names_may_be_abbreviated_and_letters_joined)
{
	struct filled f;
	struct operands rest;
	cr_assert_null(parse_line("ls --jso --wo=3 -Jn5 -ofile", &f, &rest));
	cr_assert(!f.json && f.workers == 3 && f.limit == 5);
	cr_assert_str_eq(f.out, "file");
	cr_assert_null(parse_line("ls -Jko file", &f, &rest));
	cr_assert_str_eq(f.out, "file");
	cr_assert(f.limit == 1000);
	char *problem = parse_line("ls --o x", &f, &rest);
	cr_assert_str_eq(problem, "--o is short for both --out and --older-than");
	free(problem);
}

Test(options, two_dashes_end_the_options_and_one_is_an_operand)
{
	struct filled f;
	struct operands rest;
	cr_assert_null(parse_line("ls - --json -- --out -n", &f, &rest));
	cr_assert(f.json && !f.out && rest.n == 3);
	cr_assert_str_eq(rest.words[0], "-");
	cr_assert_str_eq(rest.words[1], "--out");
	cr_assert_str_eq(rest.words[2], "-n");
}

Test(options, help_ends_the_reading_of_rows)
{
	struct filled f;
	struct operands rest;
	cr_assert_null(parse_line("prune --older-than 0 -h --nonsense", &f, &rest));
	cr_assert(f.age == 0 && rest.help);
	cr_assert_null(parse_line("prune --help", &f, &rest));
	cr_assert(rest.help);
}

Test(options, an_included_table_fills_the_struct_inside)
{
	struct inner in = {0};
	struct operands rest;
	char **argv;
	int argc = split("ls --before 4 --limit 3 --json", &argv);
	cr_assert_null(options_parse(OUTER, argc, argv, &in, &rest));
	cr_assert(in.before == 4 && in.filled.limit == 3 && in.filled.json);
}

Test(options, what_was_given_is_known_by_its_name)
{
	struct filled f;
	struct operands rest;
	cr_assert_null(parse_line("ls -n 5 --js --js", &f, &rest));
	cr_assert(options_given(&rest, "limit") && options_given(&rest, "json"));
	cr_assert(!options_given(&rest, "out") && rest.n_given == 2);
}

Test(options, a_wrong_line_is_told_in_a_sentence)
{
	static const char *const LINES[][2] = {
	        {"ls --limit many", "--limit needs a number, not many"},
	        {"ls --limit 99999999999999999999",
	                "--limit needs a number, not 99999999999999999999"},
	        {"ls --older-than old", "--older-than needs a time like 30s, 2h or 7d, not old"},
	        {"ls --max-size big", "--max-size needs a size like 10GiB, not big"},
	        {"serve --workers 0", "--workers needs a number from 1 to 64, not 0"},
	        {"serve --workers 65", "--workers needs a number from 1 to 64, not 65"},
	        {"serve --share 5", "--share needs a share (5%), not 5"},
	        {"serve --own bad", "own is bad"},
	        {"ls --as zip", "--as is batch or har, not zip"},
	        {"ls -n 5 --limit 6", "--limit is given twice"},
	        {"ls --oot x", "--oot is not a known option; did you mean --out?"},
	        {"ls --zzzzzz", "--zzzzzz is not a known option"},
	        {"ls --zzz=1", "--zzz is not a known option"},
	        {"ls -o", "-o needs a value: FILE"},
	        {"ls --out", "--out needs a value: FILE"},
	        {"ls --json=no", "--json takes no value"},
	        {"ls --json -xy", "-x is not a known option"},
	        {"ls --limit=5 -Jy dir", "-y is not a known option"},
	        {"ls --json -nx", "--limit needs a number, not x"},
	        {"ls --json -Jo", "-o needs a value: FILE"},
	};
	for (size_t i = 0; i < ARRAY_LEN(LINES); i++) {
		struct filled f;
		struct operands rest;
		char *problem = parse_line(LINES[i][0], &f, &rest);
		cr_expect_str_eq(problem ? problem : "(no problem)", LINES[i][1]);
		free(problem);
		free(f.own);
	}
}

static void assert_help(const struct verb *v, const char *text)
{
	char *data;
	size_t len;
	FILE *to = open_memstream(&data, &len);
	options_help(v, to);
	fclose(to);
	cr_assert_str_eq(data, text);
	free(data);
}

Test(options, help_has_a_line_for_each_row_and_wraps_what_is_long)
{
	static const struct option_row SOME[] = {
	        OPT_OPERAND("DIR", "a capture's directory"),
	        {"limit", 'n', "N",
	                "the first N exchanges, in the order in which they came; the others "
	                "are left where they are",
	                OPT_NUMBER(struct filled, limit, 1, 9)},
	        OPT_GROUP("how:"),
	        {"a-rather-long-name", 0, "VALUE", "is so long", OPT_TEXT(struct filled, out)},
	        OPT_END,
	};
	const struct verb v = {
	        .name = "capture ls",
	        .usage = "DIR... [options]\nURL",
	        .about = "Lists exchanges.\n\nThe second paragraph is so long that it does not "
	                 "fit into a line of eighty.",
	        .options = SOME,
	        .notes = "Nothing is changed.",
	        .examples = "plumbline capture ls c\nplumbline capture ls d",
	        .exit_codes = "0 listed, 2 command line",
	};
	assert_help(&v, "usage: plumbline capture ls DIR... [options]\n"
	                "       plumbline capture ls URL\n"
	                "\n"
	                "Lists exchanges.\n"
	                "\n"
	                "The second paragraph is so long that it does not fit into a line of "
	                "eighty.\n"
	                "\n"
	                "  DIR                   a capture's directory\n"
	                "  -n, --limit N         the first N exchanges, in the order in which they "
	                "came;\n"
	                "                        the others are left where they are\n"
	                "  -h, --help            print this text\n"
	                "\n"
	                "how:\n"
	                "  --a-rather-long-name VALUE\n"
	                "                        is so long\n"
	                "\n"
	                "Nothing is changed.\n"
	                "\n"
	                "examples:\n"
	                "  plumbline capture ls c\n"
	                "  plumbline capture ls d\n"
	                "\n"
	                "exit codes: 0 listed, 2 command line\n");
}
