// Uses a report like a reader: clicks.mjs REPORT.html CHROMIUM. Prints one JSON object, {step: "" or the error}.
import { barriers, browse, fits, holds, same, step } from './browser.mjs';

const [file, executablePath] = process.argv.slice(2);
const { open: openFile, end } = await browse(executablePath);
const open = (options, hash) => openFile(file, options, hash);

const hash = (page) => page.evaluate(() => window.location.hash); // page.url() lags behind
const rows = (page) => page.locator('.exhibits tbody tr').count();
const light = await open({ viewport: { width: 1024, height: 900 }, colorScheme: 'light' });

await step('it opens without an error and loads no other file', async () => {
	await light.waitForSelector('.exhibits tbody tr');
	same(light.said, [], 'said');
	same(light.asked.filter((asked) => !asked.startsWith('data:')), [`file://${file}`], 'requests');
});

await step('hostile answers are text', async () => {
	same(await light.evaluate(() => window.hurt ?? null), null, 'a script of an answer ran');
	same(await light.locator('img, iframe, object, embed').count(), 0, 'elements of an answer');
	same(await light.locator('script').count(), 2, 'scripts');
});

await step('filters and search narrow the list, and clearing brings it back', async () => {
	const all = await rows(light);
	await light.selectOption('select[name=class]', 'answer_changed');
	const changed = await rows(light);
	if (changed === 0 || changed >= all) {
		throw new Error(`${changed} of ${all} rows`);
	}
	const badges = await light.locator('.exhibits tbody tr td[data-label="Meaning"]').allTextContents();
	same([...new Set(badges)], ['answer changed'], 'meanings');
	await light.selectOption('select[name=class]', '');
	await light.fill('input[name=search]', 'ONERROR');
	same(await rows(light), 2, 'rows found');
	await light.fill('input[name=search]', 'no answer says this');
	holds(await light.locator('.exhibits tbody').textContent(), 'No pair');
	await light.click('.filters button[type=reset]');
	await light.waitForFunction((n) => document.querySelectorAll('.exhibits tbody tr').length === n, all);
	await light.selectOption('select[name=order]', 'time');
	const times = await light.locator('.exhibits td[data-label="Time (UTC)"]').allTextContents();
	same(times, [...times].sort(), 'times');
	await light.selectOption('select[name=order]', 'worst');
});

await step('the address keeps filters, and a reload shows the same view', async () => {
	await light.selectOption('select[name=class]', 'answer_changed');
	await light.fill('input[name=search]', 'ships');
	const address = await hash(light);
	holds(address, 'class=answer_changed');
	const [before, status] = [await rows(light), await light.textContent('#status')];
	await light.reload();
	same([await rows(light), await light.textContent('#status'), await light.inputValue('input[name=search]')], [before, status, 'ships'], 'view');
	await light.click('.exhibits tbody a');
	await light.waitForSelector('dialog[open]');
	holds(await hash(light), 'class=answer_changed');
	holds(await hash(light), 'answers=');
	await light.goBack();
	await light.waitForSelector('dialog:not([open])', { state: 'attached' });
	same(await hash(light), address, 'address after going back');
	await light.click('.filters button[type=reset]');
	await light.waitForFunction(() => !window.location.hash.includes('class'));
});

await step('the list of parts leads to each part', async () => {
	const links = await light.locator('.contents a').all();
	same(links.length >= 8, true, `${links.length} parts`);
	await light.click('.contents summary'); // a menu at this width
	await light.click('.contents a:text("Causes")');
	holds(await hash(light), 'part=causes');
	same(await light.evaluate(() => document.getElementById('causes').getBoundingClientRect().top < window.innerHeight), true, 'the part is seen');
});

await step('the header says what was compared, and what differs between the stacks', async () => {
	same(await light.textContent('h1'), 'prod compared with trusted', 'title');
	const facts = await light.textContent('.header-facts');
	['plumbline analyze ', ' exchanges in ', 'Base', 'Test', 'hardware not known', ' UTC'].forEach((part) => holds(facts, part));
	holds(await light.textContent('section:has(> #stacks)'), 'not known');
});

await step('each figure explains itself, and shares have one scale', async () => {
	const cards = await light.locator('.card').all();
	same(cards.length > 0, true, 'cards');
	for (const card of cards) {
		const help = card.locator('details.help');
		await help.locator('summary').click();
		same((await help.locator('p').innerText()).length > 40, true, 'an explanation');
		await help.locator('summary').click();
		const [text, ends] = [await card.locator('.figure').textContent(), await card.locator('.bar text').allTextContents()];
		if (text.includes('%')) {
			same(ends.map((end) => end.replace(/\s/g, ' ')), ['0.0 %', '100.0 %'], text);
		}
	}
	holds(await light.locator('.cards').textContent(), 'changed (in 1, only one answer was cut)');
});


