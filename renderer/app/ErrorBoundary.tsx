import { Component, type ReactNode } from 'react';
import { Failed } from '../ui/Failed';

interface Props {
  /** What broke, in words: "the timeline". */
  what: string;
  /** When it changes, another try is made. */
  retryOn: unknown;
  children: ReactNode;
}

/** A pane that fails by our own fault says so and leaves the others standing. */
export class ErrorBoundary extends Component<Props, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidUpdate(before: Props): void {
    if (this.state.error && before.retryOn !== this.props.retryOn) this.setState({ error: null });
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <Failed title={`A fault of Retrace stopped ${this.props.what}`} again={() => this.setState({ error: null })}>
        <p>Nothing in a store was touched. What happened:</p>
        <code>{error.message}</code>
      </Failed>
    );
  }
}
