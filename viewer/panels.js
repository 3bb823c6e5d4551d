// What is beside the steps: the step in words, the source with where every lane is, and the state.

const mostEntries = 80;
const lineHeight = 19;

function button(text, name, action, title) {
  const element = make('button', name, text);
  element.type = 'button';
  if (title) element.title = title;
  element.addEventListener('click', action);
  return element;
}

// --- The step ---

class StepPanel {
  constructor(goTo, lookFor) {
    this.element = document.getElementById('step');
    this.goTo = goTo;
    this.lookFor = lookFor;
  }

  // `words`: of an item that stands for several rows.
  show(run, row, rows, words) {
    const lane = run.lane(row);
    const title = make('h2', '');
    title.append(make('span', `lane-name lane${lane % 8}`, run.laneName(lane)), ` ${words || run.what(row)}`);
    const where = make('p', 'faint', this.whereOf(run, row));
    this.element.replaceChildren(title, where, this.linksOf(run, rows));
  }

  whereOf(run, row) {
    const place = run.place(row);
    const number = run.number(row);
    const between = run.has(row, Flag.fails) ? 'where it fails' : `between two ${unit}s`;
    const parts = run.lane(row) < 0 ? [] : [number ? `${unit} ${number}` : between];
    if (place && place.function) parts.push(`in ${place.function}`);
    if (place && place.name) parts.push(`at ${place.name}`);
    if (page.avoidable && row === run.parts && run.role === 'failing') parts.push(page.in_every_round ? 'where every round could be the last one' : 'the last moment to avoid the failure');
    if (run.has(row, Flag.preempts)) parts.push(`a preemption: the ${run.task} before could have gone on`);
    return parts.join(', ');
  }

  linksOf(run, rows) {
    const list = make('ul', 'links');
    const object = run.object(rows[0]);
    if (object && object !== run.what(rows[0])) {
      const item = make('li', '');
      item.append(button(`show only ${object}`, 'go', () => this.lookFor(object), 'Show only the steps about this object'));
      list.append(item);
    }
    for (const row of rows) {
      for (const index of run.linksOf.get(row) || []) this.addLink(list, run, row, run.links[index]);
    }
    return list;
  }

  addLink(list, run, row, [kind, from, to]) {
    const other = to === row ? from : to;
    if (other < 0) return;
    const {name, words} = linkKinds[kind];
    const item = make('li', `link-${name}`);
    const text = `${run.lanes[run.lane(other)].name} ${run.what(other)}`;
    const number = run.number(other) ? `${unit} ${run.number(other)}` : 'there';
    item.append(make('span', 'swatch', ''), to === row ? `${words} ` : `${text} `);
    item.append(button(to === row ? `${text} (${number})` : `${words} this (${number})`, 'go', () => this.goTo(other), 'Go there'));
    list.append(item);
  }
}

// --- The source ---

const sourceFiles = new Set(page.sources.map(source => source.file));

const keywords = new Set(('alignas auto bool break case catch char class const constexpr continue default delete do ' +
  'double else enum explicit extern false final float for friend goto if inline int long mutable namespace new noexcept ' +
  'nullptr operator override private protected public return short signed sizeof static static_cast struct switch ' +
  'template this throw true try typedef typename union unsigned using virtual void volatile while').split(' '));
