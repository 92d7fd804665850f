#include "backends/credential.h"

#include <criterion/criterion.h>

#define KEY "sk-proj-4fA9cK2mQ7vX1bN8sT5yW3eR6uZ0dHjL"

Test(credential, is_told_by_its_form_and_in_urls)
{
	cr_expect(credential_in(SPAN("https://app/chat?api_key=hush")));
	cr_expect(credential_in(SPAN("https://app/login?next=http://h/?api_key=hush")));
	cr_expect(credential_in(SPAN("https://app/login?next=%2Fy%3Fapi_key%3Dhush")));
	cr_expect(credential_in(SPAN("https://app/done#access_token=hush")));
	cr_expect(credential_in(SPAN("postgres://me:hush@db:5432/x")));
	cr_expect(credential_in(SPAN("Bearer abcdefghijklmnop0123456789")));
	cr_expect(credential_in(SPAN("tenant=7, key=" KEY)));
	cr_expect_not(credential_in(SPAN("https://app/chat?page=2&sort=up")));
	cr_expect_not(
	        credential_in(SPAN("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")));
	cr_expect_not(credential_in(SPAN("https://git@host:8080/a@b:c?at=me:you@host#top")));
	cr_expect_not(credential_in(SPAN("a pair such as key=value")));
	cr_expect_not(credential_in(SPAN("")));
	cr_expect_not(credential_in((struct span){0}));
}
