// Sorting, filtering and choosing columns of the tables in the page. The tables are complete
// without it. The state of the main table stands in the address after '#', so that a view can be
// shared: #rows?text=conv&Bound=DRAM&sort=5&down=1
'use strict';

(() => {
  const number = cell => cell.dataset.v === undefined ? NaN : Number(cell.dataset.v);
  const missing = cell => cell.dataset.v === '' || cell.textContent === '–';

  function compare(a, b) {
    const [x, y] = [number(a), number(b)];
    if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
    return a.textContent.localeCompare(b.textContent, 'en', {numeric: true});
  }

  function sort(table, column, down) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    rows.sort((r, s) => {
      const [a, b] = [r.cells[column], s.cells[column]];
      if (missing(a) !== missing(b)) return missing(a) ? 1 : -1;  // last in both directions
      return down ? compare(b, a) : compare(a, b);
    });
    body.append(...rows);
    [...table.tHead.rows[0].cells].forEach((cell, i) =>
      cell.setAttribute('aria-sort', i !== column ? 'none' : down ? 'descending' : 'ascending'));
  }

  function sortable(table, changed) {
    [...table.tHead.rows[0].cells].forEach((cell, i) => {
      cell.tabIndex = 0;
      const toggle = () => {
        const was = cell.getAttribute('aria-sort');
        // Numbers are mostly looked at from the largest.
        const down = was === 'none' || !was ? cell.classList.contains('number') : was === 'ascending';
        sort(table, i, down);
        changed({sort: i, down: down ? 1 : 0});
      };
      cell.addEventListener('click', toggle);
      cell.addEventListener('keydown', event => {
        if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); toggle(); }
      });
    });
  }

  const headers = table => [...table.tHead.rows[0].cells];
  const indexOf = (table, name) => headers(table).findIndex(cell => cell.textContent === name);

  // The main table: its filters, the sums of what they leave, its groups of columns.
  function rowsTable(table) {
    const bar = document.getElementById('rows-controls');
    const status = document.getElementById('rows-status');
    const state = new URLSearchParams((location.hash.split('?')[1] || ''));
    const rows = [...table.tBodies[0].rows];
    const text = rows.map(row => row.textContent.toLowerCase());
    const selects = new Map();

    const remember = () => history.replaceState(null, '', '#rows?' + state);
    const set = (key, value) => {
      if (value === '' || value === undefined) state.delete(key); else state.set(key, value);
    };

    function apply() {
      const wanted = (state.get('text') || '').toLowerCase();
      const sums = new Map(table.dataset.sums.split('|').map(name => [name, 0]));
      let shown = 0;
      rows.forEach((row, i) => {
        let visible = text[i].includes(wanted);
        for (const [name, select] of selects)
          if (select.value && row.cells[indexOf(table, name)].textContent !== select.value)
            visible = false;
        row.hidden = !visible;
        if (!visible) return;
        ++shown;
        for (const name of sums.keys())
          sums.set(name, sums.get(name) + (number(row.cells[indexOf(table, name)]) || 0));
      });
      const unit = name => headers(table)[indexOf(table, name)].dataset.unit;
      status.textContent = `${shown} of ${rows.length} rows` + [...sums].map(([name, sum]) =>
        `, ${name} ${Number(sum.toPrecision(4))} ${unit(name)}`).join('');
      table.dataset.shown = shown;
    }

    function control(label, node) {
      const wrap = document.createElement('label');
      wrap.append(label + ' ', node);
      bar.append(wrap);
      return node;
    }

    const search = control('Search', document.createElement('input'));
    search.type = 'search';
    search.value = state.get('text') || '';
    search.addEventListener('input', () => { set('text', search.value); remember(); apply(); });

    for (const name of table.dataset.filters.split('|')) {
      const column = indexOf(table, name);
      const select = control(name, document.createElement('select'));
      const values = [...new Set(rows.map(row => row.cells[column].textContent))].sort();
      select.add(new Option('all', ''));
      for (const value of values) if (value) select.add(new Option(value, value));
      select.value = values.includes(state.get(name)) ? state.get(name) : '';
      select.addEventListener('change', () => { set(name, select.value); remember(); apply(); });
      selects.set(name, select);
    }

    for (const group of table.dataset.hidden.split('|')) table.classList.add('without-' + group);
    const groups = [...new Set(headers(table).map(cell => cell.dataset.group).filter(Boolean))];
    for (const group of groups) {
      const box = control('', document.createElement('input'));
      box.type = 'checkbox';
      box.parentNode.append(' ' + group);
      box.checked = !table.classList.contains('without-' + group);
      box.addEventListener('change', () =>
        table.classList.toggle('without-' + group, !box.checked));
    }

    sortable(table, change => {
      for (const [key, value] of Object.entries(change)) set(key, String(value));
      remember();
    });
    if (state.has('sort')) sort(table, Number(state.get('sort')), state.get('down') === '1');
    apply();

    // A click on a dot shows its row, whatever the filters hide.
    document.addEventListener('ridge-row', event => {
      const row = document.getElementById('row-' + event.detail);
      if (!row) return;
      row.hidden = false;
      table.querySelectorAll('tr.found').forEach(r => r.classList.remove('found'));
      row.classList.add('found');
      row.scrollIntoView({block: 'center'});
    });
  }

  for (const table of document.querySelectorAll('table.sortable')) {
    if (table.id === 'rows-table') rowsTable(table); else sortable(table, () => {});
  }
})();
