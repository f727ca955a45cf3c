/** A name that npm takes, as near as it can be to the name of a folder. */
export function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[._-]+|-+$/g, '')
  return name.slice(0, 214) || 'feed-app'
}
