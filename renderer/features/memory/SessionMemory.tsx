import type { SessionId } from '@shared/model';
import { show } from '../../app/route';
import { Section } from '../inspector/Section';
import { useAnswer } from './answer';
import { CallList } from './Calls';
import { InstructionList } from './Instructions';

/** In the inspector: what the open session did to memory, and what it recorded as put before its model. Nothing when there is neither. */
export function SessionMemory({ session }: { session: SessionId }) {
  const { answer } = useAnswer('memory.session', { session });
  if (!answer || (answer.callsTotal === 0 && answer.instructionsTotal === 0)) return null;
  const { project, calls, callsTotal, instructions, instructionsTotal } = answer;
  const more = project === null ? null : (
    <button type="button" className="text-button memory-more" onClick={() => show({ kind: 'memory', project })}>
      Memory of the project
    </button>
  );
  return (
    <>
      {callsTotal > 0 && (
        <Section title="Memory this session touched">
          <CallList calls={calls} total={callsTotal} named={false} />
          {more}
        </Section>
      )}
      {instructionsTotal > 0 && (
        <Section title="Instructions it recorded">
          <InstructionList files={instructions} sessions={false} />
          {callsTotal === 0 && more}
        </Section>
      )}
    </>
  );
}
