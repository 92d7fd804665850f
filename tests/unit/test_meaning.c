#include "analyzer/compare/meaning/meaning.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rounds.h"

#define O QUESTION_OPEN
#define N QUESTION_NUMBER
#define C QUESTION_CHOICE
#define Y QUESTION_YES_NO
#define K QUESTION_CODE

struct row {
	const char *a, *b;
	enum question q;
	enum rung rung;
	enum meaning_class class;
};

/* Stands for "never the same": changed or undecided. */
#define NO_MATCH N_MEANING_CLASSES

static void assert_row(const struct row *r, struct span a, struct span b)
{
	struct meaning_room room = {0};
	struct meaning m;
	meaning_compare_texts(&room, a, b, r->q, false, &m);
	if (r->class == NO_MATCH) {
		cr_expect(m.rung == RUNG_DIFFERENT && m.class > MEANING_WORDING,
		        "<%.*s> and <%.*s> agree at %s", (int)a.len, a.data, (int)b.len, b.data,
		        rung_name(m.rung));
	} else {
		cr_expect(m.rung == r->rung && m.class == r->class,
		        "<%.*s> and <%.*s>: %s, %s (%s), not %s, %s", (int)a.len, a.data,
		        (int)b.len, b.data, rung_name(m.rung), meaning_class_name(m.class),
		        meaning_basis_name(m.basis), rung_name(r->rung),
		        meaning_class_name(r->class));
	}
	meaning_room_finish(&room);
}

static void assert_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		assert_row(&rows[i], span_of(rows[i].a), span_of(rows[i].b));
		assert_row(&rows[i], span_of(rows[i].b), span_of(rows[i].a));
		struct row same = rows[i];
		same.rung = RUNG_BYTES;
		same.class = MEANING_IDENTICAL;
		assert_row(&same, span_of(rows[i].a), span_of(rows[i].a));
	}
}

#define CHANGED RUNG_DIFFERENT, MEANING_ANSWER_CHANGED
#define UNDECIDED RUNG_DIFFERENT, MEANING_UNDECIDED
#define NEVER RUNG_DIFFERENT, NO_MATCH
#define STRUCTURAL RUNG_DIFFERENT, MEANING_STRUCTURAL
#define UNICODE RUNG_UNICODE, MEANING_FORMAT
#define SPACE RUNG_SPACE, MEANING_FORMAT
#define MARKUP RUNG_MARKUP, MEANING_FORMAT
#define STRUCTURE RUNG_STRUCTURE, MEANING_FORMAT
#define WORDING RUNG_ANSWER, MEANING_WORDING
#define ROWS(...)                                                                                  \
	do {                                                                                       \
		static const struct row rows[] = {__VA_ARGS__};                                    \
		assert_rows(rows, ARRAY_LEN(rows));                                                \
	} while (0)

#define LONG_PARIS                                                                                 \
	"The seat of the French government has for many centuries been in the city of Paris, on "  \
	"the river Seine."
#define LONG_LYON                                                                                  \
	"The seat of the French government has for many centuries been in the city of Lyon, on "   \
	"the river Seine."

Test(meaning, the_table_of_what_other_tools_get_wrong)
{
	ROWS({"123456", "999456", O, CHANGED}, {"123456", "999456", N, CHANGED},
	        {"1000", "2000", O, CHANGED}, {"2147483647", "1147483647", O, CHANGED},
	        {"12,345", "12345", O, STRUCTURE}, {"42", "42.0", O, STRUCTURE},
	        {"1e3", "1000", O, STRUCTURE},
	        {"The answer is 42, as shown at Step 3", "The answer is 17, as shown at Step 3", O,
	                CHANGED},
	        {"So the answer is 42. This was found at Step 3",
	                "So the answer is 17. This was found at Step 3", N, CHANGED},
	        {"10-5", "5", N, UNDECIDED}, {"10-5", "-5", N, NEVER},
	        {"```python\nreturn x+1\n```", "```python\nreturn x-1\n```", O, CHANGED},
	        {"```\nreturn x+1\n```", "```\nreturn x-1\n```", O, UNDECIDED},
	        {LONG_PARIS, LONG_LYON, O, CHANGED},
	        {"{\"a\":1} is the result", "{\"a\":1.0}", O, UNDECIDED},
	        {"{\"a\":1}", "{\"a\":1.0}", O, STRUCTURE}, {"ja", "nein", O, NEVER},
	        {"ja", "nein", Y, NEVER}, {"**Paris**", "Paris", O, MARKUP});
}

