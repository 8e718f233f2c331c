import type { BodyOf, ResponseOf } from "#contract/api.ts";
import { newId } from "#contract/ids.ts";
import { cleanText } from "#contract/text.ts";
import type { ToolServer } from "#contract/tool-servers/endpoints.ts";
import { actorOf, recordAudit } from "#server/audit/audit.ts";
import { confirmsPrivateHost, isPublicHost } from "#server/fetch/hosts.ts";
import { isOwnNetwork } from "#server/fetch/outgoing-proxy.ts";
import type { Clock } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import type { RequestFacts, Visitor } from "#server/lib/route.ts";
import { writeOnce } from "#server/lib/write-once.ts";
import type { Live } from "#server/live/live.ts";
import { ownedRows } from "#server/people/owned-rows.ts";
import type { Rights } from "#server/people/rights/rights.ts";
import type { SecretVault } from "#server/sign-in/secret-vault.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { AuditAction } from "#contract/accounts/audit-actions.ts";
import type { RowChange } from "#storage/database/tables.ts";
import type { ConfiguredServer } from "./configured-servers.ts";
import { presentConfigured, presentServer } from "./present.ts";
import * as rows from "./rows.ts";
import { secretsOf, storeSecrets, type ServerSecrets } from "./server-secrets.ts";
import * as signInRows from "./sign-in/rows.ts";
import { prefixOf } from "./tool-prefix.ts";
import type { UsableServers } from "./usable-servers.ts";

/** For everybody and for groups. */
const sharedMax = 50;
/** Per person. */
const ownMax = 20;

type From = { visitor: Visitor; request: Pick<RequestFacts, "limitKey"> };
type Change = BodyOf<"toolServers.change">;

/** The tool servers of administrators and people: what is stored of them, and who may change it. */
export type ToolServers = ReturnType<typeof createToolServers>;

