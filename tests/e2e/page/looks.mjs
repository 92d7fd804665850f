// Looks at reports like a reader: looks.mjs CHROMIUM REPORT.html... Prints one JSON object, {step: "" or the error}.
import { basename } from 'node:path';
import { barriers, browse, fits, same, step } from './browser.mjs';

const [executablePath, ...files] = process.argv.slice(2);
const { open, end } = await browse(executablePath);
const SIZES = [1440, 900, 390].flatMap((width) => ['light', 'dark'].map((scheme) => [width, scheme]));
const RESULTS = { stress: ['Share of differing answers by requests in progress'], sweep: ['Share'], determinism: ['Agreement'] };

for (const file of files) {
	for (const [width, colorScheme] of SIZES) {
		await step(`${basename(file)} fits ${width} pixels, ${colorScheme}, without accessibility problems`, async () => {
			const page = await open(file, { viewport: { width, height: 900 }, colorScheme });
			await page.waitForSelector('.contents a', { state: 'attached' });
			await fits(page, 'page');
			const cut = await page.evaluate(() => { document.querySelectorAll('details').forEach((d) => d.setAttribute('open', '')); return [...document.querySelectorAll('.scroll, figure')].filter((part) => part.scrollWidth > part.clientWidth + 1).map((part) => `${part.getAttribute('aria-label')}: ${part.scrollWidth} of ${part.clientWidth} pixels`); });
			same(cut, [], 'tables and charts that are cut at the right');
			same(await barriers(page), [], 'axe');
			same(page.said, [], 'said');
			await page.context().close();
		});
	}
	await step(`${basename(file)} opens with the verdict of its document`, async () => {
		const page = await open(file, { viewport: { width: 1440, height: 900 } });
		const verdict = await page.evaluate(() => JSON.parse(document.getElementById('document').textContent).verdict);
		const screen = page.locator('#summary-verdict');
		same((await screen.innerText()).replace(/\s+/g, ' ').includes(verdict.sentence.replace(/\s+/g, ' ')), true, 'the sentence');
		same(await page.locator('#summary-verdict .verdict').first().innerText(), verdict.word, 'the word');
		same((await screen.boundingBox()).y < 400, true, 'it is seen at once');
		await page.context().close();
	});
	await step(`${basename(file)} draws its result`, async () => {
		const page = await open(file, { viewport: { width: 1440, height: 900 } });
		const verb = await page.evaluate(() => JSON.parse(document.getElementById('document').textContent).recipe.verb);
		const drawings = await page.locator('section:has(> #result) svg[role=img]').evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')));
		same(drawings.map((label) => label.split(':')[0].replace(/ of answers that differ from .*| of \w+ with itself/, '')), RESULTS[verb] ?? [], 'drawings');
		same((await page.locator('#summary-verdict').innerText()).includes('##'), false, 'a chart of characters');
		await page.context().close();
	});
	await step(`${basename(file)} reaches each comparison`, async () => {
		const page = await open(file, { viewport: { width: 1440, height: 900 } });
		const links = await page.locator('.contents a[href^="#pair="]').all();
		for (const link of links) {
			await link.click();
			same(await page.textContent('#pair'), await link.textContent(), 'the comparison that is shown');
			await page.reload();
			same(await page.textContent('#pair'), await link.textContent(), 'after a reload');
		}
		await page.context().close();
	});
}

await end();
