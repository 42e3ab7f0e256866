import type { SessionStore } from '../store';
import { body } from './body';
import { context, contextText } from './context';
import { check } from './check';
import { lineage } from './lineage';
import { indexKey, restoredAt } from './names';
import { locate, tablesFolder, watch } from './places';
import { project } from './project';
import { readChange } from './read-change';
import { resumeCommand } from './resume';
import { originalKey } from './scribe';
import { settle } from './settle';
import { summarise } from './summarise';
import { survey } from './survey';
import { writer } from './write';

/** OpenAI's Codex command line; see FORMAT.md. */
export const codex: SessionStore = {
  agent: 'codex',
  // 5: context put in for a turn goes when the turn is taken back.
  reader: 5,
  locate,
  survey,
  read: (_location, change, known) => readChange(change, known),
  project,
  settle,
  summarise,
  lineage,
  originalKey,
  body,
  context,
  contextText,
  watch,
  resumeCommand,
  restoredAt,
  databaseFolders: ({ folder }) => [tablesFolder(folder)].filter((each) => each !== folder),
  check,
  remembersOthers: (key) => key === indexKey,
  writer,
};
