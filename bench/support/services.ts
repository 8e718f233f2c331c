import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startModel, startParlance, startProxy, userWithKey, type Parlance, type User } from "./parlance.ts";
import type { Measured } from "./process.ts";

/** A model, a proxy to it, and a Parlance server, each in its own process, and a signed-in user. */
export type Services = { model: Measured; proxy: Measured; server: Parlance; person: User };

/** Starts these, runs `work`, and stops them. */
export async function withServices<T>(
  work: (services: Services) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> {
  const model = await startModel();
  const proxy = await startProxy(model.url);
  const server = await startParlance({ OPENAI_BASE_URL: `${model.url}/v1`, ...env });
  try {
    return await work({ model, proxy, server, person: userWithKey(server.url, "bench") });
  } finally {
    await server.stop();
    await proxy.stop();
    await model.stop();
  }
}

/** Runs `work` with a new folder, which is deleted afterwards. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "parlance-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
