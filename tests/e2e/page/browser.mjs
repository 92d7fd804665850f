// Helpers of the programs that use a page: a browser, steps with results, and checks.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const results = {};

/** Runs the work; an exception is the step's result. */
export async function step(name, work) {
	try {
		await work();
		results[name] = '';
	} catch (error) {
		results[name] = String(error.stack ?? error).slice(0, 1500);
	}
}

export function same(found, wanted, what) {
	if (JSON.stringify(found) !== JSON.stringify(wanted)) {
		throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
	}
}

export function holds(text, part) {
	if (!text.includes(part)) {
		throw new Error(`${JSON.stringify(text.slice(0, 600))} lacks ${JSON.stringify(part)}`);
	}
}

/** { open, end }: open(file, options, hash) gives a page that logs its messages and requests. */
export async function browse(executablePath) {
	const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
	const open = async (file, options, hash = '') => {
		const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'], ...options });
		const page = await context.newPage();
		page.said = [];
		page.asked = [];
		page.on('console', (message) => page.said.push(`${message.type()}: ${message.text()}`));
		page.on('pageerror', (error) => page.said.push(`error: ${error.message}`));
		page.on('request', (request) => page.asked.push(request.url()));
		await page.goto(`file://${file}${hash}`);
		return page;
	};
	const end = async () => {
		await browser.close();
		console.log(JSON.stringify(results, null, 1));
	};
	return { open, end };
}

/** All findings of axe in the page. */
export async function barriers(page) {
	await page.evaluate(axe); // not a script of the page, so the page's policy allows it
	const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
	return found.violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary.split('\n')[1]}`).join(' | ')}`);
}

/** Checks that the page needs no horizontal scrolling. */
export async function fits(page, what) {
	const [needed, had] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
	same(needed <= had, true, `${what}: ${needed} of ${had} pixels`);
}
