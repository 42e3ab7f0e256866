import { useEffect, useState } from 'react';
import { call, isAbandoned, reasonOf } from '../../rpc';
import { visibleControls } from '../../ui/controls';

/** Share servers of one's own: links to them are fetched without a question. */
export function ShareServers() {
  const [servers, setServers] = useState<string[] | null>(null);
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const ask = async (wanted?: string[]) => {
    try {
      const answer = await call('share.servers', wanted ? { servers: wanted } : {});
      setServers(answer.servers);
      setProblem(answer.refused[0]?.reason ?? null);
      if (wanted && answer.refused.length === 0) setText('');
    } catch (error) {
      if (!isAbandoned(error)) setProblem(reasonOf(error));
    }
  };
  useEffect(() => void ask(), []);
  return (
    <section className="settings-part" aria-label="Share servers">
      <h2>Share servers</h2>
      <p className="soft">Links of opncd.ai and opencode.ai are fetched when you import them; any other host is asked about. Name servers of your own here: https, or http on this machine. They may lie in a private network.</p>
      {servers !== null && servers.length > 0 && (
        <ul className="settings-list">
          {servers.map((server) => (
            <li key={server}>
              <code className="settings-name break">{visibleControls(server)}</code>
              <button type="button" className="button" onClick={() => void ask(servers.filter((each) => each !== server))}>
                Remove<span className="unseen"> {server}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        className="server-add"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') void ask([...(servers ?? []), text.trim()]);
        }}
      >
        <input type="text" aria-label="Address of a share server" placeholder="https://share.example.org" value={text} spellCheck={false} autoComplete="off" aria-invalid={problem !== null} onChange={(event) => { setText(event.target.value); setProblem(null); }} />
        <button type="submit" className="button" disabled={servers === null || text.trim() === ''}>
          Add
        </button>
      </form>
      {problem !== null && (
        <p className="settings-problem" role="alert">
          {visibleControls(problem)}
        </p>
      )}
    </section>
  );
}
