let day;
const names = { overdue: 'Overdue', today: 'Today', meetings: 'Meetings', reminders: 'Reminders', waiting_for_you: 'Waiting for you',
  in_progress: 'In progress', tasks: 'Tasks', github: 'GitHub', since: 'What happened' };
const due = ['overdue', 'today', 'tasks']; // the sections whose items are open
const ticks = { todo: 'update_work', card: 'update_work', subtask: 'update_work', task: 'complete_task' };

function line(item, section) {
  const kind = (item.ref ?? '').split(':')[0];
  const about = [item.at, item.due_on, item.in, item.by].filter(Boolean).join(' · ');
  const words = make('span', {}, link(item.url, item.title), about ? make('span', { class: 'quiet' }, ` ${about}`) : null, item.says ? make('div', { class: 'quiet' }, item.says) : null);
  if (!due.includes(section) || !may(ticks[kind])) return make('li', {}, words);
  const change = ({ currentTarget: box }) => { const to = box.checked; inTurn(() => finish(item, kind, box, to)); };
  return make('li', {}, make('label', { class: 'row' }, make('input', { type: 'checkbox', id: item.ref, onchange: change }), words));
}

function draw() {
  const sections = Object.entries(names).filter(([key]) => day[key]?.count), gaps = day.coverage ?? [];
  show(make('h1', {}, day.date), sections.length ? null : quiet(gaps.length || leftOut ? 'Nothing was found in what could be read.' : 'Nothing is due.'),
    ...sections.map(([key, name]) => make('section', {}, make('h2', {}, `${name} (${day[key].count})`),
      make('ul', {}, ...day[key].items.map((item) => line(item, key))), rest(day[key].count, day[key].items))),
    ...gaps.map((gap) => quiet(`${gap.source}: ${gap.reason}`)));
}

async function finish(item, kind, box, to) {
  const id = item.ref.slice(kind.length + 1);
  const write = (completed) => (kind === 'task' ? call('complete_task', { task_id: id, completed })
    : call('update_work', { items: [{ item: item.ref, completed }] }));
  try {
    const answer = whole(await write(to)), back = kind === 'task' ? () => write(!to) : takeBack(answer, () => {});
    done(`“${item.title}” is ${to ? 'done' : 'open'}.`, `${to ? 'completed' : 'reopened'} ${item.ref}, ${titledBy(item.title)}`, back && (async () => { await back(); box.checked = !to; }));
  } catch (error) {
    box.checked = !to;
    failed(error);
  }
}

start((answer) => { day = answer; settle('update_work', 'complete_task'); draw(); });
