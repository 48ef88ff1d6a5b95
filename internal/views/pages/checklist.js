let list;
const marks = { pending: 'to do', in_progress: 'in progress', completed: 'done' };

function draw() {
  titled(list.todos.length === 0 ? quiet('The list is empty.') : make('ul', {}, ...list.todos.map((todo, i) => {
    const text = make('span', { class: todo.status === 'completed' ? 'done' : null }, todo.status === 'in_progress' ? todo.activeForm : todo.content);
    const said = make('span', { class: 'quiet' }, marks[todo.status] ?? todo.status);
    if (!may('todolist__set')) return make('li', { class: 'row' }, text, said);
    const box = make('input', { type: 'checkbox', id: `t${i}`, checked: todo.status === 'completed', onchange: () => inTurn(() => tick(i, todo.content)) });
    return make('li', {}, make('label', { class: 'row' }, box, text, todo.status === 'in_progress' ? said : null));
  })));
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
  await save(before.map((todo, n) => (n === i ? { ...todo, status } : todo)));
  done(`“${was.content}” is ${marks[status]}.`, `set item ${i + 1} of the checklist to ${status}, ${titledBy(was.content)}`, () => save(before));
}

start((answer) => {
  const todos = answer.todos ?? input?.todos;
  list = { ...answer, todos: todos ?? [] };
  settle('todolist__set');
  if (todos || !may('todolist__get')) draw(); else read().catch(failed); // the answer to todolist__set has no items
});
