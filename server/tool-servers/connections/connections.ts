import type { Client } from "@modelcontextprotocol/client";
import type { SteadyClock } from "#server/lib/clock.ts";
import { unlessAborted } from "#server/lib/unless-aborted.ts";
import type { UsableServer } from "../usable-servers.ts";
import { openClient, type OpenClient, type Reach } from "./open-client.ts";
import { problemOf, ToolServerProblem } from "./tool-server-problem.ts";

/** Connections to tool servers: one for each server and person, which ends when it is not used. */
export type Connections = ReturnType<typeof createConnections>;

/** Of one process. One takes some kilobytes, or a process if the server is one. */
const connectionsMax = 200;
/** 5 min: people who talk about something need the same server again soon. */
const idleMs = 5 * 60_000;

type Connection = {
  key: string;
  opening: Promise<OpenClient>;
  uses: number;
  usedMs: number;
  /** Nobody gets it any more. It ends with the last call that uses it. */
  isGivenUp: boolean;
};

export function createConnections({
  clock,
  reachOf,
  onListChanged,
}: {
  clock: SteadyClock;
  /** How this person reaches the server. Throws `ToolServerProblem`. */
  reachOf(server: UsableServer, userId: string): Reach;
  onListChanged(server: UsableServer, userId: string): void;
}) {
  const open = new Map<string, Connection>();
  const stopping = new AbortController();

  /** Ends the connection at once, also under calls that use it. */
  function drop(connection: Connection): void {
    if (open.get(connection.key) === connection) open.delete(connection.key);
    connection.isGivenUp = true;
    void connection.opening.then(
      ({ close }) => close(),
      () => {},
    );
  }

  /** Ends the connection that was not used for the longest time. Throws if all are in use. */
  function makeRoom(): void {
    if (open.size < connectionsMax) return;
    const idle = [...open.values()].filter(({ uses }) => uses === 0);
    const [oldest] = idle.toSorted((a, b) => a.usedMs - b.usedMs);
    if (oldest === undefined)
      throw new ToolServerProblem("tool-server-unreachable", {
        detail: "Too many tool servers are in use at the same time.",
      });
    drop(oldest);
  }

  function connect(server: UsableServer, userId: string): Connection {
    const key = `${server.id} ${server.version} ${userId}`;
    const existing = open.get(key);
    if (existing !== undefined) return existing;
    makeRoom();
    const connection: Connection = {
      key,
      uses: 0,
      isGivenUp: false,
      usedMs: clock.elapsedMs(),
      opening: openClient(reachOf(server, userId), {
        signal: stopping.signal,
        onListChanged: () => onListChanged(server, userId),
        onClose: () => drop(connection),
      }),
    };
    open.set(key, connection);
    connection.opening.catch(() => drop(connection));
    return connection;
  }

  /** Uses the connection, and ends it if it failed rather than the call. */
  async function workOnce<T>(
    server: UsableServer,
    userId: string,
    { signal, work }: { signal: AbortSignal; work: (client: Client) => Promise<T> },
  ): Promise<T> {
    const connection = connect(server, userId);
    connection.uses++;
    try {
      const { client } = await unlessAborted(connection.opening, signal);
      return await work(client);
    } catch (error) {
      if (!signal.aborted && !isAnswer(error)) {
        connection.isGivenUp = true;
        if (open.get(connection.key) === connection) open.delete(connection.key);
      }
      throw error;
    } finally {
      connection.uses--;
      connection.usedMs = clock.elapsedMs();
      if (connection.isGivenUp && connection.uses === 0) drop(connection);
    }
  }

  return {
    /**
     * Calls `work` with a client that is connected to the server as this person. Throws `ToolServerProblem`, and the
     * signal's reason.
     */
    async use<T>(
      server: UsableServer,
      userId: string,
      signal: AbortSignal,
      work: (client: Client) => Promise<T>,
    ): Promise<T> {
      let hasSession = false;
      const workInSession = async (client: Client) => {
        hasSession = client.transport?.sessionId !== undefined;
        return await work(client);
      };
      try {
        return await workOnce(server, userId, { signal, work: workInSession }).catch(
          async (error: unknown) => {
            // The server has restarted and does not know the session: it has not done anything.
            if (signal.aborted || !hasSession || !isUnknownSession(error)) throw error;
            return await workOnce(server, userId, { signal, work });
          },
        );
      } catch (error) {
        signal.throwIfAborted();
        throw problemOf(error);
      }
    },

    /** Ends the connections to a server, or only those of one person. */
    disconnect(serverId: string, userId?: string): void {
      for (const connection of open.values()) {
        const [id, , user] = connection.key.split(" ");
        if (id === serverId && (userId === undefined || user === userId)) drop(connection);
      }
    },

    /** Ends those that nobody has used for a while. */
    async closeIdle(): Promise<void> {
      for (const connection of open.values())
        if (connection.uses === 0 && clock.elapsedMs() - connection.usedMs >= idleMs) drop(connection);
    },

    /** Ends all connections and the processes of servers. Calls that are in progress fail. */
    close(): void {
      stopping.abort(
        new ToolServerProblem("tool-server-unreachable", { detail: "This server is stopping." }),
      );
      for (const connection of open.values()) drop(connection);
    },
  };
}

/** Whether the server answered with an error of the protocol, so that the connection works. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && error.name === "ProtocolError";
}

/** As the protocol says it: the session is not known any more. */
function isUnknownSession(error: unknown): boolean {
  const { data } = error as { data?: { status?: unknown } };
  return data?.status === 404;
}
