import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from '../chromium.ts'
import { runLighthouse } from './run-lighthouse.ts'
import { serveSite } from './serve-site.ts'

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
const paths = ['/', '/guides/retries', '/reference/http', '/reference/api/core-node']
const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1280, 360].map((width) => ({ colorScheme, width })),
)

describe('the site', () => {
  let browser: Browser
  let site: Awaited<ReturnType<typeof serveSite>>

  beforeAll(async () => {
    site = await serveSite()
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await site.stop()
  })

  it.each(looks)(
    'is accessible and fits in $colorScheme at a width of $width',
    async ({ colorScheme, width }) => {
      const page = await open({ colorScheme, viewport: { width, height: 800 } })
      const seen: unknown[] = []
      for (const path of paths) {
        await page.goto(`${site.url}${path}`, { waitUntil: 'networkidle' })
        const scrollWidth = await page.evaluate('document.documentElement.scrollWidth')
        seen.push({ path, violations: await violations(page), scrollWidth })
      }
      expect(seen).toEqual(paths.map((path) => ({ path, violations: [], scrollWidth: width })))
      await page.close()
    },
  )

  it.each(paths)('gets 95 or more for accessibility and practices at %s', async (path) => {
    const scores = await runLighthouse(`${site.url}${path}`)
    console.log(`Lighthouse, ${path}:`, scores)
    expect(scores.accessibility).toBeGreaterThanOrEqual(95)
    expect(scores['best-practices']).toBeGreaterThanOrEqual(95)
  })

  it('finds a page by a word in its text', async () => {
    const page = await open({ viewport: { width: 1280, height: 800 } })
    await page.goto(`${site.url}/start`, { waitUntil: 'networkidle' })
    await page.keyboard.press('/')
    await page.locator('#localsearch-input').fill('dead letters')
    await page.locator('.VPLocalSearchBox .result').first().click()
    await expect.poll(() => page.url()).toContain('retries')
    await page.close()
  })

  it('loads nothing from other hosts', async () => {
    const page = await open({ viewport: { width: 1280, height: 800 } })
    const elsewhere: string[] = []
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(site.url) && !url.startsWith('data:')) elsewhere.push(url)
    })
    for (const path of paths) await page.goto(`${site.url}${path}`, { waitUntil: 'networkidle' })
    expect(elsewhere).toEqual([])
    await page.close()
  })

  it('serves its guides as text for language models', async () => {
    const text = await (await fetch(`${site.url}/llms.txt`)).text()
    expect(text).toContain('Exactly once')
    const full = await (await fetch(`${site.url}/llms-full.txt`)).text()
    expect(full).toContain('effects.once')
    expect(full.length).toBeGreaterThan(100_000)
  })

  function open(options: Parameters<Browser['newPage']>[0]): Promise<Page> {
    return browser.newPage({ ...options, reducedMotion: 'reduce' })
  }
})

interface AxeResults {
  violations: { id: string; nodes: { html: string }[] }[]
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const results = (await page.evaluate('axe.run()')) as AxeResults
  return results.violations.map(({ id, nodes }) => `${id} ${nodes.length}: ${nodes[0]?.html}`)
}