Test(meaning, rungs_below_structure)
{
	ROWS({"caf\xc3\xa9", "cafe\xcc\x81", O, UNICODE}, {"a\r\nb", "a\nb", O, UNICODE},
	        {"a\rb", "a\nb", O, UNICODE}, {"a\u00a0b", "a b", O, UNICODE},
	        {"It’s “so”", "It's \"so\"", O, UNICODE}, {"a…", "a...", O, UNICODE},
	        {"３", "3", O, UNICODE}, {"−5", "-5", O, UNICODE}, {"3–5", "3-5", O, UNICODE},
	        {"a\u200bb", "ab", O, UNICODE}, {"\ufeffParis", "Paris", O, UNICODE},
	        {" Paris", "Paris", O, SPACE}, {"Paris\n\n", "Paris", O, SPACE},
	        {"Paris  is", "Paris is", O, SPACE}, {"a.\n\n\nb.", "a.\n\nb.", O, SPACE},
	        {"one  \ntwo", "one\ntwo", O, SPACE}, {"__Bold text__", "Bold text", O, MARKUP},
	        {"*Paris*", "Paris", O, MARKUP}, {"***Paris***", "Paris", O, MARKUP},
	        {"_Paris_", "Paris", O, MARKUP}, {"`Paris`", "Paris", O, MARKUP},
	        {"# The Answer\nParis", "The Answer\nParis", O, MARKUP},
	        {"- Paris\n- Lyon", "* Paris\n* Lyon", O, MARKUP},
	        {"1. Paris\n2. Lyon", "1) Paris\n2) Lyon", O, MARKUP},
	        {"- Paris\n- Lyon", "Paris\nLyon", O, UNDECIDED}, {"\\boxed{42}", "42", O, MARKUP},
	        {"$42$", "42", O, MARKUP}, {"$$x = 42$$", "x = 42", O, MARKUP},
	        {"\\(42\\)", "42", O, MARKUP}, {"\\[42\\]", "42", O, MARKUP},
	        {"$\\boxed{42}$", "42", O, MARKUP}, {"$5 \\text{ km}$", "5 km", O, MARKUP},
	        {"<b>Paris</b>", "Paris", O, UNDECIDED},
	        {"```python\nx = 1\n```", "```\nx = 1\n```", O, MARKUP},
	        {"```python\nprint(1);\n```", "print(1);", O, MARKUP},
	        {"这是**重点**内容", "这是重点内容", O, MARKUP});
}

Test(meaning, marks_that_are_content_stay)
{
	ROWS({"2*3*4", "234", O, NEVER}, {"__init__", "init", O, NEVER}, {"- 5", "5", O, NEVER},
	        {"+ 5", "5", O, UNDECIDED}, {"> 5", "5", O, NEVER},
	        {"$5 and $6", "5 and 6", O, NEVER}, {"# ls -l", "ls -l", O, NEVER},
	        {"~~42~~ 43", "42 43", O, NEVER}, {"*.txt and *.md", ".txt and .md", O, NEVER},
	        {"x<b>c", "xc", O, NEVER}, {"a\\.b", "a.b", O, NEVER}, {"a\\*b", "a*b", O, NEVER},
	        {"2. Paris", "3. Paris", O, NEVER}, {"`*x*`", "x", O, NEVER},
	        {"`*x*`", "*x*", O, NEVER}, {"x²", "x2", O, NEVER}, {"&lt;", "<", O, NEVER},
	        {"x_1 + y_2", "x1 + y2", O, NEVER}, {"2**3", "23", O, NEVER},
	        {"- x + 3", "x + 3", O, NEVER}, {"**/*.js", "/.js", O, NEVER},
	        {"*/5 * * * *", "/5 * *", O, NEVER},
	        {"See [a](http://x/1)", "See [a](http://x/2)", O, NEVER});
}

