import type { SecretVault } from "#server/sign-in/secret-vault.ts";
import type { Database } from "#storage/database/database.ts";
import type { Reach } from "./connections/open-client.ts";
import { ToolServerProblem } from "./connections/tool-server-problem.ts";
import * as rows from "./rows.ts";
import { secretsOf } from "./server-secrets.ts";
import type { Tokens } from "./sign-in/tokens.ts";
import type { UsableServer } from "./usable-servers.ts";

/** How people reach tool servers: with the server's keys and their own tokens, which go to no other origin. */
export function createReach({
  db,
  vault,
  tokens,
  fetchOf,
}: {
  db: Database;
  vault: SecretVault;
  tokens: Tokens;
  fetchOf(server: rows.ToolServerRow): (input: string | URL, init?: RequestInit) => Promise<Response>;
}) {
  return {
    /** Throws `ToolServerProblem` if the server's keys cannot be decrypted. */
    of(server: UsableServer, userId: string): Reach {
      const { row } = server;
      if (row === undefined) return { command: server.command };
      const secrets = secretsOf(vault, row);
      if (secrets === undefined) throw new ToolServerProblem("tool-server-refused");
      const { origin } = new URL(row.url);
      const send = fetchOf(row);
      const hasKey = secrets.headers.some(({ name }) => name.toLowerCase() === "authorization");
      const person = tokens.forConnection(row, userId, {
        async onUnknown() {
          if (hasKey) throw new ToolServerProblem("tool-server-refused");
          if (row.wants_sign_in === 1) return;
          await db.write(async (tx) => await rows.updateServer(tx, row.id, { wants_sign_in: 1 }));
        },
      });
      return {
        url: row.url,
        transport: row.transport,
        headers: secrets.headers,
        async send(input, init) {
          if (new URL(input).origin !== origin)
            throw new ToolServerProblem("tool-server-failed", {
              detail: "It sent this server to another origin.",
            });
          return await send(input, init);
        },
        ...person,
      };
    },

    /** Stores that the person must sign in again, if the server wants more rights than it was given. */
    async onUnauthorized({ row }: UsableServer, userId: string, { scope }: ToolServerProblem): Promise<void> {
      if (row !== undefined && scope !== undefined)
        await tokens.expire(row, userId, { wantedScope: scope }).catch(() => {});
    },
  };
}
