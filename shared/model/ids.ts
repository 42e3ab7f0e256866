/**
 * Ids of different things are different types, so that a session id never goes where a part id belongs.
 * A session id is `<store>/<native id>`; a message or part id is `<session id>#<key>`, unique in the library.
 */
declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type StoreId = Branded<'StoreId'>;
export type SessionId = Branded<'SessionId'>;
export type MessageId = Branded<'MessageId'>;
export type PartId = Branded<'PartId'>;

/** The id an agent itself uses for a session. Only unique inside its store. */
export type NativeId = Branded<'NativeId'>;

export const storeId = (text: string): StoreId => text as StoreId;
export const nativeId = (text: string): NativeId => text as NativeId;
export const asSessionId = (text: string): SessionId => text as SessionId;
export const asPartId = (text: string): PartId => text as PartId;
export const asMessageId = (text: string): MessageId => text as MessageId;

export const sessionId = (store: StoreId, native: NativeId): SessionId => `${store}/${native}` as SessionId;
export const messageId = (session: SessionId, key: string): MessageId => `${session}#${key}` as MessageId;
export const partId = (session: SessionId, key: string): PartId => `${session}#${key}` as PartId;

/** Splits a session id at its first slash; null when it has none. */
export function splitSessionId(id: string): { store: StoreId; native: NativeId } | null {
  const slash = id.indexOf('/');
  if (slash <= 0 || slash === id.length - 1) return null;
  return { store: storeId(id.slice(0, slash)), native: nativeId(id.slice(slash + 1)) };
}

/** Splits a message or part id into its session and its key; null when it is not of that form. */
export function splitInnerId(id: string): { session: SessionId; key: string } | null {
  const hash = id.indexOf('#');
  if (hash <= 0) return null;
  return { session: asSessionId(id.slice(0, hash)), key: id.slice(hash + 1) };
}
