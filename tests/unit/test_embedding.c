#include "answers/api/embedding.h"

#include "tests/unit/readings.h"

static struct reading *read_vectors(const char *body)
{
	return read_with(
	        (struct reading_hints){.endpoint = ENDPOINT_EMBEDDING, .status = 200}, body);
}

static void expect_values(const struct embedding *e, const float *values, uint32_t n)
{
	cr_assert_eq(e->n, n);
	for (uint32_t i = 0; i < n; i++) {
		cr_expect(e->values[i] == values[i], "value %u is %g, not %g", i,
		        (double)e->values[i], (double)values[i]);
	}
}

static const float expected[2][3] = {{0.5f, -0.25f, 1.0f}, {1e-3f, 2.0f, -3.5f}};

static void expect_both(const char *body)
{
	struct reading *r = read_vectors(body);
	cr_assert_eq(r->shape, SHAPE_EMBEDDING, "%s", body);
	cr_assert_eq(r->marks, 0, "%x of %s", r->marks, body);
	cr_assert_eq(r->n_embeddings, 2, "%s", body);
	cr_assert_eq(r->n_choices, 0);
	for (uint32_t i = 0; i < 2; i++) {
		cr_assert_eq(r->embeddings[i].index, i);
		expect_values(&r->embeddings[i], expected[i], 3);
	}
	reading_destroy(r);
}

Test(embedding, vectors_are_read_in_every_form)
{
	expect_both("{\"object\":\"list\",\"data\":[{\"object\":\"embedding\",\"index\":0,"
	            "\"embedding\":"
	            "[0.5,-0.25,1]},{\"object\":\"embedding\",\"index\":1,\"embedding\":[1e-3,2,-3."
	            "5]}]}");
	/* Base64 of little-endian floats, with and without padding. */
	expect_both("{\"data\":[{\"index\":0,\"embedding\":\"AAAAPwAAgL4AAIA\\/\"},"
	            "{\"index\":1,\"embedding\":\"bxKDOgAAAEAAAGDA\"}]}");
	/* Out of order. */
	expect_both("{\"data\":[{\"index\":1,\"embedding\":[0.001,2,-3.5]},"
	            "{\"embedding\":[0.5,-0.25,1.0],\"index\":0}]}");
	/* Ollama's, and llama.cpp's own. */
	expect_both("{\"model\":\"m\",\"embeddings\":[[0.5,-0.25,1],[0.001,2,-3.5]]}");
	expect_both("[{\"index\":0,\"embedding\":[[0.5,-0.25,1]]},"
	            "{\"index\":1,\"embedding\":[[0.001,2,-3.5]]}]");
}

Test(embedding, one_vector_may_be_all_there_is)
{
	struct reading *r = read_vectors("{\"embedding\":[0.5,-0.25,1.0]}");
	cr_assert_eq(r->n_embeddings, 1);
	expect_values(&r->embeddings[0], expected[0], 3);
	reading_destroy(r);
}

Test(embedding, model_and_usage_are_read)
{
	struct reading *r = read_vectors(
	        "{\"data\":[{\"index\":0,\"embedding\":[1]}],\"model\":\"e5\",\"id\":\"embd-1\","
	        "\"usage\":{\"prompt_tokens\":8,\"total_tokens\":8}}");
	cr_assert_str_eq(r->model, "e5");
	cr_assert_str_eq(r->response_id, "embd-1");
	cr_assert(r->usage.prompt_tokens == 8 && r->usage.total_tokens == 8);
	reading_destroy(r);
	r = read_vectors("{\"model\":\"e5\",\"embeddings\":[[1]],\"prompt_eval_count\":3}");
	cr_assert_eq(r->usage.prompt_tokens, 3);
	reading_destroy(r);
}

Test(embedding, what_is_no_number_is_missing_and_marked)
{
	struct reading *r =
	        read_vectors("{\"data\":[{\"index\":0,\"embedding\":[1,null,NaN,1e999]}]}");
	cr_assert_eq(r->marks, READING_NON_FINITE);
	cr_assert_eq(r->embeddings[0].n, 4);
	cr_assert(r->embeddings[0].values[0] == 1 && isnan(r->embeddings[0].values[1]) &&
	          isnan(r->embeddings[0].values[2]) && isnan(r->embeddings[0].values[3]));
	reading_destroy(r);
	/* 0x7fc00000 */
	r = read_vectors("{\"data\":[{\"index\":0,\"embedding\":\"AADAfw==\"}]}");
	cr_assert_eq(r->marks, READING_NON_FINITE);
	reading_destroy(r);
}

Test(embedding, what_is_no_base64_of_floats_is_left_out_and_marked)
{
	static const char *const bad[] = {"AAA", "A", "AAAA*AAA", "AAAAPwA=", "AAAA AAAA"};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct buf b = {0};
		buf_printf(&b,
		        "{\"data\":[{\"index\":0,\"embedding\":\"%s\"},{\"index\":1,\"embedding\":["
		        "1]}]}",
		        bad[i]);
		struct reading *r = read_vectors(buf_cstr(&b));
		cr_expect_eq(r->marks, READING_BAD_VECTOR, "%s: %x", bad[i], r->marks);
		cr_expect_eq(r->n_embeddings, 1, "%s", bad[i]);
		reading_destroy(r);
		buf_finish(&b);
	}
}

Test(embedding, values_and_vectors_are_limited_before_they_are_held)
{
	struct buf b = {0};
	buf_append_str(&b, "{\"data\":[{\"index\":0,\"embedding\":[");
	for (int i = 0; i <= READING_EMBEDDING_VALUES_LIMIT; i++) {
		buf_append_str(&b, i ? ",1" : "1");
	}
	buf_append_str(&b, "]},{\"index\":1,\"embedding\":[2]}]}");
	struct reading *r = read_vectors(buf_cstr(&b));
	cr_assert_eq(r->marks, READING_TOO_LARGE);
	cr_assert_eq(r->n_embeddings, 1);
	cr_assert_eq(r->embeddings[0].index, 1);
	reading_destroy(r);
	buf_clear(&b);
	buf_append_str(&b, "{\"embeddings\":[");
	for (int i = 0; i <= READING_EMBEDDINGS_LIMIT; i++) {
		buf_append_str(&b, i ? ",[1]" : "[1]");
	}
	buf_append_str(&b, "]}");
	r = read_vectors(buf_cstr(&b));
	cr_assert_eq(r->marks, READING_TOO_LARGE);
	cr_assert_eq(r->n_embeddings, READING_EMBEDDINGS_LIMIT);
	reading_destroy(r);
	buf_finish(&b);
}
