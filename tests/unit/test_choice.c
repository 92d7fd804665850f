#include "replay/choice.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

static void rule(struct choice_rules *r, const char *text)
{
	char *problem = choice_parse(r, text);
	cr_assert_null(problem, "%s: %s", text, problem);
}

static bool refused(const char *text, const char *says)
{
	struct choice_rules r = {.share = 1};
	char *problem = choice_parse(&r, text);
	bool good = problem && strstr(problem, says);
	free(problem);
	return good;
}

static const uint8_t NO_SESSION[REQUEST_HASH_SIZE];

static struct choice_facts fact(const char *model, enum endpoint endpoint, bool stream)
{
	return (struct choice_facts){
	        .model = model, .endpoint = endpoint, .stream = stream, .session = NO_SESSION};
}

Test(choice, all_filters_must_hold)
{
	struct choice_rules r = {.share = 1};
	rule(&r, "model=llama-*");
	rule(&r, "stream=yes");
	struct choice_facts yes = fact("llama-3", ENDPOINT_CHAT, true);
	struct choice_facts unary = fact("llama-3", ENDPOINT_CHAT, false);
	struct choice_facts other = fact("qwen", ENDPOINT_CHAT, true);
	struct choice_facts none = fact(NULL, ENDPOINT_CHAT, true);
	cr_expect(choice_takes(&r, &yes));
	cr_expect(!choice_takes(&r, &unary));
	cr_expect(!choice_takes(&r, &other));
	cr_expect(!choice_takes(&r, &none));
}

Test(choice, a_filter_can_be_turned_round)
{
	struct choice_rules r = {.share = 1};
	rule(&r, "model!=qwen*");
	rule(&r, "endpoint!=completion");
	struct choice_facts a = fact("qwen2", ENDPOINT_CHAT, false);
	struct choice_facts b = fact("llama", ENDPOINT_CHAT, false);
	struct choice_facts c = fact("llama", ENDPOINT_COMPLETION, false);
	cr_expect(!choice_takes(&r, &a));
	cr_expect(choice_takes(&r, &b));
	cr_expect(!choice_takes(&r, &c));
}

Test(choice, one_exchange_can_be_named)
{
	struct choice_rules r = {.share = 1};
	char text[ID_TEXT_SIZE + 4] = "id=";
	struct id id = id_make();
	id_format(id, text + 3);
	rule(&r, text);
	struct choice_facts f = fact("m", ENDPOINT_CHAT, false);
	cr_expect(!choice_takes(&r, &f));
	f.exchange = id;
	cr_expect(choice_takes(&r, &f));
}

Test(choice, what_is_no_filter_is_said)
{
	cr_expect(refused("modle=x", "did you mean model?"));
	cr_expect(refused("model", "FIELD=VALUE"));
	cr_expect(refused("=x", "FIELD=VALUE"));
	cr_expect(refused("endpoint=chats", "chat or completion"));
	cr_expect(refused("stream=true", "yes or no"));
	cr_expect(refused("id=12", "no id"));
	cr_expect(refused("!=x", ""));
}

Test(choice, a_sample_takes_its_share_and_whole_sessions)
{
	struct choice_rules r = {.share = 0.2, .by_session = true, .seed = 9};
	unsigned taken = 0;
	for (uint32_t s = 0; s < 5000; s++) {
		uint8_t session[REQUEST_HASH_SIZE] = {1};
		memcpy(session + 4, &s, sizeof(s));
		struct choice_facts f = fact("m", ENDPOINT_CHAT, false);
		f.session = session;
		f.exchange = id_make();
		bool first = choice_takes(&r, &f);
		for (int turn = 0; turn < 3; turn++) {
			f.exchange = id_make();
			cr_assert_eq(choice_takes(&r, &f), first);
		}
		taken += first;
	}
	cr_expect(taken > 900 && taken < 1100, "%u of 5000", taken);
}

Test(choice, another_seed_is_another_sample)
{
	struct choice_rules a = {.share = 0.5, .seed = 1}, b = {.share = 0.5, .seed = 2};
	unsigned unlike = 0;
	for (int i = 0; i < 1000; i++) {
		struct choice_facts f = fact("m", ENDPOINT_CHAT, false);
		f.exchange = id_make();
		unlike += choice_takes(&a, &f) != choice_takes(&b, &f);
	}
	cr_expect(unlike > 400 && unlike < 600, "%u of 1000", unlike);
}
