import type { ReactNode } from 'react';

/** A titled stretch of the inspector. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="facts">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Facts in two columns; those without a value are left out. */
export function Facts({ rows }: { rows: [string, ReactNode][] }) {
  return (
    <dl className="fact-list">
      {rows
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="number">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
