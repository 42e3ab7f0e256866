import type { Json } from '../store';
import type { Probe, Stamp } from './file';

/** What was seen of a history file when it was last read. */
export type ChatCursor = { file: Stamp; read: Probe; line: number };

/** The same for a witness, with the histories that its entries were filed by. */
export type WitnessCursor = { file: Stamp; read: Probe; chats: WitnessChat[] };

/** A history as a witness knows it: its last run, in which what comes next is looked for. */
export type WitnessChat = {
  path: string;
  file: Stamp;
  /** Up to the line end of the last run's header. */
  read: Probe;
  /** Where that run begins. */
  run: number;
};

type Shape = { [key: string]: unknown };
const isShape = (value: unknown): value is Shape => typeof value === 'object' && value !== null && !Array.isArray(value);
const areNumbers = (value: unknown, ...keys: string[]): boolean => isShape(value) && keys.every((key) => typeof value[key] === 'number');
const isStamp = (value: unknown): boolean => areNumbers(value, 'size', 'mtimeMs', 'ctimeMs', 'ino');
const isProbe = (value: unknown): boolean => isShape(value) && areNumbers(value, 'offset') && typeof value['head'] === 'string' && typeof value['tail'] === 'string';
const isSeen = (value: unknown): value is Shape => isShape(value) && isStamp(value['file']) && isProbe(value['read']);

const isChatCursor = (value: unknown): value is ChatCursor => isSeen(value) && typeof value['line'] === 'number';
const isWitnessChat = (value: unknown): value is WitnessChat => isSeen(value) && typeof value['path'] === 'string' && typeof value['run'] === 'number';
const isWitnessCursor = (value: unknown): value is WitnessCursor => isSeen(value) && Array.isArray(value['chats']) && value['chats'].every(isWitnessChat);

/** A cursor that another version of the reader wrote is none: the file is read anew. */
export const chatCursor = (value: Json): ChatCursor | null => (isChatCursor(value) ? value : null);

export const witnessCursor = (value: Json): WitnessCursor | null => (isWitnessCursor(value) ? value : null);
