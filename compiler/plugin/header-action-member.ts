/** Members of step data with header actions, by plugin; other plugins have them in `headers`. */
const members = new Map<string, string>();

export function registerHeaderActions(plugin: string, member: string | undefined): void {
  if (member !== undefined) members.set(plugin, member);
}

export const headerActionMember = (plugin: string): string => members.get(plugin) ?? "headers";
