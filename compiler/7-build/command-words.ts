/**
 * Splits a command into words as a shell does: at blanks outside of quotes. Nothing is expanded.
 * @returns undefined if a quote is not closed
 */
export function commandWords(command: string): string[] | undefined {
  const words: string[] = [];
  const word = /\s*((?:[^\s"']|"[^"]*"|'[^']*')+)/y;
  const text = command.trimEnd();
  while (word.lastIndex < text.length) {
    const [, found] = word.exec(text) ?? [];
    if (found === undefined) return undefined;
    words.push(found.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single = "") => double ?? single));
  }
  return words;
}
