// One execution: its rows with their texts, and what can be asked of them. No drawing.
// What rows, links and changes consist of is written by src/tool/report/html.cc.

const page = JSON.parse(document.getElementById('data').textContent);
const linkKinds = page.link_kinds;
const unit = page.unit;  // what is numbered: a step, an event
const hiddenLinks = new Set(['reads']);
const Flag = {switches: 1, preempts: 2, ends: 4, fails: 8, waits: 16};

class Run {
  constructor(data, task) {
    this.data = data;
    this.role = data.role;    // failing, passing, original
    this.parts = data.parts;  // the row from which on another execution is another one; -1: none
    this.task = task;
    this.rows = data.rows;
    this.count = data.rows.length;
    this.lanes = data.lanes.map((lane, index) => ({...lane, index}));
    this.laneAt = new Map(this.lanes.map(lane => [lane.id, lane.index]));
    this.links = data.links || [];
    this.holdings = data.holdings || [];
    this.changes = data.changes || [];
    this.entries = data.entries || [];
    this.linksOf = new Map();
    this.links.forEach((link, index) => {
      for (const end of [link[1], link[2]]) {
        if (!this.linksOf.has(end)) this.linksOf.set(end, []);
        this.linksOf.get(end).push(index);
      }
    });
    this.choices = new Map((data.choices || []).map(choice => [choice[0], choice]));
    this.findEnds();
  }

  // Of each lane its rows in order, and those that wait with the ones that go on (-1: none does).
  findEnds() {
    this.rowsOfLane = this.lanes.map(() => []);
    this.numbered = [];  // the rows with a number
    for (let row = 0; row < this.count; ++row) {
      if (this.number(row) > 0) this.numbered.push(row);
      const lane = this.lane(row);
      if (lane >= 0) this.rowsOfLane[lane].push(row);
    }
    this.waitsOfLane = this.rowsOfLane.map(rows => rows
      .map((row, index) => [row, index + 1 < rows.length ? rows[index + 1] : -1])
      .filter(([row]) => this.has(row, Flag.waits)));
  }

  text(index) { return index < 0 ? '' : this.data.texts[index]; }
  lane(row) { return this.laneAt.has(this.rows[row][0]) ? this.laneAt.get(this.rows[row][0]) : -1; }
  has(row, flag) { return (this.rows[row][1] & flag) !== 0; }
  number(row) { return this.rows[row][2]; }
  what(row) { return this.text(this.rows[row][3]); }
  object(row) { return this.text(this.rows[row][4]); }
  value(row) { return this.text(this.rows[row][5]); }

  place(row) {
    const index = this.rows[row][6];
    if (index < 0) return null;
    const [file, line, func, text, name] = this.data.places[index];
    return {file: this.text(file), line, function: this.text(func), text: this.text(text), name: this.text(name)};
  }

  laneName(lane) {
    if (lane < 0) return '';
    const {name, title} = this.lanes[lane];
    return title ? `${name} ${title}` : name;
  }

