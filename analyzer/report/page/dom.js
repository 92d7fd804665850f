// dom - elements with texts. Nothing here or elsewhere makes markup of a string.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, properties, children) {
	for (const [name, value] of Object.entries(properties ?? {})) {
		if (name.startsWith('on')) {
			element.addEventListener(name.slice(2), value);
		} else if (value === true) {
			element.setAttribute(name, '');
		} else if (value !== false && value !== null && value !== undefined) {
			element.setAttribute(name, value);
		}
	}
	for (const child of children.flat(Infinity)) {
		if (child !== null && child !== undefined && child !== false) {
			element.append(child); // a string becomes a text
		}
	}
	return element;
}

/** An element; properties that begin with "on" are listeners, false and null ones are left out. */
export function el(name, properties, ...children) {
	return fill(document.createElement(name), properties, children);
}

export function svg(name, properties, ...children) {
	return fill(document.createElementNS(SVG, name), properties, children);
}

/** A part of the page, below a heading of its own. */
export function section(id, title, ...children) {
	return el('section', { 'aria-labelledby': id }, el('h2', { id }, title), children);
}

/** What is scrolled by itself where it is wider than the page; label says what it is to those who do not see it. */
export function scroll(label, ...children) {
	return el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, children);
}

export function table(label, heads, rows) {
	return scroll(label, el('table', {},
		el('thead', {}, el('tr', {}, heads.map((h) => el('th', { scope: 'col' }, h)))), el('tbody', {}, rows)));
}

/** Names each cell by its column, so that a row can be shown as a list where the page is narrow. A name of a row needs none, a number does. */
export function nameCells(root) {
	root.querySelectorAll('.scroll > table:not(.confusion)').forEach((each) => {
		const heads = [...each.querySelectorAll('thead tr > *')].map((head) => head.textContent);
		each.classList.add('listed');
		each.querySelectorAll('tbody tr').forEach((row) => [...row.children].forEach((cell, i) => {
			if (heads[i] && (i > 0 || /^[0-9]+$/.test(cell.textContent))) {
				cell.dataset.label = heads[i];
			}
		}));
	});
}

/** A command that can be copied, with a word before it. */
export function command(text, about) {
	return el('div', { class: 'command' }, about ? el('span', {}, about) : null, el('code', { tabindex: 0 }, text), copyButton('Copy command', () => text));
}

export function replace(element, ...children) {
	element.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== false && c !== undefined));
}

/** Tells a screen reader what has happened. */
export function announce(text) {
	document.getElementById('said').textContent = text;
}

/** Puts a text on the clipboard; resolves to whether that went well. */
async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		const area = el('textarea', { class: 'offscreen' });
		area.value = text;
		(document.querySelector('dialog[open]') ?? document.body).append(area);
		area.select();
		const done = document.execCommand('copy');
		area.remove();
		return done;
	}
}

/** A button that copies what text() gives and says so. */
export function copyButton(label, text) {
	const button = el('button', { type: 'button', class: 'quiet' }, label);
	button.addEventListener('click', async () => {
		const done = await copy(text());
		button.textContent = done ? 'Copied' : 'Could not copy';
		announce(done ? `${label}: copied` : 'The text could not be copied');
		setTimeout(() => { button.textContent = label; }, 1600);
	});
	return button;
}