Test(meaning, spacing_that_is_content_stays)
{
	ROWS({"`a  b`", "`a b`", O, NEVER}, {"say \"a  b\" now", "say \"a b\" now", O, NEVER},
	        {"```\na  b\n```", "```\na b\n```", O, NEVER},
	        {"if x:\n    a()\nb()", "if x:\n    a()\n    b()", O, NEVER},
	        {"{\"a\": \"x  y\"}", "{\"a\": \"x y\"}", O, NEVER}, {"12 34", "1234", O, NEVER},
	        {"12\n34", "1234", O, NEVER}, {"a b", "ab", O, NEVER},
	        {"no where", "nowhere", O, NEVER}, {"{\"a\": \"*x*\"}", "{\"a\": \"x\"}", O, NEVER},
	        {"{\"a\": \"“x”\"}", "{\"a\": \"'x'\"}", O, NEVER});
}

Test(meaning, numbers_are_exact)
{
	ROWS({"0.1", "0.10", N, WORDING}, {"0.5", ".5", N, WORDING}, {"1/3", "0.333", N, UNDECIDED},
	        {"1/3", "0.3333333333333333", N, UNDECIDED}, {"1/3", "2/6", N, WORDING},
	        {"1/2", "0.5", N, WORDING}, {"½", "0.5", N, UNDECIDED}, {"1/2", "½", N, UNDECIDED},
	        {"\\frac{1}{2}", "0.5", N, WORDING}, {"$\\frac{3}{4}$", "0.75", N, WORDING},
	        {"$\\dfrac{3}{4}$", "$\\frac{3}{4}$", N, MARKUP},
	        {"0.30000000000000004", "0.3", N, CHANGED}, {"1,234.50", "1.234,50", N, UNDECIDED},
	        {"1,234", "1.234", N, UNDECIDED}, {"1.234", "1234", N, UNDECIDED},
	        {"1,234", "1234", N, STRUCTURE}, {"1,234,567", "1234567", N, STRUCTURE},
	        {"12,34", "12.34", N, UNDECIDED}, {"12,34", "1234", N, NEVER},
	        {"1 234", "1234", N, NEVER}, {"3.10", "3.1", O, UNDECIDED},
	        {"3.10", "3.1", N, WORDING}, {"2.50", "2.5", N, WORDING},
	        {"$2.50", "$2.5", O, STRUCTURE}, {"3.14", "3.14159", N, UNDECIDED},
	        {"3.14", "3.15", N, CHANGED}, {"42", "42.3", N, CHANGED},
	        {"007", "7", O, UNDECIDED}, {"-5", "5", N, CHANGED}, {"minus 5", "-5", N, WORDING},
	        {"+5", "5", N, WORDING}, {"(5)", "5", N, NEVER}, {"1e3", "1000", N, STRUCTURE},
	        {"1.5e3", "1500", N, STRUCTURE}, {"1.5 × 10^3", "1500", N, WORDING},
	        {"$1.5 \\times 10^{3}$", "1500", N, WORDING}, {"10^3", "1000", N, WORDING},
	        {"10^-2", "0.01", N, WORDING}, {"1e-7", "0.0000001", N, WORDING},
	        {"forty-two", "42", N, UNDECIDED}, {"1.5 million", "1500000", N, WORDING},
	        {"٤٢", "42", N, UNDECIDED}, {"x = 5", "5", N, UNDECIDED},
	        {"x = 5", "y = 5", N, NEVER}, {"x=5", "x = 5", N, WORDING},
	        {"5 or 6", "5", N, NEVER}, {"5, 6", "5", N, NEVER}, {"about 5", "5", N, UNDECIDED},
	        {"> 5", "5", N, NEVER}, {"5 ± 0.1", "5", N, NEVER}, {"1.2.3", "1.2", N, NEVER},
	        {"192.168.0.1", "192.168.0.10", O, NEVER}, {"0x1F", "31", N, NEVER},
	        {"2^10", "1024", N, NEVER}, {"0.1+0.2", "0.3", N, NEVER},
	        {"10:30", "10.30", O, NEVER},
	        {"99999999999999999999999999999999", "99999999999999999999999999999998", N,
	                CHANGED},
	        {"9007199254740993", "9007199254740992", N, CHANGED},
	        {"100000000000000000000000", "1e23", N, STRUCTURE}, {"0", "-0", N, STRUCTURE},
	        {"5!", "5", N, NEVER}, {"The answer is 5!", "5", N, NEVER},
	        {"00:05", "5", N, NEVER}, {"1 in 5", "1", N, NEVER},
	        {"12,345,67", "1234567", N, NEVER}, {"(12,345)", "(12345)", O, NEVER});
}

