// The list of steps with one track for each lane: only the rows that can be seen exist as elements.

const rowHeight = 24;
const headHeight = 44;
const svgNamespace = 'http://www.w3.org/2000/svg';

function make(tag, name, text) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined && text !== null) element.textContent = text;
  return element;
}

function shape(tag, attributes) {
  const element = document.createElementNS(svgNamespace, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function titled(element, text) {
  const title = shape('title', {});
  title.textContent = text;
  element.append(title);
  return element;
}

class LaneList {
  // `changed(list)` is called when another row is selected here.
  constructor(run, label, changed) {
    this.run = run;
    this.changed = changed;
    this.selected = 0;
    this.unfolded = new Set();
    this.hiddenLanes = new Set();
    this.isFull = false;
    this.matches = () => true;
    this.marked = null;  // a function: which rows stand out
    this.isBeside = false;  // another execution, to compare with
    this.onFilter = () => {};
    this.build(label);
    this.refresh();
  }

  build(label) {
    this.element = make('section', this.run.data.places.length > 0 ? 'run' : 'run placeless');
    this.element.append(make('h2', 'run-name', label));
    this.scroller = make('div', 'scroller');
    this.scroller.tabIndex = 0;
    this.scroller.setAttribute('role', 'listbox');
    this.scroller.setAttribute('aria-label', `${label}: steps`);
    this.element.append(this.scroller);
    this.scroller.append(this.makeHead());
    this.layOut();
    this.space = make('div', 'space');
    this.graph = shape('svg', {class: 'graph', 'aria-hidden': 'true'});
    this.space.append(this.graph);
    this.scroller.append(this.space);
    // To ask the page for these again and again would make it compute its layout each time.
    this.top = 0;
    this.height = 600;
    this.scroller.addEventListener('scroll', () => { this.top = this.scroller.scrollTop; this.drawSoon(); });
    this.space.addEventListener('click', event => this.clicked(event));
    new ResizeObserver(() => this.resized()).observe(this.scroller);
  }

  makeHead() {
    this.head = make('div', 'lane-heads');
    this.head.setAttribute('role', 'presentation');
    for (const lane of this.run.lanes) {
      const button = make('button', `lane-head lane${lane.index % 8}`);
      button.type = 'button';
      button.append(this.makeLaneName(lane));
      if (lane.title) button.append(make('span', '', lane.title));
      button.title = `${this.run.laneName(lane.index)}${lane.created ? `, created at ${lane.created}` : ''}: show or hide`;
      button.setAttribute('aria-pressed', 'true');
      button.setAttribute('aria-label', `Show ${this.run.laneName(lane.index)}`);
      button.addEventListener('click', () => this.toggleLane(lane.index));
      this.head.append(button);
    }
    return this.head;
  }

  // May be broken before its number if there is no title to have the second line.
  makeLaneName(lane) {
    if (lane.title) return make('b', '', lane.name);
    const name = make('b', 'breaks', '');
    lane.name.split(/(?=#)/).forEach((part, index) => name.append(...(index > 0 ? [make('wbr', '')] : []), part));
    return name;
  }

  layOut() {
    const count = Math.max(1, this.run.lanes.length);
    const [least, most, all] = this.isBeside ? [20, 54, 150] : [34, 92, 400];
    this.trackWidth = Math.max(least, Math.min(most, Math.floor(all / count)));
    this.graphWidth = count * this.trackWidth + 8;
    this.element.style.setProperty('--graph', `${this.graphWidth}px`);
    [...this.head.children].forEach((button, index) => {
      button.style.left = `${56 + index * this.trackWidth}px`;
      button.style.width = `${this.trackWidth - 2}px`;
    });
  }

  // What could be seen of the selected row before can be seen after it.
  resized() {
    const top = this.selectedItem * rowHeight;
    const wasShown = top >= this.top && top < this.top + this.height;
    this.height = this.scroller.clientHeight;
    if (wasShown) this.reveal(this.selectedItem);
    this.drawSoon();
  }

  setBeside(on) {
    this.isBeside = on;
    this.layOut();
    this.refresh();
  }

  toggleLane(index) {
    if (index >= this.run.lanes.length) return;
    if (!this.hiddenLanes.delete(index)) this.hiddenLanes.add(index);
    this.refresh();
    this.onFilter();
  }

  showAllLanes() {
    this.hiddenLanes.clear();
    this.refresh();
  }

  // Everything anew: what is shown has changed.
  refresh() {
    [...this.head.children].forEach((button, index) =>
      button.setAttribute('aria-pressed', String(!this.hiddenLanes.has(index))));
    const shows = row => !this.hiddenLanes.has(this.run.lane(row)) && this.matches(row);
    this.items = itemsOf(this.run, {full: this.isFull, unfolded: this.unfolded, foldsCommon: this.isBeside && this.run.parts >= 0, shows});
    this.itemOfRow = new Map();
    this.items.forEach((item, index) => { for (const row of item.rows) if (row >= 0) this.itemOfRow.set(row, index); });
    this.space.style.height = `${this.items.length * rowHeight + 8}px`;
    this.findHoldSlots();
    this.top = Math.min(this.top, this.lowestTop());
    this.drawn = '';
    this.draw();
  }

  // Locks that a lane holds at the same time are beside each other.
  findHoldSlots() {
    const open = this.run.lanes.map(() => []);
    this.slots = this.run.holdings.map(([laneId, , , from, to]) => {
      const lane = this.run.laneAt.get(laneId);
      if (lane === undefined) return 0;
      const ends = open[lane];
      let slot = ends.findIndex(end => end <= from);
      if (slot < 0) slot = ends.length;
      ends[slot] = to;
      return slot;
    });
  }

  // Between two items, as hidden rows are: the place of the next row that is shown.
  itemAt(row) {
    const exact = this.itemOfRow.get(row);
    if (exact !== undefined) return exact;
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.items[middle].row < row) low = middle + 1; else high = middle;
    }
    return low - 0.5;
  }

  y(row) { return this.itemAt(row) * rowHeight + rowHeight / 2; }
  x(lane) { return 56 + lane * this.trackWidth + this.trackWidth / 2; }

  select(row, options = {}) {
    if (this.items.length === 0) return;
    const exact = this.itemOfRow.get(row);
    const index = exact !== undefined ? exact : Math.min(this.items.length - 1, Math.max(0, Math.ceil(this.itemAt(row))));
    this.selectItem(index, options);
  }

  selectItem(index, options = {}) {
    if (this.items.length === 0) return;
    index = Math.max(0, Math.min(this.items.length - 1, index));
    this.selectedItem = index;
    this.selected = Math.max(0, this.items[index].row);
    if (!options.stay) this.reveal(index);
    this.draw(true);
    if (!options.silent) this.changed(this);
  }

  // All rows of the selected item.
  selectedRows() {
    const item = this.items[this.selectedItem];
    return item && item.rows.length > 0 ? item.rows : [this.selected];
  }

  selectedIndex() {
    const item = this.items[this.selectedItem];
    if (item && (item.row === this.selected || item.row < 0)) return this.selectedItem;
    return Math.max(0, Math.min(this.items.length - 1, Math.ceil(this.itemAt(this.selected))));
  }

  reveal(index) {
    const top = index * rowHeight;
    const height = this.height - headHeight;
    const margin = Math.min(3 * rowHeight, height / 4);
    if (top - margin < this.top) this.scrollTo(Math.max(0, top - margin));
    if (top + rowHeight + margin > this.top + height) this.scrollTo(top + rowHeight + margin - height);
  }

  scrollTo(top) {
    this.top = Math.min(top, this.lowestTop());
    this.scroller.scrollTop = this.top;
  }

  lowestTop() { return Math.max(0, this.items.length * rowHeight + 8 + headHeight - this.height); }

  move(by) { this.selectItem(this.selectedIndex() + by); }
  page(by) { this.move(by * Math.max(1, Math.floor((this.height - headHeight) / rowHeight) - 2)); }

  // On to the next item for which that is true.
  moveTo(direction, isWanted) {
    for (let index = this.selectedIndex() + direction; index >= 0 && index < this.items.length; index += direction) {
      if (this.items[index].row >= 0 && isWanted(this.items[index].row, index)) return this.selectItem(index);
    }
    return undefined;
  }

  // To where another lane goes on, as the list shows it.
  moveToSwitch(direction) {
    const lane = index => (index < 0 || this.items[index].row < 0 ? -1 : this.run.lane(this.items[index].row));
    this.moveTo(direction, (row, index) => index > 0 && lane(index) !== lane(index - 1));
  }

  moveInLane(direction) {
    const own = this.run.lane(this.selected);
    this.moveTo(direction, row => this.run.lane(row) === own);
  }

  toggleFold(index = this.selectedIndex()) {
    const item = this.items[index];
    if (!item || item.hidden === 0) return;
    if (!this.unfolded.delete(item.row)) this.unfolded.add(item.row);
    const row = item.row;
    this.refresh();
    if (row >= 0) this.select(row);
  }

  show(full) {
    this.isFull = full;
    this.refresh();
    this.select(this.selected);
  }

  clicked(event) {
    const element = event.target.closest('[data-item]');
    if (!element) return;
    const index = Number(element.dataset.item);
    if (event.target.closest('.fold')) this.toggleFold(index); else this.selectItem(index, {stay: true});
  }

  drawSoon() {
    if (this.isScheduled) return;
    this.isScheduled = true;
    requestAnimationFrame(() => { this.isScheduled = false; this.draw(); });
  }

  draw(force) {
    const first = Math.max(0, Math.floor((this.top - headHeight) / rowHeight) - 4);
    const last = Math.min(this.items.length, first + Math.ceil(this.height / rowHeight) + 8);
    const drawn = `${first} ${last}`;
    if (!force && drawn === this.drawn) return;
    this.drawn = drawn;
    const rows = [];
    for (let index = first; index < last; ++index) rows.push(this.makeRow(index));
    this.space.replaceChildren(this.graph, ...rows);
    this.drawGraph(first, last);
    const active = this.items[this.selectedItem] ? this.idOf(this.selectedItem) : '';
    this.scroller.setAttribute('aria-activedescendant', active);
  }

  idOf(index) { return `${this.element.id || 'run'}-item-${index}`; }

  makeRow(index) {
    const item = this.items[index];
    if (item.row < 0) return this.makeFoldRow(index, item);
    const {run} = this;
    const row = item.row;
    const lane = run.lane(row);
    const element = make('div', this.classOf(index, item, lane));
    this.prepare(element, index);
    element.append(make('span', 'number', run.number(row) || ''));
    const words = make('span', 'words');
    words.append(make('span', `lane-name lane${lane % 8}`, lane < 0 ? '' : run.lanes[lane].name));
    words.append(this.makeWhat(item));
    const place = run.place(row);
    const where = make('span', 'where');
    if (place) where.append(make('span', 'place', place.name || place.function), make('code', 'text', place.text));
    words.append(where);
    element.append(words);
    element.setAttribute('aria-label', this.labelOf(item, place));
    return element;
  }

  makeWhat(item) {
    const cell = make('span', 'what-cell');
    cell.append(make('span', 'what', item.words || this.run.what(item.row)));
    if (item.hidden > 0) cell.append(this.makeFold(item));
    if (this.partsAt(item)) cell.append(this.makeParting());
    const choice = this.run.choices.get(item.row);
    if (choice) cell.append(make('span', 'choice-mark', `${choice[3].length} options`));
    return cell;
  }

  partsAt(item) { return this.run.parts >= 0 && item.rows.includes(this.run.parts) && (this.isBeside || page.avoidable); }

  partingWords() {
    if (this.run.role === 'passing') return 'instead';
    if (page.in_every_round) return 'a chance';
    return page.avoidable ? 'last chance' : 'they part here';
  }

  makeParting() {
    const mark = make('span', 'choice-mark', this.partingWords());
    const failing = page.in_every_round ? 'Every round could be the last one here' : 'The last moment to avoid the failure';
    mark.title = this.run.role === 'passing' ? 'From here on this execution is another one' : failing;
    return mark;
  }

  prepare(element, index) {
    element.style.top = `${index * rowHeight}px`;
    element.dataset.item = index;
    element.id = this.idOf(index);
    element.setAttribute('role', 'option');
    element.setAttribute('aria-selected', String(index === this.selectedItem));
    element.setAttribute('aria-posinset', index + 1);
    element.setAttribute('aria-setsize', this.items.length);
  }

  makeFold(item) {
    const fold = make('button', 'fold', item.isOpen ? 'fold' : `+${item.hidden}`);
    fold.type = 'button';
    fold.tabIndex = -1;
    fold.title = item.isOpen ? 'Leave them out again (e)' : `Show ${item.hidden} more (e)`;
    fold.setAttribute('aria-expanded', String(Boolean(item.isOpen)));
    return fold;
  }

  makeFoldRow(index, item) {
    const element = make('div', `row gap${index === this.selectedItem ? ' selected' : ''}`);
    this.prepare(element, index);
    const words = make('span', 'words');
    const cell = make('span', 'what-cell');
    const isCommon = this.isBeside && item.hidden <= this.run.parts;
    cell.append(make('span', 'what', isCommon ? 'the same in both' : `${item.hidden} before`), this.makeFold(item));
    words.append(make('span', ''), cell);
    element.append(make('span', 'number', ''), words);
    return element;
  }

  classOf(index, item, lane) {
    const {run} = this;
    const previous = index > 0 && this.items[index - 1].row >= 0 ? run.lane(this.items[index - 1].row) : lane;
    let name = 'row';
    if (index === this.selectedItem) name += ' selected';
    if (previous !== lane) name += ' switches';
    if (run.has(item.row, Flag.preempts)) name += ' preempts';
    if (run.has(item.row, Flag.fails)) name += ' fails';
    if (item.isInner) name += ' inner';
    if (this.marked && !this.marked(item.row)) name += ' dim';
    if (this.partsAt(item)) name += ' parts';
    return name;
  }

  labelOf(item, place) {
    const {run} = this;
    const number = run.number(item.row);
    return [
      number ? `${unit} ${number}` : '', run.laneName(run.lane(item.row)), item.words || run.what(item.row),
      place && place.name ? `at ${place.name}` : '', run.has(item.row, Flag.preempts) ? 'a preemption' : '',
      this.partsAt(item) ? this.partingWords() : '', run.has(item.row, Flag.fails) ? 'here it fails' : '',
    ].filter(Boolean).join(', ');
  }

  // --- The tracks ---

  drawGraph(first, last) {
    const top = first * rowHeight;
    const bottom = Math.max(top + 1, last * rowHeight);
    this.graph.setAttribute('width', this.graphWidth + 60);
    this.graph.setAttribute('height', bottom - top);
    this.graph.setAttribute('viewBox', `0 ${top} ${this.graphWidth + 60} ${bottom - top}`);
    this.graph.style.top = `${top}px`;
    const shapes = [];
    for (const lane of this.run.lanes) this.addTrack(shapes, lane.index, top, bottom);
    const low = first === 0 ? 0 : this.items[first].row;
    const high = last < this.items.length ? this.items[last].row : this.run.count;
    this.addHoldings(shapes, top, bottom, low, high);
    this.addLinks(shapes, top, bottom, low, high);
    for (let index = first; index < last; ++index) this.addDot(shapes, index);
    this.graph.replaceChildren(...shapes);
  }

  addTrack(shapes, lane, top, bottom) {
    const rows = this.run.rowsOfLane[lane];
    if (rows.length === 0 || this.hiddenLanes.has(lane)) return;
    const begin = this.y(rows[0]);
    const hasEnded = this.run.has(rows[rows.length - 1], Flag.ends);
    const end = hasEnded ? this.y(rows[rows.length - 1]) : this.items.length * rowHeight;
    if (begin > bottom || end < top) return;
    const x = this.x(lane);
    shapes.push(shape('line', {class: `track lane${lane % 8}`, x1: x, x2: x, y1: Math.max(top, begin), y2: Math.min(bottom, end)}));
    for (const [row, next] of this.run.waitsOfLane[lane]) {
      const from = this.y(row);
      const to = next < 0 ? end : this.y(next);
      if (from > bottom || to < top || from === to) continue;
      shapes.push(titled(shape('line', {class: 'waits', x1: x, x2: x, y1: from, y2: to}), 'waits'));
    }
  }

  addHoldings(shapes, top, bottom, low, high) {
    this.run.holdings.forEach(([laneId, object, shared, from, to], index) => {
      if (to < low || from > high) return;
      const lane = this.run.laneAt.get(laneId);
      if (lane === undefined || this.hiddenLanes.has(lane)) return;
      const y1 = this.y(Math.max(0, from));
      const y2 = to >= this.run.count ? this.items.length * rowHeight : this.y(to);
      if (y1 > bottom || y2 < top || y1 === y2) return;  // all of it may be left out
      const x = this.x(lane) + 7 + 6 * Math.min(this.slots[index], 4);
      const bar = shape('rect', {class: `hold hold${object % 6}${shared ? ' shared' : ''}`, x, y: y1, width: 4, height: Math.max(3, y2 - y1), rx: 2});
      shapes.push(titled(bar, `${this.run.lanes[lane].name} holds ${this.run.text(object)}${shared ? ' for reading' : ''}`));
    });
  }

  addLinks(shapes, top, bottom, low, high) {
    const own = new Set(this.selectedRows());
    this.run.links.forEach(([kind, from, to]) => {
      if (to < low || from > high) return;
      const isOwn = own.has(from) || own.has(to);
      const y1 = this.y(Math.max(0, from));
      const y2 = this.y(to);
      if (y1 > bottom || y2 < top || y1 === y2) return;
      const laneFrom = from < 0 ? -1 : this.run.lane(from);
      const laneTo = this.run.lane(to);
      if (laneFrom < 0 || laneTo < 0 || this.hiddenLanes.has(laneFrom) || this.hiddenLanes.has(laneTo)) return;
      const {name} = linkKinds[kind];
      if (hiddenLinks.has(name) && !isOwn) return;
      shapes.push(this.makeLink(name, isOwn, this.x(laneFrom), y1, this.x(laneTo), y2));
      shapes.push(this.makeTip(name, isOwn, this.x(laneFrom), this.x(laneTo), y2));
    });
  }

  makeLink(name, isOwn, x1, y1, x2, y2) {
    const bend = Math.min(60, (y2 - y1) * 0.6);
    const d = `M${x1},${y1} C${x1},${y1 + bend} ${x2 + (x1 < x2 ? -14 : 14)},${y2 - bend * 0.4} ${x2},${y2}`;
    return shape('path', {class: `link link-${name}${isOwn ? ' own' : ''}`, d});
  }

  makeTip(name, isOwn, x1, x2, y2) {
    const side = x1 < x2 ? -1 : 1;
    const tip = x2 + side * 5;
    const points = `${tip},${y2 - 1} ${tip + side * 7},${y2 - 6} ${tip + side * 6},${y2 + 2}`;
    return shape('polygon', {class: `tip link-${name}${isOwn ? ' own' : ''}`, points});
  }

  addDot(shapes, index) {
    const {row} = this.items[index];
    if (row < 0) return;
    const lane = this.run.lane(row);
    if (lane < 0) return;
    const y = index * rowHeight + rowHeight / 2;
    const x = this.x(lane);
    if (this.run.has(row, Flag.fails)) {
      shapes.push(shape('path', {class: 'cross', d: `M${x - 5},${y - 5} l10,10 m0,-10 l-10,10`}));
      return;
    }
    const isSelected = index === this.selectedItem;
    shapes.push(shape('circle', {class: `dot lane${lane % 8}`, cx: x, cy: y, r: isSelected ? 6 : 4}));
  }
}
