import type { PartFact } from '../store';
import { asList, asObject, asText, asTexts, type Fields } from '../foreign/fields';
import { isInjected, labelsOf } from './injected';

/** One content part of a message among the response items. */
export interface ContentPart {
  block: number;
  text: string | null;
  /** A data URL or an address. */
  image: string | null;
  injected: boolean;
}

/** The content parts of a message, each with whose it is. A role other than `user` and `assistant` is never a person's. */
export function contentOf(message: Fields): ContentPart[] {
  const labels = labelsOf(message);
  const role = asText(message['role']);
  const content = typeof message['content'] === 'string' ? [{ type: 'text', text: message['content'] }] : asList(message['content']);
  return content.map(asObject).map((part, block): ContentPart => {
    const text = asText(part?.['text']);
    const injected = role !== 'assistant' && (role !== 'user' || isInjected(labels?.[block], text ?? ''));
    return { block, text, image: asText(part?.['image_url']), injected };
  });
}

/** Tags around a pasted picture, labelled as the person's own text. */
const isPictureTag = (text: string): boolean => /^<\/?image\b[^>]*>$/.test(text.trim());

export const textOf = (parts: ContentPart[]): string =>
  parts.filter(({ text, injected }) => text !== null && !injected && !isPictureTag(text)).map(({ text }) => text ?? '').join('\n');

export const injectedParts = (parts: ContentPart[]): PartFact[] =>
  parts.filter(({ injected, text }) => injected && text !== null && text !== '').map(({ block, text }) => ({ block, kind: 'text', title: null, text: text ?? '', size: text?.length ?? 0, injected: true }));

/** All texts of a message as something the agent put in, whoever they were by. */
export const asInjected = (parts: ContentPart[]): PartFact[] =>
  parts.filter(({ text }) => text !== null && text !== '').map(({ block, text }) => ({ block, kind: 'text', title: null, text: text ?? '', size: text?.length ?? 0, injected: true }));

export const pictureParts = (parts: ContentPart[]): PartFact[] =>
  parts.filter(({ image }) => image !== null).map(({ block, image }) => ({ block, kind: 'file', title: pictureTitle(image ?? ''), text: null, size: 0, injected: false }));

export const pictureTitle = (url: string): string => /^data:([\w.+-]+\/[\w.+-]+)/.exec(url.slice(0, 100))?.[1] ?? url.slice(0, 200);

/** Texts of a reasoning item: its summary, else its own words. Encrypted reasoning has neither. */
export function reasoningOf(item: Fields): string {
  const lines = (value: unknown) => [...asTexts(value), ...asList(value).map(asObject).map((part) => asText(part?.['text'])).filter((text) => text !== null)];
  const summary = [...lines(item['summary_text']), ...lines(item['summary'])];
  return (summary.length > 0 ? summary : [...lines(item['raw_content']), ...lines(item['content'])]).join('\n\n');
}