export function createToolServers(options: {
  db: Database;
  live: Live;
  clock: Clock;
  rights: Pick<Rights, "of">;
  vault: SecretVault;
  mayStoreSecrets: boolean;
  configured: readonly ConfiguredServer[];
  usable: UsableServers;
  /** Ends the connections to a server that was changed or removed. */
  disconnect(serverId: string): void;
}) {
  const { db, live, clock, rights, vault, mayStoreSecrets, configured, usable, disconnect } = options;
  const owned = ownedRows("tool_servers", "user_id");
  const signIns = ownedRows("tool_server_sign_ins", "user_id");
  const lists = ownedRows("tool_server_lists", "user_id");

  async function mayOf(visitor: Visitor): Promise<{ add: boolean; share: boolean }> {
    const access = await rights.of(visitor);
    return { add: access.has("tool-servers.add"), share: access.has("assistants.manage") };
  }

  const mayChange = (row: rows.ToolServerRow, { userId }: Visitor, may: { add: boolean; share: boolean }) =>
    row.user_id === null ? may.share : row.user_id === userId;

  /** Throws `tool-server-not-found` unless the visitor can see it, and `not-allowed` unless they can change it. */
  async function findToChange(
    tx: Tx,
    visitor: Visitor,
    id: string,
    may: { add: boolean; share: boolean },
  ): Promise<rows.ToolServerRow> {
    const row = await rows.findServer(tx.q, id);
    const isVisible = row?.user_id === null || row?.user_id === visitor.userId;
    if (row === undefined || !isVisible) throw new AppError("tool-server-not-found");
    if (!mayChange(row, visitor, may)) throw new AppError("not-allowed");
    return row;
  }

  function checkSecrets({ headers, client }: Pick<Change, "headers" | "client">): void {
    const isSecret = (headers?.length ?? 0) > 0 || client?.secret !== undefined;
    if (isSecret && !mayStoreSecrets) throw new AppError("secret-not-set");
  }

  async function record(
    tx: Tx,
    action: Extract<AuditAction, `tool-server-${string}`>,
    { id, name, url, user_id }: Pick<rows.ToolServerRow, "id" | "name" | "url" | "user_id">,
    { from, fields }: { from: From; fields?: string[] },
  ): Promise<void> {
    const details = {
      name,
      host: new URL(url).host,
      shared: user_id === null,
      ...(fields === undefined ? {} : { fields }),
    };
    await recordAudit(tx, { action, actor: actorOf(from), target: id, details }, clock.now());
  }

  async function announce(tx: Tx, { workspaceId }: Visitor): Promise<void> {
    await live.announce(tx, workspaceId, [{ type: "toolServers-put" }]);
  }

  async function list(visitor: Visitor): Promise<ResponseOf<"toolServers.list">> {
    const may = await mayOf(visitor);
    const [stored, offered, signedIn, mine] = await Promise.all([
      rows.listServers(db.read, visitor.userId),
      rows.readLists(db.read, visitor.userId),
      signInRows.listSignInsOf(db.read, visitor.userId),
      usable.of({ userId: visitor.userId, workspaceId: visitor.workspaceId }),
    ]);
    const usableIds = new Set(mine.map(({ id }) => id));
    const shown = stored.filter((row) => usableIds.has(row.id) || mayChange(row, visitor, may));
    const facts = { vault, offered, signedIn };
    const servers: ToolServer[] = [
      ...shown.map((row) => presentServer(row, { ...facts, mayChange: mayChange(row, visitor, may) })),
      ...configured.map((server) => presentConfigured(server, offered)),
    ];
    return { servers, may_add: may.add || may.share, may_share: may.share };
  }

  async function get(visitor: Visitor, id: string): Promise<ToolServer> {
    const found = (await list(visitor)).servers.find((server) => server.id === id);
    if (found === undefined) throw new AppError("tool-server-not-found");
    return found;
  }

  return {
    list,
    get,

    /** Throws `not-allowed`, `too-many-tool-servers`, `secret-not-set`, `tool-server-private`. */
    async create(from: From, body: BodyOf<"toolServers.create">): Promise<ToolServer> {
      const { visitor } = from;
      const may = await mayOf(visitor);
      const isShared = body.is_shared === true;
      if (!may.share && (isShared || !may.add)) throw new AppError("not-allowed");
      checkForOthers(isShared, body);
      checkSecrets(body);
      const url = new URL(body.url).href;
      await checkMayConnect(visitor, url);
      const mayBePrivate = await confirmsPrivate(visitor, url);
      const id = await writeOnce(db, async (tx) => {
        const ownerId = isShared ? null : visitor.userId;
        const max = isShared ? sharedMax : ownMax;
        if ((await rows.countServers(tx, ownerId)) >= max) throw new AppError("too-many-tool-servers");
        const nowMs = clock.now();
        const newServer = { id: newId("tool_server", nowMs), user_id: ownerId, url };
        await rows.insertServer(tx, {
          ...newServer,
          ...columnsOf(body),
          name: cleanText(body.name),
          tool_prefix: await freePrefix(tx, body.name, configured),
          transport: body.transport ?? "http",
          public_only: mayBePrivate ? 0 : 1,
          group_ids: isShared && body.group_ids != null ? JSON.stringify(body.group_ids) : null,
          is_on: body.is_on === false ? 0 : 1,
          trusts_hints: body.trusts_hints === true ? 1 : 0,
          header_names: namesOf(body.headers),
          client_id: body.client?.id ?? null,
          has_secret: 0,
          created_at: nowMs,
          updated_at: nowMs,
        });
        await changeSecrets(tx, newServer, {
          headers: body.headers ?? [],
          clientSecret: body.client?.secret,
        });
        await record(tx, "tool-server-added", { ...newServer, name: cleanText(body.name) }, { from });
        await announce(tx, visitor);
        return newServer.id;
      });
      return await get(visitor, id);
    },

    /** Throws `tool-server-not-found`, `not-allowed`, `secret-not-set`, `tool-server-private`. */
    async change(from: From, id: string, body: Change): Promise<ToolServer> {
      const { visitor } = from;
      const may = await mayOf(visitor);
      checkSecrets(body);
      const url = body.url === undefined ? undefined : new URL(body.url).href;
      const before = await rows.findServer(db.read, id);
      const isMoved = url !== undefined && url !== before?.url;
      if (isMoved) await checkMayConnect(visitor, url);
      const savedUrl = url ?? before?.url;
      const mayBePrivate = savedUrl !== undefined && (await confirmsPrivate(visitor, savedUrl));
      await db.write(async (tx) => {
        const row = await findToChange(tx, visitor, id, may);
        checkForOthers(row.user_id === null, body);
        const place = { id, url: url ?? row.url };
        const isOtherOrigin = new URL(row.url).origin !== new URL(place.url).origin;
        const change: RowChange<"tool_servers"> = {
          ...columnsOf(body),
          url: place.url,
          issuer: null,
          updated_at: Math.max(clock.now(), row.updated_at + 1),
        };
        // The owner decides again with every save.
        if (isMoved || visitor.role === "owner") change.public_only = mayBePrivate ? 0 : 1;
        if (isOtherOrigin) {
          change.wants_sign_in = 0;
          change.header_names = "[]";
          change.client_id = null;
          await signInRows.deleteSignInsTo(tx, id);
          await rows.deleteLists(tx, id);
        }
        if (body.headers !== undefined) change.header_names = namesOf(body.headers);
        if (body.client !== undefined) {
          change.client_id = body.client?.id ?? null;
          await signInRows.deleteSignInsTo(tx, id);
        }
        await rows.updateServer(tx, id, change);
        if (isOtherOrigin || body.headers !== undefined || body.client !== undefined) {
          const kept = isOtherOrigin ? undefined : secretsOf(vault, row);
          await changeSecrets(tx, place, {
            headers: body.headers ?? kept?.headers ?? [],
            clientSecret: body.client === undefined ? kept?.clientSecret : body.client?.secret,
          });
        }
        const named = { id, user_id: row.user_id, url: place.url, name: change.name ?? row.name };
        await record(tx, "tool-server-changed", named, { from, fields: Object.keys(body) });
        await announce(tx, visitor);
      });
      disconnect(id);
      return await get(visitor, id);
    },

    /** Throws `tool-server-not-found`, `not-allowed`. */
    async remove(from: From, id: string): Promise<void> {
      const may = await mayOf(from.visitor);
      await db.write(async (tx) => {
        const row = await findToChange(tx, from.visitor, id, may);
        await rows.deleteServer(tx, id);
        await record(tx, "tool-server-removed", row, { from });
        await announce(tx, from.visitor);
      });
      disconnect(id);
    },

    record,
    announce,

    /** Guests have no servers of their own and no sign-ins. */
    move: async () => {},
    async erase(...args: Parameters<typeof owned.erase>): Promise<void> {
      await owned.erase(...args);
      await signIns.erase(...args);
      await lists.erase(...args);
    },
  };

  async function changeSecrets(
    tx: Tx,
    server: { id: string; url: string },
    secrets: ServerSecrets,
  ): Promise<void> {
    const hasSecret = await storeSecrets(tx, vault, server, secrets);
    await rows.updateServer(tx, server.id, { has_secret: hasSecret ? 1 : 0 });
  }
}

