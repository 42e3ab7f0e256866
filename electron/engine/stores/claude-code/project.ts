import type { ProjectInput, Projection } from '../store';
import { projectMemoryFile } from './memory';
import { placeOf } from './places';
import { projectSmallFile } from './small-files';
import { projectTranscript } from './transcript';

/** Understands a batch by what kind of file it comes from. Saved tool outputs hold no records: they are read as bodies. */
export function project(input: ProjectInput): Projection {
  const place = placeOf(input.source);
  switch (place?.kind) {
    case 'transcript':
    case 'agent':
      return projectTranscript(input, place);
    case 'meta':
    case 'title':
    case 'todos':
    case 'task':
    case 'job':
      return projectSmallFile(input, place);
    case 'memory':
      return projectMemoryFile(input);
    case 'output':
    case undefined:
      return { records: [], evidence: [], removed: [], damage: [], unknown: {}, carry: null };
  }
}
