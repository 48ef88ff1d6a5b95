let day;
const names = { overdue: 'Overdue', today: 'Today', meetings: 'Meetings', reminders: 'Reminders', waiting_for_you: 'Waiting for you',
  in_progress: 'In progress', tasks: 'Tasks', github: 'GitHub', since: 'What happened' };
const ticked = { todo: true, card: true, step: true, task: true };

function line(item) {
  const kind = (item.ref ?? '').split(':')[0];
  const about = [item.at, item.due_on, item.in, item.by].filter(Boolean).join(' · ');
  const words = make('span', {}, link(item.url, item.title), about ? make('span', { class: 'quiet' }, ` ${about}`) : null, item.says ? make('div', { class: 'quiet' }, item.says) : null);
  if (!writes() || !ticked[kind]) return make('li', {}, words);
  return make('li', {}, make('label', { class: 'row' }, make('input', { type: 'checkbox', onchange: (e) => finish(item, kind, e.currentTarget) }), words));
}

function draw() {
  const sections = Object.entries(names).filter(([key]) => day[key]?.count);
  show(make('h1', {}, `${day.date}`), sections.length ? null : make('p', { class: 'quiet' }, 'Nothing is due.'), ...sections.map(([key, name]) => make('section', {},
    make('h2', {}, `${name} (${day[key].count})`), day[key].seen_by ? make('p', { class: 'quiet' }, `Seen by ${day[key].seen_by}`) : null, make('ul', {}, ...day[key].items.map(line)))),
  ...(day.coverage ?? []).map((gap) => make('p', { class: 'quiet' }, `${gap.source}: ${gap.reason}`)));
}

async function finish(item, kind, box) {
  const id = item.ref.slice(kind.length + 1);
  try {
    const answer = kind === 'task' ? await call('complete_task', { task_id: id }) : await call('update_work', { items: [{ item: item.ref, completed: true }] });
    const result = answer.results?.[0];
    if (result?.ok === false) throw new Error(result.error?.message ?? 'It was not completed.');
    box.disabled = true;
    const back = kind === 'task' ? () => call('reopen_task', { task_id: id }) : takeBack(answer, () => {});
    done(`“${item.title}” is done.`, back && (async () => { await back(); box.disabled = box.checked = false; }));
  } catch (error) {
    box.checked = false;
    failed(error);
  }
}

start((answer) => { day = answer; say(''); draw(); });