/**
 * Only the owner adds a server in the server's own network. What a name resolves to is not said here, because it would
 * reveal that network: for all others, every connection is checked, and fails like one to a server that does not exist.
 */
async function checkMayConnect({ role }: Visitor, url: string): Promise<void> {
  const isRefused =
    role === "admin" ? !(await isPublicHost(url)) : role !== "owner" && isOwnNetwork(new URL(url));
  if (isRefused) throw new AppError("tool-server-private");
}

/**
 * Whether saving this URL lets the server be in the server's own network: only if it is there now. A server on the internet
 * could otherwise name sign-in servers in that network.
 */
async function confirmsPrivate({ role }: Visitor, url: string): Promise<boolean> {
  return role === "owner" && (isOwnNetwork(new URL(url)) || (await confirmsPrivateHost(role, url)));
}

function checkForOthers(isShared: boolean, body: Pick<Change, "group_ids" | "trusts_hints">): void {
  if (isShared) return;
  for (const field of ["group_ids", "trusts_hints"] as const)
    if (body[field] !== undefined)
      throw badRequest(`body.${field}`, "must be absent for a server of one's own");
}

/** The columns of the fields that are given. */
function columnsOf(body: Change) {
  return {
    ...(body.name === undefined ? {} : { name: cleanText(body.name) }),
    ...(body.transport === undefined ? {} : { transport: body.transport }),
    ...(body.is_on === undefined ? {} : { is_on: body.is_on ? 1 : 0 }),
    ...(body.trusts_hints === undefined ? {} : { trusts_hints: body.trusts_hints ? 1 : 0 }),
    ...(body.group_ids === undefined
      ? {}
      : { group_ids: body.group_ids === null ? null : JSON.stringify(body.group_ids) }),
  };
}

function namesOf(headers: Change["headers"]): string {
  return JSON.stringify((headers ?? []).map(({ name }) => name));
}

/** What the names of a new server's tools begin with: its name, and a number if another server has that. */
async function freePrefix(tx: Tx, name: string, configured: readonly ConfiguredServer[]): Promise<string> {
  const base = prefixOf(name);
  const isTaken = async (prefix: string) =>
    configured.some((server) => server.toolPrefix === prefix) || (await rows.isPrefixTaken(tx, prefix));
  for (let number = 1; ; number++) {
    const prefix = number === 1 ? base : `${base}-${number}`;
    if (!(await isTaken(prefix))) return prefix;
  }
}
