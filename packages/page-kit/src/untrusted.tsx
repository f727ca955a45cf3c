/**
 * Shows untrusted text as plain text, which cannot reverse the direction of its line. Nothing in it
 * becomes a link, an image or a script.
 */
export function Untrusted({ text }: { text: string }) {
  return <bdi>{text === '' ? '(empty)' : text}</bdi>
}

/** Shows an untrusted link: only to http or https, in a new tab, and named by its host. */
export function UntrustedLink({ url }: { url: string }) {
  const safe = readWebUrl(url)
  if (!safe) return <Untrusted text={url} />
  return (
    <a href={safe.href} target="_blank" rel="noopener noreferrer nofollow">
      <Untrusted text={safe.host + (safe.pathname === '/' ? '' : safe.pathname)} />
      <span class="hidden"> (opens in a new tab)</span>
    </a>
  )
}

function readWebUrl(url: string): URL | null {
  const parsed = URL.canParse(url) ? new URL(url) : null
  return parsed && ['https:', 'http:'].includes(parsed.protocol) ? parsed : null
}
