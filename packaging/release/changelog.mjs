// Cuts a version from the part "Unreleased" of CHANGELOG.md, which follows Keep a Changelog.

const UNRELEASED = "## [Unreleased]\n";

/** Thrown for a release that cannot be made; the message is for the person who makes it. */
export class ReleaseError extends Error {}

/**
 * @param date day of the release in UTC, such as 2026-11-29
 * @returns the changelog with the new version, and its entries as release notes
 * @throws ReleaseError if nothing is unreleased, or the changelog has the version already
 */
export function cutChangelog(text, version, date) {
  if (text.includes(`\n## [${version}]`))
    throw new ReleaseError(`CHANGELOG.md has version ${version} already`);
  const entries = unreleasedEntries(text);
  const heading = `## [${version}] - ${date}\n`;
  return {
    text: text.replace(UNRELEASED, () => `${UNRELEASED}\n${heading}`),
    notes: `# gwc ${version}\n\n${entries}\n`,
  };
}

/**
 * Returns the next version by semantic versioning: a patch if there are only fixes, otherwise a minor version.
 * A major version is a decision and has to be named.
 */
export function nextVersion(version, changelog) {
  const groups = [...unreleasedEntries(changelog).matchAll(/^### (.+)$/gm)].map(([, name]) => name);
  const [major, minor, patch] = version.split(".").map(Number);
  return groups.every((name) => name === "Fixed" || name === "Security")
    ? `${major}.${minor}.${patch + 1}`
    : `${major}.${minor + 1}.0`;
}

function unreleasedEntries(text) {
  const start = text.indexOf(UNRELEASED);
  if (start === -1) throw new ReleaseError('CHANGELOG.md has no part "Unreleased"');
  const [entries] = text.slice(start + UNRELEASED.length).split(/^## /m);
  if (!/^- /m.test(entries)) throw new ReleaseError('CHANGELOG.md has no entries under "Unreleased"');
  return entries.trim();
}
