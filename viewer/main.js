// Puts the parts together: buttons, keys, search, printing, light and dark.

const byId = id => document.getElementById(id);

const runs = page.runs.map(data => new Run(data, page.task));
const lists = [];
let livePanel = null;
let active = 0;  // which list the keys are about
const filter = {words: '', object: '', function: ''};

const stepPanel = new StepPanel(goTo, lookFor);
const sourcePanel = new SourcePanel(page.sources);
const statePanel = new StatePanel(lookFor, goTo);

function list() { return lists[active]; }
function goTo(row) { list().select(row); }

function selected(from) {
  active = lists.indexOf(from);
  const {run, selected: row} = from;
  lists.forEach((each, index) => each.element.classList.toggle('active', index === active && lists.length > 1));
  if (from.marked) { from.marked = run.before(row); from.draw(true); }
  const rows = from.selectedRows();
  const item = from.items[from.selectedItem];
  stepPanel.show(run, row, rows, item ? item.words : null);
  sourcePanel.show(run, row);
  statePanel.show(run, rows[rows.length - 1]);
  const number = run.number(row);
  byId('position').textContent = number ? `${unit} ${number} of ${run.data.steps}` : run.has(row, Flag.fails) ? 'the end' : `of ${run.data.steps} ${unit}s`;
  followInOther(row);
  if (livePanel) livePanel.show(run, rows);
}

// What both executions have in common is selected in both.
function followInOther(row) {
  if (lists.length < 2) return;
  const other = lists[1 - active];
  if (row <= list().run.parts) other.select(list().run.sameStep(row, other.run), {silent: true});
}

const runOf = role => runs.find(run => run.role === role);

function labelOf(run) {
  if (run.role === 'passing') return 'The nearest execution that passes';
  if (runs.length === 1) return 'The execution';
  if (run.role === 'failing') return 'The failing execution';
  const preemptions = run.data.preemptions === 1 ? '1 preemption' : `${run.data.preemptions} preemptions`;
  return `As it was found: ${run.data.steps} ${unit}s, ${preemptions}. What is said above is about the shorter execution.`;
}

function addList(run) {
  const added = new LaneList(run, labelOf(run), selected);
  added.element.id = `run${lists.length}`;
  added.onFilter = countMatches;
  lists.push(added);
  byId('runs').append(added.element);
  return added;
}

// --- Search and filter ---

function applyFilter() {
  const words = filter.words.toLowerCase();
  const only = byId('only').checked;
  for (const each of lists) {
    const {run} = each;
    const isFound = words ? row => run.searched(row).includes(words) : () => true;
    each.isFound = isFound;
    each.matches = row => (!only || isFound(row)) && (!filter.object || run.object(row) === filter.object) && (!filter.function || functionOf(run, row) === filter.function);
    each.refresh();
    each.select(each.selected, {silent: true});
  }
  if (list()) selected(list());
  countMatches();
}

function functionOf(run, row) {
  const place = run.place(row);
  return place ? place.function : '';
}

function isFiltered() { return Boolean(filter.words || filter.object || filter.function || list().hiddenLanes.size); }

function countMatches() {
  const {run, items, isFound} = list();
  if (!isFiltered()) { byId('matches').textContent = ''; return; }
  const found = items.filter(item => item.row >= 0 && isFound(item.row)).length;
  byId('matches').textContent = `${found} of ${list().isFull ? run.count : 'the'} steps shown match`.replace('of the steps shown match', found === 1 ? 'step' : 'steps');
}

function lookFor(object) {
  filter.object = object;
  byId('object').value = object;
  applyFilter();
}

function showAll() {
  Object.assign(filter, {words: '', object: '', function: ''});
  for (const id of ['search', 'object', 'function']) byId(id).value = '';
  for (const each of lists) each.showAllLanes();
  applyFilter();
}

function fillSelect(id, label, names) {
  const select = byId(id);
  select.append(new Option(label, ''));
  for (const name of [...names].sort()) select.append(new Option(name, name));
  select.hidden = names.size < 2;
  select.addEventListener('change', () => { filter[id] = select.value; applyFilter(); });
}

