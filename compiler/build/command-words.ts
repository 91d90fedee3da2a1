/**
 * The words of a command as a shell parts them: at blanks, but not in quotes. Nothing is replaced in them.
 * @returns undefined where a quote is not closed
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
