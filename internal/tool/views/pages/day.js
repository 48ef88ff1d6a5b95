let day;
const names = { overdue: 'Late', today: 'Today', meetings: 'Meetings', reminders: 'Reminders', waiting_for_you: 'Waiting for you',
  in_progress: 'In progress', tasks: 'Tasks', github: 'GitHub', since: 'What happened' };
const open = ['overdue', 'today', 'tasks']; // the sections whose items are open
const ticks = { todo: 'update_work', card: 'update_work', subtask: 'update_work', task: 'complete_task' };
const remedies = { NOT_LINKED: 'it can be linked on the account page', TOKEN_EXPIRED: 'sign in again on the account page', UPSTREAM_ERROR: 'ask again later' };

function line(item, section) {
  const kind = (item.ref ?? '').split(':')[0], [, date, time = ''] = (item.at ?? '').match(/^(\d{4}-\d\d-\d\d) ?(.*)/) ?? [, , item.at];
  const about = [date && dated(date), time, item.in, item.by].filter(Boolean).join(' · ');
  const words = make('span', {}, link(item.url, item.title), make('span', { class: 'quiet' }, ' ', item.due_on ? make('span', { class: section === 'overdue' ? 'late' : null }, dated(item.due_on)) : null, item.due_on && about ? ' · ' : null, about));
  if (!open.includes(section) || !may(ticks[kind])) return make('li', {}, words);
  const change = ({ currentTarget: box }) => { const to = box.checked; inTurn(() => finish(item, kind, box, to)); };
  return make('li', {}, make('label', { class: 'row' }, make('input', { type: 'checkbox', id: item.ref, onchange: change }), words));
}

function draw() {
  const seen = new Set(), gaps = day.coverage ?? [];
  const once = (items) => items.filter(({ ref }) => !seen.has(ref) && (ref == null || seen.add(ref)));
  const sections = Object.keys(names).filter((key) => day[key]?.count).map((key) => [key, once(day[key].items), day[key]]).filter(([, items]) => items.length);
  show(make('h1', {}, dated(day.date, 'long')), sections.length ? null : quiet(gaps.length || leftOut ? 'Nothing was found in what could be read.' : 'Nothing is due.'),
    ...sections.map(([key, items, all]) => make('section', {}, make('h2', {}, names[key]), make('ul', {}, ...items.map((item) => line(item, key))), rest(all.count, all.items))),
    gaps.length ? quiet('Not read: ' + gaps.map((gap) => [`${gap.source}: ${gap.reason}`, remedies[gap.error_code]].filter(Boolean).join('; ')).join(', ')) : null);
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
