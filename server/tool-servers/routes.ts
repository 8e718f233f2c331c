import { AppError } from "#server/lib/errors.ts";
import type { RequestFacts, Routes, Visitor } from "#server/lib/route.ts";
import type { Database } from "#storage/database/database.ts";
import type { Connections } from "./connections/connections.ts";
import { ToolServerProblem } from "./connections/tool-server-problem.ts";
import type { OfferedTools } from "./offered/offered-tools.ts";
import * as serverRows from "./rows.ts";
import { clientMetadataOf } from "./sign-in/oauth-client.ts";
import { clientMetadataUrlOf, redirectUrlOf, type SignInFlows } from "./sign-in/flows.ts";
import * as signInRows from "./sign-in/rows.ts";
import type { ToolServers } from "./tool-servers.ts";
import type { UsableServer, UsableServers } from "./usable-servers.ts";

type Name =
  | "list"
  | "create"
  | "change"
  | "remove"
  | "test"
  | "startSignIn"
  | "finishSignIn"
  | "signOut"
  | "client";

export function toolServerRoutes({
  db,
  toolServers,
  usable,
  offered,
  flows,
  connections,
  webUrl,
  mayStoreSecrets,
}: {
  db: Database;
  toolServers: ToolServers;
  usable: UsableServers;
  offered: OfferedTools;
  flows: SignInFlows;
  connections: Connections;
  webUrl(request: RequestFacts): string;
  mayStoreSecrets: boolean;
}): Routes<`toolServers.${Name}`> {
  /** Also one that the caller may change but does not use, such as one for a group. Throws `tool-server-not-found`. */
  async function find(visitor: Visitor, id: string): Promise<UsableServer> {
    const found = await usable.find(visitor, id);
    if (found === undefined) throw new AppError("tool-server-not-found");
    return found;
  }

  async function findStored(visitor: Visitor, id: string): Promise<serverRows.ToolServerRow> {
    const { row } = await find(visitor, id);
    if (row === undefined) throw new AppError("tool-server-without-sign-in");
    return row;
  }

  async function askSoon(visitor: Visitor, id: string): Promise<void> {
    const server = await usable.find(visitor, id);
    if (server !== undefined) void offered.askQuietly(server, visitor.userId);
  }

  return {
    "toolServers.list": async ({ visitor }) => await toolServers.list(visitor),
    "toolServers.create": async ({ visitor, body, request }) => {
      const server = await toolServers.create({ visitor, request }, body);
      await askSoon(visitor, server.id);
      return { server };
    },
    "toolServers.change": async ({ visitor, params, body, request }) => {
      const server = await toolServers.change({ visitor, request }, params.tool_server_id, body);
      await askSoon(visitor, server.id);
      return { server };
    },
    "toolServers.remove": async ({ visitor, params, request }) => {
      await toolServers.remove({ visitor, request }, params.tool_server_id);
      return {};
    },
    "toolServers.test": async ({ visitor, params, request }) =>
      await offered.test(await find(visitor, params.tool_server_id), visitor.userId, request.signal),
    "toolServers.startSignIn": async ({ visitor, params, request }) => {
      if (!mayStoreSecrets) throw new AppError("secret-not-set");
      const server = await findStored(visitor, params.tool_server_id);
      return await asAppError(async () => await flows.start(server, visitor, webUrl(request)));
    },
    "toolServers.finishSignIn": async ({ visitor, body, request }) => {
      const { id } = await asAppError(
        async () =>
          await flows.finish(body, visitor, async (tx, server) => {
            const from = { visitor, request };
            await toolServers.record(tx, "tool-server-signed-in", server, { from });
            await toolServers.announce(tx, visitor);
          }),
      );
      connections.disconnect(id, visitor.userId);
      await askSoon(visitor, id);
      return { server: await toolServers.get(visitor, id) };
    },
    "toolServers.signOut": async ({ visitor, params, request }) => {
      const row = await findStored(visitor, params.tool_server_id);
      await db.write(async (tx) => {
        const key = { server_id: row.id, user_id: visitor.userId };
        await serverRows.deleteLists(tx, row.id, visitor.userId);
        if (!(await signInRows.deleteSignIn(tx, key))) return;
        await toolServers.record(tx, "tool-server-signed-out", row, { from: { visitor, request } });
        await toolServers.announce(tx, visitor);
      });
      connections.disconnect(row.id, visitor.userId);
      return {};
    },
    "toolServers.client": ({ request }) => {
      const url = webUrl(request);
      const { client_name, client_uri, redirect_uris, grant_types, response_types } = clientMetadataOf(
        redirectUrlOf(url),
      );
      return Promise.resolve({
        client_id: clientMetadataUrlOf(url) ?? url,
        client_name: client_name ?? "",
        client_uri: client_uri ?? url,
        redirect_uris: [...redirect_uris],
        grant_types: grant_types ?? [],
        response_types: response_types ?? [],
        token_endpoint_auth_method: "none",
      });
    },
  };
}

async function asAppError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ToolServerProblem)) throw error;
    const { code, detail } = error;
    throw new AppError(code, {
      cause: error,
      ...(detail === undefined ? {} : { details: [{ path: "path.tool_server_id", message: detail }] }),
    });
  }
}
