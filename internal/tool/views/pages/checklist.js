let list, ticked = new Set(); // items that were ticked here stay in their place
const marks = { pending: 'to do', in_progress: 'in progress', completed: 'done' };

function draw() {
  const row = (todo, i) => {
    const text = make('span', { class: todo.status === 'completed' ? 'done' : null }, todo.status === 'in_progress' ? todo.activeForm : todo.content);
    const said = todo.status === 'in_progress' ? make('span', { class: 'badge' }, marks.in_progress) : null;
    if (!may('todolist__set')) return make('li', { class: 'row' }, text, said);
    const box = make('input', { type: 'checkbox', id: `t${i}`, checked: todo.status === 'completed', onchange: () => inTurn(() => tick(i, todo.content)) });
    return make('li', {}, make('label', { class: 'row' }, box, text, said));
  };
  const all = list.todos.length, is = (todo) => todo.status === 'completed';
  const rows = (done) => list.todos.map((todo, i) => ((is(todo) && !ticked.has(i)) === done ? row(todo, i) : null)).filter(Boolean);
  const finished = rows(true), count = list.todos.filter(is).length, unfolded = document.querySelector('details')?.open;
  if (!all) return titled(quiet('The list is empty.'));
  titled(make('div', { class: 'row quiet' }, make('progress', { max: all, value: count, 'aria-label': 'Done' }), `${count} of ${all} done`), make('ul', {}, ...rows(false)),
    finished.length ? make('details', { open: unfolded }, make('summary', {}, `Done (${finished.length})`), make('ul', {}, ...finished)) : null);
}

async function read() {
  list = await call('todolist__get', list.list_id ? { list_id: list.list_id } : {});
  draw();
}

async function save(todos) {
  const args = { todos, if_revision: list.revision };
  if (list.list_id) args.list_id = list.list_id;
  try {
    list = { ...(await call('todolist__set', args)), todos };
  } catch (error) {
    if (error.code !== 'CONFLICT') { draw(); throw error; }
    await read();
    throw new Error('The list was changed meanwhile; this is how it is now.');
  }
  draw();
}

async function tick(i, content) {
  const before = list.todos, was = before[i];
  if (was?.content !== content) return draw();
  const status = was.status === 'completed' ? 'pending' : 'completed';
  ticked.add(i);
  await save(before.map((todo, n) => (n === i ? { ...todo, status } : todo)));
  done(`“${was.content}” is ${marks[status]}.`, `set item ${i + 1} of the checklist to ${status}, ${titledBy(was.content)}`, () => save(before));
}

start((answer) => {
  const todos = answer.todos ?? input?.todos;
  list = { ...answer, todos: todos ?? [] };
  ticked = new Set();
  settle('todolist__set');
  if (todos || !may('todolist__get')) draw(); else read().catch(failed); // the answer to todolist__set has no items
});
