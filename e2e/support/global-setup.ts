import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withLock } from "../../scripts/runner/lock.mjs";
import { buildWeb, isWebBuilt } from "../../scripts/runner/web-build.mjs";
import { findOrInstallHeadlessShell } from "./chromium.ts";

/**
 * Prepares what every end-to-end test needs: a browser, an up-to-date build of the web app, and a folder for the data of
 * servers, which is deleted at the end.
 */
export async function setup(): Promise<() => void> {
  await findOrInstallHeadlessShell();
  if (!isWebBuilt()) await withLock(() => buildWeb(process.execPath));
  const folder = mkdtempSync(join(tmpdir(), "parlance-e2e-run-"));
  process.env["E2E_FOLDER"] = folder;
  // Servers that several files share end with their worker, perhaps a moment later.
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
