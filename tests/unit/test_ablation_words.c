#include "analyzer/report/ablation_sentence.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#define POINTS(value, low, high) "{\"value\":" value ",\"ci95\":[" low "," high "]}"
#define EFFECT(given, flip, off, on, found)                                                        \
	"{\"factor\":\"graphs\",\"given\":" given ",\"flip\":" flip                                \
	",\"hazard\":null,\"off\":" off ",\"on\":" on                                              \
	",\"p\":0.01,\"p_adjusted\":0.01,\"found\":" found "}"
#define NOTHING "{\"factor\":\"cache\",\"given\":null,\"flip\":" POINTS("0", "-0.01", "0.01") "}"

/* A switch that has an effect only in some settings of the others. */
static char *sentence(const char *main_found, const char *given_found)
{
	struct buf to = {0}, text = {0};
	buf_printf(&text,
	        "{\"factors\":[{\"name\":\"graphs\",\"off\":\"eager\",\"on\":\"graph\"},"
	        "{\"name\":\"cache\",\"off\":\"cold\",\"on\":\"warm\"}],\"enough\":true,"
	        "\"prompts\":40,\"effects\":[" EFFECT("null", POINTS("0.02", "-0.01", "0.05"),
	                "null", "null", "%s") "," NOTHING "," EFFECT("\"cache\"",
	                POINTS("0.3", "0.2", "0.4"), POINTS("0", "-0.01", "0.01"),
	                POINTS("0.3", "0.2", "0.4"), "%s") "]}",
	        main_found, given_found);
	json_t *json = json_loads(buf_cstr(&text), 0, NULL);
	cr_assert(json);
	ablation_sentence(json, &to);
	json_decref(json);
	buf_finish(&text);
	return buf_steal(&to);
}

Test(ablation_words, what_is_found_only_given_another_switch_is_said)
{
	char *said = sentence("false", "true");
	cr_expect(strstr(said, "graphs (eager to graph) causes a difference"), "%s", said);
	cr_expect(strstr(said, "only with cache warm: "), "%s", said);
	cr_expect(strstr(said, "on average"), "%s", said);
	cr_expect_not(strstr(said, "No switch"), "%s", said);
	free(said);
}

Test(ablation_words, what_is_found_in_the_mean_is_said_without_more)
{
	char *said = sentence("true", "false");
	cr_expect(strstr(said, "graphs (eager to graph) causes a difference"), "%s", said);
	cr_expect(!strstr(said, "only with") && !strstr(said, "on average"), "%s", said);
	free(said);
}

Test(ablation_words, where_nothing_is_found_no_factor_carries_it)
{
	char *said = sentence("false", "false");
	cr_expect(strstr(said, "No switch is shown to cause a difference"), "%s", said);
	free(said);
}
