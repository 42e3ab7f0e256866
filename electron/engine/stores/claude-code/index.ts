import type { SessionStore } from '../store';
import { body } from './body';
import { check } from './check';
import { context } from './context';
import { summarise } from './facts';
import { lineage } from './lineage';
import { memory } from './memory';
import { companionOf, locate, restoredAt, transcriptOf, watch } from './places';
import { project } from './project';
import { readSource } from './read';
import { resumeCommand } from './resume';
import { retention } from './retention';
import { settle } from './settle';
import { survey } from './survey';
import { writer } from './write';

/** Claude Code's transcripts and what lies beside them. The facts the reader relies on are in FORMAT.md. */
export const claudeCode: SessionStore = {
  agent: 'claude-code',
  reader: 4,
  locate,
  survey,
  read: (_location, change, known) => readSource(change, known),
  project,
  settle,
  summarise,
  lineage,
  body,
  watch,
  resumeCommand,
  context,
  transcriptOf,
  restoredAt,
  retention,
  memory,
  check,
  writer,
  companionOf,
};
