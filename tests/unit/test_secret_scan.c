#include <criterion/criterion.h>

#include "base/mem.h"
#include "capture/privacy/secret_scan.h"

/* Returns the matches in the text as name=match, separated by spaces. */
static char *found_in(const char *text)
{
	struct buf out = {0};
	struct secret_match m;
	for (size_t at = 0; secret_scan_next(span_of(text), at, SECRETS_ALL, &m); at = m.to) {
		cr_assert(m.from >= at && m.from < m.to && m.to <= strlen(text));
		buf_printf(&out, "%s%s=%.*s", out.len ? " " : "", secret_name(m.kind),
		        (int)(m.to - m.from), text + m.from);
	}
	return buf_steal(&out);
}

static void expect_found(const char *text, const char *expected)
{
	char *found = found_in(text);
	cr_expect_str_eq(found, expected, "in \"%s\": %s, not %s", text, found, expected);
	free(found);
}

Test(secret_scan, addresses_are_told)
{
	expect_found(
	        "write to ann.lee+x@mail.example.org, please", "email=ann.lee+x@mail.example.org");
	expect_found("a@b.co.", "email=a@b.co");
	expect_found("<m\xc3\xbcller@b\xc3\xbcro.de>", "email=m\xc3\xbcller@b\xc3\xbcro.de");
	expect_found("x@y.com@z.org", "email=x@y.com");
	expect_found("user@localhost, @handle, a@b, a@.com, @x.com", "");
}

Test(secret_scan, cards_pass_luhn_and_begin_as_an_issuers)
{
	expect_found("pay 4111 1111 1111 1111 now", "card=4111 1111 1111 1111");
	expect_found("4111-1111-1111-1111.", "card=4111-1111-1111-1111");
	expect_found("378282246310005", "card=378282246310005");
	expect_found("4111\xc2\xa0"
	             "1111\xe2\x80\xaf"
	             "1111\xe2\x80\x91"
	             "1111",
	        "card=4111\xc2\xa0"
	        "1111\xe2\x80\xaf"
	        "1111\xe2\x80\x91"
	        "1111");
	expect_found("4111 1111 1111 1112", "");
	expect_found("0.4111111111111111", "");
	expect_found("No.4111111111111111", "card=4111111111111111");
	expect_found("...4111 1111 1111 1111", "card=4111 1111 1111 1111");
	expect_found("1700000000000 and 20240131120000", "");
	expect_found("94111111111111111", "");
}

Test(secret_scan, keys_are_told_by_what_they_begin_with)
{
	expect_found("key=sk-proj-Ab12Cd34Ef56Gh78.", "key=sk-proj-Ab12Cd34Ef56Gh78");
	expect_found("AKIAIOSFODNN7EXAMPLE", "key=AKIAIOSFODNN7EXAMPLE");
	expect_found("ghp_0123456789abcdefghij0123", "key=ghp_0123456789abcdefghij0123");
	expect_found("pplx-0123456789abcdefABCD", "key=pplx-0123456789abcdefABCD");
	expect_found("tgp_v1_Abc123Abc123Abc123Abc123", "key=tgp_v1_Abc123Abc123Abc123Abc123");
	expect_found("csk-abc123abc123abc123abc123", "key=csk-abc123abc123abc123abc123");
	expect_found("fw_Abc123Abc123Abc123Abc123", "key=fw_Abc123Abc123Abc123Abc123");
	expect_found("fw_version_string_of_board_2, fw_update_2_of_the_second_board", "");
	expect_found("lsv2_pt_abc123abc123abc123abc1", "key=lsv2_pt_abc123abc123abc123abc1");
	expect_found("ntn_, hvs.lowercase-words-only-here, xapp-a", "");
	expect_found("task-force1234567890abc, sk-learn-pipelines-are-fine, AKIA", "");
	expect_found("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
	        "key=-----BEGIN RSA PRIVATE KEY-----\nMIIE\n");
	expect_found(
	        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQOY\n-----END PGP PRIVATE KEY BLOCK-----",
	        "key=-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQOY\n");
	expect_found("Authorization: Bearer abc.DEF-123~x", "bearer=abc.DEF-123~x");
	expect_found("the bearer certificates, Bearer x", "");
}

