// Uses a report as somebody would: clicks.mjs REPORT.html CHROMIUM. Prints one JSON object, {step: "" or what went wrong}.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const [file, executablePath] = process.argv.slice(2);
const url = `file://${file}`;
const results = {};

async function step(name, work) {
	try {
		await work();
		results[name] = '';
	} catch (error) {
		results[name] = String(error.stack ?? error).slice(0, 1500);
	}
}

function same(found, wanted, what) {
	if (JSON.stringify(found) !== JSON.stringify(wanted)) {
		throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
	}
}

function holds(text, part) {
	if (!text.includes(part)) {
		throw new Error(`${JSON.stringify(text.slice(0, 600))} lacks ${JSON.stringify(part)}`);
	}
}

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });

async function open(options, hash = '') {
	const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'], ...options });
	const page = await context.newPage();
	page.said = [];
	page.asked = [];
	page.on('console', (message) => page.said.push(`${message.type()}: ${message.text()}`));
	page.on('pageerror', (error) => page.said.push(`error: ${error.message}`));
	page.on('request', (request) => page.asked.push(request.url()));
	await page.goto(url + hash);
	return page;
}

async function barriers(page) {
	await page.evaluate(axe); // not a script of the page, so its policy lets it pass
	const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
	const bad = found.violations.filter((v) => ['serious', 'critical'].includes(v.impact));
	return bad.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary.split('\n')[1]}`).join(' | ')}`);
}

const rows = (page) => page.locator('.exhibits tbody tr').count();
const light = await open({ viewport: { width: 1024, height: 900 }, colorScheme: 'light' });

await step('it opens without a complaint and asks for nothing else', async () => {
	await light.waitForSelector('.exhibits tbody tr');
	same(light.said, [], 'said');
	same(light.asked.filter((asked) => !asked.startsWith('data:')), [url], 'asked for');
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

await step('an exchange opens by keyboard and shows both answers', async () => {
	await light.fill('input[name=search]', 'ships');
	const link = light.locator('.exhibits tbody a').first();
	await link.focus();
	await light.keyboard.press('Enter');
	await light.waitForSelector('dialog[open] .answer');
	same(await light.locator('dialog .answer').count(), 2, 'answers');
	same(await light.locator('dialog .t.first').count(), 2, 'first differences marked');
	holds(await light.locator('dialog .flag').first().textContent(), 'first difference');
	holds(await light.locator('dialog .inspector').textContent(), 'Here they part');
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
	await light.click('dialog button:text("Copy repro command")');
	await light.waitForFunction(async () => (await navigator.clipboard.readText()).startsWith('plumbline repro '));
});

await step('the raw request is one click away', async () => {
	await light.click('dialog .raw summary');
	holds(await light.locator('dialog .raw pre').first().textContent(), '"messages"');
});

await step('no barriers in the light', async () => {
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

for (const [width, theme] of [[390, 'dark'], [390, 'light'], [1024, 'dark'], [1920, 'light'], [1920, 'dark']]) {
	await step(`it fits ${width} pixels, ${theme}, without barriers`, async () => {
		const page = await open({ viewport: { width, height: 900 }, colorScheme: theme }, '#answers-1');
		await page.waitForSelector('dialog[open] .answer');
		for (const where of ['dialog', 'page']) {
			const [needed, had] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
			same(needed <= had, true, `${where}: ${needed} of ${had} pixels`);
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

await step('without scripts it still says what was found', async () => {
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

await browser.close();
console.log(JSON.stringify(results, null, 1));
