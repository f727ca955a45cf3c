const needed = [20, 19] as const

/** Says which Node is needed where this one is too old. Written so that old ones can read it. */
export function explainOldNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > needed[0] || (major === needed[0] && minor >= needed[1])) return undefined
  return `Node ${needed.join('.')} or newer is needed, and this is ${version}. Nothing was made.`
}