await step('an exchange opens by keyboard and shows both answers', async () => {
	await light.fill('input[name=search]', 'ships');
	const link = light.locator('.exhibits tbody a').first();
	await link.focus();
	await light.keyboard.press('Enter');
	await light.waitForSelector('dialog[open] .answer');
	same(await light.locator('dialog .answer').count(), 2, 'answers');
	same(await light.locator('dialog .t.first').count(), 2, 'first differences marked');
	holds(await light.locator('dialog .flag').first().textContent(), 'first difference');
	holds(await light.locator('dialog .inspector').textContent(), 'Up to here both sides have the same text');
});

await step('pointing at a token shows the lists of both sides', async () => {
	const token = light.locator('dialog .answer.test .t').nth(1);
	await token.hover();
	await light.waitForSelector('dialog .t.here');
	same(await light.locator('dialog .inspector .list').count(), 2, 'lists');
	const text = await light.locator('dialog .inspector').textContent();
	holds(text, 'token 2 of');
	holds(text, 'chosen');
	holds(text, 'same token here');
});

await step('arrow keys walk along the tokens', async () => {
	await light.locator('dialog .answer.base .tokens').focus();
	await light.keyboard.press('ArrowRight');
	const before = await light.locator('dialog .inspector .list h4').first().textContent();
	await light.keyboard.press('ArrowRight');
	const after = await light.locator('dialog .inspector .list h4').first().textContent();
	if (before === after) {
		throw new Error(`it stayed at ${before}`);
	}
});

await step('it can be copied as an issue, and so can the repro command', async () => {
	await light.click('dialog button:text("Copy as issue")');
	await light.waitForSelector('dialog button:text("Copied")');
	const issue = await light.evaluate(() => navigator.clipboard.readText());
	holds(issue, '### ` prod ` gives other answers than ` trusted `');
	holds(issue, 'First difference at token');
	holds(issue, 'plumbline repro ');
	for (const note of ['Replaced in this request: about 2 secrets or lists of token ids.', 'Replaced in this answer: about 1 secret or list of token ids.']) {
		holds(issue, note);
		holds(await light.locator('dialog').innerText(), note);
	}
	holds(issue, '| side | engine | version | model | quantisation | hardware |');
	holds(issue, 'of 10 greedy answers differ, 95 % interval [');
	holds(issue, 'Ruled out:');
	holds(issue, '- Errors: status 200 and 200.');
	holds(issue, 'Unlikely:');
	holds(issue, '- Another prompt or chat template: both sides count 5 prompt tokens.');
	holds(issue, '- Random sampling: the request asks both sides for greedy decoding.');
	holds(issue, '- Run-to-run noise: it was not measured');
	holds(issue, '/v1/chat/completions -H');
	holds(issue, 'How many ships are there?');
	await light.click('dialog button:text("Copy repro command")');
	await light.waitForFunction(async () => (await navigator.clipboard.readText()).startsWith('plumbline repro '));
});

await step('at a token that only one side has, both sides show their token', async () => {
	const page = await open({ viewport: { width: 1024, height: 900 } });
	await page.fill('input[name=search]', 'Ada,');
	await page.locator('.exhibits tbody a').first().click();
	same(await page.locator('dialog .t.first').allTextContents(), ['Eve, ', 'Bea, '], 'first differences marked');
	same(await page.locator('dialog .inspector h4').allTextContents(), ['trusted, token 2 of 3', 'prod, token 2 of 4'], 'the panel');
	await page.locator('dialog .answer.base .t').nth(1).hover();
	holds(await page.locator('dialog .inspector .about').textContent(), 'Up to here both sides have the same text');
	same(await page.locator('dialog .inspector h4').allTextContents(), ['trusted, token 2 of 3', 'prod, token 2 of 4'], 'the panel from the other side');
	await page.click('dialog button:text("Copy as issue")');
	await page.waitForSelector('dialog button:text("Copied")');
	const issue = await page.evaluate(() => navigator.clipboard.readText());
	holds(issue, '- ` trusted ` chose ` "Eve, " `');
	holds(issue, '- ` prod ` chose ` "Bea, " `');
	await page.context().close();
});

