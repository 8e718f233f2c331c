import { performance } from "node:perf_hooks";
import type { Role } from "#contract/accounts/permissions.ts";
import type { BodyOf } from "#contract/api.ts";
import type { WebSearchSettings, WebSearchTestResult } from "#contract/web-search/endpoints.ts";
import type { Database } from "#storage/database/database.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import { checkMayConnect, confirmsPrivateHost } from "#server/fetch/hosts.ts";
import type { OutgoingProxy } from "#server/fetch/outgoing-proxy.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import type { SecretVault } from "#server/sign-in/secret-vault.ts";
import { askService, WebSearchError, type Connection } from "./ask-service.ts";
import * as rows from "./rows.ts";
import { contextOf, searchKeyOf } from "./search-key.ts";
import { searchServices, type FoundPage } from "./services.ts";

/** Searches the web with the service that an administrator has entered. */
export type WebSearch = ReturnType<typeof createWebSearch>;

export function createWebSearch(options: {
  db: Database;
  clock: Clock;
  vault: SecretVault;
  mayStoreSecrets: boolean;
  proxy: OutgoingProxy | undefined;
}) {
  const { db, clock, vault, mayStoreSecrets, proxy } = options;

  function connectionOf(row: rows.WebSearchRow): Connection {
    const { service } = row;
    return {
      service,
      address: addressOf(row),
      key: searchKeyOf(vault, row) ?? "",
      isPublicOnly: row.is_private === 0,
      proxy,
    };
  }

  /** Throws `web-search-not-set`. */
  async function connection(): Promise<Connection> {
    const row = await rows.findWebSearch(db.read);
    if (row === undefined) throw new AppError("web-search-not-set");
    return connectionOf(row);
  }

  return {
    /** The host that searches go to; `undefined` if there is no service. */
    async host(): Promise<string | undefined> {
      const row = await rows.findWebSearch(db.read);
      return row && new URL(addressOf(row)).host;
    },

    async settings(): Promise<WebSearchSettings | null> {
      const row = await rows.findWebSearch(db.read);
      if (row === undefined) return null;
      const { service, address } = row;
      return { service, address, has_key: searchKeyOf(vault, row) !== undefined };
    },

    /** Throws `secret-not-set` and `provider-private`, and `bad-request` if the address or the key is missing. */
    async put(actor: Actor, role: Role, { key, service, ...given }: BodyOf<"webSearch.put">): Promise<void> {
      const address = given.address?.replace(/\/+$/, "") ?? null;
      if (key !== undefined && !mayStoreSecrets) throw new AppError("secret-not-set");
      if (address === null && searchServices[service].address === undefined)
        throw badRequest("body.address", "must be the address of your SearXNG server");
      if (address !== null && !URL.canParse(address))
        throw badRequest("body.address", "must be a complete URL, such as https://search.example.com");
      const url = addressOf({ service, address });
      await checkMayConnect(role, url);
      const isPrivate = await confirmsPrivateHost(role, url);
      await db.write(async (tx) => {
        const nowMs = clock.now();
        const settings = { service, address };
        const before = await rows.findWebSearch(tx.q);
        const hasKey =
          before !== undefined && contextOf(before) === contextOf(settings) && before.ciphertext !== null;
        if (key === undefined && !hasKey && service !== "searxng")
          throw badRequest("body.key", "must be the key of your account at the service");
        const row = { id: "server" as const, ...settings, is_private: isPrivate ? 1 : 0, updated_at: nowMs };
        await rows.putWebSearch(tx, row);
        if (key !== undefined) await rows.putWebSearchKey(tx, vault.encrypt(key, contextOf(settings)));
        else if (!hasKey) await rows.deleteWebSearchKey(tx);
        await recordAudit(tx, { action: "web-search-changed", actor, details: settings }, nowMs);
      });
    },

    /** Throws `web-search-not-set`. */
    async remove(actor: Actor): Promise<void> {
      await db.write(async (tx) => {
        if (!(await rows.deleteWebSearch(tx))) throw new AppError("web-search-not-set");
        const details = { removed: true };
        await recordAudit(tx, { action: "web-search-changed", actor, details }, clock.now());
      });
    },

    /** The pages that the service finds, the best first. Throws `WebSearchError`, `web-search-not-set` and the signal's reason. */
    async search(
      query: string,
      { count, signal }: { count: number; signal: AbortSignal },
    ): Promise<FoundPage[]> {
      return await askService(await connection(), { query, count, signal });
    },

    /** Throws `web-search-not-set`. */
    async test(query: string, signal: AbortSignal): Promise<WebSearchTestResult> {
      const asked = await connection();
      const startMs = performance.now();
      const took = () => Math.round(performance.now() - startMs);
      try {
        const found = await askService(asked, { query, count: 5, signal });
        const titles = found.map(({ title, url }) => title || url);
        return { problem: null, service_text: null, titles, took_ms: took() };
      } catch (error) {
        if (!(error instanceof WebSearchError)) throw error;
        const { problem, serviceText = null } = error;
        return { problem, service_text: serviceText, titles: [], took_ms: took() };
      }
    },
  };
}

function addressOf({ service, address }: Pick<rows.WebSearchRow, "service" | "address">): string {
  return address ?? searchServices[service].address!;
}
