// Counts unit tests for `npm test`, with the reason of each skip, which vitest's own JSON leaves out.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** For a test that gives none itself. */
const reasons = { skipped: 'its condition does not hold here', pending: 'it did not run: its file was ended before it' };

/** @implements {import('vitest/reporters').Reporter} */
export default class {
  /** @type {import('vitest/reporters').Reporter['onTestRunEnd']} */
  onTestRunEnd(modules, unhandled) {
    const counted = { passed: 0, failed: unhandled.length, skipped: [] };
    for (const module of modules) {
      // A file that cannot be loaded has no tests to fail.
      counted.failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const { state, note } = test.result();
        if (state === 'passed') counted.passed += 1;
        else if (state === 'failed') counted.failed += 1;
        else counted.skipped.push({ test: `${module.relativeModuleId}: ${test.fullName}`, reason: note ?? reasons[state] });
      }
    }
    const file = process.env.RETRACE_UNIT_COUNT;
    if (!file) return;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(counted));
  }
}
