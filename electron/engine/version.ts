import { version as current } from '../../package.json';

/** Retrace's version, as released. */
export const version: string = current;