Test(meaning, units_convert_exactly_or_not_at_all)
{
	ROWS({"5 km", "5000 m", N, WORDING}, {"5 km", "5km", N, WORDING},
	        {"5 kilometers", "5 km", N, WORDING}, {"1 mile", "1609.344 m", N, WORDING},
	        {"1 mile", "1.609 km", N, UNDECIDED}, {"5 km", "5 kg", N, CHANGED},
	        {"5 km", "6 km", N, CHANGED}, {"5 km", "5", N, UNDECIDED},
	        {"5 km", "5000", N, UNDECIDED}, {"5 km", "7", N, UNDECIDED},
	        {"2 h", "120 minutes", N, WORDING}, {"90 min", "1.5 hours", N, WORDING},
	        {"1 day", "24 hours", N, WORDING}, {"1 lb", "453.59237 g", N, WORDING},
	        {"1 kg", "1,000 g", N, WORDING}, {"100 °C", "212 °F", N, UNDECIDED},
	        {"100 °C", "373.15 K", N, UNDECIDED}, {"50%", "50 percent", N, WORDING},
	        {"50%", "0.5", N, UNDECIDED}, {"50%", "50", N, UNDECIDED},
	        {"50%", "60%", N, CHANGED}, {"$5", "5 dollars", N, WORDING}, {"$5", "€5", N, NEVER},
	        {"$5", "$5.00", N, STRUCTURE}, {"$5", "5", N, UNDECIDED},
	        {"$1.5 million", "$1,500,000", N, WORDING}, {"$5", "5 USD", N, UNDECIDED},
	        {"-$5", "$-5", N, WORDING}, {"-$5", "$5", N, CHANGED},
	        {"1 MB", "1000 KB", N, UNDECIDED}, {"1 gallon", "3.785 L", N, UNDECIDED},
	        {"3 apples", "3", N, UNDECIDED}, {"3 apples", "3 oranges", N, UNDECIDED},
	        {"3 apples", "4 apples", N, CHANGED}, {"2 dozen", "24", N, NEVER},
	        {"1 m", "1 min", N, NEVER}, {"36 km/h", "10 m/s", N, WORDING},
	        {"5 K", "5000", N, UNDECIDED}, {"500 ml", "0.5 L", N, WORDING},
	        {"1 month", "30 days", N, UNDECIDED});
}

Test(meaning, dates)
{
	ROWS({"2024-01-05", "January 5, 2024", O, WORDING},
	        {"5 January 2024", "Jan 5th, 2024", O, WORDING},
	        {"5th of January 2024", "January 5, 2024", O, WORDING},
	        {"01/05/2024", "2024-01-05", O, UNDECIDED},
	        {"01/05/2024", "2024-05-01", O, UNDECIDED},
	        {"13/05/2024", "2024-05-13", O, WORDING},
	        {"31.12.2024", "December 31, 2024", O, WORDING},
	        {"2024-01-05", "2024-01-06", O, CHANGED},
	        {"01/05/2024", "2024-07-05", O, UNDECIDED},
	        {"January 2024", "January 5, 2024", O, UNDECIDED},
	        {"July 4", "July 4, 1776", O, UNDECIDED}, {"July 4, 1776", "1776", O, UNDECIDED},
	        {"July 4, 1776", "July 5, 1776", O, CHANGED},
	        {"2024/01/05", "2024-01-05", O, WORDING}, {"2023-02-29", "2023-03-01", O, NEVER},
	        {"01/02/2024", "02/01/2024", O, UNDECIDED});
}

