// dom - creates elements. No code of the page parses a string as HTML.

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
			element.append(child); // a string becomes a text node
		}
	}
	return element;
}

/** An element. Properties that begin with "on" are listeners; false and null ones are left out. */
export function el(name, properties, ...children) {
	return fill(document.createElement(name), properties, children);
}

export function svg(name, properties, ...children) {
	return fill(document.createElementNS(SVG, name), properties, children);
}

/** A part of the page with a heading. */
export function section(id, title, ...children) {
	return el('section', { 'aria-labelledby': id }, el('h2', { id }, title), children);
}

/** A box with its own scroll bar if it is wider than the page; label names it for screen readers. */
export function scroll(label, ...children) {
	return el('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, children);
}

export function table(label, heads, rows) {
	return scroll(label, el('table', {},
		el('thead', {}, el('tr', {}, heads.map((h) => el('th', { scope: 'col' }, h)))), el('tbody', {}, rows)));
}

/** Labels each cell with its column, for a narrow page that shows rows as lists. A row's name needs no label, but a number does. */
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

/** A command with a copy button, and a word before it. */
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

/** Copies a text to the clipboard; resolves to whether that succeeded. */
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

/** A button that copies the result of text() and announces it. */
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
