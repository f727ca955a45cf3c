/**
 * Where the built page of `feed-receiver dev` is: a timeline of every event, over the screens of the
 * sandbox and of the console. Give it to `createSandbox` as `page.folder`.
 */
export const devPage = new URL('../../dist/page/', import.meta.url)
