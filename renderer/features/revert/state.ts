import { create } from 'zustand';
import type { PartId, MessageId, SessionId } from '@shared/model';
import { say } from '../../ui/toast';
import { partAt } from '../timeline/loading';
import { useSession } from '../timeline/state';

interface RevertState {
  /** The message before which one would go back to; null: the sheet is closed. */
  asked: { session: SessionId; before: MessageId | PartId } | null;
}

export const useRevert = create<RevertState>(() => ({ asked: null }));

/** Opens the preview for the message of the chosen part. */
export function previewRevert(): void {
  const { id, current } = useSession.getState();
  const part = current === null ? undefined : partAt(current);
  if (id !== null && part) useRevert.setState({ asked: { session: id, before: part.message.id } });
  else say('No part is chosen: j and k walk through them.');
}

export const closeRevert = (): void => useRevert.setState({ asked: null });