Test(secret_scan, a_name_and_a_password_behind_basic_are_told_by_what_their_base64_says)
{
	expect_found("Authorization: Basic dXNlcjpwYXNz", "bearer=dXNlcjpwYXNz");
	expect_found("basic  dXNlcjpodXNo", "bearer=dXNlcjpodXNo");
	expect_found("(BASIC bWU6aHVzaGh1c2g=)", "bearer=bWU6aHVzaGh1c2g=");
	expect_found("Basic dXNlcjpwYXNzCg==", "bearer=dXNlcjpwYXNzCg==");
	expect_found("Basic YsO8cm86aHVzaA==", "bearer=YsO8cm86aHVzaA==");
	expect_found("Basic bWU6cHc=, Basic dTpwdw==", "bearer=bWU6cHc= bearer=dTpwdw==");
	expect_found(
	        "the Basic Operations, basic authentication, Basic Ontology and Basic Only", "");
	expect_found("Basic dXNlci1wYXNz, Basic , xBasic dXNlcjpwYXNz, Basic", "");
}

Test(secret_scan, a_word_that_is_alone_behind_basic_may_be_short_and_in_another_character_set)
{
	static const char *const accepted[] = {"YTpi", "bWU6cHc=", "dTpwdw==", "dTpwdw",
	        "bWU6aPxzaA==", "dXNlcjpwYXNz", "dXNlcjpwYXNzCg=="};
	static const char *const others[] = {"plan", "Only", "Ontology", "Operations",
	        "authentication", "", "=", "==", "Og==", "a", "not base64", "dXNl:jpwYXNz",
	        "AAA6AAAA"};
	for (size_t i = 0; i < ARRAY_LEN(accepted); i++) {
		cr_expect(secret_is_basic(span_of(accepted[i])), "%s", accepted[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		cr_expect_not(secret_is_basic(span_of(others[i])), "%s", others[i]);
	}
	cr_expect_not(secret_is_basic((struct span){0}));
}

Test(secret_scan, a_long_password_behind_basic_is_told_by_its_beginning)
{
	struct buf text = {0};
	buf_append_str(&text, "Basic dXNlcjpw");
	while (text.len < 5000) {
		buf_append_str(
		        &text, "w6TDpMOk"); /* of two bytes each, so that some character is cut */
	}
	struct secret_match m;
	cr_expect(secret_scan_next(buf_span(&text), 0, SECRETS_ALL, &m));
	cr_expect_eq(m.to, text.len);
	buf_finish(&text);
}

Test(secret_scan, telephone_numbers_begin_with_their_country_and_ibans_pass_their_check)
{
	expect_found("call +49 (0)151 2345-6789!", "phone=+49 (0)151 2345-6789");
	expect_found("1+12345678, +0123456789, +1234", "");
	expect_found("DE89 3704 0044 0532 0130 00", "iban=DE89 3704 0044 0532 0130 00");
	expect_found("GB29NWBK60161331926819", "iban=GB29NWBK60161331926819");
	expect_found("DE88370400440532013000", "");
	expect_found("to de89 3704 0044 0532 0130 00.", "iban=de89 3704 0044 0532 0130 00");
	expect_found("DE89-3704-0044-0532-0130-00", "iban=DE89-3704-0044-0532-0130-00");
	expect_found("XDE89370400440532013000, 9DE89370400440532013000", "");
}

Test(secret_scan, time_grows_with_the_text_whatever_is_in_it)
{
	static const char *const REPEATED[] = {"@", "sk-", "sk-a-", "4", "4 ", "+1", "a@",
	        "bearer ", "basic ", "basic dXNl", "-", "-----BEGIN RSA ", "DE89", "eyJ", "+1 "};
	struct secret_match m;
	for (size_t i = 0; i < ARRAY_LEN(REPEATED); i++) {
		struct buf text = {0};
		while (text.len < 1 << 20) {
			buf_append_str(&text, REPEATED[i]);
		}
		for (size_t at = 0; secret_scan_next(buf_span(&text), at, SECRETS_ALL, &m);
		        at = m.to) {
		}
		buf_finish(&text);
	}
}

Test(secret_scan, hides_a_text_with_a_secret_whole)
{
	cr_expect_str_eq(secret_scan_hide("meta-llama/Llama-3.1-8B"), "meta-llama/Llama-3.1-8B");
	cr_expect_str_eq(secret_scan_hide("model of ann@example.org"), "(hidden)");
	cr_expect_null(secret_scan_hide(NULL));
}
