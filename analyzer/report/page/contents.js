// contents - the table of contents: at the side, or a menu at the top of a narrow page.

import { viewed } from './address.js';
import { el, replace } from './dom.js';
import { nameOf } from './model.js';

const partLinks = el('ul');
const pairLinks = el('ul');
const menu = el('details', {}, el('summary', {}, 'Contents'), el('div', { class: 'parts' }, partLinks, pairLinks));
const wide = window.matchMedia('(min-width: 75rem)');

/** The navigation; it is open if there is room at the side. */
export function contents() {
	const follow = () => { menu.open = wide.matches; };
	wide.addEventListener('change', follow);
	follow();
	menu.addEventListener('click', (event) => {
		if (event.target.closest('a') && !wide.matches) {
			menu.open = false;
		}
	});
	return el('nav', { class: 'contents', 'aria-label': 'Contents' }, menu);
}

/** Lists the current headings, and the pairs of backends if there are several. */
export function listContents(groups, shown) {
	const heads = [...document.querySelectorAll('main h2[id]')].filter((head) => head.closest('dialog') === null);
	replace(partLinks, heads.map((head) => el('li', {}, el('a', { href: `#part=${head.id}` }, head.textContent))));
	replace(pairLinks, groups.length < 2 ? null : [el('li', { class: 'aside' }, 'Comparisons'),
		groups.map((group, i) => el('li', {}, el('a', { href: `#pair=${i + 1}&part=pair`, 'aria-current': group === shown ? 'true' : null }, nameOf(group))))]);
}

/** Scrolls to the part that the URL names. */
export function showPart() {
	const head = document.getElementById(viewed('part'));
	if (head?.matches('main h2')) {
		head.scrollIntoView();
	}
}
