// Before the end-to-end tests: what they start is what the sources say.
import { ensureBuilt, everyPart } from '../../electron/scripts/build.mjs';

export default () => ensureBuilt(everyPart);
