#include "analyzer/rows/row_reader.h"
#include "analyzer/rows/row_writer.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "seeded.h"

static void fill(void *to, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		((uint8_t *)to)[i] = (uint8_t)rnd();
	}
}

static double any_number(const struct row_column *c)
{
	switch (below(6)) {
	case 0:
		return NAN;
	case 1:
		return INFINITY;
	case 2:
		return 0;
	case 3:
		return (double)below(100000);
	default: {
		double d = ldexp((double)rnd(), -(int)below(120));
		return c->not_negative || below(2) ? d : -d;
	}
	}
}

static void fill_text(char *to, size_t most)
{
	static const char *const PIECES[] = {
	        "a", "Z", "\"", "\\", "\n", "\x01", "é", "字", ",", "😀"};
	size_t n = 0;
	for (size_t k = below(most + 1); k > 0; k--) {
		const char *piece = PIECES[below(ARRAY_LEN(PIECES))];
		if (n + strlen(piece) > most) {
			break;
		}
		memcpy(to + n, piece, strlen(piece));
		n += strlen(piece);
	}
	to[n] = '\0';
}

static char *any_text(struct arena *texts, size_t most)
{
	char text[512];
	fill_text(text, MIN(most, sizeof(text) - 1));
	return arena_text(texts, (struct span){text, strlen(text)});
}

static void fill_list(struct arena *texts, const struct row_column *c, struct text_list *to)
{
	to->n = below(4);
	const char **items = arena_alloc(texts, (to->n + 1) * sizeof(*items));
	for (size_t i = 0; i < to->n; i++) {
		items[i] = any_text(texts, c->end);
	}
	to->items = to->n ? items : NULL;
}

static void fill_histogram(uint64_t *bins, size_t n, size_t most)
{
	for (size_t i = below(n), end = i + below(n + 1 - i); i < end; i++) {
		bins[i] = below(3) ? 0 : below(most);
	}
}

static void fill_member(struct arena *texts, const struct row_column *c, char *at)
{
	switch (c->type) {
	case COLUMN_BOOLEAN:
		*(bool *)at = below(2);
		break;
	case COLUMN_COUNT:
	case COLUMN_INTEGER: {
		uint64_t n = below(3) ? rnd() >> below(64) : 0;
		memcpy(at, &n, c->size);
		break;
	}
	case COLUMN_NUMBER: {
		double d = any_number(c);
		float f = (float)d;
		memcpy(at, c->size == 4 ? (void *)&f : (void *)&d, c->size);
		break;
	}
	case COLUMN_WORD:
		*(uint32_t *)(void *)at = c->first + (uint32_t)below(c->end - c->first);
		break;
	case COLUMN_WORDS:
		*(uint32_t *)(void *)at = (uint32_t)below(UINT64_C(1) << c->end);
		break;
	case COLUMN_TEXT:
		*(const char **)(void *)at =
		        c->required || below(2) ? any_text(texts, c->end) : NULL;
		break;
	case COLUMN_CHARS:
		fill_text(at, c->end);
		break;
	case COLUMN_LIST:
		fill_list(texts, c, (void *)at);
		break;
	case COLUMN_ID:
	case COLUMN_HASH:
		if (below(4)) {
			fill(at, c->size);
		}
		break;
	case COLUMN_SUM: {
		struct position_sum *sum = (void *)at;
		sum->n = below(3) ? below(100000) : 0;
		sum->sum = c->is_share ? (double)(sum->n / 2)
		                       : (double)((float)sum->n * (float)below(1000) / 7);
		break;
	}
	case COLUMN_EXACT:
		exact_sum_add((struct exact_sum *)(void *)at, (double)below(1000) / 7 - 20);
		break;
	case COLUMN_HISTOGRAM:
		fill_histogram((void *)at, c->size / sizeof(uint64_t), 1000);
		break;
	case COLUMN_NUMBERS:
		for (size_t i = 0; i < c->size / sizeof(double); i++) {
			((double *)(void *)at)[i] = (double)((float)below(1000) / 7);
		}
		break;
	case N_COLUMN_TYPES:
		break;
	}
}

