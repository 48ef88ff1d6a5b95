let board, moving, opened, options, optionsOf;

// Two kinds of boards have one shape here: columns of cards, and how a card is moved.
const shapes = {
  basecamp: (b) => ({
    title: b.title, url: b.url, movable: may('update_work'),
    columns: b.columns.map((c) => ({ id: c.id, ref: ` ${c.id}`, name: c.name, count: c.cards_count, cards: (c.cards ?? []).map((one) => ({ ...b.all_cards, ...one })).map((card) => ({
      id: card.id, ref: `card:${card.id}`, title: card.title, url: card.url, due: card.due_on, people: (card.assignees ?? []).map((a) => a.name ?? a) })) })),
    move: (card, column) => call('update_work', { items: [{ item: `card:${card.id}`, column: String(column.id) }] }),
    read: () => call('get_board', input ?? { project: String(b.project.id), board: String(b.id) }),
  }),
  github: (b) => {
    const statusOf = (item) => item.fields?.find((f) => f.name === 'Status')?.value ?? 'No status';
    const names = [...new Set([...(options ?? []), ...b.items.map(statusOf)])];
    return {
      title: input?.project ?? 'Board', movable: Boolean(input) && may('github_set_field_value'), more: b.has_more,
      columns: names.map((name) => {
        const cards = b.items.filter((item) => statusOf(item) === name);
        return { id: name, ref: '', name, count: cards.length, cards: cards.map((item) => ({ id: item.id, ref: item.ref ?? item.id, title: item.title, url: item.url, about: item.ref, people: (item.assignees ?? []).map((a) => a.login ?? a) })) };
      }),
      move: (card, column) => call('github_set_field_value', { ...place(), item: card.id, field: 'Status', value: column.id === 'No status' ? null : column.id }),
      read: () => call('github_list_project_items', input),
    };
  },
};
const place = () => Object.fromEntries(['project', 'owner'].filter((k) => input?.[k]).map((k) => [k, input[k]]));
const shaped = (answer) => shapes[answer.columns ? 'basecamp' : 'github'](answer);

// due says when a card is due, in words and in colour if it is late.
const due = (day) => (day < new Date().toLocaleDateString('sv') ? make('span', { class: 'late' }, `late: ${dated(day)}`) : make('span', {}, dated(day)));
const initials = (name) => make('span', { class: 'who', role: 'img', 'aria-label': name, title: name }, name.split(/[\s-]+/).map((word) => [...word][0]).slice(0, 2).join('').toUpperCase());

function draw() {
  show(make('h1', {}, link(board.url, board.title)), make('div', { class: 'board', tabindex: 0, role: 'group', 'aria-label': 'Columns' }, ...board.columns.map((column, i) => make('section', {
    class: 'column', 'aria-labelledby': `c${i}`,
    ondragover: (e) => { if (moving) e.preventDefault(); },
    ondrop: (e) => { e.preventDefault(); if (moving) move(moving.card, moving.from, column); moving = null; },
  }, make('h2', { id: `c${i}` }, `${column.name} (${column.count})`), make('ul', {}, ...column.cards.map((card) => make('li', {
    class: 'card', draggable: board.movable ? 'true' : null, ondragstart: () => { moving = { card, from: column }; }, ondragend: () => { moving = null; draw(); },
  }, link(card.url, card.title), foot(card, column)))), rest(column.count, column.cards)))),
  board.columns.length ? null : quiet('The board is empty.'), board.more ? quiet('The board has more items than these.') : null);
}

// foot says until when a card is due and who does it, and has the button that opens its menu: the columns to which it can move.
function foot(card, from) {
  const open = board.movable && opened === card.id, toggle = () => { opened = open ? null : card.id; draw(); };
  return make('div', { onkeydown: (e) => { if (open && e.key === 'Escape') toggle(); } },
    make('div', { class: 'row quiet' }, card.due ? due(card.due) : null, card.about, ...card.people.map(initials),
      board.movable ? make('button', { id: `m${card.id}`, class: 'more', 'aria-label': `Move ${card.title}`, 'aria-expanded': String(open), onclick: toggle }, '⋯') : null),
    open ? make('div', { class: 'menu' }, ...board.columns.filter((c) => c !== from).map((to) => make('button', {
      onclick: () => { opened = null; document.getElementById(`m${card.id}`).focus(); move(card, from, to); },
    }, to.name))) : null);
}

async function read() { board = shaped(await board.read()); draw(); }

const move = (card, from, to) => to !== from && inTurn(async () => {
  say('Moving…');
  try {
    const answer = whole(await board.move(card, to));
    await read();
    done(`“${card.title}” is in ${to.name}.`, `moved ${card.ref}, ${titledBy(card.title)}, to the column${to.ref}, ${titledBy(to.name)}`, takeBack(answer, read));
  } catch (error) {
    await read().catch(() => draw());
    failed(error);
  }
});

// columnsOf reads the columns of a board of GitHub, whose answer has only those with items.
async function columnsOf(answer) {
  optionsOf = input;
  options = (await call('github_get_project', place())).fields.find((f) => f.name === 'Status')?.options?.map((o) => o.name);
  board = shaped(answer);
  draw();
}

start((answer) => {
  board = shaped(answer);
  settle(answer.columns ? 'update_work' : 'github_set_field_value');
  draw();
  if (!answer.columns && board.movable && may('github_get_project') && optionsOf !== input) columnsOf(answer).catch(failed);
});
