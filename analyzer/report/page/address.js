// address - the current view as the fragment of the URL: #pair=2&class=answer_changed&answers=3.
// Names: pair (number of a pair of backends), answers (number of an exhibit), part (id of a heading), and those of the
// filters. The same URL always shows the same view.

const viewOf = (fragment) => new URLSearchParams(fragment.replace(/^#/, ''));

/** The value of a name in the URL; '' if it is missing. */
export const viewed = (name) => viewOf(window.location.hash).get(name) ?? '';

/** The fragment after changes; an empty or null value removes its name. */
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

/** Changes the URL without a history entry or an event. */
export function note(changes) {
	window.history.replaceState(null, '', changed(changes));
}

/** Changes the view; the Back button undoes it unless `replaces` is set. */
export function goTo(changes, replaces = false) {
	window.location[replaces ? 'replace' : 'assign'](changed(changes));
}

/** Makes links within the page change only the names in them; filters stay. */
export function keepViewInLinks() {
	document.addEventListener('click', (event) => {
		const link = event.target.closest?.('a[href^="#"]');
		if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
			event.preventDefault();
			const changes = Object.fromEntries(viewOf(link.getAttribute('href')));
			if (changed(changes) === window.location.hash) { // the URL stays, but the reader may have scrolled
				window.dispatchEvent(new HashChangeEvent('hashchange'));
			} else {
				goTo(changes);
			}
		}
	});
}
