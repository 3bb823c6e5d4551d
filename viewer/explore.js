// The live page of `ricercar explore`: what can be decided at the selected step. After a change the
// server runs the program once more, and the page is loaded again.

class LivePanel {
  constructor(live, list) {
    this.live = live;
    this.list = list;
    this.element = document.getElementById('live');
    this.element.hidden = false;
    this.question = make('div', 'options');
    this.said = make('span', 'faint');
    this.said.setAttribute('role', 'status');
    this.element.append(this.question, this.makeActions());
  }

  makeActions() {
    const actions = make('div', 'options');
    const back = button('Back', '', () => this.ask('/back', {}), 'Undo the last change (u)');
    back.disabled = !this.live.can_go_back;
    const strategy = make('select', '');
    strategy.setAttribute('aria-label', 'Strategy');
    for (const name of this.live.strategies) strategy.append(new Option(name, name));
    actions.append(
      button('Previous choice', '', () => this.move(-1), 'To the choice point before (,)'),
      button('Next choice', '', () => this.move(1), 'To the next choice point (.)'), back,
      button('Search from here', '', () => this.search(strategy.value), 'A strategy decides all that comes from this choice on'),
      strategy, button('Save', '', () => this.ask('/save', {}), 'Write the schedule of this execution'), this.said);
    return actions;
  }

  // The choice of one of the rows, or nothing.
  choiceAt(run, rows) {
    const row = rows.find(each => run.choices.has(each));
    return row === undefined ? null : run.choices.get(row);
  }

  show(run, rows) {
    this.run = run;
    const choice = this.choiceAt(run, rows);
    if (!choice) {
      this.question.replaceChildren(make('span', 'faint', 'Nothing can be decided at this step.'));
      return;
    }
    const [, number, chosen, options] = choice;
    const buttons = options.map(([lane, words], index) => {
      const laneIndex = run.laneAt.get(lane);
      const name = laneIndex === undefined ? '' : run.laneName(laneIndex);
      const option = button(`${name} ${run.text(words)}`, '', () => this.ask('/decide', {number, option: index}));
      option.setAttribute('aria-pressed', String(index === chosen));
      option.dataset.option = index;
      return option;
    });
    const whose = number < this.live.decided ? 'yours' : 'the default';
    this.question.replaceChildren(make('b', '', `Decision ${number + 1} of ${run.choices.size} (${whose}):`), ...buttons);
  }

  move(direction) { this.list.moveTo(direction, row => this.run.choices.has(row)); }

  search(strategy) {
    const rows = this.list.selectedRows();
    const choice = this.choiceAt(this.run, rows);
    const after = [...this.run.choices.values()].filter(each => each[0] < rows[0]).length;
    this.ask('/search', {number: choice ? choice[1] : after, strategy});
  }

  async ask(path, what) {
    this.said.textContent = path === '/search' ? 'searching ...' : 'running ...';
    try {
      const answer = await fetch(path, {method: 'POST', headers: {'X-Ricercar-Token': this.live.token}, body: JSON.stringify(what)});
      if (!answer.ok) throw new Error(await answer.text());
      const {is_changed: isChanged, said} = await answer.json();
      if (said) sessionStorage.setItem('said', said);
      if (isChanged) location.reload(); else this.said.textContent = said || '';
    } catch (error) {
      this.said.textContent = error.message;
    }
  }

  // Where the last change was made.
  start() {
    this.said.textContent = sessionStorage.getItem('said') || '';
    sessionStorage.removeItem('said');
    const choice = [...this.list.run.choices.values()].find(each => each[1] === this.live.changed);
    if (choice) this.list.select(choice[0]);
  }
}
