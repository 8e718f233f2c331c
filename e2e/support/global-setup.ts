import { withLock } from "../../scripts/runner/lock.mjs";
import { buildWeb, isWebBuilt } from "../../scripts/runner/web-build.mjs";
import { findOrInstallHeadlessShell } from "./chromium.ts";

/** Prepares what every end-to-end test needs: a browser, and an up-to-date build of the web app. */
export async function setup() {
  findOrInstallHeadlessShell();
  if (!isWebBuilt()) await withLock(() => buildWeb(process.execPath));
}
