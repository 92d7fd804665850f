#include "cli/capture/request_line.h"

#include <string.h>

#include "base/json.h"
#include "capture/resend.h"
#include "capture/formats/members.h"

static void put_label(struct buf *to, const char *name, const char *text)
{
	if (text) {
		member_text(to, name, text);
	}
}

static void put_line(struct buf *to, const struct exchange_row *row, struct span body)
{
	const struct exchange_labels *l = &row->labels;
	buf_append_char(to, '{');
	member_id(to, "custom_id", row->id);
	member_text(to, "method", "POST");
	member_text(to, "url", row->target);
	member_u64(to, "wall_ns", row->wall_ns);
	if (l->suite || l->item || l->category || l->gold) {
		member_key(to, "labels");
		buf_append_char(to, '{');
		put_label(to, "suite", l->suite);
		put_label(to, "item", l->item);
		put_label(to, "category", l->category);
		put_label(to, "gold", l->gold);
		buf_append_char(to, '}');
	}
	member_key(to, "body");
	json_put_on_one_line(to, body);
	buf_append_str(to, "}\n");
}

const char *request_line_put(struct buf *to, struct capture *c, const struct capture_exchange *e)
{
	const struct exchange_row *row = &e->row;
	struct buf body = {0};
	const char *why = NULL;
	if (e->absent) {
		return "the exchange itself is in another capture";
	}
	if (!endpoint_is_openai(row->endpoint) || !row->target) {
		return "neither a chat nor a completion";
	}
	why = resend_unfit(row, false);
	if (why) {
		return why;
	}
	int r = capture_request_body(c, e, &body);
	if (r < 0) {
		why = resend_unread(r);
	} else if (!json_is_one_object(buf_span(&body))) {
		why = "its body is not one JSON object";
	} else {
		put_line(to, row, buf_span(&body));
	}
	buf_finish(&body);
	return why;
}
