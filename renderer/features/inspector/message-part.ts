import { asPartId, type MessageId, type PartId } from '@shared/model';

/** `part.locate` takes the id of a message for its first part, so a link to a message is a link to a part. */
export const messagePart = (message: MessageId): PartId => asPartId(message);