const tokens = /(\/\/.*$)|("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|(\b[A-Za-z_]\w*\b)|(\b\d[\w.]*)/g;

function colouredLine(text) {
  const line = make('code', 'line-text');
  let at = 0;
  for (const match of text.matchAll(tokens)) {
    const [whole, comment, string, word, number] = match;
    const name = comment ? 'comment' : string ? 'string' : number ? 'numeral' : word && keywords.has(word) ? 'keyword' : '';
    if (!name) continue;
    if (match.index > at) line.append(text.slice(at, match.index));
    line.append(make('span', name, whole));
    at = match.index + whole.length;
  }
  line.append(text.slice(at));
  return line;
}

class SourcePanel {
  constructor(sources) {
    this.sources = sources;
    this.byFile = new Map(sources.map((source, index) => [source.file, index]));
    this.panel = document.getElementById('source');
    this.code = document.getElementById('code');
    this.select = document.getElementById('file');
    this.panel.hidden = sources.length === 0;
    this.shown = -1;
    this.marks = [];
    this.top = 0;
    this.height = 250;
    this.code.addEventListener('scroll', () => { this.top = this.code.scrollTop; });
    new ResizeObserver(() => { this.height = this.code.clientHeight; }).observe(this.code);
    sources.forEach((source, index) => this.select.append(new Option(source.file, index)));
    this.select.addEventListener('change', () => { this.open(Number(this.select.value)); this.mark(); });
  }

  open(index) {
    if (this.shown === index) return;
    this.shown = index;
    this.select.value = index;
    const source = this.sources[index];
    const newer = document.getElementById('newer');
    newer.hidden = !source.newer;
    newer.textContent = 'This file was changed after the program was built: lines may be others.';
    this.lines = new Map();
    this.indexOf = new Map();
    const parts = source.parts.map(([first, lines]) => {
      const part = make('div', 'part');
      lines.forEach((text, offset) => part.append(this.makeLine(first + offset, text)));
      return part;
    });
    this.code.replaceChildren(...parts);
    this.code.scrollTop = this.top = 0;
  }

  makeLine(number, text) {
    const line = make('div', 'line');
    line.append(make('span', 'line-marks'), make('span', 'line-number', number), colouredLine(text));
    this.indexOf.set(number, this.lines.size);
    this.lines.set(number, line);
    return line;
  }

  show(run, row) {
    this.run = run;
    this.row = row;
    const place = run.place(row);
    if (place && this.byFile.has(place.file)) this.open(this.byFile.get(place.file));
    if (this.shown < 0 && this.sources.length > 0) this.open(0);
    this.mark();
    if (place && this.shown === this.byFile.get(place.file)) this.reveal(place.line);
  }

  // Where every lane is: at the line of its last step that has one.
  mark() {
    for (const line of this.marks) {
      line.className = 'line';
      line.firstChild.replaceChildren();
    }
    this.marks = [];
    if (!this.run || this.shown < 0) return;
    const {file} = this.sources[this.shown];
    const own = this.run.lane(this.row);
    for (const lane of this.run.lanes) {
      const place = placeOfLane(this.run, lane.index, this.row);
      const line = place && place.file === file ? this.lines.get(place.line) : undefined;
      if (!line) continue;
      line.classList.add(lane.index === own ? 'current' : 'other');
      const mark = make('span', `lane-name lane${lane.index % 8}`, lane.name);
      mark.title = `${this.run.laneName(lane.index)} is here`;
      line.firstChild.append(mark);
      this.marks.push(line);
    }
  }

  // By arithmetic: all lines have one height.
  reveal(number) {
    const index = this.indexOf.get(number);
    if (index === undefined) return;
    const top = index * lineHeight;
    if (top < this.top + 40 || top > this.top + this.height - 60) {
      this.top = Math.max(0, top - this.height / 2);
      this.code.scrollTop = this.top;
    }
  }
}

function placeOfLane(run, lane, row) {
  const rows = run.rowsOfLane[lane];
  for (let index = run.countOfLane(lane, row) - 1; index >= 0; --index) {
    const place = run.place(rows[index]);
    if (place && sourceFiles.has(place.file)) return place;
  }
  return null;
}

// --- The state ---

const sections = [
  ['lock', 'Locks', 'held by'], ['wait', 'Waited on', 'by'], ['queue', 'Queues', 'events'],
  ['state', 'States', 'in'], ['variable', 'Variables', 'value'],
];

class StatePanel {
  constructor(lookFor, goTo) {
    this.element = document.getElementById('state');
    this.lookFor = lookFor;
    this.goTo = goTo;
  }

  show(run, row) {
    const values = run.valuesAt(row);
    const parts = [this.lanes(run, row)];
    for (const [kind, title, words] of sections) {
      const table = this.section(run, row, values, kind, title, words);
      if (table) parts.push(table);
    }
    this.element.replaceChildren(...parts);
  }

  table(title, heads) {
    const table = make('table', '');
    table.append(make('caption', '', title));
    const head = make('tr', '');
    for (const text of heads) {
      const cell = make('th', '', text);
      cell.scope = 'col';
      head.append(cell);
    }
    table.append(make('thead', ''));
    table.tHead.append(head);
    table.append(make('tbody', ''));
    return table;
  }

  lanes(run, row) {
    const hasPlaces = run.data.places.length > 0;
    const table = this.table(`${run.task[0].toUpperCase()}${run.task.slice(1)}s`, ['', 'last step', hasPlaces ? 'at' : '']);
    table.className = 'lanes';
    for (const lane of run.lanes) {
      const last = run.lastOfLane(lane.index, row);
      const line = make('tr', last === row ? 'changed' : '');
      const name = make('th', '');
      name.scope = 'row';
      name.append(make('span', `lane-name lane${lane.index % 8}`, run.laneName(lane.index)));
      const what = make('td', '');
      if (last < 0) what.append(make('span', 'faint', 'has not begun'));
      else what.append(button(run.what(last), 'go', () => this.goTo(last), 'Go there'));
      const place = last < 0 ? null : placeOfLane(run, lane.index, row);
      line.append(name, what, make('td', 'faint', place ? place.name : ''));
      table.tBodies[0].append(line);
    }
    return table;
  }

  section(run, row, values, kind, title, words) {
    let known = [];
    run.entries.forEach(([of, name], index) => {
      if (of === kind && values[index] && (kind !== 'wait' || values[index].value)) {
        known.push({name: run.text(name), ...values[index]});
      }
    });
    if (known.length === 0) return null;
    const left = known.length - mostEntries;
    if (left > 0) known = known.sort((a, b) => b.since - a.since).slice(0, mostEntries);
    const table = this.table(title, ['', words]);
    for (const entry of known) {
      const line = make('tr', entry.since === row ? 'changed' : '');
      const name = make('th', '');
      name.scope = 'row';
      name.append(button(entry.name, 'go', () => this.lookFor(entry.name), 'Show only the steps about this'));
      line.append(name, make('td', '', entry.value || (kind === 'queue' ? 'empty' : 'nobody')));
      table.tBodies[0].append(line);
    }
    if (left > 0) {
      const line = make('tr', 'faint');
      const cell = make('td', '', `and ${left} that changed longer ago`);
      cell.colSpan = 2;
      line.append(cell);
      table.tBodies[0].append(line);
    }
    return table;
  }
}

// --- The head of the page ---

function placeText(place) {
  return [place.name, place.function ? `in ${place.function}` : ''].filter(Boolean).join(' ');
}

function showHead(page) {
  const text = (id, words) => { document.getElementById(id).textContent = words; };
  document.title = `${page.headline} - Ricercar`;
  text('kind', page.kind);
  text('headline', page.headline.startsWith(`${page.kind}: `) ? page.headline.slice(page.kind.length + 2) : page.headline);
  const again = page.replay ? ` Run it again: ${page.replay}` : '';
  text('origin', `${page.command}, ${page.origin}.${again}`);
  const warnings = [page.warning, page.debug ? '' : 'The program has no debug information: compile it with -g to see source lines.'].filter(Boolean);
  document.getElementById('warning').hidden = warnings.length === 0;
  text('warning', warnings.join(' '));
  showWhy(page.why);
  showPlaces(page);
  if (page.output) {
    const output = document.getElementById('output');
    output.hidden = false;
    output.querySelector('pre').textContent = (page.output_cut ? '...\n' : '') + page.output;
  }
}

// What stands in `backticks` is code.
function withCode(tag, text) {
  const element = make(tag, '');
  text.split(/`([^`']+)`/).forEach((part, index) => element.append(index % 2 === 1 ? make('code', '', part) : part));
  return element;
}

function showWhy(why) {
  const section = document.getElementById('why');
  section.hidden = why.sentences.length === 0;
  section.append(make('h2', '', 'Why'));
  for (const sentence of why.sentences) section.append(withCode('p', sentence));
}

function showPlaces(page) {
  const details = document.getElementById('places');
  const names = new Map(page.runs[0].lanes.map((lane, index) => [lane.id, [index, lane.title ? `${lane.name} ${lane.title}` : lane.name]]));
  details.hidden = page.places.length === 0;
  const list = make('ul', 'places');
  for (const place of page.places) {
    const [index, name] = names.get(place.lane) || [0, ''];
    const item = make('li', '');
    item.append(make('span', `lane-name lane${index % 8}`, name), ` ${place.what} `, make('span', 'place', placeText(place.place)), ' ', make('code', 'text', place.place.text));
    const inner = make('ul', '');
    for (const hold of place.holds) inner.append(make('li', '', `holds ${hold.object}, taken at ${placeText(hold.place)}`));
    if (place.knows_holds && place.holds.length === 0) inner.append(make('li', '', 'holds no lock'));
    place.stack.slice(1).forEach(call => inner.append(make('li', 'faint', `called from ${placeText(call)}`)));
    if (inner.children.length > 0) item.append(inner);
    list.append(item);
  }
  details.querySelector('div').replaceChildren(list);
}
