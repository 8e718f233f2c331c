import { withLock } from "../../scripts/runner/lock.mjs";
import { buildWeb, isWebBuilt } from "../../scripts/runner/web-build.mjs";
import { findOrBringChromium } from "./chromium.ts";

/** What every end-to-end test takes for granted: a browser, and the web app as it is now. */
export async function setup() {
  findOrBringChromium();
  if (!isWebBuilt()) await withLock(() => buildWeb(process.execPath));
}
