import { assertNever, type RevertFileState, type RevertReason } from '@shared/model';

/** Why the state of a file is what it is, in one sentence. `asLeft`: false where it is as the session had it once, and left it otherwise. */
export function becauseOf(state: RevertFileState, reason: RevertReason | null, asLeft: boolean): string {
  switch (state) {
    case 'restorable':
      return asLeft ? 'It is as the session left it.' : 'It is as it was earlier in this session: nobody else’s work is in it.';
    case 'deleted':
      return asLeft ? 'The session made it, and it is as the session left it.' : 'The session made it, and it is as it was earlier in this session.';
    case 'recreated':
      return 'The session deleted it, and it is not there.';
    case 'unchanged':
      return 'It is already as it was before this message.';
    case 'left alone':
      return 'The session did not change it from here on; somebody else did.';
    case 'memory':
      return 'Memory outlives sessions: no revert of the agent takes it back.';
    case 'conflict':
    case 'cannot':
      return reason === null ? 'Why is not known.' : reasonSentences[reason];
    default:
      return assertNever(state, 'state of a file');
  }
}

const reasonSentences: Record<RevertReason, string> = {
  'changed since': 'It was changed since the session last wrote it.',
  'deleted since': 'It was deleted since the session last wrote it.',
  'made again since': 'The session deleted it, and it was made again since.',
  'left unknown': 'What the session left is not recorded whole, so it cannot be told whether others changed it since.',
  'not recorded': 'What it held before is not recorded.',
  'backup gone': 'The backup of what it held before is not there any more.',
  'trees gone': 'The snapshot trees that have what it held before are not there any more.',
  'existed before': 'It was there before the session began, so it is not deleted.',
  'too large': 'It is too large to be compared.',
  'too many': 'There are too many files to look at all of them.',
  'no folder': 'No folder is recorded for this session.',
  'folder gone': 'The folder of the session is not there. Where it lies elsewhere now, --map FROM=TO says so.',
  'folder not looked at': 'The folder of the session is not looked at.',
  outside: 'It lies outside the folder of the session.',
  unsafe: 'Its path is not one that is written to.',
  link: 'It is reached through a link, which is not followed.',
  'no file': 'Something else than a file stands there.',
  'not readable': 'The system did not let it be read.',
};
