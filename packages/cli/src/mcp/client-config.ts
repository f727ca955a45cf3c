/** Configuration for common clients. It names variables and contains no secret. */
export function clientConfig() {
  const command = 'npx'
  const args = ['feed-receiver', 'mcp']
  const env = (form: (name: string) => string) => ({
    DATABASE_URL: form('DATABASE_URL'),
    FEED_SIGNING_SECRET: form('FEED_SIGNING_SECRET'),
  })
  const asServer = (form: (name: string) => string) => ({
    'feed-receiver': { command, args, env: env(form) },
  })
  return {
    claudeCode: { file: '.mcp.json', json: { mcpServers: asServer((name) => `\${${name}:-}`) } },
    cursor: {
      file: '.cursor/mcp.json',
      json: { mcpServers: asServer((name) => `\${env:${name}}`) },
    },
    vscode: {
      file: '.vscode/mcp.json',
      json: { servers: asServer((name) => `\${env:${name}}`) },
    },
  }
}