  // How many rows a lane has up to this one.
  countOfLane(lane, row) {
    const rows = this.rowsOfLane[lane];
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle] <= row) low = middle + 1; else high = middle;
    }
    return low;
  }

  // The last of them; -1: it has not begun.
  lastOfLane(lane, row) {
    const count = this.countOfLane(lane, row);
    return count === 0 ? -1 : this.rowsOfLane[lane][count - 1];
  }

  // What every entry is after this row, and at which row that changed last.
  valuesAt(row) {
    const values = new Array(this.entries.length).fill(null);
    for (const [at, entry, value] of this.changes) {
      if (at > row) break;
      values[entry] = {value: this.text(value), since: at};
    }
    return values;
  }

  // The rows that happen before this one: those of its own lane, and what links put before them.
  before(row) {
    const last = this.lanes.map(() => -1);
    const todo = [row];
    while (todo.length > 0) {
      const at = todo.pop();
      const lane = this.lane(at);
      if (lane < 0 || last[lane] >= at) continue;
      const known = last[lane];
      last[lane] = at;
      for (const each of this.rowsOfLane[lane]) {
        if (each > at) break;
        if (each <= known) continue;
        for (const index of this.linksOf.get(each) || []) {
          const [kind, from, to] = this.links[index];
          if (to === each && from >= 0 && linkKinds[kind].orders) todo.push(from);
        }
      }
    }
    return other => { const lane = this.lane(other); return lane < 0 || other <= last[lane]; };
  }

  failure() {
    for (let row = this.count; row-- > 0;) if (this.has(row, Flag.fails)) return row;
    return this.count - 1;
  }

  // The row of the same step in another execution, up to where both part. Rows without a number are
  // not the same in both.
  sameStep(row, other) {
    if (row === this.parts) return other.parts;
    let number = 0;
    for (let at = row; at >= 0 && number === 0; --at) number = this.number(at);
    const {numbered} = other;
    let low = 0;
    let high = numbered.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (other.number(numbered[middle]) <= number) low = middle + 1; else high = middle;
    }
    return low === 0 ? 0 : Math.min(numbered[low - 1], other.parts);
  }

  // Everything of a row that a search looks at.
  searched(row) {
    const place = this.place(row);
    const parts = [this.laneName(this.lane(row)), this.what(row), this.object(row), this.value(row)];
    if (place) parts.push(place.function, place.name, place.text);
    return parts.join('\n').toLowerCase();
  }
}

// Which rows a list shows, as items {row, words, rows: all that it stands for, hidden: the rows behind
// it that are left out}.
function itemsOf(run, options) {
  const items = [];
  if (options.full) {
    for (let row = 0; row < run.count; ++row) items.push({row, words: null, rows: [row], hidden: 0});
  } else {
    addShortItems(run, items);
    if (run.parts >= 0) addParting(run, items);
  }
  const chosen = options.foldsCommon ? withoutCommon(run, items) : items;
  return unfolded(run, chosen, options.unfolded).filter(item => item.row < 0 || options.shows(item.row));
}

const indexOfParting = (run, items) => items.findIndex(item => item.row >= run.parts || item.rows.includes(run.parts));

// Where executions part is never left out.
function addParting(run, items) {
  const next = indexOfParting(run, items);
  if (next >= 0 && items[next].rows.includes(run.parts)) return;
  const at = next < 0 ? items.length : next;
  const end = next < 0 ? run.count : items[next].row;
  items.splice(at, 0, {row: run.parts, words: null, rows: [run.parts], hidden: end - run.parts - 1});
  if (at > 0) items[at - 1].hidden = run.parts - Math.max(items[at - 1].row + 1, 0);
}

// Of what two executions have in common only the last ones: as many in each of them, so that they
// part beside each other.
const commonShown = 5;
function withoutCommon(run, items) {
  const first = indexOfParting(run, items) - commonShown;
  if (first <= 0 || items[first].row <= 0) return items;
  return [{row: -1, from: 0, words: null, rows: [], hidden: items[first].row}, ...items.slice(first)];
}

function addShortItems(run, items) {
  let next = 0;
  for (const [row, words, rows] of run.data.short) {
    if (row < 0) continue;
    const text = words < 0 ? null : run.text(words);
    if (items.length > 0) items[items.length - 1].hidden = row - next;
    if (items.length === 0 && row > 0) items.push({row: -1, from: 0, words: null, rows: [], hidden: row});
    items.push({row, words: text, rows, hidden: 0});
    next = row + 1;
  }
  if (items.length > 0) items[items.length - 1].hidden = run.count - next;
}

function unfolded(run, items, wanted) {
  const result = [];
  for (const item of items) {
    const key = item.row;
    const is_open = wanted.has(key) && item.hidden > 0;
    result.push({...item, rows: is_open ? [item.row] : item.rows, words: is_open ? null : item.words, isOpen: is_open});
    if (!is_open) continue;
    const first = item.row < 0 ? item.from : item.row + 1;
    for (let row = first; row < first + item.hidden; ++row) {
      result.push({row, words: null, rows: [row], hidden: 0, isInner: true});
    }
  }
  return result;
}