Test(meaning, letters_of_a_list)
{
	ROWS({"B", "(B)", C, WORDING}, {"B", "B.", C, WORDING}, {"A", "a", C, WORDING},
	        {"A", "a", O, NEVER}, {"B", "C", C, CHANGED}, {"**B**", "B", C, MARKUP},
	        {"B. Paris", "B", C, UNDECIDED}, {"B. Paris", "B) Paris", C, WORDING},
	        {"B. Paris", "C. Paris", C, UNDECIDED}, {"B. Paris", "B. Lyon", C, UNDECIDED},
	        {"B. Paris", "B", O, UNDECIDED}, {"B. Paris", "C. Lyon", C, CHANGED},
	        {"B. Not C", "C. Paris", C, UNDECIDED}, {"The answer is B", "B", C, WORDING},
	        {"The answer is B.", "The answer is C.", C, CHANGED},
	        {"The answer is B.", "The answer is C.", O, CHANGED},
	        {"Answer: B", "**Answer:** (B)", C, WORDING}, {"A and C", "A", C, UNDECIDED},
	        {"\\boxed{B}", "The answer is B.", C, WORDING},
	        {"The answer is not B.", "The answer is B.", C, NEVER}, {"A dog", "A", C, NEVER},
	        {"B", "B or C", C, NEVER}, {"B) is wrong", "B", C, NEVER});
}

Test(meaning, yes_and_no)
{
	ROWS({"Yes", "No", O, CHANGED}, {"Yes", "yes.", O, WORDING}, {"Yes", "No", Y, CHANGED},
	        {"Yes, it is.", "Yes", Y, UNDECIDED}, {"Yes, it is.", "No, it is not.", Y, CHANGED},
	        {"Yes. The capital is Paris.", "Yes. The capital is Lyon.", O, NEVER},
	        {"True", "False", O, CHANGED}, {"True", "true", O, WORDING},
	        {"Yes", "True", O, UNDECIDED}, {"Correct", "Incorrect", O, CHANGED},
	        {"Yes, but actually no.", "Yes", Y, NEVER}, {"No problem", "No", Y, NEVER},
	        {"Yes", "42", O, NEVER});
}

Test(meaning, what_is_marked_as_the_answer)
{
	ROWS({"\\boxed{42}", "The answer is 42.", N, WORDING},
	        {"Thus it is \\boxed{42}", "Thus it is \\boxed{42.0}.", N, STRUCTURE},
	        {"First \\boxed{1}. Then \\boxed{42}", "\\boxed{42}", N, NEVER},
	        {"\\boxed{\\frac{1}{2}}", "\\boxed{0.5}", N, WORDING},
	        {"\\boxed{\\text{Paris}}", "\\boxed{Paris}", O, MARKUP},
	        {"For the boys \\boxed{5}", "For the girls \\boxed{5}", N, NEVER},
	        {"5 + 3 = 8\n#### 8", "The sum is eight.\n#### 8", N, WORDING},
	        {"5 + 3 = 8\n#### 8", "5 + 3 = 9\n#### 9", N, CHANGED},
	        {"Final answer: 42", "The answer is 42.", N, WORDING},
	        {"**Final Answer:** 42", "The answer is: 42", N, WORDING},
	        {"### Final Answer\n42", "The answer is 42.", N, WORDING},
	        {"The answer is 42 because six times seven is that.", "42", N, UNDECIDED},
	        {"The answer is 42 or 43.", "42", N, NEVER},
	        {"The answer is 42. Wait, that is wrong: it is 43.", "42", N, NEVER},
	        {"If the answer is 42 then we are done.", "42", N, NEVER},
	        {"The wrong answer is 42.", "42", N, NEVER},
	        {"The answer is not 42.", "The answer is 42.", N, NEVER},
	        {"The answer is 42 km.", "The answer is 42,000 m.", N, WORDING},
	        {"The answer is Paris.", "Paris", O, WORDING},
	        {"The answer is Paris.", "Lyon", O, UNDECIDED},
	        {"The answer is Paris.", "Paris, France", O, UNDECIDED},
	        {"Part one: the answer is 5. Part two: the answer is 7.", "The answer is 7.", O,
	                NEVER},
	        {"The answer is 5 - 2.", "The answer is 5.", N, NEVER},
	        {"I get a total of 8 apples.", "8", N, UNDECIDED}, {"See chapter 7", "7", N, NEVER},
	        {"12 apples among 4", "4", N, NEVER},
	        {"So x is 42, from Step 3", "So x is 17, from Step 3", N, CHANGED});
}

