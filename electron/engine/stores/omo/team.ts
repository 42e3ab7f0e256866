import { asFilledText, asObject, asObjects, asTexts } from '../foreign/fields';
import type { Read } from './continuation';
import { jsonFile, timeOf } from './json';
import { sessionName } from './session-name';

/** A run of a team: a lead session and its members (FORMAT.md, "Teams"). */
export interface Team {
  id: string;
  name: string | null;
  status: string;
  created: string | null;
  lead: string | null;
  members: { name: string; session: string | null; agent: string | null; category: string | null; model: string | null; status: string }[];
}

export function readTeam(bytes: Uint8Array, folderName: string): Read<Team> {
  const { fields, reason } = jsonFile(bytes);
  if (!fields) return { problem: reason };
  const lead = asFilledText(fields['leadSessionId']);
  return {
    value: {
      id: asFilledText(fields['teamRunId']) ?? folderName, name: asFilledText(fields['teamName']), status: asFilledText(fields['status']) ?? 'unknown', created: timeOf(fields['createdAt']),
      lead: lead === null ? null : sessionName(lead).native,
      members: asObjects(fields['members']).map((member) => {
        const session = asFilledText(member['sessionId']);
        return {
          name: asFilledText(member['name']) ?? '', session: session === null ? null : sessionName(session).native, agent: asFilledText(member['subagent_type']) ?? asFilledText(member['agentType']),
          category: asFilledText(member['category']), model: asFilledText(asObject(member['model'])?.['modelID']), status: asFilledText(member['status']) ?? 'unknown',
        };
      }),
    },
  };
}

/** A task of a list (FORMAT.md, "Task lists"). */
export interface ListedTask {
  id: string;
  subject: string;
  description: string;
  status: string;
  /** The session it was made in; tasks of a team have none. */
  session: string | null;
  /** The member a team's task was claimed by. */
  owner: string | null;
  blocks: string[];
  blockedBy: string[];
}

export function readTask(bytes: Uint8Array, fileName: string): Read<ListedTask> {
  const { fields, reason } = jsonFile(bytes);
  if (!fields) return { problem: reason };
  const thread = asFilledText(fields['threadID']);
  return {
    value: {
      id: asFilledText(fields['id']) ?? fileName.replace(/\.json$/, ''), subject: asFilledText(fields['subject']) ?? asFilledText(fields['title']) ?? '', description: asFilledText(fields['description']) ?? '',
      status: asFilledText(fields['status']) ?? 'unknown', session: thread === null ? null : sessionName(thread).native,
      owner: asFilledText(fields['owner']) ?? asFilledText(fields['claimedBy']), blocks: asTexts(fields['blocks']), blockedBy: asTexts(fields['blockedBy']),
    },
  };
}
