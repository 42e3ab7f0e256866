#!/usr/bin/env node
// Makes a large synthetic Claude Code history that is true to the format that the CLI writes
// (field names and nesting as seen in version 2.1.x transcripts), deterministic for a given seed.
//
//   node claude-corpus.mjs OUT --mb 200 --sessions 400 [--biggest 10000] [--projects 12] [--seed 42]
//
// OUT/projects/<encoded cwd>/<session>.jsonl
// OUT/projects/<encoded cwd>/<session>/subagents/agent-<id>.jsonl + agent-<id>.meta.json
// OUT/history.jsonl: the prompt history of the CLI
// OUT/manifest.json: the ground truth (counts, tokens after de-duplication, where the needles lie).
//
// The mix: long tool outputs (heavy tail), edits with structured patches and whole original files, several
// assistant lines per message.id with growing usage snapshots, thinking with signatures, todos, MCP tools, images,
// attachments, progress and queue lines, titles, compaction boundaries with their summary, rewinds (a second child
// of an old parent), a --fork-session copy (same uuids, other sessionId), a torn last line, a damaged middle line.
import fs from 'node:fs'
import path from 'node:path'
import { corpusText } from './corpus-text.mjs'

const args = process.argv.slice(2)
const out = args[0]
if (!out || out.startsWith('--')) {
  console.error('usage: claude-corpus.mjs OUT --mb N --sessions N [--biggest N] [--projects N] [--seed N]')
  process.exit(2)
}
const opt = (name, dflt) => {
  const i = args.indexOf('--' + name)
  return i < 0 ? dflt : Number(args[i + 1])
}
const targetBytes = opt('mb', 200) * 1e6
const nSessions = opt('sessions', 400)
const biggest = opt('biggest', 10000)
const nProjects = Math.min(opt('projects', 12), nSessions)
const seed = opt('seed', 42)

const { rnd, int, pick, chance, lognormal, hex, uuid, b62, COMMON, IDS, zipf, NOISE64, prose, code, log } = corpusText(seed)

// ---- the ground truth --------------------------------------------------------------------------------------------
const NEEDLES = { user: 'quizzaciously', assistant: 'zymurgistic', thinking: 'cryptolaemus', tool: 'flibbertigib' }
const truth = {
  seed, sessions: 0, subagentFiles: 0, lines: 0, bytes: 0, userPrompts: 0, assistantLines: 0, toolResults: 0,
  apiMessages: 0, compactions: 0, rewinds: 0, forks: 0, tornLines: 0, damagedLines: 0, images: 0,
  tokens: { input: 0, output: 0, cacheCreate: 0, cacheRead: 0 },
  needles: Object.fromEntries(Object.entries(NEEDLES).map(([k, w]) => [k, { word: w, count: 0, sessions: [] }])),
  biggest: null, newest: null,
}
function needle(kind, text, id) {
  if (!chance(kind === 'user' ? 0.004 : 0.0008)) return text
  const t = truth.needles[kind]
  t.count++
  if (!t.sessions.includes(id)) t.sessions.push(id)
  return text + ' ' + NEEDLES[kind] + ' ' + zipf(COMMON)
}

const END = Date.UTC(2026, 7, 1)
const MODELS = ['claude-opus-4-5-20251101', 'claude-sonnet-4-5-20250929', 'claude-sonnet-4-5-20250929', 'claude-haiku-4-5-20251001']
const projects = []
for (let i = 0; i < nProjects; i++) {
  const cwd = `/home/dev/src/${zipf(COMMON)}-${zipf(COMMON)}-${i}`
  projects.push({ cwd, dir: cwd.replace(/[^A-Za-z0-9-]/g, '-') })
}

