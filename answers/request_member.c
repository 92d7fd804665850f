#include "answers/request_member.h"

#include <string.h>

#define REQUEST_MEMBER(member, name) {name, sizeof(name) - 1},
static const struct span member_names[] = {REQUEST_MEMBERS(REQUEST_MEMBER)};

enum request_member request_member_of(const struct json_token *key)
{
	struct span raw = json_token_raw(key);
	for (enum request_member m = 0; m < N_REQUEST_MEMBERS; m++) {
		if (raw.len == member_names[m].len &&
		        memcmp(raw.data, member_names[m].data, raw.len) == 0) {
			return m;
		}
	}
	for (enum request_member m = 0; key->escaped && m < N_REQUEST_MEMBERS; m++) {
		if (json_token_is_key(key, member_names[m].data)) {
			return m;
		}
	}
	return N_REQUEST_MEMBERS;
}

bool endpoint_is_native(enum endpoint endpoint)
{
	return endpoint == ENDPOINT_NATIVE_CHAT || endpoint == ENDPOINT_NATIVE_GENERATE;
}

bool request_member_is_known(enum request_member m, enum endpoint endpoint)
{
	switch (m) {
	case REQUEST_DETAILS:
	case REQUEST_DO_SAMPLE:
	case REQUEST_MAX_NEW_TOKENS:
	case REQUEST_NUM_PREDICT:
	case REQUEST_N_PREDICT:
	case REQUEST_RETURN_LOGPROB:
	case REQUEST_TOP_LOGPROBS_NUM:
	case REQUEST_TOP_N_TOKENS:
		return endpoint_is_native(endpoint);
	case REQUEST_CONVERSATION:
	case REQUEST_MAX_OUTPUT_TOKENS:
		return endpoint == ENDPOINT_RESPONSES;
	default:
		return endpoint != ENDPOINT_OTHER;
	}
}