Test(meaning, short_answers)
{
	ROWS({"Paris", "Paris.", O, STRUCTURE}, {"Paris", "paris", O, UNDECIDED},
	        {"Paris", "Lyon", O, UNDECIDED}, {"The Beatles", "Beatles", O, UNDECIDED},
	        {"USA", "United States of America", O, UNDECIDED}, {"US", "us", O, NEVER},
	        {"colour", "color", O, UNDECIDED}, {"Sao Paulo", "São Paulo", O, UNDECIDED},
	        {"Apollo 11", "Apollo 13", O, CHANGED}, {"not Paris", "Paris", O, NEVER},
	        {"Vitamin B12", "Vitamin B6", O, NEVER}, {"C#", "C", O, NEVER},
	        {"C++", "C", O, NEVER}, {"Paris", "", O, STRUCTURAL}, {"A", "a", O, NEVER},
	        {"`a b`", "`a` `b`", O, NEVER}, {"a.", "a", O, NEVER});
}

Test(meaning, prose)
{
	ROWS({"The cat chased the dog.", "The dog chased the cat.", O, UNDECIDED},
	        {"It costs 1,000 euros in Berlin.", "It costs 1000 euros in Berlin.", O, STRUCTURE},
	        {"It ended. It had lasted long.", "It ended.\nIt had lasted long.", O, STRUCTURE},
	        {"You should take 5 mg of it every day.", "You should take 50 mg of it every day.",
	                O, CHANGED},
	        {"It is safe to mix these two in water.",
	                "It is not safe to mix these two in water.", O, CHANGED},
	        {"You can do that here.", "You can't do that here.", O, CHANGED},
	        {"The sky is blue because light is scattered.",
	                "The sky is red because light is scattered.", O, UNDECIDED},
	        {"Is it raining in the town today?", "It is raining in the town today.", O, NEVER},
	        {"Few people know about it now.", "A few people know about it now.", O, NEVER},
	        {"Let us eat, Anna, and then go.", "Let us eat Anna, and then go.", O, NEVER},
	        {"There are 5! ways to do this here.", "There are 5 ways to do this here.", O,
	                NEVER},
	        {"The number of ways to do it is 5!", "The number of ways to do it is 5.", O,
	                NEVER},
	        {"5 - (2 - 1)", "5 - 2 - 1", O, NEVER}, {"eats - shoots", "eats shoots", O, NEVER},
	        {"the value f(x) is here", "the value fx is here", O, NEVER});
}

Test(meaning, numbers_in_a_sentence_have_one_spelling)
{
	ROWS({"The price is 3.50 in all.", "The price is 3.5 in all.", O, STRUCTURE},
	        {"It costs $3.50 there.", "It costs $3.5 there.", O, STRUCTURE},
	        {"You need 3.50 kg of it.", "You need 3.5 kg of it.", O, STRUCTURE},
	        {"We find x = 3.50 here.", "We find x = 3.5 here.", O, STRUCTURE},
	        {"Use Python 3.10 for it.", "Use Python 3.1 for it.", O, NEVER},
	        {"The latest version is 3.10 now.", "The latest version is 3.1 now.", O, NEVER},
	        {"My Python is 3.10 now.", "My Python is 3.1 now.", O, NEVER},
	        {"See 3.10 for it.", "See 3.1 for it.", O, NEVER},
	        {"It is 3.10.", "It is 3.1.", O, NEVER},
	        {"The newest kernel is 6.10 now.", "The newest kernel is 6.1 now.", O, NEVER},
	        {"It costs $3.10 there.", "It costs $3.1 there.", O, STRUCTURE},
	        {"About 1 000 000 people.", "About 1000000 people.", O, STRUCTURE},
	        {"1 000 000", "1000000", O, STRUCTURE}, {"5 000 m", "5,000 m", O, STRUCTURE},
	        {"In room 1 200 people sat.", "In room 1200 people sat.", O, NEVER});
}