const history = []
class Writer {
  constructor(file) {
    fs.mkdirSync(path.dirname(file), { recursive: true })
    this.file = file
    this.fd = fs.openSync(file, 'w')
    this.parts = []
    this.pending = 0
    this.bytes = 0
    this.lines = 0
  }
  raw(s) {
    const b = Buffer.from(s)
    this.parts.push(b)
    this.pending += b.length
    this.bytes += b.length
    if (this.pending > 1 << 20) this.flush()
  }
  line(o) {
    this.lines++
    this.raw(JSON.stringify(o) + '\n')
  }
  flush() {
    if (this.parts.length) fs.writeSync(this.fd, Buffer.concat(this.parts))
    this.parts = []
    this.pending = 0
  }
  close(ms) {
    this.flush()
    fs.closeSync(this.fd)
    fs.utimesSync(this.file, ms / 1000, ms / 1000)
    truth.bytes += this.bytes
    truth.lines += this.lines
  }
}

function makeSession(project, { budget, lines: lineGoal, start, agent, ownId }) {
  const sessionId = agent ? agent.sessionId : ownId
  const file = agent
    ? path.join(out, 'projects', project.dir, sessionId, 'subagents', `agent-${agent.id}.jsonl`)
    : path.join(out, 'projects', project.dir, sessionId + '.jsonl')
  const w = new Writer(file)
  const side = !!agent
  const model = pick(MODELS)
  const branch = pick(['main', 'main', 'feature/' + zipf(COMMON), 'fix/' + zipf(COMMON)])
  let t = start
  let parent = null
  let context = int(14000, 24000)
  let messages = 0
  const trail = []
  const now = (a, b) => new Date((t += int(a, b))).toISOString()
  const base = () => ({
    isSidechain: side, userType: 'external', cwd: project.cwd, sessionId, version: '2.1.220', gitBranch: branch,
    entrypoint: 'cli', ...(agent ? { agentId: agent.id } : {}),
  })
  const put = (o) => {
    w.line(o)
    if (o.uuid) parent = o.uuid
    if (o.type === 'user' || o.type === 'assistant') messages++
  }
  const full = () => (lineGoal ? messages >= lineGoal : w.bytes >= budget)
  const files = Array.from({ length: int(4, 30) }, () => `${project.cwd}/src/${zipf(COMMON)}/${zipf(IDS)}.ts`)

  if (!agent) {
    w.line({ type: 'mode', mode: 'normal', sessionId })
    w.line({ type: 'permission-mode', permissionMode: 'default', sessionId })
    put({ parentUuid: null, ...base(), attachment: { type: 'hook_success', hookName: 'SessionStart:startup', toolUseID: uuid(), hookEvent: 'SessionStart', content: '', stdout: '', stderr: '', exitCode: 0, command: 'true', durationMs: int(3, 90) }, type: 'attachment', uuid: uuid(), timestamp: now(1, 20) })
  }

  let todos = []
  let turn = 0
  do {
    turn++
    // a rewind: the next prompt hangs off an older line, and what came after it is a dead branch
    if (!agent && trail.length > 6 && chance(0.02)) {
      parent = trail[trail.length - int(2, 5)]
      truth.rewinds++
    }
    const promptId = uuid()
    const text = agent ? agent.prompt : needle('user', prose(260, 1.1), sessionId)
    put({ parentUuid: parent, ...base(), promptId, type: 'user', message: { role: 'user', content: text }, uuid: uuid(), timestamp: now(2000, 240000), ...(agent ? {} : { permissionMode: 'default', promptSource: 'typed', origin: { kind: 'human' }, todos }) })
    trail.push(parent)
    truth.userPrompts++
    if (!agent) history.push(JSON.stringify({ display: text.slice(0, 200), pastedContents: {}, timestamp: t, project: project.cwd, sessionId }))
    if (!agent) w.line({ type: 'file-history-snapshot', messageId: parent, snapshot: { messageId: parent, trackedFileBackups: {}, timestamp: new Date(t).toISOString() }, isSnapshotUpdate: false })
    const turnStart = t
    const steps = agent ? int(3, 14) : Math.min(60, Math.max(1, Math.round(lognormal(7, 0.8))))
    for (let s = 0; s <= steps && !full(); s++) {
      const last = s === steps
      const id = 'msg_01' + b62(22), requestId = 'req_011' + b62(21)
      const cacheRead = context, cacheCreate = int(120, 3800), input = int(3, 12), output = int(60, 1400)
      context += cacheCreate
      truth.apiMessages++
      truth.tokens.input += input
      truth.tokens.output += output
      truth.tokens.cacheCreate += cacheCreate
      truth.tokens.cacheRead += cacheRead
      const blocks = []
      if (chance(0.45)) blocks.push({ type: 'thinking', thinking: needle('thinking', prose(420, 1), sessionId), signature: NOISE64.substr(int(0, 900000), int(200, 900)) })
      if (last || chance(0.4)) blocks.push({ type: 'text', text: needle('assistant', prose(last ? 700 : 160, 1), sessionId) })
      const tools = []
      if (!last) {
        const k = chance(0.12) ? int(2, 4) : 1
        for (let i = 0; i < k; i++) tools.push(makeTool())
        for (const tool of tools) blocks.push({ type: 'tool_use', id: tool.id, name: tool.name, input: tool.input, caller: { type: 'direct' } })
      }
      // one line a block, all with the same message.id; usage grows towards the billed count
      blocks.forEach((block, i) => {
        const fin = i === blocks.length - 1
        put({
          parentUuid: parent, ...base(),
          message: {
            model, id, type: 'message', role: 'assistant', content: [block], stop_reason: fin ? (last ? 'end_turn' : 'tool_use') : null, stop_sequence: null, stop_details: null,
            usage: { input_tokens: input, cache_creation_input_tokens: cacheCreate, cache_read_input_tokens: cacheRead, cache_creation: { ephemeral_5m_input_tokens: cacheCreate, ephemeral_1h_input_tokens: 0 }, output_tokens: fin ? output : Math.min(output, int(1, 40)), server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 }, service_tier: 'standard', inference_geo: 'not_available' },
          },
          requestId, type: 'assistant', uuid: uuid(), timestamp: now(200, 9000),
        })
        truth.assistantLines++
      })
      for (const tool of tools) {
        if (tool.progress) for (let i = 0; i < tool.progress; i++) put({ parentUuid: parent, ...base(), type: 'progress', data: { type: 'bash_progress', output: log(200, 0.5), fullOutput: '', elapsedTimeSeconds: i + 2, totalLines: int(1, 90) }, toolUseID: 'bash-progress-' + i, parentToolUseID: tool.id, timestamp: now(500, 1500), uuid: uuid() })
        const src = parent
        put({ parentUuid: parent, ...base(), promptId, type: 'user', message: { role: 'user', content: [{ tool_use_id: tool.id, type: 'tool_result', content: tool.content, ...(tool.error ? { is_error: true } : {}) }] }, uuid: uuid(), timestamp: now(20, 30000), toolUseResult: tool.result, sourceToolAssistantUUID: src })
        truth.toolResults++
      }
      if (chance(0.03)) put({ parentUuid: parent, ...base(), attachment: { type: 'todo_reminder', content: [], itemCount: 0 }, type: 'attachment', uuid: uuid(), timestamp: now(1, 5) })
      // compaction, when the window is nearly full
      if (!agent && context > 165000) {
        const logical = parent
        const pre = context
        context = int(18000, 32000)
        const b = uuid()
        put({ parentUuid: null, logicalParentUuid: logical, ...base(), type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted', isMeta: false, timestamp: now(10, 50), uuid: b, level: 'info', compactMetadata: { trigger: chance(0.8) ? 'auto' : 'manual', preTokens: pre, postTokens: context, durationMs: int(20000, 90000) } })
        put({ parentUuid: b, ...base(), type: 'user', message: { role: 'user', content: 'This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\n' + prose(9000, 0.3) }, isVisibleInTranscriptOnly: true, isCompactSummary: true, uuid: uuid(), timestamp: now(1, 5) })
        truth.compactions++
      }
    }
    if (!agent) {
      put({ parentUuid: parent, ...base(), type: 'system', subtype: 'turn_duration', durationMs: t - turnStart, messageCount: messages, timestamp: now(1, 5), uuid: uuid(), isMeta: false })
      if (chance(0.05)) w.line({ type: 'queue-operation', operation: 'enqueue', timestamp: new Date(t).toISOString(), sessionId, content: prose(60, 0.5) })
      if (turn === 1) w.line({ type: 'ai-title', aiTitle: prose(40, 0.2).replace(/\n/g, ' '), sessionId })
    }
    // An agent has one turn.
    if (agent) break
  } while (!full())
  if (!agent) w.line({ type: 'last-prompt', lastPrompt: prose(100, 0.4), leafUuid: parent, sessionId })

  function makeTool() {
    const id = 'toolu_01' + b62(22)
    const r = rnd()
    if (r < 0.34) {
      const stdout = needle('tool', log(700), sessionId)
      const error = chance(0.08)
      return { id, name: 'Bash', input: { command: pick(['npm test', 'git status --short', 'rg -n ' + zipf(IDS) + ' src', 'ls -la', 'npx tsc --noEmit', 'git diff --stat']), description: prose(40, 0.2) }, content: error ? 'Exit code 1\n' + stdout : stdout, error, result: error ? 'Error: Exit code 1\n' + stdout : { stdout, stderr: '', interrupted: false, isImage: false, noOutputExpected: false }, progress: chance(0.06) ? int(1, 4) : 0 }
    }
    if (r < 0.58) {
      const filePath = pick(files), body = code(3200, 0.9), ls = body.split('\n'), startLine = chance(0.7) ? 1 : int(2, 900)
      return { id, name: 'Read', input: { file_path: filePath, ...(startLine > 1 ? { offset: startLine, limit: ls.length } : {}) }, content: ls.map((l, i) => String(startLine + i).padStart(6) + '→' + l).join('\n'), result: { type: 'text', file: { filePath, content: body, numLines: ls.length, startLine, totalLines: startLine + ls.length + int(0, 300) } } }
    }
    if (r < 0.76) {
      const filePath = pick(files), old = code(260, 0.8), neu = code(340, 0.8), original = code(4200, 0.8), at = int(1, 400)
      const ol = old.split('\n'), nl = neu.split('\n')
      return { id, name: 'Edit', input: { file_path: filePath, old_string: old, new_string: neu, replace_all: false }, content: `The file ${filePath} has been updated successfully.`, result: { filePath, oldString: old, newString: neu, originalFile: original, structuredPatch: [{ oldStart: at, oldLines: ol.length, newStart: at, newLines: nl.length, lines: [...ol.map((l) => '-' + l), ...nl.map((l) => '+' + l)] }], userModified: false, replaceAll: false } }
    }
    if (r < 0.8) {
      const filePath = pick(files), body = code(2600, 0.8)
      return { id, name: 'Write', input: { file_path: filePath, content: body }, content: `File created successfully at: ${filePath}`, result: { type: 'create', filePath, content: body, structuredPatch: [], originalFile: null } }
    }
    if (r < 0.88) {
      const n = int(1, 60), names = Array.from({ length: n }, () => `src/${zipf(COMMON)}/${zipf(IDS)}.ts`)
      return { id, name: 'Grep', input: { pattern: zipf(IDS), path: project.cwd, output_mode: 'files_with_matches' }, content: `Found ${n} files\n` + names.join('\n'), result: { mode: 'files_with_matches', filenames: names, numFiles: n } }
    }
    if (r < 0.93) {
      const oldTodos = todos
      todos = Array.from({ length: int(2, 8) }, () => ({ content: prose(50, 0.3), status: pick(['pending', 'in_progress', 'completed']), activeForm: prose(40, 0.3) }))
      return { id, name: 'TodoWrite', input: { todos }, content: 'Todos have been modified successfully. Ensure that you continue to use the todo list to track your progress.', result: { oldTodos, newTodos: todos } }
    }
    if (r < 0.95 && !agent) {
      const agentId = 'a' + hex(16), prompt = prose(700, 0.6), description = prose(30, 0.2)
      const sub = makeSession(project, { budget: Math.min(1.5e6, (budget || 2e6) / 4), start: t, agent: { id: agentId, sessionId, prompt } })
      fs.writeFileSync(sub.file.replace(/\.jsonl$/, '.meta.json'), JSON.stringify({ agentType: 'general-purpose', description, toolUseId: id, spawnDepth: 1 }))
      truth.subagentFiles++
      const txt = prose(900, 0.6)
      return { id, name: 'Task', input: { description, prompt, subagent_type: 'general-purpose' }, content: [{ type: 'text', text: txt }], result: { status: 'completed', prompt, agentId, content: [{ type: 'text', text: txt }], totalDurationMs: sub.end - t, totalTokens: int(9000, 90000), totalToolUseCount: int(2, 20), usage: { input_tokens: 4, cache_creation_input_tokens: 900, cache_read_input_tokens: 20000, output_tokens: 800 } } }
    }
    if (r < 0.985) {
      const body = JSON.stringify({ issue: { id: int(1, 9999), title: prose(50, 0.3), body: prose(900, 0.9) } })
      return { id, name: 'mcp__tracker__get_issue', input: { id: int(1, 9999) }, content: [{ type: 'text', text: body }], result: [{ type: 'text', text: body }] }
    }
    truth.images++
    const data = NOISE64.substr(int(0, 700000), int(30000, 160000))
    return { id, name: 'Read', input: { file_path: project.cwd + '/shot.png' }, content: [{ type: 'image', source: { type: 'base64', data, media_type: 'image/png' } }], result: { type: 'image', file: { base64: data, type: 'image/png', originalSize: Math.floor(data.length * 0.75) } } }
  }

  if (!agent) {
    if (chance(0.01)) {
      w.raw('{"parentUuid":"' + parent + '","isSidechain":false,"type":"assistant","message":{"model":"' + model + '","id":"msg_01')
      truth.tornLines++
    } else {
      const damaged = chance(0.01)
      if (damaged) {
        w.raw('\u0000\u0000\u0000\u0000{"type":"user"\n')
        truth.damagedLines++
      }
    }
  }
  w.close(t)
  return { file, bytes: w.bytes, lines: w.lines, messages, end: t, sessionId }
}

// ---- the plan: a log-normal spread of session sizes, one giant -----------------------------------------------------
fs.mkdirSync(out, { recursive: true })
const weights = Array.from({ length: nSessions - 1 }, () => lognormal(1, 1.25))
const giantStart = END - 36 * 3600e3
const giant = makeSession(projects[0], { lines: biggest, start: giantStart - biggest * 9000, ownId: uuid() })
truth.biggest = { path: path.relative(out, giant.file), sessionId: giant.sessionId, bytes: giant.bytes, lines: giant.lines, messages: giant.messages }
truth.sessions++
let lastSmall = null
for (let i = 0; i < weights.length; i++) {
  const remaining = targetBytes - truth.bytes
  const rest = weights.slice(i).reduce((a, b) => a + b, 0)
  const budget = Math.max(3000, (remaining * weights[i]) / rest / 1.0)
  const start = END - Math.floor(rnd() * 120 * 86400e3)
  const s = makeSession(projects[Math.floor(Math.pow(rnd(), 1.7) * nProjects)], { budget, start, ownId: uuid() })
  truth.sessions++
  if (s.bytes > 40000 && s.bytes < 400000) lastSmall = s
}
// a --fork-session copy: the same chain lines, another sessionId, then its own tail
if (lastSmall) {
  const id = uuid()
  const src = fs.readFileSync(lastSmall.file, 'utf8').split('\n').filter((l) => l.includes('"uuid"'))
  const dst = path.join(path.dirname(lastSmall.file), id + '.jsonl')
  const body = src.map((l) => l.replaceAll(lastSmall.sessionId, id)).join('\n') + '\n'
  fs.writeFileSync(dst, body)
  fs.utimesSync(dst, END / 1000, END / 1000)
  truth.forks++
  truth.sessions++
  truth.lines += src.length
  truth.bytes += Buffer.byteLength(body)
  truth.newest = path.relative(out, dst)
}
fs.writeFileSync(path.join(out, 'history.jsonl'), history.join('\n') + '\n')
fs.writeFileSync(path.join(out, 'manifest.json'), JSON.stringify(truth, null, 1))
console.log(JSON.stringify({ ...truth, needles: Object.fromEntries(Object.entries(truth.needles).map(([k, v]) => [k, v.count])) }))