function fillSelects() {
  const objects = new Set();
  const functions = new Set();
  for (const run of runs) {
    for (let row = 0; row < run.count; ++row) {
      if (run.object(row) && objects.size < 3000) objects.add(run.object(row));
      if (functionOf(run, row)) functions.add(functionOf(run, row));
    }
  }
  fillSelect('object', 'every object', objects);
  fillSelect('function', 'every function', functions);
}

function nextFound(direction) { list().moveTo(direction, row => list().isFound(row)); }

// --- Short and full, compare, before ---

function showFull(full) {
  for (const each of lists) each.show(full);
  byId('short').setAttribute('aria-pressed', String(!full));
  byId('full').setAttribute('aria-pressed', String(full));
  countMatches();
}

function setCompare(on) {
  byId('compare').setAttribute('aria-pressed', String(on));
  document.body.classList.toggle('comparing', on);
  if (on) showOriginal(false);
  if (on && lists.length === 1) {
    const other = addList(runOf('passing'));
    other.isFull = lists[0].isFull;
    for (const each of lists) each.setBeside(true);
    applyFilter();
    for (const each of lists) each.scrollTo(0);
    goToParting();
  } else if (!on && lists.length === 2) {
    lists.pop().element.remove();
    active = 0;
    lists[0].setBeside(false);
    goTo(lists[0].selected);
  }
}

function canCompare() { return runOf('passing') !== undefined; }

function goToParting() { if (list().run.parts >= 0) goTo(list().run.parts); }

// The execution that the search had found, instead of the shorter one.
function showOriginal(on) {
  const wanted = runOf(on ? 'original' : 'failing');
  byId('original').setAttribute('aria-pressed', String(on));
  if (!wanted || lists[0].run === wanted) return;
  setCompare(false);
  const {isFull} = lists[0];
  lists.pop().element.remove();
  const shown = addList(wanted);
  document.body.classList.toggle('named', on);
  shown.isFull = isFull;
  applyFilter();
  shown.select(wanted.failure());
  shown.scroller.focus({preventScroll: true});
}

function isOriginal() { return lists[0].run.role === 'original'; }

function toggleBefore() {
  const {run, selected: row, marked} = list();
  list().marked = marked ? null : run.before(row);
  list().draw(true);
}

// --- Light and dark ---

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function nameTheme() { byId('theme').textContent = isDark() ? 'Light' : 'Dark'; }

function toggleTheme() {
  document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
  nameTheme();
}

// --- Printing: the rows that are shown, as a table ---

function addPrinted() {
  removePrinted();
  const table = make('table', 'printed');
  table.id = 'printed';
  const head = make('tr', '');
  for (const text of [unit, page.task, 'what happens', 'where', '']) head.append(make('th', '', text));
  table.append(make('thead', ''), make('tbody', ''));
  table.tHead.append(head);
  const {run, items} = list();
  for (const {row, words, hidden} of items) {
    const line = make('tr', row < 0 ? 'gap' : `${run.has(row, Flag.fails) ? 'fails' : ''} ${run.has(row, Flag.preempts) ? 'preempts' : ''}`);
    const place = row < 0 ? null : run.place(row);
    const cells = row < 0 ? ['', '', `${hidden} steps before`, '', '']
      : [run.number(row) || '', run.lanes[run.lane(row)] ? run.laneName(run.lane(row)) : '', words || run.what(row), place ? place.name : '', place ? place.text : ''];
    for (const cell of cells) line.append(make('td', '', cell));
    table.tBodies[0].append(line);
  }
  document.body.append(table);
}

function removePrinted() { byId('printed')?.remove(); }

// --- Keys and buttons ---

const keyActions = {
  ArrowDown: () => list().move(1), j: () => list().move(1),
  ArrowUp: () => list().move(-1), k: () => list().move(-1),
  ArrowRight: () => list().moveInLane(1), l: () => list().moveInLane(1),
  ArrowLeft: () => list().moveInLane(-1), h: () => list().moveInLane(-1),
  PageDown: () => list().page(1), PageUp: () => list().page(-1),
  Home: () => list().selectItem(0), End: () => list().selectItem(list().items.length - 1),
  n: () => list().moveToSwitch(1), p: () => list().moveToSwitch(-1),
  x: () => goTo(list().run.failure()),
  e: () => list().toggleFold(), Enter: () => list().toggleFold(),
  s: () => showFull(!list().isFull), b: toggleBefore,
  a: goToParting,
  c: () => { if (canCompare()) setCompare(lists.length === 1); },
  f: () => { if (runOf('original')) showOriginal(!isOriginal()); },
  o: () => { if (lists.length > 1) { active = 1 - active; selected(list()); list().scroller.focus(); } },
  '/': () => byId('search').focus(),
  ',': () => livePanel?.move(-1), '.': () => livePanel?.move(1), u: () => livePanel?.ask('/back', {}),
  Escape: showAll, d: toggleTheme, '?': () => byId('keys').showModal(),
};

function keyPressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId('keys').open) return;
  const {target} = event;
  if (target === byId('search')) return searchKey(event);
  if (target.matches('select, input, textarea')) return;
  const isButton = target.matches('button, summary, a');
  if (isButton && (event.key === 'Enter' || event.key === ' ')) return;
  if (target === byId('code') && /^(Arrow|Page|Home|End)/.test(event.key)) return;
  const action = keyActions[event.key] || (/^[1-9]$/.test(event.key) ? () => list().toggleLane(Number(event.key) - 1) : null);
  if (!action) return;
  event.preventDefault();
  action();
}

function searchKey(event) {
  if (event.key === 'Enter') { event.preventDefault(); nextFound(event.shiftKey ? -1 : 1); }
  if (event.key === 'Escape') { event.preventDefault(); showAll(); list().scroller.focus(); }
}

function addButtons() {
  const actions = {
    short: () => showFull(false), full: () => showFull(true), compare: keyActions.c, original: keyActions.f,
    first: keyActions.Home, last: keyActions.End, back: keyActions.k, forward: keyActions.j,
    'previous-switch': keyActions.p, 'next-switch': keyActions.n, theme: toggleTheme, help: keyActions['?'],
  };
  for (const [id, action] of Object.entries(actions)) byId(id).addEventListener('click', action);
  byId('search').addEventListener('input', () => { filter.words = byId('search').value; applyFilter(); });
  byId('only').addEventListener('change', applyFilter);
  document.addEventListener('keydown', keyPressed);
  addEventListener('beforeprint', addPrinted);
  addEventListener('afterprint', removePrinted);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', nameTheme);
}

function addLegend() {
  const used = new Set(runs.flatMap(run => run.links.map(link => link[0])));
  const legend = byId('legend');
  if (runs.some(run => run.holdings.length > 0)) legend.append(legendItem('hold', 'holds a lock'));
  linkKinds.forEach((kind, index) => {
    if (!used.has(index)) return;
    const toggle = button('', `legend-item link-${kind.name}`, () => {
      if (!hiddenLinks.delete(kind.name)) hiddenLinks.add(kind.name);
      toggle.setAttribute('aria-pressed', String(!hiddenLinks.has(kind.name)));
      for (const each of lists) each.draw(true);
    }, 'Show or hide these arrows');
    toggle.append(make('span', 'swatch', ''), kind.label);
    toggle.setAttribute('aria-pressed', String(!hiddenLinks.has(kind.name)));
    legend.append(toggle);
  });
  legend.append(legendItem('preempts', 'a preemption'), legendItem('switches', `another ${page.task} goes on`));
}

function legendItem(name, words) {
  const item = make('span', `legend-item ${name}`);
  item.append(make('span', 'swatch', ''), words);
  return item;
}

// Beside the sentence about the last moment to avoid it.
function addCompareButton() {
  byId('compare').hidden = !canCompare();
  byId('original').hidden = !runOf('original');
  if (!canCompare() || !page.avoidable) return;
  byId('why').append(button('Compare with the execution that passes', 'go', () => setCompare(true), 'Both beside each other, where they part (c)'));
}

function start() {
  showHead(page);
  fillSelects();
  addButtons();
  addLegend();
  nameTheme();
  const first = addList(runs[0]);
  addCompareButton();
  applyFilter();
  if (page.live) livePanel = new LivePanel(page.live, first);
  if (page.live) showFull(true);
  first.select(runs[0].failure());
  if (livePanel) livePanel.start();
  first.scroller.id = 'trace';
  first.scroller.focus({preventScroll: true});
  document.documentElement.dataset.ready = 'true';
}

start();