await step('a character of several tokens is shown whole', async () => {
	const page = await open({ viewport: { width: 1024, height: 900 } });
	await page.fill('input[name=search]', 'What is seen');
	await page.locator('.exhibits tbody a').first().click();
	holds(await page.locator('dialog .answer.test .tokens').textContent(), '日本語 Ω');
	await page.keyboard.press('Escape');
	await page.fill('input[name=search]', 'The bytes');
	await page.locator('.exhibits tbody a').first().click();
	const shown = await Promise.all(['base', 'test'].map((side) => page.locator(`dialog .answer.${side} .t`).allTextContents()));
	same(shown.map((texts) => texts.join('')), ["The bytes: b'€'.", String.raw`The bytes: b'\xe2\x82\xac'.`], 'a character, and the escapes that the model wrote');
	await page.context().close();
});

await step('the raw request is one click away', async () => {
	await light.click('dialog .raw summary');
	holds(await light.locator('dialog .raw pre').first().textContent(), '"messages"');
});

await step('no accessibility problem in the light theme', async () => {
	same(await barriers(light), [], 'axe in the dialog');
	await light.keyboard.press('Escape');
	await light.waitForSelector('dialog:not([open])', { state: 'attached' });
	same(await light.evaluate(() => document.activeElement.closest('.exhibits') !== null), true, 'focus is back in the list');
	await light.click('.filters button[type=reset]');
	await light.evaluate(() => document.querySelectorAll('details').forEach((d) => d.setAttribute('open', '')));
	same(await barriers(light), [], 'axe in the page');
});

await step('reasoning is folded and tool calls are shown', async () => {
	const think = await open({ viewport: { width: 1024, height: 900 } });
	await think.fill('input[name=search]', 'thought-through');
	await think.locator('.exhibits tbody a').first().click();
	await think.waitForSelector('dialog .reasoning');
	same(await think.locator('dialog .reasoning:not([open])').count(), 2, 'folded');
	await think.keyboard.press('Escape');
	await think.fill('input[name=search]', 'lookup');
	await think.locator('.exhibits tbody a').first().click();
	holds(await think.locator('dialog .calls').first().textContent(), 'lookup({"city"');
	await think.context().close();
});

await step('the theme can be changed', async () => {
	const colour = () => light.evaluate(() => getComputedStyle(document.body).backgroundColor);
	const before = await colour();
	await light.click('#theme');
	if (await colour() === before) {
		throw new Error(`still ${before}`);
	}
});

for (const [width, theme] of [[390, 'dark'], [390, 'light'], [900, 'light'], [900, 'dark'], [1440, 'light'], [1440, 'dark']]) {
	await step(`it fits ${width} pixels, ${theme}, without accessibility problems`, async () => {
		const page = await open({ viewport: { width, height: 900 }, colorScheme: theme }, '#answers=1');
		await page.waitForSelector('dialog[open] .answer');
		for (const where of ['dialog', 'page']) {
			await fits(page, where);
			const inside = await page.evaluate(() => { const d = document.querySelector('dialog'); return d.scrollWidth <= d.clientWidth; });
			same(inside, true, 'the dialog needs no scrolling sideways');
			same(await barriers(page), [], `axe in the ${where}`);
			await page.keyboard.press('Escape');
			await page.waitForSelector('dialog:not([open])', { state: 'attached' });
		}
		same(page.said, [], 'said');
		await page.context().close();
	});
}

await step('without scripts it still shows the result', async () => {
	const page = await open({ javaScriptEnabled: false });
	const text = await page.locator('main').innerText();
	holds(text, 'differ from those of');
	holds(text, 'answers that differ');
	same(await page.locator('img').count(), 0, 'elements of an answer');
	await page.context().close();
});

await step('it can be printed', async () => {
	const page = await open({});
	await page.waitForSelector('.exhibits');
	const pdf = await page.pdf({ format: 'A4' });
	same(pdf.subarray(0, 5).toString(), '%PDF-', 'a PDF');
	await page.context().close();
});

await step('the panel of a token covers no text on a narrow screen', async () => {
	const page = await open({ viewport: { width: 390, height: 844 } }, '#answers=1');
	await page.waitForSelector('dialog[open] .answer');
	await page.locator('dialog .answer.test .t:visible').first().click();
	for (const isOpen of [false, true]) {
		await page.evaluate((open) => { document.querySelector('.inspector details').open = open; }, isOpen);
		const [panel, text] = await page.evaluate(() => ['.inspector', '.exchange'].map((part) => document.querySelector(part).getBoundingClientRect().toJSON()));
		same(text.bottom <= panel.top + 1 && panel.bottom <= 845 && text.height > 300, true, `text to ${text.bottom}, panel ${panel.top} to ${panel.bottom}`);
	}
	await page.context().close();
});

await end();
