import type { SessionWork, WorkGoal, WorkItem, WorkList, WorkListTask, WorkLoop, WorkMarker, WorkNote, WorkPlan, WorkSession, WorkTeam } from '@shared/model';
import { familyCode } from '../../library/codes';
import type { Db } from '../../library/database';
import { OverlayRows } from '../../library/overlay-rows';
import type { BoulderWork } from '../../stores/omo/boulder';
import type { ListedTask } from '../../stores/omo/team';
import { layoutOf } from '../../stores/omo/places';
import { boxesOf } from '../../stores/omo/plan';
import { findSession, isoTime, type SummaryRow } from '../session-summary';
import { judgeLoop, judgeMarker, judgeTeam } from './judgement';
import { type Known, type OverlayFiles, overlayFiles } from './overlay-files';
import { liveLayout, type MadeItem, notesPlan, taskOf, workItems } from './work-items';
import { refOf, WorkSessions } from './work-sessions';

/** Goals, loops, teams, tasks and damaged places that are told; plans are told by windows. */
const listed = 100;
/** Boxes of a plan that are told. */
const listedBoxes = 1_000;
/** Characters of a notepad that are told, and notepads of one plan. */
const noteCharacters = 20_000;
const listedNotes = 40;
/** Sessions of a project, newest first, that are looked through for who wrote a plan. */
const planners = 200;

/** What is known of the notes of a folder: whether their layout is the one in use, and the items of their plans by name. */
interface NotesHere {
  copy: WorkItem['copy'];
  items: ReadonlyMap<string, string>;
}

/** Answers what overlays hold: plans and works over all projects, one plan, one session. */
export class Work {
  #kept: { version: number; files: OverlayFiles; notes: Map<string, NotesHere> } | null = null;

  constructor(
    readonly db: Db,
    readonly now: () => number,
  ) {}

