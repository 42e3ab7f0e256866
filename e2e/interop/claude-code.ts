import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ran } from './child';
import { messages } from './mock/messages';
import type { Conversation, Rule } from './mock/script';
import { MockModel } from './mock/server';
import { Place } from './place';
import { commandOf, versionOf } from './programs';

/** The end of this is what the program keeps of a key that the person agreed to. */
const key = 'sk-ant-api03-none-0000-offline-tests-0000';

/** Claude Code with a home and a model of its own. */
export class ClaudeCode {
  private constructor(
    readonly place: Place,
    readonly model: MockModel,
    private readonly folder = place.project,
  ) {}

  static async open(rules: (project: string) => Rule[], project?: string): Promise<ClaudeCode> {
    const place = new Place('claude-code', { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1', DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1', CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '1', ANTHROPIC_API_KEY: key }, project);
    const model = await MockModel.start(messages, rules(place.project));
    place.env['ANTHROPIC_BASE_URL'] = model.address;
    place.env['CLAUDE_CODE_TMPDIR'] = join(place.home, '.cache/claude-tmp');
    place.write('.claude.json', JSON.stringify({
      numStartups: 5, hasCompletedOnboarding: true, lastOnboardingVersion: versionOf('claude-code'), theme: 'dark',
      customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
      projects: { [place.project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, allowedTools: [] } },
    }));
    return new ClaudeCode(place, model);
  }

  /** The same Claude Code in another folder. */
  in(folder: string): ClaudeCode {
    return new ClaudeCode(this.place, this.model, folder);
  }

  /** One headless run; the session it went on in. */
  async say(prompt: string, ...args: string[]): Promise<string> {
    const out = await ran(commandOf('claude-code'), ['-p', prompt, '--output-format', 'json', '--permission-mode', 'acceptEdits', '--allowedTools', 'Bash', ...args], { cwd: this.folder, env: this.place.env });
    return (JSON.parse(out) as { session_id: string }).session_id;
  }

  /** Makes the store, with a session of its own in it. */
  async begin(): Promise<void> {
    await this.say('begin');
  }

  /** Goes on with a session in a process of its own; what the model was sent. */
  continue(session: string, prompt: string): Promise<Conversation[]> {
    return this.model.turnsDuring(async () => {
      const went = await this.say(prompt, '--resume', session);
      if (went !== session) throw new Error(`Claude Code went on in ${went}, not in ${session}`);
    });
  }

  /** Claude Code's own way of taking files back to where they were before a prompt. */
  async rewindFiles(session: string, prompt: string): Promise<void> {
    await ran(commandOf('claude-code'), ['-p', '--resume', session, '--rewind-files', prompt], { cwd: this.place.project, env: this.place.env });
  }

  /** The transcripts, whole paths. */
  transcripts(): string[] {
    const folder = join(this.place.home, '.claude/projects');
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl')).map((name) => join(folder, name));
  }

  async close(): Promise<void> {
    await this.model.close();
    this.place.dispose();
  }
}
