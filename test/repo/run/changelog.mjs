const title = '# Changelog\n'
const unreleased = '## Unreleased\n'

/** Puts a release at the top of the changelog: the changesets, and the unreleased section. */
export function addRelease(changelog, version, changesets) {
  const entries = changesets.map(toEntry).filter((entry) => entry !== undefined)
  const release = `## ${version}\n\n${entries.join('\n')}\n`
  return changelog.includes(unreleased)
    ? changelog.replace(unreleased, () => release)
    : changelog.replace(title, () => `${title}\n${release}`)
}

/** The line of a changeset; undefined if it releases nothing. */
function toEntry(changeset) {
  const [, packages = '', summary = ''] = /^---\n(.*?)---\n(.*)$/s.exec(changeset) ?? []
  const names = [...packages.matchAll(/^["']?([^"':\n]+)["']?:/gm)].map(([, name]) => `\`${name}\``)
  if (names.length === 0) return undefined
  return `- ${names.join(', ')}: ${summary.trim().replaceAll(/\s*\n\s*/g, ' ')}`
}