  list({ project, from, count }: { project?: string | undefined; from: number; count: number }): WorkList {
    const files = this.#files();
    const sessions = new WorkSessions(this.db);
    const all = workItems(files, sessions, this.now()).map(({ item }) => item);
    const items = project === undefined ? all : all.filter((item) => (item.project?.key ?? item.folder) === project);
    const inProject = (folder: string) => project === undefined || (sessions.projectOf(folder)?.key ?? folder) === project;
    const projects = new Map<string, WorkList['projects'][number]>();
    for (const item of all) {
      const key = item.project?.key ?? item.folder;
      const known = projects.get(key) ?? { key, name: item.project?.name ?? item.folder, folder: item.folder, items: 0 };
      projects.set(key, { ...known, items: known.items + 1 });
    }
    return {
      total: items.length, items: items.slice(from, from + count), projects: [...projects.values()].sort((a, b) => a.name.localeCompare(b.name)),
      goals: files.goals.filter(({ row }) => inProject(row.folder)).slice(0, listed).map((goal) => this.#goal(goal, sessions)),
      loops: files.loops.filter(({ row }) => inProject(row.folder)).slice(0, listed).map((loop) => this.#loop(loop, sessions)),
      // Teams and task lists lie in the home and belong to no one project.
      teams: project === undefined ? files.teams.slice(0, listed).map((team) => this.#team(team, sessions)) : [],
      tasks: project === undefined ? files.tasks.slice(0, listed).map((task) => listTask(task, sessions)) : [],
      damage: files.damage.slice(0, listed), damageTotal: files.damage.length,
    };
  }

  plan({ item: id }: { item: string }): WorkPlan | null {
    const sessions = new WorkSessions(this.db);
    const made = workItems(this.#files(), sessions, this.now()).find(({ item }) => item.id === id);
    if (!made) return null;
    const boxes = made.plan ? boxesOf(made.plan.value, made.rule) : [];
    return { item: made.item, boxes: boxes.slice(0, listedBoxes), boxesTotal: boxes.length, notes: this.#notes(made), planners: this.#planners(made, sessions) };
  }

  /** `folder` is that of sessions, with `/`. Names and ids are those of the files, and stay as long as these do. */
  notesIn(folder: string, layout: WorkItem['layout']): NotesHere {
    const kept = this.#keep();
    const key = `${layout} ${folder}`;
    const known = kept.notes.get(key) ?? this.#notesHere(kept.files, folder, layout);
    kept.notes.set(key, known);
    return known;
  }

  #notesHere(files: OverlayFiles, folder: string, layout: WorkItem['layout']): NotesHere {
    const isHere = (row: { folder: string }) => row.folder.replaceAll('\\', '/').replace(/\/+$/, '') === folder;
    const roots = new Set([...files.notes, ...files.plans.map(({ row }) => row), ...files.boulders.map(({ row }) => row)].filter(isHere).map(({ root }) => root));
    const items = workItems(files, new WorkSessions(this.db), this.now(), roots).map(({ item }) => item);
    // The first is the newest; a plan that was copied is told once, with the copy in use.
    const named = [...items.filter((item) => item.layout === layout), ...items].reverse().map(({ name, id }) => [name, id] as const);
    const [root] = roots;
    return { copy: root === undefined || liveLayout(files, root) === layout ? 'live' : 'frozen', items: new Map(named) };
  }

  /** Null where no overlay names the session. */
  of({ session: id }: { session: string }): SessionWork | null {
    const row = findSession(this.db, id);
    if (!row) return null;
    const files = this.#files();
    const sessions = new WorkSessions(this.db);
    // Files beside works name OpenCode's sessions and no others.
    const mine = ({ session }: { session: string | null }) => row.agent === 'opencode' && session === row.native;
    const marker = files.markers.find(({ value }) => mine(value));
    const goal = files.goals.find(({ value }) => mine(value));
    const work: SessionWork = {
      plans: this.#plansOf(files, row, sessions),
      marker: marker ? this.#marker(marker, sessions) : null,
      goal: goal ? this.#goal(goal, sessions) : null,
      loops: files.loops.filter(({ value }) => mine(value)).map((loop) => this.#loop(loop, sessions)),
      teams: files.teams.filter(({ value }) => mine({ session: value.lead }) || value.members.some(mine)).slice(0, listed).map((team) => this.#team(team, sessions)),
      tasks: files.tasks.filter(({ value }) => mine(value)).slice(0, listed).map((task) => listTask(task, sessions)),
    };
    const isNamed = work.marker !== null || work.goal !== null || work.plans.length + work.loops.length + work.teams.length + work.tasks.length > 0;
    return isNamed ? work : null;
  }

  /** Parsed files stay as long as no pass changed one. */
  #files(): OverlayFiles {
    return this.#keep().files;
  }

  #keep(): { files: OverlayFiles; notes: Map<string, NotesHere> } {
    const version = Number((this.db.prepare("SELECT value FROM meta WHERE key = 'overlays'").get() as { value: number } | undefined)?.value ?? 0);
    if (this.#kept?.version !== version) this.#kept = { version, files: overlayFiles(this.db), notes: new Map() };
    return this.#kept;
  }

  #plansOf(files: OverlayFiles, row: SummaryRow, sessions: WorkSessions): SessionWork['plans'] {
    const names = (work: BoulderWork) => work.sessions.some(({ native }) => native === row.native) || work.tasks.some(({ session }) => session?.native === row.native);
    const concerned = [
      ...files.boulders.filter(({ value, dropped }) => value.works.some(names) || dropped.some(names)),
      ...files.plans.filter((plan) => row.agent === 'opencode' && plan.row.folder === row.directory),
    ];
    if (concerned.length === 0) return [];
    const written = this.#plansWritten(row.id);
    const items = workItems(files, sessions, this.now(), new Set(concerned.map((file) => file.row.root)));
    return items.flatMap((made) => partIn(made, row, written, sessions));
  }

  /** Targets of the session's write calls that look like plans. */
  #plansWritten(session: number): string[] {
    return this.db
      .prepare("SELECT DISTINCT title FROM part WHERE session = ? AND family = ? AND title LIKE '%plans/%.md'")
      .pluck()
      .all(session, familyCode.code('write')) as string[];
  }

  /** The plugin does not file who planned; the write call that made the plan's file tells. */
  #planners({ plan, item }: MadeItem, sessions: WorkSessions): WorkSession[] {
    if (!plan) return [];
    const rows = this.db
      .prepare(`SELECT s.id, s.native FROM session s JOIN store st ON st.id = s.store WHERE st.agent = 'opencode' AND s.directory = ? ORDER BY s.updated DESC LIMIT ?`)
      .all(item.folder, planners) as { id: number; native: string }[];
    return rows
      .filter(({ id }) => this.#plansWritten(id).some((title) => title.endsWith(plan.row.path)))
      .map(({ native }) => ({ session: refOf(sessions.named(native)), role: 'planner', certainty: 'inferred', evidence: `It wrote ${plan.row.path} with a tool call.`, tasks: [] }));
  }

  #notes({ root, item }: MadeItem): WorkNote[] {
    const rows = new OverlayRows(this.db);
    return this.#files()
      .notes.filter((row) => row.root === root && layoutOf(row.path) === item.layout && notesPlan(row.path) === item.name)
      .slice(0, listedNotes)
      .map((row) => {
        const text = rows.content(row.id)?.toString('utf8') ?? '';
        return {
          kind: row.kind === 'draft' ? 'draft' : 'notepad', name: (row.path.split('/').at(-1) ?? '').replace(/\.md$/, ''), layout: layoutOf(row.path), text: text.slice(0, noteCharacters), total: text.length,
          changed: isoTime(row.changed), state: row.gone === null ? 'present' : 'gone',
        };
      });
  }

  #marker({ row, value }: OverlayFiles['markers'][number], sessions: WorkSessions): WorkMarker {
    const session = sessions.named(value.session);
    return { session: refOf(session), active: value.active, sources: value.sources, updated: value.updated, state: stateOf(row), judgement: judgeMarker(value, session, sessions, this.now()) };
  }

  #goal({ row, value }: OverlayFiles['goals'][number], sessions: WorkSessions): WorkGoal {
    const { session, ...goal } = value;
    const list = this.#files().goalLists.find((each) => each.row.root === row.root && each.value.session === session)?.value;
    const shown = list?.goals.find(({ id }) => id === list.active) ?? list?.goals[0];
    const usual = goal.status === 'active' ? 'in_progress' : goal.status;
    return { ...goal, session: refOf(sessions.named(session)), folder: row.folder, state: stateOf(row), mirror: shown && shown.status !== usual ? shown.status : null, criteria: shown?.criteria.slice(0, listed) ?? [] };
  }

