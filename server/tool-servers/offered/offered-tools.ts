import type { Client } from "@modelcontextprotocol/client";
import * as z from "zod/mini";
import type { ToolServerTest } from "#contract/tool-servers/endpoints.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Jobs } from "#server/jobs/jobs.ts";
import type { SteadyClock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { PersonInWorkspace } from "#server/people/rights/rights.ts";
import {
  identify,
  ToolError,
  type ServerToolDefinition,
  type Tool,
  type ToolContext,
} from "#server/tools/tool.ts";
import type { Database } from "#storage/database/database.ts";
import type { Connections } from "../connections/connections.ts";
import { cleanDetail, problemOf, type ToolServerProblem } from "../connections/tool-server-problem.ts";
import * as rows from "../rows.ts";
import { listSignInsOf } from "../sign-in/rows.ts";
import type { UsableServer, UsableServers } from "../usable-servers.ts";
import { readResult } from "./read-result.ts";
import { readTools, toolsMax, type LeftOut, type ListedTool } from "./read-tools.ts";

/** The tools of tool servers: listed from what is stored, called at their server. */
export type OfferedTools = ReturnType<typeof createOfferedTools>;

/** 10 min: after that, the next answer begins with the known list, and a new one is requested for later. */
const listFreshMs = 10 * 60_000;
/** A minute after a request failed, an answer may start another one. */
const retryMs = 60_000;
const listMs = 30_000;
/** Without a sign of life from the server. */
const silenceMs = 60_000;
/** A whole call, with progress. */
const callMs = 5 * 60_000;
/** A server that changes its tools all the time is asked every few seconds. */
const changedMs = 2_000;
const pagesMax = 20;
const toolPage = z.object({ tools: z.array(z.unknown()), nextCursor: z.optional(z.string()) });

type Listing = { tools: ListedTool[]; leftOut: LeftOut };

export function createOfferedTools({
  db,
  clock,
  logger,
  jobs,
  usable,
  connections,
  onUnauthorized,
}: {
  db: Database;
  clock: SteadyClock;
  logger: Logger;
  jobs: Pick<Jobs, "track">;
  usable: UsableServers;
  connections: Pick<Connections, "use">;
  /** Stores that the person must sign in with these scopes. */
  onUnauthorized(server: UsableServer, userId: string, problem: ToolServerProblem): Promise<void>;
}) {
  /** What this process is asking, and when it may ask again. */
  const asking = new Map<string, Promise<Listing>>();
  const changed = new Set<string>();
  const askAgainMs = new Map<string, number>();

  /** Whose list it is: everybody's where nobody signs in. */
  const listOwner = ({ row }: UsableServer, userId: string) =>
    row?.wants_sign_in === 1 || typeof row?.user_id === "string" ? userId : "";

  const keyOf = (server: UsableServer, userId: string) =>
    `${server.id} ${server.version} ${listOwner(server, userId)}`;

  async function listNow(
    server: UsableServer,
    userId: string,
    client: Client,
    signal: AbortSignal,
  ): Promise<Listing> {
    const capabilities = client.getServerCapabilities();
    const listed = capabilities?.tools === undefined ? [] : await listAll(client, signal);
    const listing = readTools(listed, server.toolPrefix);
    await db.write(async (tx) => {
      // It may have been removed meanwhile.
      if (server.row !== undefined && (await rows.findServer(tx.q, server.id)) === undefined) return;
      await rows.putList(tx, {
        server_id: server.id,
        user_id: listOwner(server, userId),
        tools: JSON.stringify(listing.tools),
        listed_at: clock.now(),
      });
    });
    return listing;
  }

  /** Asks the server for its tools, once at a time, and stores them. Throws `ToolServerProblem`. */
  async function ask(server: UsableServer, userId: string): Promise<Listing> {
    const key = keyOf(server, userId);
    const running =
      asking.get(key) ??
      jobs
        .track(
          async (stopping) =>
            await connections.use(
              server,
              userId,
              stopping,
              async (client) => await listNow(server, userId, client, stopping),
            ),
        )
        .finally(() => asking.delete(key));
    asking.set(key, running);
    askAgainMs.set(key, clock.elapsedMs() + retryMs);
    return await running;
  }

  /** Asks the server while nobody waits. */
  async function askQuietly(server: UsableServer, userId: string): Promise<void> {
    await ask(server, userId).catch((error: unknown) =>
      logger.info({ err: error, server: server.id }, "a tool server could not be asked for its tools"),
    );
  }

  /** Asks those whose list is old or missing. */
  function askLater(servers: readonly UsableServer[], userId: string): void {
    for (const server of servers) {
      const key = keyOf(server, userId);
      const isDue = !asking.has(key) && (askAgainMs.get(key) ?? -Infinity) <= clock.elapsedMs();
      if (isDue) void askQuietly(server, userId);
    }
  }

  async function call(
    { server, listed, person }: { server: UsableServer; listed: ListedTool; person: PersonInWorkspace },
    args: JsonObject,
    { signal, cite }: ToolContext,
  ) {
    const { userId } = person;
    // An answer can take an hour, and what it began with may be taken away.
    if ((await usable.find(person, server.id))?.version !== server.version)
      throw new ToolError(`The tool server ${server.name} was changed or may not be used any more.`);
    try {
      const answer = await connections.use(
        server,
        userId,
        signal,
        async (client) =>
          await client.callTool(
            { name: listed.tool, arguments: args },
            {
              signal,
              timeout: silenceMs,
              resetTimeoutOnProgress: true,
              maxTotalTimeout: callMs,
              onprogress: () => {},
            },
          ),
      );
      const { result, links } = readResult(answer);
      for (const link of links) cite(link);
      return result;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ToolError) throw error;
      const problem = problemOf(error);
      if (problem.code === "tool-server-needs-sign-in") await onUnauthorized(server, userId, problem);
      logger.info({ err: error, server: server.id }, "a call of a tool server failed");
      throw new ToolError(sentenceOf(problem, server.name));
    }
  }

  function toolOf(server: UsableServer, listed: ListedTool, person: PersonInWorkspace): Tool {
    const { name, title, description, parameters } = listed;
    const isReader = server.trustsHints && listed.effect === "reads";
    return identify<ServerToolDefinition>(
      {
        name,
        title: `${server.name}: ${title}`,
        description,
        parameters,
        effect: isReader ? "reads" : "writes",
        ...(server.row === undefined ? {} : { sendsTo: new URL(server.row.url).host }),
        readsStrangers: !(server.trustsHints && listed.isClosed),
        readsOtherThreads: false,
        timeLimitMs: callMs,
        check(args) {
          if (typeof args !== "object" || args === null || Array.isArray(args))
            throw new ToolError("The arguments must be a JSON object.");
        },
        run: async (args, context) => await call({ server, listed, person }, args as JsonObject, context),
      },
      server.id,
    );
  }

  return {
    /**
     * The tools that this person's assistants may call, as they were last listed, and the servers that nothing is known of
     * or that no longer accept the person's sign-in. Asks no server: those whose list is old are asked for the next answer.
     */
    async of(person: PersonInWorkspace): Promise<{ tools: Tool[]; unavailable: string[] }> {
      const servers = await usable.of(person);
      if (servers.length === 0) return { tools: [], unavailable: [] };
      const [stored, signIns] = await Promise.all([
        rows.readLists(db.read, person.userId),
        listSignInsOf(db.read, person.userId),
      ]);
      const isExpired = new Map(signIns.map(({ server_id: id, is_expired }) => [id, is_expired === 1]));
      const ready = servers.filter(({ id, row }) => row?.wants_sign_in !== 1 || isExpired.get(id) === false);
      const listOf = (server: UsableServer) =>
        stored.find(
          ({ server_id: id, user_id }) => id === server.id && user_id === listOwner(server, person.userId),
        );
      askLater(
        ready.filter((server) => (listOf(server)?.listed_at ?? 0) + listFreshMs <= clock.now()),
        person.userId,
      );
      return {
        tools: ready.flatMap((server) => {
          const list = listOf(server);
          const listed = list === undefined ? [] : (JSON.parse(list.tools) as ListedTool[]);
          return listed.map((each) => toolOf(server, each, person));
        }),
        unavailable: servers
          .filter((server) =>
            ready.includes(server) ? listOf(server) === undefined : isExpired.get(server.id) === true,
          )
          .map(({ name }) => name),
      };
    },

    /** Asks the server for its tools while nobody waits, such as after somebody has added it. */
    askQuietly,

    /** The server said that its tools changed. */
    async listChanged(server: UsableServer, userId: string): Promise<void> {
      const key = keyOf(server, userId);
      if (changed.has(key)) return;
      changed.add(key);
      await jobs.track(async (stopping) => await clock.sleep(changedMs, stopping).catch(() => {}));
      changed.delete(key);
      await askQuietly(server, userId);
    },

    /** What the server offers, asked now. Nothing is thrown: the result has the problem. */
    async test(server: UsableServer, userId: string, signal: AbortSignal): Promise<ToolServerTest> {
      const startMs = clock.elapsedMs();
      const took = () => Math.round(clock.elapsedMs() - startMs);
      const nothing = { server: null, tools: [], left_out: [], offers: [] };
      try {
        return await connections.use(server, userId, signal, async (client) => {
          const { tools, leftOut } = await listNow(server, userId, client, signal);
          const capabilities = client.getServerCapabilities();
          const info = client.getServerVersion();
          return {
            problem: null,
            detail: null,
            took_ms: took(),
            server: {
              name: cleanDetail(info?.name ?? ""),
              version: cleanDetail(info?.version ?? ""),
              protocol: client.getNegotiatedProtocolVersion() ?? "",
            },
            tools: tools.map(({ name, title, description, effect, parameters }) => ({
              name,
              title,
              description,
              effect,
              parameters,
            })),
            left_out: leftOut,
            offers: (["tools", "resources", "prompts"] as const).filter(
              (each) => capabilities?.[each] !== undefined,
            ),
          };
        });
      } catch (error) {
        signal.throwIfAborted();
        const problem = problemOf(error);
        if (problem.code === "tool-server-needs-sign-in") await onUnauthorized(server, userId, problem);
        return { problem: problem.code, detail: problem.detail ?? null, took_ms: took(), ...nothing };
      }
    },
  };
}

/** All pages, of which each tool is read on its own: one that breaks the protocol costs only itself. */
async function listAll(client: Client, signal: AbortSignal): Promise<unknown[]> {
  const tools: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pagesMax; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const listed = await client.request({ method: "tools/list", params }, toolPage, {
      signal,
      timeout: listMs,
    });
    tools.push(...listed.tools);
    cursor = listed.nextCursor;
    if (cursor === undefined || tools.length > toolsMax) break;
  }
  return tools;
}

/** For the model and the person: what is wrong, and what the person can do. */
function sentenceOf({ code, detail }: ToolServerProblem, name: string): string {
  const sentences: Partial<Record<ToolServerProblem["code"], string>> = {
    "tool-server-needs-sign-in": `The person must sign in to the tool server ${name} first, in Settings > Tools.`,
    "tool-server-refused": `The tool server ${name} refused the key or this call.`,
    "tool-server-unreachable": `The tool server ${name} cannot be reached or did not answer in time.`,
  };
  return [sentences[code] ?? `The tool server ${name} failed.`, detail].filter(Boolean).join(" ");
}