static void any_row(struct arena *texts, enum row_type type, struct row *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->type = type;
	const struct row_table *t = row_table(type);
	for (size_t i = 0; i < t->n; i++) {
		fill_member(texts, &t->columns[i], (char *)row_members(ret) + t->columns[i].offset);
	}
	if (type == PAIR_ROW) {
		struct position_sum *sums = ret->pair.c.positions.figures;
		ret->pair.c.positions.comparable = (uint32_t)sums[below(N_POSITION_FIGURES)].n;
	}
}

static void read_or_die(struct buf *line, struct arena *texts, struct row *ret)
{
	char *problem = row_read((struct span){line->data, line->len - 1}, texts, ret);
	cr_assert_null(problem, "%s: %.*s", problem, (int)line->len, line->data);
}

static bool same_texts(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_lists(const struct text_list *a, const struct text_list *b)
{
	bool same = a->n == b->n;
	for (size_t i = 0; i < a->n && same; i++) {
		same = strcmp(a->items[i], b->items[i]) == 0;
	}
	return same;
}

static double number_at(const struct row_column *c, const void *at)
{
	return c->size == 4 ? (double)*(const float *)at : *(const double *)at;
}

static bool is_same_member(const struct row_column *c, const void *a, const void *b)
{
	switch (c->type) {
	case COLUMN_TEXT:
		return same_texts(*(const char *const *)a, *(const char *const *)b);
	case COLUMN_LIST:
		return same_lists(a, b);
	case COLUMN_CHARS:
		return strcmp(a, b) == 0;
	case COLUMN_NUMBER:
		return (isnan(number_at(c, a)) && isnan(number_at(c, b))) ||
		       memcmp(a, b, c->size) == 0;
	default:
		return memcmp(a, b, c->size) == 0;
	}
}

Test(rows, every_member_fits_the_type_of_its_column)
{
	for (enum row_type type = 0; type < N_ROW_TYPES; type++) {
		const struct row_table *t = row_table(type);
		cr_assert(t->n <= ROW_COLUMNS_LIMIT);
		for (size_t i = 0; i < t->n; i++) {
			const struct row_column *c = &t->columns[i];
			const size_t sizes[N_COLUMN_TYPES] = {[COLUMN_BOOLEAN] = sizeof(bool),
			        [COLUMN_WORD] = sizeof(uint32_t),
			        [COLUMN_WORDS] = sizeof(uint32_t),
			        [COLUMN_TEXT] = sizeof(char *),
			        [COLUMN_LIST] = sizeof(struct text_list),
			        [COLUMN_ID] = sizeof(struct id),
			        [COLUMN_SUM] = sizeof(struct position_sum),
			        [COLUMN_EXACT] = sizeof(struct exact_sum),
			        [COLUMN_CHARS] = c->end + 1};
			bool number = c->type == COLUMN_COUNT || c->type == COLUMN_INTEGER ||
			              c->type == COLUMN_NUMBER;
			cr_assert(number ? c->size == 4 || c->size == 8
			                 : c->type == COLUMN_HASH || c->type == COLUMN_HISTOGRAM ||
			                           c->type == COLUMN_NUMBERS ||
			                           c->size == sizes[c->type],
			        "%s", c->name);
			for (size_t k = 0; k < i; k++) {
				cr_assert_str_neq(c->name, t->columns[k].name);
			}
		}
	}
}

Test(rows, a_row_of_every_type_reads_back_as_it_was)
{
	for (int round = 0; round < 3000; round++) {
		struct arena texts = {0};
		struct row row, back;
		struct buf line = {0}, again = {0};
		any_row(&texts, (enum row_type)(round % N_ROW_TYPES), &row);
		row_put_json(&line, &row);
		read_or_die(&line, &texts, &back);
		const struct row_table *t = row_table(row.type);
		cr_assert_eq(back.type, row.type);
		for (size_t i = 0; i < t->n; i++) {
			const struct row_column *c = &t->columns[i];
			cr_assert(is_same_member(c, (char *)row_members(&row) + c->offset,
			                  (char *)row_members(&back) + c->offset),
			        "%s.%s: %.*s", t->name, c->name, (int)line.len, line.data);
		}
		row_put_json(&again, &back);
		cr_assert(span_equal(buf_span(&line), buf_span(&again)));
		buf_finish(&line);
		buf_finish(&again);
		arena_finish(&texts);
	}
}

/* A pair of 100,000 tokens without its sums and histograms. */
static const char LONG_PAIR[] =
        "{\"row\":\"pair\",\"exchange\":\"01a22251-bbd9-76cf-a21b-10332c22eb6f\","
        "\"cluster\":\"67861c6d8937c6d1dcf5f6ce01411363\",\"endpoint\":\"chat\","
        "\"streamed\":true,\"model\":\"Qwen/Qwen2.5-72B-Instruct\","
        "\"question\":\"open\",\"messages\":1,\"choice\":0,"
        "\"base\":\"llama-server\","
        "\"base_leg\":\"01a22251-bbf7-72e0-99e1-bd54b38fbe54\","
        "\"base_url\":\"http://10.0.0.17:8000\",\"base_role\":\"reference\","
        "\"base_prompt_tokens\":100000,\"test\":\"vllm-candidate\","
        "\"test_leg\":\"01a22251-bbd9-76fc-bf30-61088f9b2d83\","
        "\"test_url\":\"http://10.0.0.17:8001\",\"test_role\":\"primary\","
        "\"test_prompt_tokens\":100000,\"test_injected\":true,"
        "\"test_replica\":\"vllm-0\",\"test_start_ns\":1795872111577436571,"
        "\"test_in_flight\":1,\"test_cached_tokens\":100000,\"is_first\":true,"
        "\"has_choices\":true,\"decoding\":\"greedy\",\"differ\":true,"
        "\"first_byte\":39,\"rung\":\"different\",\"meaning\":\"structural\","
        "\"severity\":\"severe\",\"basis\":\"parts\",\"similarity\":0.3255814,"
        "\"base_text_bytes\":100000,\"base_tokens\":100000,"
        "\"base_finish\":\"stop\",\"base_ended\":true,\"test_text_bytes\":100000,"
        "\"test_tokens\":100000,\"test_finish\":\"length\","
        "\"tokens_compared\":true,\"tokens_differ\":true,\"positions\":100000,"
        "\"has_first_token\":true,\"first_token\":6,"
        "\"divergence_index\":0.46153846153846156,\"missing_much\":2,"
        "\"has_first\":true,\"first_base_gap\":0.34188079833984375,"
        "\"first_test_gap\":-0.3173465132713318,"
        "\"first_shift\":0.34188079833984375,\"base_list_tokens\":100000,"
        "\"base_lists\":4,\"test_list_tokens\":100000,\"test_not_top\":3,"
        "\"test_not_top_repeats\":3,\"test_not_top_most\":1.4346638321876526,"
        "\"test_best\":32,\"test_best_seen\":4,\"test_lists\":4,"
        "\"contrast\":0.0002474188804626465,\"contrast_n\":1,"
        "\"gap_test\":48.84632659922838,\"gap_base\":48.450688631551955,"
        "\"gap_both\":48.64606864374883,\"gaps\":100000,"
        "\"noise\":0.16919224383309484,\"noise_n\":100000,\"first_is_token\":true,"
        "\"first_test_against\":true,\"first_base_repeats\":true,"
        "\"first_test_repeats\":true,\"marks\":[\"truncated\"]}";

/* As noise spreads: over a hundred thousandfold range. */
static void spread_as_noise(uint64_t *bins, size_t n, uint64_t tokens)
{
	struct log_histogram h = {0};
	for (uint64_t i = 0; i < tokens; i++) {
		double size = 0;
		for (int k = 0; k < 4; k++) {
			size += (double)below(1000) / 1000 - 0.5;
		}
		log_histogram_add(&h, 0.01 * exp(3 * size));
	}
	memcpy(bins, h.n, n * sizeof(*bins));
}

static void spread_evenly(uint64_t *bins, size_t n, uint64_t tokens)
{
	for (size_t i = 0; i < n; i++) {
		bins[i] = tokens / n;
	}
}

static size_t size_of_long_pair(void (*spread)(uint64_t *bins, size_t n, uint64_t tokens))
{
	struct arena texts = {0};
	struct row row;
	struct buf line = {0};
	const struct row_table *t = row_table(PAIR_ROW);
	char *problem = row_read((struct span){LONG_PAIR, strlen(LONG_PAIR)}, &texts, &row);
	cr_assert_null(problem, "%s", problem);
	for (size_t i = 0; i < t->n; i++) {
		const struct row_column *c = &t->columns[i];
		void *at = (char *)row_members(&row) + c->offset;
		bool is_half = strstr(c->name, "_below") || strstr(c->name, "_above");
		if (c->type == COLUMN_SUM) {
			*(struct position_sum *)at = (struct position_sum){100000 / 7.0, 100000};
		} else if (c->type == COLUMN_HISTOGRAM) {
			size_t n = strstr(c->name, "delta_p") ? 66 : LOG_HISTOGRAM_BINS;
			spread(at, n, is_half ? 50000 : 100000);
		}
	}
	row_put_json(&line, &row);
	size_t size = line.len;
	buf_finish(&line);
	arena_finish(&texts);
	return size;
}

Test(rows, the_size_of_a_pair_of_100000_tokens_is_bounded)
{
	size_t noise = size_of_long_pair(spread_as_noise);
	size_t even = size_of_long_pair(spread_evenly);
	cr_expect(noise > 2048 && noise <= 4352, "%zu bytes", noise);
	cr_expect(even > noise && even <= 5120, "%zu bytes", even);
}

static char *problem_of(const char *line)
{
	static char said[256];
	struct arena texts = {0};
	struct row row;
	char *problem = row_read((struct span){line, strlen(line)}, &texts, &row);
	snprintf(said, sizeof(said), "%s", problem ? problem : "");
	free(problem);
	arena_finish(&texts);
	return said;
}

#define FLOOR                                                                                      \
	"{\"row\":\"floor\",\"exchange\":\"0190a4b2-0000-7000-8000-000000000001\","                \
	"\"base\":\"a\",\"test\":\"b\",\"floor_of\":\"pair\",\"of_repeats\":false,"                \
	"\"leg\":\"0190a4b2-0000-7000-8000-000000000001\","                                        \
	"\"other_leg\":\"0190a4b2-0000-7000-8000-000000000001\",\"choice\":0"

#define SIDES                                                                                      \
	"{\"row\":\"pair\",\"exchange\":\"0190a4b2-0000-7000-8000-000000000001\","                 \
	"\"choice\":0,\"base\":\"a\",\"base_leg\":\"0190a4b2-0000-7000-8000-000000000001\","       \
	"\"test\":\"b\",\"test_leg\":\"0190a4b2-0000-7000-8000-000000000001\""

Test(rows, members_that_are_not_known_are_passed_over)
{
	cr_expect_str_eq(problem_of(FLOOR "}"), "");
	cr_expect_str_eq(problem_of(FLOOR ",\"colour\":{\"a\":[1,{}]},\"noise\":1}"), "");
}

Test(rows, what_is_not_as_the_table_has_it_is_refused)
{
	static const char *const LINES[][2] = {
	        {"", "not a JSON object: "},
	        {"row,exchange,base", "not a JSON object: "},
	        {"[]", "not a JSON object: "},
	        {"{\"exchange\":1}", "not a row: "},
	        {"{\"row\":\"colour\"}", "the type of the row is not known"},
	        {FLOOR, "damaged JSON: "},
	        {FLOOR "}}", "damaged JSON: "},
	        {FLOOR ",\"choice\":0}", "choice comes twice"},
	        {FLOOR ",\"noise\":\"1\"}", "noise is not a value of type number"},
	        {FLOOR ",\"positions\":-1}", "positions is not a value of type count"},
	        {FLOOR ",\"positions\":18446744073709551616}", "positions is not"},
	        {FLOOR ",\"positions\":1e3}", "positions is not"},
	        {FLOOR ",\"differ\":1}", "differ is not a value of type boolean"},
	        {FLOOR ",\"base_gold\":\"none\"}", "base_gold is not a value of type word"},
	        {FLOOR ",\"base_gold\":\"best\"}", "base_gold is not"},
	        {FLOOR ",\"first_shift\":-1}", "first_shift is not"},
	        {FLOOR ",\"cluster\":\"00\"}", "cluster is not a value of type hash"},
	        {"{\"row\":\"floor\"}", "exchange is missing"},
	        {"{\"row\":\"pair\",\"same_top\":[3,2]}", "same_top is not a value of type sum"},
	        {"{\"row\":\"pair\",\"same_top\":[1]}", "same_top is not"},
	        {"{\"row\":\"pair\",\"same_top\":null}", "same_top is not"},
	        {SIDES ",\"same_top\":3,\"positions\":2}", "same_top is not"},
	        {SIDES ",\"same_top\":1}", "same_top is not"},
	        {"{\"row\":\"pair\",\"noise_sizes\":[-90,1]}", "noise_sizes is not"},
	        {"{\"row\":\"pair\",\"noise_sizes\":[-89,1,1]}", "noise_sizes is not"},
	        {"{\"row\":\"pair\",\"noise_sizes\":[-91]}", "noise_sizes is not"},
	        {"{\"row\":\"pair\",\"noise_sizes\":[-80,-10,1]}", "noise_sizes is not"},
	        {"{\"row\":\"pair\",\"noise_sizes\":{}}", "noise_sizes is not"},
	        {"{\"row\":\"pair\",\"marks\":[\"colour\"]}", "marks is not"},
	        {"{\"row\":\"pair\",\"base\":\"a\\u0000b\"}", "base is not"},
	        {"{\"row\":\"pair\",\"choice\":2147483648}", "choice is not"},
	        {"{\"row\":\"pair\",\"base_finish\":\"0123456789012345678901234\"}",
	                "base_finish is not"},
	};
	for (size_t i = 0; i < ARRAY_LEN(LINES); i++) {
		const char *said = problem_of(LINES[i][0]);
		cr_expect(strncmp(said, LINES[i][1], strlen(LINES[i][1])) == 0, "%s: %s",
		        LINES[i][0], said);
		cr_expect_neq(said[0], '\0', "%s", LINES[i][0]);
	}
}

Test(rows, texts_are_cut_between_characters)
{
	struct arena texts = {0};
	struct row row = {.type = FLOOR_ROW}, back;
	struct buf line = {0};
	char *name = xcalloc(1, 3000);
	for (size_t i = 0; i < 1000; i++) {
		memcpy(name + 1 + 2 * i, "é", 2);
	}
	name[0] = 'a';
	row.floor.base = name;
	row.floor.test = "\xff";
	row_put_json(&line, &row);
	read_or_die(&line, &texts, &back);
	cr_assert_eq(strlen(back.floor.base), 1023);
	cr_assert_str_eq(back.floor.test, "?");
	free(name);
	buf_finish(&line);
	arena_finish(&texts);
}

static size_t cells(const char *line)
{
	size_t n = 1;
	bool quoted = false;
	for (; *line; line++) {
		quoted ^= *line == '"';
		n += !quoted && *line == ',';
	}
	return n;
}

Test(rows, a_line_of_csv_has_a_cell_for_each_name)
{
	for (int i = 0; i < 200; i++) {
		struct arena texts = {0};
		struct row row;
		struct buf header = {0}, line = {0};
		any_row(&texts, PAIR_ROW, &row);
		row_put_csv_header(&header, PAIR_ROW);
		row_put_csv(&line, &row);
		cr_assert_eq(cells(buf_cstr(&header)), cells(buf_cstr(&line)));
		buf_finish(&header);
		buf_finish(&line);
		arena_finish(&texts);
	}
}
