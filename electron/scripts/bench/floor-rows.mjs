// One floor: what Node needs to read every session, message and part of an OpenCode database and JSON.parse them, single thread.
//   node floor-rows.mjs DATABASE
import Database from 'better-sqlite3';

const db = new Database(process.argv[2], { readonly: true });
let rows = 0;
let bytes = 0;
for (const table of ['session', 'message', 'part']) {
  for (const row of db.prepare(`SELECT * FROM ${table}`).iterate()) {
    rows++;
    if (row.data === undefined) continue;
    bytes += row.data.length;
    JSON.parse(row.data);
  }
}
const { userCPUTime, systemCPUTime } = process.resourceUsage();
console.log(JSON.stringify({ rows, bytes, cpu: (userCPUTime + systemCPUTime) / 1e6 }));