Test(meaning, a_broken_answer_is_no_whole_one)
{
	static const char LOOP[] = "It is the the the the the the the the the the the the the the "
	                           "the the the the the the the the";
	ROWS({LOOP, "It is Paris.", O, STRUCTURAL},
	        {"{\"a\":1,\"b\":[1,2]}", "{\"a\":1,\"b\":[1,", O, STRUCTURAL},
	        {"```json\n{\"a\":1}\n```", "```json\n{\"a\":1,\n", O, STRUCTURAL},
	        {"{\"a\":1}", "Here it is:\n{\"a\":", O, STRUCTURAL},
	        {"{\"a\":1}", "{\"a\":\"x", O, STRUCTURAL}, {"{\"a\":1}", "{a", O, NEVER});
}

Test(meaning, json)
{
	ROWS({"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", O, STRUCTURE},
	        {"{\"a\": 1}", "```json\n{\"a\":1}\n```", O, STRUCTURE},
	        {"Here is the JSON you asked for:\n```json\n{\"a\": 1}\n```", "{\"a\":1}", O,
	                WORDING},
	        {"{\"a\":1}", "{\"a\":2}", O, CHANGED}, {"{\"a\":1}", "{\"a\":\"1\"}", O, CHANGED},
	        {"{\"a\":1}", "{\"a\":1,\"b\":null}", O, CHANGED},
	        {"[1,2,\"x\"]", "[2,1,\"x\"]", O, CHANGED},
	        {"{\"a\":[1, 2]}", "{\"a\": [1,2]}", O, STRUCTURE},
	        {"{\"a\":1} is wrong", "{\"a\":1}", O, NEVER},
	        {"{\"a\":\"\\u0041\"}", "{\"a\":\"A\"}", O, STRUCTURE},
	        {"{\"a\":1}", "a is 1", O, NEVER}, {"{\"a\":1}", "{\"a\":1", O, NEVER},
	        {"{\"x\":1,\"why\":\"because the sky is blue\"}",
	                "{\"x\":1,\"why\":\"since it looks blue up there\"}", O, UNDECIDED},
	        {"{\"a\":1,\"a\":2}", "{\"a\":1}", O, UNDECIDED},
	        {"{\"a\":1e2}", "{\"a\":100}", O, STRUCTURE},
	        {"{\"a\":true}", "{\"a\":1}", O, CHANGED},
	        {"{\"a\":12345678901234567890}", "{\"a\":12345678901234567891}", O, CHANGED});
}

Test(meaning, code)
{
	ROWS({"```python\nx = 1  # one\n```", "```python\nx=1\n```", O, STRUCTURE},
	        {"Here is the code:\n```python\nx = 1\n```", "```python\nx=1\n```", O, WORDING},
	        {"Here it is:\n```python\nprint(1)\n```\nIt prints.", "print(1)", O, WORDING},
	        {"```python\nf(2)\n```\nAnswer: 5", "```python\nf(2)\n```", O, NEVER},
	        {"```python\nif x:\n    a()\nb()\n```", "```python\nif x:\n    a()\n    b()\n```",
	                O, UNDECIDED},
	        {"```python\nx = y + 1\n```", "```python\nx = y + 2\n```", O, CHANGED},
	        {"```python\nx = y + 1\n```", "```python\nx = y - 1\n```", O, CHANGED},
	        {"```js\nreturn x\n```", "```js\nreturn\nx\n```", O, NEVER},
	        {"```c\nint a; // x\n```", "```c\nint a;\n```", O, STRUCTURE},
	        {"```sql\nSELECT * FROM t;\n```", "```sql\nselect * from t\n```", O, UNDECIDED},
	        {"```ruby\nx = 1 # one\n```", "```ruby\nx = 1\n```", O, NEVER},
	        {"Use this, it takes 5 minutes for Anna to write:\n```python\nx = 1\n```",
	                "That does the job:\n```python\nx = 1\n```", K, UNDECIDED},
	        {"```python\nx = 1\n```", "x is one", O, NEVER},
	        {"```python\nx = 1\n```", "```python\nx = 1\n```\n```python\ny = 1\n```", O, NEVER},
	        {"```python\nfoo = 1\nprint(foo)\n```", "```python\nbar = 1\nprint(bar)\n```", O,
	                UNDECIDED},
	        {"```python\nreturn True\n```", "```python\nreturn False\n```", O, UNDECIDED},
	        {"```js\nif (x) /a\\//.test(y)\n```", "```js\nif (x) /a\\//.exec(y)\n```", O,
	                NEVER},
	        {"```jsx\n<a>x // y</a>\n```", "```jsx\n<a>x // z</a>\n```", O, NEVER},
	        {"```\nx = 1 # one\n```", "```\nx = 1 # two\n```", O, UNDECIDED},
	        {"```\na b\n```", "```\na  b\n```", O, NEVER});
}

