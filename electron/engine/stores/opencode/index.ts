import type { SessionStore } from '../store';
import { body, turnDiff } from './body';
import { context, contextText } from './context';
import { summarise } from './facts';
import { lineage } from './lineage';
import { locate } from './locate';
import { notepads } from './notepads';
import { outputFolder, sessionOf } from './places';
import { project } from './project';
import { read } from './read';
import { resumeCommand } from './resume';
import { settle } from './settle';
import { checkSnapshots } from './snapshots';
import { survey } from './survey';
import { writer } from './write';

/** OpenCode: every database of a data folder and both older layouts of JSON files. See FORMAT.md. */
export const opencode: SessionStore = {
  agent: 'opencode',
  // 3: known faults of requests, and replies without words. 5: notepads, and instructions of the second generation. 6: since when the event log knows sessions. 7: the mark of a fork that Retrace made.
  reader: 7,
  locate,
  survey,
  read: (_location, change, known) => read(change, known),
  project,
  settle,
  summarise,
  lineage,
  body,
  turnDiff,
  // Snapshots, logs and caches change all the time and say nothing of sessions; `-shm` our own reading may touch.
  watch: ({ folder }) => ({ folders: [folder], ignore: /-shm$|(^|[\\/])(snapshot|snapshots|log|bin|repos|cache)([\\/]|$)|^project[\\/][^\\/]+[\\/]snapshots/ }),
  resumeCommand,
  context,
  contextText,
  check: checkSnapshots,
  remembersOthers: (key) => sessionOf(key) === null && !key.startsWith(`${outputFolder}/`),
  // The call whose output was too long names the file.
  companionOf: (key) => (key.startsWith(`${outputFolder}/`) ? { named: key.slice(outputFolder.length + 1) } : null),
  memory: notepads,
  writer,
};
