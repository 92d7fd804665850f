#include "capture/filter.h"

#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#define ALL ((1u << N_FILTER_KEYS) - 1)

static void rule(struct filters *f, const char *text)
{
	f->known = ALL;
	char *problem = filters_parse(f, text);
	cr_assert_null(problem, "%s: %s", text, problem);
}

static bool refused(unsigned known, const char *text, const char *says)
{
	struct filters f = {.known = known};
	char *problem = filters_parse(&f, text);
	bool good = problem && strstr(problem, says) && f.n == 0;
	cr_expect(good, "%s: %s", text, problem ? problem : "taken");
	free(problem);
	return good;
}

static const uint8_t NO_SESSION[REQUEST_HASH_SIZE];

static struct filter_request fact(const char *model, enum endpoint endpoint, bool stream)
{
	return (struct filter_request){
	        .model = model, .endpoint = endpoint, .stream = stream, .session = NO_SESSION};
}

Test(filter, all_must_hold)
{
	struct filters f = {0};
	rule(&f, "model=llama-*");
	rule(&f, "streamed=yes");
	struct filter_request yes = fact("llama-3", ENDPOINT_CHAT, true);
	struct filter_request unary = fact("llama-3", ENDPOINT_CHAT, false);
	struct filter_request other = fact("qwen", ENDPOINT_CHAT, true);
	struct filter_request none = fact(NULL, ENDPOINT_CHAT, true);
	cr_expect(filters_match(&f, &yes));
	cr_expect(!filters_match(&f, &unary));
	cr_expect(!filters_match(&f, &other));
	cr_expect(!filters_match(&f, &none));
}

Test(filter, it_can_be_turned_round)
{
	struct filters f = {0};
	rule(&f, "model!=qwen*");
	rule(&f, "endpoint!=completion");
	struct filter_request a = fact("qwen2", ENDPOINT_CHAT, false);
	struct filter_request b = fact("llama", ENDPOINT_CHAT, false);
	struct filter_request c = fact("llama", ENDPOINT_COMPLETION, false);
	cr_expect(!filters_match(&f, &a));
	cr_expect(filters_match(&f, &b));
	cr_expect(!filters_match(&f, &c));
}

Test(filter, one_exchange_can_be_named)
{
	struct filters f = {0};
	char text[ID_TEXT_SIZE + 4] = "id=";
	struct id id = id_make();
	id_format(id, text + 3);
	rule(&f, text);
	struct filter_request r = fact("m", ENDPOINT_CHAT, false);
	cr_expect(!filters_match(&f, &r));
	r.exchange = id;
	cr_expect(filters_match(&f, &r));
}

Test(filter, a_session_is_named_by_the_beginning_of_its_hash)
{
	const uint8_t session[REQUEST_HASH_SIZE] = {0xab, 0xcd, 0x01};
	struct filters f = {0};
	rule(&f, "session=abcd*");
	struct filter_request r = fact("m", ENDPOINT_CHAT, false);
	cr_expect(!filters_match(&f, &r));
	r.session = session;
	cr_expect(filters_match(&f, &r));
}

Test(filter, answers_are_chosen_apart_from_requests)
{
	struct filters f = {0};
	rule(&f, "backend=prod*");
	rule(&f, "status=2??");
	rule(&f, "outcome!=timeout");
	struct leg_row leg = {
	        .backend = (char *)"prod-2", .status = 200, .outcome = OUTCOME_COMPLETE};
	struct filter_request r = fact("m", ENDPOINT_CHAT, false);
	cr_expect(filters_match(&f, &r), "of requests nothing was asked");
	cr_expect(filters_match_leg(&f, &leg));
	leg.status = 503;
	cr_expect(!filters_match_leg(&f, &leg));
	leg.status = 200;
	leg.outcome = OUTCOME_TIMEOUT;
	cr_expect(!filters_match_leg(&f, &leg));
	leg.outcome = OUTCOME_COMPLETE;
	leg.backend = NULL;
	cr_expect(!filters_match_leg(&f, &leg));
}

Test(filter, a_replica_is_its_header_or_else_its_fingerprint)
{
	struct filters f = {0};
	rule(&f, "replica=fp-1");
	struct leg_row leg = {.fingerprint = (char *)"fp-1"};
	cr_expect(filters_match_leg(&f, &leg));
	leg.replica = (char *)"pod-7";
	cr_expect(!filters_match_leg(&f, &leg));
}

Test(filter, what_is_none_is_said)
{
	refused(ALL, "modle=x", "did you mean model?");
	refused(ALL, "model", "KEY=VALUE");
	refused(ALL, "=x", "KEY=VALUE");
	refused(ALL, "!=x", "--where has the keys");
	refused(ALL, "endpoint=chats", "chat, completion");
	refused(ALL, "outcome=done", "complete, ");
	refused(ALL, "stream=true", "yes or no");
	refused(ALL, "id=12", "not an id");
	refused(ALL, "backend=", "needs a value");
	refused(FILTER_BIT(FILTER_MODEL) | FILTER_BIT(FILTER_ID), "backend=x",
	        "--where has the keys model and id, not backend");
}