Test(meaning, questions_are_told_by_their_words)
{
	static const struct {
		const char *prompt;
		enum question q;
	} rows[] = {{"How many apples are there?", N}, {"Calculate 3 + 4.", N},
	        {"Which is it?\nA) x\nB) y\nC) z", C}, {"Pick one.\n(A) x\n(B) y\n(C) z\n(D) w", C},
	        {"Is water wet? Answer yes or no.", Y}, {"Write a function that sorts a list.", K},
	        {"Tell me about the sea.", O}, {"", O}, {"A. Smith wrote it.", O},
	        {"A. one\nB. two", C}};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		cr_expect_eq(
		        question_read(span_of(rows[i].prompt)), rows[i].q, "%s", rows[i].prompt);
	}
}

/* Compares an eighth of a megabyte of units (a tenth of it under ASan) with the same and a little
 * around it; of code only before it, so that both end alike. */
static void expect_time(struct meaning_room *room, const char *head, const char *unit,
        const char *tail, enum question q, enum meaning_basis code)
{
	struct buf a = {0}, b = {0};
	buf_append_str(&a, head);
	buf_append_str(&b, head);
	buf_append_str(&b, "x\n");
	while (a.len < ROUNDS(1 << 17)) {
		buf_append_str(&a, unit);
		buf_append_str(&b, unit);
	}
	buf_append_str(&a, tail);
	buf_append_str(&b, code == BASIS_CODE ? "" : " x");
	buf_append_str(&b, tail);
	struct timespec from, to;
	struct meaning m;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	meaning_compare_texts(room, buf_span(&a), buf_span(&b), q, false, &m);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	double s = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
	cr_expect_lt(s, 1, "%zu bytes of <%s> take %.1f s", a.len, unit, s);
	cr_expect(code != BASIS_CODE || m.basis == BASIS_CODE, "<%s> is no code", unit);
	buf_finish(&a);
	buf_finish(&b);
}

Test(meaning, takes_time_in_proportion)
{
	static const char *const units[] = {"[[{", "`", "``x` ", "$a ", "*a _b ", "\\text{", "<b>",
	        "| a ", "\"a  ", "1,", "- a\n", "{\"a\":", "\\boxed{", "answer is 5. ",
	        "e\xcc\x81\xcc\x82", "```\n", "1/", "\xff", "[\"a\",", "$$", "\\(", "> ", "the ",
	        "a.b.", "~~~\n", "answer: 1. a ", "- 5\n", "answer is ", "answer\n", "is 3.50 ",
	        "100 200 ", "a is 3.50 km ", "{\n", "[\"", "\\boxed{5} ", "#### 5\n", "No "};
	struct meaning_room room = {0};
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		expect_time(&room, "", units[i], " ", N, BASIS_TEXT);
		expect_time(&room, "Yes, ", units[i], " ", Y, BASIS_TEXT);
	}
	meaning_room_finish(&room);
}

Test(meaning, takes_time_in_proportion_over_code)
{
	static const char *const units[] = {"f() # a\n", "# Output:\n", "#\n",
	        "f() # prints a, b\n", "# Output:\n\n\n", "print(f()) # f(2) is\n", "a\n\n\n",
	        "f(); # returns ", "# a = b\n", "# Output for a b\n"};
	static const char *const fences[] = {"```python\n", "```js\n", "```sql\n", "```bash\n"};
	struct meaning_room room = {0};
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		for (size_t k = 0; k < ARRAY_LEN(fences); k++) {
			expect_time(&room, fences[k], units[i], "\n```\n", K, BASIS_CODE);
		}
		expect_time(&room, "```js\n/* ", units[i], " */\n```\n", K, BASIS_TEXT);
	}
	meaning_room_finish(&room);
}
