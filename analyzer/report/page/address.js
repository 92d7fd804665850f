// address - the view that is shown, as the fragment of the address: #pair=2&class=answer_changed&answers=3.
// Names: pair (number of a pair of backends), answers (number of an exhibit), part (id of a heading), and those of the
// filters. Whoever opens the address sees the same view.

const viewOf = (fragment) => new URLSearchParams(fragment.replace(/^#/, ''));

/** What the address says of one name; '' if nothing. */
export const viewed = (name) => viewOf(window.location.hash).get(name) ?? '';

/** The fragment after changes; a value that is empty or null removes its name. */
function changed(changes) {
	const view = viewOf(window.location.hash);
	for (const [name, value] of Object.entries(changes)) {
		if (value) {
			view.set(name, value);
		} else {
			view.delete(name);
		}
	}
	return `#${view}`;
}

/** Changes the address without a step in the history, and tells nobody. */
export function note(changes) {
	window.history.replaceState(null, '', changed(changes));
}

/** Changes the view; the Back button undoes it, unless it replaces the present one. */
export function goTo(changes, replaces = false) {
	window.location[replaces ? 'replace' : 'assign'](changed(changes));
}

/** Links within the page change only what they name: filters stay. */
export function keepViewInLinks() {
	document.addEventListener('click', (event) => {
		const link = event.target.closest?.('a[href^="#"]');
		if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
			event.preventDefault();
			const changes = Object.fromEntries(viewOf(link.getAttribute('href')));
			if (changed(changes) === window.location.hash) { // the address does not change, but the view may have been scrolled
				window.dispatchEvent(new HashChangeEvent('hashchange'));
			} else {
				goTo(changes);
			}
		}
	});
}
