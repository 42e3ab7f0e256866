// The random source and the texts of the corpora: one seed gives one corpus.

/** Numbers, ids and texts drawn from a seed: prose, code and logs of a small vocabulary, in which a few words are common. */
export function corpusText(seed) {
  // ---- deterministic randomness (sfc32) ------------------------------------------------------------------------
  let sa = 0x9e3779b9 ^ seed, sb = 0x243f6a88, sc = 0xb7e15162, sd = seed | 1
  function u32() {
    const t = (((sa + sb) | 0) + sd) | 0
    sd = (sd + 1) | 0
    sa = sb ^ (sb >>> 9)
    sb = (sc + (sc << 3)) | 0
    sc = (sc << 21) | (sc >>> 11)
    sc = (sc + t) | 0
    return t >>> 0
  }
  for (let i = 0; i < 20; i++) u32()
  const rnd = () => u32() / 4294967296
  const int = (a, b) => a + Math.floor(rnd() * (b - a + 1))
  const pick = (a) => a[Math.floor(rnd() * a.length)]
  const chance = (p) => rnd() < p
  const gauss = () => Math.sqrt(-2 * Math.log(1 - rnd())) * Math.cos(2 * Math.PI * rnd())
  const lognormal = (median, sigma) => median * Math.exp(sigma * gauss())
  const hex = (n) => {
    let s = ''
    while (s.length < n) s += u32().toString(16).padStart(8, '0')
    return s.slice(0, n)
  }
  const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`
  const B62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const b62 = (n) => {
    let s = ''
    for (let i = 0; i < n; i++) s += B62[u32() % 62]
    return s
  }
  const B64 = B62 + '+/'
  const b64 = (n) => {
    const a = Buffer.allocUnsafe(n)
    for (let i = 0; i < n; i++) a[i] = B64.charCodeAt(u32() & 63)
    return a.toString('latin1')
  }

  // ---- text pools: sliced, never built word by word per line ------------------------------------------------------
  const COMMON = `the of to and a in is it you that for on with as this be at by from or an if will not are was we can has have
  do does all use when which each their one more also only other into then than some could would should before after because
  first need make sure look change keep add remove update check read write run call return value test error file path line
  code function class module import export type interface object array string number boolean null undefined async await
  promise request response server client session token cache index query search store state event handler config option
  default schema migration table column row insert select update delete commit branch merge rebase diff patch build deploy
  release version package dependency install lint format parse render component hook effect context props layout style theme
  button input form list item tree node edge graph queue stack buffer stream chunk timeout retry limit offset page cursor
  sort filter map reduce log debug warn info trace metric counter latency throughput memory process thread worker lock mutex
  race deadlock leak crash panic assert expect mock stub fixture snapshot coverage regression benchmark profile optimize
  refactor rename extract inline document comment review approve reject fix bug issue ticket feature flag rollout incident
  user account role permission auth login logout password secret key certificate encrypt decrypt hash sign verify
  billing invoice payment refund currency amount total tax discount order cart product catalog inventory shipment address`.split(/\s+/)
  const IDS = []
  for (let i = 0; i < 900; i++) {
    const w = () => COMMON[Math.floor(Math.pow(rnd(), 1.3) * COMMON.length)]
    const W = (s) => s[0].toUpperCase() + s.slice(1)
    IDS.push(chance(0.5) ? w() + W(w()) : chance(0.5) ? W(w()) + W(w()) : w() + '_' + w() + (chance(0.3) ? '_' + w() : ''))
  }
  const zipf = (arr) => arr[Math.floor(Math.pow(rnd(), 2.2) * arr.length)]
  function prosePool(n) {
    const a = []
    let len = 0
    while (len < n) {
      const k = int(6, 22)
      const ws = []
      for (let i = 0; i < k; i++) ws.push(chance(0.12) ? '`' + zipf(IDS) + '`' : zipf(COMMON))
      ws[0] = ws[0][0].toUpperCase() + ws[0].slice(1)
      let s = ws.join(' ') + (chance(0.1) ? '?' : '.')
      s += chance(0.12) ? '\n\n' : ' '
      if (chance(0.03)) s += '- ' + zipf(COMMON) + ' ' + zipf(IDS) + '\n'
      a.push(s)
      len += s.length
    }
    return a.join('')
  }
  function codePool(n) {
    const a = []
    let len = 0
    while (len < n) {
      const ind = '  '.repeat(int(0, 4))
      const s = ind + pick([
        () => `const ${zipf(IDS)} = await ${zipf(IDS)}(${zipf(IDS)}, { ${zipf(COMMON)}: ${int(0, 999)} })`,
        () => `if (!${zipf(IDS)}.${zipf(COMMON)}) throw new Error("${zipf(COMMON)} ${zipf(COMMON)} ${zipf(COMMON)}")`,
        () => `export async function ${zipf(IDS)}(${zipf(COMMON)}: ${zipf(IDS)}): Promise<${zipf(IDS)}> {`,
        () => `return ${zipf(IDS)}.${pick(['map', 'filter', 'find', 'reduce'])}((${zipf(COMMON)}) => ${zipf(COMMON)}.${zipf(COMMON)})`,
        () => `// ${zipf(COMMON)} ${zipf(COMMON)} ${zipf(COMMON)} ${zipf(COMMON)} ${zipf(COMMON)}`,
        () => '}', () => '',
        () => `import { ${zipf(IDS)}, ${zipf(IDS)} } from '../${zipf(COMMON)}/${zipf(COMMON)}'`,
        () => `expect(${zipf(IDS)}).toEqual("${zipf(COMMON)}-${int(1, 99)}")`,
      ])() + '\n'
      a.push(s)
      len += s.length
    }
    return a.join('')
  }
  function logPool(n) {
    const a = []
    let len = 0
    let t = 1767225600000
    while (len < n) {
      t += int(1, 4000)
      const s = pick([
        () => `${new Date(t).toISOString()} ${pick(['INFO', 'INFO', 'DEBUG', 'WARN', 'ERROR'])} [${zipf(IDS)}] ${zipf(COMMON)} ${zipf(COMMON)} id=${hex(12)} took=${int(1, 900)}ms\n`,
        () => `\u001b[32m ✓ \u001b[39m ${zipf(COMMON)} > ${zipf(COMMON)} ${zipf(COMMON)} ${zipf(COMMON)} (${int(1, 300)} ms)\n`,
        () => `src/${zipf(COMMON)}/${zipf(IDS)}.ts:${int(1, 900)}:${int(1, 80)} - error TS${int(2000, 2999)}: ${zipf(COMMON)} '${zipf(IDS)}' ${zipf(COMMON)} ${zipf(COMMON)}\n`,
        () => `-rw-r--r-- 1 dev dev ${int(100, 99999)} Jul ${int(1, 30)} 10:${int(10, 59)} ${zipf(IDS)}.ts\n`,
        () => `    at ${zipf(IDS)} (/home/dev/src/${zipf(COMMON)}/${zipf(IDS)}.js:${int(1, 900)}:${int(1, 80)})\n`,
      ])()
      a.push(s)
      len += s.length
    }
    return a.join('')
  }
  const PROSE = prosePool(3e6), CODE = codePool(3e6), LOG = logPool(3e6), NOISE64 = b64(1 << 20)
  const cut = (pool, n) => {
    const len = Math.max(1, Math.min(pool.length - 1, Math.round(n)))
    let p = Math.floor(rnd() * (pool.length - len - 200))
    const sp = pool.indexOf(pool === PROSE ? ' ' : '\n', p)
    p = sp < 0 ? p : sp + 1
    return pool.slice(p, p + len)
  }
  const prose = (m, s = 0.9) => cut(PROSE, Math.min(lognormal(m, s), 20000)).trim()
  const code = (m, s = 0.9) => cut(CODE, Math.min(lognormal(m, s), 60000))
  const log = (m, s = 1.3) => cut(LOG, Math.min(lognormal(m, s), 30000))
  return { rnd, int, pick, chance, lognormal, hex, uuid, b62, COMMON, IDS, zipf, NOISE64, prose, code, log }
}
