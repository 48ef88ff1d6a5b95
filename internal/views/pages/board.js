let board, moving;

// Two kinds of boards have one shape here: columns of cards, and how a card is moved.
const shapes = {
  basecamp: (b) => ({
    title: b.title, url: b.url,
    columns: b.columns.map((c) => ({ id: c.id, name: c.name, count: c.cards_count, cards: (c.cards ?? []).map((card) => ({
      id: card.id, title: card.title, url: card.url, about: [card.due_on, ...(card.assignees ?? []).map((a) => a.name ?? a)] })) })),
    move: (card, column) => call('update_work', { items: [{ item: `card:${card.id}`, column: String(column.id) }] }),
    read: () => call('get_board', input),
  }),
  github: (b) => {
    const statusOf = (item) => item.fields?.find((f) => f.name === 'Status')?.value ?? 'No status';
    const names = [...new Set(b.items.map(statusOf))];
    return {
      title: input?.project ?? 'Board',
      columns: names.map((name) => {
        const cards = b.items.filter((item) => statusOf(item) === name);
        return { id: name, name, count: cards.length, cards: cards.map((item) => ({ id: item.id, title: item.title, url: item.url, about: [item.ref, ...(item.assignees ?? []).map((a) => a.login ?? a)] })) };
      }),
      move: (card, column) => call('github_set_field_value', { ...place(), item: card.id, field: 'Status', value: column.id === 'No status' ? null : column.id }),
      read: () => call('github_list_project_items', input),
    };
  },
};
const place = () => Object.fromEntries(['project', 'owner'].filter((k) => input?.[k]).map((k) => [k, input[k]]));
const shaped = (answer) => shapes[answer.columns ? 'basecamp' : 'github'](answer);

function draw() {
  const movable = writes() && input;
  show(make('h1', {}, link(board.url, board.title)), make('div', { class: 'board' }, ...board.columns.map((column, i) => make('section', {
    class: 'column', 'aria-labelledby': `c${i}`,
    ondragover: (e) => { if (moving) { e.preventDefault(); e.currentTarget.classList.add('over'); } },
    ondragleave: (e) => e.currentTarget.classList.remove('over'),
    ondrop: (e) => { e.preventDefault(); if (moving) move(moving.card, moving.from, column); moving = null; },
  }, make('h2', { id: `c${i}` }, `${column.name} (${column.count})`), make('ul', {}, ...column.cards.map((card) => make('li', {
    class: 'card', draggable: movable ? 'true' : null, ondragstart: () => { moving = { card, from: column }; }, ondragend: () => { moving = null; draw(); },
  }, link(card.url, card.title), make('div', { class: 'quiet' }, card.about.filter(Boolean).join(' · ')), movable ? make('select', {
    'aria-label': `Move ${card.title}`, onchange: (e) => move(card, column, board.columns[e.currentTarget.value]),
  }, ...board.columns.map((c, n) => make('option', { value: n, selected: c === column }, c.name))) : null)))))));
}

async function read() { board = shaped(await board.read()); draw(); }

async function move(card, from, to) {
  if (to === from) return;
  say('Moving…');
  try {
    const answer = await board.move(card, to);
    const result = answer.results?.[0];
    if (result?.ok === false) throw Object.assign(new Error(result.error?.message ?? 'The card was not moved.'), { code: result.error?.error_code });
    await read();
    done(`“${card.title}” is in ${to.name}.`, takeBack(answer, read));
  } catch (error) {
    await read().catch(() => draw());
    failed(error);
  }
}

start((answer) => { board = shaped(answer); say(''); draw(); });
