// @ts-check
// Runs in the page: shows what the extension sends, says what was clicked, and keeps the reader's place.
(() => {
  // @ts-ignore: given by VS Code
  const vscode = acquireVsCodeApi();
  const main = /** @type {HTMLElement} */ (document.getElementById('report'));
  const announcement = /** @type {HTMLElement} */ (document.getElementById('announcement'));
  vscode.setState(JSON.parse(document.body.dataset.kept ?? '{}'));

  window.addEventListener('message', ({ data }) => {
    if (typeof data?.html === 'string') show(data.html);
  });

  /** @param {string} html */
  function show(html) {
    const focused = keyOf(document.activeElement);
    const open = [...main.querySelectorAll('details[open]')].map(keyOf);
    const before = verdict();
    const place = window.scrollY;
    main.innerHTML = html;
    main.querySelectorAll('details').forEach((each) => (each.open = open.includes(keyOf(each))));
    const again = focused && [...main.querySelectorAll('[data-key]')].find((each) => keyOf(each) === focused);
    if (again instanceof HTMLElement) again.focus({ preventScroll: true });
    window.scrollTo(0, place);
    if (before !== undefined && verdict() !== before) announcement.textContent = verdict() ?? '';
  }

  /** @param {Element | null} element */
  function keyOf(element) {
    return element instanceof HTMLElement ? element.dataset.key : undefined;
  }

  function verdict() {
    return main.querySelector('[data-announce]')?.textContent?.replace(/\s+/g, ' ').trim();
  }

  main.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target.closest('[data-act]') : null;
    if (!(target instanceof HTMLElement)) return;
    event.preventDefault();
    const { act, line } = target.dataset;
    vscode.postMessage({ command: act, line: line === undefined ? undefined : Number(line) });
    if (act === 'copy') announcement.textContent = 'Copied';
  });

  vscode.postMessage({ command: 'ready' });
})();
