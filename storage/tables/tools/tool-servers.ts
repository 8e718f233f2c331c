import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** Servers with tools (MCP) that administrators add for others, and people for themselves. */
export const toolServers = table("tool_servers", {
  since: "0067-tool-servers",
  columns: {
    id: text().primaryKey(),
    /** Whose it is; null for one that administrators added for others. */
    user_id: text().nullable().references("users", "cascade"),
    name: text(),
    /** What the names of its tools begin with. No other server has it, so that none can take another's name. */
    tool_prefix: text(),
    url: text(),
    transport: text<"http" | "sse">(),
    /** 1 if it may only be on the public internet, because the owner did not enter it. */
    public_only: integer(),
    /** JSON list of the groups whose members get it; null for everybody. */
    group_ids: text().nullable(),
    is_on: integer(),
    /** 1 if what it says about its tools counts when calls are allowed. */
    trusts_hints: integer(),
    /** JSON list of the headers whose values are stored. */
    header_names: text(),
    /** The client that was registered by hand at its sign-in server. */
    client_id: text().nullable(),
    /** 1 if it has headers or a client secret, even if these are missing because the database was restored. */
    has_secret: integer(),
    /** 1 if it asked for a sign-in. */
    wants_sign_in: integer().default(0),
    /** The sign-in server that it named first. Another one is refused until the server is saved again. */
    issuer: text().nullable(),
    created_at: bigint(),
    updated_at: bigint(),
  },
  indexes: {
    tool_servers_by_prefix: { on: "tool_prefix", isUnique: true },
    tool_servers_of_user: "user_id",
  },
  backup: "in backup",
});

/** The headers and the client secret of such a server, encrypted. */
export const toolServerSecrets = table("tool_server_secrets", {
  since: "0067-tool-servers",
  columns: {
    server_id: text().primaryKey().references("tool_servers", "cascade"),
    ciphertext: text(),
    key_id: text(),
  },
  // As those of model providers. They are entered again after a restore.
  backup: "secret",
});

/** The tokens with which somebody is signed in to a tool server, encrypted. */
export const toolServerSignIns = table("tool_server_sign_ins", {
  since: "0067-tool-servers",
  columns: {
    server_id: text().references("tool_servers", "cascade"),
    user_id: text().references("users", "cascade"),
    ciphertext: text(),
    key_id: text(),
    /** When the access token expires; null if that is unknown. */
    expires_at: bigint().nullable(),
    /** Until when one of the servers has the right to refresh the tokens; 0 if none has it. */
    refreshing_until: bigint().default(0),
    /** Counts the changes of the tokens. */
    version: integer(),
    /** 1 if the person must sign in again: the tokens cannot be refreshed, or the server wants more rights. */
    is_expired: integer().default(0),
    created_at: bigint(),
  },
  constraints: ["primary key (server_id, user_id)"],
  indexes: {
    tool_server_sign_ins_of_user: "user_id",
  },
  backup: "secret",
});

/** Sign-ins to tool servers that have begun. Each is used once, within minutes. */
export const toolServerFlows = table("tool_server_flows", {
  since: "0067-tool-servers",
  columns: {
    flow_hash: text().primaryKey(),
    server_id: text().references("tool_servers", "cascade"),
    user_id: text().references("users", "cascade"),
    /** What is needed to finish it, encrypted. */
    ciphertext: text(),
    key_id: text(),
    expires_at: bigint(),
  },
  indexes: {
    tool_server_flows_of_user: "user_id",
    tool_server_flows_by_expiry: "expires_at",
  },
  backup: "secret",
});

/** What tool servers offered when they were last asked, so that no answer waits for them. */
export const toolServerLists = table("tool_server_lists", {
  since: "0067-tool-servers",
  columns: {
    server_id: text(),
    /** Who asked; empty if everybody gets the same, because nobody signs in. */
    user_id: text(),
    /** JSON list of tools. */
    tools: text(),
    listed_at: bigint(),
  },
  constraints: ["primary key (server_id, user_id)"],
  indexes: {
    tool_server_lists_of_user: "user_id",
  },
  // Servers are asked again.
  backup: "rebuilt",
});
