import { hash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where exports lie that wait to be fetched: by the server of the page, or by the command line that prints one. */
export const downloadsFolder = (library: string): string => join(tmpdir(), `retrace-downloads-${hash('sha256', library).slice(0, 16)}`);
