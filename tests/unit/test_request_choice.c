#include "replay/request_choice.h"

#include <string.h>

#include <criterion/criterion.h>

static const uint8_t NO_SESSION[REQUEST_HASH_SIZE];

static struct filter_request fact(const char *model, enum endpoint endpoint, bool stream)
{
	return (struct filter_request){
	        .model = model, .endpoint = endpoint, .stream = stream, .session = NO_SESSION};
}

Test(request_choice, filters_come_before_the_sample)
{
	struct request_choice_rules r = {.share = 1, .filters = {.known = REQUEST_CHOICE_KEYS}};
	cr_assert_null(filters_parse(&r.filters, "model=llama-*"));
	struct filter_request yes = fact("llama-3", ENDPOINT_CHAT, true);
	struct filter_request no = fact("qwen", ENDPOINT_CHAT, true);
	cr_expect(request_choice_selects(&r, &yes));
	cr_expect(!request_choice_selects(&r, &no));
}

Test(request_choice, a_sample_takes_its_share_and_whole_sessions)
{
	struct request_choice_rules r = {.share = 0.2, .by_session = true, .seed = 9};
	unsigned taken = 0;
	for (uint32_t s = 0; s < 5000; s++) {
		uint8_t session[REQUEST_HASH_SIZE] = {1};
		memcpy(session + 4, &s, sizeof(s));
		struct filter_request f = fact("m", ENDPOINT_CHAT, false);
		f.session = session;
		f.exchange = id_make();
		bool first = request_choice_selects(&r, &f);
		for (int turn = 0; turn < 3; turn++) {
			f.exchange = id_make();
			cr_assert_eq(request_choice_selects(&r, &f), first);
		}
		taken += first;
	}
	cr_expect(taken > 900 && taken < 1100, "%u of 5000", taken);
}

Test(request_choice, another_seed_is_another_sample)
{
	struct request_choice_rules a = {.share = 0.5, .seed = 1}, b = {.share = 0.5, .seed = 2};
	unsigned unlike = 0;
	for (int i = 0; i < 1000; i++) {
		struct filter_request f = fact("m", ENDPOINT_CHAT, false);
		f.exchange = id_make();
		unlike += request_choice_selects(&a, &f) != request_choice_selects(&b, &f);
	}
	cr_expect(unlike > 400 && unlike < 600, "%u of 1000", unlike);
}
