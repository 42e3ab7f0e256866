import type { Settled, Spine, SpineRecord } from '../../store';
import { numberOf } from '../entry';
import { findBranches } from './branches';
import { type Chain, linkRecords } from './chain';
import { endOf, openCalls } from './endings';
import { nameOfRecord, stateRecords } from './states';

/** Works out branches, what the model still sees, and how the session ended, from its records without their bodies. */
export function settle(spine: Spine): Settled {
  const chain = linkRecords(spine);
  const { branches, current, unlisted } = findBranches(chain);
  const records = stateRecords(chain, current);
  const damaged = spine.evidence.reduce((sum, { slot, data }) => sum + (slot === 'facts' ? (numberOf(data['damaged']) ?? 0) : 0), 0);
  const tools = openCalls(spine, current);
  const interrupted = endOf(spine, current, tools) === 'interrupted';
  return {
    records, order: null, branches,
    compactions: spine.records.filter((record) => record.type === 'system/compact_boundary').length,
    reverted: false,
    notices: noticesOf(chain, current, unlisted, spine.now),
    condition: damaged > 0 || chain.gaps.length > 0 || chain.circles.length > 0 ? 'recovered' : interrupted ? 'interrupted' : 'finished',
    tools,
  };
}

/** Gaps and odd times named one by one; a session with more says how many. */
const noticesListed = 50;
/** Milliseconds a time may go back before it is odd: lines of one moment are written in no fixed order. */
const timeSlack = 60_000;
/** Milliseconds a time may lie in the future: clocks differ. */
const futureSlack = 24 * 3_600_000;

function noticesOf(chain: Chain, current: number[], unlisted: number, now: number): Settled['notices'] {
  const notices: Settled['notices'] = [];
  for (const gap of chain.gaps.slice(0, noticesListed)) {
    const record = chain.records[gap.record] as SpineRecord;
    const shown = gap.before < 0 ? 'it is shown as a beginning' : 'the order shown is that of the file';
    notices.push({ kind: 'gap', text: `Record ${nameOfRecord(record)} follows record ${gap.missing}, which is not in the file; ${shown}.`, record: gap.record });
  }
  if (chain.gaps.length > noticesListed) notices.push({ kind: 'gap', text: `${chain.gaps.length - noticesListed} more records name a record that is not in the file.`, record: -1 });
  for (const first of chain.circles.slice(0, noticesListed)) {
    notices.push({ kind: 'order', text: `Record ${nameOfRecord(chain.records[first] as SpineRecord)} and those it follows point at each other in a circle; the order shown is that of the file.`, record: first });
  }
  notices.push(...oddTimes(chain.records, current, now));
  if (unlisted > 0) notices.push({ kind: 'other', text: `${unlisted} older branches are not listed; their records are shown as off-branch.`, record: -1 });
  return notices;
}

function oddTimes(records: SpineRecord[], current: number[], now: number): Settled['notices'] {
  let latest = Number.NEGATIVE_INFINITY;
  let back: SpineRecord | null = null;
  let ahead: SpineRecord | null = null;
  for (const index of current) {
    const record = records[index] as SpineRecord;
    if (record.time === null) continue;
    if (record.time < latest - timeSlack) back ??= record;
    if (record.time > now + futureSlack) ahead ??= record;
    latest = Math.max(latest, record.time);
  }
  const notices: Settled['notices'] = [];
  if (back) notices.push({ kind: 'time', text: `Times go back at record ${nameOfRecord(back)}; the order shown is that of the records, not of their times.`, record: back.index });
  if (ahead) notices.push({ kind: 'time', text: `The time of record ${nameOfRecord(ahead)} lies in the future.`, record: ahead.index });
  return notices;
}
