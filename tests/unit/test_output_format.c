#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/report/forms/output_format.h"

Test(output_format, a_file_s_name_says_its_form)
{
	enum output_format form;
	cr_assert(output_format_of_path("report.json", &form));
	cr_assert_eq(form, OUTPUT_FORMAT_JSON);
	cr_assert_not(output_format_of_path("report.pdf", &form));
	cr_assert_not(output_format_of_path("json", &form));
	cr_assert_not(output_format_of_path(".json", &form), "an end without a name");
}

Test(output_format, what_can_t_be_saved_whole_leaves_the_old_file)
{
	char dir[] = "/tmp/test_form_XXXXXX";
	cr_assert_not_null(mkdtemp(dir));
	char *path = xasprintf("%s/a.json", dir);
	json_t *document = json_pack("{s:i}", "plumbline_analysis", 2);
	cr_assert_eq(output_format_save(OUTPUT_FORMAT_JSON, document, path, 0600), 0);
	json_t *read = json_load_file(path, 0, NULL);
	cr_assert(json_equal(read, document));
	char *absent = xasprintf("%s/no/a.json", dir);
	cr_assert_lt(output_format_save(OUTPUT_FORMAT_JSON, document, absent, 0600), 0);
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(rmdir(dir), 0, "nothing else was left");
	json_decref(read);
	json_decref(document);
	free(absent);
	free(path);
}
