/** Starts the page; `data-source` of its body names the source of the data. */

import { render } from 'preact';
import { App, applyTheme } from './app';
import { startEditor } from './editor';
import { Embedded, Served } from './source';

const place = document.getElementById('page');
if (place) {
  place.textContent = '';
  const { source, kept } = document.body.dataset;
  if (source === 'editor') {
    startEditor(place, kept ?? '{}');
  } else {
    applyTheme();
    render(<App host={{ source: source === 'served' ? new Served() : new Embedded() }} />, place);
  }
}
