#include "capture/formats/extra_members.h"

#include <stdio.h>

#include "base/ascii.h"
#include "base/json.h"

#define NAME_SHOWN 60

/* Words that may occur in a member's name. A trailing s of a word is ignored. */
static const char *const MEDIA[] = {"image", "img", "picture", "pic", "photo", "visual", "pixel",
        "audio", "sound", "speech", "wav", "video", "attachment", "multimodal", "modal", "media",
        "pdf"};
/* Compared with whole names: in other names "file" mostly tells which file the line is from. */
static const char *const FILES[] = {"file", "files"};
static const char *const SYSTEMS[] = {"system", "system_prompt", "system_message"};
static const char *const TOOLS[] = {"tools", "functions"};

/* Returns the next word of a name: "image" of "image_files", "imageFiles", "ImageFiles" and
 * "image1". */
static struct span next_word(struct span name, size_t *at)
{
	while (*at < name.len && !is_latin(name.data[*at])) {
		(*at)++;
	}
	size_t from = *at;
	while (*at < name.len && is_latin(name.data[*at]) &&
	        (*at == from || !is_upper(name.data[*at]) || is_upper(name.data[*at - 1]))) {
		(*at)++;
	}
	return span_between(name.data + from, name.data + *at);
}

static bool names_media(struct span name)
{
	struct span word;
	for (size_t at = 0; (word = next_word(name, &at)).len;) {
		struct span single = word;
		single.len -= word.len > 1 && to_lower(word.data[word.len - 1]) == 's';
		if (span_in(word, MEDIA, ARRAY_LEN(MEDIA)) ||
		        span_in(single, MEDIA, ARRAY_LEN(MEDIA))) {
			return true;
		}
	}
	return span_in(name, FILES, ARRAY_LEN(FILES));
}

/* Whether a member holds media. Numbers and booleans count or describe. A chat's own "audio"
 * member tells how its answer is to sound. */
static bool holds_content(struct span name, const struct json_token *first, struct span value)
{
	struct json_token t;
	bool made = first->type == JSON_TOKEN_OBJECT && span_is_nocase(name, "audio") &&
	            json_find_member(value, "voice", &t, NULL);
	bool holds = first->type == JSON_TOKEN_STRING || first->type == JSON_TOKEN_ARRAY ||
	             first->type == JSON_TOKEN_OBJECT;
	return holds && span_trim((struct span){value.data + 1, value.len - 2}).len && !made;
}

static const char *unsendable(struct span name)
{
	static _Thread_local char why[NAME_SHOWN + 32];
	char shown[NAME_SHOWN + 1];
	size_t n = MIN(name.len, sizeof(shown) - 1);
	for (size_t i = 0; i < n; i++) {
		shown[i] = is_word(name.data[i]) || name.data[i] == '-' ? name.data[i] : '?';
	}
	shown[n] = '\0';
	snprintf(why, sizeof(why), "its %s can't be sent", shown);
	return why;
}

/* Reads a system message. It is used if the form has a place for it. */
static const char *read_system(struct span name, const struct json_token *first, struct span value,
        struct extra_members *ret)
{
	if (first->type == JSON_TOKEN_NULL ||
	        (first->type == JSON_TOKEN_STRING && value.len == 2)) {
		return NULL;
	}
	if (!ret) {
		return unsendable(name);
	}
	ret->system = value;
	return first->type == JSON_TOKEN_STRING ? NULL : "its system message is not a text";
}

static bool put_tool(struct span tool, struct buf *to)
{
	struct json_token t;
	buf_append_str(to, to->len > 1 ? "," : "");
	if (json_find_member(tool, "function", &t, NULL) && t.type == JSON_TOKEN_OBJECT) {
		buf_append_span(to, tool);
	} else if (json_find_member(tool, "name", &t, NULL) && t.type == JSON_TOKEN_STRING) {
		buf_append_str(to, "{\"type\":\"function\",\"function\":");
		buf_append_span(to, tool);
		buf_append_char(to, '}');
	} else {
		return false;
	}
	return true;
}

/* Reads a list of tools or of bare functions, or the JSON text of such a list. */
static const char *read_tools(
        const struct json_token *first, struct span value, struct extra_members *ret)
{
	struct buf text = {0};
	struct json j;
	if (first->type == JSON_TOKEN_STRING) {
		json_token_unescape(first, &text);
		value = span_trim(buf_span(&text));
	}
	bool none = first->type == JSON_TOKEN_NULL || !value.len, good = none;
	if (!none && json_begin(&j, value).type == JSON_TOKEN_ARRAY) {
		struct json_token t;
		buf_clear(&ret->tools);
		buf_append_char(&ret->tools, '[');
		good = true;
		while (good && (t = json_next(&j)).type == JSON_TOKEN_OBJECT) {
			struct span tool = json_skip(&j, &t);
			good = tool.len && put_tool(tool, &ret->tools);
		}
		good = good && t.type == JSON_TOKEN_ARRAY_END &&
		       json_next(&j).type == JSON_TOKEN_END;
		buf_append_char(&ret->tools, ']');
	}
	if (ret->tools.len == 2) {
		buf_clear(&ret->tools);
	}
	buf_finish(&text);
	return good ? NULL : "its tools are not a list of functions";
}

/* Which members are examined besides images and other media. */
enum mode { ONLY_MEDIA, ALSO_SYSTEM, ALSO_TOOLS };

static const char *read_member(struct span name, const struct json_token *first, struct span value,
        enum mode mode, struct extra_members *ret)
{
	if (names_media(name) && holds_content(name, first, value)) {
		return unsendable(name);
	}
	if (mode != ONLY_MEDIA && span_in(name, SYSTEMS, ARRAY_LEN(SYSTEMS))) {
		return read_system(name, first, value, ret);
	}
	bool tools = mode == ALSO_TOOLS && span_in(name, TOOLS, ARRAY_LEN(TOOLS));
	return tools ? read_tools(first, value, ret) : NULL;
}

static const char *read_members(struct span object, enum mode mode, struct extra_members *ret)
{
	struct json j;
	struct json_member m;
	const char *why = NULL;
	if (json_begin_lenient(&j, object).type != JSON_TOKEN_OBJECT) {
		return NULL;
	}
	while (!why && json_next_member(&j, &m)) {
		why = read_member(json_token_raw(&m.key), &m.first, m.value, mode, ret);
	}
	return why;
}

const char *extra_members_unsendable(struct span object)
{
	return read_members(object, ONLY_MEDIA, NULL);
}

const char *extra_members_alone(struct span object)
{
	return read_members(object, ALSO_SYSTEM, NULL);
}

const char *extra_members_read(struct span object, struct extra_members *ret)
{
	*ret = (struct extra_members){0};
	return read_members(object, ALSO_TOOLS, ret);
}

void extra_members_finish(struct extra_members *b)
{
	buf_finish(&b->tools);
}
