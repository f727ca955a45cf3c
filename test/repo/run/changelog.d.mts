/** Puts a release on top of the changelog: the changesets, and what was not released before. */
export function addRelease(changelog: string, version: string, changesets: string[]): string
