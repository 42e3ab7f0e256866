import { type EngineMethods, type Method, params } from '@shared/contract';
import { serveLink } from '@shared/link';
import { hostEngine } from '../electron/engine/host';
import { decodeOptions } from '../electron/engine/options';

// An engine for the test of the utility process: the Electron of the tests is too old to load the database, so this one
// answers who it is and refuses all else. It is hosted, linked and given its options like the real one.
const { home, library } = decodeOptions(process.env);

const refused = (method: string) => () => {
  throw new Error(`${method} needs the database, which this engine leaves out.`);
};
const methods: EngineMethods = {
  ...(Object.fromEntries((Object.keys(params) as Method[]).map((method) => [method, refused(method)])) as unknown as EngineMethods),
  'engine.info': () => ({
    version: '0',
    home: home ?? '',
    library: library ?? '',
    node: process.versions.node,
    sqlite: 'none',
    revision: 0,
    stores: [],
  }),
};

hostEngine((port) => void serveLink(port, methods, () => {}));
