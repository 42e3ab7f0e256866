// One floor: what Node needs to read and JSON.parse every line, single thread. Run it with the Node to be judged.
//   node floor-parse.mjs CORPUS [buffer|readline|lines]
import fs from 'node:fs'
import readline from 'node:readline'
import { jsonlFiles } from './measure.mjs'
const [root, mode = 'buffer'] = process.argv.slice(2)
let lines = 0, bad = 0, bytes = 0
for (const f of jsonlFiles(root)) {
  if (mode === 'readline') {
    const rl = readline.createInterface({ input: fs.createReadStream(f, { encoding: 'utf8' }), crlfDelay: Infinity })
    for await (const l of rl) {
      if (!l.trim()) continue
      lines++
      try { JSON.parse(l) } catch { bad++ }
    }
    continue
  }
  const b = fs.readFileSync(f)
  bytes += b.length
  for (let p = 0; p < b.length; ) {
    let e = b.indexOf(10, p)
    if (e < 0) e = b.length
    if (e > p) {
      lines++
      if (mode === 'buffer') try { JSON.parse(b.toString('utf8', p, e)) } catch { bad++ }
    }
    p = e + 1
  }
}
const { userCPUTime, systemCPUTime } = process.resourceUsage()
console.log(JSON.stringify({ mode, lines, bad, bytes, cpu: (userCPUTime + systemCPUTime) / 1e6 }))
