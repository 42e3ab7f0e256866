import type { RevertTake, SessionId } from '@shared/model';
import type { Reverts } from '../../revert/reverts';
import type { WriteRefusal } from '../../stores/store';
import { draftFiles, type FilesDraft } from './file-steps';

/** The files part of a revert, from what the disk holds now. */
export async function drawFiles(reverts: Reverts, session: SessionId, before: string, takes: ReadonlyMap<string, RevertTake>): Promise<FilesDraft | WriteRefusal> {
  const looked = await reverts.looked(session, before);
  if (looked === null) return { refused: 'There is no such message in this session.' };
  if ('refused' in looked) return { refused: looked.refused };
  const draft = await draftFiles(looked.files, looked.disk, takes);
  return { ...draft, limits: [...(looked.moved === null ? [] : [looked.moved]), ...draft.limits, ...looked.notes] };
}
