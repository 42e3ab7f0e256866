import type { SessionStore, SourceChange } from '../store';
import { body } from './body';
import { context } from './context';
import { summarise } from './facts';
import { lineage } from './forked';
import { locate } from './locate';
import { project } from './project';
import { readChat } from './read';
import { resumeCommand } from './resume';
import { settle } from './settle';
import { type Handle, survey, watch } from './survey';
import { readWitness } from './witness-read';
import { writer } from './write';

/** Aider: chat histories that lie in the projects, many runs a file. Each folder with histories is a store. */
export const aider: SessionStore = {
  agent: 'aider',
  reader: 3,
  locate,
  survey,
  read(_location, change: SourceChange, known) {
    const handle = change.handle as Handle;
    return handle.kind === 'chat' ? readChat(change.key, known) : readWitness(handle, known);
  },
  project,
  settle,
  summarise,
  // A run that took up earlier ones says so itself.
  lineage,
  // A key is a place in its own history.
  originalKey: () => null,
  body,
  context,
  watch,
  resumeCommand,
  writer,
};