  #loop({ row, layout, value }: OverlayFiles['loops'][number], sessions: WorkSessions): WorkLoop {
    const { session: native, ...loop } = value;
    const session = native === null ? null : sessions.named(native);
    const isCopied = layout === '.sisyphus' && this.#files().loops.some((other) => other.row.root === row.root && other.layout === '.omo' && other.row.gone === null);
    return { ...loop, session: session && refOf(session), folder: row.folder, layout, copy: isCopied ? 'frozen' : 'live', state: stateOf(row), judgement: judgeLoop(value, layout, session, this.now()) };
  }

  #team({ row, value }: OverlayFiles['teams'][number], sessions: WorkSessions): WorkTeam {
    const folder = row.path.replace(/state\.json$/, 'tasks/');
    const found = value.members.map(({ session }) => (session === null ? null : sessions.named(session)));
    return {
      id: value.id, name: value.name, status: value.status, created: value.created, lead: value.lead === null ? null : refOf(sessions.named(value.lead)), state: stateOf(row),
      members: value.members.slice(0, listed).map((member, at) => ({ ...member, session: found[at] ? refOf(found[at]) : null })),
      tasks: this.#files().teamTasks.filter((task) => task.row.root === row.root && task.row.path.startsWith(folder)).slice(0, listed).map((task) => listTask(task, sessions)),
      judgement: judgeTeam(value, found.filter((session) => session !== null), this.now()),
    };
  }
}

function partIn({ item, work, plan, sessions: took }: MadeItem, row: SummaryRow, written: readonly string[], sessions: WorkSessions): SessionWork['plans'] {
  const entry = { item: item.id, name: item.name, project: item.project?.name ?? null, copy: item.copy, status: item.status, progress: item.plan.progress };
  const found = took.find((session) => session.row === row.id);
  if (found && work) {
    const told = item.sessions.find(({ session }) => session.id === found.id);
    return [{ ...entry, role: told?.role ?? 'listed', certainty: 'recorded', tasks: work.tasks.filter(({ session }) => session?.native === found.nativeId).map((task) => taskOf(task, sessions)) }];
  }
  const isPlanner = plan !== null && item.copy === 'live' && item.folder === row.directory && written.some((title) => title.endsWith(plan.row.path));
  return isPlanner ? [{ ...entry, role: 'planner', certainty: 'inferred', tasks: [] }] : [];
}

const stateOf = ({ gone }: { gone: number | null }): 'present' | 'gone' => (gone === null ? 'present' : 'gone');

function listTask({ row, value }: Known<ListedTask>, sessions: WorkSessions): WorkListTask {
  const { session, blocks: _, ...task } = value;
  return { ...task, list: row.path.split('/').at(-2) ?? '', session: session === null ? null : refOf(sessions.named(session)), state: stateOf(row) };
}
