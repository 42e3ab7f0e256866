/** Says which choice was made where the history can be read in more than one way. Null for a doubt that is told of the run. */
export function doubtNotice(doubt: string, lookalikes: number): string | null {
  switch (doubt) {
    case 'lookalike': {
      const [lines, are] = lookalikes === 1 ? ['One line of this answer begins', 'is'] : [`${lookalikes} lines of this answer begin`, 'are'];
      const choice = `${lines} like a prompt, a program message or a new run, and ${are} taken for part of it`;
      return `Reconstructed: ${choice}. Aider itself, when it restores a history, reads such lines by their beginnings alone.`;
    }
    case 'quote':
      return 'Reconstructed: these lines are taken for a message of the program; they may be a quotation that belongs to the answer before.';
    case 'fence':
      return 'Reconstructed: a code fence or an edit block of this answer is never closed; the answer is taken to end where the program speaks again.';
    default:
      return null;
  }
}
