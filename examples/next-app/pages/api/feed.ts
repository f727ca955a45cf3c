/* oxlint-disable import/no-default-export -- the Pages Router requires one */
// #region route
import { toNodeHandler } from '@feed-receiver/core/node'
import { toNext } from '@feed-receiver/next'
import { feed } from '../../feed'

export default toNodeHandler(toNext(feed.receiver))

// Next would parse the body, and the receiver verifies the raw one.
export const config = { api: { bodyParser: false } }
// #endregion
