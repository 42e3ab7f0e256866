import { agents, type Agent } from '@shared/model';
import { z } from 'zod';

/** The highest version that is understood. */
export const bundleVersion = 1;
/** Bytes of one line; the writer keeps to about 2 MB. */
export const bundleLineLimit = 16 * 1024 * 1024;

const key = z.string().min(1).max(16_384);
const place = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const agent = z.enum(agents).refine((name): name is Agent => name !== 'retrace');

/** Lines of a bundle that an import needs (docs/bundle.md); the others are hashed and passed over. */
export const headerLine = z.object({
  type: z.literal('header'), format: z.literal('retrace-bundle'), version: z.number().int().min(1), by: z.string().max(200).optional(), made: z.string().max(100).nullish(),
  root: key, sessions: z.array(key).min(1).max(100_000), scope: z.object({ kind: z.string().max(50) }).passthrough().optional(),
  redaction: z.object({ applied: z.boolean(), masked: z.array(z.object({ class: z.string().max(100), findings: z.number(), places: z.number() }).passthrough()).optional() }).passthrough().nullish(),
});

export const streamLine = z.object({
  type: z.literal('stream'), stream: z.number().int().min(1), agent, key, role: z.enum(['records', 'file']), sessions: z.array(key).max(100_000), reader: z.number().optional(), whole: z.boolean().optional(),
});

export const pieceLine = z.object({ type: z.literal('piece'), stream: z.number().int().min(1), at: place, text: z.string().optional(), base64: z.string().optional() });
export const streamEndLine = z.object({ type: z.literal('stream-end'), stream: z.number().int().min(1), pieces: place, bytes: place, hash: z.string().regex(/^[0-9a-f]{64}$/) });
export const sessionLine = z.object({ type: z.literal('session'), session: z.object({ id: key, nativeId: key, title: z.string().nullish() }).passthrough() });
export const evidenceLine = z.object({ type: z.literal('evidence'), session: key, source: key, slot: z.string().max(16_384), data: z.record(z.string(), z.unknown()) });
export const damageLine = z.object({ type: z.literal('damage'), session: key, source: key.nullish(), place: z.string().max(16_384), line: place.nullish(), at: place.nullish(), bytes: place.nullish(), reason: z.string().max(16_384) });
export const endLine = z.object({ type: z.literal('end'), lines: place, sessions: place, streams: place, bytes: place, hash: z.string().regex(/^[0-9a-f]{64}$/) });

export type BundleHeader = z.infer<typeof headerLine>;
export type BundleSession = z.infer<typeof sessionLine>['session'];
export type BundleEvidence = z.infer<typeof evidenceLine>;
export type BundleDamage = z.infer<typeof damageLine>;
