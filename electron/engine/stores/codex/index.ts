import type { SessionStore } from '../store';
import { body } from './body';
import { context, contextText } from './context';
import { check } from './check';
import { lineage } from './lineage';
import { indexKey } from './names';
import { locate, tablesFolder, watch } from './places';
import { project } from './project';
import { readChange } from './read-change';
import { resumeCommand } from './resume';
import { originalKey } from './scribe';
import { settle } from './settle';
import { summarise } from './summarise';
import { survey } from './survey';

/** OpenAI's Codex command line; see FORMAT.md. */
export const codex: SessionStore = {
  agent: 'codex',
  // 3: times that cannot be true.
  reader: 4,
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
  databaseFolders: ({ folder }) => [tablesFolder(folder)].filter((each) => each !== folder),
  check,
  remembersOthers: (key) => key === indexKey,
};
