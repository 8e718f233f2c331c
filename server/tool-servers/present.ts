import type { ToolServer } from "#contract/tool-servers/endpoints.ts";
import { isoTime } from "#server/lib/clock.ts";
import type { SecretVault } from "#server/sign-in/secret-vault.ts";
import type { Row } from "#storage/database/tables.ts";
import type { ConfiguredServer } from "./configured-servers.ts";
import type { ToolServerRow } from "./rows.ts";
import { secretsOf } from "./server-secrets.ts";
import type { SignInRow } from "./sign-in/rows.ts";

type Lists = readonly Row<"tool_server_lists">[];

/** A stored server as one person sees it. */
export function presentServer(
  row: ToolServerRow,
  facts: {
    vault: SecretVault;
    offered: Lists;
    signedIn: readonly Pick<SignInRow, "server_id" | "is_expired">[];
    mayChange: boolean;
  },
): ToolServer {
  const signIn = facts.signedIn.find(({ server_id: id }) => id === row.id);
  const isSignedIn = signIn?.is_expired === 0;
  return {
    id: row.id,
    name: row.name,
    tool_prefix: row.tool_prefix,
    url: row.url,
    transport: row.transport,
    is_shared: row.user_id === null,
    from_operator: false,
    group_ids: row.group_ids === null ? null : (JSON.parse(row.group_ids) as string[]),
    is_on: row.is_on === 1,
    trusts_hints: row.trusts_hints === 1,
    header_names: JSON.parse(row.header_names) as string[],
    client_id: row.client_id,
    lacks_secret: secretsOf(facts.vault, row) === undefined,
    sign_in: isSignedIn ? "done" : row.wants_sign_in === 1 ? "needed" : "not-needed",
    tools: countTools(facts.offered, row.id),
    may_change: facts.mayChange,
    created_at: isoTime(row.created_at),
  };
}

export function presentConfigured(
  { id, name, toolPrefix, trustsHints }: ConfiguredServer,
  offered: Lists,
): ToolServer {
  return {
    id,
    name,
    tool_prefix: toolPrefix,
    url: null,
    transport: "command",
    is_shared: true,
    from_operator: true,
    group_ids: null,
    is_on: true,
    trusts_hints: trustsHints,
    header_names: [],
    client_id: null,
    lacks_secret: false,
    sign_in: "not-needed",
    tools: countTools(offered, id),
    may_change: false,
    created_at: null,
  };
}

function countTools(offered: Lists, serverId: string): number | null {
  const list = offered.find(({ server_id: id }) => id === serverId);
  return list === undefined ? null : (JSON.parse(list.tools) as unknown[]).length;
}
