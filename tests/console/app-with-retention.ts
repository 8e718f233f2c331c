import { setImmediate as turn } from "node:timers/promises";
import { vi } from "vitest";
import { createOwner, join, openToEveryone, type Browser } from "../support/clients/browser.ts";
import { bearer, keyHeaders, visitor, type Visitor } from "../support/clients/visitor.ts";
import type { TestServer } from "../support/servers/server.ts";

export const hourMs = 3_600_000;
export const forever = { keep_threads_days: null, keep_span_texts_days: null, keep_steps_days: null };

/** An administrator, and an app with its key. */
export async function openApp(server: TestServer) {
  const owner = await openToEveryone(await createOwner(server));
  const admin = await join(owner, { email: "admin@example.com", role: "admin" });
  return { owner, ...(await newApp(server, admin)) };
}

let apps = 0;

export async function newApp(server: TestServer, admin: Browser) {
  const params = await admin.call("console.createApp", { body: { name: `shop ${++apps}` } });
  const { key } = await admin.call("console.createKey", { params, body: { name: "shop" } });
  return {
    admin,
    params,
    backend: visitor(server.url, "backend", bearer(key)),
    user: (userId: string, workspaceId = userId): Visitor =>
      visitor(server.url, userId, keyHeaders(key, { userId, workspaceId })),
    keep: async (rules: Partial<typeof forever> | Record<string, number>) =>
      await admin.call("console.putRetention", { params, body: { ...forever, ...rules } }),
  };
}

/** Lets hours pass on these servers, with a turn of the sweeps in each; the administrator's session stays in use. */
export async function pass(servers: TestServer[], hours: number, admin: Browser): Promise<void> {
  for (let hour = 0; hour < hours; hour++) {
    for (const { clock } of servers) clock.advance(hourMs);
    for (let turns = 0; turns < 10; turns++) await turn();
    if (hour % 6 === 0) await admin.post("auth.openSession", {});
  }
}

/** Repeats turns of the sweeps until `check` passes. */
export async function soon(servers: TestServer[], check: () => Promise<void>): Promise<void> {
  await vi.waitFor(
    async () => {
      for (const { clock } of servers) clock.advance(11 * 60_000);
      await check();
    },
    { timeout: 15_000, interval: 50 },
  );
}
