#include "answers/api/native.h"

#include "answers/api/failure.h"
#include "answers/api/usage.h"
#include "answers/members.h"

bool native_read(struct draft *d, struct span text, bool is_error, const struct native_form *reader,
        void *form)
{
	struct json j;
	struct json_token t;
	struct failure failure = {0};
	if (json_begin_lenient(&j, text).type != JSON_TOKEN_OBJECT) {
		return false;
	}
	while ((t = json_next(&j)).type == JSON_TOKEN_KEY) {
		struct json_token v = json_next(&j);
		if (!reader->read_member(d, form, &j, &t, &v) &&
		        !failure_read_member(d, &failure, &j, &t, &v)) {
			usage_find(&d->usage, j, &t, &v);
			members_skip(d, MEMBER_OF_NATIVE, &j, &t, &v);
		}
	}
	d->fits = failure.has_answer = reader->finish_document(d, form);
	failure_decide(d, &failure, text, is_error);
	return t.type == JSON_TOKEN_OBJECT_END && json_next(&j).type == JSON_TOKEN_END;
}
